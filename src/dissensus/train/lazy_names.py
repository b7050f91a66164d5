"""Public names that are loaded on first use, and say how to get a package they need and do not find."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import lazy_loader  # type: ignore[import-untyped]

_FROM = {
    "torch": "pip install 'dissensus[train]'",
    "transformers": "pip install transformers accelerate",
    "lightning": "pip install lightning",
}


def attach(package: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """`__getattr__`, `__dir__` and `__all__` of a package whose public names stand in its stub."""
    load, listed, names = lazy_loader.attach_stub(package, file)

    def load_or_advise(name: str) -> Any:
        try:
            return load(name)
        except ModuleNotFoundError as missing:
            if missing.name not in _FROM:
                raise
            advice = f"{package}.{name} needs {missing.name}, which is not installed: {_FROM[missing.name]}"
            raise ModuleNotFoundError(advice, name=missing.name) from None

    return load_or_advise, listed, names
