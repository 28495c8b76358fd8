//! What the user sees: answers on stdout, one line for an error, tables that line up.

use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::bail;
use mercer::kernel::ParseErrors;
use mercer::points::{NpyFloat, write_npy};
pub(crate) use mercer::report::text::{columns, count, number, visible};

/// The answer to the question that a command asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    Yes,
    No,
}

/// Writes text to stdout; a reader that has gone away is not an error.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    to_stdout(|writer| writer.write_all(text.as_bytes()))
}

/// Lets a writer loose on stdout, to the last byte; a reader that has gone away is not an error.
pub(crate) fn to_stdout(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> anyhow::Result<()> {
    let mut stdout = io::BufWriter::new(io::stdout().lock());
    match write(&mut stdout).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => bail!("cannot write to standard output: {}", reason(&error)),
        Ok(()) => Ok(()),
    }
}

/// Writes a line about what is going on to stderr.
pub(crate) fn note(text: &str) {
    let _nobody_listens = writeln!(io::stderr(), "{text}");
}

/// One line to stderr, and on a terminal the place in the expression.
pub(crate) fn report(error: &anyhow::Error) -> ExitCode {
    match error.downcast_ref::<ParseErrors>() {
        Some(errors) => {
            note(&format!("mercer: {}", errors.one_line()));
            if io::stderr().is_terminal() {
                note(&format!("{errors}"));
            }
        }
        None => note(&format!("mercer: {}", visible(&causes(error)))),
    }
    ExitCode::from(2)
}

/// Help and version are answers; words that are not understood are an error like any other, in one line.
pub(crate) fn refuse(refused: &clap::Error) -> ExitCode {
    use clap::error::ErrorKind::{DisplayHelp, DisplayHelpOnMissingArgumentOrSubcommand, DisplayVersion};
    if matches!(refused.kind(), DisplayHelp | DisplayHelpOnMissingArgumentOrSubcommand | DisplayVersion) {
        let _nobody_listens = refused.print();
        return ExitCode::from(u8::try_from(refused.exit_code()).unwrap_or(2));
    }
    note(&format!("mercer: {}", visible(&usage(&refused.render().to_string()))));
    ExitCode::from(2)
}

/// The fact and the tip of a refusal; a pointer to the help where there is neither value nor tip to go by.
fn usage(rendered: &str) -> String {
    let (fact, rest) = rendered.split_once("\n\nUsage: ").unwrap_or((rendered, ""));
    let fact = fact.split("\n\nFor more information").next().unwrap_or(fact);
    let lines = fact.trim_start_matches("error: ").lines().map(str::trim).filter(|line| !line.is_empty());
    let joined = lines.collect::<Vec<_>>().join(" ").replace(" tip: ", "; ");
    let command = rest.split_whitespace().take(2).filter(|word| word.chars().all(char::is_alphabetic));
    let command: Vec<&str> = command.collect();
    if command.is_empty() || fact.contains("tip: ") {
        return joined;
    }
    format!("{joined}; see {} --help", command.join(" "))
}

/// An error with its causes; what a message says already is not said again.
pub(crate) fn causes(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if text.is_empty() {
            text = cause;
        } else if !text.ends_with(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}

/// What the system says of a failure, without its number and without the name of a temporary file.
fn reason(error: &io::Error) -> String {
    let cause = error.get_ref().and_then(|wrapped| wrapped.source());
    let said = cause.map_or_else(|| error.to_string(), ToString::to_string);
    said.split(" (os error").next().unwrap_or(&said).to_owned()
}

/// Lines of `key  text`, the text broken between words so that it stays in its column.
pub(crate) fn paragraphs(rows: &[(&str, String)]) -> String {
    let indent = rows.iter().map(|(key, _)| key.chars().count()).max().unwrap_or(0) + 2;
    let mut text = String::new();
    for (key, words) in rows {
        let mut line = format!("{key:indent$}");
        let mut used = indent;
        for (at, word) in words.split(' ').enumerate() {
            let width = word.chars().count();
            if at > 0 && used + 1 + width > WIDTH {
                text.push_str(line.trim_end());
                text.push('\n');
                line = " ".repeat(indent);
                used = indent;
            } else if at > 0 {
                line.push(' ');
                used += 1;
            }
            line.push_str(word);
            used += width;
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// Columns of a terminal that prose takes at most.
const WIDTH: usize = 96;

/// Refuses a file that cannot be written, before anything is computed for it.
pub(crate) fn check_file(path: &Path, what: &str, endings: [&str; 2]) -> anyhow::Result<()> {
    if !endings.contains(&ending(path).as_str()) {
        bail!("{}: {what} is saved as .{} or .{}", path.display(), endings[0], endings[1]);
    }
    check_place(path)
}

/// Refuses a file that has no place to go to.
pub(crate) fn check_place(path: &Path) -> anyhow::Result<()> {
    if path.is_dir() {
        bail!("{}: this is a folder; name a file in it", path.display());
    }
    if !folder(path).is_dir() {
        bail!("{}: there is no folder '{}'; make it first", path.display(), folder(path).display());
    }
    Ok(())
}

/// [`check_file`] for the ways in which matrices are saved.
pub(crate) fn check_matrix_file(path: Option<&Path>) -> anyhow::Result<()> {
    path.map_or(Ok(()), |path| check_file(path, "a matrix", ["npy", "csv"]))
}

pub(crate) fn ending(path: &Path) -> String {
    path.extension().map_or_else(String::new, |ending| ending.to_string_lossy().to_ascii_lowercase())
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Writes a matrix row by row to .npy or .csv, into a temporary file that takes the name when it is whole.
pub(crate) fn matrix<T: NpyFloat + Copy + std::fmt::Display>(
    path: &Path,
    (rows, width): (usize, usize),
    header: Option<&[String]>,
    row: impl Fn(usize) -> Vec<T>,
) -> anyhow::Result<()> {
    check_matrix_file(Some(path))?;
    to_file(path, |writer| {
        if ending(path) == "npy" {
            write_npy(writer, rows, width, |i, out: &mut [T]| out.copy_from_slice(&row(i)))
        } else {
            write_csv(writer, rows, header, row)
        }
    })
}

/// Lets a writer loose on a temporary file that takes the name when it is whole.
pub(crate) fn to_file(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> anyhow::Result<()> {
    let named = |error: io::Error| anyhow::anyhow!("cannot write '{}': {}", path.display(), reason(&error));
    mercer::model::write_whole(path, write).map_err(named)
}

/// Rows as CSV, each number in the fewest digits that read back the same.
pub(crate) fn write_csv<T: Copy + std::fmt::Display>(
    writer: &mut (impl Write + ?Sized),
    rows: usize,
    header: Option<&[String]>,
    row: impl Fn(usize) -> Vec<T>,
) -> io::Result<()> {
    if let Some(names) = header {
        let quoted: Vec<String> = names.iter().map(|name| quote(name)).collect();
        writeln!(writer, "{}", quoted.join(","))?;
    }
    for i in 0..rows {
        let cells: Vec<String> = row(i).iter().map(T::to_string).collect();
        writeln!(writer, "{}", cells.join(","))?;
    }
    Ok(())
}

pub(crate) fn quote(name: &str) -> String {
    if name.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", name.replace('"', "\"\""))
    } else {
        name.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let shown: Vec<String> =
            [-0.0, 1.0, 0.5, 1.0 / 3.0, 12345.678, 1e-9, 1e20, -2.5].map(number).to_vec();
        assert_eq!(shown, ["0", "1", "0.5", "0.333333", "12345.7", "1.000e-9", "1.000e20", "-2.5"]);
    }

    #[test]
    fn prose_stays_in_its_column() {
        let long = "word ".repeat(30);
        let text = paragraphs(&[("a", long.trim().to_owned()), ("long", "short".to_owned())]);
        assert!(text.lines().all(|line| line.len() <= WIDTH), "{text}");
        assert_eq!(text.lines().last(), Some("long  short"));
        assert!(text.lines().nth(1).unwrap().starts_with("      word"));
        assert_eq!(text.split_whitespace().filter(|word| *word == "word").count(), 30);
    }

    #[test]
    fn causes_are_said_once_and_nothing_plays_with_the_terminal() {
        let error = anyhow::anyhow!("no column 'c'").context("f.csv: no column 'c'").context("reading");
        assert_eq!(causes(&error), "reading: f.csv: no column 'c'");
        assert_eq!(visible("a\nb\u{1b}[31m"), "a b\\u{1b}[31m");
    }
}
