"""One peer, one problem, one process: fit, predict, and store the solution.

worker.py PEER ARRAYS OUT SETTINGS     (SETTINGS: JSON with gamma, C, epsilon, threads, tolerance)
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np


def main() -> None:
    """Run and print what was measured as one line of JSON."""
    peer, arrays, out, settings = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), json.loads(sys.argv[4])
    threads = str(settings["threads"])
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = threads
    single = peer.endswith("f32")
    x, y, x_test, y_test = (np.load(arrays / f"{name}.npy") for name in ("x", "y", "x_test", "y_test"))
    if single:
        x, x_test = x.astype(np.float32), x_test.astype(np.float32)
    run = PEERS[peer](settings)
    x, x_test = run.prepare(x), run.prepare(x_test)
    before = peak()
    fit = timed(lambda: run.fit(x, y))
    after = peak()
    repeats = []
    while len(repeats) < 3 and (not repeats or sum(r["wall"] for r in repeats) < 2.0):
        repeats.append(timed(lambda: run.predict(x_test)))
    predict = min(repeats, key=lambda r: r["wall"])
    answers = np.asarray(run.predict(x_test)).ravel()
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
                "peak_mb": (after - before) / 1024,
                "support": len(run.solution()["support"]),
                "score": score,
            }
        )
    )


def peak() -> int:
    """The most memory that this process has held, in kB. On Linux getrusage counts what the driver held as well."""
    try:
        status = Path("/proc/self/status").read_text(encoding="utf-8")
        return int(status.partition("VmHWM:")[2].split()[0])
    except (OSError, IndexError):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


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

    def prepare(self, x: Any) -> Any:
        """Rows as they are."""
        return x

    def fit(self, x: Any, y: Any) -> None:
        """Train."""
        self.model.fit(x, y)

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
        import scipy.sparse
        from libsvm import svmutil

        self.rows, self.library = scipy.sparse.csr_matrix, svmutil
        self.options = (
            f"-q -s {kind} -t 2 -g {settings['gamma']} -c {settings['C']} -e {settings['tolerance']} -m 4000{epsilon}"
        )

    def prepare(self, x: Any) -> Any:
        """Rows as LIBSVM wants them, which is not what is timed."""
        return self.rows(x)

    def fit(self, x: Any, y: Any) -> None:
        """Train."""
        self.model = self.library.svm_train(y, x, self.options)

    def predict(self, x: Any) -> Any:
        """Classes or numbers."""
        return self.library.svm_predict([], x, self.model, "-q")[0]

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

    def fit(self, x: Any, y: Any) -> None:
        """Train."""
        super().fit(x, y)
        self.y = y

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
