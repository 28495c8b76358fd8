"""Support vector machines side by side: training, prediction, scaling, a sweep of C; and against the machine's limits.

./bench/run svc predict svr scaling sweep limits ridge [--data DIR] [--out FOLDER]

Each fit is a process of its own. Peers take turns, in an order drawn anew each round; a figure is the median of the
rounds. Every solution is judged by the same function in f64 (`judge.py`).
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import geometric_mean, median
from typing import Any

import numpy as np
from cases import SCALING, SCALING_SMALL, SVC, SVC_SMALL, SVR, SVR_SMALL, SWEEP, Case, arrays
from judge import Verdict, judge

HERE = Path(__file__).resolve().parent
#: LIBSVM by either package, and oneDAL in either precision: the better one counts. Mercer has one form for each figure,
#: since the better of two runs of the same work would be a matter of luck.
OURS = {"fit": "mercer", "predict": "mercer f32"}
RIVALS = {"LIBSVM": ("scikit-learn", "libsvm"), "oneDAL": ("oneDAL f32", "oneDAL f64")}
USUAL = ["mercer f32", "oneDAL f32", "oneDAL f64", "scikit-learn", "libsvm", "thundersvm"]
#: Crates that bench-peers runs. They are slow or hold all n × n entries: unless they are named they get no more rows.
RUST = ["libsvm-rs", "linfa-svm", "smartcore"]
RUST_ROWS = 10_000
TOLERANCE = 1e-3


def main() -> int:
    """Run the suites that are named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suites", nargs="+", choices=["svc", "svr", "predict", "scaling", "sweep", "limits", "ridge"])
    parser.add_argument("--data", type=Path, help="folder of data sets; without it what scikit-learn ships")
    parser.add_argument("--kept", type=Path, default=HERE.parent / ".data", help="where arrays are kept")
    parser.add_argument("--out", type=Path, help="folder for report.md and report.json")
    parser.add_argument("--only", default="", help="cases whose name contains this")
    parser.add_argument("--peers", default="", help="peers by name, with commas; mercer is always there")
    parser.add_argument("--binary", type=Path, default=HERE.parent / "peers/target/release/bench-peers")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--limit", type=float, default=600.0, help="seconds after which a run is given up")
    given = parser.parse_args()
    bench = Bench(given)
    text: list[str] = []
    if {"svc", "predict"} & set(given.suites):
        bench.measure(SVC if given.data else SVC_SMALL)
    if {"svr", "predict"} & set(given.suites):
        bench.measure(SVR if given.data else SVR_SMALL)
    if {"svc", "svr"} & set(given.suites):
        text += bench.training()
    if "predict" in given.suites:
        text += bench.prediction()
    bench.write(text)
    if "sweep" in given.suites:
        text += bench.sweep()
        bench.write(text)
    if "scaling" in given.suites:
        text += bench.scaling(SCALING if given.data else SCALING_SMALL)
        bench.write(text)
    if "limits" in given.suites:
        text += bench.limits([*SVC, *SVR] if given.data else [*SVC_SMALL, *SVR_SMALL])
        bench.write(text)
    if "ridge" in given.suites:
        text += bench.ridge()
    bench.write(text)
    print("\n".join(text))
    return 0


class Bench:
    """Runs and what they found: for each case and peer a list of rounds."""

    def __init__(self, given: argparse.Namespace) -> None:
        self.given = given
        named = [name.strip() for name in given.peers.split(",") if name.strip()]
        self.peers = ["mercer", *(named or USUAL + (RUST if given.binary.exists() else []))]
        self.found: dict[str, dict[str, list[dict[str, Any]]]] = {}
        self.random = random.Random(0)

    def write(self, text: list[str]) -> None:
        """What there is so far: a run may be cut short."""
        if self.given.out:
            self.given.out.mkdir(parents=True, exist_ok=True)
            (self.given.out / "report.md").write_text("\n".join(text) + "\n", encoding="utf-8")
            (self.given.out / "report.json").write_text(json.dumps(self.found, indent=1), encoding="utf-8")

    def measure(self, cases: list[Case], peers: list[str] | None = None) -> None:
        """All rounds of all cases."""
        for case in cases:
            if self.given.only not in case.name:
                continue
            place = arrays(case, self.given.data, self.given.kept)
            runs = self.found.setdefault(case.name, {})
            few = len(np.load(place / "x.npy", mmap_mode="r")) <= RUST_ROWS
            for _ in range(self.given.rounds):
                order = list(peers or (self.peers if few else self.enduring()))
                self.random.shuffle(order)
                for peer in order:
                    said = runs.setdefault(peer, [])
                    # What failed or took its time once is not asked again.
                    if said and ("error" in said[0] or said[0]["fit"]["wall"] > 60 and peer != "mercer"):
                        continue
                    said.append(self.run(case, peer, place, judged=not said))
                    note = said[-1].get("error") or f"{said[-1]['fit']['wall']:.2f} s"
                    print(f"{case.name}: {peer}: {note}", file=sys.stderr, flush=True)

    def enduring(self) -> list[str]:
        """The peers for what takes long: those that are named, or all but the Rust crates."""
        return [peer for peer in self.peers if self.given.peers or peer not in RUST]

    def run(self, case: Case, peer: str, place: Path, judged: bool) -> dict[str, Any]:
        """One fit in a process of its own."""
        settings = {
            "gamma": case.gamma,
            "C": case.C,
            "epsilon": case.epsilon,
            "threads": self.given.threads,
            "tolerance": TOLERANCE,
        }
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "solution.npz"
            worker = [str(self.given.binary)] if peer in RUST else [sys.executable, str(HERE / "worker.py")]
            command = [*worker, peer, str(place), str(out), json.dumps(settings)]
            try:
                done = subprocess.run(command, capture_output=True, text=True, timeout=self.given.limit)
            except subprocess.TimeoutExpired:
                return {"error": f"not done after {self.given.limit:.0f} s"}
            except FileNotFoundError:
                return {"error": "bench-peers is not built"}
            if done.returncode != 0:
                return {"error": (done.stderr.strip().splitlines() or ["no word"])[-1][:200]}
            said: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
            if judged and not said.get("unjudged"):
                x, y = np.load(place / "x.npy"), np.load(place / "y.npy")
                verdict = judge(x, y, dict(np.load(out)), case.gamma, case.C, case.epsilon)
                said["verdict"] = vars(verdict)
            return said

    # ------------------------------------------------------------------------------------------------ tables

    def training(self) -> list[str]:
        """Seconds, memory and what the solutions are worth."""
        lines = ["## Training", ""]
        head = "| problem | peer | wall s | ± | CPU s | ratio | MB | SVs | score | dual objective | gap | violation |"
        lines += [head, "|" + "---|" * 12]
        for name, runs in self.found.items():
            best = max(run[0]["verdict"]["dual"] for run in runs.values() if "verdict" in run[0])
            for peer, rounds in runs.items():
                lines.append(f"| {name} | {peer} | " + self.row(rounds, runs["mercer"], best))
        return lines + ["", *self.summary("fit")]

    def row(self, rounds: list[dict[str, Any]], ours: list[dict[str, Any]], best: float) -> str:
        """The figures of one peer."""
        if "error" in rounds[0]:
            return f"{rounds[0]['error']} |" + " |" * 9
        wall, cpu = figures(rounds, "fit", "wall"), figures(rounds, "fit", "cpu")
        first, ratio = rounds[0], median(wall) / median(figures(ours, "fit", "wall"))
        memory = "–" if first["peak_mb"] is None else f"{first['peak_mb']:.0f}"
        text = (
            f"{median(wall):.2f} | {(max(wall) - min(wall)) / 2:.2f} | {median(cpu):.2f} | {ratio:.2f} | "
            f"{memory} | {'–' if first['support'] is None else first['support']} | {first['score']:.4f} | "
        )
        if "verdict" not in first:
            return text + "– | – | – |"
        verdict = Verdict(**first["verdict"])
        below = (best - verdict.dual) / max(abs(best), 1e-300)
        return text + f"{verdict.dual:.4f} (−{below:.0e}) | {relative(verdict)} | {verdict.violation:.1e} |"

    def summary(self, what: str) -> list[str]:
        """Ratios to the better of each rival's forms."""
        lines = ["| against | geometric mean | least | on |", "|---|---|---|---|"]
        for rival, forms in RIVALS.items():
            ratios = {}
            for name, runs in self.found.items():
                ours, theirs = best(runs, (OURS[what],), what), best(runs, forms, what)
                if ours and theirs:
                    ratios[name] = theirs / ours
            if ratios:
                least = min(ratios, key=lambda name: ratios[name])
                mean = geometric_mean(ratios.values())
                lines.append(f"| {rival} | {mean:.2f} | {ratios[least]:.2f} | {least} |")
        return [*lines, ""]

    def prediction(self) -> list[str]:
        """Rows a second."""
        lines = ["## Prediction", "", "| problem | peer | seconds | rows a second | ratio |", "|---|---|---|---|---|"]
        for name, runs in self.found.items():
            for peer, rounds in runs.items():
                if "error" not in rounds[0]:
                    wall = median(figures(rounds, "predict", "wall"))
                    ratio = wall / median(figures(runs["mercer"], "predict", "wall"))
                    lines.append(f"| {name} | {peer} | {wall:.4f} | {rounds[0]['rows'] / wall:.0f} | {ratio:.2f} |")
        return [*lines, "", *self.summary("predict")]

    def sweep(self) -> list[str]:
        """The true violation for every C."""
        cases = [case for case in SWEEP if self.given.only in case.name]
        self.measure(cases, self.enduring())
        lines = ["## C from 0.01 to 10 000", ""]
        lines += [
            "| problem | peer | wall s | ratio | dual objective | rel. gap | violation |",
            "|---|---|---|---|---|---|---|",
        ]
        for case in cases:
            runs = self.found[case.name]
            for peer, rounds in runs.items():
                if "error" in rounds[0]:
                    lines.append(f"| {case.name} | {peer} | {rounds[0]['error']} |" + " |" * 4)
                    continue
                wall = median(figures(rounds, "fit", "wall"))
                ratio = wall / median(figures(runs["mercer"], "fit", "wall"))
                worth = "– | – | –"
                if "verdict" in rounds[0]:
                    verdict = Verdict(**rounds[0]["verdict"])
                    worth = f"{verdict.dual:.6g} | {relative(verdict)} | {verdict.violation:.1e}"
                lines.append(f"| {case.name} | {peer} | {wall:.3f} | {ratio:.2f} | {worth} |")
        return [*lines, ""]

    def ridge(self) -> list[str]:
        """Kernel ridge regression, which has a driver of its own."""
        command = [sys.executable, str(HERE.parent / "ridge" / "compare.py")]
        command += ["--rounds", str(self.given.rounds), "--threads", str(self.given.threads)]
        if not self.given.data:
            command += ["--rows", "3000"]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        return done.stdout.splitlines()

    def limits(self, cases: list[Case]) -> list[str]:
        """Fits against the time that their entries take."""
        lines = ["## Limits", ""]
        lines += [
            "| problem | fit s | n × nSV entries | tiles s | fit ÷ tiles | GEMM alone s | fit ÷ GEMM |",
            "|" + "---|" * 7,
        ]
        speeds: list[tuple[float, float]] = []
        for case in cases:
            if self.given.only not in case.name:
                continue
            settings = vars(case) | {"threads": self.given.threads, "tolerance": TOLERANCE}
            place = arrays(case, self.given.data, self.given.kept)
            command = [sys.executable, str(HERE / "limits.py"), str(place), json.dumps(settings)]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            said: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
            speeds.append((said["gemm"], said["memory"]))
            lines.append(
                f"| {case.name} | {said['fit']:.2f} | {said['entries']:.2e} | {said['tiles']:.2f} | "
                f"{said['fit'] / said['tiles']:.2f} | {said['gemm_floor']:.2f} | "
                f"{said['fit'] / said['gemm_floor']:.1f} |"
            )
        gemm, memory = (max(speed) for speed in zip(*speeds, strict=True))
        return [
            *lines,
            "",
            f"GEMM in f32: {gemm:.0f} GFLOP/s; copying memory: {memory:.1f} GB/s, read and written.",
            "",
        ]

    def scaling(self, cases: list[Case]) -> list[str]:
        """Time against rows, with the exponent of the best line through the logarithms."""
        peers = [peer for peer in self.peers if peer in ("mercer", "oneDAL f32", "oneDAL f64")]
        self.measure(cases, peers)
        lines = ["## Scaling", "", "| peer | " + " | ".join(case.name for case in cases) + " | exponent |"]
        lines.append("|" + "---|" * (len(cases) + 2))
        for peer in peers:
            seconds = [
                median(figures(self.found[case.name][peer], "fit", "wall")) if case.name in self.found else float("nan")
                for case in cases
            ]
            rows = [case.rows or 0 for case in cases]
            slope = float(np.polyfit(np.log(rows), np.log(seconds), 1)[0])
            lines.append(f"| {peer} | " + " | ".join(f"{s:.2f} s" for s in seconds) + f" | {slope:.2f} |")
        return [*lines, ""]


def relative(verdict: Verdict) -> str:
    """The gap as a share of the dual objective."""
    return f"{verdict.gap / max(abs(verdict.dual), 1e-300):.1e}"


def best(runs: dict[str, list[dict[str, Any]]], forms: tuple[str, ...], what: str) -> float | None:
    """Seconds of the best form that ran."""
    ran = [form for form in forms if form in runs and "error" not in runs[form][0]]
    return min((median(figures(runs[form], what, "wall")) for form in ran), default=None)


def figures(rounds: list[dict[str, Any]], what: str, clock: str) -> list[float]:
    """One figure of every round."""
    return [each[what][clock] for each in rounds if "error" not in each] or [float("nan")]


if __name__ == "__main__":
    sys.exit(main())
