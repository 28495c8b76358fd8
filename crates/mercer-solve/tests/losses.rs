//! Every loss keeps the laws of losses.

use mercer_solve::loss::{
    EpsilonInsensitive, Hinge, Huber, LOSSES, Logistic, Loss, LossSpec, Perceptron, Pinball, Squared,
    SquaredHinge,
};
use mercer_solve::testkit::check_loss;

#[test]
fn every_loss_keeps_the_laws() {
    let losses: [&dyn Loss; 14] = [
        &Hinge,
        &SquaredHinge,
        &Logistic,
        &Perceptron,
        &Squared,
        &EpsilonInsensitive { epsilon: 0.0 },
        &EpsilonInsensitive { epsilon: 0.1 },
        &EpsilonInsensitive { epsilon: 2.0 },
        &Huber { delta: 0.1 },
        &Huber { delta: 1.0 },
        &Huber { delta: 3.0 },
        &Pinball { tau: 0.1 },
        &Pinball { tau: 0.5 },
        &Pinball { tau: 0.9 },
    ];
    losses.into_iter().for_each(check_loss);
}

/// None is left out: what has a name is checked with its default parameter.
#[test]
fn every_name_in_the_list_keeps_the_laws() {
    for info in &LOSSES {
        let spec: LossSpec = info.name.parse().expect("a name in the list");
        check_loss(&*spec.build().expect("the default is in range"));
    }
}

mod broken {
    //! A check that cannot fail shows nothing.

    use mercer_solve::loss::{Hinge, Loss, Quadratic, Target};
    use mercer_solve::testkit::check_loss;

    /// The hinge with one thing wrong.
    #[derive(Debug)]
    struct Wrong(&'static str);

    impl Loss for Wrong {
        fn target(&self) -> Target {
            Target::Labels
        }
        fn value(&self, y: f64, f: f64) -> f64 {
            let value = Hinge.value(y, f);
            if self.0 == "convex" { value.sqrt() } else { value }
        }
        fn slopes(&self, y: f64, f: f64) -> (f64, f64) {
            let (low, high) = Hinge.slopes(y, f);
            if self.0 == "slopes" { (low - 0.1, high) } else { (low, high) }
        }
        fn slope(&self, y: f64, f: f64) -> f64 {
            if self.0 == "slope" { -Hinge.slope(y, f) } else { Hinge.slope(y, f) }
        }
        fn conjugate(&self, y: f64, u: f64) -> f64 {
            match self.0 {
                "conjugate" => 0.9 * Hinge.conjugate(y, u),
                "infinite" => y * u,
                _ => Hinge.conjugate(y, u),
            }
        }
        fn domain(&self, y: f64) -> (f64, f64) {
            let (low, high) = Hinge.domain(y);
            if self.0 == "domain" { (0.5 * low, 0.5 * high) } else { (low, high) }
        }
        fn curvature(&self, _: f64, _: f64) -> Option<f64> {
            (self.0 == "curvature").then_some(0.0)
        }
        fn proximal(&self, y: f64, z: f64, t: f64) -> Option<f64> {
            Hinge.proximal(y, z, if self.0 == "proximal" { 2.0 * t } else { t })
        }
        fn quadratic(&self, y: f64) -> Option<Quadratic> {
            let quadratic = Hinge.quadratic(y)?;
            Some(if self.0 == "quadratic" { Quadratic { kink: 0.1, ..quadratic } } else { quadratic })
        }
        fn scores(&self, y: f64, u: f64) -> (f64, f64) {
            let (low, high) = Hinge.scores(y, u);
            if self.0 == "scores" { (low - 0.5, high) } else { (low, high) }
        }
        fn kinks(&self, y: f64) -> Vec<f64> {
            if self.0 == "kinks" { Vec::new() } else { Hinge.kinks(y) }
        }
    }

    #[test]
    fn a_loss_with_one_thing_wrong_is_found_out() {
        check_loss(&Wrong("nothing"));
        let wrongs = [
            "convex",
            "slopes",
            "slope",
            "conjugate",
            "infinite",
            "domain",
            "curvature",
            "proximal",
            "quadratic",
            "scores",
            "kinks",
        ];
        for wrong in wrongs {
            let found = std::panic::catch_unwind(|| check_loss(&Wrong(wrong)));
            assert!(found.is_err(), "nobody noticed what is wrong with the {wrong}");
        }
    }
}
