#!/bin/sh
# Which width of the Gaussian kernel sees the two moons? Five Gram matrices, in numbers and as a picture.
set -eu

mercer gram '@moons(n=200)' --kernel rbf --sweep 'sigma=0.1,0.2,0.5,1,5' --plot gram-sweep.svg

# The width that fits best, as data for another program.
mercer gram '@moons(n=200)' --kernel rbf --sweep 'sigma=0.1,0.2,0.5,1,5' --json |
    python3 -c 'import json, sys; print(max(json.load(sys.stdin), key=lambda k: k["alignment"]["plain"])["kernel"])'
