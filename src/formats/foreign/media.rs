//! Images, sounds, archives, documents and programs.

use super::ANY_XML;
use super::kinds::{ForeignKind, Sign, kind};
use super::signs;

const IMAGE: &str = "name the mesh that it belongs to; `meshpeek view` draws a mesh with its textures";
const SOUND: &str = "name a mesh file instead";
const DOCUMENT: &str = "name a mesh file instead";
const PROGRAM: &str = "name a mesh file instead";

pub(super) const KINDS: &[ForeignKind] = &[
    kind(["a PNG image", "PNG images"], &["png", "apng"], Sign::Magic(&[b"\x89PNG\r\n\x1a\n"]), IMAGE),
    kind(["a JPEG image", "JPEG images"], &["jpg", "jpeg"], Sign::Magic(&[b"\xff\xd8\xff"]), IMAGE),
    kind(
        ["a JPEG 2000 image, as of Second Life textures", "JPEG 2000 images"],
        &["j2c", "jp2", "j2k", "jpc", "texture"],
        Sign::Magic(&[b"\xff\x4f\xff\x51", b"\0\0\0\x0cjP  \r\n\x87\n"]),
        "convert it with `opj_decompress`; the mesh is another asset",
    ),
    kind(["a GIF image", "GIF images"], &["gif"], Sign::Magic(&[b"GIF87a", b"GIF89a"]), IMAGE),
    kind(["a DDS texture", "DDS textures"], &["dds"], Sign::Magic(&[b"DDS "]), IMAGE),
    kind(
        ["a KTX texture", "KTX textures"],
        &["ktx", "ktx2"],
        Sign::Magic(&[b"\xabKTX 11\xbb", b"\xabKTX 20\xbb"]),
        IMAGE,
    ),
    kind(["a TGA image", "TGA images"], &["tga"], Sign::Weak(signs::is_tga), IMAGE),
    kind(["a PCX image", "PCX images"], &["pcx"], Sign::Weak(signs::is_pcx), IMAGE),
    kind(["a BMP image", "BMP images"], &["bmp"], Sign::Test(signs::is_bmp), IMAGE),
    kind(["a WebP image", "WebP images"], &["webp"], Sign::Test(|bytes| signs::is_riff(bytes, b"WEBP")), IMAGE),
    kind(["a TIFF image", "TIFF images"], &["tif", "tiff"], Sign::Magic(&[b"II*\0", b"MM\0*"]), IMAGE),
    kind(["an HDR image", "HDR images"], &["hdr"], Sign::Magic(&[b"#?RADIANCE\n", b"#?RGBE\n"]), IMAGE),
    kind(["an OpenEXR image", "OpenEXR images"], &["exr"], Sign::Magic(&[b"\x76\x2f\x31\x01"]), IMAGE),
    kind(["a Photoshop document", "Photoshop documents"], &["psd", "psb"], Sign::Magic(&[b"8BPS\0"]), IMAGE),
    kind(["a GIMP image", "GIMP images"], &["xcf"], Sign::Magic(&[b"gimp xcf "]), IMAGE),
    kind(["an icon", "icons"], &["ico", "icns"], Sign::Name, IMAGE),
    kind(["an SVG drawing", "SVG drawings"], &["svg"], Sign::Root(&[b"svg"]), IMAGE),
    kind(["a WAV sound", "sounds"], &["wav"], Sign::Test(|bytes| signs::is_riff(bytes, b"WAVE")), SOUND),
    kind(["an Ogg sound", "sounds"], &["ogg", "oga"], Sign::Magic(&[b"OggS"]), SOUND),
    kind(["an MP3 sound", "sounds"], &["mp3"], Sign::Magic(&[b"ID3\x02", b"ID3\x03", b"ID3\x04"]), SOUND),
    kind(["a FLAC sound", "sounds"], &["flac"], Sign::Magic(&[b"fLaC"]), SOUND),
    kind(
        ["a film", "films"],
        &["mp4", "webm", "avi", "mov"],
        Sign::Test(|bytes| signs::is_riff(bytes, b"AVI ")),
        SOUND,
    ),
    kind(
        ["a ZIP archive", "ZIP archives"],
        &["zip", "pk3", "pk4"],
        Sign::Magic(&[b"PK\x03\x04", b"PK\x05\x06"]),
        "unpack it with `unzip`, and name the files in it",
    ),
    kind(
        ["a gzip-compressed file", "gzip-compressed files"],
        &["gz", "tgz"],
        Sign::Magic(&[b"\x1f\x8b\x08"]),
        "unpack it with `gzip -dc FILE | meshpeek info -`",
    ),
    kind(
        ["a Zstandard-compressed file", "Zstandard-compressed files"],
        &["zst"],
        Sign::Magic(&[b"\x28\xb5\x2f\xfd"]),
        "unpack it with `zstd -dc FILE | meshpeek info -`",
    ),
    kind(
        ["an xz-compressed file", "xz-compressed files"],
        &["xz"],
        Sign::Magic(&[b"\xfd7zXZ\0"]),
        "unpack it with `xz -dc FILE | meshpeek info -`",
    ),
    kind(
        ["a bzip2-compressed file", "bzip2-compressed files"],
        &["bz2"],
        Sign::Test(signs::is_bzip2),
        "unpack it with `bzip2 -dc FILE | meshpeek info -`",
    ),
    kind(["a 7z archive", "7z archives"], &["7z"], Sign::Magic(&[b"7z\xbc\xaf\x27\x1c"]), "unpack it with `7z x FILE`"),
    kind(["a RAR archive", "RAR archives"], &["rar"], Sign::Magic(&[b"Rar!\x1a\x07"]), "unpack it with `unrar x FILE`"),
    kind(["a tar archive", "tar archives"], &["tar"], Sign::Test(signs::is_tar), "unpack it with `tar -xf FILE`"),
    kind(
        ["a game archive", "game archives"],
        &["pak", "wad", "vpk", "pck", "ung"],
        Sign::Magic(&[b"PACK", b"IWAD", b"PWAD", b"GDPC"]),
        "extract the mesh files with a tool of that game",
    ),
    kind(["a PDF document", "PDF documents"], &["pdf"], Sign::Magic(&[b"%PDF-"]), DOCUMENT),
    kind(
        ["a compound document, such as of 3ds Max or an office program", "compound documents"],
        &["doc", "xls", "msi"],
        Sign::Test(signs::is_compound),
        "open it in the program that made it",
    ),
    kind(["a NumPy array", "NumPy arrays"], &["npy"], Sign::Magic(&[b"\x93NUMPY"]), "open it with `numpy.load`"),
    kind(["an SQLite database", "SQLite databases"], &["db", "sqlite"], Sign::Magic(&[b"SQLite format 3\0"]), DOCUMENT),
    kind(
        ["a meshpeek sidecar", "meshpeek sidecars"],
        &["mpidx"],
        Sign::Name,
        "name its mesh; a sidecar is used if it lies next to the mesh",
    ),
    kind(["an ELF program", "programs"], &["so", "elf"], Sign::Magic(&[b"\x7fELF"]), PROGRAM),
    kind(["a Windows program", "programs"], &["exe", "dll"], Sign::Test(signs::is_windows_program), PROGRAM),
    kind(
        ["a macOS program", "programs"],
        &["dylib"],
        Sign::Magic(&[b"\xcf\xfa\xed\xfe", b"\xce\xfa\xed\xfe", b"\xca\xfe\xba\xbe"]),
        PROGRAM,
    ),
    kind(["a JSON document", "JSON files"], &["json"], Sign::Test(signs::is_json), DOCUMENT),
    kind(
        [ANY_XML, "XML documents"],
        &[],
        Sign::Test(|bytes| signs::xml_root(bytes).is_some()),
        "EZ-Mesh text has the root element MeshSystem, Mesh or SceneGraph",
    ),
    kind(["a text file", "text files"], &["md", "log", "csv", "ini", "cfg", "rtf"], Sign::Name, DOCUMENT),
    kind(
        ["source code", "source files"],
        &["c", "h", "cpp", "hpp", "cs", "py", "js", "rs", "lua", "hlsl", "glsl", "shader", "cginc", "sh", "bat"],
        Sign::Name,
        DOCUMENT,
    ),
];
