//! Prints the description of a file as text.

use std::io::{self, Write};
use std::path::Path;

use anstyle::Style;

use super::size::{print_bounds, print_size};
use crate::model::{BlockSummary, Counts};
use crate::program::describe::clips::ClipSummary;
use crate::program::describe::fields::{Fields, InfoPart};
use crate::program::describe::file_summary::FileSummary;
use crate::program::formats::{SurfaceLod, SurfaceSummary};
use crate::program::output::{bytes, count, counted, decimals, mesh_suffix, print_findings, shown, thousands};
use crate::{Format, Name, Severity};

/// The maximum number of surfaces, of clips, of names and of findings that are printed without the
/// option `--verbose`.
const LISTED: usize = 16;
/// The maximum number of bones of a clip that are printed without the option `--verbose`.
const LISTED_BONES: usize = 6;
/// The maximum number of materials that are collected.
const MAX_MATERIALS: usize = 256;
/// The width of the headings of the lines.
const HEADING: usize = 9;

/// The text for what is not known because a file was not inflated.
pub const NOT_INFLATED: &str = "not inflated";

/// The output of `info` for people.
pub struct TextReport<'a> {
    pub summary: &'a FileSummary,
    pub fields: &'a Fields,
    pub verbose: bool,
}

/// Prints a line with a heading.
pub fn line(out: &mut dyn Write, heading: &str, text: &str) -> io::Result<()> {
    writeln!(out, "  {heading:<HEADING$}  {text}")
}

impl TextReport<'_> {
    /// Prints the description. `mesh` is the name that a script gives to the mesh.
    pub fn print(&self, out: &mut dyn Write, path: &Path, mesh: Option<&str>) -> io::Result<()> {
        let bold = Style::new().bold();
        writeln!(out, "{bold}{}{}{bold:#}", shown(path), mesh_suffix(mesh))?;
        let summary = self.summary;
        if self.fields.has(InfoPart::Format) {
            let FileSummary { format, version, touched, .. } = summary;
            let name = format.parse().map_or(*format, |format: Format| format.description().title);
            let read = if self.verbose { format!(", {} read", bytes(*touched)) } else { String::new() };
            line(out, "format", &format!("{name} {version}, {}{read}", bytes(summary.bytes)))?;
        }
        if self.fields.has(InfoPart::Size) {
            print_size(out, summary)?;
            print_bounds(out, summary)?;
        }
        if !summary.is_animation {
            self.print_counts(out)?;
        }
        self.print_rig(out)?;
        if !summary.is_animation {
            self.print_levels(out)?;
            if let Some(physics) = summary.physics.as_deref().filter(|_| self.fields.has(InfoPart::Lods)) {
                line(out, "physics", physics)?;
            }
            self.print_materials(out)?;
        }
        self.print_clips(out)?;
        for (heading, remark) in
            summary.remarks.iter().filter(|(heading, _)| self.verbose || ["moves", "level"].contains(heading))
        {
            line(out, heading, remark)?;
        }
        if self.fields.names(InfoPart::Properties) {
            line(out, "properties", "in the output of --json")?;
        }
        if self.verbose {
            print_details(out, summary, self.fields)?;
        } else if self.fields.names(InfoPart::Rig) {
            print_skeleton(out, summary)?;
        }
        self.print_findings(out)
    }

    /// Returns the maximum number of items of a list.
    const fn listed(&self, default: usize) -> usize {
        if self.verbose { usize::MAX } else { default }
    }

    fn print_counts(&self, out: &mut dyn Write) -> io::Result<()> {
        let summary = self.summary;
        if !summary.is_inflated() {
            return Ok(());
        }
        if self.fields.has(InfoPart::Triangles) {
            line(out, "triangles", &thousands(summary.triangles()))?;
        }
        if self.fields.has(InfoPart::Vertices) {
            line(out, "vertices", &self.vertices())?;
            if let Some((frames, _)) = summary.vertex_frames {
                line(out, "frames", &format!("{}, each with its own positions", counted(frames, "vertex frame")))?;
            }
        }
        if self.fields.has(InfoPart::Surfaces) {
            self.print_surfaces(out)?;
        }
        Ok(())
    }

    /// Describes the vertices in the file and on a GPU.
    fn vertices(&self) -> String {
        let summary = self.summary;
        let [positions, attributes] = summary.stored_vertices();
        let has_streams = summary
            .own_counts()
            .any(|counts| counts.index_widths[1] > 0 && counts.attribute_vertices != counts.vertices);
        let stored = if has_streams {
            format!("{}, {} with normals and UVs", counted(positions, "position"), counted(attributes, "vertex"))
        } else {
            thousands(positions)
        };
        let gpu = summary.gpu().map(|gpu| format!("{} on a GPU ({})", thousands(gpu.vertices), bytes(gpu.bytes())));
        match gpu {
            Some(gpu) => format!("{stored}; {gpu}"),
            None => format!("{stored} (--gpu counts those on a GPU)"),
        }
    }

    fn print_surfaces(&self, out: &mut dyn Write) -> io::Result<()> {
        let summary = self.summary;
        let total = summary.surface_count();
        line(out, "surfaces", &count(total))?;
        let shown = summary.surfaces.iter().take(self.listed(LISTED));
        let names: Vec<String> = shown.clone().map(surface_name).collect();
        let width = names.iter().map(|name| name.chars().count()).max().unwrap_or_default().min(32);
        for (surface, name) in shown.zip(&names) {
            writeln!(out, "    {:>5}  {name:<width$}  {}", surface.index, surface_text(surface, self.verbose))?;
        }
        print_rest(out, total, self.listed(LISTED))
    }

    fn print_rig(&self, out: &mut dyn Write) -> io::Result<()> {
        let [_, _, not_listed] = self.summary.left_out_blocks;
        let bones = self.summary.bones.len().saturating_add(not_listed);
        if !self.fields.has(InfoPart::Rig) {
            return Ok(());
        }
        let has_frames = self.summary.vertex_frames.is_some_and(|(frames, _)| frames > 1);
        match bones {
            0 if !self.summary.is_inflated() => line(out, "rigged", NOT_INFLATED),
            0 if has_frames => line(out, "rigged", "no; its vertex frames move it"),
            0 => line(out, "rigged", "no"),
            _ if self.summary.is_animation => line(out, "bones", &count(bones)),
            _ if self.summary.is_inflated() && !self.summary.is_rigged() => {
                line(out, "rigged", &format!("no; {} without weights", counted(bones, "bone")))
            }
            _ => line(out, "rigged", &format!("yes, {}", counted(bones, "bone"))),
        }
    }

    fn print_levels(&self, out: &mut dyn Write) -> io::Result<()> {
        let (blocks, named) = (&self.summary.described.blocks, &self.summary.levels);
        if self.fields.has(InfoPart::Lods) && !named.is_empty() {
            line(out, "LODs", &count(named.len()))?;
            for level in named {
                let [triangles, surfaces] = [counted(level.triangles, "triangle"), counted(level.surfaces, "surface")];
                writeln!(out, "    {:<10}  {triangles}, {surfaces}", level.name)?;
            }
            return Ok(());
        }
        if !self.fields.has(InfoPart::Lods) || blocks.is_empty() {
            return if self.fields.names(InfoPart::Lods) { line(out, "LODs", "none") } else { Ok(()) };
        }
        let levels: Vec<_> = blocks.iter().filter(|block| block.is_lod).collect();
        line(out, "LODs", &levels.len().to_string())?;
        for block in levels.iter().take(self.listed(LISTED)) {
            let asset = block.asset.map(|asset| format!("asset {asset}, ")).unwrap_or_default();
            let counts = block.inflated.as_ref().and_then(|inflated| inflated.counts);
            let triangles = counts.map(|(_, triangles)| format!("{}, ", counted(triangles, "triangle")));
            writeln!(out, "    {asset}{:<10}  {}{}", block.name, triangles.unwrap_or_default(), bytes(block.bytes))?;
        }
        print_rest(out, levels.len(), self.listed(LISTED))
    }

    fn print_materials(&self, out: &mut dyn Write) -> io::Result<()> {
        if !self.fields.has(InfoPart::Materials) {
            return Ok(());
        }
        let names = self.summary.materials(MAX_MATERIALS);
        if names.is_empty() {
            return line(out, "materials", "none");
        }
        line(out, "materials", &list(names.iter().copied(), names.len(), self.listed(LISTED)))
    }

    fn print_clips(&self, out: &mut dyn Write) -> io::Result<()> {
        let clips = &self.summary.clips;
        if !self.fields.has(InfoPart::Clips) || clips.is_empty() {
            return if self.fields.names(InfoPart::Clips) { line(out, "clips", "none") } else { Ok(()) };
        }
        line(out, "clips", &count(clips.len()))?;
        for (index, clip) in clips.iter().enumerate().take(self.listed(LISTED)) {
            let name = Name::new(clip.name.as_bytes()).to_string();
            let name = if name.is_empty() { "(no name)" } else { &name };
            writeln!(out, "    {index:>5}  {name}: {}", self.clip_text(clip))?;
        }
        print_rest(out, clips.len(), self.listed(LISTED))
    }

    fn clip_text(&self, clip: &ClipSummary) -> String {
        let ClipSummary { frames, bones, rate, seconds, moved, .. } = clip;
        let frames = counted(*frames, "frame");
        let length = match (seconds, rate) {
            (Some(seconds), Some(rate)) => format!("{} s ({frames} at {rate} per second)", decimals(*seconds, 3)),
            _ => format!("{frames}, no rate"),
        };
        match moved {
            Some(moved) => {
                let names = list(self.summary.bone_names(moved), moved.len(), self.listed(LISTED_BONES));
                format!("{length}, moves {}: {names}", counted(moved.len(), "bone"))
            }
            None if *bones > 0 => format!("{length}, moves {}", counted(*bones, "bone")),
            None => length,
        }
    }

    fn print_findings(&self, out: &mut dyn Write) -> io::Result<()> {
        let findings = &self.summary.findings;
        if !self.fields.has(InfoPart::Findings) || findings.is_empty() {
            return if self.fields.names(InfoPart::Findings) { line(out, "findings", "none") } else { Ok(()) };
        }
        let of = |severity| findings.iter().filter(|finding| finding.severity == severity).count();
        let counts = [(Severity::Error, "error"), (Severity::Warning, "warning"), (Severity::Info, "info")];
        let counts = counts.iter().filter(|(severity, _)| of(*severity) > 0);
        let counts: Vec<String> = counts.map(|(severity, name)| counted(of(*severity), name)).collect();
        line(out, "findings", &counts.join(", "))?;
        let listed = findings.len().min(self.listed(LISTED));
        print_findings(out, findings.get(..listed).unwrap_or_default(), &self.summary.files)?;
        print_rest(out, findings.len(), listed)
    }
}

/// Prints the details of the chosen parts.
fn print_details(out: &mut dyn Write, summary: &FileSummary, fields: &Fields) -> io::Result<()> {
    if let Some(sphere) = summary.sphere.filter(|_| fields.has(InfoPart::Size)) {
        let [x, y, z] = sphere.center;
        line(out, "sphere", &format!("radius {} around ({x}, {y}, {z})", sphere.radius))?;
    }
    if fields.has(InfoPart::Lods) {
        print_blocks(out, &summary.described.blocks)?;
    }
    if fields.has(InfoPart::Rig) { print_skeleton(out, summary) } else { Ok(()) }
}

/// Prints the bones, if there are any.
fn print_skeleton(out: &mut dyn Write, summary: &FileSummary) -> io::Result<()> {
    if summary.bones.is_empty() {
        return Ok(());
    }
    line(out, "skeleton", &counted(summary.bones.len(), "bone"))?;
    for (index, (name, parent)) in summary.bones.iter().enumerate() {
        let parent = usize::try_from(*parent).ok().and_then(|parent| Some(&summary.bones.get(parent)?.0));
        let parent = parent.map(|parent| format!(", child of {}", Name::new(parent.as_bytes())));
        writeln!(out, "    {index:>5}  {}{}", Name::new(name.as_bytes()), parent.unwrap_or_default())?;
    }
    Ok(())
}

/// Prints the compressed blocks of a file, with their stored sizes and their inflated sizes.
fn print_blocks(out: &mut dyn Write, blocks: &[BlockSummary]) -> io::Result<()> {
    if blocks.is_empty() {
        return Ok(());
    }
    let inflated = blocks.iter().filter(|block| block.inflated.is_some()).count();
    line(out, "blocks", &format!("{}, {inflated} inflated", blocks.len()))?;
    for block in blocks {
        let asset = block.asset.map(|asset| format!("asset {asset}, ")).unwrap_or_default();
        write!(out, "    {asset}{}: {}", block.name, bytes(block.bytes))?;
        match (&block.inflated, block.ratio()) {
            (Some(inflated), Some(ratio)) => {
                write!(out, ", inflated {} ({ratio:.2} times)", bytes(inflated.bytes))?;
                match inflated.counts {
                    Some((submeshes, triangles)) => {
                        writeln!(out, ", {}, {}", counted(submeshes, "submesh"), counted(triangles, "triangle"))?;
                    }
                    None => writeln!(out)?,
                }
            }
            _ => writeln!(out, ", not inflated")?,
        }
    }
    Ok(())
}

/// Returns the name of a surface, with its level of detail.
fn surface_name(surface: &SurfaceSummary) -> String {
    let asset = surface.in_block.and_then(|in_block| in_block.asset);
    let asset = asset.map(|asset| format!("asset {asset}, ")).unwrap_or_default();
    // The name itself has the number of a level of detail.
    let lod = match surface.lod {
        Some(SurfaceLod::Block(lod)) => format!("{asset}{lod}, "),
        Some(SurfaceLod::Number(_)) | None => String::new(),
    };
    format!("{lod}{}", Name::new(surface.name.as_bytes()))
}

/// Describes a surface in a few words.
fn surface_text(surface: &SurfaceSummary, verbose: bool) -> String {
    let Counts { vertices, attribute_vertices, corners, index_widths, .. } = surface.counts;
    let mut parts = vec![counted(corners / 3, "triangle")];
    if !surface.style.is_empty() {
        parts.push(surface.style.clone());
    } else if !surface.is_whole {
        parts.extend([counted(vertices, "vertex"), "not inflated".to_owned()]);
    } else {
        if attribute_vertices != vertices {
            parts.push(counted(vertices, "position"));
        }
        parts.push(counted(attribute_vertices, "vertex"));
        if verbose {
            let [first, second] = index_widths;
            parts.push(format!("{first}-byte and {second}-byte indices"));
        }
        parts.extend(extras(&surface.counts, surface.colors_are_data));
    }
    if !surface.drawn && !surface.is_counted {
        parts.push("not drawn".to_owned());
    }
    let material = surface.material.as_deref().filter(|material| *material != surface.name);
    parts.extend(material.map(|material| format!("material {}", Name::new(material.as_bytes()))));
    parts.join(", ")
}

/// Describes the attributes of a surface.
fn extras(counts: &Counts, colors_are_data: bool) -> Vec<String> {
    let mut parts = vec![match counts.uv_sets {
        0 => "no UVs".to_owned(),
        sets => counted(sets, "UV set"),
    }];
    let colors = if colors_are_data { "colours (data)" } else { "colours" };
    for (is_there, what) in [(counts.colors, colors), (counts.weights, "weights")] {
        if is_there {
            parts.push(what.to_owned());
        }
    }
    if counts.targets > 1 {
        parts.push(counted(counts.targets.saturating_sub(1), "morph target"));
    }
    parts
}

/// Returns names, separated by commas, with the number of those that are not listed.
fn list<'n>(names: impl Iterator<Item = &'n str>, count: usize, listed: usize) -> String {
    let text = names.take(listed).map(|name| Name::new(name.as_bytes()).to_string()).collect::<Vec<_>>().join(", ");
    match count.checked_sub(listed) {
        Some(rest) if rest > 0 => format!("{text} and {rest} more"),
        _ => text,
    }
}

/// Prints the number of items that are not listed.
pub fn print_rest(out: &mut dyn Write, total: usize, listed: usize) -> io::Result<()> {
    match total.checked_sub(listed) {
        Some(rest) if rest > 0 => {
            writeln!(out, "    and {} more (--verbose lists all)", count(rest))
        }
        _ => Ok(()),
    }
}
