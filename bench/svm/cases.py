"""What is measured: data sets as arrays on disk, and the problems that are posed on them."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[Any]
#: Training rows and targets, test rows and targets.
Split = tuple[Floats, Floats, Floats, Floats]


@dataclass(frozen=True)
class Case:
    """One problem: rows of a data set, the Gaussian kernel, C, and for regression epsilon."""

    name: str
    data: str
    gamma: float
    C: float
    epsilon: float | None = None
    rows: int | None = None

    @property
    def is_regression(self) -> bool:
        """Whether the target is numbers."""
        return self.epsilon is not None


#: With `--data`: the sets of the project's promise.
SVC = [
    Case("a9a C=1", "a9a", 1 / 123, 1.0),
    Case("a9a C=10", "a9a", 0.05, 10.0),
    Case("covtype 20k", "covtype", 1.0, 10.0, rows=20_000),
    Case("covtype 50k", "covtype", 1.0, 10.0, rows=50_000),
    Case("mnist 10k", "mnist", 0.02, 10.0, rows=10_000),
    Case("mnist 20k", "mnist", 0.02, 10.0, rows=20_000),
    Case("letter", "letter", 1.0, 10.0),
]
SVR = [Case("california SVR", "california", 0.1, 10.0, epsilon=0.1)]
#: Sets that nothing was fitted to.
OTHERS = [
    Case("phishing", "phishing", 1.0, 10.0),
    Case("mushrooms", "mushrooms", 0.02, 10.0),
    Case("spambase", "spambase", 1.0, 10.0),
    Case("dna", "dna", 0.01, 10.0),
    Case("satimage", "satimage", 0.5, 10.0),
    Case("pendigits", "pendigits", 2.0, 10.0),
    Case("protein SVR", "protein", 0.5, 1.0, epsilon=0.1, rows=20_000),
    Case("cpusmall SVR", "cpusmall", 0.1, 10.0, epsilon=0.05),
    Case("wine SVR", "wine", 0.1, 1.0, epsilon=0.1),
]
#: Without: what scikit-learn ships.
SVC_SMALL = [
    Case("digits", "digits", 0.02, 10.0),
    Case("breast cancer", "breast_cancer", 0.03, 1.0),
    Case("rings", "rings", 1.0, 10.0, rows=8_000),
]
SVR_SMALL = [Case("diabetes SVR", "diabetes", 0.1, 10.0, epsilon=0.1)]
SCALING = [Case(f"covtype {n // 1000}k", "covtype", 1.0, 10.0, rows=n) for n in (5_000, 10_000, 20_000, 40_000, 80_000)]
SCALING_SMALL = [Case(f"rings {n}", "rings", 1.0, 10.0, rows=n) for n in (1_000, 2_000, 4_000, 8_000)]
#: C from loose to hard, on a board and on a set with rare classes.
SWEEP = [
    Case(f"{name} C={c:g}", name, gamma, c)
    for name, gamma in (("chessboard", 50.0), ("rare", 2.0))
    for c in (0.01, 0.1, 1.0, 10.0, 100.0, 1000.0, 10000.0)
]


def arrays(case: Case, source: Path | None, kept: Path) -> Path:
    """A folder with x.npy, y.npy, x_test.npy, y_test.npy for a case, made when it is not there."""
    folder = kept / f"{case.data}-{case.rows or 'all'}"
    if (folder / "y_test.npy").exists():
        return folder
    folder.mkdir(parents=True, exist_ok=True)
    split = MADE[case.data](case.rows) if case.data in MADE else READ[case.data](needed(source), case.rows)
    for name, values in zip(("x", "y", "x_test", "y_test"), split, strict=True):
        np.save(folder / f"{name}.npy", np.ascontiguousarray(values))
    return folder


def needed(source: Path | None) -> Path:
    """The folder of data sets, or a word on where it is to be given."""
    if source is None:
        raise SystemExit("this suite needs --data DIR, a folder with a9a, covtype, mnist, letter, california_housing")
    return source


def text(path: Path) -> list[str]:
    """Lines of a file, compressed or not."""
    packed = path.with_name(path.name + ".gz")
    if packed.exists():
        with gzip.open(packed, "rt") as file:
            return file.read().splitlines()
    return path.read_text().splitlines()


def blob(path: Path) -> bytes:
    """Bytes of a file, compressed or not."""
    packed = path.with_name(path.name + ".gz")
    return gzip.decompress(packed.read_bytes()) if packed.exists() else path.read_bytes()


def libsvm(lines: list[str], columns: int) -> tuple[Floats, Floats]:
    """Rows of LIBSVM's format as a dense array."""
    x, y = np.zeros((len(lines), columns)), np.empty(len(lines))
    for i, line in enumerate(lines):
        label, *pairs = line.split()
        y[i] = float(label)
        for pair in pairs:
            index, _, value = pair.partition(":")
            x[i, int(index) - 1] = float(value)
    return x, y


def a9a(folder: Path, _: int | None) -> Split:
    """Adult in 123 binary columns."""
    x, y = libsvm(text(folder / "a9a/a9a"), 123)
    x_test, y_test = libsvm(text(folder / "a9a/a9a.t"), 123)
    return x, y, x_test[:5000], y_test[:5000]


def covtype(folder: Path, rows: int | None) -> Split:
    """Forest cover, class 2 against the rest, in [0, 1]; rows drawn at random."""
    lines = text(folder / "covtype/covtype.binary.scale")
    chosen = np.random.default_rng(0).permutation(len(lines))[: (rows or 20_000) + 5000]
    x, y = libsvm([lines[i] for i in chosen], 54)
    return x[:-5000], y[:-5000], x[-5000:], y[-5000:]


def mnist(folder: Path, rows: int | None) -> Split:
    """Digits of 28 by 28 pixels, in [0, 1]."""

    def images(name: str) -> Floats:
        pixels = np.frombuffer(blob(folder / f"mnist/{name}-images-idx3-ubyte"), np.uint8, offset=16)
        return pixels.reshape(-1, 784) / 255.0

    def labels(name: str) -> Floats:
        return np.frombuffer(blob(folder / f"mnist/{name}-labels-idx1-ubyte"), np.uint8, offset=8).astype(float)

    return images("train")[:rows], labels("train")[:rows], images("t10k")[:5000], labels("t10k")[:5000]


def letter(folder: Path, _: int | None) -> Split:
    """Letters by 16 numbers."""
    x, y = libsvm(text(folder / "letter/letter.scale"), 16)
    x_test, y_test = libsvm(text(folder / "letter/letter.scale.t"), 16)
    return x, y, x_test, y_test


def drawn(x: Floats, y: Floats) -> Split:
    """Rows in an order drawn at random; a fifth is for the test."""
    order = np.random.default_rng(0).permutation(len(x))
    x, y = x[order], y[order]
    cut = len(x) * 4 // 5
    return x[:cut], y[:cut], x[cut:], y[cut:]


def standardised(x: Floats) -> Floats:
    """Columns of mean 0 and deviation 1."""
    x = x - x.mean(axis=0)
    return x / np.where(x.std(axis=0) > 0, x.std(axis=0), 1)


def spambase(folder: Path, _: int | None) -> Split:
    """Letters that are spam or not, by 57 numbers in [0, 1]."""
    x, y = libsvm(text(folder / "spambase/spambase"), 57)
    return drawn(x / x.max(axis=0), y)


def labelled(file: str, columns: int) -> Callable[[Path, int | None], Split]:
    """A set in LIBSVM's format, scaled as it is."""
    return lambda folder, _: drawn(*libsvm(text(folder / file), columns))


def measured(file: str) -> Callable[[Path, int | None], Split]:
    """A table whose last column is the target, all standardised; some of its rows."""

    def read(folder: Path, rows: int | None) -> Split:
        lines = text(folder / file)[1:]
        table = standardised(np.array([[float(cell) for cell in line.split(",")] for line in lines]))
        if rows:
            table = table[np.random.default_rng(1).permutation(len(table))[: rows * 5 // 4]]
        return drawn(table[:, :-1], table[:, -1])

    return read


def pendigits(folder: Path, _: int | None) -> Split:
    """Digits by eight points of the pen, in [0, 1]."""
    x, y = libsvm(text(folder / "pendigits/pendigits"), 16)
    x_test, y_test = libsvm(text(folder / "pendigits/pendigits.t"), 16)
    return x / 100.0, y, x_test / 100.0, y_test


def california(folder: Path, _: int | None) -> Split:
    """Prices of houses, standardised."""
    lines = text(folder / "california_housing/california_housing.csv")
    table = np.array([[float(cell) for cell in line.split(",")] for line in lines[1:]])
    table = table[np.random.default_rng(0).permutation(len(table))]
    x, y = table[:, :-1], table[:, -1]
    x = (x - x[:16512].mean(axis=0)) / x[:16512].std(axis=0)
    return x[:16512], y[:16512], x[16512:], y[16512:]


def shipped(load: str) -> Callable[[int | None], Split]:
    """A set that scikit-learn ships, standardised."""

    def read(_: int | None) -> Split:
        import sklearn.datasets

        x, y = getattr(sklearn.datasets, load)(return_X_y=True)
        return drawn(standardised(x), standardised(y) if load == "load_diabetes" else y.astype(float))

    return read


def rings(rows: int | None) -> Split:
    """Two rings in ten dimensions, with noise."""
    draw = np.random.default_rng(0)
    n = (rows or 8000) + 2000
    y = draw.integers(0, 2, n) * 2.0 - 1.0
    x = draw.standard_normal((n, 10))
    x *= ((2.0 + 0.8 * y + 0.6 * draw.standard_normal(n)) / np.linalg.norm(x, axis=1))[:, None]
    return x[:-2000], y[:-2000], x[-2000:], y[-2000:]


def chessboard(_: int | None) -> Split:
    """Fields of a board of four by four."""
    draw = np.random.default_rng(0)
    x = draw.uniform(size=(7000, 2))
    y = np.where((np.floor(4 * x).sum(axis=1) % 2) == 0, 1.0, -1.0)
    return x[:5000], y[:5000], x[5000:], y[5000:]


def rare(_: int | None) -> Split:
    """Twenty-two columns, a tenth of the rows in the smaller class, as in ijcnn1."""
    draw = np.random.default_rng(0)
    n = 10_000
    x = draw.uniform(-1, 1, (n, 22))
    score = np.sin(3 * x[:, 0]) * x[:, 1] + x[:, 2] ** 2 - x[:, 3] * x[:, 4] + 0.2 * draw.standard_normal(n)
    y = np.where(score > np.quantile(score, 0.9), 1.0, -1.0)
    return x[:8000], y[:8000], x[8000:], y[8000:]


READ: dict[str, Callable[[Path, int | None], Split]] = {
    "a9a": a9a,
    "covtype": covtype,
    "mnist": mnist,
    "letter": letter,
    "california": california,
    "pendigits": pendigits,
    "spambase": spambase,
    "phishing": labelled("phishing/phishing", 68),
    "mushrooms": labelled("mushrooms/mushrooms", 112),
    "dna": labelled("dna/dna", 180),
    "satimage": labelled("satimage/satimage.scale", 36),
    "protein": measured("protein_casp/protein_casp.csv"),
    "cpusmall": measured("cpusmall/cpusmall.csv"),
    "wine": measured("wine_quality/wine_quality.csv"),
}
MADE: dict[str, Callable[[int | None], Split]] = {
    "digits": shipped("load_digits"),
    "breast_cancer": shipped("load_breast_cancer"),
    "diabetes": shipped("load_diabetes"),
    "rings": rings,
    "chessboard": chessboard,
    "rare": rare,
}
