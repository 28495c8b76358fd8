"""Cards for notebooks: whole, without scripts, with every text of the user's escaped."""

from html.parser import HTMLParser

import mercer
import numpy as np
import pytest
from mercer import _html, kernels
from sklearn import config_context

EVIL = "<img src=x onerror=alert(1)>&\"'"
VOID = {
    "img",
    "br",
    "hr",
    "input",
    "meta",
    "link",
    "path",
    "rect",
    "circle",
    "image",
    "polyline",
    "line",
    "use",
}


class Reader(HTMLParser):
    """Collects tags and text, and sees that what is opened is closed."""

    def __init__(self):
        super().__init__()
        self.tags, self.open, self.texts, self.attributes = set(), [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def read(html):
    reader = Reader()
    reader.feed(html)
    reader.close()
    assert reader.open == []
    return reader


def is_safe(html):
    reader = read(html)
    assert "script" not in reader.tags
    assert not any(name.startswith("on") for name, _ in reader.attributes)
    assert not any("javascript:" in (value or "") for _, value in reader.attributes)
    assert ("src", "x") not in reader.attributes
    return reader


def own(html):
    """The part of a model's card that is ours, behind scikit-learn's diagram."""
    return html[html.index('<div class="mercer-card"') :]


def points(n=80, features=2, seed=0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, features))
    return X, np.where(X[:, 0] + X[:, 1] ** 2 > 0.5, 1, 0)


def test_kernels():
    kernel = kernels.rbf(sigma=1)[EVIL] + kernels.chi2()
    reader = is_safe(kernel._repr_html_())
    text = "".join(reader.texts)
    assert EVIL.replace('"', '\\"') in text
    assert "where no coordinate is negative" in text
    for line in kernel.proof:
        assert line in reader.texts
    assert "scale" in kernels.rbf()._repr_html_()


@pytest.mark.parametrize("text", ["sigmoid(gamma=1, offset=-1)", "precomputed", "linear", "chi2"])
def test_every_status_has_a_card(text):
    is_safe(kernels.parse(text)._repr_html_())


def test_grams():
    X, _ = points()
    reader = is_safe(mercer.gram("rbf(sigma=1)", X)._repr_html_())
    assert "svg" in reader.tags
    assert "rbf(sigma=1)" in reader.texts
    is_safe(mercer.Gram(np.full((2, 2), np.nan))._repr_html_())
    is_safe(mercer.Gram(np.zeros((0, 0)))._repr_html_())


def test_reports():
    X, _ = points()
    is_safe(kernels.rbf().check(X)._repr_html_())
    reader = is_safe(kernels.sigmoid(gamma=1, offset=-1).check(X)._repr_html_())
    assert any("refuted" in text for text in reader.texts)


def test_a_model_of_two_columns_shows_its_decisions():
    X, y = points()
    model = mercer.SVC(C=10).fit(X, y)
    html = model._repr_html_()
    assert "sk-container" in html[: html.index("mercer-card")]
    reader = is_safe(own(html))
    text = "\n".join(reader.texts)
    assert "decisions" in text
    assert f"{len(model.support_)} of 80 rows" in text
    assert "certified" in text
    assert f"{model.certificate_.primal:.8g}" in text
    assert {"path", "circle"} <= reader.tags
    assert own(html).count("<circle") == len(model.support_)


def test_the_picture_of_decisions_is_right_on_both_sides():
    X = np.array([[-1.0, 0.0], [1.0, 0.0], [-1.0, 1.0], [1.0, 1.0]])
    html = own(mercer.SVC(kernel="linear", C=100).fit(X, [0, 0, 1, 1])._repr_html_())
    # A box of a path begins with its place: rows above the middle are all of one class, rows below of the other.
    sides = {}
    for path in html.split("<path ")[1:]:
        colour = path.split('fill="')[1][:7]
        for box in path.split('d="')[1].split('"')[0].split("M")[1:]:
            sides.setdefault(float(box.split("h")[0].split()[1]) < 90, set()).add(colour)
    assert [len(colours) for colours in sides.values()] == [1, 1]
    assert sides[True] != sides[False]


def test_several_classes_with_evil_names():
    X, _ = points(90)
    y = np.array([EVIL, "b", "c"])[np.arange(90) % 3]
    X[:, 0] += np.arange(90) % 3
    reader = is_safe(own(mercer.SVC().fit(X, y)._repr_html_()))
    assert any(EVIL in text for text in reader.texts)


def test_columns_with_evil_names():
    pandas = pytest.importorskip("pandas")
    X, y = points()
    frame = pandas.DataFrame(X, columns=["a", EVIL])
    is_safe(own(mercer.SVC().fit(frame, y)._repr_html_()))
    column = kernels.rbf(sigma=1)[EVIL]
    is_safe(own(mercer.SVC(kernel=column).fit(frame, y)._repr_html_()))


@pytest.mark.parametrize("features", [1, 3])
def test_other_models_show_how_their_solver_went(features):
    X, _ = points(features=max(features, 2))
    X = X[:, :features]
    html = own(mercer.SVR().fit(X, X[:, 0] ** 2)._repr_html_())
    text = "\n".join(is_safe(html).texts)
    assert "objective and its bound" in text or "share of support vectors" in text


def test_a_display_of_text_has_no_diagram():
    with config_context(display="text"):
        assert "sk-container" not in mercer.SVC()._repr_html_()


def test_before_a_fit_there_is_the_diagram_alone():
    html = mercer.SVC()._repr_html_()
    assert "mercer-card" not in html
    assert "SVC" in html


def test_no_picture_holds_numbers_that_are_not():
    X, y = points(40)
    X[:, 1] = 0.0
    html = own(mercer.OneClassSVM().fit(X)._repr_html_())
    assert "nan" not in html
    assert "nan" not in own(mercer.SVC().fit(X, X[:, 0] > 0)._repr_html_())
    assert _html.rows_table([("a", "<b>")]).count("&lt;b&gt;") == 1


def test_a_card_of_a_refuted_kernel_bounds_nothing():
    """Where the kernel is not positive semi-definite, a gap is no distance to the optimum."""
    x = np.random.default_rng(0).standard_normal((60, 3))
    with pytest.warns(mercer.exceptions.KernelWarning):
        model = mercer.SVC(kernel="sigmoid", gamma=1.0, coef0=-1.0).fit(x, x[:, 0] > 0)
    assert not model.certificate_.convex
    card = _html.model_card(model)
    assert "at most" not in card.partition("above the optimum by")[2].partition("</tr>")[0]
    assert "no gap bounds" in card
