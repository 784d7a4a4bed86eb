//! Tests of the page.

use std::io::Read as _;
use std::path::PathBuf;

use clap::Parser;
use flate2::read::ZlibDecoder;
use sha2::{Digest as _, Sha256};

use super::*;
use crate::Limits;
use crate::program::args::Global;
use crate::program::input::open;
use crate::program::output::base64;
use crate::program::picture::png::write_png;
use crate::render::Picture;

const HOSTILE: &str = "</script><script>alert(1)</script>\"'&";

pub const START: PageStart = PageStart {
    camera: Camera::ISO,
    background: Background::Studio,
    style: "smooth",
    is_wired: false,
    has_skeleton: false,
    has_textures: true,
    frame: None,
};

#[derive(Parser)]
struct TestArgs {
    #[command(flatten)]
    global: Global,
}

/// Returns the bytes of Base64 text.
fn decode_base64(text: &str) -> Vec<u8> {
    let digits = (b'A'..=b'Z').chain(b'a'..=b'z').chain(b'0'..=b'9').chain(*b"+/");
    let values: Vec<u8> = (0..64).collect();
    let mut value_of = [0; 256];
    digits.zip(values).for_each(|(digit, value)| value_of[usize::from(digit)] = value);
    let mut bytes = Vec::new();
    for group in text.as_bytes().chunks(4) {
        let bits = group.iter().fold(0_u32, |bits, digit| bits << 6 | u32::from(value_of[usize::from(*digit)]));
        let [_, three @ ..] = bits.to_be_bytes();
        let padding = group.iter().rev().take_while(|digit| **digit == b'=').count();
        bytes.extend_from_slice(&three[..3 - padding]);
    }
    bytes
}

/// Calls `run` with a mesh for a page, under the given name.
pub fn with_mesh<T>(path: &Path, name: &str, run: impl FnOnce(&PageMesh<'_>) -> T) -> T {
    let TestArgs { global } = TestArgs::parse_from(["meshpeek", "--quiet"]);
    let asset = open(path, &global).unwrap();
    let images = TextureFolder::new(path.parent().unwrap(), &Limits::default());
    let (clip, images) = (Some(name.to_owned()), Some(&images));
    let (name, options) = (name.to_owned(), ExportOptions::default());
    let (png, thumbnail) = (vec![0], vec![0]);
    let mesh = PageMesh { name, path, asset: &asset, clips: &[], options, clip, images, png, thumbnail };
    run(&mesh)
}

/// Returns a page that has a mesh twice, under the given name.
fn page_of(path: &Path, name: &str) -> String {
    let (mut page, start) = (Vec::new(), START);
    let mut writer = PageWriter::new(name.to_owned(), &start);
    with_mesh(path, name, |mesh| {
        assert!(writer.add(&mut page, mesh).unwrap().is_none());
        writer.add(&mut page, mesh).unwrap();
    });
    writer.finish(&mut page, None).unwrap();
    String::from_utf8(page).unwrap()
}

/// Returns the contents of all elements that start with `start`.
fn elements<'p>(page: &'p str, start: &str) -> Vec<&'p str> {
    let parts = page.split(start).skip(1);
    parts.map(|part| part.split_once("</script>").unwrap().0).collect()
}

#[test]
fn the_hash_is_that_of_the_script() {
    let hash = base64(&Sha256::digest(SCRIPT));
    assert_eq!(SCRIPT_HASH.trim(), hash, "the script has changed: write this hash to script.sha256");
    assert!(!SCRIPT.contains("</") && !SCRIPT.contains("<!--"), "an end tag in the script would end it");
}

#[test]
fn a_page_contains_the_mesh_as_glb() {
    let path = Path::new("data/unreal/guard");
    let page = page_of(path, "guard");
    let found = elements(&page, "<script type=\"application/octet-stream\" class=\"glb\">");
    let [first, second] = found.as_slice() else { panic!("{} elements", found.len()) };
    assert_eq!(first, second);
    let compressed = decode_base64(first);
    let mut glb = Vec::new();
    ZlibDecoder::new(compressed.as_slice()).read_to_end(&mut glb).unwrap();
    assert!(glb.starts_with(b"glTF"));
    assert_eq!(glb.len(), usize::try_from(u32::from_le_bytes(glb[8..12].try_into().unwrap())).unwrap());
    assert!(page.contains("<title>guard</title>") && page.contains("guard_a.3d: 444 B"));
    assert!(!page.contains("{title}") && !page.contains("{style}") && !page.contains("{script}"));
    assert!(page.contains(&format!("script-src 'sha256-{}'", SCRIPT_HASH.trim())));
}

#[test]
fn only_the_first_mesh_has_its_findings_and_bytes_in_the_document() {
    let page = page_of(Path::new("data/unreal/guard"), "guard");
    assert_eq!((page.matches("<svg").count(), page.matches("<h2>Findings").count()), (3, 1));
    // One style sheet serves all pictures: each more of them would cost the browser time.
    assert_eq!(page.matches("<style>").count(), 1);
    let found = elements(&page, "<script type=\"application/octet-stream\" class=\"details\">");
    let mut details = String::new();
    ZlibDecoder::new(decode_base64(found[0]).as_slice()).read_to_string(&mut details).unwrap();
    let first = page.split_once("<section class=\"findings\">").unwrap().1.split_once("<script").unwrap().0;
    assert!(details.ends_with(first), "the details are others: {details}");
}

#[test]
fn a_hostile_name_is_escaped_everywhere() {
    let folder = tempfile::tempdir().unwrap();
    // On Windows, a path cannot have these characters.
    let name = if cfg!(unix) { format!("{HOSTILE}.ezm") } else { "mesh.ezm".to_owned() };
    let path: PathBuf = folder.path().join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let text = std::fs::read_to_string("data/ezmesh/flag.ezm").unwrap();
    let inner = HOSTILE.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;");
    let text = text.replace("name=\"flag\"", &format!("name=\"{inner}\""));
    assert!(text.contains("&lt;/script&gt;"));
    std::fs::write(&path, text).unwrap();
    let page = page_of(&path, HOSTILE);
    assert!(!page.contains("<script>alert") && !page.contains("\"'&"));
    assert_eq!(page.matches("alert(1)").count(), page.matches("&lt;script&gt;alert(1)&lt;/script&gt;").count());
    // The page itself, the mesh twice, and the details of the second.
    assert_eq!((page.matches("<script").count(), page.matches("</script>").count()), (4, 4));
}

#[test]
fn a_page_without_meshes_is_empty() {
    let mut page = Vec::new();
    PageWriter::new("none".to_owned(), &START).finish(&mut page, None).unwrap();
    assert!(page.is_empty());
}

#[test]
fn a_page_has_the_images_of_the_materials_only() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("crate.ezm");
    std::fs::copy("data/ezmesh/crate.ezm", &path).unwrap();
    let save = |name: &str, side: u32| {
        let picture = Picture::new([side; 2], [9, 8, 7, 255]).unwrap();
        write_png(&mut std::fs::File::create(folder.path().join(name)).unwrap(), &picture, &[]).unwrap();
    };
    save("other.png", 2);
    assert!(!page_of(&path, "crate").contains("class=\"texture\""));
    save("Planks.png", 2);
    let page = page_of(&path, "crate");
    let found =
        elements(&page, "<script type=\"application/octet-stream\" class=\"texture\" data-name=\"Planks.png\">");
    assert_eq!(found.len(), 2);
    assert_eq!(decode_base64(found[0]), std::fs::read(folder.path().join("Planks.png")).unwrap());
    assert_eq!(page.matches("class=\"texture\"").count(), 2);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "takes long without optimisation; `.ci/run` runs it")]
fn elements_together_have_all_bytes() {
    for size in [0, 1, BLOCK - 1, BLOCK, BLOCK * MAX_BLOCKS + 2] {
        let bytes: Vec<u8> = (0..=255).cycle().take(size).collect();
        let mut text = Vec::new();
        DataElements::new(&mut text, "class=\"x\"").whole(&bytes).unwrap();
        let text = String::from_utf8(text).unwrap();
        let start = "<script type=\"application/octet-stream\" class=\"x\">";
        let mut read = Vec::new();
        for element in text.split_terminator("</script>\n") {
            read.extend(decode_base64(element.strip_prefix(start).unwrap()));
        }
        assert!(read == bytes, "{size} bytes");
    }
}

#[test]
fn a_camera_has_the_angles_of_the_command_line() {
    for (made, [yaw, pitch]) in [
        (Camera::FRONT, [0.0, 0.0]),
        (Camera::BACK, [180.0, 0.0]),
        (Camera::RIGHT, [90.0, 0.0]),
        (Camera::LEFT, [-90.0, 0.0]),
        (Camera::TOP, [0.0, 90.0]),
        (Camera::BOTTOM, [0.0, -90.0]),
        (Camera::ISO, [30.0, 20.0]),
        (Camera::orbit(-50.0, 35.0), [-50.0, 35.0]),
        (Camera::orbit(40.0, 90.0), [40.0, 90.0]),
        (Camera::orbit(40.0, -90.0), [40.0, -90.0]),
    ] {
        let json = camera(&made);
        let angle = |index: usize| json["angles"][index].as_f64().unwrap();
        assert!((angle(0) - yaw).abs() < 1e-3 && (angle(1) - pitch).abs() < 1e-3, "{made:?}: {json}");
    }
    let camera = camera(&Camera::look_at([1.0, 2.0, 3.0], [0.0; 3]));
    assert_eq!(camera["from"][2], 3.0);
}

#[test]
fn a_background_is_a_colour_of_the_style_sheet() {
    assert_eq!(background(Background::Color([1, 0xab, 0])), "#01ab00");
    assert!(background(Background::Studio).is_null());
}
