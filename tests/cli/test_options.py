"""Options of a verb are made from the settings of a config class."""

from dataclasses import dataclass, field

import typer
from typer.testing import CliRunner

from dissensus.cli.options import is_given, takes_settings
from dissensus.labels.refusals import Refusal, Way
from dissensus.labels.settings import check_settings, setting
from tests.facts import refuses, states


@dataclass(frozen=True, kw_only=True)
class Inner:
    rate: float = setting(0.1, "Learning rate", above=0)
    seed: int = setting(0, "Seed of the inside")
    secret: int = setting(1, "Not offered")


@dataclass(frozen=True, kw_only=True)
class Config:
    pace: str = setting("slow", "Pace", among=("slow", "fast"))
    stops: tuple[int, ...] = setting((), "Where to stop")
    wraps: tuple[str, ...] = setting((), "Wrappers")
    depth: int | None = setting(None, "Depth", low=1)
    flip: bool = setting(True, "Flip")
    quick: bool = setting(False, "Be quick")
    seed: int = setting(0, "Random seed")
    inner: Inner = field(default_factory=Inner)

    def __post_init__(self) -> None:
        check_settings(self)


def run(*arguments: str):
    app, results = typer.Typer(), []

    @app.command()
    @takes_settings(Config, leave_out=("secret",), names={"wraps": "wrap"})
    def verb(context: typer.Context, name: str, config: Config) -> None:
        if name == "refused":
            raise Refusal("wrong", ways=[Way("pass {wraps}", wraps=["a=1"])])
        results.append((name, config, is_given(context, "depth")))

    result = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    return result, *results


def test_without_options_the_config_has_its_defaults():
    _, (name, config, given) = run("x")
    assert (name, config, given) == ("x", Config(), False)


def test_every_type_of_setting_becomes_an_option():
    text = "x --pace fast --stops 3,5 --wrap a=1 --wrap b --depth 2 --no-flip --quick --rate 0.5 --seed 7"
    _, (_, config, given) = run(*text.split())
    assert config == Config(
        pace="fast",
        stops=(3, 5),
        wraps=("a=1", "b"),
        depth=2,
        flip=False,
        quick=True,
        seed=7,
        inner=Inner(rate=0.5, seed=7),
    )
    assert given


def test_refusals_name_a_setting_by_its_option():
    with refuses("--wrap a=1"):
        run("refused")


def test_help_names_range_of_choices_and_default():
    result, *_ = run("--help")
    words = " ".join(result.output.replace("│", " ").split())
    assert states(words, "Pace: slow, fast", "[default: slow]", "random seed", "[default: 0]", "--no-flip")
    assert "--secret" not in words and "--flip" not in words


def test_a_list_with_a_word_among_its_numbers_is_refused():
    with refuses("--stops 3,x:", "whole numbers"):
        run("x", "--stops", "3,x")
