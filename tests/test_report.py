"""The page about a run, the page that compares runs, and their pictures."""

import html
import math
import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import numpy as np
import pytest

import sapwood
from sapwood._scores import Scores
from sapwood.datasets import rand_cbt
from sapwood.report import charts as pictures
from sapwood.report import (
    compare_chart,
    comparison_html,
    report_html,
    write_comparison,
    write_report,
)
from sapwood.report.cap import Cap
from sapwood.report.sampling import runs, spread, thinned
from sapwood.report.scale import at_values, nice
from sapwood.report.settings import snippet
from sapwood.report.treeview import MAX_LEAVES, Top, fitting_depth
from sapwood.report.words import counted, duration, escaped, percent, size
from sapwood.results import Curve, Result

HOSTILE = '<b>&"x"'
VOID = {"meta", "br", "hr", "img", "link", "input"}


def made(
    n_rows=45_312,
    every=1000,
    rate=0.1,
    classes=("DOWN", "UP"),
    drifts=(9000, 22_000),
    model=None,
    settings=None,
    skipped=0,
):
    """Return a result as a run leaves it, of made-up predictions."""
    rng = np.random.default_rng(7)
    scores, before = Scores(), 0
    for label in classes:
        scores.code_of(label)
    i = np.append(np.arange(every, n_rows, every), n_rows)
    for end in i:
        truth = rng.integers(0, len(classes), end - before)
        wrong = rng.random(len(truth)) < 0.25
        predicted = np.where(wrong, rng.integers(-1, len(classes), len(truth)), truth)
        for true, guess in zip(truth.tolist(), predicted.tolist(), strict=True):
            scores.add_one(true, guess)
        scores.note()
        before = end
    positive = scores.rarest()
    columns = scores.curve(positive)
    labels = np.floor(i * rate * (0.8 + 0.1 * i / n_rows)).astype(int) if rate else i
    found = np.array([sum(at <= end for at in drifts) for end in i])
    leaves = 1 + np.floor(np.sqrt(i / 60)).astype(int)
    rest = {"leaves": leaves, "labels": labels, "query_rate": labels / i, "drifts": found}
    rest |= {"bytes": 5000 + 4210 * leaves, "seconds": i / 1e6}
    return Result(
        accuracy=float(columns["accuracy"][-1]),
        f_measure=float(columns["f_measure"][-1]),
        kappa=float(columns["kappa"][-1]),
        query_rate=float(labels[-1] / n_rows),
        n_rows=n_rows,
        labels=int(labels[-1]),
        drifts=int(found[-1]),
        n_leaves=int(leaves[-1]),
        seconds=0.0453,
        positive=positive,
        classes=list(classes),
        pairs=scores.confusion(),
        curve=Curve(columns | rest),
        model=model,
        settings=settings if settings is not None else {"stream": "electricity.parquet"},
        skipped=skipped,
    )


@pytest.fixture(scope="module")
def tree():
    stream = rand_cbt(n_leaves=20, q=0.97, per_leaf=2000, seed=3)
    return sapwood.ConfidenceTreeClassifier().fit(*stream)


class Reader(HTMLParser):
    """Reads a page: checks that tags close in order, and gathers its text."""

    def __init__(self, page):
        super().__init__()
        self.open, self.tags, self.words = [], [], []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)

    @property
    def text(self):
        return "".join(self.words)


def svgs(page):
    return re.findall(r"<svg .*?</svg>", page, re.S)


def checked(page):
    """Return a page as read, if it is sound and needs nothing from elsewhere."""
    assert page.startswith("<!doctype html>")
    for svg in svgs(page):
        ElementTree.fromstring(svg)
    strange = page.replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"https?:|//[a-z]|@import|url\(|<script|<link|<img|\bsrc=", strange)
    assert "nan" not in "".join(re.findall(r' (?:d|x|y|cx|cy|width|height)="[^"]*"', page))
    return Reader(page)


def sentence(page):
    found = re.search(r'<p class="lede">(.*?)</p>', page, re.S)[1]
    return html.unescape(re.sub(r"<[^>]*>", "", found)).replace("\u00a0", " ")


# --- the page of one run --------------------------------------------------------------------------


def test_headline_says_what_the_result_says():
    result = made()
    said = sentence(report_html(result, budget="rate:0.1"))
    assert said == (
        f"On {result.n_rows:,} examples of electricity.parquet the model was right "
        f"{100 * result.accuracy:.1f} % of the time and asked for {result.labels:,} labels, "
        f"{100 * result.query_rate:.1f} % of the stream."
    )


def test_key_figures_are_those_of_the_result():
    result = made(skipped=3)
    page = report_html(result, budget="rate:0.1")
    reader = checked(page)
    for value in (
        f"{result.kappa:.3f}",
        f"{result.f_measure:.3f}",
        f"{result.labels:,}",
        f"{result.n_leaves}",
        "3 rows could not be read and were left out",
        "45.3 ms",
    ):
        assert value in reader.text.replace("\u00a0", " ")
    most = result.confusion.sum(axis=1).max() / result.n_rows
    assert f"{100 * most:.1f} %" in reader.text.replace("\u00a0", " ")


def test_every_section_is_there(tree):
    settings = {"stream": "s.csv", "budget": "rate:0.1", "strategy": {"name": "random"}}
    settings |= {"model": {"class": "ConfidenceTreeClassifier", "c": 0.02}, "every": 500}
    page = report_html(made(model=tree, settings=settings))
    reader = checked(page)
    headings = re.findall(r"<h2>(.*?)</h2>", page)
    assert headings == [
        "How often it was right",
        "What it asked for",
        "How it grew",
        "Which classes were told apart",
        "The tree",
        "To repeat it",
    ]
    assert len(svgs(page)) == 5
    assert page.count(">drift</text>") == 2
    assert "the tree was right" in sentence(page)
    assert tree.splits()[0].test in reader.text
    assert tree.splits()[0].evidence in reader.text
    assert ("figure", {"class": "tree"}) in reader.tags


def test_report_is_written(tmp_path):
    path = tmp_path / "report.html"
    write_report(made(), path, title="Prices", budget=0.1)
    page = path.read_text(encoding="utf-8")
    assert page == report_html(made(), title="Prices", budget=0.1)
    assert "<h1>Prices</h1>" in page
    assert "<title>Prices</title>" in page


def test_names_are_escaped():
    long = "größe 价 " * 60
    settings = {"stream": f"{HOSTILE}.csv", HOSTILE: [HOSTILE], "command": f"run {HOSTILE}"}
    result = made(classes=(HOSTILE, "two\nlines\x00\ud800", long, ""), settings=settings)
    page = report_html(result, title=f"</title>{HOSTILE}")
    reader = checked(page)
    assert HOSTILE not in page
    assert "<b>&" not in page
    assert HOSTILE in reader.text
    assert "two\\nlines\\x00\\ud800" in reader.text
    page.encode("utf-8")
    assert any(attrs.get("title") == escaped(long).strip() or long in (attrs.get("title") or "")
               for _, attrs in reader.tags)  # fmt: skip


def test_columns_of_a_tree_are_escaped():
    rng = np.random.default_rng(1)
    tree = sapwood.ConfidenceTreeClassifier()
    for x in rng.random(4000).tolist():
        tree.learn_one({HOSTILE: x}, HOSTILE if x < 0.5 else "</svg>")
    assert tree.splits()
    page = report_html(made(model=tree))
    assert HOSTILE not in page
    assert f"{HOSTILE} <= " in checked(page).text


@pytest.mark.parametrize("n_rows", [1, 7, 500])
def test_a_single_record(n_rows):
    result = made(n_rows=n_rows, drifts=(n_rows,))
    page = report_html(result, budget=0.1)
    checked(page)
    assert sentence(page).startswith(f"On {n_rows} example{'s' if n_rows > 1 else ''} of")


def test_many_records_stay_small():
    result = made(n_rows=3000 * 100, every=100, drifts=range(1000, 300_000, 700))
    page = report_html(result, budget="rate:0.1")
    checked(page)
    assert len(result.curve) == 3000
    assert len(page) < 500_000
    assert f"{result.drifts} drifts</text>" in page


def test_nothing_to_draw_is_no_error():
    result = made()
    for column in ("window_accuracy", "accuracy", "bytes", "leaves", "labels"):
        values = {c: np.array(result.curve[c], dtype=float) for c in Curve.columns}
        values[column][:] = math.nan
        for chart in (pictures.accuracy_chart, pictures.leaves_chart, pictures.bytes_chart):
            ElementTree.fromstring(chart(Curve(values)))
        svg = pictures.labels_chart(Curve(values), Cap.of(0.1))
        assert "nan" not in svg.lower()


def test_a_model_without_a_tree():
    page = report_html(made(model=object()))
    checked(page)
    assert "The tree" not in page
    assert "the model was right" in sentence(page)


def test_a_tree_that_has_not_split():
    page = report_html(made(model=sapwood.ConfidenceTreeClassifier()))
    checked(page)
    assert "<h2>The tree</h2>" not in page


def test_no_budget():
    page = report_html(made(rate=None, settings={"stream": "a.csv", "budget": None}))
    checked(page)
    assert sentence(page).endswith("and learned from every label.")
    assert len(svgs(page)) == 3


def test_few_classes_have_a_matrix_and_many_have_none():
    few = made(classes=("a", "b", "c"))
    page = report_html(few)
    for n in few.confusion.ravel().tolist():
        assert f">{n:,}<" in page
    many = made(classes=[f"class {k}" for k in range(20)])
    page = report_html(many)
    checked(page)
    assert 'class="matrix"' not in page
    for scores in many.per_class():
        assert f">{scores['class']}</td><td>{scores['support']:,}</td>" in page


def test_hover_says_the_numbers():
    result = made()
    svg = pictures.accuracy_chart(result.curve)
    titles = [t.text for t in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}title")]
    last = result.curve["window_accuracy"][-1]
    assert any(
        t.replace("\u00a0", " ").startswith("after 45,312 examples\n") and percent(float(last)) in t
        for t in titles
    )


def test_budgets_are_drawn_and_said():
    i = np.array([10.0, 20.0])
    for text in ("rate:0.1", "strict:0.1", 0.1):
        assert Cap.of(text).at(i).tolist() == [1.0, 2.0]
    ends = np.array([5.0, 15.0])
    assert Cap.of("rate:0.1").at(ends).tolist() == [1.0, 2.0]  # what is begun may be spent
    assert Cap.of("strict:0.1").at(ends).tolist() == [0.0, 1.0]
    assert Cap.of("window:0.2:10").at(np.array([1.0, 2, 9, 10, 11, 25])).tolist() == [
        1,
        2,
        2,
        2,
        3,
        6,
    ]
    assert Cap.of("estimated-window:0.1:100").at(i) is None
    assert Cap.of("count:500:0.05").at(i).tolist() == [500.0, 500.0]
    assert Cap.of("100/hour:0.05").at(i) is None
    assert Cap.of("100/hour:0.05").words == "100 labels per hour"
    assert Cap.of("unlimited:1").at(i) is None
    assert Cap.of("rate:many").words == "rate:many"
    assert Cap.of(None) is None
    words = {"0.5": "not spent", "0.085": "exceeded by", "0.09": "all of it was spent"}
    for budget, said in words.items():
        result = made(n_rows=10_000, rate=0.1)
        assert result.labels == 900
        assert said in report_html(result, budget=budget)
    page = report_html(made(), budget="count:9000:0.2")
    assert "9,000\u00a0labels in all" in page
    assert "budget: 9,000</text>" in page


# --- the tree -------------------------------------------------------------------------------------


def test_a_large_tree_is_cut_and_says_so(tree):
    nodes = tree._model.nodes()
    assert tree.n_leaves_ > MAX_LEAVES
    depth = fitting_depth(nodes)
    top = Top(tree._model, depth)
    drawn = [node for node in top.nodes() if node["is_leaf"]]
    assert 2 <= len(drawn) <= MAX_LEAVES
    total = sum(node["learned"] for node in nodes if node["is_leaf"])
    assert sum(node["learned"] for node in drawn) == pytest.approx(total)
    assert top.svg().count("stroke-dasharray") == len(top.cut) > 0
    whole = [n for n in drawn if n["node"] not in top.cut]
    told = re.search(
        r"stands? for (?:a subtree|subtrees) with (\d+)", report_html(made(model=tree))
    )
    assert int(told[1]) == tree.n_leaves_ - len(whole)


def test_a_small_tree_is_drawn_whole(tree):
    nodes = tree._model.nodes()
    deep = max(node["depth"] for node in nodes)
    assert Top(tree._model, deep).svg() == tree.to_svg()
    assert fitting_depth(nodes, most=10_000) == deep


# --- what repeats it ------------------------------------------------------------------------------


def test_snippet_runs():
    model = sapwood.ConfidenceTreeClassifier(c=0.05, categorical_features=["a"])
    params = model.get_params() | {"categorical_features": "['a']"}
    settings = {"stream": "x.csv", "model": {"class": "ConfidenceTreeClassifier", **params}}
    settings |= {"strategy": None, "budget": None, "every": 500}
    code = snippet(settings)
    assert "'x.csv', model, every=500" in code
    made_again = {}
    exec(code[: code.index("result =")], made_again)
    assert made_again["model"].get_params() == model.get_params()
    strategy = {"name": "split", "nu": 0.3}
    code = snippet({**settings, "strategy": strategy, "budget": "rate:0.1", "stream": "table"})
    assert "strategy=Strategy('split', nu=0.3)" in code
    assert "budget='rate:0.1'" in code
    assert "stream = (X, y)" in code


def test_no_snippet_where_settings_do_not_tell_all():
    assert snippet({}) is None
    assert snippet({"model": {"class": "SGDClassifier"}}) is None
    known = {"class": "ConfidenceTreeClassifier"}
    assert snippet({"model": known, "strategy": "<__main__.Mine object>"}) is None


# --- comparing ------------------------------------------------------------------------------------

BUDGETS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0]


def test_compare_chart_stands_alone():
    y = [0.6, 0.65, 0.7, 0.72, 0.75, 0.76, 0.77]
    series = [
        ("random", BUDGETS, y, [v - 0.01 for v in y], [v + 0.02 for v in y]),
        (HOSTILE, BUDGETS[:3], y[:3], None, None),
    ]
    svg = compare_chart(series, "budget", "accuracy")
    picture = ElementTree.fromstring(svg)
    words = [t.text for t in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert {"random", HOSTILE, "budget", "accuracy"} <= set(words)
    assert {"1\u00a0%", "10\u00a0%", "100\u00a0%"} <= set(words)
    assert "var(" not in svg


@pytest.mark.parametrize(
    "series",
    [
        [],
        [("one", [0.1], [0.7], [0.6], [0.8])],
        [("same", [0.1, 0.2], [0.5, 0.5], None, None)],
        [("nan", [0.1, math.nan], [math.nan, 0.5], None, None)],
        [(f"series {k}", [0, 1, 5], [k, -k, k / 2], None, None) for k in range(30)],
        [("long", list(range(50)), list(range(50)), None, None)],
    ],
)
def test_compare_chart_copes(series):
    svg = compare_chart(series, "x", "y")
    ElementTree.fromstring(svg)
    assert not re.search(r'[ "MLHV]nan', svg)


def test_comparison_page(tmp_path):
    rows = [
        {"strategy": HOSTILE, "accuracy": 0.78234, "labels": 4531, "note": None},
        {"strategy": "random", "accuracy": np.float64(-0.5), "labels": np.int64(7)},
    ]
    chart = compare_chart([("random", [0.1, 0.2], [0.7, 0.8], None, None)], "budget", "accuracy")
    page = comparison_html(rows, {"Accuracy": chart}, "Strategies", about="Over 3 seeds.")
    reader = checked(page)
    assert HOSTILE not in page
    for text in (HOSTILE, "0.7823", "4,531", "−0.5", "Over 3 seeds.", "Accuracy"):
        assert text in reader.text
    path = tmp_path / "compare.html"
    write_comparison(rows, [chart], "Strategies", path)
    assert path.read_text(encoding="utf-8") == comparison_html(rows, [chart], "Strategies")
    checked(comparison_html([], [], "Nothing"))


# --- the small parts ------------------------------------------------------------------------------


def test_extremes_survive_thinning():
    rng = np.random.default_rng(3)
    x = np.arange(50_000.0)
    y = rng.normal(size=len(x))
    y[31_337], y[123] = 40.0, -40.0
    few_x, few_y = thinned(x, y)
    assert len(few_x) <= 2000
    assert few_y.max() == 40.0
    assert few_y.min() == -40.0
    assert few_x[np.argmax(few_y)] == 31_337
    assert (few_x[0], few_x[-1]) == (x[0], x[-1])
    assert (np.diff(few_x) > 0).all()
    same_x, same_y = thinned(x[:2000], y[:2000])
    assert len(same_x) == len(same_y) == 2000


def test_extremes_survive_in_the_picture():
    result = made(n_rows=300_000, every=100)
    values = {c: np.array(result.curve[c], dtype=float) for c in Curve.columns}
    values["window_accuracy"][1234] = 0.031
    svg = pictures.accuracy_chart(Curve(values))
    lowest = max(float(y) for y in re.findall(r"L[0-9.]+ ([0-9.]+)", svg))
    assert lowest > 240  # of a plot that ends at 254


def test_lines_break_where_there_is_no_number():
    x = np.arange(6.0)
    y = np.array([1, 2, np.nan, 3, np.nan, 4.0])
    assert [part[0].tolist() for part in runs(x, y)] == [[0, 1], [3], [5]]


def test_spread_keeps_both_ends():
    assert spread(3, 10) == [0, 1, 2]
    assert spread(1000, 10)[0] == 0
    assert spread(1000, 10)[-1] == 999


@pytest.mark.parametrize(
    ("low", "high", "options"),
    [
        (0.0, 0.0, {}),
        (0.5, 0.5, {"within": (0.0, 1.0), "least": 0.05}),
        (1.0, 1.0, {"within": (0.0, 1.0), "least": 0.05}),
        (0.0, 1e9, {"integer": True}),
        (math.nan, math.nan, {}),
        (-3.2, 17.9, {}),
        (0.7771, 0.7774, {}),
        (1e-12, 2e-12, {}),
    ],
)
def test_scales_hold_their_values(low, high, options):
    scale = nice(low, high, **options)
    assert scale.low < scale.high
    assert 2 <= len(scale.ticks) <= 12
    if math.isfinite(low):
        slack = 1e-9 * (scale.high - scale.low)
        assert scale.low - slack <= low <= high <= scale.high + slack
    first, last = options.get("within", (-math.inf, math.inf))
    assert first <= scale.low < scale.high <= last
    assert scale.over(10, 20)(scale.low) == 10
    assert scale.over(10, 20)(scale.high) == pytest.approx(20)


def test_hand_picked_values_are_ticks():
    scale = at_values([0.1, 0.01, 1.0, 0.1])
    assert scale.ticks == (0.01, 0.1, 1.0)
    assert scale.over(0, 2)(0.1) == pytest.approx(1)


def test_numbers_are_for_people():
    assert percent(0.782) == "78.2\u00a0%"
    assert percent(0.9997) == "99.97\u00a0%"
    assert percent(0.00004) == "0.004\u00a0%"
    assert percent(1.0) == "100.0\u00a0%"
    assert percent(math.nan) == "–"
    assert counted(1, "label") == "1\u00a0label"
    assert counted(4531, "label") == "4,531\u00a0labels"
    sizes = (0, 999, 1000, 12_400, 999_999, 5e6, 7.2e12)
    shown = ["0 bytes", "999 bytes", "1 kB", "12.4 kB", "1 MB", "5 MB", "7,200 GB"]
    assert [size(n).replace("\u00a0", " ") for n in sizes] == shown
    times = (0.0453, 12.44, 200, 7500)
    spoken = ["45.3 ms", "12.4 s", "3 min 20 s", "2 h 05 min"]
    assert [duration(s).replace("\u00a0", " ") for s in times] == spoken
