//! Any bytes as a script: every byte belongs to a named region, the output equals the input, and
//! every imported mesh can be selected.
#![no_main]

use libfuzzer_sys::fuzz_target;
use meshpeek::unreal::Placement;
use meshpeek::unreal::script::Script;

fuzz_target!(|bytes: &[u8]| {
    let Ok(script) = Script::open(bytes) else { return };
    let length = bytes.len() as u64;
    script.validate(&mut |finding| {
        assert!(meshpeek::unreal::RULES.iter().any(|rule| rule.id == finding.rule), "{finding}");
        assert!(finding.offset <= length && !finding.text.is_empty(), "{finding}");
    });
    let mut end = 0;
    let regions = script.regions(&mut |region| {
        assert_eq!(region.start, end, "{} leaves a gap, or overlaps", region.field);
        end = region.end;
    });
    regions.expect("every byte of an open script has a name");
    assert_eq!(end, length);
    let mut again = Vec::new();
    script.write_to(&mut again).expect("writing to memory does not fail");
    assert!(again == bytes);
    assert_eq!(script.commands().count(), script.command_count());
    // Each selection walks over all commands, so only the first few imports are tested.
    for import in script.imports().take(8) {
        let selected = script.select(import.mesh.as_bytes());
        let mesh = script.mesh(&selected);
        assert!(mesh.import().is_some() || import.command.value("MESH").is_none(), "each import has a mesh");
        let _ = (mesh.name(), mesh.origin(), mesh.scale(), mesh.lod_params(), mesh.drop_frames());
        assert_eq!(mesh.sequences().count(), mesh.sequence_count());
        assert!((0..mesh.sequence_count().min(8)).all(|index| mesh.notifies(index).count() <= script.command_count()));
        for texture in mesh.textures() {
            assert_eq!(mesh.texture(texture.number).map(|found| found.name), Some(texture.name));
        }
        let _ = Placement::of(&mesh).apply([1.0, 2.0, 3.0]);
    }
});
