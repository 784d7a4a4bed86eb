//! Tests of `--watch`.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::Stdio;
use std::sync::mpsc;
use std::thread;

use crate::support::PATIENCE;
use crate::support::process::Running;
use crate::{bytes, code, command, sample, scratch};

#[test]
fn what_no_change_mends_ends_the_watch() {
    let cube = sample("cube_ms13");
    for arguments in
        [&["info", "-", "--watch"][..], &["validate", &cube, "--watch", "--select", "UG", "--ignore", "UG"]]
    {
        let output = command(arguments).output().unwrap();
        assert_eq!(code(&output), 2, "{arguments:?}");
    }
}

#[test]
fn runs_again_when_a_file_changes_and_after_an_error() {
    for (verb, first, broken, second) in
        [("info", "ms13", "error: ", "ms12"), ("validate", "no findings", "error: ", "no findings")]
    {
        let (_folder, path) = scratch("watched.mesh", &bytes("cube_ms13"));
        let mut watch = command(&[verb, &path, "--watch"]);
        let mut child = Running(watch.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap());
        let (sender, lines) = mpsc::channel();
        let readers: [Box<dyn std::io::Read + Send>; 2] =
            [Box::new(child.stdout.take().unwrap()), Box::new(child.stderr.take().unwrap())];
        for reader in readers {
            let sender = sender.clone();
            thread::spawn(move || {
                for line in BufReader::new(reader).lines().map_while(Result::ok) {
                    drop(sender.send(line));
                }
            });
        }
        let wait = |part: &str| while !lines.recv_timeout(PATIENCE).expect(part).contains(part) {};
        wait(first);
        fs::write(&path, &bytes("cube_ms13")[..100]).unwrap();
        wait("changed");
        wait(broken);
        fs::write(&path, bytes("cube_ms12")).unwrap();
        wait(second);
    }
}
