"""`dissensus --help`: the verbs by stage, in the order in which labels go through them."""

from __future__ import annotations

import pytest
from rich.text import Text
from typer.main import get_command
from typer.testing import CliRunner

from dissensus.cli.main import VERBS, app, name_of
from tests.facts import states


def test_help_lists_every_verb_under_its_stage_in_the_order_of_the_line():
    lines = CliRunner().invoke(app, ["--help"], env={"COLUMNS": "100"}).stdout.splitlines()
    place = {}
    for stage, verbs in VERBS.items():
        for heading in (stage, *map(name_of, verbs)):
            place[heading] = next(i for i, line in enumerate(lines) if line.strip("│╭─╮ ").startswith(heading))
    assert list(place.values()) == sorted(place.values())
    assert [stage.partition(":")[0] for stage in VERBS] == [
        "Plan",
        "Elicit",
        "Labels",
        "Aggregate",
        "Train",
        "Evaluate",
        "Probe",
        "Study",
    ]


def each_command(command, path="dissensus"):
    yield path, command
    for name, below in getattr(command, "commands", {}).items():
        yield from each_command(below, f"{path} {name}")


def test_every_verb_and_every_option_has_a_help_text():
    for path, command in each_command(get_command(app)):
        assert (command.help or "").strip(), path
        for option in command.params:
            assert option.param_type_name != "option" or option.help, f"{path} {option.opts[0]}"


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ("--scale", "reproduce singh2025 --scale quick --scale=laptop"),
        ("--output", "train digits digits -o a.safetensors --output b.safetensors"),
        ("--jobs", "study run study.toml --jobs 1 --jobs 2"),
    ],
)
def test_an_option_of_one_value_is_given_once(option, words):
    result = CliRunner().invoke(app, words.split())
    assert result.exit_code == 2 and states(" ".join(result.stderr.replace("│", "").split()), option, 2)


def test_flags_and_options_that_add_up_are_repeated():
    assert CliRunner().invoke(app, ["data", "list", "--json", "--json"]).exit_code == 0
    again = ["train", "digits", "digits", "--wrap", "smoothed=0.1", "--wrap", "x", "-o", "a.safetensors"]
    assert "'x'" in CliRunner().invoke(app, again).stderr


def test_shared_options_have_one_help_text_in_all_verbs():
    options = [option for _, command in each_command(get_command(app)) for option in command.params]
    for name in ("--json", "--html", "--seed"):
        assert len({option.help for option in options if name in option.opts}) == 1, name


def test_every_help_text_is_shown_as_it_is_written():
    """Rich takes words in brackets for markup and shows nothing of them; defaults belong to show_default."""
    for path, command in each_command(get_command(app)):
        for text in (command.help, *(option.help for option in command.params)):
            assert Text.from_markup(text or "").plain == (text or ""), path


def test_help_names_every_entry_of_the_dictionaries_behind_an_option():
    from dissensus.aggregate.aggregations import AGGREGATIONS
    from dissensus.deliver.deliveries import DELIVERIES
    from dissensus.deliver.wrappers import WRAPPERS
    from dissensus.elicit.questions.question_kinds import QUESTIONS
    from dissensus.files.formats import FORMATS
    from dissensus.plan.utilities import UTILITIES
    from dissensus.train.heads.encoders import ENCODERS
    from dissensus.train.heads.fit_config import HEADS

    behind = {
        ("aggregate", "--method"): AGGREGATIONS,
        ("fit", "--delivery"): DELIVERIES,
        ("fit", "--wrap"): WRAPPERS,
        ("fit", "--head"): HEADS,
        ("embed", "--encoder"): ENCODERS,
        ("plan", "--utility"): UTILITIES,
        ("elicit", "init", "--kind"): QUESTIONS,
        ("describe", "--format"): FORMATS,
    }
    for (*path, option), entries in behind.items():
        command = get_command(app)
        for name in path:
            command = command.commands[name]
        text = next(parameter.help for parameter in command.params if option in parameter.opts)
        assert [name for name in entries if name not in text] == [], f"{' '.join(path)} {option}: {text}"
