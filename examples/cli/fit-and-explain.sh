#!/bin/sh
# Fit, look at the proof, predict, and ask which training rows made a prediction.
set -eu

mercer fit @heart --kernel rbf --scale standardize --C 1 -o heart.mercer
mercer show heart.mercer
mercer predict heart.mercer @heart --scores | head -n 4
mercer predict heart.mercer @heart --explain 2 | head -n 7

# The same problem by an interior-point method: the objective is the same to many digits.
mercer fit @heart --kernel rbf --scale standardize --C 1 --solver qp
