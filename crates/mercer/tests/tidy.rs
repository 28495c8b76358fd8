//! The invariants of ARCHITECTURE.md that the compiler does not hold by itself.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Every file below a folder with one of these endings, build products left out.
fn files(folder: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let Ok(entries) = fs::read_dir(folder) else { return found };
    for path in entries.map(|entry| entry.unwrap().path()) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            if !["target", ".git", ".venv", "node_modules", "corpus", "artifacts"].contains(&name.as_str()) {
                found.extend(files(&path, endings));
            }
        } else if endings.iter().any(|ending| name.ends_with(ending)) {
            found.push(path);
        }
    }
    found
}

fn lines(path: &Path) -> Vec<String> {
    fs::read_to_string(path).unwrap().lines().map(str::to_owned).collect()
}

/// The rooms, each of which may use those before it.
const ORDER: [&str; 12] = [
    "mercer-linalg",
    "mercer-points",
    "mercer-kernel",
    "mercer-gram",
    "mercer-solve",
    "mercer-model",
    "mercer-view",
    "mercer-picture",
    "mercer-report",
    "mercer",
    "mercer-cli",
    "mercer-py",
];

#[test]
fn dependencies_run_one_way() {
    for folder in fs::read_dir(root().join("crates")).unwrap().map(|entry| entry.unwrap().path()) {
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        let at = ORDER.iter().position(|room| *room == name);
        let at = at.unwrap_or_else(|| panic!("{name} is not in the order of rooms; say where it belongs"));
        for line in lines(&folder.join("Cargo.toml")) {
            let Some(used) = line.split(['.', ' ', '=']).next().filter(|word| word.starts_with("mercer"))
            else {
                continue;
            };
            let place = ORDER.iter().position(|room| *room == used).unwrap();
            assert!(place < at, "{name} uses {used}, which stands above it or beside it");
        }
    }
    let points = fs::read_to_string(root().join("crates/mercer-points/Cargo.toml")).unwrap();
    assert!(!points.contains("mercer-linalg"), "points know no hardware");
}

#[test]
fn solvers_know_no_points() {
    let manifest = fs::read_to_string(root().join("crates/mercer-solve/Cargo.toml")).unwrap();
    let used = manifest.split("[dev-dependencies]").next().unwrap();
    assert!(
        !used.contains("mercer-points") && !used.contains("mercer-kernel"),
        "a Gram is all that solvers see"
    );
}

/// What is compiled for an instruction set is a body that everything in it is inlined into. A closure that is handed to an
/// iterator may stay a function of its own, compiled for the least of machines: a fit whose exponentials were such took sixteen times as long.
#[test]
fn bodies_for_instruction_sets_are_loops() {
    for path in files(&root().join("crates/mercer-linalg/src"), &[".rs"]) {
        let mut is_body = false;
        for (number, line) in lines(&path).iter().enumerate() {
            is_body |= line.contains("A: Arch") && line.contains("fn ");
            let hands_over = ["for_each(", "from_fn(", ".fold("].iter().any(|call| line.contains(call));
            let place = format!("{}:{}: {line}", path.display(), number + 1);
            assert!(
                !(is_body && hands_over && line.contains("A>(")),
                "a closure for an instruction set at {place}"
            );
            is_body &= line != "}";
        }
    }
}

/// Where `unsafe` may be: the engine room, and the file that reads the memory of NumPy arrays.
const UNSAFE: [&str; 2] = ["crates/mercer-linalg/src", "crates/mercer-py/src/table.rs"];

#[test]
fn unsafe_code_is_in_two_rooms() {
    let allowed = UNSAFE.map(|room| root().join(room));
    for path in files(&root().join("crates"), &[".rs"]) {
        if allowed.iter().any(|room| path.starts_with(room)) || path.ends_with("tidy.rs") {
            continue;
        }
        for (number, line) in lines(&path).iter().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            let found =
                code.contains("unsafe {") || code.contains("unsafe fn") || code.contains("unsafe impl");
            assert!(!found, "{}:{}: unsafe outside its rooms", path.display(), number + 1);
        }
    }
}

#[test]
fn every_unsafe_block_has_its_argument() {
    let mut rooms = files(&root().join(UNSAFE[0]), &[".rs"]);
    rooms.push(root().join(UNSAFE[1]));
    for path in rooms {
        let lines = lines(&path);
        for number in (0..lines.len()).filter(|&n| lines[n].contains("unsafe {")) {
            let before = &lines[number.saturating_sub(4)..number];
            assert!(
                before.iter().any(|line| line.contains("SAFETY:")),
                "{}:{}: no argument",
                path.display(),
                number + 1
            );
        }
    }
}

#[test]
fn only_the_command_prints() {
    for path in files(&root().join("crates"), &[".rs"]) {
        let text = path.to_string_lossy().into_owned();
        if text.contains("mercer-cli") || text.contains("/tests/") || text.contains("/examples/") {
            continue;
        }
        for (number, line) in
            lines(&path).iter().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"))
        {
            let prints = ["println!", "eprintln!", "print!(", "dbg!"].iter().any(|word| line.contains(word));
            assert!(!prints, "{}:{}: prints", path.display(), number + 1);
        }
    }
}

#[test]
fn files_hold_one_concept() {
    for path in files(&root().join("crates"), &[".rs"]) {
        let count = lines(&path).len();
        assert!(count <= 800, "{} has {count} lines; does it hold one concept?", path.display());
    }
}

#[test]
fn nothing_is_left_undone_or_names_a_machine() {
    let todo = ["TO", "DO"].concat();
    let marks = [
        format!("{todo}:"),
        format!("{todo} "),
        ["FIX", "ME"].concat(),
        ["todo", "!("].concat(),
        ["unimplemented", "!("].concat(),
    ];
    let machine = [["/ro", "ot/"].concat(), ["/wo", "rk/"].concat(), ["/ho", "me/"].concat()];
    for path in files(&root(), &[".rs", ".py", ".md", ".toml", ".sh", ".yml", "test"]) {
        for (number, line) in lines(&path).iter().enumerate() {
            for word in marks.iter().chain(&machine) {
                assert!(!line.contains(word.as_str()), "{}:{}: '{word}'", path.display(), number + 1);
            }
        }
    }
}

#[test]
fn citations_of_the_mathematics_exist() {
    let maths = fs::read_to_string(root().join("docs/maths.md")).unwrap();
    let headings: Vec<&str> = maths
        .lines()
        .filter(|line| line.starts_with('#'))
        .filter_map(|line| {
            line.trim_start_matches('#')
                .trim()
                .split([' ', '.'])
                .next()
                .map(|_| line.trim_start_matches('#').trim())
        })
        .collect();
    for path in files(&root().join("crates"), &[".rs"]) {
        for (number, line) in lines(&path).iter().enumerate() {
            for citation in line.split("docs/maths.md` §").skip(1) {
                let section: String =
                    citation.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
                let section = section.trim_end_matches('.');
                let exists = headings.iter().any(|heading| {
                    heading
                        .strip_prefix(section)
                        .is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()))
                });
                assert!(exists, "{}:{}: docs/maths.md has no §{section}", path.display(), number + 1);
            }
        }
    }
}
