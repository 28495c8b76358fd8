//! `mercer svm-predict`: labels for a LIBSVM file by a model of LIBSVM or of Mercer.

use mercer::model::libsvm::General;
use mercer::model::{Model, Outcome, Prediction};
use mercer::points::{ColumnData, Table};

use super::svm_data::{Rows, squared, write};
use crate::args::SvmPredict;
use crate::model_file;
use crate::output::{Answer, print};

pub(crate) fn run(arguments: &SvmPredict) -> anyhow::Result<Answer> {
    let options = arguments.options()?;
    let model = model_file::load(&options.model)?;
    let rows = Rows::read(&options.data)?;
    let prediction = predict(&model, &rows)?;
    let predicted = labels(&model, &prediction);
    let lines: String = predicted.iter().map(|label| format!("{label}\n")).collect();
    write(&options.output, &lines)?;
    if let Some(path) = &options.scores {
        write(path, &scores(&prediction))?;
    }
    if !options.quiet {
        print(&summary(&model, &rows.labels, &predicted))?;
    }
    Ok(Answer::Yes)
}

/// Scores and answers for the rows of a file.
pub(super) fn predict(model: &Model, rows: &Rows) -> anyhow::Result<Prediction> {
    // Sparse, since a file may leave the last features out.
    let mut table = Table::new();
    table.push("features", ColumnData::Sparse(rows.sparse()))?;
    Ok(model.predict(&table)?)
}

/// What the model says of each row, as LIBSVM writes it.
pub(super) fn labels(model: &Model, prediction: &Prediction) -> Vec<String> {
    match &prediction.outcome {
        Outcome::Classes(classes) => classes.iter().map(|&class| model.classes()[class].clone()).collect(),
        Outcome::Numbers(values) => values.iter().map(|&value| General::exact(value).to_string()).collect(),
        Outcome::Inside(inside) => inside.iter().map(|&is| if is { "1" } else { "-1" }.to_owned()).collect(),
    }
}

/// The decision values of each row.
fn scores(prediction: &Prediction) -> String {
    let line =
        |row: &[f64]| row.iter().map(|&v| General::exact(v).to_string()).collect::<Vec<_>>().join(" ") + "\n";
    prediction.scores.chunks(prediction.machines.max(1)).map(line).collect()
}

fn summary(model: &Model, truth: &[f64], predicted: &[String]) -> String {
    if model.task() == mercer::model::Task::Numbers {
        let values: Vec<f64> = predicted.iter().filter_map(|value| value.parse().ok()).collect();
        return squared("", truth, &values, " (regression)");
    }
    let (right, total) = (correct(truth, predicted), truth.len());
    let share = General::short(right as f64 / total as f64 * 100.0);
    format!("Accuracy = {share}% ({right}/{total}) (classification)\n")
}

/// How many labels are as they should be.
pub(super) fn correct(truth: &[f64], predicted: &[String]) -> usize {
    truth.iter().zip(predicted).filter(|(y, label)| label.parse() == Ok(**y)).count()
}
