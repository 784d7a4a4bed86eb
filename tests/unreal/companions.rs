//! Tests which files belong together: by stem and by script, but never outside the folders of a
//! script.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::stopwatch::Stopwatch;
use meshpeek::unreal::companions::{Finder, Pair, PairFile, find};
use meshpeek::{Error, Limits};

/// A temporary folder with the given files.
struct Place(tempfile::TempDir);

impl Place {
    fn with(files: &[&str]) -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        for file in files {
            place.write(file, "");
        }
        place
    }

    fn at(&self, file: &str) -> PathBuf {
        self.0.path().join(file)
    }

    fn write(&self, file: &str, text: &str) {
        fs::create_dir_all(self.at(file).parent().unwrap()).unwrap();
        fs::write(self.at(file), text).unwrap();
    }

    /// Writes a script that imports meshes.
    ///
    /// Each mesh has a name, a data file and an aniv file.
    fn script(&self, file: &str, meshes: &[[&str; 3]]) {
        let line = |[mesh, data, aniv]: &[&str; 3]| {
            format!("#exec MESH IMPORT MESH={mesh} ANIVFILE=\"{aniv}\" DATAFILE=\"{data}\"\n")
        };
        self.write(file, &meshes.iter().map(line).collect::<String>());
    }

    /// Returns the names of the found data file, aniv file, script and mesh, without the folder.
    fn found(&self, file: &str) -> [String; 4] {
        self.shown(&find(self.at(file)).unwrap())
    }

    fn shown(&self, pair: &Pair) -> [String; 4] {
        let shown = |path: &PathBuf| path.strip_prefix(self.0.path()).unwrap().to_str().unwrap().replace('\\', "/");
        let mesh = pair.mesh.clone().unwrap_or_default();
        let script = pair.script.as_ref().map(shown).unwrap_or_default();
        [shown(&pair.data), shown(&pair.aniv), script, String::from_utf8(mesh).unwrap()]
    }

    fn error(&self, file: &str) -> Error {
        find(self.at(file)).unwrap_err()
    }
}

#[test]
fn finds_the_other_by_its_stem() {
    let place =
        Place::with(&["cat_d.3d", "cat_a.3d", "Dog_D.3D", "Dog_A.3D", "data07.3d", "ANIV07.3D", "x_d.3d", "X_A.3D"]);
    for (file, data, aniv) in [
        ("cat_d.3d", "cat_d.3d", "cat_a.3d"),
        ("cat_a.3d", "cat_d.3d", "cat_a.3d"),
        ("cat", "cat_d.3d", "cat_a.3d"),
        ("CAT", "cat_d.3d", "cat_a.3d"),
        ("Dog_A.3D", "Dog_D.3D", "Dog_A.3D"),
        ("data07.3d", "data07.3d", "ANIV07.3D"),
        ("ANIV07.3D", "data07.3d", "ANIV07.3D"),
        ("x_d.3d", "x_d.3d", "X_A.3D"),
        // The case of letters in the user's path may differ from the file's name.
        ("DOG_d.3d", "Dog_D.3D", "Dog_A.3D"),
        ("Cat_A.3D", "cat_d.3d", "cat_a.3d"),
    ] {
        assert_eq!(place.found(file), [data, aniv, "", ""], "{file}");
    }
    let named = |file: &str| find(place.at(file)).unwrap().named;
    assert_eq!(["cat_d.3d", "cat_a.3d", "cat"].map(named), [Some(PairFile::Data), Some(PairFile::Aniv), None]);
}

/// Tests the spellings of other exporters and tools, which count only if the headers agree.
#[test]
fn finds_other_spellings_if_the_headers_agree() {
    let [data, aniv] = crate::support::unreal::pair("box");
    let foreign = crate::support::unreal::pair("guard");
    for (one, other, stem) in [
        ("lever-data.3D", "lever-aniv.3D", Some("lever")),
        ("Cat_Data.3d", "Cat_Anim.3d", Some("cat")),
        ("Cat_Data.3d", "Cat_a.3d", Some("Cat")),
        ("cat_data.3d", "cat_aniv.3d", Some("cat")),
        ("cat-D.3d", "cat-A.3d", Some("cat")),
        ("cat_d.3d", "cat_anim.3d", Some("cat")),
        ("catdata.3d", "cataniv.3d", None),
        ("catd.3d", "cata.3d", None),
        ("data54_d.3d", "aniv54_a.3d", None),
        ("dataCat.3d", "anivCat.3d", None),
        ("DATA-7.3D", "ANIV-7.3D", None),
    ] {
        let place = Place::with(&[]);
        let write = |files: &[Vec<u8>; 2]| {
            fs::write(place.at(one), &files[0]).unwrap();
            fs::write(place.at(other), &files[1]).unwrap();
        };
        write(&[data.clone(), aniv.clone()]);
        for file in [one, other].into_iter().chain(stem) {
            assert_eq!(place.found(file)[..2], [one, other], "{file}");
        }
        // Cut within the last frame, the files still belong together.
        write(&[data.clone(), aniv[..aniv.len() - 5].to_vec()]);
        assert_eq!(place.found(other)[..2], [one, other]);
        for wrong in [[&data, &foreign[1]], [&foreign[0], &aniv], [&aniv, &data]] {
            write(&wrong.map(Clone::clone));
            assert_eq!(place.error(one).kind().id(), "missing", "{one}");
            assert_eq!(place.error(other).kind().id(), "missing", "{other}");
        }
        write(&[data.clone(), aniv[..2].to_vec()]);
        assert_eq!(place.error(one).kind().id(), "missing", "{one}");
    }
    // A script has the last word, as for other names.
    let place = Place::with(&["lever-data.3D", "lever-aniv.3D"]);
    place.script("switch.uc", &[["Lever", "q:\\art\\lever-data.3D", "q:\\art\\lever-aniv.3D"]]);
    assert_eq!(place.found("lever-aniv.3D"), ["lever-data.3D", "lever-aniv.3D", "switch.uc", "Lever"]);
}

#[test]
#[cfg(target_os = "linux")]
fn prefers_the_exact_name() {
    let place = Place::with(&["cat_d.3d", "CAT_A.3D", "cat_a.3d", "Cat_a.3d"]);
    assert_eq!(place.found("cat_d.3d")[1], "cat_a.3d");
    assert_eq!(place.found("Cat_a.3d")[0], "cat_d.3d");
}

#[test]
fn takes_the_word_of_a_script() {
    let place =
        Place::with(&["Models/cat_d.3d", "Models/cat_a.3d", "Models/moves_a.3d", "Models/odd.3d", "Models/odder.3d"]);
    place.script(
        "Classes/Pet.uc",
        &[["Tom", "MODELS\\CAT_D.3D", "MODELS\\Moves_A.3d"], ["Odd", "models/odd.3d", "Models\\odder.3d"]],
    );
    let cat = ["Models/cat_d.3d", "Models/moves_a.3d", "Classes/Pet.uc", "Tom"];
    for file in ["Models/cat_d.3d", "Models/moves_a.3d", "Models/cat"] {
        assert_eq!(place.found(file), cat, "{file}");
    }
    for file in ["Models/odd.3d", "Models/odder.3d"] {
        assert_eq!(place.found(file), ["Models/odd.3d", "Models/odder.3d", "Classes/Pet.uc", "Odd"], "{file}");
    }
    // No script imports this pair.
    assert_eq!(place.found("Models/cat_a.3d"), ["Models/cat_d.3d", "Models/cat_a.3d", "", ""]);
}

#[test]
fn looks_for_scripts_beside_and_in_classes() {
    for script in ["m/cat.uc", "m/Zoo.uc", "m/classes/Zoo.uc", "CLASSES/Zoo.uc"] {
        let place = Place::with(&["m/cat_d.3d", "m/cat_a.3d"]);
        place.script(script, &[["Tom", "m\\cat_d.3d", "m\\cat_a.3d"], ["Tim", "no_d.3d", "no_a.3d"]]);
        assert_eq!(place.found("m/cat_d.3d"), ["m/cat_d.3d", "m/cat_a.3d", script, "Tom"]);
    }
    let place = Place::with(&["Models/Key/Key_d.3d", "Models/Key/Key_a.3d"]);
    place.script("Classes/Locks.uc", &[["Key", "Models\\Key\\Key_d.3d", "MODELS\\Key\\Key_a.3d"]]);
    for file in ["Models/Key/Key_d.3d", "Classes/Locks.uc"] {
        assert_eq!(
            place.found(file),
            ["Models/Key/Key_d.3d", "Models/Key/Key_a.3d", "Classes/Locks.uc", "Key"],
            "{file}"
        );
    }
    // A script with the stem of the file comes first. The others are sorted by name.
    let place = Place::with(&["m/cat_d.3d", "m/cat_a.3d"]);
    place.script("Classes/Cat.uc", &[["third", "cat_d.3d", "cat_a.3d"]]);
    place.script("m/b.uc", &[["second", "cat_d.3d", "cat_a.3d"]]);
    place.script("m/a.uc", &[["first", "cat_d.3d", "cat_a.3d"]]);
    assert_eq!(place.found("m/cat_d.3d")[3], "third");
    fs::remove_file(place.at("Classes/Cat.uc")).unwrap();
    assert_eq!(place.found("m/cat_d.3d")[3], "first");
}

#[test]
fn keeps_to_its_folder_where_a_script_means_another_file() {
    let place = Place::with(&["Models/cat_d.3d", "Models/cat_a.3d", "Old/cat_d.3d", "Old/cat_a.3d"]);
    place.script("Classes/Cat.uc", &[["Cat", "Models\\cat_d.3d", "Models\\cat_a.3d"]]);
    assert_eq!(place.found("Old/cat_d.3d")[1], "Old/cat_a.3d");
    assert_eq!(place.found("Classes/Cat.uc")[1], "Models/cat_a.3d");
}

#[test]
fn takes_a_script_of_the_stem_that_names_other_files() {
    let meshes: [[&str; 3]; 3] =
        [["car", "M\\f360_d.3d", "M\\f360_a.3d"], ["UFO", "u_d.3d", "u_a.3d"], ["sr71", "s_d.3d", "s_a.3d"]];
    for (stem, meshes, mesh) in [
        ("Owner-repo__F360", &meshes[..], "car"),
        ("Owner-repo__F360.0123abcd", &meshes[..], "car"),
        ("ufo", &meshes[..], "UFO"),
        ("a b-SR71", &meshes[..], "sr71"),
        ("anything", &meshes[..1], "car"),
        ("anything", &meshes[..], ""),
        ("xF360", &meshes[..], ""),
    ] {
        let files = [format!("{stem}_d.3d"), format!("{stem}_a.3d")];
        let place = Place::with(&[&files[0], &files[1]]);
        let script = format!("{stem}.uc");
        place.script(&script, meshes);
        let expected = [&*files[0], &files[1], if mesh.is_empty() { "" } else { &script }, mesh];
        assert_eq!(place.found(&files[0]), expected, "{stem}");
        assert_eq!(place.found(stem), expected, "{stem}");
        match mesh {
            "" => assert_eq!(place.error(&script).kind().id(), "missing"),
            _ => assert_eq!(place.found(&script), expected),
        }
        let pair = Finder::new().find_mesh(&place.at(&files[1]), b"CAR").unwrap();
        assert_eq!((pair.mesh.unwrap(), pair.named), (b"car".to_vec(), Some(PairFile::Aniv)));
    }
}

#[test]
fn finds_the_files_of_each_mesh_of_a_script() {
    let place =
        Place::with(&["Models/a_d.3d", "Models/a_a.3d", "Models/Sub/b_D.3D", "Models/Sub/b_A.3D", "c_d.3d", "c_a.3d"]);
    place.script(
        "Classes/Zoo.uc",
        &[
            ["A", "MODELS\\A_d.3d", "MODELS\\A_a.3d"],
            ["B", "Models\\sub\\..\\sub\\b_d.3d", ".\\Models\\sub\\b_a.3d"],
            ["C", "Other\\Folder\\c_d.3d", "..\\c_a.3d"],
            ["D", "MODELS\\d_d.3d", "MODELS\\d_a.3d"],
            ["E", "old/a_d.3d", "..\\Models\\a_a.3d"],
        ],
    );
    let mut finder = Finder::new();
    let script = place.at("Classes/Zoo.uc");
    let pairs = finder.find(&script).unwrap();
    let shown: Vec<_> = pairs.iter().map(|pair| place.shown(pair)).collect();
    assert_eq!(
        shown,
        [
            ["Models/a_d.3d", "Models/a_a.3d", "Classes/Zoo.uc", "A"],
            ["Models/Sub/b_D.3D", "Models/Sub/b_A.3D", "Classes/Zoo.uc", "B"],
            ["Models/a_d.3d", "Models/a_a.3d", "Classes/Zoo.uc", "E"],
        ]
    );
    assert!(pairs.iter().all(|pair| pair.named == Some(PairFile::Script)));
    let kinds: Vec<_> = finder
        .imports(&script)
        .unwrap()
        .iter()
        .map(|one| one.found.as_ref().err().map(|error| error.kind().id()))
        .collect();
    assert_eq!(kinds, [None, None, Some("missing"), Some("missing"), None]);
    assert_eq!(place.shown(&finder.find_mesh(&script, b"b").unwrap())[3], "B");
    let error = finder.find_mesh(&script, b"F").unwrap_err();
    assert_eq!(error.message().to_string(), "expected one of A, B, C, D, E, found \"F\"");
    let error = finder.find_mesh(&script, b"d").unwrap_err();
    assert!(error.to_string().contains("data_file: expected MODELS\\d_d.3d for mesh D, found none"), "{error}");
    let error = place.error("Classes/Zoo.uc");
    assert_eq!(error.message().to_string(), "expected one of A, B, E, found no mesh name");
}

#[test]
fn takes_the_last_import_of_a_name() {
    let place = Place::with(&["a_d.3d", "a_a.3d", "b_d.3d", "b_a.3d"]);
    place.script("x.uc", &[["M", "a_d.3d", "a_a.3d"], ["m", "b_d.3d", "b_a.3d"]]);
    assert_eq!(place.found("x.uc"), ["b_d.3d", "b_a.3d", "x.uc", "m"]);
}

#[test]
fn names_what_is_missing() {
    let place = Place::with(&["cat_d.3d", "dog_a.3d", "odd.3d", "other.obj", "empty.uc"]);
    for (file, text) in [
        ("cat_d.3d", "expected cat_a.3d in the same folder, found none"),
        ("cat", "expected cat_a.3d in the same folder, found none"),
        ("dog_a.3d", "expected dog_d.3d in the same folder, found none"),
        ("dog", "expected dog_d.3d in the same folder, found none"),
        ("fish", "expected fish_d.3d and fish_a.3d, or fish.uc, found none"),
        ("empty.uc", "expected a mesh that the script imports, found none"),
        ("odd.3d", "expected a name that ends in _d.3d or _a.3d, or a script that imports the file, found none"),
        ("other.obj", "expected a name that ends in _d.3d or _a.3d, or a script that imports the file, found none"),
    ] {
        let error = place.error(file);
        assert_eq!((error.message().to_string().as_str(), error.kind().id()), (text, "missing"), "{file}");
        assert!(error.path().unwrap().starts_with(place.0.path()));
    }
    for file in ["none_d.3d", "none.uc", "none/cat"] {
        assert_eq!(place.error(file).kind().id(), "io", "{file}");
    }
    fs::create_dir(place.at("cat_a.3d")).unwrap();
    assert_eq!(place.error("cat_d.3d").kind().id(), "missing");
    assert_eq!(place.error("cat_a.3d").kind().id(), "not-regular");
    let error = Finder::new().find_mesh(&place.at("cat_d.3d"), b"cat").unwrap_err();
    assert_eq!(error.kind().id(), "choice");
}

/// Paths that must not reach the secret file outside of the package.
const HOSTILE: [&str; 21] = [
    "..\\secret_d.3d",
    "../secret_d.3d",
    "..\\..\\secret_d.3d",
    "Models\\..\\..\\secret_d.3d",
    "Models/..\\../secret_d.3d",
    "\\secret_d.3d",
    "/etc/secret_d.3d",
    "\\\\host\\share\\secret_d.3d",
    "//host/share/secret_d.3d",
    "\\\\?\\C:\\secret_d.3d",
    "C:\\secret_d.3d",
    "C:secret_d.3d",
    "Models\\C:\\secret_d.3d",
    "a_d.3d:stream",
    "CON",
    "NUL.3d",
    "Models\\AUX.3d",
    "com1",
    "a_d.3d.",
    "a_d.3d ",
    "... \\secret_d.3d",
];

#[test]
fn never_leads_outside() {
    for folder in ["Package", "Package/Classes"] {
        for path in HOSTILE {
            // From `Classes`, a single step up stays inside the package, and no such file exists
            // there.
            let inside =
                folder.ends_with("Classes") && path.matches("..").count() <= 1 + path.matches("Models").count();
            let answer = if inside && path.contains("..") && !path.starts_with("...") { "missing" } else { "outside" };
            let place = Place::with(&["secret_d.3d", "secret_a.3d", "Package/Models/a_d.3d", "Package/a_a.3d"]);
            let script = format!("{folder}/X.uc");
            for meshes in [["M", path, "a_a.3d"], ["M", "Models\\a_d.3d", path]] {
                place.script(&script, &[meshes]);
                assert_eq!(place.error(&script).kind().id(), answer, "{path} from {folder}");
            }
        }
    }
    let place = Place::with(&["secret_d.3d", "secret_a.3d", "Package/Models/x"]);
    for path in ["%2e%2e\\secret_d.3d", "%2e%2e%5csecret_d.3d", "..\\secret_d.3d"] {
        place.script("Package/Classes/X.uc", &[["M", path, path]]);
        assert_eq!(place.error("Package/Classes/X.uc").kind().id(), "missing", "{path}");
    }
    let absolute = place.at("secret_d.3d");
    place.script("Package/X.uc", &[["M", absolute.to_str().unwrap(), absolute.to_str().unwrap()]]);
    assert_eq!(place.error("Package/X.uc").kind().id(), "outside");
}

#[test]
fn takes_the_partner_beside_where_a_script_leads_outside() {
    let place = Place::with(&["secret_a.3d", "P/Models/a_d.3d", "P/Models/a_a.3d"]);
    place.script("P/Classes/X.uc", &[["M", "Models\\a_d.3d", "..\\..\\secret_a.3d"]]);
    assert_eq!(place.found("P/Models/a_d.3d"), ["P/Models/a_d.3d", "P/Models/a_a.3d", "P/Classes/X.uc", "M"]);
    fs::remove_file(place.at("P/Models/a_a.3d")).unwrap();
    assert_eq!(place.error("P/Models/a_d.3d").kind().id(), "missing");
}

#[test]
#[cfg(unix)]
fn follows_no_link_outside() {
    use std::os::unix::fs::symlink;
    let place = Place::with(&["out/secret_d.3d", "out/secret_a.3d", "P/Models/a_d.3d", "P/Models/a_a.3d"]);
    symlink(place.at("out"), place.at("P/Models/link")).unwrap();
    symlink("../../out/secret_d.3d", place.at("P/Models/file_d.3d")).unwrap();
    symlink("a_d.3d", place.at("P/Models/inside_d.3d")).unwrap();
    symlink("loop_d.3d", place.at("P/Models/loop_d.3d")).unwrap();
    for (data, answer) in [
        ("Models\\link\\secret_d.3d", "outside"),
        ("Models\\file_d.3d", "outside"),
        ("file_d.3d", "outside"),
        ("Models\\loop_d.3d", "missing"),
    ] {
        place.script("P/Classes/X.uc", &[["M", data, "Models\\a_a.3d"]]);
        assert_eq!(place.error("P/Classes/X.uc").kind().id(), answer, "{data}");
    }
    place.script("P/Classes/X.uc", &[["M", "Models\\inside_d.3d", "Models\\a_a.3d"]]);
    assert_eq!(place.found("P/Classes/X.uc")[0], "P/Models/inside_d.3d");
}

/// Found by fuzzing: a script's name for the other file led through a link in the folder of the
/// named file to a file outside.
#[test]
#[cfg(unix)]
fn follows_no_link_beside_the_file_that_a_script_names() {
    use std::os::unix::fs::symlink;
    let place = Place::with(&["out/secret_d.3d", "P/Models/a_a.3d", "P/Models/real_d.3d", "P/other_d.3d"]);
    symlink("../../out/secret_d.3d", place.at("P/Models/link_d.3d")).unwrap();
    symlink("real_d.3d", place.at("P/Models/near_d.3d")).unwrap();
    symlink("../other_d.3d", place.at("P/Models/root_d.3d")).unwrap();
    for (data, found) in [("link_d.3d", None), ("near_d.3d", Some("near_d.3d")), ("root_d.3d", Some("root_d.3d"))] {
        for folder in ["Models\\", "..\\..\\..\\", "C:\\"] {
            place.script("P/Classes/X.uc", &[["M", &format!("{folder}{data}"), "Gone\\a_a.3d"]]);
            match found {
                Some(name) => assert_eq!(place.found("P/Models/a_a.3d")[0], format!("P/Models/{name}"), "{folder}"),
                None => assert_eq!(place.error("P/Models/a_a.3d").kind().id(), "outside", "{folder}"),
            }
        }
    }
    // The file with the same stem is not named by the script.
    fs::copy(place.at("P/Models/real_d.3d"), place.at("P/Models/a_d.3d")).unwrap();
    place.script("P/Classes/X.uc", &[["M", "Models\\link_d.3d", "Models\\a_a.3d"]]);
    assert_eq!(place.found("P/Models/a_a.3d")[..2], ["P/Models/a_d.3d", "P/Models/a_a.3d"]);
}

/// A link may be inside the folders of one script and lead outside the folder of another. Both
/// scripts give the same answer, whichever is searched first.
#[test]
#[cfg(unix)]
fn a_link_is_judged_for_each_script() {
    let place = Place::with(&["m/other/x_d.3d", "m/other/x_a.3d", "m/sub/x_a.3d"]);
    std::os::unix::fs::symlink("../other", place.at("m/sub/link")).unwrap();
    place.script("m/Classes/A.uc", &[["M", "sub\\link\\x_d.3d", "other\\x_a.3d"]]);
    place.script("m/sub/B.uc", &[["M", "link\\x_d.3d", "x_a.3d"]]);
    for order in [["m/Classes/A.uc", "m/sub/B.uc"], ["m/sub/B.uc", "m/Classes/A.uc"]] {
        let mut finder = Finder::default();
        for script in order {
            let found = finder.find(&place.at(script)).map(|pairs| place.shown(&pairs[0])[0].clone());
            let found = found.map_err(|error| error.kind().id());
            let expected = if script == "m/sub/B.uc" { Err("outside") } else { Ok("m/sub/link/x_d.3d".to_owned()) };
            assert_eq!(found, expected, "{script}");
        }
    }
}

#[test]
fn keeps_to_the_limits() {
    let place = Place::with(&["a_d.3d", "a_a.3d", "b_d.3d", "b_a.3d"]);
    place.write("a.uc", &"x".repeat(200));
    let kind = |limits: &Limits, file: &str| {
        Finder::with_limits(limits).find(&place.at(file)).map_err(|error| error.kind().id()).err()
    };
    assert_eq!(kind(&Limits::default().with_items(4), "a_d.3d"), Some("limit"));
    let limits = Limits::default().with_script(100);
    // A script with another stem is skipped.
    assert_eq!((kind(&limits, "a_d.3d"), kind(&limits, "b_d.3d")), (Some("limit"), None));
    assert_eq!(kind(&Limits::default(), "a_d.3d"), None);
}

#[test]
fn searches_only_the_smaller_scripts_of_a_folder_with_too_many_bytes() {
    let place = Place::with(&["a_d.3d", "a_a.3d"]);
    place.script("small.uc", &[["Small", "a_d.3d", "a_a.3d"]]);
    let find = |limits: &Limits| Finder::with_limits(limits).find(&place.at("a_d.3d")).unwrap().remove(0);
    let limits = Limits::default().with_script(1000);
    for number in 0..5 {
        place.write(&format!("large{number}.uc"), &"x".repeat(1000));
    }
    // The first script in the order of names imports the mesh, but is among the largest.
    place.script("first.uc", &[["First", "a_d.3d", "a_a.3d"]]);
    let script = fs::read_to_string(place.at("first.uc")).unwrap();
    place.write("first.uc", &format!("{script:\n<1000}"));
    assert_eq!(place.shown(&find(&limits))[2], "small.uc");
    (0..5).for_each(|number| fs::remove_file(place.at(&format!("large{number}.uc"))).unwrap());
    assert_eq!(place.shown(&find(&limits))[2], "first.uc");
}

/// Two hundred scripts of 16 MiB without any text would take seconds to read.
#[test]
fn reads_no_gigabytes_of_scripts() {
    let place = Place::with(&["a_d.3d", "a_a.3d"]);
    for number in 0..200 {
        fs::File::create(place.at(&format!("s{number}.uc"))).unwrap().set_len(16 << 20).unwrap();
    }
    place.script("z.uc", &[["Mesh", "a_d.3d", "a_a.3d"]]);
    let start = Stopwatch::start();
    assert_eq!(place.found("a_d.3d")[2], "z.uc");
    assert!(start.elapsed().as_secs() < 2, "{:?}", start.elapsed());
}

#[test]
fn finds_many_in_linear_time() {
    let place = Place::with(&[]);
    let meshes: Vec<_> = (0..20_000).map(|number| format!("m{number}")).collect();
    let line = |mesh: &String| format!("#exec MESH IMPORT MESH={mesh} ANIVFILE={mesh}_a.3d DATAFILE={mesh}_d.3d\n");
    place.write("many.uc", &meshes.iter().map(line).collect::<String>());
    for mesh in &meshes[..200] {
        place.write(&format!("{mesh}_d.3d"), "");
        place.write(&format!("{mesh}_a.3d"), "");
    }
    let started = Stopwatch::start();
    let mut finder = Finder::new();
    assert_eq!(finder.find(&place.at("many.uc")).unwrap().len(), 200);
    for mesh in &meshes[..200] {
        let pair = &finder.find(&place.at(&format!("{mesh}_d.3d"))).unwrap()[0];
        assert_eq!(pair.mesh.as_deref(), Some(mesh.as_bytes()));
    }
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
}

#[test]
fn finds_every_real_pair() {
    let Some(folder) = crate::support::corpus("unreal") else { return };
    let mut finder = Finder::new();
    let (mut pairs, mut scripts) = (0, 0);
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if let Some(stem) = name.strip_suffix("_d.3d").or_else(|| name.strip_suffix("_a.3d")) {
            check_real(&mut finder, &folder, stem, &path);
            check_real(&mut finder, &folder, stem, &folder.join(stem));
            pairs += 1;
        } else if let Some(stem) = name.strip_suffix(".uc") {
            let pair = check_real(&mut finder, &folder, stem, &path);
            assert!(pair.mesh.is_some(), "{stem}");
            let data = check_real(&mut finder, &folder, stem, &folder.join(format!("{stem}_d.3d")));
            assert_eq!((data.script.as_deref(), &data.mesh), (Some(&*path), &pair.mesh));
            scripts += 1;
        }
    }
    assert_eq!((pairs, scripts), (622, 38));
}

fn check_real(finder: &mut Finder, folder: &Path, stem: &str, path: &Path) -> Pair {
    let pairs = finder.find(path).unwrap();
    let [data, aniv] = ["d", "a"].map(|part| folder.join(format!("{stem}_{part}.3d")));
    assert_eq!(pairs.len(), 1, "{}", path.display());
    assert_eq!((&pairs[0].data, &pairs[0].aniv), (&data, &aniv));
    pairs[0].clone()
}
