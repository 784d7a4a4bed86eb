//! Selects the commands of a script that are about one mesh.

// Rule: this file sorts and maps by copies only.

use std::borrow::Cow;

use super::command::{Command, Verb};
use super::file::Commands;
use super::statements::{
    DropFrames, Import, LodParams, Notify, Origin, Sequence, SetTexture, Statement, TextureImport,
};
use crate::error::Cause;
use crate::error::debug::{items, short_debug, text};
use crate::parse::Name;

/// The maximum number of mesh names in an error message.
const MAX_NAMES: usize = 32;

/// The selection of the commands of a script that are about one mesh.
///
/// A `Selected` has no lifetime parameter and can be stored together with its
/// [`Script`](super::Script). The function [`Script::mesh`](super::Script::mesh) makes a
/// [`MeshScript`] from a `Selected`.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Selected {
    name: Box<[u8]>,
    import: Option<usize>,
    origin: Option<usize>,
    scale: Option<usize>,
    lod_params: Option<usize>,
    drop_frames: Option<usize>,
    sequences: Vec<usize>,
    /// The function calls (`MESH NOTIFY` commands): the place of the sequence in `sequences` and
    /// the index of the command, sorted. A call without a sequence has a place past the last one.
    notifies: Vec<(usize, usize)>,
    /// The textures of the mesh, sorted by texture index. Each item of `textures` has the texture
    /// index, the index of the last command that sets a texture for this texture index, and the
    /// index of the command that imports the texture.
    textures: Vec<(i64, usize, Option<usize>)>,
}

short_debug!(Selected: |selected| {
    name: text(&selected.name), sequences: items(&selected.sequences), notifies: items(&selected.notifies),
    textures: items(&selected.textures),
});

impl Selected {
    /// Returns the name by which the mesh was selected.
    #[must_use]
    pub fn name(&self) -> Name<'_> {
        Name::new(&self.name)
    }

    pub(super) fn new(commands: Commands<'_>, mesh: &[u8]) -> Self {
        let mut selected = [Self { name: mesh.into(), ..Self::default() }];
        gather(commands, &mut selected);
        let [selected] = selected;
        selected
    }

    /// Finds the commands about every imported mesh. Each mesh name appears once in the returned
    /// vector, in the order of the first imports.
    pub(super) fn all(commands: Commands<'_>) -> Vec<Self> {
        let imported = commands.iter().filter_map(Import::of).enumerate();
        let mut names: Vec<_> = imported.map(|(order, import)| (lower(import.mesh), order, import.mesh)).collect();
        names.sort_by(|(one, first, _), (other, second, _)| one.cmp(other).then(first.cmp(second)));
        names.dedup_by(|(name, ..), (before, ..)| name == before);
        names.sort_by_key(|(_, order, _)| *order);
        let each = names.into_iter().map(|(_, _, name)| Self { name: name.as_bytes().into(), ..Self::default() });
        let mut all: Vec<_> = each.collect();
        gather(commands, &mut all);
        all
    }

    fn add(&mut self, command: &Command<'_>, index: usize) {
        match command.verb() {
            Verb::MeshImport => self.import = Some(index),
            Verb::MeshOrigin => self.origin = Some(index),
            Verb::MeshMapScale => self.scale = Some(index),
            Verb::MeshLodParams => self.lod_params = Some(index),
            Verb::MeshDropFrames => self.drop_frames = Some(index),
            Verb::MeshSequence => self.sequences.push(index),
            Verb::MeshNotify => self.notifies.push((usize::MAX, index)),
            Verb::MeshMapSetTexture => {
                self.textures.push((command.integer("NUM").unwrap_or_default(), index, None));
            }
            Verb::MeshMapNew | Verb::TextureImport | Verb::Other => {}
        }
    }

    /// Finds the sequence of each function call. Keeps only the last texture for each texture
    /// index, and finds the command that imports the texture.
    fn settle(&mut self, commands: Commands<'_>, imports: &ImportNames) {
        let sequence = |index| lower(commands.get(index).and_then(|command| command.value("SEQ")).unwrap_or_default());
        if !self.notifies.is_empty() {
            let places = self.sequences.iter().enumerate();
            let mut names: Vec<_> = places.map(|(place, index)| (sequence(*index), place)).collect();
            names.sort_unstable();
            for (place, index) in &mut self.notifies {
                let name = sequence(*index);
                let first = names.partition_point(|(known, _)| *known < name);
                let found = names.get(first).filter(|(known, _)| *known == name);
                *place = found.map_or(usize::MAX, |(_, place)| *place);
            }
            self.notifies.sort_unstable();
        }
        self.textures.sort_unstable_by_key(|(number, index, _)| (*number, std::cmp::Reverse(*index)));
        self.textures.dedup_by_key(|(number, ..)| *number);
        self.textures.shrink_to_fit();
        for (_, index, import) in &mut self.textures {
            let name = commands.get(*index).and_then(|command| command.value("TEXTURE"));
            *import = name.and_then(|name| imports.find(name));
        }
    }
}

/// Adds each command to the selection for the mesh that the command is about. `gather` makes one
/// pass over the commands, with a binary search for each command.
fn gather(commands: Commands<'_>, selected: &mut [Selected]) {
    let mut names: Vec<_> =
        selected.iter().enumerate().map(|(slot, one)| (lower(Name::new(&one.name)), slot)).collect();
    names.sort();
    let find = |name: &[u8]| {
        let found = names.binary_search_by(|(known, _)| (**known).cmp(name)).ok()?;
        names.get(found).map(|(_, slot)| *slot)
    };
    let maps = Maps::new(commands);
    for (index, command) in commands.iter().enumerate() {
        let Some(name) = about(&command).map(lower) else { continue };
        let own = find(&name);
        let bound = command.verb().is_of_map().then(|| maps.mesh_of(&name).and_then(find)).flatten();
        for slot in own.into_iter().chain(bound.filter(|bound| Some(*bound) != own)) {
            if let Some(selected) = selected.get_mut(slot) {
                selected.add(&command, index);
            }
        }
    }
    let textured = selected.iter().any(|one| !one.textures.is_empty());
    let imports = if textured { ImportNames::new(commands) } else { ImportNames(Vec::new()) };
    for one in selected {
        one.settle(commands, &imports);
    }
}

/// A table that gives the name of the mesh for the name of a mesh map. All names in the table are
/// in lower case. If a mesh map is defined twice, the last `MESHMAP NEW` command is used.
struct Maps(Vec<(Lower, usize, Lower)>);

/// A copy of a name in lower case.
type Lower = Box<[u8]>;

impl Maps {
    fn new(commands: Commands<'_>) -> Self {
        let new = commands.iter().enumerate().filter(|(_, command)| command.verb() == Verb::MeshMapNew);
        let bound = |(index, command): (usize, Command<'_>)| {
            Some((lower(command.value("MESHMAP")?), index, lower(command.value("MESH")?)))
        };
        let mut maps: Vec<_> = new.filter_map(bound).collect();
        maps.sort();
        Self(maps)
    }

    fn mesh_of(&self, map: &[u8]) -> Option<&[u8]> {
        let end = self.0.partition_point(|(known, ..)| **known <= *map);
        let (known, _, mesh) = self.0.get(end.checked_sub(1)?)?;
        (**known == *map).then_some(&**mesh)
    }
}

/// Returns the name of the mesh, or of the mesh map, that a command is about.
fn about<'a>(command: &Command<'a>) -> Option<Name<'a>> {
    match command.verb() {
        Verb::MeshMapNew | Verb::TextureImport | Verb::Other => None,
        verb if verb.is_of_map() => command.value("MESHMAP"),
        _ => command.value("MESH"),
    }
}

/// The `TEXTURE IMPORT` commands of a script: each item has the texture name in lower case and the
/// index of the command. The items are sorted by texture name.
#[derive(Debug)]
pub(super) struct ImportNames(Vec<(Box<[u8]>, usize)>);

impl ImportNames {
    pub(super) fn new(commands: Commands<'_>) -> Self {
        let named = |(index, command)| Some((lower(TextureImport::of(command)?.name), index));
        let mut imports: Vec<_> = commands.iter().enumerate().filter_map(named).collect();
        imports.sort();
        Self(imports)
    }

    /// Returns the index of the last command that imports a texture with the given name. If no
    /// command imports `Package.Group.Name`, `find` searches for the texture `Name`.
    pub(super) fn find(&self, name: Name<'_>) -> Option<usize> {
        let name = lower(name);
        let part = name.rsplit(|byte| *byte == b'.').next().unwrap_or_default();
        self.last(&name).or_else(|| self.last(part))
    }

    fn last(&self, name: &[u8]) -> Option<usize> {
        let end = self.0.partition_point(|(known, _)| **known <= *name);
        let (known, index) = self.0.get(end.checked_sub(1)?)?;
        (**known == *name).then_some(*index)
    }
}

/// Returns a copy of a name in lower case. Names are copied before they are sorted, because the
/// bytes of a memory-mapped file may change during the sort.
pub(super) fn lower(name: Name<'_>) -> Box<[u8]> {
    name.as_bytes().to_ascii_lowercase().into()
}

/// A texture that a script sets for a mesh.
#[derive(Clone, Copy, Debug)]
pub struct Texture<'a> {
    /// The texture index by which polygons refer to the texture.
    pub number: i64,
    /// The name of the texture, or its path in a package.
    pub name: Name<'a>,
    /// The command that imports the texture, or `None` if the script does not import the texture,
    /// such as a texture of another package.
    pub import: Option<TextureImport<'a>>,
}

/// A view of the commands of a script about one mesh. If two commands set the same value, such as
/// the scale, the later command is used. All sequences are kept, even sequences with the same name.
#[derive(Clone, Copy)]
pub struct MeshScript<'a> {
    commands: Commands<'a>,
    selected: &'a Selected,
}

short_debug!(MeshScript<'_>: |script| {
    bytes: script.commands.bytes.len(), commands: script.commands.places.len(), selected: script.selected,
});

impl<'a> MeshScript<'a> {
    pub(super) const fn new(commands: Commands<'a>, selected: &'a Selected) -> Self {
        Self { commands, selected }
    }

    fn view<V: Statement<'a>>(&self, index: Option<usize>) -> Option<V> {
        V::of(self.commands.get(index?)?)
    }

    /// Returns the name of the mesh, as written in its `MESH IMPORT` command. If the script does
    /// not import the mesh, returns the name by which the mesh was selected.
    #[must_use]
    pub fn name(&self) -> Name<'a> {
        let asked = Name::new(&self.selected.name);
        self.import().map_or(asked, |import| import.mesh)
    }

    /// Returns the `MESH IMPORT` command of the mesh, with the paths of its files, or `None` if the
    /// script does not import the mesh.
    #[must_use]
    pub fn import(&self) -> Option<Import<'a>> {
        self.view(self.selected.import)
    }

    /// Returns the origin and the rotation of the mesh, or `None` if the script has no `MESH
    /// ORIGIN` command for the mesh.
    #[must_use]
    pub fn origin(&self) -> Option<Origin<'a>> {
        self.view(self.selected.origin)
    }

    /// Returns the scale factors of the x, y and z axis for the stored positions, or `None` if the
    /// script has no `MESHMAP SCALE` command for the mesh. An axis without a factor in the `MESHMAP
    /// SCALE` command has the factor 1.
    #[must_use]
    pub fn scale(&self) -> Option<[f32; 3]> {
        let command = self.commands.get(self.selected.scale?)?;
        Some(["X", "Y", "Z"].map(|axis| command.number(axis).unwrap_or(1.0)))
    }

    /// Returns the commands that the methods of [`MeshScript`] read, in file order: the commands
    /// about the mesh, the last `MESHMAP SETTEXTURE` command for each texture index, and the
    /// commands that import the textures.
    #[must_use]
    pub fn commands(&self) -> Vec<Command<'a>> {
        let Selected { import, origin, scale, lod_params, drop_frames, sequences, notifies, textures, .. } =
            self.selected;
        let single = [import, origin, scale, lod_params, drop_frames].into_iter().flatten();
        let textures = textures.iter().flat_map(|(_, set, import)| std::iter::once(set).chain(import));
        let listed = sequences.iter().chain(notifies.iter().map(|(_, index)| index)).chain(textures);
        let mut numbers: Vec<usize> = single.chain(listed).copied().collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers.into_iter().filter_map(|number| self.commands.get(number)).collect()
    }

    /// Returns the parameters for the levels of detail, or `None` if the script has no `MESH
    /// LODPARAMS` command for the mesh.
    #[must_use]
    pub fn lod_params(&self) -> Option<LodParams<'a>> {
        self.view(self.selected.lod_params)
    }

    /// Returns the range of animation frames that the engine leaves out on import, or `None` if the
    /// script has no `MESH DROPFRAMES` command for the mesh.
    #[must_use]
    pub fn drop_frames(&self) -> Option<DropFrames<'a>> {
        self.view(self.selected.drop_frames)
    }

    /// Returns the number of sequences of the mesh.
    #[must_use]
    pub const fn sequence_count(&self) -> usize {
        self.selected.sequences.len()
    }

    /// Returns the sequence with the given index in file order, or `None` if the index is out of
    /// range.
    #[must_use]
    pub fn sequence(&self, index: usize) -> Option<Sequence<'a>> {
        self.view(self.selected.sequences.get(index).copied())
    }

    /// Returns an iterator over the sequences of the mesh, in file order. Two sequences may have
    /// the same name.
    pub fn sequences(&self) -> impl Iterator<Item = Sequence<'a>> + use<'a> {
        let this = *self;
        this.selected.sequences.iter().filter_map(move |index| this.view(Some(*index)))
    }

    /// Returns an iterator over the function calls of sequence `index`, in file order. A function
    /// call refers to a sequence by name. If several sequences have this name, the call belongs to
    /// the first one, as in the engine.
    pub fn notifies(&self, index: usize) -> impl Iterator<Item = Notify<'a>> + use<'a> {
        let this = *self;
        this.calls(index).iter().filter_map(move |(_, index)| this.view(Some(*index)))
    }

    /// Returns the function call with index `call` of the sequence with index `index`, in file
    /// order. Returns `None` if the sequence or the function call does not exist.
    #[must_use]
    pub fn notify(&self, index: usize, call: usize) -> Option<Notify<'a>> {
        self.view(self.calls(index).get(call).map(|(_, index)| *index))
    }

    fn calls(&self, sequence: usize) -> &'a [(usize, usize)] {
        let all = if sequence < self.sequence_count() { &self.selected.notifies[..] } else { &[] };
        let start = all.partition_point(|(place, _)| *place < sequence);
        let end = all.partition_point(|(place, _)| *place <= sequence);
        all.get(start..end).unwrap_or_default()
    }

    /// Returns an iterator over the textures of the mesh, sorted by texture index.
    pub fn textures(&self) -> impl Iterator<Item = Texture<'a>> + use<'a> {
        let this = *self;
        this.selected.textures.iter().filter_map(move |found| this.texture_of(found))
    }

    /// Returns the number of textures.
    pub(in crate::formats::unreal) fn texture_count(&self) -> usize {
        self.selected.textures.len()
    }

    /// Returns the texture at a place in the order of [`textures`](Self::textures).
    pub(in crate::formats::unreal) fn texture_at(&self, place: usize) -> Option<Texture<'a>> {
        self.texture_of(self.selected.textures.get(place)?)
    }

    /// Returns the texture with the given texture index, or `None` if the script sets no texture
    /// for this texture index.
    #[must_use]
    pub fn texture(&self, number: i64) -> Option<Texture<'a>> {
        let all = &self.selected.textures;
        let found = all.binary_search_by_key(&number, |(number, ..)| *number).ok()?;
        self.texture_of(all.get(found)?)
    }

    fn texture_of(&self, (number, index, import): &(i64, usize, Option<usize>)) -> Option<Texture<'a>> {
        let set: SetTexture<'a> = self.view(Some(*index))?;
        Some(Texture { number: *number, name: set.texture, import: self.view(*import) })
    }
}

/// Makes the error for the name of a mesh that a script does not have. The error lists the names of
/// up to 32 meshes that the script has.
pub(in crate::formats::unreal) fn choice<'n>(
    names: impl Iterator<Item = &'n [u8]>,
    found: impl Into<Cow<'static, str>>,
) -> Cause {
    let mut names: Vec<_> = names.take(MAX_NAMES.saturating_add(1)).map(|name| Name::new(name).to_string()).collect();
    if names.len() > MAX_NAMES {
        names.truncate(MAX_NAMES);
        names.push("others".into());
    }
    let names = if names.is_empty() { "the meshes of a script, but there are none".into() } else { names.join(", ") };
    Cause::Choice { names, found: found.into() }
}

#[cfg(test)]
mod tests {
    use super::super::Script;
    use super::*;

    const TEXT: &str = "\
#exec MESHMAP SETTEXTURE MESHMAP=Skin NUM=1 TEXTURE=Package.Group.Fur
#exec MESH NOTIFY MESH=cat SEQ=run TIME=0.9 FUNCTION=Late
#exec MESH IMPORT MESH=Cat ANIVFILE=a DATAFILE=d
#exec MESH SEQUENCE MESH=CAT SEQ=Run STARTFRAME=1 NUMFRAMES=4
#exec MESH SEQUENCE MESH=dog SEQ=Run STARTFRAME=9 NUMFRAMES=9
#exec MESH SEQUENCE MESH=Cat SEQ=Sit STARTFRAME=5 NUMFRAMES=1
#exec MESH NOTIFY MESH=Cat SEQ=Run TIME=0.1 FUNCTION=Early
#exec MESH NOTIFY MESH=Cat SEQ=Sit TIME=0 FUNCTION=Purr
#exec MESHMAP NEW MESHMAP=SKIN MESH=cat
#exec MESHMAP SCALE MESHMAP=Cat X=2
#exec MESHMAP SCALE MESHMAP=skin X=0.5 Z=3
#exec MESHMAP SETTEXTURE MESHMAP=cat NUM=0 TEXTURE=Old
#exec MESHMAP SETTEXTURE MESHMAP=cat NUM=0 TEXTURE=EYE
#exec TEXTURE IMPORT NAME=eye FILE=first.pcx
#exec TEXTURE IMPORT NAME=Eye FILE=second.pcx
#exec MESHMAP SETTEXTURE MESHMAP=cat NUM=2 TEXTURE=Other.Eye
";

    #[test]
    fn gathers_what_belongs_to_a_mesh() {
        let script = Script::open(TEXT).unwrap();
        let selected = script.select(b"caT");
        let cat = script.mesh(&selected);
        assert_eq!((cat.name(), selected.name()), (Name::new(b"Cat"), Name::new(b"caT")));
        assert_eq!(cat.scale(), Some([0.5, 1.0, 3.0]));
        assert_eq!((cat.sequence_count(), cat.sequence(1).unwrap().start), (2, 5));
        let calls: Vec<_> = cat.notifies(0).map(|notify| notify.function.to_string()).collect();
        assert_eq!(calls, ["Late", "Early"]);
        assert_eq!((cat.notifies(1).count(), cat.notifies(2).count()), (1, 0));
        let textures: Vec<_> = cat.textures().map(|one| (one.number, one.name.to_string())).collect();
        assert_eq!(textures, [(0, "EYE".into()), (1, "Package.Group.Fur".into()), (2, "Other.Eye".into())]);
        let file = |number| cat.texture(number).and_then(|one| one.import).map(|import| import.file.to_string());
        assert_eq!([0, 1, 2].map(file), [Some("second.pcx".into()), None, Some("second.pcx".into())]);
        assert!(cat.texture(3).is_none() && cat.origin().is_none() && cat.lod_params().is_none());
    }

    #[test]
    fn selects_all_as_it_selects_each() {
        let text = format!(
            "{TEXT}#exec MESH IMPORT MESH=dog\n#exec MESH IMPORT MESH=CAT\n#exec MESHMAP NEW MESHMAP=coat MESH=dog\n"
        );
        let script = Script::open(text).unwrap();
        let all = script.select_all();
        assert_eq!(all, [&b"Cat"[..], b"dog"].map(|name| script.select(name)));
        assert_eq!(all.iter().map(|one| script.mesh(one).sequence_count()).collect::<Vec<_>>(), [2, 1]);
        assert!(Script::open("").unwrap().select_all().is_empty());
    }

    #[test]
    fn gives_a_map_to_the_mesh_that_it_was_made_for_last() {
        let script = Script::open(
            "#exec MESHMAP NEW MESHMAP=a MESH=cat\n#exec MESHMAP NEW MESHMAP=A MESH=dog\n#exec MESHMAP SCALE MESHMAP=a X=2\n",
        );
        let script = script.unwrap();
        let [cat, dog] = [&b"cat"[..], b"DOG"].map(|name| script.mesh(&script.select(name)).scale());
        assert_eq!((cat, dog), (None, Some([2.0, 1.0, 1.0])));
    }

    #[test]
    fn gives_a_call_to_the_first_sequence_of_its_name() {
        let calls = "#exec MESH NOTIFY MESH=a SEQ=RUN TIME=0 FUNCTION=Step\n".repeat(3);
        let sequences = "#exec MESH SEQUENCE MESH=a SEQ=Run\n".repeat(3);
        let script =
            Script::open(format!("{calls}#exec MESH SEQUENCE MESH=a SEQ=Sit\n{sequences}#exec MESH NOTIFY MESH=a\n"));
        let (script, name) = (script.unwrap(), b"a");
        let selected = script.select(name);
        let mesh = script.mesh(&selected);
        assert_eq!([0, 1, 2, 3, 4, usize::MAX].map(|index| mesh.notifies(index).count()), [0, 3, 0, 0, 0, 0]);
        assert!(mesh.notify(1, 2).is_some() && mesh.notify(1, 3).is_none() && mesh.notify(usize::MAX, 0).is_none());
        assert_eq!(mesh.commands().len(), 8);
    }

    #[test]
    fn survives_the_selection_of_another_script() {
        let (script, other) = (Script::open(TEXT).unwrap(), Script::open("#exec A B\n").unwrap());
        let selected = script.select(b"cat");
        let cat = other.mesh(&selected);
        assert!(cat.import().is_none() && cat.scale().is_none());
        assert_eq!((cat.textures().count(), cat.sequences().count(), cat.notifies(0).count()), (0, 0, 0));
    }
}
