//! `mercer stream`: the online perceptron on rows that come one by one.

use std::io::{self, BufRead};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use anyhow::{Context, bail};
use mercer::kernel::Registry;
use mercer::model::{Learner, Spec, Stream as Perceptron};
use mercer::points::{Column, ColumnData, Format, Kind, ReadOptions, Table, read_from};
use mercer::report::text::label;

use crate::args::Stream;
use crate::input::{kernel, kinds};
use crate::model_file;
use crate::output::{Answer, causes, count, note, number, quote, to_stdout};
use crate::watch::{listen, stopped};

/// How long a signal may wait for a row.
const PATIENCE: Duration = Duration::from_millis(50);

pub(crate) fn run(options: &Stream) -> anyhow::Result<Answer> {
    let mut spec = Spec::new(kernel(&options.kernel)?, Learner::OnlinePerceptron);
    spec.average = options.average;
    spec.keep = options.keep.map(|keep| keep as usize);
    model_file::check(&options.out)?;
    listen();
    let lines = lines_of_stdin();
    let Some(header) = next(&lines)? else {
        if stopped() {
            return Ok(Answer::No);
        }
        bail!("'standard input' is empty; a header and at least one row are needed");
    };
    let mut stream = Session {
        perceptron: Perceptron::new(&spec, &Registry::new())?,
        reader: Rows::new(header, options)?,
        classes: Vec::new(),
        options,
        seen: 0,
        mistakes: 0,
        support: 0,
        open: true,
    };
    stream.say("row,predicted,label,mistake\n")?;
    if let Err(error) = stream.rows(&lines) {
        // One bad row does not lose what the rows before it taught, if they were of both classes.
        if stream.save().is_err() {
            return Err(error);
        }
        let (rows, out) = (count(stream.seen, "row"), options.out.display());
        bail!("{}; the model of the {rows} before is saved: {out}", causes(&error));
    }
    if stream.seen == 0 {
        bail!("'standard input' has a header but no row below it");
    }
    stream.save()?;
    let rate = number(stream.mistakes as f64 / stream.seen as f64);
    note(&format!(
        "{}, {} ({rate} a row), support {}; saved: {}",
        count(stream.seen, "row"),
        count(stream.mistakes, "mistake"),
        stream.support,
        options.out.display()
    ));
    Ok(if stopped() { Answer::No } else { Answer::Yes })
}

/// The next row as text, or none at the end of the stream or after a signal.
fn next(lines: &Receiver<io::Result<String>>) -> anyhow::Result<Option<String>> {
    loop {
        if stopped() {
            return Ok(None);
        }
        match lines.recv_timeout(PATIENCE) {
            Ok(line) => return Ok(Some(line.context("standard input")?)),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok(None),
        }
    }
}

/// Rows as they arrive, read apart: a signal need not wait for the next one. A quoted cell may span lines.
fn lines_of_stdin() -> Receiver<io::Result<String>> {
    let (send, receive) = sync_channel(1024);
    thread::spawn(move || forward(&mut io::stdin().lock(), &send));
    receive
}

fn forward(reader: &mut impl BufRead, send: &SyncSender<io::Result<String>>) {
    let mut row = String::new();
    loop {
        let read = reader.read_line(&mut row);
        let ended = matches!(read, Ok(0));
        let is_open = row.bytes().filter(|&b| b == b'"').count() % 2 == 1;
        let sent = match read {
            Err(error) => send.send(Err(error)).and(Err(std::sync::mpsc::SendError(Ok(String::new())))),
            Ok(_) if is_open && !ended && row.len() < LONGEST => continue,
            Ok(_) if row.trim().is_empty() => Ok(()),
            Ok(_) => send.send(Ok(row.trim_end_matches(['\n', '\r']).to_owned())),
        };
        // Nobody listens any more, or nothing more comes.
        if ended || sent.is_err() {
            return;
        }
        row.clear();
    }
}

/// A row that is longer than this has a quote that never closes.
const LONGEST: usize = 16 << 20;

/// Text to rows: the first one settles which columns hold numbers.
struct Rows {
    header: String,
    options: ReadOptions,
    settled: bool,
}

impl Rows {
    fn new(header: String, options: &Stream) -> anyhow::Result<Self> {
        let mut read = ReadOptions {
            header: Some(true),
            target: Some(options.target.clone()),
            ..ReadOptions::default()
        };
        read.kinds = kinds(&options.kind)?;
        // A class is a name, also where it looks like a number.
        read.kinds.entry(options.target.clone()).or_insert(Kind::Categories);
        Ok(Self { header, options: read, settled: false })
    }

    fn read(&mut self, row: &str, number: usize) -> anyhow::Result<(Table, Column)> {
        let text = format!("{}\n{row}\n", self.header);
        let read = read_from(text.as_bytes(), "standard input", Format::Csv, &self.options);
        // Every row is read as the second line of a small file.
        let place =
            |error: String| anyhow::anyhow!("{}", error.replacen("line 2", &format!("row {number}"), 1));
        let mut table = read.map_err(|error| place(error.to_string()))?;
        if !self.settled {
            for column in table.columns() {
                let kind = match column.data {
                    ColumnData::Numbers(_) => Kind::Numbers,
                    ColumnData::Texts(_) => Kind::Texts,
                    _ => Kind::Categories,
                };
                self.options.kinds.entry(column.name.clone()).or_insert(kind);
            }
            self.settled = true;
        }
        let target = table.remove(&self.options.target.clone().unwrap_or_default())?;
        if table.columns().is_empty() {
            bail!("standard input: there is no column besides the target");
        }
        Ok((table, target))
    }
}

/// A stream with its score.
struct Session<'a> {
    perceptron: Perceptron,
    reader: Rows,
    /// The classes so far.
    classes: Vec<String>,
    options: &'a Stream,
    seen: usize,
    mistakes: usize,
    support: usize,
    /// Whether somebody still reads what is printed.
    open: bool,
}

impl Session<'_> {
    /// Rows until the stream ends, or until nobody reads what is printed.
    fn rows(&mut self, lines: &Receiver<io::Result<String>>) -> anyhow::Result<()> {
        while self.open
            && let Some(text) = next(lines)?
        {
            self.row(&text)?;
        }
        Ok(())
    }

    fn row(&mut self, text: &str) -> anyhow::Result<()> {
        let number = self.seen + 1;
        let (table, target) = self.reader.read(text, number)?;
        let truth = label(&target.data, 0);
        let empty = self.support == 0;
        let report = self
            .perceptron
            .observe(&table, &target)
            .with_context(|| format!("standard input, row {number}"))?;
        let mistake = report.mistakes > 0;
        // With two classes a mistake is the other one; before anything is learned there is no answer.
        let other = self.classes.iter().find(|class| **class != truth);
        let predicted = if !mistake { Some(&truth) } else { other.filter(|_| !empty) };
        let predicted = predicted.map_or_else(String::new, |class| quote(class));
        let line = format!("{number},{predicted},{},{}\n", quote(&truth), u8::from(mistake));
        if !self.classes.contains(&truth) {
            self.classes.push(truth);
        }
        (self.seen, self.support) = (number, report.support);
        self.mistakes += usize::from(mistake);
        self.say(&line)?;
        // A model of one class is none yet.
        let is_due = (number as u64).is_multiple_of(self.options.every) && self.classes.len() > 1;
        if is_due { self.save() } else { Ok(()) }
    }

    fn save(&self) -> anyhow::Result<()> {
        model_file::save(&self.perceptron.model()?, &self.options.out)
    }

    /// Prints at once; a reader that has gone away ends the stream, and the model is saved.
    fn say(&mut self, text: &str) -> anyhow::Result<()> {
        let mut gone = false;
        to_stdout(|writer| {
            let written = writer.write_all(text.as_bytes()).and_then(|()| writer.flush());
            gone = written.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::BrokenPipe);
            written
        })?;
        self.open &= !gone;
        Ok(())
    }
}
