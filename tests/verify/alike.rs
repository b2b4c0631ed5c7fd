//! What a command changes is the same in a layer and in a copy (verify.md 7.2): one table for all.

use std::os::unix::ffi::OsStrExt as _;
use std::process::Command;

use crate::common::Tolls;
use crate::sandbox::{boxed, is_clean, verify_by, ways};
use crate::{LEDGER, all_pass, passing};

/// A project with some of everything.
pub(crate) fn rich(mode: &str, command: &str) -> Tolls {
    let tolls = boxed(mode, &format!("{{ {command}\n}} ; {}", passing()));
    tolls
        .write("README.md", "mine\n")
        .write("src/one", "1\n")
        .write("src/deep/two", "2\n")
        .write("node_modules/x/index.js", "x\n")
        .write("my-node_modules/y", "y\n")
        .write("odd\nname", "odd\n")
        .write("fixed", "fixed\n");
    let odd = std::ffi::OsStr::from_bytes(b"not-\xff-text");
    std::fs::write(tolls.root().join(odd), "raw\n").expect("written");
    std::fs::create_dir(tolls.path("empty")).expect("made");
    std::os::unix::fs::symlink("README.md", tolls.path("link")).expect("made");
    std::fs::hard_link(tolls.path("README.md"), tolls.path("twin")).expect("made");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o444);
    std::fs::set_permissions(tolls.path("fixed"), mode).expect("set");
    tolls
}

/// What commands do to a project, and which paths that changes.
const DEEDS: [(&str, &[&str]); 38] = [
    ("true", &[]),
    ("touch README.md", &[]),
    ("chmod 600 README.md", &[]),
    ("chmod 4755 README.md", &[]),
    (": >> README.md", &[]),
    ("echo mine > README.md", &[]),
    ("rm README.md; echo mine > README.md", &[]),
    ("mv README.md x; mv x README.md", &[]),
    ("echo yours > README.md", &["README.md"]),
    ("echo more >> README.md", &["README.md"]),
    ("truncate -s 0 README.md", &["README.md"]),
    ("rm README.md", &["README.md"]),
    ("mv README.md other", &["README.md", "other"]),
    ("ln README.md third", &["third"]),
    ("ln -sf nowhere link", &["link"]),
    ("rm link; ln -s README.md link", &[]),
    ("rm link", &["link"]),
    ("rm link; echo mine > link", &["link"]),
    ("rm -r src", &["src/deep/two", "src/one"]),
    ("rm -r src; mkdir src", &["src/deep/two", "src/one"]),
    ("rm -r src; mkdir src; echo 1 > src/one", &["src/deep/two"]),
    (
        "rm -r src; mkdir -p src/deep; echo 2 > src/deep/two; echo 1 > src/one",
        &[],
    ),
    (
        "rm -r src/deep; mkdir src/deep; echo 3 > src/deep/three",
        &["src/deep/three", "src/deep/two"],
    ),
    (
        "mv src lib",
        &["lib/deep/two", "lib/one", "src/deep/two", "src/one"],
    ),
    ("mv src lib; mv lib src", &[]),
    ("mv src/deep deep", &["deep/two", "src/deep/two"]),
    ("rm -r src; echo file > src", &["src", "src/deep/two", "src/one"]),
    (
        "rm README.md; mkdir README.md; echo x > README.md/x",
        &["README.md", "README.md/x"],
    ),
    ("rmdir empty; mkdir -p new/empty", &[]),
    ("mkfifo pipe", &["pipe"]),
    (
        "git -c user.name=a -c user.email=b commit -q --allow-empty -m x",
        &[".git/COMMIT_EDITMSG"],
    ),
    (
        "rm -r node_modules; mkdir -p a/node_modules; echo > a/node_modules/b",
        &[],
    ),
    ("echo z > my-node_modules/y", &["my-node_modules/y"]),
    ("rm -f fixed; echo other > fixed", &["fixed"]),
    ("rm odd*name", &["odd\\nname"]),
    (
        "for name in not-*-text; do echo x > \"$name\"; done",
        &["not-\u{fffd}-text"],
    ),
    ("echo x > \"$(printf 'tab\\there')\"", &["tab\\there"]),
    (
        "(for i in $(seq 200); do mkdir ten-digits && cd ten-digits || exit; done; echo x > end)",
        &["ten-digits"],
    ),
];

#[test]
fn the_layer_judges_as_the_copy_does() {
    judges("overlay");
}

#[test]
fn the_copy_judges_as_the_layer_does() {
    judges("copy");
}

#[test]
fn the_copy_by_bwrap_judges_as_both_do() {
    judges("bwrap");
}

fn judges(way: &str) {
    if !ways().contains(&way) {
        return;
    }
    for (deed, changed) in DEEDS {
        let tolls = rich("auto", deed);
        let before = tolls.snapshot().files_without("logos/resources/verify");
        let found = verify_by(way, &tolls);
        let after = tolls.snapshot().files_without("logos/resources/verify");
        assert_eq!(before, after, "{way}: {deed}");
        assert_eq!(found["gate"]["result"], "PASS", "{way}: {deed}: {found}");
        assert_eq!(tolls.read(LEDGER), all_pass(), "{way}: {deed}");
        let told = found["sandbox"]["diagnostics"].to_string();
        if changed.is_empty() {
            assert_eq!(told, "[]", "{way}: {deed}");
        }
        for path in changed {
            let path = serde_json::to_string(path).expect("text");
            assert!(
                told.contains(path.trim_matches('"')),
                "{way}: {deed}: {path}: {told}"
            );
        }
        let is_exempt = deed.contains(" node_modules");
        assert!(
            !is_exempt || found["sandbox"]["infos"][0].is_string(),
            "{way}: {found}"
        );
        is_clean(&tolls);
    }
}

#[test]
fn a_map_of_memory_does_not_reach_the_project() {
    let code =
        "import mmap; f = open('README.md', 'r+b'); m = mmap.mmap(f.fileno(), 0); m[0:1] = b'X'; m.flush()";
    for way in ways() {
        let tolls = rich("auto", &format!("python3 -c \"{code}\" || echo X > README.md"));
        let found = verify_by(way, &tolls);
        assert!(
            found["sandbox"]["diagnostics"].to_string().contains("README.md"),
            "{found}"
        );
        assert_eq!(
            (tolls.read("README.md"), tolls.read("twin")),
            ("mine\n".into(), "mine\n".into())
        );
    }
}

#[test]
fn a_folder_too_deep_to_be_judged_is_told() {
    let deep = "for i in $(seq 30); do mkdir $(printf %0200d 7) && cd $(printf %0200d 7) || exit; done; echo x > end; cd $HOME";
    for way in ways() {
        let tolls = rich("auto", &format!("({deep})"));
        let found = verify_by(way, &tolls);
        let command = &found["pre_run"]["commands"][0];
        assert_eq!(command["status"], "fail", "{way}: {found}");
        assert!(
            command["error"]
                .as_str()
                .is_some_and(|text| text.contains("too long")),
            "{way}: {command}"
        );
        // What can only be removed step by step stays; nothing of it came to the project.
        assert_eq!(tolls.read(LEDGER), "");
        let boxes = tolls.root().with_file_name("boxes");
        assert!(
            Command::new("rm")
                .arg("-rf")
                .arg(boxes)
                .status()
                .is_ok_and(|status| status.success())
        );
    }
}
