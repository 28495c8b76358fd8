"""Compares Mercer with LIBSVM, both ways, on the model files of LIBSVM.

Usage: python tests/libsvm/compare.py BINARY

1. LIBSVM trains and saves; `mercer svm-predict` on that file gives the same labels,
   and decision values that agree to 1e-9.
2. `mercer svm-train` trains and saves; LIBSVM loads that file and agrees with
   `mercer svm-predict`. The dual objective is no worse than LIBSVM's by more than
   1e-3 (relative, at -e 1e-3) and equal to 1e-5 at -e 1e-6, where rho agrees too.

The objective that Mercer prints is computed again from its model file.
3. `mercer svm-scale` prints and saves what a plain rendering of svm-scale does.
"""

import csv
import gzip
import math
import random
import re
import subprocess
import sys
import tempfile
from ctypes import c_double
from pathlib import Path

import numpy as np
from libsvm import svmutil
from libsvm.svm import PRINT_STRING_FUN, gen_svm_nodearray, libsvm

DATA = Path(__file__).resolve().parents[2] / "crates/mercer-points/data"

# What LIBSVM prints. It keeps the function for good, so that this must not be freed.
SAID = []
LISTEN = PRINT_STRING_FUN(lambda text: SAID.append(text.decode()))

# Data, options of svm-train, and what else is special.
# "local": the kernel is not positive semi-definite, so that solvers may end in
# different stationary points and only the files are compared.
CONFIGURATIONS = [
    ("heart", "-s 0 -t 0", ""),
    ("heart", "-s 0 -t 2", ""),
    ("heart", "-s 0 -t 2 -c 100 -g 0.01", ""),
    ("heart", "-s 0 -t 1 -d 2 -r 1 -g 0.1", ""),
    ("heart", "-s 0 -t 2 -w1 2 -w-1 0.5", ""),
    ("heart", "-s 0 -t 3 -g 0.05 -r -0.5", "local"),
    ("heart", "-s 1 -t 2 -n 0.4", ""),
    ("heart", "-s 1 -t 1 -d 3 -g 0.2 -r 1 -n 0.3", ""),
    ("heart", "-s 2 -t 2 -n 0.2", ""),
    ("heart", "-s 2 -t 1 -d 2 -g 0.1 -n 0.1", ""),
    ("heart", "-s 0 -t 2 -b 1", "probabilities"),
    ("iris", "-s 0 -t 2", ""),
    ("iris", "-s 0 -t 0 -c 10", ""),
    ("iris", "-s 1 -t 2 -n 0.2", ""),
    ("iris", "-s 2 -t 2 -n 0.5", ""),
    ("iris", "-s 0 -t 2 -w1 3", ""),
    ("glass", "-s 0 -t 2 -c 10", ""),
    ("glass", "-s 0 -t 1 -d 2 -g 0.1 -r 1 -c 5", ""),
    ("glass", "-s 1 -t 2 -n 0.1 -g 1", ""),
    ("yacht", "-s 3 -t 2 -c 10", ""),
    ("yacht", "-s 3 -t 0 -p 0.5", ""),
    ("yacht", "-s 4 -t 2 -c 10 -n 0.3", ""),
    ("yacht", "-s 3 -t 2 -b 1", "probabilities"),
    ("concrete", "-s 3 -t 2 -c 20 -p 1", ""),
    ("concrete", "-s 4 -t 2 -c 20", ""),
    ("concrete", "-s 3 -t 3 -g 0.01", "local"),
    ("sparse", "-s 0 -t 0", ""),
    ("sparse", "-s 0 -t 2 -g 0.5", ""),
    ("sparse", "-s 1 -t 2 -g 0.2 -n 0.5", ""),
    ("sparse", "-s 2 -t 0 -n 0.3", ""),
]


SCALINGS = [
    ("heart.train", "-s"),
    ("heart.test", "-r"),
    ("yacht.train", "-l 0 -u 0.1 -y -1 1 -s"),
    ("yacht.test", "-r"),
    ("sparse.train", "-l 0 -s"),
    ("sparse.test", "-r"),
    ("sparse.test", "-u 7"),
]


def main(arguments):
    if len(arguments) != 1:
        sys.exit(__doc__)
    binary = str(Path(arguments[0]).resolve())
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        for name, options, kind in CONFIGURATIONS:
            case = Case(binary, Path(folder), name, options, kind)
            for problem in case.reads_libsvm() + case.writes_libsvm():
                failures.append(f"{name} {options}: {problem}")
        for name, options in SCALINGS:
            if not scales(binary, Path(folder), name, options):
                failures.append(f"svm-scale {options} {name}: other text")
    for failure in failures:
        print(f"libsvm: {failure}", file=sys.stderr)
    count = len(CONFIGURATIONS)
    if failures:
        print(f"libsvm: {count} configurations, {len(failures)} differences")
        return 1
    print(f"libsvm: {count} configurations, both ways: equal")
    return 0


class Case:
    """One data set with one line of options."""

    def __init__(self, binary, folder, name, options, kind):
        self.binary, self.folder = binary, folder
        self.options, self.kind = options, kind
        self.type = int(options.split()[1])
        self.classes = self.type in (0, 1)
        self.train, self.test = folder / f"{name}.train", folder / f"{name}.test"
        if not self.train.exists():
            write(name, self.train, self.test)
        self.y, self.x = svmutil.svm_read_problem(str(self.train))
        self.truth, self.points = svmutil.svm_read_problem(str(self.test))

    def run(self, *words):
        done = subprocess.run([self.binary, *map(str, words)], check=False, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"libsvm: mercer {words}: {done.stderr}")
        return done.stdout

    def predict(self, model):
        """Labels and decision values of `mercer svm-predict`."""
        out, scores = self.folder / "labels", self.folder / "scores"
        printed = self.run("svm-predict", "-d", scores, self.test, model, out)
        labels = [float(line) for line in out.read_text().split()]
        values = [list(map(float, line.split())) for line in scores.read_text().splitlines()]
        return labels, values, printed

    def libsvm_predict(self, path):
        """Labels, (accuracy, squared error, correlation) and decision values."""
        # Not by svm_predict, whose decision values of nu-SVC overflow their buffer
        # where there are more than two classes (3.37).
        model = svmutil.svm_load_model(str(path))
        k = model.get_nr_class()
        decisions = (c_double * (k * (k - 1) // 2))()
        labels, values = [], []
        for point in self.points:
            nodes, _ = gen_svm_nodearray(point)
            labels.append(libsvm.svm_predict_values(model, nodes, decisions))
            values.append(list(decisions))
        return labels, svmutil.evaluations(self.truth, labels), values

    def agree(self, path):
        """What differs between the two readings of a model file."""
        found = []
        labels, values, printed = self.predict(path)
        theirs, measures, decisions = self.libsvm_predict(path)
        if self.type != 2:
            words = ["predict", path, self.test, "--format", "libsvm"]
            rows = csv.reader(self.run(*words).splitlines()[1:])
            if [float(row[1]) for row in rows] != labels:
                found.append("mercer predict has other labels")
        if self.type in (3, 4):
            close = [math.isclose(a, b, rel_tol=1e-6) for a, b in zip(labels, theirs, strict=False)]
            same = all(close)
            said = float(printed.split()[4])
            measure = measures[1]
        else:
            same = labels == theirs
            said = float(printed.split()[2].rstrip("%"))
            measure = measures[0]
        if not same:
            found.append("other labels")
        if abs(said - measure) > 1e-5 * abs(measure):
            found.append(f"says {said}, LIBSVM {measure}")
        ours, theirs = np.array(values), np.array(decisions)
        if ours.shape != theirs.shape:
            return [*found, f"{ours.shape} decision values, not {theirs.shape}"]
        worst = np.max(np.abs(ours - theirs)) / max(np.max(np.abs(theirs)), 1e-300)
        if not worst <= 1e-9:
            found.append(f"decision values differ by {worst:.1e}")
        return found

    def libsvm_train(self, options):
        """LIBSVM's model, its objectives and its rhos."""
        SAID.clear()
        param = svmutil.svm_parameter(options)
        param.print_func = LISTEN
        model = svmutil.svm_train(svmutil.svm_problem(self.y, self.x), param)
        return model, *duals("".join(SAID))

    def reads_libsvm(self):
        model, _, _ = self.libsvm_train(self.options)
        path = self.folder / "theirs.model"
        svmutil.svm_save_model(str(path), model)
        return [f"LIBSVM's file: {problem}" for problem in self.agree(path)]

    def writes_libsvm(self):
        options = self.options.replace(" -b 1", "")
        found = []
        for epsilon, slack in [("1e-3", 1e-3), ("1e-6", 1e-5)]:
            words = f"{options} -e {epsilon}"
            path = self.folder / "ours.model"
            printed = self.run("svm-train", *words.split(), self.train, path)
            found += [f"Mercer's file, {words}: {p}" for p in self.agree(path)]
            found += [f"{words}: {p}" for p in self.check(path, printed)]
            ours, rhos = duals(printed)
            _, theirs, their_rhos = self.libsvm_train(words)
            if len(ours) != len(theirs):
                found.append(f"{words}: {len(ours)} machines, not {len(theirs)}")
            if self.kind == "local":
                continue
            for a, b in zip(ours, theirs, strict=False):
                # Objectives are printed with six digits after the point.
                worse = (a - b) / max(abs(b), 1e-3)
                if worse > slack or (epsilon == "1e-6" and abs(worse) > slack):
                    found.append(f"{words}: objective {a}, LIBSVM {b}")
            if epsilon == "1e-6":
                for a, b in zip(rhos, their_rhos, strict=False):
                    if abs(a - b) > 1e-3 * (1 + abs(b)):
                        found.append(f"{words}: rho {a}, LIBSVM {b}")
        return found

    def check(self, path, printed):
        """Objectives that are not what the model file says."""
        model = Model(path)
        wrong = []
        objectives = [float(v) for v in re.findall(r"obj = (\S+),", printed)]
        for (coefficients, vectors), said in zip(model.pairs(), objectives, strict=False):
            found = 0.5 * coefficients @ model.gram(vectors) @ coefficients
            if self.type == 0:
                found -= np.abs(coefficients).sum()
            if self.type in (3, 4):
                found -= coefficients @ self.targets(vectors)
            if self.type == 3:
                tube = re.search(r"-p (\S+)", self.options)
                found += float(tube[1] if tube else 0.1) * np.abs(coefficients).sum()
            if abs(found - said) > 1e-6 * (1 + abs(found)):
                wrong.append(f"objective {said}, by its file {found}")
        return wrong

    def targets(self, vectors):
        """The targets of support vectors, which come in the order of their rows."""
        targets, row = [], 0
        for vector in vectors:
            while {j: v for j, v in self.x[row].items() if v != 0} != vector:
                row += 1
            targets.append(self.y[row])
            row += 1
        return np.array(targets)


class Model:
    """A model file, read straight from LIBSVM's description of it."""

    def __init__(self, path):
        lines = path.read_text().splitlines()
        end = lines.index("SV")
        self.header = dict(line.split(" ", 1) for line in lines[:end])
        self.coefficients, self.vectors = [], []
        columns = int(self.header["nr_class"]) - 1
        for line in lines[end + 1 :]:
            words = line.split()
            self.coefficients.append([float(word) for word in words[:columns]])
            pairs = (word.split(":") for word in words[columns:])
            self.vectors.append({int(j): float(v) for j, v in pairs})

    def pairs(self):
        """For each machine its coefficients and their vectors."""
        if "nr_sv" not in self.header:
            return [(np.array([row[0] for row in self.coefficients]), self.vectors)]
        counts = [int(word) for word in self.header["nr_sv"].split()]
        starts = [sum(counts[:i]) for i in range(len(counts) + 1)]
        found = []
        for i in range(len(counts)):
            for j in range(i + 1, len(counts)):
                rows = [(r, j - 1) for r in range(starts[i], starts[i + 1])]
                rows += [(r, i) for r in range(starts[j], starts[j + 1])]
                coefficients = np.array([self.coefficients[r][c] for r, c in rows])
                found.append((coefficients, [self.vectors[r] for r, _ in rows]))
        return found

    def gram(self, vectors):
        names = sorted({j for vector in vectors for j in vector})
        points = np.array([[vector.get(j, 0.0) for j in names] for vector in vectors])
        inner = points @ points.T
        gamma, coef0 = (float(self.header.get(k, 0)) for k in ("gamma", "coef0"))
        match self.header["kernel_type"]:
            case "linear":
                return inner
            case "polynomial":
                return (gamma * inner + coef0) ** int(self.header["degree"])
            case "rbf":
                square = np.diag(inner)
                return np.exp(-gamma * (square[:, None] + square - 2 * inner))
            case "sigmoid":
                return np.tanh(gamma * inner + coef0)


def scales(binary, folder, name, options):
    """Whether `mercer svm-scale` gives the text and the ranges of svm-scale."""
    ranges = folder / "ranges"
    words = [*options.split(), *([ranges] if options[-1] in "sr" else [])]
    before = ranges.read_text() if "-r" in options else None
    done = subprocess.run(
        [binary, "svm-scale", *words, folder / name],
        check=False,
        capture_output=True,
        text=True,
    )
    y, x = svmutil.svm_read_problem(str(folder / name))
    text, saved = scaled_text(y, x, options, before)
    return done.stdout == text and ("-s" not in options or ranges.read_text() == saved)


def scaled_text(y, x, options, ranges):
    """What svm-scale prints and saves; feature by feature, zeros written out."""
    words = options.split()

    def option(letter, count, default):
        if letter not in words:
            return default
        at = words.index(letter) + 1
        return [float(word) for word in words[at : at + count]]

    x_to = option("-l", 1, [-1.0]) + option("-u", 1, [1.0])
    y_to = option("-y", 2, None)
    y_from = [min(y), max(y)]
    top = max((j for row in x for j in row), default=0)
    limits = {}
    for j in range(1, top + 1):
        column = [row.get(j, 0.0) for row in x]
        limits[j] = (min(column), max(column))
    if ranges:
        lines = ranges.splitlines()
        if lines[0] == "y":
            y_to, y_from = ([float(v) for v in line.split()] for line in lines[1:3])
            lines = lines[3:]
        x_to = [float(v) for v in lines[1].split()]
        limits = {}
        for line in lines[2:]:
            j, low, high = line.split()
            limits[int(j)] = (float(low), float(high))

    def between(value, old, new):
        if value == old[0]:
            return new[0]
        if value == old[1]:
            return new[1]
        return new[0] + (new[1] - new[0]) * (value - old[0]) / (old[1] - old[0])

    text = ""
    for label, row in zip(y, x, strict=True):
        label = between(label, y_from, y_to) if y_to else label
        text += f"{label:.17g} "
        for j, old in sorted(limits.items()):
            if old[0] != old[1] and (value := between(row.get(j, 0.0), old, x_to)):
                text += f"{j}:{value:g} "
        text += "\n"

    def line(limits):
        return f"{limits[0]:.17g} {limits[1]:.17g}\n"

    saved = f"y\n{line(y_to)}{line(y_from)}" if y_to else ""
    saved += f"x\n{line(x_to)}"
    for j, old in sorted(limits.items()):
        if old[0] != old[1]:
            saved += f"{j} {line(old)}"
    return text, saved


def duals(text):
    """Dual objectives and rhos of all machines, from what was printed."""
    found = re.findall(r"(?:C = (\S+)\n)?obj = (\S+), rho = (\S+)", text)
    # That of nu-SVC is printed in units of the margin, which is itself a result.
    values = [float(value) / float(cost or 1) ** 2 for cost, value, _ in found]
    return values, [float(rho) for _, _, rho in found]


def write(name, train, test):
    """Two thirds of a data set to train on, one third to test on, as LIBSVM text."""
    rows = sparse() if name == "sparse" else shipped(name)
    random.Random(1).shuffle(rows)
    rows = rows[:400]
    for path, chosen in [
        (train, [row for i, row in enumerate(rows) if i % 3]),
        (test, rows[::3]),
    ]:
        lines = (" ".join([f"{label:g}", *(f"{j}:{v!r}" for j, v in features if v != 0)]) for label, features in chosen)
        path.write_text("\n".join(lines) + "\n")


def shipped(name):
    """A data set of Mercer; features to [-1, 1], names of classes to 1, 2, …."""
    with gzip.open(DATA / f"{name}.csv.gz", "rt") as file:
        _, *rows = csv.reader(file)
    columns = list(zip(*[[float(v) for v in row[:-1]] for row in rows], strict=True))
    limits = [(min(column), max(column)) for column in columns]
    names = sorted({row[-1] for row in rows})

    def label(text):
        try:
            return float(text)
        except ValueError:
            return names.index(text) + 1.0

    def scaled(v, low, high):
        return 0.0 if low == high else 2 * (v - low) / (high - low) - 1

    return [
        (
            label(row[-1]),
            [(j + 1, scaled(float(v), *limits[j])) for j, v in enumerate(row[:-1])],
        )
        for row in rows
    ]


def sparse():
    """Rows with 8 of 2000 features, so that some are in the test rows alone."""
    draw = random.Random(7)
    weights = [draw.gauss(0, 1) for _ in range(2000)]
    rows = []
    for _ in range(300):
        # Low numbers are drawn more often, as words are.
        chosen = sorted({int(2000 * draw.random() ** 4) for _ in range(8)})
        features = [(j + 1, draw.gauss(0, 1)) for j in chosen]
        score = sum(weights[j - 1] * v for j, v in features)
        rows.append((1.0 if score > 0 else -1.0, features))
    return rows


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
