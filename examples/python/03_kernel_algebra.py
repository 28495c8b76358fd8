"""Kernels as values: making them, proving them, refuting them, repairing them."""

# %% [markdown]
# A kernel is made of named kernels and operators. It prints as text of the kernel language, and the text reads back.

# %%
import mercer
import numpy as np
from mercer import SVC, datasets, kernels, maps
from mercer.exceptions import KernelError, MercerError

smooth = kernels.rbf(sigma=0.3)
k = 0.5 * smooth + kernels.linear() ** 2 + 1
print(k)
assert kernels.parse(repr(k)) == k
assert repr(k) == "0.5*rbf(sigma=0.3) + linear^2 + constant(value=1)"

# %% [markdown]
# Its value is what the formula says, entry by entry.

# %%
X, y = datasets.load("moons", n=150, seed=0, return_X_y=True)
inner = X @ X.T
square = (X**2).sum(axis=1)
by_hand = 0.5 * np.exp(-(square[:, None] + square[None, :] - 2 * inner) / (2 * 0.3**2)) + inner**2 + 1
print(f"largest difference from NumPy: {abs(k(X) - by_hand).max():.1e}")
assert np.allclose(k(X), by_hand, atol=1e-10)

# %% [markdown]
# Sums, products, powers, positive multiples, feature maps: each has a rule by which the result is a kernel again, and
# the proof is the chain of them. What would break the rule is refused.

# %%
print("\n".join(k.proof))
assert k.status == "psd"
for wrong in (lambda: -1 * smooth, lambda: kernels.parse("rbf(sigma=-1)"), lambda: kernels.parse("rbf(sigam=1)")):
    try:
        wrong()
    except KernelError as error:
        print(f"refused: {error}")
    else:
        raise AssertionError("that is no kernel")

# %% [markdown]
# Some kernels have finitely many features. Then the matrix is the inner product of the features.

# %%
quadratic = kernels.poly(degree=2)
features = quadratic.features(X)
print(f"{quadratic} has {features.shape[1]} features in {X.shape[1]} columns")
assert np.allclose(features @ features.T, quadratic(X))
assert np.allclose((kernels.linear() @ maps.quadratic())(X), kernels.quadratic()(X))

# %% [markdown]
# A formula that is no kernel: the sigmoid. Its form says so, and the data show it. The witness is a vector v on a few
# rows with v'Kv < 0, which a kernel never has.

# %%
sigmoid = kernels.sigmoid(gamma=1, offset=-1)
report = sigmoid.check(X)
print(report)
assert sigmoid.status == "not psd" and not report
part = sigmoid(X[report.witness_rows])
value = report.witness @ part @ report.witness
print(f"v'Kv = {value:.4f}, computed again")
assert value < 0 and np.isclose(value, report.witness_value)

# %% [markdown]
# A matrix of similarities from elsewhere: 1 minus the distance in steps. It looks harmless and has a negative
# eigenvalue. An estimator refuses it, and says what to do.

# %%
steps = np.abs(np.subtract.outer(np.arange(40.0), np.arange(40.0)))
similar = mercer.Gram(1 - steps / 10)
side = np.where(np.arange(40) % 20 < 10, 0, 1)
try:
    SVC(kernel="precomputed").fit(similar, side)
except MercerError as error:
    print(f"refused: {error}")
else:
    raise AssertionError("the matrix has negative eigenvalues")

# %% [markdown]
# Three repairs. Clipping changes the matrix least; flipping keeps the sizes of the eigenvalues; shifting leaves
# everything but the diagonal as it was.

# %%
print(f"smallest eigenvalue before: {similar.spectrum()[-1]:.2f}")
distance = {}
for how in ("clip", "flip", "shift"):
    repaired = similar.repair(how)
    distance[how] = np.linalg.norm(repaired - similar)
    model = SVC(kernel="precomputed", C=10).fit(repaired, side)
    print(f"{how:5}: moved by {distance[how]:6.2f}, training score {model.score(repaired, side):.2f}")
    assert repaired.check()
assert distance["clip"] < min(distance["flip"], distance["shift"])
off = ~np.eye(40, dtype=bool)
assert np.allclose(similar.repair("shift").values[off], similar.values[off], atol=1e-9)

# %% [markdown]
# Alignment with the target tells kernels apart before anything is fitted.

# %%
for kernel in (kernels.constant(), kernels.linear(), kernels.rbf(sigma=0.01), smooth):
    print(f"{kernel.align(X, y):.3f}  {kernel}")
assert smooth.align(X, y) > kernels.rbf(sigma=0.01).align(X, y)
