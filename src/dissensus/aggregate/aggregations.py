"""Aggregation by the name of the method, for the command line and for study files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from inspect import signature
from typing import Any, Literal

from dissensus.aggregate.counting import dirichlet, majority_vote
from dissensus.aggregate.fit_card import fit_card
from dissensus.aggregate.models.dawid_skene import dawid_skene
from dissensus.aggregate.models.em import Fit
from dissensus.aggregate.models.glad import glad
from dissensus.aggregate.models.mace import mace
from dissensus.aggregate.models.one_coin import one_coin
from dissensus.aggregate.overturned import departure
from dissensus.aggregate.pooling import linear_pool, log_pool
from dissensus.aggregate.priors.shrinkage import shrinkage
from dissensus.aggregate.recalibration import Recalibration, recalibrate, temperatures_by
from dissensus.aggregate.weighted_votes import wawa
from dissensus.labels.beliefs import Beliefs
from dissensus.labels.completion import COMPLETIONS, usual_completion
from dissensus.labels.distributions import Distributions
from dissensus.labels.doors import ANY_LABELS, takes
from dissensus.labels.refusals import one_of
from dissensus.labels.shares import Labels, mean_belief, share
from dissensus.labels.votes import Votes

Takes = Literal["votes", "beliefs", "full beliefs", "votes or full beliefs"]


@dataclass(frozen=True)
class Aggregation:
    """A method of aggregation and what it works on.

    function  (labels, options) -> Distributions, or a fit that holds them as `distributions`
    takes     "votes": of beliefs the first choices; "beliefs": as they were stated, with gaps; "full beliefs":
              completed, and recalibrated where that is asked for. Where only beliefs are taken, a vote is a certain one
    options   names of the options it understands; None for those in the signature of the function
    habits    names that users of other tools know its options by: theirs -> ours
    """

    function: Callable[..., Any]
    takes: Takes
    options: tuple[str, ...] | None = None
    habits: Mapping[str, str] = field(default_factory=dict)

    @property
    def understands(self) -> tuple[str, ...]:
        """The options of the function, their names of habit, and `recalibrate` where it hears how sure people are."""
        own = tuple(signature(self.function).parameters)[1:] if self.options is None else self.options
        return (*own, *self.habits, *(("recalibrate",) if "full beliefs" in self.takes else ()))

    def own_names(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """The options by the names that the function has for them."""
        for habit, own in self.habits.items():
            if habit in options and own in options:
                raise ValueError(f"{habit} and {own} are the same option here; give one of them")
        return {self.habits.get(name, name): value for name, value in options.items()}


@dataclass(frozen=True, eq=False, repr=False)
class Aggregated:
    """What an aggregation made of labels.

    distributions  one per item
    method         the name of the method, "none" where the labels were distributions already
    fit            all that the method found, such as a DawidSkeneFit; None for methods that only count
    notices        what was done to the labels before, and how far a model departs from the majority, in words
    """

    distributions: Distributions
    method: str
    fit: Any = None
    notices: tuple[str, ...] = ()

    def __repr__(self) -> str:
        made = f"{self.distributions.n_items:,} items · {self.distributions.n_classes} classes"
        return f"Aggregated by {self.method}: {made}" + (f"\n  fit: {self.fit!r}" if self.fit is not None else "")

    def _repr_html_(self) -> str:
        facts = [("method", self.method)]
        if hasattr(self.fit, "converged"):
            facts.append(("converged", "yes" if self.fit.converged else "no"))
        return fit_card("Aggregated", facts, self.distributions)


@takes(labels=ANY_LABELS)
def aggregate_labels(
    labels: Labels, method: str | None = None, *, recalibrate: Recalibration | None = None, **options: Any
) -> Aggregated:
    """One distribution per item from votes, beliefs or counts, by a method of AGGREGATIONS.

    Without a method: the share of votes; the mean of beliefs completed by t2-clamp where they name classes, by dense
    where they state every class; distributions as they are. Distributions that know their votes count as votes
    without annotators.

    recalibrate  temper each annotator's beliefs first, by their second answers ("repeats") or by gold, a vote per item
    options      those of the method's own function; gamma and contradictions for t1-clamp and t2-clamp. The names of
                 other tools do too: iterations for most_iterations, smoothing for the prior of dirichlet
    """
    asked = [*options, *(() if recalibrate is None else ("recalibrate",))]
    if method is None:
        if isinstance(labels, Distributions):
            return _keep_distributions(labels, asked)
        method = "share" if isinstance(labels, Votes) else usual_completion(labels)
    one_of("method", method, AGGREGATIONS)
    _check_options(method, asked)
    if recalibrate is not None and not isinstance(labels, Beliefs):
        raise ValueError(
            f"recalibrate changes how sure beliefs are, and {type(labels).__name__} do not say how sure anybody was; "
            "leave it out"
        )
    entry = AGGREGATIONS[method]
    answers, notices = _convert_answers(
        Votes.of_counts(labels) if isinstance(labels, Distributions) else labels, method, entry.takes
    )
    if recalibrate is not None:
        assert isinstance(answers, Beliefs)
        answers, notice = _recalibrate_by(answers, recalibrate)
        notices = (*notices, notice)
    result = entry.function(answers, **entry.own_names(options))
    fit = None if isinstance(result, Distributions) else result
    if isinstance(fit, Fit) and isinstance(answers, Votes):
        departs = departure(fit.distributions, answers, method)
        notices = notices if departs is None else (*notices, departs)
    return Aggregated(result if fit is None else fit.distributions, method, fit, notices)


def _complete_and_average(completion: Callable[..., Beliefs], beliefs: Beliefs, **options: Any) -> Distributions:
    return mean_belief(completion(beliefs, **options))


_ITERATES = {"iterations": "most_iterations"}

AGGREGATIONS: dict[str, Aggregation] = {
    "share": Aggregation(share, "votes"),
    "majority": Aggregation(majority_vote, "votes"),
    "wawa": Aggregation(wawa, "votes"),
    "dirichlet": Aggregation(dirichlet, "votes", habits={"smoothing": "prior"}),
    "shrinkage": Aggregation(shrinkage, "votes"),
    "dawid-skene": Aggregation(dawid_skene, "votes or full beliefs", habits=_ITERATES),
    "one-coin": Aggregation(one_coin, "votes", habits=_ITERATES),
    "mace": Aggregation(mace, "votes", habits=_ITERATES),
    "glad": Aggregation(glad, "votes", habits=_ITERATES),
    "linear-pool": Aggregation(linear_pool, "full beliefs"),
    "log-pool": Aggregation(log_pool, "full beliefs"),
} | {
    name: Aggregation(
        partial(_complete_and_average, completion),
        "beliefs",
        options=("gamma", "contradictions") if name.endswith("-clamp") else (),
    )
    for name, completion in COMPLETIONS.items()
}
"""Every method by its name; a new one is a line here."""


def _keep_distributions(distributions: Distributions, asked: Sequence[str]) -> Aggregated:
    if asked:
        raise ValueError(
            f"these are distributions already, so {_list_names(asked)} would have no effect; leave it out, or name a "
            "method"
        )
    return Aggregated(distributions, "none", notices=("these are distributions already, and stay as they are",))


def _check_options(method: str, asked: Sequence[str]) -> None:
    own = AGGREGATIONS[method].understands
    for option in asked:
        if option in own:
            continue
        if option in ("seed", "random_state", "rng"):
            raise ValueError(f"no method draws anything at random, so there is nothing to seed; leave {option} out")
        others = [name for name, entry in AGGREGATIONS.items() if option in entry.understands]
        if not others:
            one_of(f"option of {method}", option, own)
        raise ValueError(f"{option} only matters to {_list_names(others)}, not to {method!r}; leave it out")


def _convert_answers(answers: Votes | Beliefs, method: str, takes: Takes) -> tuple[Votes | Beliefs, tuple[str, ...]]:
    """The labels as the method takes them, and what was done to them."""
    if isinstance(answers, Votes):
        if "votes" in takes:
            return answers, ()
        certain = Beliefs.of_votes(answers)
        notice = f"{method} takes beliefs: each vote is taken as a certain one"
        return certain if takes == "beliefs" else COMPLETIONS["dense"](certain), (notice,)
    if takes == "votes":
        return answers.first_choices(), (f"{method} takes votes: the first choice of each belief is used",)
    if takes == "beliefs":
        return answers, ()
    completion = usual_completion(answers)
    return COMPLETIONS[completion](answers), (f"beliefs completed by {completion}",)


def _recalibrate_by(beliefs: Beliefs, by: Recalibration) -> tuple[Beliefs, str]:
    known = temperatures_by(by, beliefs)
    notice = (
        f"beliefs recalibrated by {'gold' if isinstance(by, Votes) else by}: {known.answers.sum()} known answers, the "
        f"crowd's temperature {known.crowd:.2f} (above 1: too sure), annotators' from {known.temperature.min():.2f} to "
        f"{known.temperature.max():.2f}"
    )
    return recalibrate(beliefs, known), notice


def _list_names(names: Sequence[str]) -> str:
    """Names in a sentence: "a, b and c"."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
