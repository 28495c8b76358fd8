#!/bin/sh
# Is it a kernel? A proof, a refutation, and a matrix made valid.
set -eu

mercer check @moons --kernel '0.5*rbf(sigma=1) + poly(degree=3)'

# Exit status 1 says "done, and the answer is no".
mercer check @circles --kernel sigmoid || echo "refuted (exit $?)"

# Similarities from elsewhere: a is like b, b is like c, but a is not like c.
cat > similarity.csv <<'END'
a,b,c
1,0.9,0.1
0.9,1,0.9
0.1,0.9,1
END
mercer check similarity.csv --kernel precomputed --repair clip --out valid.csv
cat valid.csv
mercer check valid.csv --kernel precomputed
