"""Writes peers.txt: coefficients that LIBSVM and scikit-learn found, for `certify` to judge.

Usage: python make.py > peers.txt, with libsvm-official 3.37.0 and scikit-learn installed.
One line a solution: peer, data set, kernel, loss, C, offset, then α_1 … α_n.
"""

import csv
import gzip
import sys
from pathlib import Path

import numpy as np
from libsvm import svmutil
from sklearn.kernel_ridge import KernelRidge
from sklearn.svm import SVC, SVR

DATA = Path(__file__).resolve().parents[3] / "mercer-points/data"


def load(name, rows):
    with gzip.open(DATA / f"{name}.csv.gz", "rt") as file:
        table = list(csv.reader(file))[1:]
    x = np.array([[float(v) for v in row[:-1]] for row in table])
    labels = [row[-1] for row in table]
    try:
        y = np.array([float(v) for v in labels])
    except ValueError:
        names = sorted(set(labels))
        y = np.array([1.0 if v == names[1] else -1.0 for v in labels])
    keep = [k * len(y) // rows for k in range(rows)]
    return x[keep], y[keep]


def line(peer, name, kernel, loss, c, offset, alpha):
    print(
        ";".join(
            [
                peer,
                name,
                kernel,
                loss,
                repr(c),
                offset,
                " ".join(f"{a:.17g}" for a in alpha),
            ]
        )
    )


def libsvm(name, rows, options, kernel, loss, c):
    x, y = load(name, rows)
    model = svmutil.svm_train(y, x, f"{options} -c {c} -e 1e-6 -q")
    alpha = np.zeros(rows)
    sign = model.get_labels()[0] if loss == "hinge" else 1
    for coefficient, index in zip(model.get_sv_coef(), model.get_sv_indices(), strict=True):
        alpha[index - 1] = sign * coefficient[0]
    line("libsvm", name, kernel, loss, float(c), "yes", alpha)


def sklearn(name, rows, machine, kernel, loss, c):
    x, y = load(name, rows)
    machine.fit(x, y)
    alpha = np.zeros(rows)
    alpha[machine.support_] = machine.dual_coef_[0]
    line("scikit-learn", name, kernel, loss, float(c), "yes", alpha)


def ridge(name, rows, mu, gamma):
    x, y = load(name, rows)
    machine = KernelRidge(alpha=mu, kernel="rbf", gamma=gamma).fit(x, y)
    line(
        "scikit-learn",
        name,
        f"rbf(gamma={gamma})",
        "squared",
        1 / mu,
        "no",
        machine.dual_coef_,
    )


libsvm("heart", 120, "-s 0 -t 2 -g 0.001", "rbf(gamma=0.001)", "hinge", 10)
libsvm("sonar", 104, "-s 0 -t 0", "linear", "hinge", 1)
libsvm(
    "breast-cancer",
    120,
    "-s 0 -t 1 -d 2 -g 0.01 -r 1",
    "poly(degree=2, gamma=0.01, offset=1)",
    "hinge",
    0.5,
)
libsvm("yacht", 100, "-s 3 -t 2 -g 0.5 -p 0.2", "rbf(gamma=0.5)", "epsilon(epsilon=0.2)", 5)
sklearn("heart", 120, SVC(C=1, gamma=0.01, tol=1e-6), "rbf(gamma=0.01)", "hinge", 1)
sklearn(
    "yacht",
    100,
    SVR(C=20, gamma=1.0, epsilon=0.1, tol=1e-6),
    "rbf(gamma=1)",
    "epsilon(epsilon=0.1)",
    20,
)
ridge("yacht", 100, 0.1, 0.5)
sys.stdout.flush()
