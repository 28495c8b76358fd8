"""The import swap: pipelines, grid search and cross-validation with one line changed."""

# %% [markdown]
# A program for scikit-learn, in which only the line of the import is different. The data are measurements of cells,
# and the question is whether a tumour is malignant.

# %%
import numpy as np
import sklearn.svm
from mercer import SVC, datasets  # was: from sklearn.svm import SVC
from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

X, y = datasets.load("breast-cancer", return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0, stratify=y)
print(f"{X_train.shape[0]} rows to learn from, {X_test.shape[0]} to test, {X.shape[1]} columns")

# %% [markdown]
# The estimator is a step of a pipeline like any other. `GridSearchCV` clones it, sets its parameters and scores it.

# %%
pipeline = Pipeline([("scale", StandardScaler()), ("svc", SVC())])
grid = {"svc__C": [0.1, 1, 10], "svc__gamma": ["scale", 0.01, 0.1]}
search = GridSearchCV(pipeline, grid).fit(X_train, y_train)
print(f"best: {search.best_score_:.3f} in cross-validation with {search.best_params_}")
print(f"on rows never seen: {search.score(X_test, y_test):.3f}")
assert search.score(X_test, y_test) > 0.93

# %% [markdown]
# The same search with scikit-learn's class. Both solve the same problem, so every score of every fold is the same.

# %%
theirs = GridSearchCV(Pipeline([("scale", StandardScaler()), ("svc", sklearn.svm.SVC())]), grid).fit(X_train, y_train)
difference = np.abs(search.cv_results_["mean_test_score"] - theirs.cv_results_["mean_test_score"]).max()
print(f"largest difference of a mean score from scikit-learn's: {difference:.1e}")
assert search.best_params_ == theirs.best_params_
assert difference < 1 / len(X_train)

# %% [markdown]
# The fitted attributes are scikit-learn's too: support vectors, coefficients, intercepts, with the same signs.

# %%
best, other = search.best_estimator_[-1], theirs.best_estimator_[-1]
print(f"support vectors by class: {best.n_support_}, scikit-learn's {other.n_support_}")
scores = search.decision_function(X_test), theirs.decision_function(X_test)
assert np.allclose(*scores, atol=0.02)
assert (search.predict(X_test) == theirs.predict(X_test)).all()

# %% [markdown]
# What scikit-learn does not tell: how far this model can be from the best possible one, at most.

# %%
print(best.certificate_)
print(f"relative gap {best.gap_:.1e}; met the tolerance: {best.converged_}")
assert best.converged_ and best.gap_ < 1e-2

# %% [markdown]
# A kernel is a parameter like any other, so kernels can be searched as well, in the language of kernels.

# %%
kernels = ["linear", "rbf(gamma=scale)", "0.5*rbf(gamma=scale) + 0.5*linear", "poly(degree=2, gamma=0.1)"]
search = GridSearchCV(pipeline, {"svc__kernel": kernels}).fit(X_train, y_train)
for kernel, score in zip(kernels, search.cv_results_["mean_test_score"], strict=True):
    print(f"{score:.3f}  {kernel}")
assert (search.cv_results_["mean_test_score"] > 0.9).all()

# %% [markdown]
# Weights of classes and of rows, several classes, and sparse rows work as they do in scikit-learn.

# %%
iris, kind = datasets.load("iris", return_X_y=True)
score = cross_val_score(SVC(class_weight="balanced"), iris, kind).mean()
print(f"three kinds of iris: {score:.3f}")
assert score > 0.94
