//! Tests of error messages: a number out of range names the number on the command line and the
//! count of the items.

use crate::{code, meshpeek, sample, text};

/// Returns the message of a command that fails with an exit code.
fn failed(arguments: &[&str], expected: i32) -> String {
    let output = meshpeek(arguments);
    let message = text(&output.stderr);
    assert_eq!(code(&output), expected, "{arguments:?}: {message}");
    message
}

#[test]
fn a_number_out_of_range_is_named() {
    let nearest = ["nearest", "--point", "0,0,0"];
    let [room, blocks, skinned, morph, wave, still] =
        ["room_ms11", "room_ms14", "skinned_ms12", "morph_ms13", "wave_an10", "still_an11"].map(sample);
    let [guard, arm, rock, model, flag] = [
        "data/unreal/guard_d.3d",
        "data/secondlife/arm.llmesh",
        "data/secondlife/rock.llmesh",
        "data/secondlife/model.slm",
        "data/ezmesh/flag.ezm",
    ];
    let flag_binary = "data/ezmesh/flag101.ezb";
    let surfaces =
        [(&*room, 3), (&blocks, 5), (&skinned, 1), (guard, 5), (arm, 1), (model, 1), (flag, 1), (flag_binary, 1)];
    for (path, count) in surfaces {
        for asked in ["77", "4294967297"] {
            let expected = format!("]: expected a number below {count}, found {asked}; ");
            let surface = ["--surface", asked];
            for attribute in ["positions", "normals", "uv0", "weights", "indices", "tree-nodes", "types", "radius"] {
                let message = failed(&[&["dump", path, "--attribute", attribute][..], &surface].concat(), 2);
                assert!(
                    message.contains(&expected) && message.contains(&format!("[{asked}]")),
                    "{attribute}: {message}"
                );
            }
            for query in [
                &nearest[..],
                &["ray", "--from", "0,0,9", "--toward", "0,0,0"],
                &["overlap", "--min", "0,0,0", "--max", "1,1,1"],
                &["vertex", "--vertex", "0"],
            ] {
                let message = failed(&[&["query", path][..], query, &surface].concat(), 2);
                assert!(message.contains(&expected) && message.contains(&format!("[{asked}]")), "{query:?}: {message}");
            }
        }
    }
    let dump = |path, options: &[&'static str]| [&["dump", path][..], options].concat();
    let query = |path, options: &[&'static str]| [&["query", path][..], options].concat();
    let below = |count: u32, found: u64| format!("expected a number below {count}, found {found}; ");
    for (arguments, expected) in [
        (dump(&room, &["--target", "77"]), below(1, 77)),
        (dump(&morph, &["--target", "77", "--attribute", "normals"]), below(3, 77)),
        (dump(guard, &["--target", "4294967297"]), below(1, 4_294_967_297)),
        (dump(&skinned, &["--pose", "77"]), below(3, 77)),
        (dump(&wave, &["--pose", "4294967297"]), below(12, 4_294_967_297)),
        (dump(flag, &["--pose", "4294967297"]), below(4, 4_294_967_297)),
        (dump(&still, &["--pose", "77"]), below(0, 77)),
        (dump(&wave, &["--pose", "77.25"]), "expected at most 11, the last of 12 frames, found 77.25".into()),
        (dump(&still, &["--time", "77"]), "--time 77: the animation has 0 frames".into()),
        (dump(&room, &["--pose", "77"]), "--pose 77: expected animation[0], found 0 animations".into()),
        (dump(&skinned, &["--clip", "77", "--pose", "0"]), below(1, 77)),
        (dump(flag, &["--clip", "77", "--pose", "0"]), below(1, 77)),
        (dump(guard, &["--clip", "77"]), below(2, 77)),
        (dump(guard, &["--frame", "16777217"]), "the mesh has 10 frames, expected 0 to 9, found 16777217".into()),
        (dump(guard, &["--clip", "1", "--frame", "77"]), "the clip has 6 frames, expected 0 to 5, found 77".into()),
        (dump(model, &["--asset", "77"]), below(2, 77)),
        (dump(arm, &["--lod", "low", "--surface", "77"]), format!("low_lod[77]: {}", below(1, 77))),
        (dump(rock, &["--attribute", "hull", "--surface", "77"]), format!("hull[77]: {}", below(3, 77))),
        (dump(guard, &["--range", "77..78"]), "expected a range within 0..11, found 77..78".into()),
        (query(model, &["nearest", "--point", "0,0,0", "--asset", "77"]), below(2, 77)),
        (query(flag, &["nearest", "--point", "0,0,0", "--clip", "77"]), below(1, 77)),
        (
            query(flag, &["nearest", "--point", "0,0,0", "--frame", "16777217"]),
            "has 4 frames, expected 0 to 3, found 16777217".into(),
        ),
        (
            query(guard, &["vertex", "--vertex", "77"]),
            "surface 0 has 11 vertices, expected a lower number, found 77".into(),
        ),
        (vec!["lod", model, "--asset", "77", "--lod", "high", "-o", "-"], below(2, 77)),
        (vec!["map", &room, "--at", "99999"], "expected an offset from 0 to 9704, found 99999".into()),
    ] {
        let message = failed(&arguments, 2);
        assert!(message.contains(&expected), "{arguments:?}: expected {expected:?} in {message}");
    }
}
