#!/bin/sh
# A band instead of a line: the 10 % and the 90 % quantile of the strength of concrete.
set -eu

for tau in 0.1 0.9; do
  mercer fit @concrete --loss "pinball(tau=$tau)" --kernel rbf --scale standardize --C 10 -o "q$tau.mercer"
done
mercer predict q0.1.mercer @concrete | head -n 4
mercer predict q0.9.mercer @concrete | head -n 4
