#!/bin/sh
# One kernel on numbers, categories and texts: each part names its columns.
set -eu

cat > wines.csv <<'END'
name,country,price,alcohol,good
Rioja Reserva,ES,14.5,13.5,yes
Ribera Reserva,ES,22,14,yes
Rioja Joven,ES,6,12.5,no
Chianti Riserva,IT,19,13,yes
Chianti,IT,8.5,12.5,no
Soave,IT,7,12,no
END
kernel='rbf(sigma=1)@standardize[price, alcohol] + 0.5*delta[country] + normalize(spectrum(k=3))[name]'

mercer check wines.csv --target good --kernel "$kernel"
mercer gram wines.csv --target good --kernel "$kernel" --out gram.csv
cat gram.csv
