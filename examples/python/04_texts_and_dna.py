"""String kernels: DNA and short messages by the substrings that they share, without features made by hand."""

# %% [markdown]
# A promoter is a stretch of DNA where the reading of a gene starts. There are 106 sequences of 57 letters, half of them
# promoters. The spectrum kernel counts the substrings of length k that two texts share.

# %%
import numpy as np
from mercer import SVC, KernelPCA, datasets, kernels
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score, train_test_split

dna = datasets.load("promoter")
print(dna.data[0], "is", dna.target_names[dna.target[0]])
print(dna.DESCR.splitlines()[2])

# %% [markdown]
# By hand, for two short texts: ACGT has the substrings AC, CG, GT; ACGA has AC, CG, GA. They share two.

# %%
pair = kernels.spectrum(k=2)(["ACGT", "ACGA"])
print(pair)
assert pair.tolist() == [[3.0, 2.0], [2.0, 3.0]]
assert np.isclose(kernels.normalize(kernels.spectrum(k=2))(["ACGT", "ACGA"])[0, 1], 2 / 3)

# %% [markdown]
# The rows are texts as they are: an estimator takes them, and so do cross-validation and grid search. How long should
# the substrings be? Normalised, so that long texts do not count more.

# %%
folds = StratifiedKFold(5, shuffle=True, random_state=0)
grid = {"kernel": [kernels.normalize(kernels.spectrum(k=k)) for k in (1, 2, 3, 4, 5)]}
search = GridSearchCV(SVC(C=10), grid, cv=folds).fit(dna.data, dna.target)
for kernel, score in zip(grid["kernel"], search.cv_results_["mean_test_score"], strict=True):
    print(f"{score:.3f}  {kernel}  alignment {kernel.align(dna.data, dna.target):.3f}")
scores = search.cv_results_["mean_test_score"]
assert scores[0] < scores.max() and scores.max() > 0.9

# %% [markdown]
# Substrings of several lengths, by a sum of kernels. Every part is proved, so the sum is.

# %%
several = kernels.normalize(sum(kernels.spectrum(k=k) for k in (3, 4, 5)))
score = cross_val_score(SVC(kernel=several, C=10), dna.data, dna.target, cv=folds).mean()
print(f"{score:.3f}  {several}")
assert several.status == "psd" and score > 0.85

# %% [markdown]
# Why is a sequence called a promoter? The training rows that made its score, with what each contributed.

# %%
train, test = next(folds.split(dna.data, dna.target))
model = SVC(kernel=several, C=10).fit(dna.data[train], dna.target[train])
row = dna.data[test][:1]
why = model.explain(row, k=3)[0]
print(f"{row[0]}: score {why['score']:+.3f}, {dna.target_names[model.predict(row)[0]]}")
for number, value, share in zip(why["rows"], why["kernel"], why["contributions"], strict=True):
    print(f"  {dna.data[train][number]}  similar by {value:.2f}, adds {share:+.3f}")
assert np.isclose(why["contributions"].sum() + why["bias"] + why["rest"], model.decision_function(row)[0])

# %% [markdown]
# The same on short messages: is it spam? Substrings of three letters know about words, endings and numbers. A text
# that is shorter than the substrings has none, and length zero cannot be normalised: such rows are left out.

# %%
sms = datasets.load("sms")
long = np.array([len(text) >= 3 for text in sms.data])
texts, spam = sms.data[long], sms.target[long]
train, test, y_train, y_test = train_test_split(texts, spam, random_state=0, stratify=spam)
model = SVC(kernel="normalize(spectrum(k=3))", C=10, class_weight="balanced").fit(train, y_train)
print(f"{len(test)} messages, {model.score(test, y_test):.3f} right, {len(model.support_)} support vectors")
print(model.certificate_)
assert model.converged_ and model.score(test, y_test) > 0.95

# %% [markdown]
# Machines that know nothing of texts take them as well, through the kernel: two principal components of the sequences.

# %%
K = several(dna.data)
components = KernelPCA(n_components=2, kernel="precomputed").fit_transform(K)
middle = [components[dna.target == label].mean(axis=0) for label in (0, 1)]
print(f"centres of the two classes: {middle[0].round(2)} and {middle[1].round(2)}")
assert components.shape == (106, 2) and np.linalg.norm(middle[0] - middle[1]) > 0.05
