//! Round trips through a [`Model`], and what cannot be written.

use super::*;

/// Three classes, four support vectors, one of which two machines use.
const THREE: &str = "svm_type c_svc\nkernel_type rbf\ngamma 0.5\nnr_class 3\ntotal_sv 4\nrho 0.25 -0.5 1\n\
    label 3 -1 2\nnr_sv 2 1 1\nSV\n1 0 1:0.5 3:-2 \n0 1 \n-1 0.5 2:1 \n-1 -0.5 4:7 \n";

fn model(text: &str) -> Model {
    to_model(&LibsvmModel::parse(text).unwrap(), "three").unwrap()
}

#[test]
fn a_model_of_several_classes_is_written_as_it_was_read() {
    let model = model(THREE);
    assert_eq!(model.classes(), ["3", "-1", "2"]);
    let pairs: Vec<_> = model.machines().iter().map(|machine| machine.pair()).collect();
    assert_eq!(pairs, [Some((0, 1)), Some((0, 2)), Some((1, 2))]);
    assert_eq!(model.machines()[0].coefficients, vec![1.0, 0.0, -1.0, 0.0].into());
    assert_eq!(model.machines()[1].coefficients, vec![0.0, 1.0, 0.0, -1.0].into());
    assert_eq!(model.machines()[2].coefficients, vec![0.0, 0.0, 0.5, -0.5].into());
    assert_eq!(model.machines().iter().map(|m| m.bias).collect::<Vec<_>>(), [-0.25, 0.5, -1.0]);
    assert!(!model.certified());
    assert_eq!(from_model(&model).unwrap().to_string(), THREE);
}

#[test]
fn models_without_classes_are_written_as_they_were_read() {
    for (name, task) in
        [("one_class", Task::Novelty), ("epsilon_svr", Task::Numbers), ("nu_svr", Task::Numbers)]
    {
        let text = format!(
            "svm_type {name}\nkernel_type sigmoid\ngamma 0.5\ncoef0 -1\nnr_class 2\ntotal_sv 2\nrho 3\nSV\n1 2:1 \n0.5 1:7 \n"
        );
        let model = model(&text);
        assert_eq!((model.task(), model.machines()[0].bias), (task, -3.0));
        assert_eq!(from_model(&model).unwrap().to_string(), text);
    }
}

#[test]
fn of_two_classes_the_second_is_written_first() {
    let text = "svm_type nu_svc\nkernel_type linear\nnr_class 2\ntotal_sv 2\nrho 0.5\nlabel 1 -1\nnr_sv 1 1\nSV\n\
        2 1:1 \n-2 2:1 \n";
    let read = model(text);
    assert_eq!((read.classes(), read.machines()[0].between), (&["-1".to_owned(), "1".to_owned()][..], None));
    assert_eq!(from_model(&read).unwrap().to_string(), text);
    // A pair says so itself.
    let mut parts = read.into_parts();
    parts.classes.reverse();
    parts.machines[0].between = Some(Between::Pair(0, 1));
    assert_eq!(from_model(&Model::from_parts(parts).unwrap()).unwrap().to_string(), text);
}

#[test]
fn signs_that_no_class_has_are_taken_as_they_are() {
    // The first vector is used with both signs, the second by nobody.
    let odd = THREE.replace("1 0 1:0.5 3:-2 ", "1 -2 1:0.5 3:-2 ").replace("\n0 1 \n", "\n0 0 \n");
    let model = model(&odd);
    assert_eq!(model.machines()[1].coefficients, vec![-2.0, 0.0, 0.0, -1.0].into());
    let vectors = [[0.5, 0.0, -2.0, 0.0], [0.0; 4], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 7.0]];
    let table = points(&Sparse::from_rows(4, vec![vec![(0, 1.0), (1, -1.0)]]).unwrap());
    let kernel = |v: &[f64; 4]| {
        let apart: f64 = v.iter().zip([1.0, -1.0, 0.0, 0.0]).map(|(a, b)| (a - b) * (a - b)).sum();
        (-0.5 * apart).exp()
    };
    let scores = model.predict(&table).unwrap().scores;
    for (machine, score) in model.machines().iter().zip(scores) {
        let want: f64 = machine.coefficients.used().map(|(j, alpha)| alpha * kernel(&vectors[j])).sum();
        assert!((score - machine.bias - want).abs() < 1e-12, "{score} {want}");
    }
}

#[test]
fn columns_of_numbers_stand_for_the_features_in_order() {
    let text = "svm_type nu_svr\nkernel_type linear\nnr_class 2\ntotal_sv 1\nrho 0\nSV\n1 1:2 3:5 \n";
    let mut table = Table::new();
    for (name, value) in [("a", 1.0), ("b", 7.0), ("c", 10.0)] {
        table.push(name, ColumnData::Numbers(vec![value])).unwrap();
    }
    assert_eq!(model(text).predict(&table).unwrap().scores, [52.0]);
    table.push("d", ColumnData::Numbers(vec![1.0])).unwrap();
    let said = model(text).predict(&table).unwrap_err().to_string();
    assert!(said.contains("the data lack the column 'features'"), "{said}");
}

#[test]
fn one_class_machines_get_the_scale_of_libsvm() {
    let text =
        "svm_type one_class\nkernel_type linear\nnr_class 2\ntotal_sv 2\nrho 0.5\nSV\n0.25 1:1 \n0.75 2:1 \n";
    let mut parts = model(text).into_parts();
    parts.provenance.rows = 20;
    parts.spec.nu = 0.1;
    let written = from_model(&Model::from_parts(parts).unwrap()).unwrap();
    assert_eq!((written.rho, written.coefficients), (vec![1.0], vec![vec![0.5, 1.5]]));
}

#[test]
fn what_libsvm_cannot_say_is_named() {
    let said = |change: fn(&mut Parts)| {
        let mut parts = model(THREE).into_parts();
        change(&mut parts);
        from_model(&Model::from_parts(parts).unwrap()).unwrap_err().to_string()
    };
    let class = said(|parts| parts.classes[1] = "cat".to_owned());
    assert!(class.ends_with("the class 'cat' is not a whole number, as labels of LIBSVM are"), "{class}");
    let kernel = said(|parts| parts.kernel = "rbf(gamma=1) + linear".parse().unwrap());
    assert!(kernel.ends_with("and this is rbf(gamma=1) + linear"), "{kernel}");
    let shared = said(|parts| {
        for machine in &mut parts.machines {
            let all = machine.coefficients.iter().enumerate();
            machine.coefficients =
                all.map(|(j, a)| if j == 0 { 1.0 } else { a }).collect::<Vec<f64>>().into();
        }
    });
    assert!(shared.contains("support vector 1 is used by pairs without a common class"), "{shared}");
    let width = model(THREE).into_parts();
    let wide = Model::from_parts(Parts { kernel: "rbf(width=2)".parse().unwrap(), ..width }).unwrap();
    assert_eq!(from_model(&wide).unwrap().kernel, LibsvmKernel::Rbf { gamma: 0.25 });
}

#[test]
fn kernels_are_within_what_the_language_takes() {
    for (kernel, text) in [
        (LibsvmKernel::Linear, "linear"),
        (
            LibsvmKernel::Polynomial { degree: 2, gamma: 1e-9, coef0: -1.5 },
            "poly(degree=2, gamma=1e-9, offset=-1.5)",
        ),
        (LibsvmKernel::Sigmoid { gamma: 1e30, coef0: 0.0 }, "sigmoid(gamma=1e30, offset=0)"),
    ] {
        assert_eq!(expression(kernel).unwrap().to_string(), text);
        assert_eq!(libsvm_kernel(&expression(kernel).unwrap()).unwrap(), kernel);
    }
    assert!(expression(LibsvmKernel::Rbf { gamma: -1.0 }).unwrap_err().contains("gamma"));
    assert!(expression(LibsvmKernel::Polynomial { degree: 65, gamma: 1.0, coef0: 0.0 }).is_err());
}

#[test]
fn files() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.model");
    model(THREE).write_libsvm(&path).unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), THREE);
    assert_eq!(Model::read_libsvm(&path).unwrap().parts().machines, model(THREE).parts().machines);
    std::fs::write(&path, THREE.replace("nr_sv 2", "nr_sv 3")).unwrap();
    let error = Model::read_libsvm(&path).unwrap_err().to_string();
    assert!(
        error.ends_with("is not a model that can be used: line 8: nr_sv adds up to 5, total_sv is 4"),
        "{error}"
    );
    std::fs::write(&path, [0xff, 0xfe]).unwrap();
    assert!(matches!(Model::read_libsvm(&path), Err(ModelError::Corrupt { .. })));
    assert!(matches!(Model::read_libsvm(folder.path()), Err(ModelError::File { .. })));
    let nowhere = folder.path().join("nowhere/a.model");
    assert!(matches!(model(THREE).write_libsvm(&nowhere), Err(ModelError::File { .. })));
}
