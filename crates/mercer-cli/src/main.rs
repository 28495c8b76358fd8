//! The `mercer` command.
//!
//! A thin shell: words to values, values to the library, answers to text. Data goes to stdout and everything else to
//! stderr; exit 0 is success, 1 "done, and the answer is no", 2 an error, said in one line.

mod args;
mod commands;
mod input;
mod labels;
mod model_file;
mod output;
mod specify;
mod watch;

use std::process::ExitCode;

use clap::Parser;

use args::{Arguments, Command};
pub(crate) use mercer::report::words;
use output::Answer;

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(refused) => return output::refuse(&refused),
    };
    if let Some(threads) = arguments.threads {
        // The global pool is made here, first thing; a second one cannot be in the way.
        let _made_once = rayon::ThreadPoolBuilder::new().num_threads(threads).build_global();
    }
    match run(arguments) {
        Ok(Answer::Yes) => ExitCode::SUCCESS,
        Ok(Answer::No) => ExitCode::from(1),
        Err(error) => output::report(&error),
    }
}

fn run(arguments: Arguments) -> anyhow::Result<Answer> {
    match arguments.command {
        Command::Demo(demo) => commands::demo::run(&demo),
        Command::Fit(fit) => commands::fit::run(&fit),
        Command::Auto(auto) => commands::auto::run(&auto),
        Command::Tune(tune) => commands::tune::run(&tune),
        Command::Path(path) => commands::path::run(&path),
        Command::Predict(predict) => commands::predict::run(&predict),
        Command::Show(show) => commands::show::run(&show),
        Command::Plot(plot) => commands::plot::run(&plot),
        Command::Report(report) => commands::report::run(&report),
        Command::Stream(stream) => commands::stream::run(&stream),
        Command::Gram(gram) => commands::gram::run(&gram),
        Command::Check(check) => commands::check::run(&check),
        Command::Features(features) => commands::features::run(&features),
        Command::Learners(list) => commands::learners::run(&list),
        Command::Kernels(list) => commands::kernels::run(&list),
        Command::Maps(list) => commands::maps::run(&list),
        Command::Data(list) => commands::data::run(&list),
        Command::Explain(explain) => commands::explain::run(&explain),
        Command::SvmTrain(train) => commands::svm_train::run(&train),
        Command::SvmPredict(predict) => commands::svm_predict::run(&predict),
        Command::SvmScale(scale) => commands::svm_scale::run(&scale),
        Command::Completions { shell } => commands::shell::completions(shell),
        Command::Manual => commands::shell::manual(),
    }
}
