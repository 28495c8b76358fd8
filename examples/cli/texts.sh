#!/bin/sh
# Kernels on texts: substrings that DNA sequences and messages share.
set -eu

# How long should the substrings be?
mercer gram @promoter --kernel 'normalize(spectrum)' --sweep 'k=1,2,3,4,5,6'

# Several lengths at once, and a picture.
mercer gram @promoter --kernel 'normalize(spectrum(k=3) + spectrum(k=4))' --plot promoter.svg

# Messages: ham or spam.
mercer gram @sms --sample 300 --kernel 'normalize(spectrum(k=4) + 1)'
