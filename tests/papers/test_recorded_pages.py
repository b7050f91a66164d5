"""The pages on papers are made from their records, and from nothing else."""

from __future__ import annotations

import json
import re
from collections import Counter
from itertools import pairwise
from pathlib import Path
from statistics import mean
from xml.etree import ElementTree

import pytest

from dissensus.papers.catalogue import PAPERS
from dissensus.papers.evidence import Candidate, Number, read_evidence
from dissensus.papers.headlines import format_measured
from dissensus.papers.index import count_bases
from dissensus.papers.strength import SHOWN
from dissensus.report.markdown import escape_markdown
from studies.networks import describe_networks
from studies.pages import RECORDS, ROOT, judge_record, records, write_pages
from tests.facts import missing_facts, states


def read_page(name: str) -> str:
    return (ROOT / "docs" / "papers" / f"{name}.md").read_text(encoding="utf-8")


def test_every_paper_has_a_record_with_all_its_claims() -> None:
    kept = records()
    assert list(kept) == list(PAPERS)
    for name, paper in PAPERS.items():
        assert [row["key"] for row in kept[name]["claims"]] == [claim.key for claim in paper.claims], name
        assert kept[name]["command"] == f"dissensus reproduce {name} --scale {kept[name]['scale']}"


def test_pages_are_what_the_records_give(tmp_path: Path) -> None:
    write_pages(tmp_path / "docs" / "papers")
    for kind in ("papers/*.md", "figures/papers/*.svg"):
        fresh = {path.name: path.read_text(encoding="utf-8") for path in (tmp_path / "docs").glob(kind)}
        kept = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "docs").glob(kind)}
        assert fresh == kept, f"run `make rejudge`: {kind}"


@pytest.mark.parametrize("name", PAPERS)
def test_no_figure_is_taller_than_a_screen(name: str) -> None:
    """A screen has 900 pixels, less the header; the main figure is beside the table, 18 rem of 20 pixels wide."""
    for path in (ROOT / "docs" / "figures" / "papers").glob(f"{name}-*.svg"):
        assert float(ElementTree.parse(path).getroot().attrib["viewBox"].split()[3]) <= 800, path.name
    (main,) = re.findall(r"\]\(([^)]*\.svg)\)", read_page(name).partition("## Main claims")[2])
    width, height = map(
        float, ElementTree.parse(ROOT / "docs" / "papers" / main).getroot().attrib["viewBox"].split()[2:]
    )
    assert 360 / width * height <= 420


@pytest.mark.parametrize(("name", "most"), [("index", 300), *((name, 350) for name in PAPERS)])
def test_first_pages_and_the_index_are_short(name: str, most: int) -> None:
    shown = re.sub(r"!\[[^]]*\]\([^)]*\)", "", read_page(name))  # without images, addresses and markup
    words = re.sub(r"\]\([^)]*\)|[|#>*\\]|-{3,}", " ", shown).split()
    assert len(words) <= most


@pytest.mark.parametrize("name", [*PAPERS, *(f"{name}-claims" for name in PAPERS), "index"])
def test_headings_are_in_order_and_figures_and_columns_have_texts(name: str) -> None:
    """For keyboards and screen readers: one title, no skipped level, no figure or column without a text."""
    text = read_page(name)
    levels = [len(marks) for marks in re.findall(r"^(#+) \S", text, flags=re.MULTILINE)]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(below <= above + 1 for above, below in pairwise(levels))
    assert all(alt for alt in re.findall(r"!\[([^]]*)\]", text))
    heads = [line for line, rule in pairwise(text.splitlines()) if rule.startswith("|--")]
    assert all(title.strip() for head in heads for title in head[1:-1].split("|"))


@pytest.mark.parametrize("path", sorted(RECORDS.glob("*.json")), ids=lambda path: path.stem)
def test_recorded_verdicts_are_those_of_the_present_rules(path: Path) -> None:
    stored = json.loads(path.read_text(encoding="utf-8"))
    assert judge_record(path) == stored, "run `make rejudge`"


@pytest.mark.parametrize("path", sorted(RECORDS.glob("*.csv")), ids=lambda path: path.stem)
def test_every_arm_that_must_show_its_labels_records_how_many_it_has_shown(path: Path) -> None:
    evidence = read_evidence(path)
    for table in PAPERS[path.stem.partition("-")[0]].published.tables:
        for candidate, known in evidence.values.items():
            if not candidate.model:
                continue
            arms = {number.arm for number in known if number.where == table.where} & set(table.must_show)
            assert all(Number(SHOWN, arm, table.where) in known for arm in arms), (candidate, table.source, arms)


@pytest.mark.parametrize("name", PAPERS)
def test_a_page_names_its_record_and_command_and_fits_its_cells(name: str) -> None:
    record = records()[name]
    top, claims = (read_page(page) for page in (name, f"{name}-claims"))
    assert record["command"] in claims and f"studies/papers/{name}-{record['scale']}.json" in claims
    assert f"({name}-claims.md)" in top and escape_markdown(record["conclusion"]["short"]) in top
    assert 5 <= len(record["headlines"]) <= 8
    assert all(escape_markdown(row["ours"]) in claims for row in record["claims"])
    rows = [line for line in (top + claims).splitlines() if line.startswith("| ")]
    cells = [re.sub(r"\\(.)", r"\1", cell).strip() for row in rows for cell in re.split(r"(?<!\\)\|", row)]
    assert len(rows) > len(record["claims"]) and [cell for cell in cells if len(cell) > 120] == []


def test_the_guide_to_delivery_has_the_numbers_of_the_record() -> None:
    (few,) = [row for row in records()["gheibi2026"]["claims"] if row["key"] == "table-1-multipass-5"]
    gaps = {outcome["epoch"]: outcome["value"]["value"] for outcome in few["judgement"]["outcomes"]}
    guide = " ".join((ROOT / "docs" / "deliver.md").read_text(encoding="utf-8").split())
    assert f"is {gaps['best epoch']:.3f} higher than that of `soft` at the best epoch" in guide
    assert f"and {-gaps['last epoch']:.3f} lower after the last epoch" in guide


@pytest.mark.parametrize(
    ("guide", "paper", "key"),
    [
        ("deliver", "collins2022", "deaggregated-ce"),
        ("deliver", "gheibi2026", "table-2-soft_nll"),
        ("elicit", "collins2022", "table-3-one-10h-ce"),
        ("elicit", "collins2022", "figure-10-10h"),
        ("plan", "sucholutsky2023", "simulated-soft-above-hard"),
        ("plan", "sucholutsky2023", "sparse-is-best"),
        ("plan", "sucholutsky2023", "table-1-H-8"),
        ("plan", "collins2022", "figure-10-10h"),
        ("train", "singh2025", "table-4-mean-kl"),
        ("probe", "peterson2019", "table-2-half"),
        ("probe", "collins2022", "table-1-votes-10h-fgsm"),
        *(("probe", "gheibi2026", key) for key in ("table-4-lambda_full", "figure-11", "figure-12", "table-8-energy")),
        ("probe", "gheibi2026", "figure-7"),
        ("evaluate", "gheibi2026", "figure-2-correlation"),
    ],
)
def test_guides_say_what_came_out_here_next_to_a_link(guide: str, paper: str, key: str) -> None:
    """The number that the paper's page prints, or the verdict if nothing was decided."""
    (row,) = [row for row in records()[paper]["claims"] if row["key"] == key]
    undecided = row["verdict"] in ("too weak to tell", "cannot be tested here")
    result = row["verdict"] if undecided else format_measured(row)
    text = (ROOT / "docs" / f"{guide}.md").read_text(encoding="utf-8")
    passages = [" ".join(part.split()) for part in text.split("\n\n") if f"](papers/{paper}.md)" in part]
    assert any(not missing_facts(passage, result) for passage in passages), result


def test_the_readme_has_the_tally_of_the_records() -> None:
    verdicts = Counter(row["verdict"] for record in records().values() for row in record["claims"])
    holds = verdicts["equal"] + verdicts["same direction"]
    others = (verdicts[name] for name in ("differs", "too weak to tell", "cannot be tested here"))
    bases = count_bases(records().values())
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (sentence,) = [part for part in readme.split("\n\n") if "claims of five" in " ".join(part.split())]
    assert states(sentence, sum(verdicts.values()), holds, *others, *bases.values()) and sum(bases.values()) == holds
    assert len(re.findall(r"\d+ claims", readme)) == 1


def test_networks_have_the_accuracy_and_loss_of_their_evidence() -> None:
    """By hand: means over runs, of the table next to the record."""
    nights = {name: record for name, record in records().items() if record["scale"] == "overnight"}
    evidence = {name: read_evidence(RECORDS / f"{name}-overnight.csv") for name in nights}
    page = describe_networks(list(nights.values()), evidence).as_json()
    (table, *_) = [block for section in page["sections"] for block in section["blocks"] if "rows" in block]
    runs = [
        evidence["gheibi2026"].runs(Candidate("swift", "last epoch"), Number(metric, "soft"))
        for metric in ("accuracy", "soft_nll")
    ]
    accuracy, loss = (mean(values.values()) for values in runs if values)
    row = ["gheibi2026", "small networks, last epoch", "soft labels", 5, pytest.approx(100 * accuracy)]
    assert [*row, pytest.approx(loss), 0.5096] in [[*shown.values()] for shown in table["rows"]]
