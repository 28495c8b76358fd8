"""Certificates: what an answer is worth, when a fit is cut short too."""

# %% [markdown]
# A solver ends when its own criterion says so. A certificate is computed afterwards, from the coefficients alone: the
# objective of the model, and a bound that no model can beat. Their difference is the gap.

# %%
import time
import warnings

import numpy as np
from mercer import SVC, KernelLogistic, datasets
from mercer.exceptions import KernelWarning
from sklearn.exceptions import ConvergenceWarning

X, y = datasets.load("chessboard", n=2000, seed=1, return_X_y=True)
model = SVC(kernel="rbf(sigma=0.1)", C=10).fit(X, y)
found = model.certificate_
print(found)
print(f"objective {found.primal:.6f}, no model is below {found.dual:.6f}")
assert model.converged_ and found.holds
assert found.dual <= found.primal and np.isclose(found.gap, found.primal - found.dual)

# %% [markdown]
# `tol` is a violation of the optimality conditions, as in scikit-learn. It is not a gap: where the rows can be
# separated and C is large, the objective is small, and a violation of 1e-3 leaves much of it open. The gap says so, and
# a smaller tolerance closes it.

# %%
gaps = []
for tol in (1e-3, 1e-5, 1e-7, 1e-9):
    model = SVC(kernel="rbf(sigma=0.1)", C=1e5, tol=tol).fit(X, y)
    gaps.append(model.gap_)
    print(f"tol {tol:.0e}: relative gap {model.gap_:.1e}, score {model.score(X, y):.3f}")
    assert model.converged_
assert gaps == sorted(gaps, reverse=True)
assert gaps[0] > 0.1 and gaps[-1] < 1e-3

# %% [markdown]
# `history_` tells how the solver went: the gap falls, not always at every step.

# %%
history = model.history_
for k in np.linspace(0, len(history["gap"]) - 1, 6).astype(int):
    print(f"{history['iteration'][k]:7.0f} iterations: violation {history['violation'][k]:.1e}")
assert history["violation"][-1] < history["violation"][0]

# %% [markdown]
# A limit of time or of iterations ends the fit with the model so far. A warning says what that is worth and what would
# help; it is scikit-learn's `ConvergenceWarning`, and names your line. Ctrl-C in a terminal does the same.

# %%
X, y = datasets.load("chessboard", n=4000, seed=2, return_X_y=True)
hard = SVC(kernel="rbf(sigma=0.03)", C=1e9, tol=1e-9)
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    start = time.monotonic()
    short = hard.set_params(time_limit=0.1).fit(X, y)
    seconds = time.monotonic() - start
print(f"{seconds:.2f} s: {told[0].message}")
assert issubclass(told[0].category, ConvergenceWarning)
assert not short.converged_ and short.predict(X).shape == y.shape

with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    few = SVC(kernel="rbf(sigma=0.1)", C=1e4, max_iter=100).fit(X, y)
print(f"max_iter: gap {few.gap_:.1e}, violation {few.certificate_.violation:.1e}")
assert "Cheapest cure: raise max_iter" in str(told[0].message)

# %% [markdown]
# Whoever wants no model that is not certified turns the warning into an error.

# %%
with warnings.catch_warnings():
    warnings.simplefilter("error", ConvergenceWarning)
    try:
        SVC(C=1e4, max_iter=10).fit(X, y)
    except ConvergenceWarning as error:
        print(f"refused: {error}")
    else:
        raise AssertionError("ten iterations cannot be enough")

# %% [markdown]
# The argument needs a kernel that is positive semi-definite. `sigmoid` mostly is not: then nothing is certified.

# %%
moons, half = datasets.load("moons", n=100, return_X_y=True)
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    void = SVC(kernel="sigmoid", gamma=1, coef0=-1).fit(moons, half)
print(told[0].message)
assert issubclass(told[0].category, KernelWarning) and not void.converged_

# %% [markdown]
# Other machines have other tolerances: that of logistic regression is the relative gap itself.

# %%
odds = KernelLogistic(kernel="rbf(sigma=0.3)", C=10, tol=1e-8).fit(moons, half)
print(f"logistic: gap {odds.gap_:.1e} after {odds.n_iter_} Newton steps")
assert odds.gap_ <= 1e-8
