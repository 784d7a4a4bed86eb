//! Files of other programs: named for what they are, and passed by in folders.

use std::fs;
use std::path::Path;

use crate::{code, command, json, meshpeek, scratch, text};

/// The bytes of a file of another program, with its usual name, a word of the name that the error
/// gives it, and a word of the advice.
type ForeignFile = (&'static str, Vec<u8>, &'static str, &'static str);

fn le(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// Returns a keyframe motion of Second Life that turns one joint.
fn keyframe_motion() -> Vec<u8> {
    let mut bytes = [1_u16.to_le_bytes(), 0_u16.to_le_bytes()].concat();
    bytes.extend(4_i32.to_le_bytes());
    bytes.extend(1.5_f32.to_le_bytes());
    bytes.push(0);
    bytes.extend([0.0_f32.to_le_bytes(), 1.5_f32.to_le_bytes()].concat());
    bytes.extend(le(&[1, 0x3e80_0000, 0x3e80_0000, 0, 1]));
    bytes.extend(b"mPelvis\0");
    bytes.extend(le(&[4, 0, 0, 0]));
    bytes
}

/// Returns bytes as Base64 text in lines of 76 characters.
fn base64(bytes: &[u8]) -> Vec<u8> {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = Vec::new();
    for three in bytes.chunks(3) {
        let bits = (0..3).fold(0_usize, |bits, at| bits << 8 | usize::from(*three.get(at).unwrap_or(&0)));
        let digits = [18, 12, 6, 0].map(|shift| DIGITS[bits >> shift & 63]);
        text.extend(&digits[..=three.len()]);
        text.extend(&b"=="[..3 - three.len()]);
    }
    text.chunks(76).flat_map(|line| [line, b"\n"].concat()).collect()
}

/// Returns a file of each kind.
#[allow(clippy::too_many_lines, reason = "a row for each kind")]
fn files() -> Vec<ForeignFile> {
    let unreal = |version: u32| [&[0xc1, 0x83, 0x2a, 0x9e][..], &le(&[version, 1, 64, 0, 0]), b"None\0"].concat();
    let late = [&[0xc1, 0x83, 0x2a, 0x9e][..], &(-7_i32).to_le_bytes(), &[0; 24]].concat();
    let stl = [&[b' '; 80][..], &le(&[2]), &[7; 100]].concat();
    let compound = [&b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"[..], &[0; 40]].concat();
    let tga = [&[0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 4, 0, 24, 0][..], &[9; 48]].concat();
    let bmp = [&b"BM"[..], &le(&[70, 0, 54, 40, 2, 2, 1]), &[0; 40]].concat();
    let program = [&b"MZ"[..], &[0; 58], &le(&[128]), &[0; 64], b"PE\0\0"].concat();
    let asset = fs::read("data/secondlife/arm.llmesh").unwrap();
    let unity =
        |object: &str| format!("%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n--- !u!1 &1\n{object}:\n").into_bytes();
    let text = |text: &str| text.as_bytes().to_vec();
    vec![
        ("Botpack.u", unreal(69), "an Unreal Engine 1 package", "umodel"),
        ("Skins.utx", unreal(69), "an Unreal texture package", "textures"),
        ("Sounds.uax", unreal(69), "an Unreal sound or music package", "no meshes"),
        ("Entry.unr", unreal(69), "an Unreal level", "umodel"),
        ("Later.upk", unreal(0x003b_0240), "an Unreal Engine 2 or 3 package", "umodel"),
        ("Box.uasset", late.clone(), "an Unreal Engine 4 or 5 asset", "Unreal Editor"),
        ("Level.umap", late, "an Unreal Engine 4 or 5 asset", "Unreal Editor"),
        ("box.psk", text("ACTRHEAD\0\0\0\0"), "an Unreal skeletal mesh (ActorX PSK)", "Blender"),
        ("box.psa", text("ANIMHEAD\0\0\0\0"), "an Unreal skeletal animation", "Blender"),
        ("box.md2", [b"IDP2".to_vec(), le(&[8, 64])].concat(), "Quake 2", "assimp"),
        ("box.md3", [b"IDP3".to_vec(), le(&[15, 0])].concat(), "Quake 3", "assimp"),
        ("box.mdl", [b"IDST".to_vec(), le(&[44, 0])].concat(), "a Half-Life or Source model", "Crowbar"),
        ("quake.mdl", [b"IDPO".to_vec(), le(&[6, 0])].concat(), "a Quake model", "editor"),
        ("box.md5mesh", text("MD5Version 10\ncommandline \"\"\n"), "a Doom 3 mesh", "assimp"),
        ("box.md5anim", text("MD5Version 10\ncommandline \"\"\n"), "a Doom 3 animation", "assimp"),
        ("box.iqm", [b"INTERQUAKEMODEL\0".to_vec(), le(&[2, 0])].concat(), "an Inter-Quake model", "assimp"),
        ("box.blend", text("BLENDER-v402RENDH"), "a Blender file", "Blender"),
        ("packed.blend", b"\x28\xb5\x2f\xfd\x04\x88\0\0".to_vec(), "a compressed Blender file", "Blender"),
        ("gzip.blend", b"\x1f\x8b\x08\0\0\0\0\0".to_vec(), "a compressed Blender file", "Blender"),
        ("box.dae", text("<?xml version=\"1.0\"?>\n<COLLADA version=\"1.4.1\"></COLLADA>"), "COLLADA", "uploader"),
        ("box.fbx", b"Kaydara FBX Binary  \0\x1a\0".to_vec(), "binary FBX", "UNIGINE Editor"),
        ("text.fbx", text("; FBX 7.4.0 project file\n"), "FBX text", "UNIGINE Editor"),
        ("box.glb", [b"glTF".to_vec(), le(&[2, 12])].concat(), "binary glTF", "Blender"),
        ("avatar.vrm", [b"glTF".to_vec(), le(&[2, 12])].concat(), "a VRM avatar", "add-on"),
        ("box.gltf", text("{\n  \"asset\": {\"version\": \"2.0\"}\n}"), "a glTF document", "Blender"),
        ("box.obj", text("# made\r\nmtllib a.mtl\r\nv 1 2 3\r\n"), "a Wavefront OBJ", "Blender"),
        ("box.ply", text("ply\nformat ascii 1.0\n"), "a PLY", "Blender"),
        ("text.stl", text("solid box\n facet normal 0 0 1\n"), "STL text", "Blender"),
        ("box.stl", stl, "a binary STL", "Blender"),
        ("box.3ds", [b"MM".to_vec(), le(&[64]), b"\x02\0".to_vec(), le(&[10, 3])].concat(), "3D Studio", "assimp"),
        ("box.max", compound.clone(), "a 3ds Max scene", "FBX"),
        ("notes.doc", compound, "a compound document", "program"),
        ("box.ma", text("//Maya ASCII 2024 scene\n"), "a Maya scene (text)", "FBX"),
        (
            "box.mb",
            [b"FOR4".to_vec(), vec![0, 0, 0, 16], b"MayaFOR4".to_vec()].concat(),
            "a Maya scene (binary)",
            "FBX",
        ),
        ("box.x", text("xof 0303txt 0032\n"), "a DirectX mesh", "assimp"),
        ("box.ms3d", text("MS3D000000\x04\0\0\0"), "a MilkShape 3D model", "assimp"),
        ("box.smd", text("version 1\nnodes\n0 \"root\" -1\nend\n"), "a Valve StudioMDL source", "Source Tools"),
        ("box.b3d", [b"BB3D".to_vec(), le(&[8, 1])].concat(), "a Blitz3D model", "assimp"),
        ("box.lwo", [b"FORM".to_vec(), vec![0, 0, 0, 9], b"LWO2".to_vec()].concat(), "a LightWave object", "assimp"),
        ("box.nif", text("Gamebryo File Format, Version 20.2.0.7\n"), "a Gamebryo or NetImmerse model", "NifSkope"),
        ("box.pmx", b"PMX \0\0\0\x40".to_vec(), "a MikuMikuDance model (PMX)", "mmd_tools"),
        ("box.pmd", b"Pmd\0\0\x80\x3f".to_vec(), "a MikuMikuDance model (PMD)", "mmd_tools"),
        ("sit.anim", keyframe_motion(), "a Second Life animation", "viewer"),
        ("walk.bvh", text("HIERARCHY\nROOT hip\n{\n"), "a BVH motion capture", "Second Life"),
        ("medit.mesh", text("MeshVersionFormatted 2\nDimension 3\n"), "a MEDIT mesh", "Gmsh"),
        ("medit.meshb", le(&[1, 2, 3, 20, 3, 4]), "a binary MEDIT mesh", "Gmsh"),
        ("ogre.mesh", b"\x00\x10[MeshSerializer_v1.100]\n".to_vec(), "an Ogre mesh", "OgreXMLConverter"),
        ("ogre.skeleton", b"\x00\x10[Serializer_v1.10]\n".to_vec(), "an Ogre skeleton", "assimp"),
        ("ogre.mesh.xml", text("<mesh>\n<submeshes>\n</submeshes></mesh>"), "an Ogre mesh as XML", "assimp"),
        ("Main.unity", unity("Scene"), "a Unity asset", "Unity"),
        ("Box.prefab", unity("GameObject"), "a Unity asset", "Unity"),
        ("Box.asset", unity("Mesh"), "a Unity asset", "Unity"),
        ("Walk.anim", unity("AnimationClip"), "a Unity asset", "Unity"),
        ("Red.mat", unity("Material"), "a Unity asset", "Unity"),
        ("Box.fbx.meta", text("fileFormatVersion: 2\nguid: 0f\n"), ".meta", "without `.meta`"),
        ("level.bundle", b"UnityFS\0\0\0\0\x08".to_vec(), "a Unity asset bundle", "AssetStudio"),
        ("main.tscn", text("[gd_scene load_steps=2 format=3]\n"), "a Godot scene", "Godot"),
        ("red.tres", text("[gd_resource type=\"Material\"]\n"), "a Godot scene or resource", "Godot"),
        ("godot.mesh", b"RSRC\0\0\0\0".to_vec(), "a Godot resource", "Godot"),
        ("object.asset", text("<SceneObjectGroup><RootPart/></SceneObjectGroup>"), "an OpenSimulator object", "UUID"),
        ("reply.xml", text("<?xml version=\"1.0\" ?><llsd><map></map></llsd>"), "LLSD XML", "GetMesh2"),
        ("reply.llsd", text("{'high_lod':{'offset':i0,'size':i9}}"), "LLSD notation", "GetMesh2"),
        ("stored.b64", base64(&asset), "Base64 text of a mesh", "base64 -d"),
        ("skin.j2c", b"\xff\x4f\xff\x51\0\x29".to_vec(), "a JPEG 2000 image", "opj_decompress"),
        ("skin.jp2", b"\0\0\0\x0cjP  \r\n\x87\n".to_vec(), "a JPEG 2000 image", "opj_decompress"),
        ("skin.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec(), "a PNG image", "meshpeek view"),
        ("skin.jpg", b"\xff\xd8\xff\xe0\0\x10JFIF".to_vec(), "a JPEG image", "meshpeek view"),
        ("skin.gif", b"GIF89a\x01\0\x01\0".to_vec(), "a GIF image", "meshpeek view"),
        ("skin.tga", tga, "a TGA image", "meshpeek view"),
        ("skin.dds", [b"DDS ".to_vec(), le(&[124])].concat(), "a DDS texture", "meshpeek view"),
        ("skin.bmp", bmp, "a BMP image", "meshpeek view"),
        ("skin.pcx", [vec![0x0a, 5, 1, 8], vec![0; 124]].concat(), "a PCX image", "meshpeek view"),
        ("skin.webp", [b"RIFF".to_vec(), le(&[20]), b"WEBPVP8 ".to_vec()].concat(), "a WebP image", "meshpeek view"),
        ("set.zip", b"PK\x03\x04\x14\0\0\0".to_vec(), "a ZIP archive", "unzip"),
        ("box.mesh.gz", b"\x1f\x8b\x08\0\0\0\0\0".to_vec(), "a gzip-compressed file", "gzip -dc"),
        ("set.7z", b"7z\xbc\xaf\x27\x1c\0\x04".to_vec(), "a 7z archive", "7z x"),
        ("set.rar", b"Rar!\x1a\x07\x01\0".to_vec(), "a RAR archive", "unrar"),
        ("page.html", text("\n<!DOCTYPE html><html>404</html>"), "an HTML page", "browser"),
        ("list.json", text("{\"files\": []}"), "a JSON document", "mesh file"),
        ("paper.pdf", text("%PDF-1.7\n"), "a PDF document", "mesh file"),
        ("tool", b"\x7fELF\x02\x01\x01\0".to_vec(), "an ELF program", "mesh file"),
        ("tool.exe", program, "a Windows program", "mesh file"),
        (
            "pointer.bin",
            text("version https://git-lfs.github.com/spec/v1\noid sha256:0f\n"),
            "a Git LFS pointer",
            "git lfs pull",
        ),
        ("zeros.bin", vec![0; 128], "a file of zeros", "fetch or export"),
        ("other.xml", text("<?xml version=\"1.0\"?><recipes></recipes>"), "an XML document", "MeshSystem"),
        ("brush.ztl", b"\x01\x02\x03\x04\x05".to_vec(), "by its name, a ZBrush file", "program"),
    ]
}

#[test]
fn every_kind_is_named_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let files = files();
    assert!(files.len() >= 45);
    for (name, bytes, word, advice) in &files {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        let path = path.to_str().unwrap();
        let output = meshpeek(&["info", path, "--json"]);
        let error = &json(&output)["files"][0]["error"];
        let message = error["message"].as_str().unwrap_or_default();
        assert!(message.contains(&format!("{name}: ")) && message.contains(word), "{name}: {message}");
        assert!(message.contains(advice) && message.lines().count() == 1, "{name}: {message}");
        assert!(code(&output) == 3 && error["format"] == "file" && error["kind"] == "unsupported", "{name}: {error}");
    }
    // Each verb prints one line and no finding of another format.
    for name in ["box.psk", "medit.mesh", "sit.anim", "Box.asset", "reply.xml", "box.stl", "stored.b64"] {
        let path = folder.path().join(name);
        let (path, out) = (path.to_str().unwrap(), folder.path().join("out.glb"));
        let out = out.to_str().unwrap();
        let output = meshpeek(&["validate", path, "--json"]);
        let checked = json(&output);
        let findings = checked["files"][0]["findings"].as_array().unwrap();
        assert!(matches!(&**findings, [only] if only["rule"] == "IO01"), "{name}: {findings:?}");
        for arguments in [
            &["validate", path][..],
            &["map", path],
            &["dump", path],
            &["diff", path, path],
            &["view", path, "-o", &out.replace("glb", "png")],
            &["convert", path, "-o", out],
            &["index", path],
            &["rewrite", path, "-o", out, "--force"],
        ] {
            let output = meshpeek(arguments);
            let message = text(&output.stderr);
            let lines = message.lines().filter(|line| line.contains("error: ")).count();
            let is_named = message.contains("meshpeek does not read") || message.contains("is not the mesh itself");
            assert!(code(&output) == 3 && is_named && lines == 1, "{arguments:?}: {message}");
        }
        assert!(!Path::new(out).exists());
    }
}

#[test]
fn standard_input_is_named_by_its_bytes() {
    let (_folder, path) = scratch("x.md3", b"IDP3\x0f\0\0\0");
    let output = command(&["info", "-"]).stdin(fs::File::open(path).unwrap()).output().unwrap();
    assert!(code(&output) == 3 && text(&output.stderr).contains("-: a Quake 3 model"), "{}", text(&output.stderr));
}

#[test]
fn a_folder_of_foreign_files_passes_them_by() {
    let folder = tempfile::tempdir().unwrap();
    let files = files();
    for (name, bytes, ..) in &files {
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    let path = folder.path().to_str().unwrap();
    let count = files.len();
    for verb in ["ls", "info", "validate"] {
        let output = meshpeek(&[verb, path]);
        let message = text(&output.stderr);
        assert!(code(&output) == 0 && message.lines().count() == 1, "{verb}: {message}");
        assert!(message.contains(&format!("no meshes; passed by {count} files: ")), "{verb}: {message}");
        let document = json(&meshpeek(&[verb, path, "--json"]));
        let number = if verb == "info" { &document["passed_by"] } else { &document["totals"]["passed_by"] };
        assert!(*number == count && document["files"].as_array().unwrap().is_empty(), "{verb}: {document}");
    }
    // What makes an output fails, and says how many files there are.
    let out = folder.path().join("out");
    let (out, png) = (out.to_str().unwrap(), format!("{}.png", out.to_str().unwrap()));
    for arguments in [
        &["view", path, "-o", &png][..],
        &["view", path, "--html", "-o", out],
        &["convert", path, "--to", "glb", "-o", out],
        &["index", path],
    ] {
        let output = meshpeek(arguments);
        let message = text(&output.stderr);
        assert!(code(&output) == 3 && message.contains(&format!("but {count} files")), "{arguments:?}: {message}");
        assert!(!Path::new(&png).exists() && !Path::new(out).exists());
    }
    // With a mesh, one line has their number, and -v their kinds.
    fs::copy("data/unigine/cube_ms13.mesh", folder.path().join("cube.mesh")).unwrap();
    for verb in ["ls", "info", "validate"] {
        let output = meshpeek(&[verb, path]);
        let message = text(&output.stdout) + &text(&output.stderr);
        let line = match verb {
            "info" => format!("passed by {count} files that are not meshes, 5 of them with the extensions of meshes"),
            _ => format!("{count} other files passed by"),
        };
        assert!(code(&output) == 0 && message.contains(&line) && !message.contains("PNG"), "{message}");
        let message = text(&meshpeek(&[verb, path, "-v"]).stderr);
        assert!(message.contains("5 Unity YAML files, "), "{message}");
        assert!(text(&meshpeek(&[verb, path, "-q"]).stderr).is_empty());
    }
    let converted = meshpeek(&["convert", path, "--to", "glb", "-o", out, "--json"]);
    assert!(code(&converted) == 0 && json(&converted)["passed_by"] == count, "{}", text(&converted.stderr));
    let drawn = meshpeek(&["view", path, "-o", &png, "--json"]);
    assert!(code(&drawn) == 0 && json(&drawn)["passed_by"] == count + 1, "{}", text(&drawn.stderr));
    // A broken mesh is still an error.
    let cut = &fs::read("data/unigine/cube_ms13.mesh").unwrap()[..40];
    fs::write(folder.path().join("cut.mesh"), cut).unwrap();
    for verb in ["ls", "info", "validate"] {
        let output = meshpeek(&[verb, path]);
        assert!(code(&output) == 3 && text(&output.stderr).contains("cut.mesh: unigine"), "{}", text(&output.stderr));
    }
}

/// Writes the files of a project, each with a text.
fn project(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    folder
}

#[test]
fn projects_of_other_engines_are_passed_by() {
    let unity = "%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n--- !u!1 &1\n";
    let meta = "fileFormatVersion: 2\nguid: 0f\n";
    let projects: [&[(&str, &str)]; 4] = [
        &[
            ("Assets/Main.unity", unity),
            ("Assets/Main.unity.meta", meta),
            ("Assets/Box.prefab", unity),
            ("Assets/Red.mat", unity),
            ("Assets/Red.mat.meta", meta),
            ("Assets/Walk.anim", unity),
            ("Assets/Box.asset", unity),
            ("Assets/Spin.cs", "class Spin {}\n"),
            ("ProjectSettings/ProjectSettings.asset", unity),
        ],
        &[
            ("Game.uproject", "{\n\t\"FileVersion\": 3\n}\n"),
            ("Config/DefaultEngine.ini", "[URL]\n"),
            ("Content/Box.uasset", "\u{1}\u{2}"),
            ("Content/Main.umap", "\u{1}\u{2}"),
        ],
        &[
            ("project.godot", "; Engine configuration file.\n"),
            ("main.tscn", "[gd_scene format=3]\n"),
            ("red.tres", "[gd_resource type=\"Material\"]\n"),
            ("box.mesh", "RSRC\0\0\0\0"),
            ("skin.png.import", "[remap]\n\nimporter=\"texture\"\n"),
        ],
        &[("box.blend", "BLENDER-v402"), ("box.blend1", "BLENDER-v402"), ("textures/skin.png", "\u{1}PNG")],
    ];
    for files in projects {
        let folder = project(files);
        let path = folder.path().to_str().unwrap();
        for verb in ["ls", "info", "validate"] {
            let output = meshpeek(&[verb, path]);
            let message = text(&output.stderr);
            assert!(code(&output) == 0 && message.contains(&format!("passed by {} files", files.len())), "{message}");
            assert!(!message.contains("other file"), "{message}");
        }
        fs::copy("data/ezmesh/flag.ezm", folder.path().join("flag.ezm")).unwrap();
        let output = meshpeek(&["validate", path]);
        assert_eq!(code(&output), 0, "{}", text(&output.stderr));
        fs::write(folder.path().join("cut.ezm"), "<MeshSystem name=\"a\">").unwrap();
        assert_eq!(code(&meshpeek(&["validate", path])), 3);
    }
}

#[test]
fn what_stands_in_for_a_mesh_is_an_error_in_a_folder() {
    let pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:0f\n";
    for (name, bytes, word) in [
        ("a.mesh", &pointer[..], "git lfs pull"),
        ("a.llmesh", b"<llsd><map /></llsd>", "LLSD XML"),
        ("a.ezm", b"", "empty"),
        ("a.mesh", &[0; 64], "zeros"),
        ("a.anim", b"<html></html>", "HTML"),
    ] {
        let (folder, _) = scratch(name, bytes);
        let output = meshpeek(&["validate", folder.path().to_str().unwrap()]);
        assert!(code(&output) == 3 && text(&output.stderr).contains(word), "{name}: {}", text(&output.stderr));
    }
}

#[test]
fn damaged_meshes_keep_their_errors() {
    let asset = fs::read("data/secondlife/arm.llmesh").unwrap();
    let cut = fs::read("data/ezmesh/flag.ezm").unwrap();
    for (name, bytes, part) in [
        ("a.llmesh", &asset[..30], "secondlife: header at byte"),
        ("a.dat", &asset[..30], "secondlife: header at byte"),
        ("a.ezm", &cut[..200], "ezmesh: "),
        ("a.ezm", b"<?xml version=\"1.0\"?><recipes></recipes>", "ezmesh: element at byte 21"),
        ("a.mesh", b"ms13", "unigine ms13: "),
        ("a.mesh", b"mi08", "UNIGINE 1.x"),
        ("a.mesh", b"what is this?", "file at byte 0: expected a mesh"),
        // Signs that other files have by chance do not count without the extension.
        ("a.mesh", &[0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 4, 0, 24, 0], "file at byte 0: expected a mesh"),
        ("a.mesh", b"\x0a\x05\x01\x08 and more", "file at byte 0: expected a mesh"),
        ("a.mesh", b"Pmd\0\0\x80\x3f and more", "file at byte 0: expected a mesh"),
    ] {
        let (_folder, path) = scratch(name, bytes);
        let output = meshpeek(&["info", &path]);
        assert!(code(&output) == 3 && text(&output.stderr).contains(part), "{name}: {}", text(&output.stderr));
    }
    // A mesh under the name of another program's file is a mesh.
    let (_folder, path) = scratch("cube.png", &fs::read("data/unigine/cube_ms13.mesh").unwrap());
    assert_eq!(code(&meshpeek(&["info", &path])), 0);
}
