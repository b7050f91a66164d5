"""A study's page, Markdown and LaTeX: what they say, that they hold together, and how the page is in a real browser."""

from __future__ import annotations

import csv
import io
import json
import re
from xml.etree import ElementTree

import pytest

from dissensus.deliver import majority, smoothed
from dissensus.evaluate.metrics import METRICS
from dissensus.report import html_page, latex_tables, markdown_page
from dissensus.report.numbers import format_limits, format_number, format_p
from dissensus.study.report import describe_study, drop_comments
from dissensus.study.reporting.answers import answer_study, direction
from dissensus.study.reporting.tables import by_metric, overview
from dissensus.study.reporting.values import define_values
from dissensus.study.reporting.words import SIDES, describe_design
from dissensus.study.summary.summary import Summary, summarise_study
from tests.elicit.test_accessibility import STANDARDS, VIOLATIONS, axe  # noqa: F401  (a fixture)
from tests.facts import missing_facts, states
from tests.study.fabricated import failed, folder, grid, record

SPEC = 'name = "a <study> & more"\ndelivery = ["soft", "majority | smoothed=0.1", "sls"]\n'


def rich() -> Summary:
    """Three deliveries over five seeds: slices, curves, a failure, a missing cell, an older commit and odd names."""
    nll = {"soft": 0.70, "majority | smoothed=0.1": 0.78, "sls": 0.71}
    records = []
    for seed in range(5):
        for name, mean in nll.items():
            value = mean + 0.01 * ((7 * seed + len(name)) % 5)
            parts = {
                "clean": {"items": 15, "scores": {"soft_nll": value - 0.2}},
                "<odd> & rare": {"items": 5, "scores": {"soft_nll": value + 0.6}},
            }
            validated = [1.5, 1.0, value][: 3 - (seed == 1)]
            training = {"epoch": 3, "loss": [2.0, 1.0, 0.8 + 0.01 * seed], "validation soft NLL": validated}
            scores = {"soft_nll": value, "accuracy": 1.5 - value, "entropy": 0.5 + value}
            probes = {"curvature": {"trace": 3.0 + value}}
            records.append(
                record({"delivery": name}, seed, scores, slices={"made": parts}, training=training, probes=probes)
            )
    records[-1] = failed({"delivery": "sls"}, 4, "ValueError: the <loss> is not finite & never was")
    records[0]["commit"] = "0ldc0de"
    described = {"metrics": ["soft_nll", "accuracy", "entropy"], "name": "a <study> & more", "text": SPEC}
    return summarise_study(folder(records, missing=1, compare={"test": "paired-t"}, **described))


@pytest.fixture(scope="module")
def summary() -> Summary:
    return rich()


@pytest.fixture(scope="module")
def made(summary) -> str:
    return html_page(describe_study(summary, folder="runs/digits"))


def markdown(summary: Summary) -> str:
    return markdown_page(describe_study(summary, figures=False))


def latex(summary: Summary) -> str:
    return latex_tables(describe_study(summary, figures=False))


def states_all(text: str, *facts: object) -> bool:
    return not missing_facts(text, *facts)


def tree(page: str) -> ElementTree.Element:
    return ElementTree.fromstring(page.removeprefix("<!doctype html>"))


def two_arms(apart: float, seeds: int, **changed):
    def scores(shift):
        return lambda seed: {"soft_nll": 0.7 + shift * (1 + 0.1 * seed), "accuracy": 0.8}

    return summarise_study(grid({"soft": scores(0), "majority": scores(apart)}, seeds, metrics=["soft_nll"], **changed))


def test_the_answer_gives_direction_size_and_what_the_test_can_say():
    best, compared = answer_study(two_arms(0.05, 8))
    assert states(best, METRICS["soft_nll"].meaning, "lower is better", "soft is best", "2 arms", "0.700", "8 seeds")
    assert states(compared, "majority", "worse than soft", "0.0675", "8 of 8 seeds")
    assert states(compared, "is significant", "these items", "p = 0.0078")
    cautious = answer_study(two_arms(0.05, 8, compare={"test": "corrected-t"}))[1]
    assert states(cautious, "is significant") and "these items" not in cautious
    assert states(answer_study(two_arms(0.05, 3))[1], "cannot reach", "p < 0.05", "3 seeds", "0.25")
    assert states(" ".join(answer_study(two_arms(-0.05, 3))), "majority", "better than soft")
    assert states(" ".join(answer_study(two_arms(0.0, 8))), "majority", "equal to soft")


@pytest.mark.parametrize(("apart", "expected"), [(0.05, "worse"), (-0.05, "better"), (0.0, "equal")])
def test_the_direction_of_a_difference_is_that_of_its_metric(apart, expected):
    assert direction(two_arms(apart, 3).difference("majority", "soft_nll")) == expected


def test_the_answer_names_the_arms_that_differ_significantly_and_counts_directions(summary):
    said = answer_study(summary)
    (focus,) = [sentence for sentence in said if sentence.startswith("“majority | smoothed=0.1”")]
    assert states(focus, "worse than soft", "4 tests")
    (counts,) = [sentence for sentence in said if "Of 2 arms" in sentence]
    assert states(counts, "delivery = soft", "all are worse")


def world(seeds: int = 8, *, metrics=("soft_nll", "accuracy"), keep=lambda name, seed: True, **changed):
    """Arms with a level by each metric; seeds shift all arms alike and each arm a little by itself."""
    arms = changed.pop("arms")
    records = [
        record(
            {"delivery": name},
            seed,
            {metric: level + 0.003 * seed + 0.001 * ((3 * seed + 5 * place) % 7) for metric, level in levels.items()},
        )
        for seed in range(seeds)
        for place, (name, levels) in enumerate(arms.items())
        if keep(name, seed)
    ]
    return summarise_study(folder(records, metrics=list(metrics), seeds=list(range(seeds)), **changed))


def levels(nll: float, accuracy: float) -> dict[str, float]:
    return {"soft_nll": nll, "accuracy": accuracy}


def test_the_answer_does_not_claim_for_all_metrics_what_holds_by_one():
    arms = {"soft": levels(0.7, 0.8), "majority": levels(0.9, 0.9), "sls": levels(0.8, 0.85)}
    said = " ".join(answer_study(world(arms=arms)))
    assert states(said, "soft is best", "3 arms", "disagree", "majority by accuracy")
    arms["soft"] = levels(0.7, 0.95)
    assert "disagree" not in " ".join(answer_study(world(arms=arms)))
    entropy = world(arms={"soft": {"entropy": 1.0}, "sls": {"entropy": 1.2}}, metrics=["entropy"])
    assert states(answer_study(entropy)[0], METRICS["entropy"].meaning, "sls is higher", "soft", "0.2006")
    assert direction(entropy.difference("sls", "entropy")) == "higher"


def test_the_p_of_several_arms_is_that_of_the_least_certain_and_directions_are_named():
    """majority is far off in every seed; sls is better by a hair, in all of the ten seeds but two."""
    nll = {"soft": [0.7 + 0.01 * s for s in range(10)]}
    nll["majority"] = [value + 0.1 + 0.01 * s for s, value in enumerate(nll["soft"])]
    nll["sls"] = [value - (0.02 + 0.001 * s if s > 1 else -0.001 - 0.001 * s) for s, value in enumerate(nll["soft"])]
    summary = summarise_study(grid({n: lambda s, n=n: {"soft_nll": nll[n][s]} for n in nll}, 10, metrics=["soft_nll"]))
    p = {arm: summary.difference(arm, "soft_nll").test.adjusted_p for arm in ("majority", "sls")}
    assert p["majority"] < p["sls"] < 0.05
    said = answer_study(summary)[-1]
    assert states(said, "majority (worse)", "sls (better)", "significantly")
    assert states(said, f"p = {p['sls']:.2g} or less", "2 tests")


def test_the_answer_of_a_one_sided_test_claims_nothing_about_its_other_side():
    arms = {"soft": levels(0.7, 0.8), "majority": levels(0.9, 0.6)}
    less = world(arms=arms, compare={"side": "less"})
    assert states(answer_study(less)[-1], SIDES["less"], "majority is above", "not tested")
    assert "significant" not in answer_study(less)[-1]
    assert any(states_all(remark, "side = less", "By accuracy", "worse") for remark in less.remarks)
    greater = world(arms=arms, compare={"side": "greater"}, metrics=["soft_nll"])
    assert states(answer_study(greater)[-1], "difference is significant")
    assert any(states_all(remark, "side = greater", "By soft_nll", "worse") for remark in greater.remarks)
    mixed = world(arms=arms | {"sls": levels(0.5, 0.9)}, compare={"side": "less"})
    assert states(answer_study(mixed)[-1], "sls differs significantly", "majority is above", "not tested")


def test_the_best_is_found_among_arms_that_have_the_same_seeds():
    """Each arm lacks another seed, and seeds differ more than arms do."""
    arms = {"soft": levels(0.70, 0.8), "majority": levels(0.701, 0.8), "sls": levels(0.75, 0.8)}
    other = world(arms=arms, keep=lambda name, seed: (name, seed) not in {("soft", 0), ("majority", 7)})
    assert not other.best and "is best" not in " ".join(answer_study(other)), "only sls has every seed"
    one = world(arms=arms, keep=lambda name, seed: (name, seed) != ("sls", 0))
    assert one.best >= {("soft", "soft_nll")}
    assert states(answer_study(one)[0], "soft is best", "2 arms", "1 more")


def test_equal_arms_share_the_first_place_and_a_study_without_baseline_claims_nothing():
    same = {"soft_nll": 0.7, "accuracy": 0.8}
    tied = summarise_study(
        grid(
            {
                "soft": lambda s: {k: v + 0.01 * s for k, v in same.items()},
                "sls": lambda s: {k: v + 0.01 * s for k, v in same.items()},
            },
            4,
            compare=None,
        )
    )
    first, last = answer_study(tied)
    assert tied.best >= {("soft", "soft_nll"), ("sls", "soft_nll")} and not tied.differences
    assert states(first, METRICS["soft_nll"].meaning, "lower is better", "soft and sls", "tie", "2 arms")
    assert states(last, "no baseline", "nothing was tested")


def test_a_study_that_compares_nothing_still_has_an_answer():
    single = world(arms={"soft": levels(0.7, 0.8)})
    (one,) = answer_study(single)
    limits = format_limits(single.scores["soft · mlp"]["soft_nll"].interval, ".3f")
    assert states(one, METRICS["soft_nll"].meaning, "“soft · mlp”", "0.713", "8 seeds", limits, "no other arm")
    arms = {"soft": {"soft_nll": 0.7, "entropy": 1.0}, "sls": {"soft_nll": 0.8, "entropy": 1.0}}
    (either,) = answer_study(world(arms=arms, metrics=["entropy"], compare=None))
    assert states(either, METRICS["entropy"].meaning, "none of 2 arms", "neither direction")
    apart = answer_study(world(arms=arms, metrics=["soft_nll"], keep=lambda name, seed: (name == "soft") == (seed < 4)))
    assert states(apart[0], "none of 2 arms", "same data")
    nothing = summarise_study(
        grid({"soft": lambda s: {"soft_nll": None}, "sls": lambda s: {"soft_nll": None}}, 2, metrics=["soft_nll"])
    )
    (none,) = answer_study(nothing)
    assert states(none, METRICS["soft_nll"].meaning, "no answer", "no arm", "remarks")


def test_p_over_the_folds_of_one_seed_is_called_too_small_in_the_answer():
    def said(**compare):
        records = [
            record({"delivery": name}, 0, {"soft_nll": 0.7 + apart * (1 + 0.1 * fold)}, fold=fold)
            for fold in range(8)
            for name, apart in (("soft", 0.0), ("majority", 0.1))
        ]
        split = {"scheme": "k-fold", "folds": 8}
        return " ".join(
            answer_study(summarise_study(folder(records, metrics=["soft_nll"], split=split, compare=compare)))
        )

    assert states(said(), "too small", "corrected-t") and "too small" not in said(test="corrected-t")


def test_models_chosen_by_the_items_they_are_judged_on_are_in_the_answer():
    assert states(answer_study(two_arms(0.05, 8, split={"validation": "test"}))[-1], "test items", "optimistic")


def test_the_design_describes_the_items_that_models_were_chosen_on():
    said = {
        (scheme, share): describe_design(two_arms(0.05, 3, split={"scheme": scheme, "validation": share}))
        for scheme in ("per-seed", "column")
        for share in (0, 0.1, "test")
    }
    assert states(said["per-seed", 0.1], "10%") and "validation" not in said["per-seed", 0.1]
    assert states(said["column", 0.1], "validation", "10%")
    for scheme in ("per-seed", "column"):
        assert states(said[scheme, 0], "Nothing was chosen") and states(said[scheme, "test"], "the test items")
        assert "10%" not in said[scheme, 0] + said[scheme, "test"]


def test_a_study_without_cells_has_a_page_that_says_so():
    empty = summarise_study(folder([], missing=4, seeds=[0, 1], text=SPEC))
    page = html_page(describe_study(empty))
    (answer,) = answer_study(empty)
    assert states(answer, "no cell") and states(page, answer, "4 cells") and tree(page) is not None
    assert answer in markdown(empty) and "\\begin" not in latex(empty)


def test_the_page_is_whole_well_formed_and_fetches_nothing(made, summary):
    root = tree(made)  # well-formed, although names have < and & in them
    assert not re.search(r"(?:src|href)=\"(?!#)", made) and "http://" not in made.replace(
        "http://www.w3.org/2000/svg", ""
    )
    assert "https://" not in made and "@import" not in made and "url(" not in made
    links = [node.get("href")[1:] for node in root.iter("a")]
    ids = [node.get("id") for node in root.iter() if node.get("id")]
    assert set(links) <= set(ids) and len(ids) == len(set(ids))
    assert links == [
        "soft-nll-nats",
        "all-metrics",
        "slices-and-learning-curves",
        "probes",
        "remarks",
        "methods",
        "failures",
        "reproduction",
    ]
    text = "".join(root.itertext())
    for said in (
        *summary.remarks,
        *answer_study(summary),
        "ValueError: the <loss> is not finite & never was",
        SPEC.strip(),
        "dissensus study run study.toml -o runs/digits",
        "0ldc0de",
        "numpy",
        "Linux x86_64",
    ):
        assert said in text, said
    assert "0ldc0de (older)" in text and text.count("(older)") == 1


def test_every_figure_has_its_numbers_in_a_table(made, summary):
    figures = list(tree(made).iter("figure"))
    names = [figure.get("data-file") for figure in figures]
    assert len(set(names)) == len(names) == 3 + 3 + 1 + 2, "scores, differences, slices, curves"
    for each in figures:
        assert each.find("svg").get("aria-label") and each.find("details//table") is not None
    rows = [["".join(cell.itertext()) for cell in row] for row in figures[0].find("details//table").iter("tr")]
    values = summary.scores["soft"]["soft_nll"].values
    assert [row[2] for row in rows if row[0] == "soft"] == [f"{value:.6g}" for value in values.values()]


def test_of_very_many_arms_the_best_are_drawn_and_the_tables_have_all():
    arms = {
        f"d{i:02d}": lambda seed, i=i: {"soft_nll": 1.0 + i + 0.1 * seed, "accuracy": 0.5} for i in reversed(range(30))
    }
    many = summarise_study(grid(arms, 2, compare={"baseline": {"delivery": "d00"}}))
    page = html_page(describe_study(many))
    drawing, differences, *_ = tree(page).iter("figure")
    rows = [line.get("data-of") for line in drawing.iter("line") if line.get("stroke-width") == "3"]
    assert rows == [f"d{i:02d}" for i in reversed(range(24))]
    assert states("".join(drawing.itertext()), "24 arms", "best means")
    assert states("".join(differences.itertext()), "24 largest", 29) and len(by_metric(many, "soft_nll").rows) == 30


def test_dots_stand_where_their_numbers_are(made, summary):
    """Across the chart positions are a linear function of the scores."""
    drawing = next(tree(made).iter("figure")).find("svg")
    dots = {node.find("title").text: float(node.get("cx")) for node in drawing.iter("circle")}
    pairs = [
        (dots[f"{arm}, seed {seed}: {value:.3f}"], value)
        for arm, row in summary.scores.items()
        for seed, value in row["soft_nll"].values.items()
    ]
    (x0, v0), (x1, v1) = min(pairs), max(pairs)
    assert len(pairs) == 14 and all(
        x == pytest.approx(x0 + (x1 - x0) * (v - v0) / (v1 - v0), abs=0.2) for x, v in pairs
    )


def test_tables_mark_the_best_only_where_a_direction_is_known(summary):
    marked = [[cell.best for cell in row.cells[2:]] for row in overview(summary).rows]
    assert marked == [[True, True, False], [False, False, False], [False, False, False]]
    rows = [row.cells for row in by_metric(summary, "soft_nll").rows]
    assert rows[0][0].note == "baseline" and rows[1][5] == "5 of 5"
    assert rows[2][2] == 4 and rows[2][5].endswith("of 4"), "a failed seed has no pair"


def test_the_baseline_of_each_arm_is_named_if_there_are_several():
    arms = [
        record({"data": data, "delivery": delivery}, seed, {"soft_nll": 0.5 + 0.1 * seed + (delivery == "sls")})
        for data in ("a", "b")
        for delivery in ("soft", "sls")
        for seed in range(3)
    ]
    table = by_metric(summarise_study(folder(arms, metrics=["soft_nll"])), "soft_nll")
    assert table.heads[3].title == "baseline"
    assert [row.cells[3] for row in table.lines] == [None, "a · soft", None, "b · soft"]


def test_the_spec_of_a_page_has_no_comments_but_every_value():
    text = '# a study\nname = "x"  # its name\n\n[split]\n# test = 0.3\ntest = 0.2\n'
    assert drop_comments(text) == 'name = "x"  # its name\n[split]\ntest = 0.2'
    for odd in ('question = """\n# why\n"""\n', "[not\n# toml"):
        assert drop_comments(odd) == odd


def test_tables_use_the_window_and_a_phone_shows_them_without_scrolling(made, launched, tmp_path):
    file = tmp_path / "study.html"
    file.write_text(made, encoding="utf-8")
    browser = launched()
    try:
        for width in (1200, 390):
            page = browser.new_page(viewport={"width": width, "height": 900})
            page.goto(file.as_uri())
            boxes = page.evaluate(
                "[...document.querySelectorAll('section > .tables .scroll')].filter((e) => e.checkVisibility())"
                ".map((e) => [e.scrollWidth - e.clientWidth, e.querySelector('table').getBoundingClientRect().right])"
            )
            assert len(boxes) == 3 and all(over <= 0 and right > 0.9 * width for over, right in boxes), width
            page.close()
    finally:
        browser.close()


def test_markdown_has_the_same_answer_tables_and_remarks(summary):
    text = markdown(summary)
    lines = text.splitlines()
    assert lines[0] == r"# a &lt;study\> & more" and f"> {summary.description['question']}" in lines
    heads = [i for i, line in enumerate(lines) if re.fullmatch(r"\|(-+:?\|)+", line)]
    assert len(heads) == 2 + 3 + 1 + 4 + 1 + 1, "overviews, metrics, probes, methods, cells, versions"
    for i in heads:
        width = len(re.findall(r"(?<!\\)\|", lines[i]))
        rows = lines[i - 1 : ([*lines, ""]).index("", i)]
        assert all(len(re.findall(r"(?<!\\)\|", row)) == width for row in rows), "a | in a name is no new column"
    assert states(text, r"ValueError: the &lt;loss\>") and "```\n" + SPEC in text


def test_latex_tables_are_balanced_escaped_and_booktabs(summary):
    text = latex(summary)
    assert text.count(r"\begin{table}") == text.count(r"\end{table}") == text.count(r"\toprule") == 2 + 3 + 1
    assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}") and not re.search(r"[↑↓·–…]", text)
    body = re.sub(r"\\[\\{}&%$#_]", "", re.sub(r"^%.*$", "", text, flags=re.MULTILINE))
    assert body.count("{") == body.count("}") and body.count("$") % 2 == 0 and "#" not in body
    assert "<" not in body and ">" not in body and "|" not in body
    for table in re.findall(r"\\begin\{tabular\}\{(\w+)\}\n\\toprule\n(.*?)\\bottomrule", text, flags=re.DOTALL):
        layout, rows = table
        for row in (row for row in rows.splitlines() if row != r"\midrule"):
            assert row.endswith(r" \\") and len(re.findall(r"(?<!\\)&", row)) == len(layout) - 1, row
    assert r"smoothed=0.1" in text and r"majority \textbar{} smoothed" in text


def test_the_page_by_day_night_phone_and_on_paper_is_accessible_and_fits(made, launched, axe, tmp_path):  # noqa: F811
    file = tmp_path / "study.html"
    file.write_text(made, encoding="utf-8")
    browser = launched()
    try:
        for scheme, width, media in (("light", 1400, "screen"), ("dark", 390, "screen"), ("dark", 720, "print")):
            context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
            page = context.new_page()
            problems = []
            page.on("pageerror", lambda error, problems=problems: problems.append(error))
            page.emulate_media(media=media)
            page.goto(file.as_uri())
            page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
            if media == "screen":
                page.evaluate(axe)
                assert [rule["id"] for rule in page.evaluate(VIOLATIONS, STANDARDS)] == [], (scheme, width)
            wide, window = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
            assert wide <= window and not problems
            paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
            assert (paper == "rgb(255, 255, 255)") == (scheme == "light" or media == "print")
            bars = page.evaluate("getComputedStyle(document.querySelector('figure circle')).fill")
            assert bars == ("rgb(31, 95, 168)" if paper == "rgb(255, 255, 255)" else "rgb(138, 184, 240)")
            context.close()
    finally:
        browser.close()


def test_figures_are_saved_by_keyboard_as_svg_png_and_csv_and_the_page_works_without_scripts(made, launched, tmp_path):
    file = tmp_path / "study.html"
    file.write_text(made, encoding="utf-8")
    browser = launched()
    try:
        page = browser.new_context(color_scheme="dark").new_page()
        page.goto(file.as_uri())
        saved = {}
        for kind in ("SVG", "PNG", "CSV"):
            button = page.locator("figure").first.get_by_role(
                "button", name=f"Save as {kind}: Each arm by soft NLL, nats"
            )
            button.focus()
            with page.expect_download() as download:
                page.keyboard.press("Enter")
            saved[kind] = download.value.path().read_bytes()
            assert download.value.suggested_filename == f"a-study-more-soft-nll.{kind.lower()}"
        drawing = ElementTree.fromstring(saved["SVG"])
        assert drawing.tag == "{http://www.w3.org/2000/svg}svg" and b"var(" not in saved["SVG"]
        assert drawing.find("{*}rect").get("fill") == "#fff", "by night too, it is dark on white"
        wide, high = (int.from_bytes(saved["PNG"][at : at + 4], "big") for at in (16, 20))
        assert saved["PNG"][:8] == b"\x89PNG\r\n\x1a\n" and (wide, high) == tuple(
            3 * int(drawing.get(side)) for side in ("width", "height")
        )
        rows = list(csv.reader(io.StringIO(saved["CSV"].decode())))
        assert rows[0] == ["arm", "seed", "soft_nll"] and len(rows) == 15 and rows[2][0] == "soft"
        plain = browser.new_context(java_script_enabled=False).new_page()
        plain.goto(file.as_uri())
        assert plain.locator("figure svg").count() == 9 and plain.locator("button").count() == 0
    finally:
        browser.close()


def test_numbers_for_programs_are_json(summary):
    again = json.loads(json.dumps(summary.as_json(), allow_nan=False))
    assert again["scores"]["soft"]["soft_nll"]["n"] == 5 and again["failures"] and again["missing"] == 1


def test_the_answer_gives_a_p_that_holds_for_every_arm_it_names():
    """The largest p of the significant arms is given: the smallest would be that of one arm alone."""

    def shifted(by, spread):
        return lambda seed: {"soft_nll": 0.7 + by + spread * (-1) ** seed * (seed % 3)}

    summary = summarise_study(
        grid(
            {"soft": shifted(0, 0), "majority": shifted(0.5, 0.01), "sls": shifted(0.1, 0.09)},
            10,
            metrics=["soft_nll"],
            compare={"test": "paired-t"},
        )
    )
    p = {d.arm: d.test.adjusted_p for d in summary.differences}
    assert p["majority"] < 0.001 < p["sls"] < 0.05
    said = " ".join(answer_study(summary))
    assert states(said, f"p = {format_number(p['sls'], 'p')} or less", "2 tests")
    close = summarise_study(
        grid(
            {"soft": shifted(0, 0), "majority": shifted(0, 0.1), "sls": shifted(0, 0.2)},
            10,
            metrics=["soft_nll"],
            compare={"test": "paired-t"},
        )
    )
    smallest = min(d.test.adjusted_p for d in close.differences)
    assert states(" ".join(answer_study(close)), "No difference", f"smallest {format_p(smallest)}")


def test_the_report_says_what_was_learned_from_and_what_names_mean(summary):
    """A reader who gets nothing but the page must not have to look into the code."""
    for text in (html_page(describe_study(summary)), markdown(summary).replace("\\", "")):
        assert states(text, "digits:", "72 training items", "20 test items", "labels: digits", "features: pixels")
        assert (majority.__doc__ or "").splitlines()[0] in text
        assert (smoothed.__doc__ or "").splitlines()[0] in text
        assert states(text, "one hidden layer")
    arm = {"aggregation": "share", "completion": "t2-uniform", "transforms": "sparsest=3", "votes": 2, "model": "small"}
    known = dict(define_values(summarise_study(folder([record(arm, 0, {"soft_nll": 0.5})], metrics=["soft_nll"]))))
    assert list(known) == [
        "soft",
        "completion t2-uniform",
        "aggregation share",
        "transform sparsest=3",
        "2 votes",
        "small",
    ]
    assert "2 named classes" in known["completion t2-uniform"]
    single = summarise_study(folder([record(arm | {"votes": 1}, 0, {"soft_nll": 0.5})], metrics=["soft_nll"]))
    assert "1 vote" in dict(define_values(single)) and "1 votes" not in markdown(single)


def test_names_that_begin_with_a_bracket_or_hold_markup_are_plain_text_everywhere():
    name = "[2pt] *x* $a_1$ ~b~ &lt;i&gt; `c`"
    summary = summarise_study(
        folder(
            [record({"data": name}, seed, {"soft_nll": 0.5}) for seed in (0, 1)]
            + [record({"data": "plain"}, 0, {"soft_nll": 0.5})],
            metrics=["soft_nll"],
        )
    )
    assert not re.search(r"\\\\\s*[\[*]", latex(summary)), "after a line's end they would be an argument of it"
    assert r"\[2pt\] \*x\* \$a\_1\$ \~b\~ \&lt;i\&gt; \`c\`" in markdown(summary)
    assert "&amp;lt;i&amp;gt;" in html_page(describe_study(summary))


def test_a_long_name_does_not_widen_the_page_of_a_phone(launched, tmp_path):
    long = "l" * 150
    arms = [record({"data": data}, seed, {"soft_nll": 0.5 + seed}) for data in (long, "b") for seed in (0, 1)]
    summary = summarise_study(folder(arms, metrics=["soft_nll"], question=long))
    (tmp_path / "page.html").write_text(html_page(describe_study(summary)))
    browser = launched()
    page = browser.new_page(viewport={"width": 390, "height": 800})
    page.goto((tmp_path / "page.html").as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    browser.close()


def test_a_setting_that_only_some_models_have_says_whose_it_is():
    arms = [record({"model": "mlp"}, 0, {"soft_nll": 0.5}), record({"model": "linear"}, 0, {"soft_nll": 0.5})]
    del arms[1]["arm"]["hidden"]
    said = markdown(summarise_study(folder(arms, metrics=["soft_nll"])))
    rows = dict(re.findall(r"^\| (\w+) \| (.*?) \|", said, flags=re.MULTILINE))
    assert rows["hidden"] == "64 (of mlp)" and rows["seed"]


def test_arms_that_are_equally_good_do_not_each_do_best():
    said = answer_study(
        summarise_study(
            grid(
                {name: lambda seed: {"soft_nll": 0.7 + seed} for name in ("soft", "sls")},
                3,
                metrics=["soft_nll"],
                compare=None,
            )
        )
    )
    assert states(said[0], "soft and sls", "tie", "2 arms", "1.700")
