//! Files of 3D programs and of other games.

use super::kinds::{ForeignKind, Sign, kind};
use super::signs;

const IMPORT: &str = "open it in Blender, or import it into the UNIGINE Editor, which makes a `.mesh` of it";
const BLENDER: &str = "open it in Blender";
const ADD_ON: &str = "import it into Blender with an add-on for this format";
const ASSIMP: &str = "convert it with assimp, or open it in f3d";
const QUAKE: &str = "open it in a model editor for Quake, such as Noesis or MilkShape 3D";
const AUTODESK: &str = "open it in the program that made it and export FBX, or a format that meshpeek reads";
const MMD: &str = "import it into Blender with the add-on mmd_tools";
const MESH_TOOLS: &str = "open it in Gmsh, or convert it with meshio";

pub(super) const KINDS: &[ForeignKind] = &[
    kind(
        ["a Blender file", "Blender files"],
        &["blend", "blend1"],
        Sign::Magic(&[b"BLENDER"]),
        "open it in Blender and export the mesh",
    ),
    kind(
        ["a compressed Blender file", "Blender files"],
        &["blend", "blend1"],
        Sign::Weak(|bytes| bytes.starts_with(b"\x28\xb5\x2f\xfd") || bytes.starts_with(b"\x1f\x8b")),
        "open it in Blender and export the mesh",
    ),
    kind(
        ["a COLLADA document", "COLLADA documents"],
        &["dae"],
        Sign::Root(&[b"COLLADA"]),
        "the uploader of a Second Life viewer and the UNIGINE Editor import it; Blender before 5.0 opens it",
    ),
    kind(["binary FBX", "FBX files"], &["fbx"], Sign::Magic(&[b"Kaydara FBX Binary"]), IMPORT),
    kind(["FBX text", "FBX files"], &["fbx"], Sign::Text(&[b"; FBX "]), IMPORT),
    kind(["a VRM avatar (glTF)", "VRM avatars"], &["vrm"], Sign::Weak(|bytes| bytes.starts_with(b"glTF")), ADD_ON),
    kind(["binary glTF", "glTF files"], &["glb"], Sign::Magic(&[b"glTF"]), IMPORT),
    kind(["a glTF document", "glTF files"], &["gltf"], Sign::Test(signs::is_gltf), IMPORT),
    kind(["a Wavefront OBJ", "Wavefront OBJ files"], &["obj"], Sign::Test(signs::is_obj), IMPORT),
    kind(
        ["an OBJ material library", "OBJ material libraries"],
        &["mtl"],
        Sign::Name,
        "open its `.obj` file in Blender",
    ),
    kind(["a PLY", "PLY files"], &["ply"], Sign::Magic(&[b"ply\n", b"ply\r\n"]), BLENDER),
    kind(["STL text", "STL files"], &["stl"], Sign::Test(signs::is_stl_text), IMPORT),
    kind(["a binary STL", "STL files"], &["stl"], Sign::Test(signs::is_binary_stl), IMPORT),
    kind(["a 3D Studio mesh (3DS)", "3DS files"], &["3ds"], Sign::Test(signs::is_3ds), ASSIMP),
    kind(["a 3ds Max scene", "3ds Max scenes"], &["max"], Sign::Weak(signs::is_compound), AUTODESK),
    kind(["a Maya scene (text)", "Maya scenes"], &["ma"], Sign::Text(&[b"//Maya ASCII"]), AUTODESK),
    kind(["a Maya scene (binary)", "Maya scenes"], &["mb"], Sign::Test(signs::is_maya_binary), AUTODESK),
    kind(["a DirectX mesh (X file)", "DirectX meshes"], &["x"], Sign::Magic(&[b"xof 03"]), ASSIMP),
    kind(["a MilkShape 3D model", "MilkShape 3D models"], &["ms3d"], Sign::Magic(&[b"MS3D000000"]), ASSIMP),
    kind(["a Blitz3D model", "Blitz3D models"], &["b3d"], Sign::Magic(&[b"BB3D"]), ASSIMP),
    kind(["a LightWave object", "LightWave objects"], &["lwo"], Sign::Test(signs::is_lightwave), ASSIMP),
    kind(["a LightWave scene", "LightWave scenes"], &["lws"], Sign::Text(&[b"LWSC"]), ASSIMP),
    kind(["a Cinema 4D scene", "Cinema 4D scenes"], &["c4d"], Sign::Magic(&[b"QC4DC4D6"]), AUTODESK),
    kind(["a SketchUp model", "SketchUp models"], &["skp"], Sign::Magic(&[b"\xff\xfe\xff\x0eS\0k\0e\0"]), AUTODESK),
    kind(
        ["a Houdini scene or geometry", "Houdini files"],
        &["hip", "hipnc", "bgeo"],
        Sign::Magic(&[b"bgeo"]),
        AUTODESK,
    ),
    kind(["a ZBrush file", "ZBrush files"], &["zpr", "ztl"], Sign::Name, AUTODESK),
    kind(
        ["a Valve StudioMDL source (SMD)", "SMD files"],
        &["smd", "vta"],
        Sign::Test(signs::is_smd),
        "import it into Blender with the add-on Blender Source Tools",
    ),
    kind(["a Quake 2 model (MD2)", "MD2 models"], &["md2"], Sign::Magic(&[b"IDP2"]), ASSIMP),
    kind(["a Quake 3 model (MD3)", "MD3 models"], &["md3"], Sign::Magic(&[b"IDP3"]), ASSIMP),
    kind(["a Quake model (MDL)", "Quake models (MDL)"], &[], Sign::Magic(&[b"IDPO"]), QUAKE),
    kind(
        ["a Half-Life or Source model (MDL)", "Half-Life and Source models (MDL)"],
        &["mdl"],
        Sign::Magic(&[b"IDST", b"IDSQ"]),
        "decompile it with Crowbar, and import the SMD files into Blender",
    ),
    kind(["a Doom 3 mesh (MD5)", "Doom 3 meshes (MD5)"], &["md5mesh"], Sign::Weak(is_md5), ASSIMP),
    kind(["a Doom 3 animation (MD5)", "Doom 3 animations (MD5)"], &["md5anim"], Sign::Weak(is_md5), ASSIMP),
    kind(["a Doom 3 mesh or animation (MD5)", "Doom 3 files (MD5)"], &["md5camera"], Sign::Test(is_md5), ASSIMP),
    kind(
        ["an Inter-Quake model (IQM)", "Inter-Quake models (IQM)"],
        &["iqm"],
        Sign::Magic(&[b"INTERQUAKEMODEL\0"]),
        ASSIMP,
    ),
    kind(
        ["an Inter-Quake export (IQE)", "Inter-Quake exports (IQE)"],
        &["iqe"],
        Sign::Text(&[b"# Inter-Quake Export"]),
        "compile it with the tool `iqm`, and open the `.iqm` file in f3d",
    ),
    kind(["a Quake level (BSP)", "Quake levels (BSP)"], &["bsp"], Sign::Magic(&[b"IBSP", b"VBSP"]), QUAKE),
    kind(
        ["a Gamebryo or NetImmerse model (NIF)", "NIF models"],
        &["nif", "kf"],
        Sign::Magic(&[b"Gamebryo File Format", b"NetImmerse File Format"]),
        "open it in NifSkope, or import it into Blender with the add-on PyNifly",
    ),
    kind(["a MikuMikuDance model (PMX)", "PMX models"], &["pmx"], Sign::Magic(&[b"PMX "]), MMD),
    kind(["a MikuMikuDance model (PMD)", "PMD models"], &["pmd"], Sign::Weak(|bytes| bytes.starts_with(b"Pmd")), MMD),
    kind(["a MikuMikuDance motion (VMD)", "VMD motions"], &["vmd"], Sign::Magic(&[b"Vocaloid Motion Data"]), MMD),
    kind(
        ["a BVH motion capture", "BVH motion captures"],
        &["bvh"],
        Sign::Text(&[b"HIERARCHY"]),
        "Blender imports it, and a Second Life viewer uploads it as an animation",
    ),
    kind(["a MEDIT mesh", "MEDIT meshes"], &["mesh"], Sign::Test(signs::is_medit), MESH_TOOLS),
    kind(["a binary MEDIT mesh", "MEDIT meshes"], &["meshb", "mesh"], Sign::Test(signs::is_binary_medit), MESH_TOOLS),
    kind(["a Gmsh mesh", "Gmsh meshes"], &["msh"], Sign::Text(&[b"$MeshFormat"]), MESH_TOOLS),
    kind(["a VTK file", "VTK files"], &["vtk", "vtp", "vtu"], Sign::Text(&[b"# vtk DataFile"]), "open it in ParaView"),
    kind(["an OFF mesh", "OFF meshes"], &["off"], Sign::Weak(is_off), "open it in MeshLab"),
    kind(
        ["a compressed mesh (Draco)", "Draco meshes"],
        &["drc"],
        Sign::Magic(&[b"DRACO"]),
        "decode it with draco_decoder",
    ),
    kind(["a compressed mesh (OpenCTM)", "OpenCTM meshes"], &["ctm"], Sign::Magic(&[b"OCTM"]), "open it in MeshLab"),
    kind(["an Alembic scene", "Alembic scenes"], &["abc"], Sign::Magic(&[b"Ogawa"]), BLENDER),
    kind(
        ["a USD scene", "USD scenes"],
        &["usd", "usda", "usdc", "usdz"],
        Sign::Magic(&[b"PXR-USDC", b"#usda "]),
        BLENDER,
    ),
    kind(
        ["a 3D printing document (3MF)", "3MF documents"],
        &["3mf"],
        Sign::Name,
        "open it in a slicer, or in Blender with an add-on",
    ),
    kind(["an X3D scene", "X3D scenes"], &["x3d", "x3dv"], Sign::Root(&[b"X3D"]), BLENDER),
    kind(["a VRML scene", "VRML scenes"], &["wrl"], Sign::Text(&[b"#VRML "]), ASSIMP),
    kind(["a Cal3D file", "Cal3D files"], &["cmf", "csf", "caf"], Sign::Magic(&[b"CMF\0", b"CSF\0", b"CAF\0"]), ADD_ON),
    kind(
        ["a CAD document (STEP)", "STEP documents"],
        &["step", "stp"],
        Sign::Text(&[b"ISO-10303-21"]),
        "open it in FreeCAD",
    ),
];

fn is_md5(bytes: &[u8]) -> bool {
    signs::text_starts_with(bytes, &[b"MD5Version "])
}

fn is_off(bytes: &[u8]) -> bool {
    signs::text_starts_with(bytes, &[b"OFF", b"COFF", b"NOFF"])
}
