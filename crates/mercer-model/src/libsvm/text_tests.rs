//! Round trips and lies.

use proptest::prelude::*;

use super::*;

/// Three classes on four points, as LIBSVM writes it.
const THREE: &str = "svm_type c_svc\nkernel_type polynomial\ndegree 3\ngamma 0.5\ncoef0 -1\nnr_class 3\ntotal_sv 4\n\
    rho 0.25 -0.5 1e-300\nlabel 3 -1 2\nnr_sv 2 1 1\nSV\n1 0 1:0.5 3:-2 \n0 1 \n-1 0.5 2:1 \n-1 -0.5 4:7 \n";

fn refused(text: &str) -> String {
    LibsvmModel::parse(text).unwrap_err().to_string()
}

#[test]
fn what_is_read_is_printed_again() {
    let model = LibsvmModel::parse(THREE).unwrap();
    assert_eq!(model.to_string(), THREE);
    assert_eq!(model.kernel, LibsvmKernel::Polynomial { degree: 3, gamma: 0.5, coef0: -1.0 });
    assert_eq!((model.rho.len(), model.labels.as_slice()), (3, &[3, -1, 2][..]));
    assert_eq!(model.coefficients, [[1.0, 0.0, -1.0, -1.0], [0.0, 1.0, 0.5, -0.5]]);
    assert_eq!((model.vectors.len(), model.vectors.dim()), (4, 4));
    let crlf = THREE.replace('\n', "\r\n");
    assert_eq!(LibsvmModel::parse(&crlf).unwrap(), model);
}

#[test]
fn regression_and_probabilities() {
    let text = "svm_type epsilon_svr\nkernel_type rbf\ngamma 0.1\nnr_class 2\ntotal_sv 1\nrho -3\nprobA 0.5\nSV\n2 1:1 \n";
    let model = LibsvmModel::parse(text).unwrap();
    assert!(model.probabilities && model.labels.is_empty() && model.counts.is_empty());
    let again = text.replace("probA 0.5\n", "").replace("0.1", "0.10000000000000001");
    assert_eq!(model.to_string(), again);
    let empty = text.replace("total_sv 1", "total_sv 0").replace("2 1:1 \n", "");
    assert_eq!(LibsvmModel::parse(&empty).unwrap().vectors.len(), 0);
}

#[test]
fn each_lie_has_its_message_and_line() {
    for (from, to, message) in [
        (
            "c_svc",
            "d_svc",
            "line 1: there is no svm_type 'd_svc'; there are c_svc, nu_svc, one_class, epsilon_svr, nu_svr",
        ),
        ("polynomial", "precomputed", "line 2: a precomputed kernel"),
        ("polynomial", "poly\u{7}", "line 2: there is no kernel_type 'poly\\u{7}'"),
        ("degree 3", "degree -3", "line 3: '-3' is no value of 'degree'"),
        ("degree 3", "degree 99999999999", "line 2: degree 99999999999 is too large"),
        ("gamma 0.5", "gamma nan", "line 4: 'nan' is no value of 'gamma'"),
        ("gamma 0.5\n", "", "line 10: 'SV' begins and there was no 'gamma'"),
        ("coef0 -1", "coef0 1 2", "line 5: 'coef0' has more than the 1 values"),
        ("nr_class 3", "nr_class 1000000000000", "line 6: nr_class is 1000000000000"),
        ("nr_class 3", "nr_class 1", "line 6: nr_class is 1; there must be two"),
        ("nr_class 3", "nr_class 0", "line 6: nr_class is 0"),
        ("nr_class 3", "nr_class 1000000", "line 8: 'rho' has 3 of 499999500000 values"),
        ("nr_class 3", "nr_class 2", "line 8: 'rho' has more than the 1 values"),
        ("total_sv 4", "total_sv 1000000000000", "line 10: nr_sv adds up to 4, total_sv is 1000000000000"),
        ("total_sv 4", "total_sv x", "line 7: 'x' is no value of 'total_sv'"),
        ("1e-300", "inf", "line 8: 'inf' is no value of 'rho'"),
        ("label 3 -1 2", "label 3 -1 3", "line 9: the label 3 is given twice"),
        ("label 3 -1 2", "label 3 -1 0.5", "line 9: '0.5' is no value of 'label'"),
        ("label 3 -1 2", "label 3 -1 3000000000", "line 9: '3000000000' is no value of 'label'"),
        ("nr_sv 2 1 1", "nr_sv 2 1", "line 10: 'nr_sv' has 2 of 3 values"),
        ("nr_sv 2 1 1", "nr_sv 4000000000 4000000000 1", "line 10: nr_sv adds up to 8000000001"),
        ("nr_sv 2 1 1", "nr_sv 2 1 1\nnr_sv 2 1 1", "line 11: 'nr_sv' is given twice"),
        ("nr_sv 2 1 1", "hello world", "line 10: no line of a LIBSVM model begins with 'hello'"),
        ("1:0.5 3:-2", "3:0.5 1:-2", "line 12: the index 1 comes after 3; they must ascend"),
        ("1:0.5 3:-2", "1:0.5 1:-2", "line 12: the index 1 comes after 1"),
        ("1:0.5", "0:0.5", "line 12: '0' is no index; they count from 1"),
        ("1:0.5", "-1:0.5", "line 12: '-1' is no index"),
        ("1:0.5", "5000000000:0.5", "line 12: '5000000000' is no index"),
        ("1:0.5", "1:nan", "line 12: 'nan' is not a finite number"),
        ("1:0.5", "half", "line 12: 'half' is not index:value"),
        ("0 1 \n", "0 \n", "line 13: nothing where coefficient 2 of 2 belongs"),
        ("-1 -0.5 4:7 \n", "-1 inf 4:7 \n", "line 15: 'inf' where coefficient 2 of 2 belongs"),
        ("-1 -0.5 4:7 \n", "\n", "line 15: the file ends after 3 of 4 support vectors"),
        ("-1 -0.5 4:7 \n", "-1 -0.5 4:7 \n1 1 4:7\n", "line 16: more than the 4 support vectors"),
        ("SV\n", "", "line 11: no line of a LIBSVM model begins with '1'"),
    ] {
        let text = THREE.replacen(from, to, 1);
        assert_ne!(text, THREE, "{from}");
        let said = refused(&text);
        assert!(said.starts_with(message), "{from} -> {to}: {said}");
    }
    assert_eq!(refused(""), "line 1: the file ends before 'SV'");
    assert_eq!(refused("svm_type c_svc\n"), "line 2: the file ends before 'SV'");
}

#[test]
fn claims_alone_cost_nothing() {
    let text =
        "svm_type one_class\nkernel_type linear\nnr_class 2\ntotal_sv 1000000000000\nrho 0\nSV\n1 1:1\n";
    assert_eq!(refused(text), "line 8: the file ends after 1 of 1000000000000 support vectors");
    let text = text.replace("1000000000000", "1").replace("1:1", "4294967295:1");
    assert_eq!(LibsvmModel::parse(&text).unwrap().vectors.dim(), u32::MAX as usize);
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(cut in 0usize..400, with in "[ -~\n]{0,40}") {
        let cut = cut.min(THREE.len());
        let _any = LibsvmModel::parse(&THREE[..cut]);
        let _any = LibsvmModel::parse(&format!("{}{with}{}", &THREE[..cut], &THREE[cut..]));
        let _any = LibsvmModel::parse(&with);
    }

    #[test]
    fn every_model_reads_back(
        classes in 2usize..5,
        values in prop::collection::vec(prop::num::f64::NORMAL, 40),
        sizes in prop::collection::vec(0usize..3, 4),
    ) {
        let mut source = values.iter().copied().cycle();
        let mut next = || source.next().unwrap_or(0.0);
        let counts = sizes[..classes].to_vec();
        let total: usize = counts.iter().sum();
        let model = LibsvmModel {
            svm_type: SvmType::NuSvc,
            kernel: LibsvmKernel::Sigmoid { gamma: next(), coef0: next() },
            rho: (0..classes * (classes - 1) / 2).map(|_| next()).collect(),
            labels: (0..classes as i32).map(|label| 1 - label).collect(),
            counts,
            coefficients: (1..classes).map(|_| (0..total).map(|_| next()).collect()).collect(),
            // The last index is stored, so that the dimension reads back.
            vectors: Sparse::from_rows(
                if total > 0 { 6 } else { 0 },
                (0..total).map(|i| vec![(i as u32 % 5, next()), (5, next())]).collect::<Vec<_>>(),
            ).unwrap(),
            probabilities: false,
        };
        prop_assert_eq!(LibsvmModel::parse(&model.to_string()).unwrap(), model);
    }
}
