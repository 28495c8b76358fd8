//! linfa-svm: SMO on the whole n × n matrix.

use linfa::Dataset;
use linfa::traits::{Fit, Predict};
use linfa_svm::Svm;
use ndarray::Array1;

use crate::arrays::{Problem, Solution};
use crate::measure::{Measured, measure};
use crate::{Failure, Settings};

/// Two classes, or numbers.
pub(crate) fn run(problem: &Problem, settings: &Settings) -> Result<Measured, Failure> {
    // The library divides the squared distance.
    let width = 1.0 / settings.gamma;
    if let Some(epsilon) = settings.epsilon {
        let data = Dataset::new(problem.x.clone(), Array1::from(problem.y.clone()));
        let params = Svm::<f64, f64>::params()
            .c_svr(settings.c, Some(epsilon))
            .eps(settings.tolerance)
            .gaussian_kernel(width);
        return measure(
            || Ok(params.fit(&data)?),
            |model| Ok(model.predict(&problem.x_test).to_vec()),
            |model| Ok(solution(&model.alpha)),
        );
    }
    let [first, second] = problem.two_classes()?;
    let targets: Array1<bool> = problem.y.iter().map(|&y| y == second).collect();
    let data = Dataset::new(problem.x.clone(), targets);
    let params = Svm::<f64, bool>::params()
        .pos_neg_weights(settings.c, settings.c)
        .eps(settings.tolerance)
        .gaussian_kernel(width);
    measure(
        || Ok(params.fit(&data)?),
        |model| {
            let answers: Array1<bool> = model.predict(&problem.x_test);
            Ok(answers.iter().map(|&yes| if yes { second } else { first }).collect())
        },
        |model| Ok(solution(&model.alpha)),
    )
}

/// The library keeps a coefficient for every row.
fn solution(alpha: &[f64]) -> Solution {
    let support: Vec<usize> = (0..alpha.len()).filter(|&row| alpha[row] != 0.0).collect();
    let coefficients = vec![support.iter().map(|&row| alpha[row]).collect()];
    let counts = vec![support.len()];
    Solution { support, coefficients, counts }
}
