//! Tests every rule of EZ-Mesh with a file that breaks it and a file that does not.

use meshpeek::decode::ByteOrder;
use meshpeek::ezmesh::builder::{self, Column, MeshElement, Section, Vertices};
use meshpeek::ezmesh::{Mesh, RULES};
use meshpeek::{MeshFile as _, Severity, finding};

/// Returns the rules that a file breaks, in the order of the findings.
fn breached(bytes: &[u8]) -> Vec<&'static str> {
    let mut rules = Vec::new();
    match Mesh::open(bytes) {
        Ok(system) => system.validate(&mut |finding| rules.push(finding.rule)).unwrap(),
        Err(error) => rules.extend(finding(&error).map(|finding| finding.rule)),
    }
    rules.dedup();
    rules
}

const VERTICES: &str =
    "<vertexbuffer count=\"3\" ctype=\"fff\" semantic=\"position\">0 0 0, 1 0 0, 0 1 0,</vertexbuffer>";
const SECTION: &str = "<MeshSection material=\"m\"><indexbuffer triangle_count=\"1\">0 1 2</indexbuffer></MeshSection>";

/// Returns a valid system of one mesh.
///
/// Tests replace the part that they are about.
fn sound() -> String {
    format!(
        "<?xml version=\"1.0\"?><MeshSystem asset_name=\"a\"><Skeletons count=\"1\"><Skeleton name=\"s\" count=\"2\">\
         <Bone name=\"root\" position=\"0 0 0\"/><Bone name=\"tip\" parent=\"root\" position=\"0 1 0\"/></Skeleton></Skeletons>\
         <Animations count=\"1\"><Animation name=\"w\" trackcount=\"1\" framecount=\"1\"><AnimTrack name=\"tip\" count=\"1\" \
         has_scale=\"false\">0 0 0 0 0 0 1</AnimTrack></Animation></Animations><Materials count=\"1\"><Material name=\"m\"/>\
         </Materials><Meshes count=\"1\"><Mesh name=\"t\" skeleton=\"s\" submesh_count=\"1\">{VERTICES}{SECTION}</Mesh></Meshes>\
         </MeshSystem>"
    )
}

/// Replaces a part of the valid system, and returns the rules that the result breaks.
fn with(part: &str, by: &str) -> Vec<&'static str> {
    let text = sound();
    assert!(text.contains(part), "{part}");
    breached(text.replacen(part, by, 1).as_bytes())
}

#[test]
fn a_sound_system_breaches_none() {
    assert!(breached(sound().as_bytes()).is_empty());
}

#[test]
fn every_rule_about_text_is_told() {
    let skin = "<vertexbuffer count=\"3\" ctype=\"fff ffff hhhh\" semantic=\"position blendweights blendindices\">";
    let skinned =
        |lanes: &str| format!("{skin}0 0 0 {lanes}, 1 0 0 1 0 0 0 0 0 0 0, 0 1 0 1 0 0 0 1 0 0 0</vertexbuffer>");
    let own = |types: &str, numbers: &str| format!("<vertexbuffer count=\"3\" {types}>{numbers}</vertexbuffer>");
    let nested = "<a>".repeat(70) + &"</a>".repeat(70);
    let more = |text: &str| format!("{text}<Materials count=\"1\">");
    let shape = "<MeshCollisionRepresentations count=\"1\"><MeshCollisionRepresentation name=\"r\" count=\"1\"><MeshCollision \
                 name=\"c\" type=\"CONVEX\"><MeshCollisionConvex><vertexbuffer count=\"1\" ctype=\"fff\" semantic=\"position\">1 2 3\
                 </vertexbuffer><indexbuffer count=\"1\">0 0 7</indexbuffer></MeshCollisionConvex></MeshCollision>\
                 </MeshCollisionRepresentation></MeshCollisionRepresentations>";
    for (part, by, rules) in [
        ("MeshSystem asset_name", "html asset_name".to_owned(), &["EZ01"][..]),
        ("</Skeleton>", String::new(), &["EZ02"]),
        ("name=\"root\"", "name=\"root\" NAME=\"x\"".to_owned(), &["EZ03"]),
        ("name=\"root\"", "name".to_owned(), &["EZ03"]),
        ("<Meshes", nested + "<Meshes", &["EZ04"]),
        ("0 1 0,", String::new(), &["EZ06"]),
        ("0 1 2<", "0 1 2.5<".to_owned(), &["EZ07"]),
        ("position=\"0 1 0\"", "position=\"0 1\"".to_owned(), &["EZ07"]),
        ("0 1 0,", "0 1 0, 5 5 5".to_owned(), &["EZ08"]),
        ("0 1 0,", "0 1 0, 5".to_owned(), &["EZ06"]),
        (
            VERTICES,
            own("ctype=\"fff x1\" semantic=\"position what\"", "0 0 0 ff1 0 0 ff 0 1 0 ff 5"),
            &["EZ10", "EZ06"],
        ),
        ("ctype=\"fff\"", "ctype=\"fff f\"".to_owned(), &["EZ09"]),
        ("triangle_count=\"1\"", "triangle_count=\"-1\"".to_owned(), &["EZ09"]),
        (VERTICES, own("ctype=\"fff f\" semantic=\"position what\"", "0 0 0 1 1 0 0 1 0 1 0 1"), &["EZ10"]),
        (VERTICES, own("ctype=\"fff ffff\" semantic=\"position interp1\"", &"0 1 0 5 5 5 ".repeat(3)), &["EZ11"]),
        ("0 1 2<", "0 1 3<".to_owned(), &["EZ12"]),
        ("0 1 2<", "0 1 -1<".to_owned(), &["EZ12"]),
        ("Meshes count=\"1\"", "Meshes count=\"2\"".to_owned(), &["EZ13"]),
        ("Skeletons count=\"1\"", "Skeletons count=\"x\"".to_owned(), &["EZ13"]),
        ("parent=\"root\"", "parent=\"nobody\"".to_owned(), &["EZ14"]),
        ("name=\"root\"", "name=\"root\" parent=\"tip\"".to_owned(), &["EZ15"]),
        ("parent=\"root\"", "parent=\"tip\"".to_owned(), &["EZ15"]),
        ("name=\"tip\" parent", "name=\"root\" parent".to_owned(), &["EZ16", "EZ19"]),
        ("material=\"m\"", "material=\"n\"".to_owned(), &["EZ17"]),
        ("skeleton=\"s\"", "skeleton=\"n\"".to_owned(), &["EZ18"]),
        ("AnimTrack name=\"tip\"", "AnimTrack name=\"n\"".to_owned(), &["EZ19"]),
        ("has_scale=\"false\"", "has_scale=\"true\"".to_owned(), &["EZ20"]),
        ("<Skeletons", "<MeshAABB min=\"0,0,0\" max=\"0.5,0.5,0\"/><Skeletons".to_owned(), &["EZ21"]),
        ("1 0 0,", "1 nan 0,".to_owned(), &["EZ22"]),
        ("0 0 0 0 0 0 1<", "0 0 inf 0 0 0 1<".to_owned(), &["EZ22"]),
        ("0 0 0 0 0 0 1<", "0 0 0 0 0 0 2<".to_owned(), &["EZ23"]),
        (VERTICES, skinned("0.5 0 0 0 0 0 0 0"), &["EZ24"]),
        (VERTICES, skinned("1 0 0 0 2 0 0 0"), &["EZ25"]),
        ("0 1 2<", "0 1 1<".to_owned(), &["EZ27"]),
        ("<Materials count=\"1\">", more("<What/>"), &["EZ28"]),
        ("<Materials count=\"1\">", more("<Bone position=\"0 0 0\"/>"), &["EZ28"]),
        ("name=\"root\"", "name=\"root\" what=\"\"".to_owned(), &["EZ29"]),
        ("<Materials count=\"1\">", more("what"), &["EZ30"]),
        ("triangle_count", "trianglecount".to_owned(), &["EZ31"]),
        ("name=\"root\"", "name='root'".to_owned(), &["EZ31"]),
        (" position=\"0 0 0\"", String::new(), &["EZ31"]),
        ("parent=\"root\" position=\"0 1 0\"", "position=\"0 1 0\" parent=\"root\"".to_owned(), &["EZ31"]),
        ("<?xml", "\n<?xml".to_owned(), &["EZ31"]),
        (VERTICES, String::new(), &["EZ32"]),
        (VERTICES, VERTICES.repeat(2), &["EZ43"]),
        ("asset_name=\"a\"", "asset_name=\"a<b\"".to_owned(), &["EZ44"]),
        (
            VERTICES,
            own("ctype=\"fff fff\" semantic=\"position normal\"", "0 0 0 0 1 0, 1 0 0 0 1 0, 0 1 0 0 1 0"),
            &["EZ45"],
        ),
        (VERTICES, own("ctype=\"fff fff\" semantic=\"position normal\"", "0 0 0 0 0 1, 1 0 0 0 0 1, 0 1 0 0 0 1"), &[]),
        ("material=\"m\">", "material=\"m\" ctype=\"ff\">".to_owned(), &["EZ34"]),
        ("framecount=\"1\"", "framecount=\"2\"".to_owned(), &["EZ35"]),
        (
            VERTICES,
            own("ctype=\"fff x1\" semantic=\"position color\"", "0 0 0 zz 1 0 0 00 0 1 0 00"),
            &["EZ10", "EZ37"],
        ),
        ("<MeshSystem", "<!DOCTYPE a [<!ENTITY b \"c\">]><MeshSystem".to_owned(), &["EZ38"]),
        ("asset_name=\"a\"", "asset_name=\"&amp;\"".to_owned(), &["EZ39"]),
        ("<Skeletons", "<!-- --><Skeletons".to_owned(), &["EZ40"]),
        ("<Skeletons", "<?what?><Skeletons".to_owned(), &["EZ40"]),
        (
            "</MeshSystem>",
            "<MeshInstances count=\"1\"><MeshInstance mesh=\"u\"/></MeshInstances></MeshSystem>".to_owned(),
            &["EZ41"],
        ),
        ("</MeshSystem>", format!("{shape}</MeshSystem>"), &["EZ12", "EZ27"]),
    ] {
        assert_eq!(with(part, &by), rules, "{part} -> {by}");
    }
    let without = sound()
        .replace("<Bone name=\"root\" position=\"0 0 0\"/>", "")
        .replace("<Bone name=\"tip\" parent=\"root\" position=\"0 1 0\"/>", "");
    let without = without.replace("count=\"2\"", "count=\"0\"").replace(VERTICES, &skinned("1 0 0 0 0 0 0 0"));
    assert_eq!(breached(without.as_bytes()), ["EZ26"]);
    let mut bytes = sound().into_bytes();
    let at = sound().find("asset_name=\"a").unwrap() + 12;
    bytes[at] = 0xff;
    assert_eq!(breached(&bytes), ["EZ33"]);
    // A file of another kind breaks no rule of this format.
    assert_eq!(breached(b"\x89PNG\r\n\x1a\n"), [""; 0]);
}

#[test]
fn every_rule_about_binary_files_is_told() {
    let mesh = MeshElement {
        name: b"t".to_vec(),
        vertices: Some(Vertices {
            columns: vec![Column::positions([[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])],
            ..Vertices::default()
        }),
        sections: vec![Section { triangles: vec![[0, 1, 2]], ..Section::default() }],
        ..MeshElement::default()
    };
    let system = builder::Mesh { meshes: vec![mesh], ..builder::Mesh::default() };
    let bytes = system.to_ezb(ByteOrder::Little).unwrap();
    assert!(breached(&bytes).is_empty());
    for end in 0..bytes.len() {
        let rules = breached(&bytes[..end]);
        assert!(["EZ01", "EZ05"].contains(rules.first().unwrap()), "{end}: {rules:?}");
    }
    assert_eq!(breached(&[&bytes[..], &[0]].concat()), ["EZ36"]);
    let mut version = bytes.clone();
    version[0] = 101;
    assert_eq!(breached(&version), ["EZ42"]);
    version[0] = 102;
    assert_eq!(breached(&version), ["EZ01"]);
    let mut flags = system;
    flags.meshes[0].sections[0].flags = Some(3);
    assert_eq!(breached(&flags.to_ezb(ByteOrder::Big).unwrap()), ["EZ34"]);
}

#[test]
fn rules_are_numbered_and_end_in_a_full_stop() {
    for (number, rule) in RULES.iter().enumerate() {
        assert_eq!(rule.id, format!("EZ{:02}", number + 1));
        assert!(rule.text.ends_with('.') && rule.severity <= Severity::Error);
    }
}
