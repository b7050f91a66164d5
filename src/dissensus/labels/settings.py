"""A setting, declared once: a dataclass field that carries its help and its range.

    @document_settings
    @dataclass(frozen=True, kw_only=True)
    class FitConfig:
        head: str = setting("mlp", "Head to train", among=HEADS)
        validation: float = setting(0.2, "Share of the items held out", low=0, below=1)

        def __post_init__(self) -> None:
            check_settings(self)

The command line makes options of these fields (`cli/options.py`), TOML files are read into them (`files/toml.py`), and
the tables of the docs have one row for each (`markdown_rows`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, NoReturn, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

from dissensus.labels.refusals import Refusal, one_of

LARGEST_SEED = 2**64 - 1
_NOUNS = {"int": "whole number", "float": "number", "str": "text"}
_TYPE_WORDS = {Any: "any value", NoneType: "None", np.ndarray: "array"}
_T = TypeVar("_T")


@dataclass(frozen=True)
class Setting:
    """One setting, as declared.

    type      "int", "float", "bool" or "str"; of each entry if `several`; "" for values that are not checked
    several   whether it is a list
    optional  whether it may be None
    low       least value; `above` if that value itself is too small
    high      largest value; `below` if that value itself is too large
    among     valid names; None: any
    """

    name: str
    help: str
    default: Any
    type: str = ""
    several: bool = False
    optional: bool = False
    low: float | None = None
    high: float | None = None
    above: float | None = None
    below: float | None = None
    among: Collection[str] | None = None

    @property
    def expected(self) -> str:
        """The values it takes, in words: "a whole number of 1 or more"."""
        if self.among is not None:
            return f"one of {', '.join(map(repr, self.among))}"
        if self.type == "bool":
            return "true or false"
        noun = _NOUNS.get(self.type, "value")
        return (f"a list of {noun}s" if self.several else f"a {noun}") + self._range()

    def _range(self) -> str:
        low = self.low if self.above is None else self.above
        high = self.high if self.below is None else self.below
        if low is None and high is None:
            return ""
        start = f"above {low}" if self.above is not None else f"{low}"
        end = f"below {high}" if self.below is not None else f"{high}"
        if high is None:
            return f" {start}" if self.above is not None else f" of {start} or more"
        if low is None:
            return f" {end}" if self.below is not None else f" of {end} or less"
        return f" {start} and {end}" if self.above is not None else f" from {start} to {end}"

    def check(self, value: Any) -> Any:
        """Return the value in its one spelling: lists as tuples, whole numbers as floats if any number is valid."""
        if value is None and self.optional:
            return None
        value = value.tolist() if isinstance(value, np.ndarray | np.generic) else value
        if not self.several:
            return self._check_one(value, value)
        if isinstance(value, str) or not isinstance(value, Collection):
            self._refuse(value)
        return tuple(self._check_one(entry, value) for entry in value)

    def _check_one(self, entry: Any, value: Any) -> Any:
        if isinstance(entry, np.generic):
            entry = entry.item()
        if self.among is not None:
            return one_of(self.name.replace("_", " "), entry, self.among)
        is_number = isinstance(entry, int | float) and not isinstance(entry, bool)
        fits = {
            "int": is_number and isinstance(entry, int),
            "float": is_number and _is_finite(entry),
            "bool": isinstance(entry, bool),
            "str": isinstance(entry, str),
        }.get(self.type, True)
        if not fits or (is_number and not self._is_in_range(entry)):
            self._refuse(value)
        return float(entry) if self.type == "float" else entry

    def _is_in_range(self, number: float) -> bool:
        return (
            (self.low is None or number >= self.low)
            and (self.above is None or number > self.above)
            and (self.high is None or number <= self.high)
            and (self.below is None or number < self.below)
        )

    def _refuse(self, value: Any) -> NoReturn:
        raise Refusal(f"{{{self.name}}}: expected {self.expected}", **{self.name: value})


def setting(
    default: Any,
    help: str,
    *,
    low: float | None = None,
    high: float | None = None,
    above: float | None = None,
    below: float | None = None,
    among: Collection[str] | None = None,
) -> Any:
    """Declare a setting as a dataclass field.

    Parameters
    ----------
    default : the default; `...` if a value must be given
    help    : one phrase or sentence without a full stop, for the command line and the docs; names of `among` are added
    low, high    : least and largest value
    above, below : the same, but these values themselves are not valid
    among   : valid names; a dict counts by its keys

    Returns
    -------
    a `dataclasses.field`

    Examples
    --------
    >>> @dataclass(frozen=True)
    ... class Walk:
    ...     steps: int = setting(10, "Number of steps", low=1)
    ...     def __post_init__(self): check_settings(self)
    >>> Walk(steps=0)
    Traceback (most recent call last):
    dissensus.labels.refusals.Refusal: steps=0: expected a whole number of 1 or more
    """
    facts = {"help": help, "low": low, "high": high, "above": above, "below": below, "among": among}
    return field(default=MISSING if default is ... else default, metadata={"setting": facts})


def settings_of(config: type | Any, *, nested: bool = True) -> Iterator[Setting]:
    """Every setting of a config class, in order; settings of a nested config follow, if their name is not taken."""
    own, inner = _read_class(config if isinstance(config, type) else type(config))
    yield from own
    taken = {each.name for each in own}
    for config_class in inner if nested else ():
        yield from (each for each in settings_of(config_class) if each.name not in taken)


@cache
def _read_class(config: type) -> tuple[tuple[Setting, ...], tuple[type, ...]]:
    """The settings of a class, and the config classes of its other fields."""
    own = tuple(read_setting(entry) for entry in fields(config) if "setting" in entry.metadata)
    return own, tuple(inner for entry in fields(config) if (inner := _nested_config(entry)) is not None)


def read_setting(entry: Field[Any]) -> Setting:
    """The declaration of a dataclass field; without `setting`, its type and its default."""
    default = None if entry.default is MISSING else entry.default
    annotation = entry.type.__name__ if isinstance(entry.type, type) else str(entry.type)
    return Setting(entry.name, default=default, **_read_type(annotation), **entry.metadata.get("setting", {"help": ""}))


def _nested_config(entry: Field[Any]) -> type | None:
    factory: Any = entry.default_factory
    return factory if isinstance(factory, type) and is_dataclass(factory) else None


def make_config(config: type[_T], values: Mapping[str, Any]) -> _T:
    """A config of these values; each nested config takes the values that it has settings for."""
    own: dict[str, Any] = {}
    for entry in fields(config):  # type: ignore[arg-type]
        if entry.name in values:
            own[entry.name] = values[entry.name]
        elif (inner := _nested_config(entry)) is not None:
            own[entry.name] = make_config(inner, values)
    return config(**own)


def check_settings(config: Any) -> None:
    """Check every setting of a frozen config; for its `__post_init__`."""
    for each in settings_of(config, nested=False):
        object.__setattr__(config, each.name, each.check(getattr(config, each.name)))
    for entry in fields(config):
        inner, given = _nested_config(entry), getattr(config, entry.name)
        if inner is not None and not isinstance(given, inner):
            raise Refusal(f"{{{entry.name}}}: expected a {inner.__name__}", **{entry.name: given})


def _is_finite(number: float) -> bool:
    try:
        return math.isfinite(number)
    except OverflowError:  # a whole number that is too large for a float
        return False


def document_settings(config: type[_T]) -> type[_T]:
    """Add the settings of a config class to its docstring, as NumPy-style parameters."""
    head = (config.__doc__ or "").rstrip()
    config.__doc__ = f"{head}\n\n    Parameters\n    ----------\n{parameter_rows(config)}\n"
    return config


def parameter_rows(config: type) -> str:
    """The settings of a config class as NumPy-style parameters of a docstring."""
    types = get_type_hints(config)
    required = {entry.name for entry in fields(config) if entry.default is MISSING}
    rows = []
    for each in settings_of(config, nested=False):
        default = "" if each.name in required else f", default {each.default!r}"
        rows.append(f"    {each.name} : {_word_type(types[each.name])}{default}\n        {describe_setting(each)}.")
    return "\n".join(rows)


def markdown_rows(config: type, *, toml: bool = False, defaults: Mapping[str, str] | None = None) -> list[str]:
    """One row of a Markdown table per setting: name, help, default.

    toml      write values as TOML does
    defaults  what to write instead of a default, by setting
    """
    rows = []
    for each in settings_of(config):
        default = (defaults or {}).get(each.name, _write_default(each.default, toml))
        rows.append(f"| `{each.name}` | {describe_setting(each)} | {default} |".replace("|  |", "| |"))
    return rows


def describe_setting(each: Setting) -> str:
    """The help of a setting, with the names it may have after its first clause."""
    if each.among is None:
        return each.help
    first, *others = each.help.split("; ")
    return "; ".join([f"{first}: {', '.join(each.among)}", *others])


def _write_default(default: Any, toml: bool) -> str:
    if default is None or default == "" or default == ():
        return ""
    if isinstance(default, bool):
        return f"`{str(default).lower() if toml else default}`"
    if isinstance(default, tuple):
        return ", ".join(f"`{entry}`" for entry in default)
    if isinstance(default, str) and toml:
        return f'`"{default}"`'
    return f"`{default:g}`" if isinstance(default, float) else f"`{default}`"


def _read_type(annotation: str) -> dict[str, Any]:
    """`tuple[int, ...] | None` -> int, several, optional."""
    parts = [part.strip() for part in annotation.split("|")]
    kinds = [part for part in parts if part != "None"]
    several = len(kinds) == 1 and kinds[0].startswith("tuple[")
    kind = kinds[0].removeprefix("tuple[").removesuffix(", ...]") if len(kinds) == 1 else ""
    known = kind if kind in ("int", "float", "bool", "str") else ""
    return {"type": known, "several": several, "optional": len(kinds) < len(parts)}


def _word_type(type_: Any) -> str:
    """`Sequence[str] | np.ndarray | None` -> "sequence of str, array or None"."""
    kinds = get_args(type_) if get_origin(type_) in (Union, UnionType) else (type_,)
    *first, last = map(_word_kind, kinds)
    return f"{', '.join(first)} or {last}" if first else last


def _word_kind(kind: Any) -> str:
    outer, inner = get_origin(kind), [each for each in get_args(kind) if each is not ...]
    if outer is Literal:
        return type(inner[0]).__name__  # its names are in the help
    if outer is Callable:
        return "function"
    if outer is None:
        return _TYPE_WORDS.get(kind) or str(kind.__name__)
    name = str(outer.__name__).lower()
    return name if Any in inner else f"{name} of {' to '.join(map(_word_type, inner))}"
