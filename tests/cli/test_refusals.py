"""Refusals in the words of the command line: options of the verb that runs, or a `convert` command to run first."""

from __future__ import annotations

import shlex
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from dissensus.cli.main import app as main_app
from dissensus.cli.reading import one_line_errors
from dissensus.cli.refusals import word_settings
from dissensus.labels.refusals import PythonWay, Refusal, Way
from tests.facts import states


def printed(refusal: Refusal, **words: object) -> str:
    """What a verb with a few options prints about a refusal."""
    app = typer.Typer()

    @app.command()
    def verb(
        images: Annotated[str, typer.Argument(metavar="IMAGES")] = "",
        drop: Annotated[list[str] | None, typer.Option()] = None,
        classes: Annotated[str | None, typer.Option()] = None,
        rescale: Annotated[bool, typer.Option("--rescale")] = False,
        ceiling: Annotated[bool, typer.Option()] = True,
        database: Annotated[str, typer.Option("--db")] = "",
        by_position: Annotated[bool, typer.Option("--by-position")] = False,
        shared: Annotated[bool, typer.Option("--shared")] = False,
        scale: Annotated[float | None, typer.Option()] = None,
        where: Annotated[list[str] | None, typer.Option()] = None,
    ) -> None:
        with one_line_errors(), word_settings(**words):
            raise refusal

    result = CliRunner().invoke(app, [])
    assert result.exit_code == 2
    return " ".join(result.stderr.split()).removeprefix("error: ")


@pytest.mark.parametrize(
    ("setting", "value", "words"),
    [
        ("drop", ["note"], "--drop note"),
        ("drop", ["a note", "it's"], "--drop 'a note' --drop 'it'\"'\"'s'"),
        ("classes", ["cat", "dog, small"], "--classes 'cat,\"dog, small\"'"),
        ("classes", ..., "--classes"),
        ("rescale", True, "--rescale"),
        ("ceiling", False, "--no-ceiling"),
        ("database", ..., "--db"),
        ("by_position", True, "--by-position"),
        ("scale", 100, "--scale 100"),
        ("where", {"split": "test set"}, "--where 'split=test set'"),
        ("images", ..., "IMAGES"),
    ],
)
def test_settings_are_options_with_values_for_a_shell(setting, value, words):
    text = printed(Refusal("wrong", "a.csv", [Way(f"pass {{{setting}}}", **{setting: value})]))
    assert text == f"a.csv: wrong. Pass {words}"
    shlex.split(words)


def test_a_reading_setting_that_the_verb_lacks_is_a_conversion_first(tmp_path):
    file = tmp_path / "my votes.csv"
    file.write_text("item,label\n")
    text = printed(Refusal("wrong", str(file), [Way("name the item with {item}", item="the id")]))
    command = f"`dissensus convert {shlex.quote(str(file))} plain.parquet --item 'the id'`"
    way = f"Name the item with {command} first"
    assert text.replace(" ", "") == f"{file}: wrong. {way}".replace(" ", "")


def test_a_conversion_holds_all_settings_of_a_way():
    text = printed(Refusal("wrong", "frame", [Way("pass {classes} and {several}", classes=["a"], several="votes")]))
    command = "`dissensus convert FILE plain.parquet --classes a --several votes`"
    assert states(text, f"{command} first")


def test_a_setting_that_no_verb_has_leaves_its_way_out():
    ways = [Way("pass {momentum}", momentum=0.9), PythonWay("call f"), Way("pass {drop}", drop=["x"])]
    assert printed(Refusal("wrong", ways=ways)) == "wrong. Pass --drop x"


def test_a_verb_may_offer_a_setting_under_another_name():
    refusal = Refusal("wrong", ways=[Way("pass {missing}", missing="leave out")])
    assert printed(refusal, missing="shared") == "wrong. Pass --shared"


def test_an_option_about_another_file_is_not_offered():
    refusal = Refusal("wrong", "p.csv", [Way("pass {drop}", drop=["x"]), Way("pass {rescale}", rescale=True)])
    command = "`dissensus convert FILE plain.parquet --drop x`"
    assert printed(refusal, names=["rescale"]) == f"p.csv: wrong. Pass {command} first, or pass --rescale"


def test_what_is_wrong_with_a_file_to_write_is_not_a_matter_of_reading_options(tmp_path):
    """--format says how a file is read; `convert` has --to for the one it writes, other verbs have nothing."""
    (tmp_path / "votes.csv").write_text("item,label\na,x\na,y\nb,x\nb,x\n")
    for verb, output, way in (("aggregate", ["-o"], ""), ("convert", [], "Pass --to")):
        words = [verb, str(tmp_path / "votes.csv"), *output, str(tmp_path / "out.xlsx")]
        result = CliRunner().invoke(main_app, words)
        line = " ".join(result.stderr.split())
        assert result.exit_code == 2 and "the ending '.xlsx'" in line
        assert line.endswith(way or ".npz") and "--format" not in line


def test_a_notice_of_a_reader_names_the_option_and_the_file(tmp_path):
    file = tmp_path / "beliefs.csv"
    rows = "".join(f"i{item},a,0.9,0.1\n" for item in range(5))
    file.write_text(f"item,annotator,stated.cat,stated.dog\n{rows}i5,a,0.9,1.5\n")
    said = CliRunner().invoke(main_app, ["describe", str(file)]).stderr
    assert f"{file}: row 6 states 1.5 for class 'dog'" in said and "--scale 100" in said and "scale=100" not in said
