//! What the user sees: answers on stdout, one line for an error, tables that line up.

use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::bail;
use mercer::kernel::ParseErrors;
use mercer::points::{NpyFloat, write_npy};

/// The answer to the question that a command asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    Yes,
    No,
}

/// Writes text to stdout; a reader that has gone away is not an error.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    match io::stdout().lock().write_all(text.as_bytes()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => Ok(other?),
    }
}

/// Writes a line about what is going on to stderr.
pub(crate) fn note(text: &str) {
    let _nobody_listens = writeln!(io::stderr(), "{text}");
}

/// One line to stderr, and on a terminal the place in the expression.
pub(crate) fn report(error: &anyhow::Error) -> ExitCode {
    let broken = error.chain().filter_map(|cause| cause.downcast_ref::<io::Error>());
    if broken.into_iter().any(|cause| cause.kind() == io::ErrorKind::BrokenPipe) {
        return ExitCode::SUCCESS;
    }
    match error.downcast_ref::<ParseErrors>() {
        Some(errors) => {
            note(&format!("mercer: {}", errors.one_line()));
            if io::stderr().is_terminal() {
                note(&format!("{errors}"));
            }
        }
        None => note(&format!("mercer: {error:#}").replace('\n', " ")),
    }
    ExitCode::from(2)
}

/// Columns that line up; the last is as long as it likes.
pub(crate) fn columns(rows: &[Vec<String>]) -> String {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> =
        (0..count).map(|c| rows.iter().filter_map(|row| row.get(c)).map(|cell| cell.chars().count()).max().unwrap_or(0)).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            line.push_str(&format!("{cell:width$}  "));
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// A number for people: six digits, without trailing noise.
pub(crate) fn number(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string().replace("inf", "infinite");
    }
    let size = value.abs();
    if (1e-4..1e7).contains(&size) {
        let digits = (5 - size.log10().floor() as i32).clamp(0, 9) as usize;
        let text = format!("{value:.digits$}");
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
    } else {
        format!("{value:.3e}")
    }
}

/// Writes a matrix row by row to .npy or .csv, into a temporary file that takes the name when it is whole.
pub(crate) fn matrix<T: NpyFloat + Copy + std::fmt::Display>(
    path: &Path,
    (rows, width): (usize, usize),
    header: Option<&[String]>,
    row: impl Fn(usize) -> Vec<T>,
) -> anyhow::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let npy = match path.extension().and_then(|e| e.to_str()) {
        Some("npy") => true,
        Some("csv") => false,
        _ => bail!("{}: a matrix is saved as .npy or .csv", path.display()),
    };
    let named = |error: io::Error| anyhow::anyhow!("{}: {error}", path.display());
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(named)?;
    let mut writer = io::BufWriter::new(file.as_file_mut());
    if npy {
        write_npy(&mut writer, rows, width, |i, out: &mut [T]| out.copy_from_slice(&row(i))).map_err(named)?;
    } else {
        write_csv(&mut writer, rows, header, row).map_err(named)?;
    }
    writer.flush().map_err(named)?;
    drop(writer);
    file.as_file().sync_all().map_err(named)?;
    file.persist(path).map_err(|error| named(error.error))?;
    Ok(())
}

/// Rows as CSV, each number in the fewest digits that read back the same.
pub(crate) fn write_csv<T: Copy + std::fmt::Display>(
    writer: &mut impl Write,
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

fn quote(name: &str) -> String {
    if name.contains([',', '"', '\n', '\r']) { format!("\"{}\"", name.replace('"', "\"\"")) } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let shown: Vec<String> = [0.0, 1.0, 0.5, 1.0 / 3.0, 12345.678, 1e-9, 1e20, -2.5].map(number).to_vec();
        assert_eq!(shown, ["0", "1", "0.5", "0.333333", "12345.7", "1.000e-9", "1.000e20", "-2.5"]);
    }
}
