//! Files of game engines and of Second Life, and what a failed download or checkout leaves.

use super::kinds::{ForeignKind, Sign, kind, stand_in};
use super::signs;

const UE_VIEWER: &str =
    "export its meshes with UE Viewer (umodel), which writes `_d.3d` and `_a.3d` files of vertex meshes";
const UE_TEXTURES: &str = "export its textures with UE Viewer (umodel); the meshes are in `.u` files";
const UE_LATER: &str = "export its meshes with UE Viewer (umodel) as glTF or PSK, which Blender imports";
const UNREAL_EDITOR: &str = "open it in the Unreal Editor and export the mesh as glTF or FBX";
const UNITY: &str = "open the project in Unity and export the mesh, for example with its FBX Exporter";
const GODOT: &str = "open the project in Godot and export the scene as glTF";
const OGRE: &str = "convert it with OgreXMLConverter or assimp";
const PLAYED: &str = "only a viewer plays it; meshpeek reads the mesh assets that it moves";

const MOTION: [&str; 2] = ["a Second Life animation (keyframe motion)", "Second Life animations"];
/// An object of OpenSim in its XML format.
const OBJECT_XML: &[&[u8]] = &[b"SceneObjectGroup", b"CoalescedObject", b"SceneObjectPart", b"RootPart"];
/// The XML files of UNIGINE around its meshes.
const UNIGINE_ROOTS: &[&[u8]] = &[b"world", b"nodes", b"node", b"base_material"];

pub(super) const KINDS: &[ForeignKind] = &[
    stand_in(
        ["a Git LFS pointer", "Git LFS pointers"],
        &[],
        Sign::Magic(&[b"version https://git-lfs.github.com/spec/"]),
        "run `git lfs pull`",
    ),
    stand_in(
        ["an HTML page, such as the error page of a server", "HTML pages"],
        &["html", "htm"],
        Sign::Test(signs::is_html),
        "download the file again, and open it in a browser to see the error",
    ),
    stand_in(
        ["a file of zeros", "files of zeros"],
        &[],
        Sign::Test(signs::is_zeros),
        "the content was never written or is lost; fetch or export the file again",
    ),
    stand_in(
        ["Base64 text of a mesh", "Base64 texts of meshes"],
        &[],
        Sign::Test(signs::is_base64_of_mesh),
        "decode it with `base64 -d FILE | meshpeek info -`",
    ),
    stand_in(
        ["LLSD XML, a reply of a server", "LLSD XML files"],
        &["llsd"],
        Sign::Root(&[b"llsd"]),
        "a mesh asset is the body of a reply to GetMesh2 or ViewerAsset; save that body, or read the error in this file",
    ),
    stand_in(
        ["LLSD notation", "files of LLSD notation"],
        &[],
        Sign::Test(signs::is_llsd_notation),
        "a mesh asset is binary LLSD; save the body of the reply to GetMesh2 or ViewerAsset",
    ),
    kind(
        ["an OpenSimulator object (XML)", "OpenSimulator objects"],
        &[],
        Sign::Root(OBJECT_XML),
        "it names its meshes by UUID; fetch those mesh assets from the grid or its asset database",
    ),
    kind(
        ["a Second Life wearable or notecard", "Second Life wearables and notecards"],
        &[],
        Sign::Text(&[b"LLWearable version", b"Linden text version"]),
        "it has no mesh",
    ),
    kind(MOTION, &["anim", "animatn", "asset"], Sign::Weak(signs::is_motion_start), PLAYED),
    kind(MOTION, &[], Sign::Test(signs::is_keyframe_motion), PLAYED),
    kind(
        ["a Maya animation", "Maya animations"],
        &["anim"],
        Sign::Text(&[b"animVersion"]),
        "import it with Maya's plug-in animImportExport",
    ),
    kind(
        ["a Roblox mesh", "Roblox meshes"],
        &["mesh"],
        Sign::Text(&[b"version 1.", b"version 2.", b"version 3.", b"version 4.", b"version 5."]),
        "Roblox Studio exports its parts as OBJ",
    ),
    kind(
        ["an Unreal Engine 4 or 5 asset", "Unreal Engine 4 or 5 assets"],
        &["uasset", "umap", "uexp", "ubulk", "uproject", "uplugin"],
        Sign::Test(signs::is_late_unreal_package),
        UNREAL_EDITOR,
    ),
    kind(
        ["an Unreal texture package", "Unreal texture packages"],
        &["utx"],
        Sign::Weak(signs::is_unreal_package),
        UE_TEXTURES,
    ),
    kind(
        ["an Unreal sound or music package", "Unreal sound and music packages"],
        &["uax", "umx"],
        Sign::Weak(signs::is_unreal_package),
        "it holds no meshes; they are in `.u` files",
    ),
    kind(
        ["an Unreal level (package)", "Unreal levels"],
        &["unr", "ut2", "un2", "ut3"],
        Sign::Weak(signs::is_unreal_package),
        "the meshes of its actors are in `.u` files; export them with UE Viewer (umodel)",
    ),
    kind(
        ["an Unreal Engine 1 package", "Unreal Engine 1 packages"],
        &["u"],
        Sign::Test(signs::is_first_unreal_package),
        UE_VIEWER,
    ),
    kind(
        ["an Unreal Engine 2 or 3 package", "Unreal Engine 2 or 3 packages"],
        &["upk", "usx", "ukx", "xxx"],
        Sign::Test(signs::is_unreal_package),
        UE_LATER,
    ),
    kind(
        ["an Unreal skeletal mesh (ActorX PSK)", "Unreal skeletal meshes (PSK)"],
        &["psk", "pskx"],
        Sign::Magic(&[b"ACTRHEAD"]),
        "import it into Blender with the add-on io_scene_psk_psa",
    ),
    kind(
        ["an Unreal skeletal animation (ActorX PSA)", "Unreal skeletal animations (PSA)"],
        &["psa"],
        Sign::Magic(&[b"ANIMHEAD"]),
        "import it into Blender with the add-on io_scene_psk_psa, together with its `.psk` mesh",
    ),
    kind(
        ["Unreal text (T3D)", "Unreal texts (T3D)"],
        &["t3d"],
        Sign::Text(&[b"Begin Map", b"Begin Brush", b"Begin Polylist"]),
        "import it into an Unreal editor",
    ),
    kind(
        ["an Unreal script", "Unreal scripts"],
        &["uc"],
        Sign::Name,
        "name it together with the meshes that it imports",
    ),
    kind(
        ["a Unity description of an asset (.meta)", "Unity .meta files"],
        &[],
        Sign::Text(&[b"fileFormatVersion:"]),
        "Unity needs it beside the asset; the mesh is in the file of the same name without `.meta`",
    ),
    kind(
        ["a Unity asset (YAML text)", "Unity YAML files"],
        &["unity", "prefab", "asset", "anim", "mat", "controller", "overrideController", "physicMaterial"],
        Sign::Test(signs::is_unity_yaml),
        UNITY,
    ),
    kind(
        ["a Unity asset (binary)", "binary Unity files"],
        &["anim", "mesh", "asset", "mat", "prefab", "unity", "assets"],
        Sign::Test(signs::is_unity_serialized),
        UNITY,
    ),
    kind(
        ["a Unity asset bundle", "Unity asset bundles"],
        &["unity3d", "assetbundle"],
        Sign::Magic(&[b"UnityFS\0", b"UnityRaw\0", b"UnityWeb\0"]),
        "extract its meshes with a tool such as AssetStudio",
    ),
    kind(
        ["a Unity package", "Unity packages"],
        &["unitypackage"],
        Sign::Weak(|bytes| bytes.starts_with(b"\x1f\x8b\x08")),
        "import it into a Unity project",
    ),
    kind(
        ["YAML text", "YAML files"],
        &["yaml", "yml"],
        Sign::Text(&[b"%YAML"]),
        "it holds no mesh that meshpeek reads",
    ),
    kind(
        ["a Godot scene or resource (text)", "Godot text files"],
        &["tscn", "tres", "godot", "gd", "gdshader", "import"],
        Sign::Text(&[b"[gd_scene", b"[gd_resource"]),
        GODOT,
    ),
    kind(
        ["a Godot resource (binary)", "Godot binary resources"],
        &["scn", "res", "mesh"],
        Sign::Magic(&[b"RSRC", b"RSCC"]),
        GODOT,
    ),
    kind(
        ["Godot import settings", "Godot import settings"],
        &[],
        Sign::Text(&[b"[remap]\n", b"[remap]\r\n"]),
        "Godot needs it beside the asset; the mesh is in the file of the same name without `.import`",
    ),
    kind(
        ["an Ogre mesh", "Ogre meshes"],
        &["mesh"],
        Sign::Magic(&[b"\x00\x10[MeshSerializer_", b"\x10\x00[MeshSerializer_"]),
        OGRE,
    ),
    kind(
        ["an Ogre skeleton", "Ogre skeletons"],
        &[],
        Sign::Magic(&[b"\x00\x10[Serializer_", b"\x10\x00[Serializer_"]),
        OGRE,
    ),
    kind(["an Ogre mesh as XML", "Ogre XML meshes"], &[], Sign::Test(signs::is_ogre_xml_mesh), OGRE),
    kind(["an Ogre skeleton as XML", "Ogre XML skeletons"], &[], Sign::Test(signs::is_ogre_xml_skeleton), OGRE),
    kind(
        ["a Paradox mesh (Clausewitz engine)", "Paradox meshes"],
        &[],
        Sign::Magic(&[b"@@b@"]),
        "import it into Blender or Maya with the add-on io_pdx_mesh",
    ),
    kind(
        ["a UNIGINE world, node or material", "UNIGINE worlds, nodes and materials"],
        &["world", "node", "prop", "mgraph", "basemat"],
        Sign::Root(UNIGINE_ROOTS),
        "name the `.mesh` files of the project instead",
    ),
    kind(["a description of an asset (.meta)", ".meta files"], &["meta"], Sign::Name, "name the asset itself"),
];
