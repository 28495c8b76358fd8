//! Solutions of LIBSVM and scikit-learn, judged by the same `certify` (`golden/make.py` wrote them).
#![allow(clippy::unwrap_used)]

use mercer_gram::Lazy;
use mercer_points::{ColumnData, Points, read};
use mercer_solve::loss::LossSpec;
use mercer_solve::solvers::Smo;
use mercer_solve::{Objective, Problem, Regularization, Run, Solver, Tolerance, certify};

#[test]
fn what_peers_found_is_optimal_to_their_tolerance() {
    let peers = include_str!("golden/peers.txt");
    assert_eq!(peers.lines().count(), 7);
    for line in peers.lines() {
        let cells: Vec<&str> = line.split(';').collect();
        let [peer, data, kernel, loss, c, offset, alpha] = cells[..] else { panic!("{line}") };
        let alpha: Vec<f64> = alpha.split(' ').map(|a| a.parse().unwrap()).collect();
        let mut table = read(&format!("@{data}"), &Default::default()).unwrap();
        let keep: Vec<usize> = (0..alpha.len()).map(|k| k * table.len() / alpha.len()).collect();
        table = table.select(&keep);
        let y: Vec<f64> = match table.remove("label").unwrap().data {
            ColumnData::Numbers(y) => y,
            ColumnData::Categories(c) => c.codes().iter().map(|&c| 2.0 * f64::from(c) - 1.0).collect(),
            other => panic!("{} is no target", other.kind()),
        };
        let gram = Lazy::new(&kernel.parse().unwrap(), &table).unwrap();
        let loss = loss.parse::<LossSpec>().unwrap().build().unwrap();
        let lambda = Regularization::C(c.parse().unwrap()).lambda(y.len()).unwrap();
        let problem = Problem::new(&gram, &y, Objective::Risk(&*loss), lambda, offset == "yes").unwrap();
        let ours = Smo::default().solve(&problem, None, &mut Run::quiet(Tolerance::default())).unwrap();
        let mut theirs = ours.clone();
        theirs.alpha = alpha;
        let (ours, theirs) = (certify(&problem, &ours), certify(&problem, &theirs));
        let name = format!("{peer} on {data}");
        assert!(theirs.relative_gap < 1e-4, "{name}: relative gap {:e}", theirs.relative_gap);
        assert!(theirs.violation < 1e-4 * (1.0 + theirs.norm), "{name}: violation {:e}", theirs.violation);
        let apart = (ours.primal - theirs.primal).abs();
        assert!(apart <= ours.gap + theirs.gap + 1e-12 * ours.primal, "{name}: {apart:e} apart");
    }
}
