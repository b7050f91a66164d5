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
from dissensus.labels.refusals import Refusal, Way, one_of
from dissensus.labels.shares import Labels, mean_belief, share
from dissensus.labels.votes import Votes

Takes = Literal["votes", "beliefs", "full beliefs", "votes or full beliefs"]


@dataclass(frozen=True)
class Aggregation:
    """A method of aggregation and what it works on.

    function  (labels, options) -> Distributions, or a fit that holds them as `distributions`
    takes     "votes": the first choices of beliefs; "beliefs": as they were stated, with gaps; "full beliefs":
              completed, and recalibrated on request. A method that takes only beliefs takes a vote as a certain one
    options   names of its options; None for those in the signature of the function
    habits    names of its options in other tools: theirs -> ours
    """

    function: Callable[..., Any]
    takes: Takes
    options: tuple[str, ...] | None = None
    habits: Mapping[str, str] = field(default_factory=dict)

    @property
    def understands(self) -> tuple[str, ...]:
        """Its options, their names in other tools, and `recalibrate` if it uses stated probabilities."""
        own = tuple(signature(self.function).parameters)[1:] if self.options is None else self.options
        return (*own, *self.habits, *(("recalibrate",) if "full beliefs" in self.takes else ()))

    def own_names(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return the options under the names of the function."""
        for habit, own in self.habits.items():
            if habit in options and own in options:
                raise ValueError(f"{habit} and {own} are the same option; pass one of them")
        return {self.habits.get(name, name): value for name, value in options.items()}


@dataclass(frozen=True, eq=False, repr=False)
class Aggregated:
    """The result of an aggregation.

    distributions  one per item
    method         the name of the method, "none" if the labels were distributions already
    fit            the whole result of the method, such as a DawidSkeneFit; None for methods that only count
    notices        conversions of the labels, and departures of a model from the majority
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
    """Aggregate votes, beliefs or counts to one distribution per item, by a method of AGGREGATIONS.

    Without a method: the share of votes; the mean of beliefs, completed by t2-clamp if they name classes and by dense
    if they state every class; distributions stay as they are. Distributions with their number of votes count as votes
    without annotators.

    Parameters
    ----------
    labels : votes, beliefs or distributions
    method : a name of AGGREGATIONS
    recalibrate : temper each annotator's beliefs first, by their repeated answers ("repeats") or by gold, one vote per
        item
    options : those of the method's own function; gamma and contradictions for t1-clamp and t2-clamp. Names of other
        tools work too: iterations for most_iterations, smoothing for the prior of dirichlet

    Returns
    -------
    the distributions, the method, its fit if it has one, and notices

    Examples
    --------
    >>> from dissensus import Votes
    >>> votes = Votes.of(list("aaabbb"), ["cat", "cat", "dog", "dog", "dog", "cat"], ["ann", "bo", "cy"] * 2)
    >>> aggregate_labels(votes, "dirichlet", prior=1.0).distributions.probs.tolist()
    [[0.6, 0.4], [0.4, 0.6]]
    """
    asked = [*options, *(() if recalibrate is None else ("recalibrate",))]
    if method is None:
        if isinstance(labels, Distributions):
            return _keep_distributions(labels, asked)
        method = "share" if isinstance(labels, Votes) else usual_completion(labels)
    one_of("method", method, AGGREGATIONS)
    _check_options(method, asked)
    if options.get("iterations", 1) < 1:
        raise Refusal("{iterations}: expected a whole number of 1 or more", iterations=options["iterations"])
    if recalibrate is not None and not isinstance(labels, Beliefs):
        raise ValueError(
            f"recalibrate needs stated probabilities, which {type(labels).__name__} do not have; leave it out"
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
    return Aggregated(distributions, "none", notices=("these are distributions already, so they stay as they are",))


def _check_options(method: str, asked: Sequence[str]) -> None:
    own = AGGREGATIONS[method].understands
    for option in asked:
        if option in own:
            continue
        if option in ("seed", "random_state", "rng"):
            raise ValueError(f"no method is random, so {option} would have no effect; leave it out")
        others = [name for name, entry in AGGREGATIONS.items() if option in entry.understands]
        if not others:
            one_of(f"option of {method}", option, own)
        problem = f"{{{option}}} is for {_list_names(others)}, not for {method!r}"
        settings: dict[str, Any] = {option: ...}
        raise Refusal(problem, ways=[Way("leave it out")], **settings)


def _convert_answers(answers: Votes | Beliefs, method: str, takes: Takes) -> tuple[Votes | Beliefs, tuple[str, ...]]:
    """Return the labels in the form that the method needs, and notices of their conversion."""
    if isinstance(answers, Votes):
        if "votes" in takes:
            return answers, ()
        certain = Beliefs.of_votes(answers)
        notice = f"{method} needs beliefs: each vote counts as a certain one"
        return certain if takes == "beliefs" else COMPLETIONS["dense"](certain), (notice,)
    if takes == "votes":
        return answers.first_choices(), (f"{method} needs votes: the first choice of each belief is used",)
    if takes == "beliefs":
        return answers, ()
    completion = usual_completion(answers)
    return COMPLETIONS[completion](answers), (f"beliefs completed by {completion}",)


def _recalibrate_by(beliefs: Beliefs, by: Recalibration) -> tuple[Beliefs, str]:
    known = temperatures_by(by, beliefs)
    notice = (
        f"beliefs recalibrated by {'gold' if isinstance(by, Votes) else by}: {known.answers.sum()} known answers, the "
        f"crowd's temperature {known.crowd:.2f} (above 1: overconfident), annotators' from "
        f"{known.temperature.min():.2f} to {known.temperature.max():.2f}"
    )
    return recalibrate(beliefs, known), notice


def _list_names(names: Sequence[str]) -> str:
    """Join names in a sentence: "a, b and c"."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
