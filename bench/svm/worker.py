"""One peer, one problem, one process: fit, predict, and store the solution.

worker.py PEER ARRAYS OUT SETTINGS     (SETTINGS: JSON with gamma, C, epsilon, threads, tolerance)
"""

from __future__ import annotations

import ctypes
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from memory import grown, watched


def main() -> None:
    """Run and print what was measured as one line of JSON."""
    peer, arrays, out, settings = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), json.loads(sys.argv[4])
    single = peer.endswith("f32")
    x, y, x_test, y_test = (np.load(arrays / f"{name}.npy") for name in ("x", "y", "x_test", "y_test"))
    if single:
        x, x_test = x.astype(np.float32), x_test.astype(np.float32)
    run = PEERS[peer](settings)
    given, asked = run.training(x, y), run.rows(x_test)
    before = watched()
    fit = timed(lambda: run.fit(given))
    memory = grown(before)
    repeats = []
    while len(repeats) < 3 and (not repeats or sum(r["wall"] for r in repeats) < 2.0):
        repeats.append(timed(lambda: run.predict(asked)))
    predict = min(repeats, key=lambda r: r["wall"])
    answers = np.asarray(run.predict(asked)).ravel()
    score = (
        float(np.sqrt(np.mean((answers - y_test) ** 2)))
        if settings["epsilon"] is not None
        else float(np.mean(answers == y_test))
    )
    np.savez(out, **run.solution())
    print(
        json.dumps(
            {
                "fit": fit,
                "predict": predict,
                "rows": len(y_test),
                "peak_mb": memory / 2**20,
                "support": len(run.solution()["support"]),
                "score": score,
            }
        )
    )


def timed(work: Callable[[], Any]) -> dict[str, float]:
    """Seconds by the clock and by the processors."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}


class Estimator:
    """Anything with scikit-learn's interface."""

    def __init__(self, module: Any, settings: dict[str, Any], **more: Any) -> None:
        given = {key: settings[key] for key in ("gamma", "C")} | {"tol": settings["tolerance"]} | more
        if settings["epsilon"] is None:
            self.model = module.SVC(kernel="rbf", **given)
        else:
            self.model = module.SVR(kernel="rbf", epsilon=settings["epsilon"], **given)

    def training(self, x: Any, y: Any) -> Any:
        """Rows and targets in the form in which they are given to a fit; what it takes to make it is not timed."""
        return x, y

    def rows(self, x: Any) -> Any:
        """The same of rows that are asked about."""
        return x

    def fit(self, given: Any) -> None:
        """Train."""
        self.model.fit(*given)

    def predict(self, x: Any) -> Any:
        """Classes or numbers."""
        return self.model.predict(x)

    def solution(self) -> dict[str, Any]:
        """Support rows and coefficients, as LIBSVM arranges them."""
        model = self.model
        return {
            "support": np.asarray(model.support_),
            "coefficients": np.asarray(model.dual_coef_),
            "counts": np.asarray(model.n_support_),
        }


def mercer(settings: dict[str, Any]) -> Estimator:
    """This project."""
    import mercer

    # Imports, threads and tables are made before the clock runs, as they are for the others.
    mercer.SVC(n_jobs=settings["threads"]).fit([[0.0], [1.0]], [0, 1])
    return Estimator(mercer, settings, n_jobs=settings["threads"])


def scikit(settings: dict[str, Any]) -> Estimator:
    """scikit-learn: LIBSVM, one thread."""
    import sklearn.svm

    return Estimator(sklearn.svm, settings, cache_size=4000)


def intel(settings: dict[str, Any]) -> Estimator:
    """scikit-learn-intelex: oneDAL."""
    import daal4py
    import sklearnex.svm

    daal4py.daalinit(settings["threads"])
    sklearnex.svm.SVC().fit([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1])
    return Estimator(sklearnex.svm, settings, cache_size=4000)


class Libsvm:
    """LIBSVM by its own Python package."""

    def __init__(self, settings: dict[str, Any]) -> None:
        kind, epsilon = ("0", "") if settings["epsilon"] is None else ("3", f" -p {settings['epsilon']}")
        from libsvm import svm, svmutil

        self.library, self.train = svm, svmutil.svm_train
        self.options = (
            f"-q -s {kind} -t 2 -g {settings['gamma']} -c {settings['C']} -e {settings['tolerance']} -m 4000{epsilon}"
        )

    def training(self, x: Any, y: Any) -> Any:
        """LIBSVM's own structures, which its package makes of arrays one number after the other."""
        import scipy.sparse

        return self.library.svm_problem(y, scipy.sparse.csr_matrix(x))

    def rows(self, x: Any) -> Any:
        """The same."""
        return self.training(x, np.zeros(len(x)))

    def fit(self, given: Any) -> None:
        """Train."""
        self.model = self.train(given, self.options)
        classes = self.model.get_nr_class()
        self.scores = (ctypes.c_double * max(1, classes * (classes - 1) // 2))()

    def predict(self, rows: Any) -> Any:
        """Classes or numbers."""
        answer = self.library.libsvm.svm_predict_values
        return [answer(self.model, rows.x[i], self.scores) for i in range(rows.l)]

    def solution(self) -> dict[str, Any]:
        """Support rows and coefficients, with the classes in the order of their numbers."""
        model = self.model
        support = np.array(model.get_sv_indices()) - 1
        coefficients = np.array(model.get_sv_coef()).reshape(len(support), -1).T
        counts = np.array([model.nSV[k] for k in range(model.nr_class)]) if model.nSV else np.array([len(support)])
        if len(counts) > 2:
            support, coefficients, counts = in_order(np.array(model.get_labels()), support, coefficients, counts)
        return {"support": support, "coefficients": coefficients, "counts": counts}


def in_order(labels: Any, support: Any, coefficients: Any, counts: Any) -> tuple[Any, Any, Any]:
    """LIBSVM's arrangement for classes in the order of their labels; it has them in the order of their appearance."""
    order = np.argsort(labels)
    ends = np.cumsum(counts)
    parts = [np.arange(end - count, end) for end, count in zip(ends, counts, strict=True)]
    taken = np.concatenate([parts[k] for k in order])
    arranged = np.zeros_like(coefficients)
    for place, k in enumerate(order):
        for other, m in enumerate(order):
            if other != place:
                # Row of class m among the others of class k, before and after.
                arranged[other - (other > place), parts[k]] = coefficients[m - (m > k), parts[k]]
    return support[taken], arranged[:, taken], counts[order]


class Thunder(Estimator):
    """ThunderSVM, where it loads."""

    def __init__(self, settings: dict[str, Any]) -> None:
        import thundersvm

        super().__init__(thundersvm, settings, n_jobs=settings["threads"])

    def fit(self, given: Any) -> None:
        """Train."""
        super().fit(given)
        self.y = given[1]

    def solution(self) -> dict[str, Any]:
        """Support rows and coefficients, with the classes in the order of their numbers."""
        found = super().solution()
        if len(found["counts"]) > 2:
            labels = self.y[np.sort(np.unique(self.y, return_index=True)[1])]
            found = dict(zip(found, in_order(labels, *found.values()), strict=True))
        return found


PEERS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "mercer": mercer,
    "mercer f32": mercer,
    "oneDAL f32": intel,
    "oneDAL f64": intel,
    "scikit-learn": scikit,
    "libsvm": Libsvm,
    "thundersvm": Thunder,
}

if __name__ == "__main__":
    main()
