"""Large data: features in place of a kernel, stochastic machines, streams, model files and the command."""

# %% [markdown]
# Twenty thousand points on a chessboard. The exact machine is the reference: it keeps no matrix, and its certificate
# says that there is nothing better.

# %%
import csv
import io
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import mercer
import numpy as np
import pandas as pd
from mercer import SVC, KernelPegasos, KernelPerceptron, Nystroem, Pegasos, RBFSampler, datasets
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

X, y = datasets.load("chessboard", n=20_000, seed=1, return_X_y=True)
X_train, y_train, X_test, y_test = X[:16_000], y[:16_000], X[16_000:], y[16_000:]
start = time.monotonic()
exact = SVC(kernel="rbf(sigma=0.15)", C=10, memory_limit="200MB").fit(X_train, y_train)
seconds = time.monotonic() - start
print(f"exact: {exact.score(X_test, y_test):.3f}, gap {exact.gap_:.1e}, {len(exact.support_)} rows, {seconds:.1f} s")
assert exact.converged_ and exact.score(X_test, y_test) > 0.97

# %% [markdown]
# Features whose inner products imitate the kernel: from some training rows (Nystroem) or from random waves
# (RBFSampler). What follows is a linear machine, of Mercer or of scikit-learn.

# %%
gamma = 1 / (2 * 0.15**2)
maps = [
    Nystroem(gamma=gamma, n_components=300, random_state=0),
    RBFSampler(gamma=gamma, n_components=300, random_state=0),
]
for features in maps:
    start = time.monotonic()
    model = make_pipeline(features, LinearSVC()).fit(X_train, y_train)
    score, seconds = model.score(X_test, y_test), time.monotonic() - start
    print(f"{type(features).__name__} and a linear machine: {score:.3f}, {seconds:.1f} s")
    assert score > 0.9

# %% [markdown]
# How good is the imitation? The kernel matrix of some rows against the inner products of their features. Nystroem has
# seen the data, the waves have not.

# %%
part = X_test[:300]
truth = mercer.gram(f"rbf(gamma={gamma})", part)
for count in (50, 150, 450):
    error = []
    for kind in (Nystroem, RBFSampler):
        features = kind(gamma=gamma, n_components=count, random_state=0).fit(X_train).transform(part)
        error.append(np.abs(features @ features.T - truth).mean())
    print(f"{count} features: mean error {error[0]:.4f} of Nystroem, {error[1]:.4f} of RBFSampler")
assert error[0] < error[1] < 0.05

# %% [markdown]
# Pegasos takes one random row at a time: with a feature map in its kernel, or with a kernel on pairs. It is for a gap
# of a few hundredths, and says which gap it has reached.

# %%
few, few_y = X_train[:1500], y_train[:1500]
linear = Pegasos(kernel="linear@nystrom(kernel=rbf(sigma=0.15), m=100)", random_state=0).fit(few, few_y)
pairs = KernelPegasos(kernel="rbf(sigma=0.15)", random_state=0).fit(few, few_y)
for model in (linear, pairs):
    print(f"{type(model).__name__}: {model.score(X_test, y_test):.3f}, gap {model.gap_:.3f}")
    assert model.converged_ and model.gap_ <= 0.05

# %% [markdown]
# A stream: each row is seen once, predicted before it is learned, and kept only if that was a mistake. `keep` bounds
# the memory: the oldest row is forgotten. That has a price where the rows do not change in character, as here.

# %%
streams = {keep: KernelPerceptron(kernel="rbf(sigma=0.15)", keep=keep) for keep in (None, 800)}
for keep, stream in streams.items():
    mistakes = [0]
    for at in range(0, len(X_train), 2000):
        stream.partial_fit(X_train[at : at + 2000], y_train[at : at + 2000], classes=[-1, 1])
        mistakes.append(stream.mistakes_)
    print(f"keep={keep}: mistakes in each 2000 rows {np.diff(mistakes).tolist()}, {len(stream.support_)} rows kept")
    print(f"  afterwards: {stream.score(X_test, y_test):.3f}")
assert streams[None].score(X_test, y_test) > 0.9
assert len(streams[800].support_) == 800

# %% [markdown]
# A model file holds no code. It is read by Python, by Rust and by the command, which gives the same scores.

# %%
frame, rows = pd.DataFrame(few, columns=["east", "north"]), X_test[:50]
model = SVC(kernel="rbf(sigma=0.15)", C=10).fit(frame, few_y)
new = pd.DataFrame(rows, columns=["east", "north"])
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "board.mercer"
    model.save(path)
    print(f"{path.name}: {path.stat().st_size} bytes for {len(model.support_)} support vectors")
    again = mercer.load(path)
    assert (again.decision_function(new) == model.decision_function(new)).all()
    assert again.gap_ == model.gap_

    command = shutil.which("mercer")
    if command is None:
        print("the command mercer is not on the path; cargo install --path crates/mercer-cli puts it there")
    else:
        new.to_csv(Path(folder) / "new.csv", index=False)
        words = [command, "predict", path, Path(folder) / "new.csv", "--scores"]
        told = subprocess.run(words, check=True, capture_output=True, text=True).stdout
        scores = [float(row["score"]) for row in csv.DictReader(io.StringIO(told))]
        print(f"the command gives the same scores: {np.abs(scores - model.decision_function(new)).max():.1e} apart")
        assert np.allclose(scores, model.decision_function(new), atol=1e-6)
