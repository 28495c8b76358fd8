"""Regression: ridge, support vectors, quantiles with intervals, several targets at once."""

# %% [markdown]
# The strength of concrete from its ingredients and its age: 1030 samples, eight columns.

# %%
import numpy as np
from mercer import SVR, GradientKernel, KernelQuantile, KernelRidge, datasets
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

concrete = datasets.load("concrete")
X_train, X_test, y_train, y_test = train_test_split(concrete.data, concrete.target, random_state=0)
print(", ".join(concrete.feature_names))

# %% [markdown]
# Ridge regression in the space of a kernel: one system of equations, solved exactly. Its certificate is a check.

# %%
ridge = make_pipeline(StandardScaler(), KernelRidge(kernel="rbf"))
grid = {"kernelridge__alpha": [0.01, 0.1, 1], "kernelridge__gamma": [0.03, 0.1, 0.3]}
search = GridSearchCV(ridge, grid).fit(X_train, y_train)
print(f"ridge: R² {search.score(X_test, y_test):.3f} with {search.best_params_}")
print(search.best_estimator_[-1].certificate_)
assert search.score(X_test, y_test) > 0.8
assert search.best_estimator_[-1].gap_ < 1e-6

# %% [markdown]
# Support vector regression leaves errors below epsilon free, so that only rows outside the tube count.

# %%
tube = make_pipeline(StandardScaler(), SVR(C=100, epsilon=5, gamma=0.1)).fit(X_train, y_train)
inside = np.abs(y_train - tube.predict(X_train)) < 5 - 1e-2
print(f"tube: R² {tube.score(X_test, y_test):.3f}, {len(tube[-1].support_)} of {len(y_train)} rows are support vectors")
assert tube.score(X_test, y_test) > 0.8
assert not inside[tube[-1].support_].any()

# %% [markdown]
# A prediction without its uncertainty is half an answer. The 5 % and the 95 % quantile make an interval that should
# hold nine of ten values. On the rows that were fitted the shares are exact, up to single rows; on new ones they are
# what was learned.

# %%
band = {}
for quantile in (0.05, 0.5, 0.95):
    model = make_pipeline(StandardScaler(), KernelQuantile(quantile=quantile, C=1, gamma=0.1, tol=1e-5))
    band[quantile] = model.fit(X_train, y_train)
    below = np.mean(y_train <= model.predict(X_train))
    print(f"quantile {quantile}: {below:.3f} of the training rows are below, gap {model[-1].gap_:.1e}")
    assert abs(below - quantile) < 0.02 and model[-1].converged_
low, high = band[0.05].predict(X_test), band[0.95].predict(X_test)
covered = np.mean((low <= y_test) & (y_test <= high))
print(f"interval: holds {covered:.3f} of new values, mean width {np.mean(high - low):.1f} MPa")
assert 0.75 < covered < 0.99
for row in range(3):
    print(f"  {low[row]:5.1f} … {high[row]:5.1f}, truth {y_test[row]:5.1f}")

# %% [markdown]
# Several targets share the kernel matrix and its factor. Each may have its own alpha, and each has its certificate.

# %%
both = np.column_stack([y_train, np.log(y_train)])
model = make_pipeline(StandardScaler(), KernelRidge(alpha=[0.1, 1.0], kernel="rbf", gamma=0.1)).fit(X_train, both)
answers = model.predict(X_test)
print(f"two targets: {answers.shape}, gaps {[f'{found.relative_gap:.0e}' for found in model[-1].certificates_]}")
alone = make_pipeline(StandardScaler(), KernelRidge(alpha=0.1, kernel="rbf", gamma=0.1)).fit(X_train, y_train)
assert np.allclose(alone.predict(X_test), answers[:, 0])

# %% [markdown]
# Outliers pull a squared loss, but hardly Huber's. Some targets are wrong by a factor here.

# %%
random = np.random.default_rng(0)
x = np.sort(random.uniform(-8, 8, 200)).reshape(-1, 1)
truth = np.sinc(x.ravel() / np.pi)
noisy = truth + random.normal(0, 0.05, 200)
noisy[::20] += 3
errors = {}
for loss in ("squared", "huber(delta=0.1)"):
    model = GradientKernel(loss, kernel="rbf(sigma=1)", C=10, max_iter=2000, tol=1e-3).fit(x, noisy)
    errors[loss] = np.sqrt(np.mean((model.predict(x) - truth) ** 2))
    print(f"{loss}: error {errors[loss]:.3f}, gap {model.gap_:.1e}")
assert errors["huber(delta=0.1)"] < errors["squared"] / 2
