//! The files of a page: one page, or several pages and an index that lists their meshes.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::{PageMesh, PageStart, PageWriter, foot, head};
use crate::Error;
use crate::program::atomic_write::{PendingOutput, check_target};
use crate::program::commands::validate::uri;
use crate::program::outcome::UsageError;
use crate::program::output::base64;
use crate::program::output::shown;
use crate::program::output::xml_text;
use crate::program::picture::sheet_layout::numbered_path;

/// The greatest number of meshes on a page.
const MAX_MESHES: usize = 500;
/// The size of a page in bytes after which no further mesh is added.
const MAX_BYTES: u64 = 48 << 20;
/// The size of the buffer between a page and the system.
const BUFFER: usize = 256 << 10;

/// Writes a page, or several pages and an index if the page has too many meshes or bytes.
///
/// A file `meshes.html` is then the index of the pages `meshes-001.html`, `meshes-002.html` and so
/// on. All files get their names when the last one is complete.
pub struct PageFiles<'a> {
    /// The path of the page or the index, with symbolic links resolved.
    target: PathBuf,
    title: &'a str,
    start: &'a PageStart,
    force: bool,
    /// The greatest number of meshes on a page.
    most: usize,
    /// The page to which meshes are added.
    open: Option<OpenPage<'a>>,
    /// The complete pages, and their sizes.
    pages: Vec<(PendingOutput, u64)>,
    /// The index, if there are several pages.
    index: Option<PendingOutput>,
}

/// A page to which meshes are added.
struct OpenPage<'a> {
    writer: PageWriter<'a>,
    file: PendingOutput,
    tiles: Vec<IndexTile>,
}

impl<'a> PageFiles<'a> {
    /// Returns an error if a file exists at the path `output` and `force` is false.
    pub fn new(output: &Path, title: &'a str, start: &'a PageStart, force: bool) -> Result<Self, UsageError> {
        let (target, _) = check_target(output, force)?;
        Ok(Self { target, title, start, force, most: MAX_MESHES, open: None, pages: Vec::new(), index: None })
    }

    /// Adds a mesh. Returns the number of its page from 0, and the error if its geometry cannot be
    /// exported.
    pub fn add(&mut self, mesh: &PageMesh<'_>) -> anyhow::Result<(usize, Option<Error>)> {
        if let Some(full) = self.open.take_if(|page| page.writer.count >= self.most || page.writer.bytes >= MAX_BYTES) {
            self.end_page(full)?;
        }
        let mut page = self.open.take().map_or_else(|| self.new_page(), Ok)?;
        let mut error = None;
        page.file.write_part(&self.target, |out| {
            let mut buffer = BufWriter::with_capacity(BUFFER, out);
            error = page.writer.add(&mut buffer, mesh)?;
            Ok(buffer.flush()?)
        })?;
        let (name, path) = (mesh.name.clone(), shown(mesh.path));
        page.tiles.push(IndexTile { name, path, thumbnail: mesh.thumbnail.clone() });
        self.open = Some(page);
        Ok((self.pages.len(), error))
    }

    /// Completes all files. Returns the path and the size of the page, or of the index and of each
    /// page, or nothing if no mesh was added.
    pub fn finish(mut self) -> anyhow::Result<Vec<(PathBuf, u64)>> {
        let Some(mut last) = self.open.take() else { return Ok(Vec::new()) };
        if self.index.is_none() {
            last.file.write_part(&self.target, |out| Ok(last.writer.finish(out, None)?))?;
            let bytes = last.file.complete(&self.target)?;
            last.file.finish()?;
            return Ok(vec![(self.target, bytes)]);
        }
        self.end_page(last)?;
        let mut outputs = Vec::new();
        if let Some(index) = &mut self.index {
            index.write_part(&self.target, |out| Ok(write_index_end(out)?))?;
            outputs.push((self.target.clone(), index.complete(&self.target)?));
        }
        outputs.extend(self.pages.iter().enumerate().map(|(page, (_, bytes))| (self.path(page), *bytes)));
        // The index comes last, so that it never names a page that does not exist.
        PendingOutput::finish_all(self.pages.into_iter().map(|(file, _)| file).chain(self.index).collect())?;
        Ok(outputs)
    }

    /// Returns the path of a page, if there are several.
    fn path(&self, page: usize) -> PathBuf {
        numbered_path(&self.target, &format!("{:03}", page.saturating_add(1)))
    }

    fn new_page(&self) -> anyhow::Result<OpenPage<'a>> {
        let number = self.pages.len();
        // Whether there is a second page is not known until the first is full.
        let (path, title) = match number {
            0 => (self.target.clone(), self.title.to_owned()),
            _ => (self.path(number), format!("{}, page {}", self.title, number.saturating_add(1))),
        };
        let file = PendingOutput::create(&path, self.force)?;
        Ok(OpenPage { writer: PageWriter::new(title, self.start), file, tiles: Vec::new() })
    }

    /// Completes one of several pages, and adds its meshes to the index.
    fn end_page(&mut self, mut page: OpenPage<'a>) -> anyhow::Result<()> {
        let path = self.path(self.pages.len());
        let mut index = if let Some(index) = self.index.take() {
            index
        } else {
            page.file.choose_path(&path, self.force)?;
            let mut index = PendingOutput::create(&self.target, self.force)?;
            index.write_part(&self.target, |out| Ok(write_index_start(out, self.title, self.start)?))?;
            index
        };
        page.file.write_part(&path, |out| Ok(page.writer.finish(out, Some(&address(&self.target)))?))?;
        let bytes = page.file.complete(&path)?;
        let name = shown(Path::new(path.file_name().unwrap_or_default()));
        index.write_part(&self.target, |out| {
            let mut buffer = BufWriter::with_capacity(BUFFER, out);
            write_index_tiles(&mut buffer, &address(&path), &name, &page.tiles)?;
            Ok(buffer.flush()?)
        })?;
        self.pages.push((page.file, bytes));
        self.index = Some(index);
        Ok(())
    }
}

/// A mesh in the index.
struct IndexTile {
    name: String,
    /// The path of the mesh as text.
    path: String,
    /// A PNG file.
    thumbnail: Vec<u8>,
}

/// Writes the start of the index.
fn write_index_start(out: &mut dyn Write, title: &str, start: &PageStart) -> io::Result<()> {
    out.write_all(head(title, start).as_bytes())?;
    writeln!(out, "<header><h1>{}</h1></header>", xml_text(title))
}

/// Writes the tiles of the meshes of a page, in the order of the page. `address` is the relative
/// address of the page, and `name` the name of its file.
///
/// The pictures are lines of an element that the browser does not show. The script takes a line
/// when its tile comes into view.
fn write_index_tiles(out: &mut dyn Write, address: &str, name: &str, tiles: &[IndexTile]) -> io::Result<()> {
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
fn write_index_end(out: &mut dyn Write) -> io::Result<()> {
    out.write_all(foot("").as_bytes())
}

/// Returns the address of a file in the same folder.
fn address(path: &Path) -> String {
    uri(Path::new(path.file_name().unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{START, with_mesh};
    use super::*;

    /// Writes pages with two meshes each, and returns the names of the files.
    fn write(output: &Path, meshes: usize) -> anyhow::Result<Vec<String>> {
        with_mesh(Path::new("data/ezmesh/crate.ezm"), "a<b", |mesh| {
            let mut files = PageFiles::new(output, "Meshes", &START, false)?;
            files.most = 2;
            for number in 0..meshes {
                assert_eq!(files.add(mesh)?.0, number / 2);
            }
            let name = |(path, _): (PathBuf, u64)| path.file_name().unwrap().to_str().unwrap().to_owned();
            Ok(files.finish()?.into_iter().map(name).collect())
        })
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn meshes_beyond_a_page_make_several_pages_and_an_index() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("all 1.html");
        assert_eq!(write(&path, 0).unwrap(), [""; 0]);
        assert_eq!(write(&path, 2).unwrap(), ["all 1.html"]);
        let text = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
        assert!(!text("all 1.html").contains("id=\"index\""));
        std::fs::remove_file(&path).unwrap();
        let found = write(&path, 5).unwrap();
        assert_eq!(found, ["all 1.html", "all 1-001.html", "all 1-002.html", "all 1-003.html"]);
        let index = text("all 1.html");
        assert_eq!(index.matches("class=\"tile\"").count(), 5);
        assert_eq!(index.matches("<script").count(), 4);
        assert!(index.contains("href=\"all%201-003.html#mesh=0\"") && index.contains("<span>a&lt;b</span>"));
        for (page, meshes) in [("all 1-001.html", 2), ("all 1-002.html", 2), ("all 1-003.html", 1)] {
            let text = text(page);
            assert_eq!(text.matches("<article").count(), meshes, "{page}");
            assert!(text.contains("<a href=\"all%201.html\">All meshes</a>"), "{page}");
        }
    }

    #[test]
    fn no_file_is_replaced_and_none_is_left_after_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.html");
        for taken in ["x.html", "x-001.html", "x-002.html"] {
            let taken = folder.path().join(taken);
            std::fs::write(&taken, "mine").unwrap();
            let error = write(&path, 5).unwrap_err().to_string();
            assert!(error.contains("--force replaces it"), "{error}");
            assert_eq!(names(folder.path()).len(), 1);
            assert_eq!(std::fs::read(&taken).unwrap(), b"mine");
            std::fs::remove_file(&taken).unwrap();
        }
    }
}
