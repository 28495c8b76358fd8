#!/usr/bin/env python3
"""Computes the witnesses of `mercer check` again, from what it prints.

    witness.py BINARY

The sigmoid kernel tanh(<x,z> - 1) is not positive semi-definite. The command proves it
with rows of the data and a vector v for which v^T K v < 0. Here that number is computed
from the printed rows alone, with nothing but the standard library.
"""

import csv
import math
import re
import subprocess
import sys

KERNEL = "sigmoid(gamma=1,offset=-1)"
SETS = [
    *(f"@circles(seed={seed})" for seed in range(4)),
    *(f"@moons(n=150, noise=0.2, seed={seed})" for seed in range(3)),
    "@circles",
    "@xor",
    "@spirals(n=101)",
    "@heart",
    "@sonar",
    "@ionosphere",
]
ROW = re.compile(r"  v = (\S+) +row (\d+): (.*)")
VALUE = re.compile(r"v\^T K v = (\S+) < 0 \(rounding at most (\S+)\)")


def main(binary):
    sizes = [holds(binary, data) for data in SETS]
    assert min(sizes) == 1, "a row with k(x,x) < 0 is enough by itself"
    assert max(sizes) > 1, "no witness had to combine rows"
    print("all witnesses hold")


def holds(binary, data):
    """Checks one witness; returns how many rows it has."""
    text = run(binary, ["check", data, "--kernel", KERNEL], code=1)
    value, rounding = map(float, VALUE.search(text).groups())
    rows = [(float(v), int(row), point(cells)) for v, row, cells in ROW.findall(text)]
    assert abs(math.fsum(v * v for v, _, _ in rows) - 1) < 1e-9, (data, "|v| is not 1")

    form = math.fsum(
        v * w * math.tanh(math.fsum(a * b for a, b in zip(x, z, strict=True)) - 1)
        for v, _, x in rows
        for w, _, z in rows
    )
    assert form < 0, (data, form)
    assert value < -rounding, (data, value, rounding)
    assert abs(form - value) <= rounding, (data, form, value, rounding)

    points = table(binary, data)
    for _, row, x in rows:
        assert x == points[row - 1], (data, row, "the row is not the one of the data")
    print(f"{data}: {len(rows)} rows, v^T K v = {form}")
    return len(rows)


def point(cells):
    """The coordinates of `x1=0.5 x2=-1`."""
    return [float(cell.split("=")[1]) for cell in cells.split()]


def table(binary, data):
    """The rows of the data, as the command gives them out."""
    lines = run(binary, ["features", data, "--map", "identity"], code=0).splitlines()
    return [[float(cell) for cell in row] for row in list(csv.reader(lines))[1:]]


def run(binary, arguments, code):
    done = subprocess.run([binary, *arguments], check=False, capture_output=True, text=True)
    assert done.returncode == code, (arguments, done.returncode, done.stderr)
    return done.stdout


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
