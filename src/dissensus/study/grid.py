"""The cells of a study: every combination of its values, once per seed and fold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dissensus.study.model_settings import ModelSettings
from dissensus.study.spec import AXES, LabelRecipe, Study


@dataclass(frozen=True)
class Cell:
    """One training: data, labels, delivery, model and seed.

    fold  of the test items, from 0; None without folds
    """

    data: str
    labels: LabelRecipe
    delivery: str
    model: ModelSettings
    seed: int
    fold: int | None = None

    @property
    def arm(self) -> dict[str, Any]:
        """All settings but the seed, flat: columns of a table, and keys of a baseline or a rule."""
        return {
            "data": self.data,
            "votes": self.labels.votes or "all",
            "completion": self.labels.completion or "none",
            "aggregation": self.labels.aggregation or "none",
            "transforms": self.labels.transforms or "none",
            "delivery": self.delivery,
            "model": self.model.name,
            **{key: value for key, value in self.model.as_json().items() if key not in ("head", "network")},
        }


def cells_of(study: Study) -> list[Cell]:
    """List all cells of a study, seed by seed, so that an interrupted study has complete comparisons.

    Cells that match a rule of `skip` are left out. A rule that matches none is refused, as is an empty grid.

    Parameters
    ----------
    study : by `read_study` or `study_of`

    Returns
    -------
    list of Cell, each with data, labels, delivery, model, seed, fold and `arm`

    Examples
    --------
    >>> labels = Distributions.from_counts([[2, 1], [0, 3]] * 10)
    >>> data = {"labels": labels, "features": np.tile(np.eye(2), (10, 1))}
    >>> study = study_of({"data": data, "model": {"head": "logistic", "penalty": 1}, "seeds": 2})
    >>> [cell.seed for cell in cells_of(study)]
    [0, 1]
    """
    folds: list[int | None] = list(range(study.split.folds)) if study.split.scheme == "k-fold" else [None]
    cells = [
        Cell(data, labels, delivery, model, seed, fold)
        for seed in study.seeds
        for fold in folds
        for data in study.data
        for labels in study.labels
        for delivery in study.deliveries
        for model in study.models
    ]
    for place, rule in enumerate(study.skip, 1):
        path = ("skip", str(place))
        _check_names(rule, cells, study, path)
        kept = [cell for cell in cells if not matches(cell.arm, rule)]
        if len(kept) == len(cells):
            study.text.refuse(path, f"is {dict(rule)}, which matches no cell of the study")
        cells = kept
    if not cells:
        study.text.refuse(("skip", str(len(study.skip))), "is a rule that leaves no cell; expected one or more")
    if study.comparing is not None:
        path = ("compare", "baseline")
        _check_names(study.comparing.baseline, cells, study, path)
        if not any(matches(cell.arm, study.comparing.baseline) for cell in cells):
            study.text.refuse(
                path,
                f"no arm of the study has {dict(study.comparing.baseline)}; its values are "
                f"{_values(cells, study.comparing.baseline)}",
            )
        arms = list({repr(cell.arm): cell.arm for cell in cells}.values())
        if len(arms) > 1 and all(matches(arm, study.comparing.baseline) for arm in arms):
            study.text.refuse(
                path,
                f"all {len(arms)} arms of the study have {dict(study.comparing.baseline)}, so none "
                "would be compared; expected values that some do not have",
            )
    return cells


def matches(arm: Mapping[str, Any], rule: Mapping[str, Any]) -> bool:
    """Whether an arm has all values of a rule; a list in a rule means any of its values, "none" means None."""
    return all(
        key in arm and _name_value(arm[key]) in map(_name_value, value if isinstance(value, list | tuple) else [value])
        for key, value in rule.items()
    )


def _name_value(value: Any) -> Any:
    """TOML has no null."""
    return "none" if value is None else value


def list_varying(arms: list[dict[str, Any]]) -> list[str]:
    """List the keys by which arms differ, in the order of AXES, then the settings of models."""
    keys = dict.fromkeys([*AXES, *(key for arm in arms for key in arm)])
    return [key for key in keys if len({repr(arm.get(key)) for arm in arms}) > 1]


def _check_names(rule: Mapping[str, Any], cells: list[Cell], study: Study, path: tuple[str, ...]) -> None:
    known = dict.fromkeys(key for cell in cells for key in cell.arm)
    study.text.check_keys(rule, tuple(known), path)


def _values(cells: list[Cell], rule: Mapping[str, Any]) -> str:
    return "; ".join(
        f"{key}: {', '.join(dict.fromkeys(str(_name_value(cell.arm.get(key))) for cell in cells))}" for key in rule
    )
