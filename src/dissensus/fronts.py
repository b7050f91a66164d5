"""The fronts of the packages: public names that are loaded on first use, and say how to get what is not installed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import lazy_loader

_ELICIT = (
    "anyio", "argon2", "httptools", "itsdangerous", "jinja2", "psycopg", "sqlalchemy", "starlette", "uvicorn", "uvloop",
)  # fmt: skip
_INSTALL = dict.fromkeys(_ELICIT, "pip install 'dissensus[elicit]'") | {
    "PIL": "pip install 'dissensus[images]'",
    "torch": "pip install 'dissensus[train]'",
    "sentence_transformers": "pip install 'dissensus[encoders]'",
    "transformers": "pip install transformers accelerate",
    "lightning": "pip install lightning",
    "pandas": "pip install pandas",
    "polars": "pip install polars",
}


def attach(package: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """`__getattr__`, `__dir__` and `__all__` of a package whose public names stand in its stub."""
    load, listed, names = lazy_loader.attach_stub(package, file)

    def load_or_advise(name: str) -> Any:
        try:
            return load(name)
        except ModuleNotFoundError as missing:
            advice = advise_install(missing, f"{package}.{name}")
            if advice is None:
                raise
            raise ModuleNotFoundError(advice, name=missing.name) from None

    return load_or_advise, listed, names


def advise_install(missing: ModuleNotFoundError, what: str) -> str | None:
    """What is needed and how to get it, in one line; None for a package that no part of ours needs."""
    package = (missing.name or "").partition(".")[0]
    if package not in _INSTALL:
        return None
    if _INSTALL[package] in str(missing):  # said already, by whoever knows it better
        return str(missing)
    return f"{what} needs {package}, which is not installed: {_INSTALL[package]}"
