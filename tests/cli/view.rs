//! Tests of `view -o`, and of the pictures of `info` and `ls`.

use std::fs;
use std::io::Cursor;
use std::path::Path;

use png::{BlendOp, DisposeOp};

#[cfg(unix)]
use crate::support::ezmesh::raw_files as ezmesh;
#[cfg(unix)]
use crate::support::process::process;
#[cfg(unix)]
use crate::support::random::Random;
use crate::support::secondlife::raw_assets;
use crate::{bytes, code, command, json, meshpeek, sample, scratch, text};

/// A decoded PNG file: its size, its pixels as RGBA, and the number of its frames.
struct Png {
    size: [u32; 2],
    pixels: Vec<[u8; 4]>,
    frames: Vec<Vec<[u8; 4]>>,
    /// The time of the first frame as a fraction of seconds.
    delay: Option<(u16, u16)>,
    texts: Vec<(String, String)>,
}

impl Png {
    fn decode(bytes: &[u8]) -> Self {
        let mut reader = png::Decoder::new(Cursor::new(bytes)).read_info().unwrap();
        let count = reader.info().animation_control().map_or(1, |control| control.num_frames);
        let delay = reader.info().frame_control().map(|control| (control.delay_num, control.delay_den));
        let mut frames = Vec::new();
        for _ in 0..count {
            let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
            let info = reader.next_frame(&mut bytes).unwrap();
            if let Some(control) = reader.info().frame_control() {
                assert_eq!((control.dispose_op, control.blend_op), (DisposeOp::None, BlendOp::Source));
            }
            let pixel = |part: &[u8]| [part[0], part[1], part[2], part.get(3).copied().unwrap_or(255)];
            frames.push(bytes.chunks(info.color_type.samples()).map(pixel).collect::<Vec<_>>());
        }
        let info = reader.info();
        let texts = info.uncompressed_latin1_text.iter().map(|text| (text.keyword.clone(), text.text.clone()));
        let texts = texts.collect();
        Self { size: [info.width, info.height], pixels: frames[0].clone(), frames, delay, texts }
    }

    fn open(path: &Path) -> Self {
        Self::decode(&fs::read(path).unwrap())
    }

    /// Returns the columns and the rows that have visible pixels: the first and the last.
    fn visible(&self) -> [[usize; 2]; 2] {
        let width = usize::try_from(self.size[0]).unwrap();
        let at: Vec<_> = (0..self.pixels.len()).filter(|at| self.pixels[*at][3] > 0).collect();
        let range = |part: &dyn Fn(usize) -> usize| {
            let parts = at.iter().map(|at| part(*at));
            [parts.clone().min().unwrap(), parts.max().unwrap()]
        };
        [range(&|at| at % width), range(&|at| at / width)]
    }
}

/// A folder for pictures.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }

    /// Draws a picture with the given arguments, and decodes it.
    fn draw(&self, arguments: &[&str]) -> Png {
        let out = self.path("out.png");
        let output = meshpeek(&[&["view", "-o", &out, "--force"], arguments].concat());
        assert_eq!(code(&output), 0, "{arguments:?}: {}", text(&output.stderr));
        Png::open(Path::new(&out))
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it optimised")]
fn a_mesh_fills_a_picture_of_the_chosen_size() {
    let folder = Folder::new();
    let cube = sample("cube_ms13");
    let table: [(&[&str], [u32; 2]); 3] =
        [(&[], [1024, 1024]), (&["--size", "64"], [64, 64]), (&["--size", "90x30"], [90, 30])];
    for (arguments, size) in table {
        let clear = ["--background", "transparent"];
        let picture = folder.draw(&[&[&*cube], &clear[..], arguments].concat());
        assert_eq!(picture.size, size);
        let [columns, rows] = picture.visible();
        let parts = [(columns, size[0]), (rows, size[1])];
        let filled = parts.map(|([first, last], side)| (last - first + 1) as f64 / f64::from(side));
        assert!(filled[0].max(filled[1]) > 0.85 && filled[0].max(filled[1]) < 0.98, "{filled:?}");
        for ([first, last], side) in parts {
            let right = usize::try_from(side).unwrap() - 1 - last;
            assert!(first.abs_diff(right) <= 2 + right / 8, "in the middle: {first} and {right}");
        }
    }
    assert_eq!(folder.names(), ["out.png"]);
}

#[test]
fn the_same_picture_has_the_same_bytes() {
    let folder = Folder::new();
    let cube = sample("room_ms14");
    let draw = |more: &[&str]| meshpeek(&[&["view", &cube, "-o", "-", "--size", "80"], more].concat()).stdout;
    let once = draw(&[]);
    assert!(once.starts_with(b"\x89PNG") && once == draw(&[]) && once == draw(&["--no-mmap"]));
    assert!(once != draw(&["--camera", "front"]) && once != draw(&["--style", "facets", "--overlay", "bounds"]));
    folder.draw(&[&cube, "--size", "80"]);
    assert_eq!(fs::read(folder.path("out.png")).unwrap(), once);
}

#[test]
fn existing_files_and_foreign_extensions_are_kept() {
    let folder = Folder::new();
    let cube = sample("cube_ms13");
    fs::write(folder.path("old.png"), b"old").unwrap();
    for (name, more, part) in [
        ("old.png", &[][..], "--force replaces it"),
        ("new.glb", &[], "meshpeek convert FILE -o"),
        ("new.mesh", &["--turntable=2"], "view writes .png"),
        ("sheet.mesh", &["--sheet"], "view writes .png"),
    ] {
        let output = meshpeek(&[&["view", &cube, "-o", &folder.path(name), "--size", "16"], more].concat());
        assert!(code(&output) == 2 && text(&output.stderr).contains(part), "{name}: {}", text(&output.stderr));
    }
    assert_eq!(
        (folder.names(), fs::read(folder.path("old.png")).unwrap()),
        (vec!["old.png".to_owned()], b"old".to_vec())
    );
}

#[test]
fn a_folder_gets_a_picture_of_each_mesh() {
    let folder = Folder::new();
    let out = folder.path("pictures");
    let output = meshpeek(&["view", "data/secondlife", "-o", &out, "--size", "24", "--json"]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let document = json(&output);
    let files = document["files"].as_array().unwrap();
    assert_eq!(fs::read_dir(&out).unwrap().count(), files.len());
    for file in files {
        let path = file["output"].as_str().unwrap();
        assert_eq!((Png::open(Path::new(path)).size, &file["width"]), ([24, 24], &24.into()), "{path}");
        assert_eq!(file["bytes"], fs::metadata(path).unwrap().len(), "{path}");
    }
}

#[test]
fn several_meshes_are_a_contact_sheet() {
    let folder = Folder::new();
    let (out, cube) = (folder.path("sheet.png"), sample("cube_ms13"));
    let (_damaged, damaged) = scratch("damaged.mesh", &bytes("cube_ms13")[..200]);
    let arguments = ["view", &cube, &damaged, "data/unreal/guard", "-o", &out, "--size", "48"];
    let output = meshpeek(&arguments);
    assert_eq!(code(&output), 3);
    assert!(text(&output.stderr).contains("damaged.mesh"), "{}", text(&output.stderr));
    let whole = Png::open(Path::new(&out));
    assert!(whole.size[0] >= 2 * 48 && whole.size[1] > 48, "{:?}", whole.size);
    // The same sheet with another order has the same size.
    let other =
        meshpeek(&["view", "data/unreal/guard", &damaged, &cube, "-o", &out, "--size", "48", "--force", "--json"]);
    let document = json(&other);
    let files = document["files"].as_array().unwrap();
    assert_eq!((files.len(), files[1]["error"]["kind"].is_string()), (3, true), "{document}");
    let changed = Png::open(Path::new(&out));
    assert!(changed.size == whole.size && changed.pixels != whole.pixels);
    let column = meshpeek(&["view", &cube, "--sheet", "-o", &out, "--size", "48", "--force"]);
    assert_eq!(code(&column), 0);
    assert!(Png::open(Path::new(&out)).size[0] < whole.size[0]);
}

#[test]
fn all_levels_are_side_by_side() {
    let folder = Folder::new();
    let arm = "data/secondlife/arm.llmesh".to_owned();
    for (name, stem, triangles) in [("arm", arm, [84, 32, 16, 6].as_slice()), ("tree", sample("tree_ms12"), &[60, 48])]
    {
        let out = folder.path(&format!("{name}.png"));
        let drawn = json(&meshpeek(&["view", &stem, "-o", &out, "--size", "64", "--lod", "all", "--json"]));
        let counts: Vec<i64> =
            drawn["files"].as_array().unwrap().iter().map(|tile| tile["triangles"].as_i64().unwrap()).collect();
        assert_eq!(counts, triangles, "{name}");
        let [width, height] = Png::open(Path::new(&out)).size;
        let row = 64 * u32::try_from(triangles.len()).unwrap();
        assert!(width >= row && height < 2 * 64, "one row: {width} x {height}");
    }
    // A mesh without levels has one tile.
    let cube = sample("cube_ms13");
    let drawn = json(&meshpeek(&["view", &cube, "-o", &folder.path("cube.png"), "--lod", "all", "--json"]));
    assert_eq!(drawn["files"].as_array().unwrap().len(), 1);
    let refused = meshpeek(&["view", &cube, "--lod", "all"]);
    assert_eq!((code(&refused), text(&refused.stderr).contains("-o OUT.png")), (2, true));
}

#[test]
fn the_levels_of_a_container_are_those_of_all_assets() {
    let folder = Folder::new();
    let triangles = |options: &[&str]| -> Vec<u64> {
        let out = folder.path("levels.png");
        let arguments = [&["view", "data/secondlife/model.slm", "-o", &out, "--force", "--json"], options].concat();
        let files = json(&meshpeek(&arguments))["files"].as_array().unwrap().clone();
        files.iter().map(|file| file["triangles"].as_u64().unwrap()).collect()
    };
    let (all, whole) = (triangles(&["--lod", "all"]), triangles(&[]));
    assert!(all.len() == 4 && all[0] == whole[0] && all.is_sorted_by(|a, b| a > b), "{all:?}, {whole:?}");
    let first = triangles(&["--lod", "all", "--asset", "0"]);
    assert!(first.len() == 4 && first[0] < all[0], "{first:?}");
}

#[test]
fn a_turntable_turns_once() {
    let folder = Folder::new();
    let cube = sample("cube_ms13");
    let clear = ["--background", "transparent", "--size", "64"];
    let movie = folder.draw(&[&[&*cube, "--turntable=8"], &clear[..]].concat());
    assert_eq!((movie.size, movie.frames.len(), movie.delay), ([64, 64], 8, Some((1, 24))));
    // The cube has the same four sides, and no frame is larger than another.
    let coverage: Vec<usize> =
        movie.frames.iter().map(|frame| frame.iter().filter(|pixel| pixel[3] == 255).count()).collect();
    for quarter in 1..4 {
        let [one, other] = [coverage[0], coverage[2 * quarter]];
        assert!(one.abs_diff(other) < one / 50, "{coverage:?}");
    }
    assert!(movie.frames[0] != movie.frames[1]);
    assert_eq!(folder.draw(&[&cube, "--turntable", "--size", "16"]).frames.len(), 48);
    let at = ["--camera", "3,2,5,0,0,0", "--turntable=4", "--size", "16"];
    assert_eq!(folder.draw(&[&[&*cube], &at[..]].concat()).frames.len(), 4);
}

#[test]
fn a_clip_is_played_at_its_speed() {
    let folder = Folder::new();
    let (skinned, bend) = (sample("skinned_ms12"), sample("bend_an10"));
    // From this side, the bar bends away.
    let side = ["--size", "32", "--camera", "210,20"];
    let movie = folder.draw(&[&[&*skinned, "--animation", &bend, "--animate"], &side[..]].concat());
    assert_eq!((movie.frames.len(), movie.delay), (3, Some((1, 30))));
    assert!(movie.frames[0] != movie.frames[1] && movie.frames[1] != movie.frames[2]);
    let still = folder.draw(&[&[&*skinned, "--animation", &bend, "--frame", "0"], &side[..]].concat());
    assert!(still.frames.len() == 1 && still.pixels != movie.frames[0], "the camera of a movie shows all frames");
    for (arguments, frames) in [
        (&["data/unreal/guard", "--animate"][..], 10),
        (&["data/unreal/guard", "--animate", "--clip", "1"], 6),
        (&[&bend, "--animate"], 3),
        (&[&bend, "--turntable=5"], 5),
        (&["data/unreal/guard", "--animate", "--style", "uv"], 10),
        // The clip is one of the other file, and the mesh has none.
        (&["data/secondlife/arm.llmesh", "--animation", "data/ezmesh/flag.ezm", "--clip", "wave", "--animate"], 4),
    ] {
        let movie = folder.draw(&[arguments, &["--size", "16"]].concat());
        assert_eq!(movie.frames.len(), frames, "{arguments:?}");
    }
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it optimised")]
fn a_long_clip_is_shortened() {
    let folder = Folder::new();
    let (mesh, out) = (long_clip(), folder.path("long.png"));
    let (_folder, mesh) = scratch("long.ezm", mesh.as_bytes());
    let output = meshpeek(&["view", &mesh, "-o", &out, "--animate", "--size", "8", "--json"]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let document = json(&output);
    let file = &document["files"][0];
    assert_eq!(file["frames"], 500, "{document}");
    assert!(file["left_out"][0].as_str().unwrap().starts_with("1000 of 1500 frames"), "{document}");
    let movie = Png::open(Path::new(&out));
    assert_eq!((movie.frames.len(), movie.delay), (500, Some((3, 30))));
}

/// Returns a mesh with a clip of 1,500 frames without a rate.
fn long_clip() -> String {
    let flag = fs::read_to_string("data/ezmesh/flag.ezm").unwrap();
    let flag = flag.replace(
        "framecount=\"4\" duration=\"0.2\" dtime=\"0.05\"",
        "framecount=\"1500\" duration=\"60\" dtime=\"0.04\"",
    );
    let (start, end) = (flag.find("<AnimTrack").unwrap(), flag.find("</Animation>").unwrap());
    let tracks = ["pole", "cloth", "cloth tip"].map(|name| {
        let rows = "0 1 0 0 0 0 1 1 1 1,\n".repeat(1500);
        format!("<AnimTrack name=\"{name}\" count=\"1500\" has_scale=\"true\">\n{rows}</AnimTrack>\n")
    });
    [&flag[..start], &tracks.concat(), &flag[end..]].concat()
}

#[test]
fn what_cannot_be_a_movie_is_refused() {
    let folder = Folder::new();
    let (cube, out) = (sample("cube_ms13"), folder.path("out.png"));
    for (arguments, part) in [
        (&["--animate"][..], "no clips and no vertex frames"),
        (&["--turntable", "--animate"], "cannot be used with"),
        (&["--animate", "--frame", "1"], "cannot be used with"),
        (&["--turntable=0"], "--turntable"),
        (&["--turntable", "--style", "uv"], "--style uv"),
        (&["--turntable", "--sheet"], "a movie shows one mesh"),
    ] {
        let output = meshpeek(&[&["view", &cube, "-o", &out, "--size", "16"], arguments].concat());
        assert!(code(&output) == 2 && text(&output.stderr).contains(part), "{arguments:?}: {}", text(&output.stderr));
    }
    assert_eq!(code(&meshpeek(&["view", &cube, "--turntable"])), 2);
    assert!(folder.names().is_empty());
}

#[test]
fn damaged_geometry_is_left_out() {
    let folder = Folder::new();
    let mut hostile = bytes("cube_ms13");
    hostile[102..106].copy_from_slice(&f32::NAN.to_le_bytes());
    hostile[114..118].copy_from_slice(&f32::INFINITY.to_le_bytes());
    let (_scratch, nan) = scratch("nan.mesh", &hostile);
    hostile = bytes("cube_ms13");
    hostile[588] = 200;
    let (_scratch2, index) = scratch("index.mesh", &hostile);
    hostile = bytes("cube_ms13");
    for at in (102..198).step_by(4) {
        hostile[at..at + 4].copy_from_slice(&f32::NAN.to_le_bytes());
    }
    let (_scratch3, all) = scratch("all.mesh", &hostile);
    for (mesh, part) in [(&nan, "that is not finite"), (&index, "out of range"), (&all, "")] {
        for more in [&[][..], &["--turntable=2"], &["--overlay", "bounds,normals,wireframe"], &["--style", "facets"]] {
            let out = folder.path("out.png");
            let arguments = [&["view", mesh, "-o", &out, "--force", "--size", "32"], more].concat();
            let output = meshpeek(&arguments);
            let message = text(&output.stderr);
            assert!(code(&output) == 0 && message.contains(part), "{arguments:?}: {message}");
            assert_eq!(Png::open(Path::new(&out)).size, [32, 32]);
        }
    }
}

#[test]
fn a_thumbnail_names_its_mesh() {
    let folder = Folder::new();
    let (_scratch, mesh) = scratch("a b#.mesh", &bytes("cube_ms13"));
    fs::write(folder.path("thumb"), b"old").unwrap();
    let output = meshpeek(&["view", "--thumbnail", "-o", &folder.path("thumb"), &mesh]);
    assert!(code(&output) == 0 && output.stdout.is_empty() && output.stderr.is_empty(), "{}", text(&output.stderr));
    let picture = Png::open(Path::new(&folder.path("thumb")));
    assert_eq!((picture.size, picture.pixels[0]), ([256, 256], [0; 4]));
    let [(uri, address), (time, seconds)] = &picture.texts[..] else { panic!("{:?}", picture.texts) };
    assert_eq!((uri.as_str(), time.as_str()), ("Thumb::URI", "Thumb::MTime"));
    assert!(address.starts_with("file:///") && address.ends_with("/a%20b%23.mesh"), "{address}");
    assert!(seconds.parse::<u64>().unwrap() > 1_000_000_000);
    assert_eq!(folder.names(), ["thumb"]);
}

#[test]
fn info_has_a_picture_at_the_left() {
    let cube = sample("cube_ms13");
    let run = |arguments: &[&str]| {
        let mut command = command(arguments);
        command.env("COLORTERM", "truecolor").env("TERM", "xterm").output().unwrap()
    };
    let output = run(&["info", &cube, "--picture", "--protocol", "blocks"]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let printed = text(&output.stdout);
    assert!(printed.contains('\u{2580}') && printed.contains("cube_ms13.mesh"), "{printed}");
    let plain = run(&["info", &cube]);
    for line in text(&plain.stdout).lines() {
        assert!(printed.lines().any(|printed| printed.ends_with(line)), "{line:?} in {printed}");
    }
    let ascii = run(&["info", &cube, "--picture", "--protocol", "blocks", "--color", "never"]);
    assert!(!ascii.stdout.contains(&0x1b) && ascii.stdout.contains(&b'#'));
    for arguments in [
        &["info", &cube, "--picture"][..],
        &["info", &cube, "--picture", "--json"],
        &["info", &cube, "--protocol", "blocks"],
    ] {
        assert_eq!(code(&run(arguments)), 2, "{arguments:?}");
    }
}

#[test]
fn ls_has_pictures_at_the_left() {
    let list = |more: &[&str]| {
        let mut command = command(&[&["ls", "data/unigine", "--picture"], more].concat());
        command.env("COLORTERM", "truecolor").env("TERM", "xterm").output().unwrap()
    };
    let output = list(&["--protocol", "blocks"]);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    let printed = text(&output.stdout);
    let plain = text(&meshpeek(&["ls", "data/unigine"]).stdout);
    let rows = plain.lines().position(str::is_empty).unwrap() - 1;
    assert!(rows > 3 && printed.lines().count() == plain.lines().count() + 2 * rows, "{printed}");
    for line in plain.lines() {
        assert!(printed.lines().any(|printed| printed.contains(line)), "{line:?} in {printed}");
    }
    for arguments in [
        &[][..],
        &["--json"],
        &["--protocol", "blocks", "--format", "csv"],
        &["--protocol", "kitty"],
        &["--protocol", "blocks", "--surfaces"],
    ] {
        assert_eq!(code(&list(arguments)), 2, "{arguments:?}");
    }
}

/// Writes a Second Life mesh with `count` surfaces after a square.
fn many_surfaces(count: usize, other: raw_assets::Entries) -> (tempfile::TempDir, String) {
    let mut surfaces = vec![raw_assets::square()];
    surfaces.resize(count + 1, other);
    scratch("many.llmesh", &raw_assets::asset(&[("high_lod", raw_assets::level(&surfaces))]))
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it optimised")]
fn surfaces_after_the_first_ones_are_left_out_with_a_note() {
    let (_scratch, mesh) = many_surfaces(40_000, raw_assets::square());
    let folder = Folder::new();
    let out = folder.path("out.png");
    let run = |more: &[&str]| meshpeek(&[&["view", &mesh, "-o", &out, "--force", "--size", "64"], more].concat());
    let note = "not in the picture: everything after the first";
    for more in
        [&[][..], &["--sheet"], &["--turntable=2"], &["--style", "uv"], &["--overlay", "normals,hulls,skeleton"]]
    {
        let output = run(more);
        assert_eq!(code(&output), 0, "{more:?}: {}", text(&output.stderr));
        assert!(text(&output.stderr).contains(note), "{more:?}: {}", text(&output.stderr));
    }
    let output = run(&["--json", "--background", "transparent"]);
    let left_out = json(&output)["files"][0]["left_out"].clone();
    let is_named = |text: &serde_json::Value| text.as_str().unwrap().starts_with("everything after the first");
    assert!(left_out.as_array().unwrap().iter().any(is_named), "{left_out}");
    assert!(Png::open(Path::new(&out)).pixels.iter().any(|[.., alpha]| *alpha > 0), "the first surface is drawn");
    let info = meshpeek(&["info", &mesh, "--picture", "--protocol", "blocks"]);
    assert!(text(&info.stderr).contains(note), "{}", text(&info.stderr));
}

#[test]
fn an_image_that_cannot_be_read_has_a_note() {
    let (folder, images) = (Folder::new(), tempfile::tempdir().unwrap());
    for name in ["guard_d.3d", "guard_a.3d", "guard.uc"] {
        fs::copy(Path::new("data/unreal").join(name), images.path().join(name)).unwrap();
    }
    fs::write(images.path().join("jlid.pcx"), b"no image").unwrap();
    let mesh = images.path().join("guard_d.3d").to_str().unwrap().to_owned();
    for more in [&[][..], &["--sheet"], &["--turntable=2"], &["--json"]] {
        let out = folder.path("out.png");
        let output = meshpeek(&[&["view", &mesh, "-o", &out, "--force", "--size", "32"], more].concat());
        let notes = text(&output.stderr);
        assert_eq!((code(&output), notes.lines().count()), (0, 1), "{more:?}: {notes}");
        assert!(notes.starts_with("not in the picture: the texture ") && notes.contains("jlid.pcx: PCX"), "{notes}");
    }
}

#[cfg(unix)]
#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it optimised")]
fn a_full_disk_names_the_output() {
    let mut random = Random::new(5);
    let corners: String = (0..30_000).fold(String::new(), |all, _| all + &format!("{} ", random.below(1 << 20)));
    let mesh = ezmesh::simple(&ezmesh::vertices(10_000, "fff", "position", &corners), &ezmesh::triangles(1, "0 1 2"));
    let (_scratch, mesh) = scratch("noise.ezm", mesh.as_bytes());
    let folder = Folder::new();
    for (name, blocks) in [("page.html", [1, 60, 100]), ("out.png", [1, 2, 3])] {
        for blocks in blocks {
            let line = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
            let mut limited = process("sh");
            limited.args(["-c", &line, env!("CARGO_BIN_EXE_meshpeek"), "view", &mesh, "-o", &folder.path(name)]);
            let output = limited.output().unwrap();
            let error = text(&output.stderr);
            assert_eq!(code(&output), 3, "{blocks} blocks: {error}");
            assert!(error.contains(name) && !error.contains("noise.ezm"), "{blocks} blocks: {error}");
        }
    }
    assert!(folder.names().is_empty());
}
