//! Running the command in a folder of its own, and making what it says fit for a snapshot.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

/// No command of these tests may take longer.
const PATIENCE: Duration = Duration::from_secs(20);

/// Two clouds of three points.
pub(crate) const SIX: &str = "a,b,label\n0,0,-1\n1,0,-1\n0,1,-1\n3,3,1\n4,3,1\n3,4,1\n";

/// Points of which some are the same.
pub(crate) const REPEATED: &str = "a,b\n1,2\n3,4\n1,2\n5,7\n1,2\n";

/// Symmetric, with the eigenvalues 3, 1 and -1.
pub(crate) const INDEFINITE: &str = "1,2,0\n2,1,0\n0,0,1\n";

/// `a,b` and the rows `1,2`, `3,4`, `5,7`, packed.
pub(crate) const PACKED: &[u8] = &[
    0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0xff, 0x4b, 0xd4, 0x49, 0xe2, 0x32, 0xd4, 0x31,
    0xe2, 0x32, 0xd6, 0x31, 0xe1, 0x32, 0xd5, 0x31, 0xe7, 0x02, 0x00, 0x2a, 0xf6, 0x18, 0x4b, 0x10, 0x00,
    0x00, 0x00,
];

/// The binary under test.
pub(crate) fn binary() -> &'static str {
    env!("CARGO_BIN_EXE_mercer")
}

/// A folder that goes away, in which commands run.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    /// A folder with one file.
    pub(crate) fn with(name: &str, content: impl AsRef<[u8]>) -> Self {
        Self::new().and(name, content)
    }

    /// The same folder with one file more.
    pub(crate) fn and(self, name: &str, content: impl AsRef<[u8]>) -> Self {
        std::fs::write(self.path(name), content).unwrap();
        self
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    /// The names of all files in it.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    pub(crate) fn run<S: AsRef<str>>(&self, words: &[S]) -> Ran {
        self.run_on(words, b"")
    }

    /// With something on standard input.
    pub(crate) fn run_on<S: AsRef<str>>(&self, words: &[S], input: &[u8]) -> Ran {
        let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
        let mut command = command(binary(), self.0.path());
        command.args(&words);
        finish(command, input, &words.join(" "))
    }

    /// A line for the shell, in which `$mercer` is the binary.
    pub(crate) fn shell(&self, line: &str) -> Ran {
        let mut command = command("sh", self.0.path());
        command.args(["-c", line]).env("mercer", binary());
        finish(command, b"", line)
    }
}

/// A command that sees nothing of the terminal it is tested from.
fn command(program: &str, folder: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(folder).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.env_remove("COLUMNS").env_remove("NO_COLOR").env("RUST_BACKTRACE", "0");
    command
}

/// Runs to the end, but not for ever.
fn finish(mut command: Command, input: &[u8], what: &str) -> Ran {
    let mut child = command.spawn().unwrap();
    // A command that does not read its input may be gone before it is written.
    let _gone = child.stdin.take().unwrap().write_all(input);
    let (send, receive) = mpsc::channel();
    let streams: [Box<dyn Read + Send>; 2] =
        [Box::new(child.stdout.take().unwrap()), Box::new(child.stderr.take().unwrap())];
    for (number, mut stream) in streams.into_iter().enumerate() {
        let send = send.clone();
        thread::spawn(move || {
            let mut bytes = Vec::new();
            stream.read_to_end(&mut bytes).unwrap();
            send.send((number, bytes)).unwrap();
        });
    }
    let mut texts = [String::new(), String::new()];
    for _ in 0..2 {
        let Ok((number, bytes)) = receive.recv_timeout(PATIENCE) else {
            child.kill().unwrap();
            panic!("'{}' takes longer than {PATIENCE:?}", shortened(what));
        };
        texts[number] = String::from_utf8(bytes).unwrap();
    }
    let [stdout, stderr] = texts;
    let ran = Ran { what: shortened(what), code: child.wait().unwrap().code(), stdout, stderr };
    for text in [&ran.stdout, &ran.stderr] {
        assert!(!text.contains('\u{1b}'), "{}: escape codes, but nobody is at a terminal", ran.what);
        assert!(!text.contains("panicked"), "{}: {text}", ran.what);
    }
    ran
}

/// What a command did.
#[derive(Debug)]
pub(crate) struct Ran {
    what: String,
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    /// What it answered with success and nothing on the side.
    #[track_caller]
    pub(crate) fn answer(self) -> String {
        assert_eq!(self.stderr, "", "{}", self.what);
        self.exit(0)
    }

    /// What it printed when it ended with this code.
    #[track_caller]
    pub(crate) fn exit(self, code: i32) -> String {
        assert_eq!(self.code, Some(code), "{}: {}{}", self.what, self.stdout, self.stderr);
        self.stdout
    }

    /// The one line of an error, without the name in front.
    #[track_caller]
    pub(crate) fn refusal(self) -> String {
        let Self { what, code, stdout, stderr } = self;
        assert_eq!(code, Some(2), "{what}: {stdout}{stderr}");
        assert_eq!(stdout, "", "{what}");
        let line = stderr.strip_suffix('\n').filter(|line| !line.contains('\n'));
        let fact = line.and_then(|line| line.strip_prefix("mercer: "));
        fact.unwrap_or_else(|| panic!("{what}: not one line by mercer: {stderr}")).to_owned()
    }

    /// The answer as JSON.
    #[track_caller]
    pub(crate) fn json(self, code: i32) -> Value {
        serde_json::from_str(&self.exit(code)).unwrap()
    }
}

fn shortened(text: &str) -> String {
    text.chars().take(200).collect()
}

/// The same text with numbers that are rounding alone written `~0`.
pub(crate) fn steady(text: &str) -> String {
    let mut out = String::new();
    let mut word = String::new();
    for c in text.chars().chain([' ']) {
        if c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+') {
            word.push(c);
            continue;
        }
        let tiny = word.parse::<f64>().is_ok_and(|value| value != 0.0 && value.abs() < 1e-9);
        out.push_str(if tiny { "~0" } else { &word });
        word.clear();
        out.push(c);
    }
    out.pop();
    // An eigenvalue that is rounding alone may come to nothing at all.
    out.replace("eigenvalue 0 ±", "eigenvalue ~0 ±").replace("smallest 0 ±", "smallest ~0 ±")
}

/// The same value with six digits of every number; what is rounding alone is 0.
pub(crate) fn rounded(value: Value) -> Value {
    match value {
        Value::Number(number) if number.is_f64() => {
            let value = number.as_f64().unwrap();
            let short: f64 = format!("{value:.5e}").parse().unwrap();
            Value::from(if short.abs() < 1e-9 { 0.0 } else { short })
        }
        Value::Array(values) => values.into_iter().map(rounded).collect(),
        Value::Object(entries) => entries.into_iter().map(|(key, value)| (key, rounded(value))).collect(),
        other => other,
    }
}

/// All names in a JSON value, as paths.
pub(crate) fn keys(value: &Value) -> Vec<String> {
    let inside = |key: &str, value: &Value| -> Vec<String> {
        std::iter::once(key.to_owned())
            .chain(keys(value).into_iter().map(|inner| format!("{key}.{inner}")))
            .collect()
    };
    match value {
        Value::Object(entries) => entries.iter().flat_map(|(key, value)| inside(key, value)).collect(),
        Value::Array(values) => values.first().map_or_else(Vec::new, keys),
        _ => Vec::new(),
    }
}
