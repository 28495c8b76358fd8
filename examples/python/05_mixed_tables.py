"""A table of numbers, names and texts: each part of a kernel says which columns it sees."""

# %% [markdown]
# Two hundred wines that do not exist. The quality depends on price and alcohol, on the country, and on a word in the
# name. No column is turned into numbers by hand.

# %%
import mercer
import numpy as np
import pandas as pd
from mercer import SVC, kernels, maps
from mercer.exceptions import MercerError
from sklearn.model_selection import GridSearchCV, cross_val_score

random = np.random.default_rng(0)
rows = 200
country = random.choice(["ES", "FR", "IT"], rows)
word = random.choice(["Reserva", "Joven", "Riserva", "Classico", "Cuvee"], rows)
place = random.choice(["Rioja", "Soave", "Chianti", "Medoc", "Priorat", "Barolo", "Cahors"], rows)
price = random.lognormal(2.5, 0.5, rows)
alcohol = random.normal(13, 0.7, rows)
quality = (
    0.8 * np.log(price) + 0.5 * (alcohol - 13) + 0.8 * (country == "FR") + 1.2 * np.isin(word, ["Reserva", "Riserva"])
)
good = np.where(quality + random.normal(0, 0.2, rows) > np.median(quality), "good", "plain")
wines = pd.DataFrame(
    {
        "name": [f"{a} {b} No. {n}" for n, (a, b) in enumerate(zip(place, word, strict=True))],
        "country": pd.Categorical(country),
        "price": price,
        "alcohol": alcohol,
    }
)
print(wines.head(3).to_string())

# %% [markdown]
# The parts. `@ standardize` puts price and alcohol on one scale, with means and deviations of the training rows only;
# `delta` asks whether two names are the same; `spectrum` counts common substrings.

# %%
numbers = (kernels.rbf(sigma=1) @ maps.standardize())["price", "alcohol"]
names = kernels.delta()["country"]
texts = kernels.normalize(kernels.spectrum(k=4))["name"]
whole = numbers + 0.5 * names + texts
print(whole)
print("looks at:", ", ".join(whole.domain))
assert whole.status == "psd"

# %% [markdown]
# Each part alone knows something, and together they know more. A product of parts asks for all of them at once.

# %%
scores = {}
for kernel in (numbers, names, texts, whole, numbers * (1 + texts)):
    scores[kernel] = cross_val_score(SVC(kernel=kernel, C=3), wines, good, cv=5).mean()
    print(f"{scores[kernel]:.3f}  alignment {kernel.align(wines, good):.3f}  {kernel}")
assert scores[whole] > max(scores[numbers], scores[names], scores[texts])
assert scores[whole] > 0.8

# %% [markdown]
# How much should each part count? The weights are in the kernel, so a search over kernels is a search over weights.

# %%
grid = {"kernel": [numbers + a * names + b * texts for a in (0.1, 0.5) for b in (0.3, 1, 3)]}
search = GridSearchCV(SVC(C=3), grid).fit(wines, good)
print(f"{search.best_score_:.3f}  {search.best_params_['kernel']}")
assert search.best_score_ >= scores[whole] - 1e-9

# %% [markdown]
# A kernel finds its columns by name: their order does not matter. (Estimators want the order of the training rows, as
# scikit-learn does.)

# %%
model = SVC(kernel=whole, C=3).fit(wines, good)
print(model.certificate_)
assert model.converged_
other = wines[["alcohol", "name", "price", "country"]]
assert np.array_equal(kernels.parse(repr(whole))(other), whole(wines))

# %% [markdown]
# A country that was never seen is like none of the others; a missing price is refused, with its place.

# %%
new = pd.DataFrame({"name": ["Rioja Reserva"], "country": ["PT"], "price": [30.0], "alcohol": [13.5]})
new["country"] = pd.Categorical(new["country"])
print(f"from a new country: {model.predict(new)[0]}, score {model.decision_function(new)[0]:+.2f}")
between = mercer.gram(names, new, wines).values
assert (between == 0).all()
try:
    model.predict(new.assign(price=np.nan))
except MercerError as error:
    print(f"refused: {error}")
else:
    raise AssertionError("the price is missing")

# %% [markdown]
# Why: the wines that spoke for it and against it.

# %%
why = model.explain(new, k=3)[0]
for row, share in zip(why["rows"], why["contributions"], strict=True):
    print(f"{share:+.3f}  {wines['name'][row]}, {wines['country'][row]}, {wines['price'][row]:.1f}: {good[row]}")
