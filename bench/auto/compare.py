"""`mercer auto` against scikit-learn's SVC and SVR with their defaults on standardized columns, on the same rows.

For each set and seed `mercer auto --json` says which rows it held out; scikit-learn is trained on the others and judged
on those. Accuracy for classes, R² for numbers.

With --fresh each set is divided in two. `mercer auto` sees one half and reports a score with its interval; the model
that it saved is then judged on the other half, which it has never seen.
"""

import argparse
import gzip
import json
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from sklearn.datasets import dump_svmlight_file, load_svmlight_file
from sklearn.metrics import accuracy_score, root_mean_squared_error
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR

# name: (file, target, file of test rows)
SETS = {
    "iris": ("iris/iris.csv", None, None),
    "breast-cancer": ("breast-cancer/breast-cancer", "label", None),
    "heart": ("heart/heart_scale", "label", None),
    "german.numer": ("german.numer/german.numer_scale", "label", None),
    "spambase": ("spambase/spambase", "label", None),
    "letter": ("letter/letter.scale", "label", "letter/letter.scale.t"),
    "california_housing": ("california_housing/california_housing.csv", None, None),
    "concrete": ("concrete/concrete.csv", "target", None),
    "mcycle": ("mcycle/mcycle.csv", "accel", None),
    "wine_quality": ("wine_quality/wine_quality.csv", "target", None),
    "a9a": ("a9a/a9a", "label", "a9a/a9a.t"),
    "sonar": ("sonar/sonar_scale", "label", None),
    "ionosphere": ("ionosphere/ionosphere", "label", None),
    "vehicle": ("vehicle/vehicle", "label", None),
    "vowel": ("vowel/vowel", "label", None),
    "glass": ("glass/glass", "label", None),
    "diabetes": ("diabetes/diabetes_scale", "label", None),
    "banana": ("banana/banana.csv", "label", None),
    "satimage": ("satimage/satimage.scale", "label", None),
    "airfoil": ("airfoil/airfoil.csv", None, None),
    "yacht": ("yacht/yacht.csv", None, None),
    "energy": ("energy/energy.csv", None, None),
    "cpusmall": ("cpusmall/cpusmall.csv", "target", None),
    "abalone": ("abalone/abalone_scale", "label", None),
}
NAMED = list(SETS)[:11]


def found(path: Path) -> Path:
    """A file, packed or not."""
    return path if path.exists() else path.with_name(path.name + ".gz")


def header(path: Path) -> list[str]:
    """The names in the first line of a CSV file."""
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as file:
        return [name.strip().strip('"') for name in file.readline().strip().split(",")]


def rows(path: Path, target: str, width: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """The columns and the target of a file."""
    if ".csv" not in path.suffixes:
        X, y = load_svmlight_file(str(path), n_features=width)
        return X.toarray(), y
    table = np.genfromtxt(path, delimiter=",", names=None, dtype=str, skip_header=1)
    at = header(path).index(target)
    y = np.char.strip(table[:, at], '"')
    X = np.delete(table, at, axis=1).astype(float)
    try:
        return X, y.astype(float)
    except ValueError:
        return X, y


def one(name: str, data: Path, mercer: str, seed: int, limit: float) -> dict[str, object]:
    """One set with one seed."""
    file, target, test = SETS[name]
    path = found(data / file)
    target = target or header(path)[-1]
    words = [mercer, "auto", str(path), "--target", target, "--json", "--seed", str(seed), "--time-limit", str(limit)]
    words += ["--test", str(found(data / test))] if test else []
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode == 2:
        raise SystemExit(f"{name}: {done.stderr.strip()}")
    said = json.loads(done.stdout)
    X, y = rows(path, target)
    if test:
        Z, truth = rows(found(data / test), target, X.shape[1])
    else:
        held = np.array(said["held_out"]) - 1
        kept = np.setdiff1d(np.arange(len(y)), held)
        X, y, Z, truth = X[kept], y[kept], X[held], y[held]
    is_classes = said["task"] == "classes"
    peer = make_pipeline(StandardScaler(), SVC() if is_classes else SVR()).fit(X, y).score(Z, truth)
    wanted = "accuracy" if is_classes else "r2"
    score = next(found for found in said["scores"] if found["metric"] == wanted)
    return {
        "set": name,
        "seed": seed,
        "rows": len(y),
        "task": said["task"],
        "mercer": score["value"],
        "low": score["low"],
        "high": score["high"],
        "peer": peer,
        "kernel": said["chosen"]["kernel"],
        "seconds": said["seconds"],
        "certified": done.returncode == 0,
        "gap": max(machine["certificate"]["relative_gap"] for machine in said["model"]["machines"]),
    }


def fresh(name: str, data: Path, mercer: str, seed: int, limit: float) -> dict[str, object]:
    """What was reported of one half of a set, and the score on the other."""
    file, target, _ = SETS[name]
    path = found(data / file)
    X, y = rows(path, target or header(path)[-1])
    if y.dtype.kind == "U":
        y = np.unique(y, return_inverse=True)[1].astype(float)
    order = np.random.default_rng(seed).permutation(len(y))
    seen, unseen = order[: len(y) // 2], order[len(y) // 2 :]
    with tempfile.TemporaryDirectory() as folder:
        files = [str(Path(folder) / file) for file in ("seen", "unseen", "model.mercer", "answers.csv")]
        for rows_of, file in zip((seen, unseen), files, strict=False):
            dump_svmlight_file(X[rows_of], y[rows_of], file, zero_based=False)
        words = [mercer, "auto", files[0], "--format", "libsvm", "--json", "--time-limit", str(limit), "-o", files[2]]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode == 2:
            raise SystemExit(f"{name}: {done.stderr.strip()}")
        said = json.loads(done.stdout)
        ask = [mercer, "predict", files[2], files[1], "--format", "libsvm", "-o", files[3]]
        subprocess.run(ask, check=True, capture_output=True)
        answers = np.genfromtxt(files[3], delimiter=",", names=True, encoding="utf-8")
    answered = answers[answers.dtype.names[-1]]
    judge = accuracy_score if said["task"] == "classes" else root_mean_squared_error
    score = judge(y[unseen], answered)
    reported = said["scores"][0]
    return {"set": name, **reported, "fresh": score, "inside": reported["low"] <= score <= reported["high"]}


def main() -> None:
    """Prints a table in markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", help="names of sets; those of the guide if none are given, or all")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--mercer", default="target/release/mercer")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--time-limit", type=float, default=60)
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    names = list(SETS) if options.sets == ["all"] else options.sets or NAMED
    results = []
    if options.fresh:
        print("| set | metric | reported | interval | other half | inside |\n|---|---|---|---|---|---|")
        for name in names:
            row = fresh(name, options.data, options.mercer, 0, options.time_limit)
            results.append(row)
            print(
                f"| {name} | {row['metric']} | {row['value']:.4f} | {row['low']:.4f} to {row['high']:.4f} "
                f"| {row['fresh']:.4f} | {'yes' if row['inside'] else 'no'} |",
                flush=True,
            )
        print(f"\n{sum(bool(row['inside']) for row in results)} of {len(results)} inside")
        return
    print("| set | training rows | `mercer auto` | interval | scikit-learn | kernel | s | certified | gap |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name in names:
        for seed in range(options.seeds):
            row = one(name, options.data, options.mercer, seed, options.time_limit)
            results.append(row)
            print(
                f"| {name} | {row['rows']} | {row['mercer']:.4f} | {row['low']:.4f} to {row['high']:.4f} "
                f"| {row['peer']:.4f} | `{row['kernel']}` | {row['seconds']:.1f} "
                f"| {'yes' if row['certified'] else 'no'} | {row['gap']:.1e} |",
                flush=True,
            )
    ahead = sum(row["mercer"] >= row["peer"] for row in results)
    print(f"\n{ahead} of {len(results)} at least as good as scikit-learn's defaults")
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
        (options.out / "auto.json").write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
