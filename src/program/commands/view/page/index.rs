//! Writes the index of several pages: a tile for each mesh, with a link to its page.

use std::io::{self, Write};

use super::start::PageStart;
use super::{foot, head};
use crate::program::output::{base64, xml_text};

/// A mesh in the index.
pub struct IndexTile {
    pub name: String,
    /// The path of the mesh as text.
    pub path: String,
    /// A PNG file.
    pub thumbnail: Vec<u8>,
}

/// Writes the start of the index.
pub fn write_start(out: &mut dyn Write, title: &str, start: &PageStart) -> io::Result<()> {
    out.write_all(head(title, start).as_bytes())?;
    writeln!(out, "<header><h1>{}</h1></header>", xml_text(title))
}

/// Writes the tiles of the meshes of a page, in the order of the page. `address` is the relative
/// address of the page, and `name` the name of its file.
///
/// The pictures are lines of an element that the browser does not show. The script takes a line
/// when its tile comes into view.
pub fn write_page(out: &mut dyn Write, address: &str, name: &str, tiles: &[IndexTile]) -> io::Result<()> {
    let address = xml_text(address);
    write!(out, "<section><h2><a href=\"{address}\">{}</a></h2><div class=\"tiles\">", xml_text(name))?;
    for (index, tile) in tiles.iter().enumerate() {
        let [name, path] = [&tile.name, &tile.path].map(|text| xml_text(text));
        writeln!(
            out,
            "<a class=\"tile\" href=\"{address}#mesh={index}\" title=\"{path}\" data-line=\"{index}\">\
             <img alt=\"\"><span>{name}</span></a>"
        )?;
    }
    write!(out, "</div><script type=\"application/octet-stream\" class=\"thumbnails\">")?;
    for tile in tiles {
        writeln!(out, "{}", base64(&tile.thumbnail))?;
    }
    writeln!(out, "</script></section>")
}

/// Writes the end of the index.
pub fn write_end(out: &mut dyn Write) -> io::Result<()> {
    out.write_all(foot("").as_bytes())
}
