"""Claims of sections 6 and 7: models fine-tuned on human labels, and networks under attack."""

from __future__ import annotations

from collections.abc import Iterator

from dissensus.papers.claims import Claim
from dissensus.papers.combined_judges import Each, Judge
from dissensus.papers.evidence import Number
from dissensus.papers.expressions import difference, value_of
from dissensus.papers.judges import NotBeyond, each, holds_in, less, more, not_less, positive, same
from dissensus.papers.peterson2019.sizes import ARCHITECTURES
from dissensus.papers.peterson2019.tuned import ATTACKED, ROWS
from dissensus.papers.published import read_published
from dissensus.report.document import slug

HUMAN = ("soft", "sampled")
OTHERS = ("pretrained", "control", "mixup", "category")
APART = 0.01  # nats: the largest distance of whole and sampled labels in table 1
LOST = 1.0  # points of accuracy: what human labels gain from scratch
DRIVEN_TO = 5.0  # percent: the largest accuracy that counts as none; the paper has 0 and 1
MOST_LEFT = 0.64  # of the cross-entropy after FGSM: the largest share in table 2
EPSILONS = (4, 5, 6, 7, 8)  # of 255
NO_IMAGES = "the images of CIFAR-10.1 are not among the data"
EIGHT = "needs all eight networks; scale full runs them"


def tuning_claims() -> Iterator[Claim]:
    """Section 6; the rows of single networks are judged on these networks."""
    for name in ARCHITECTURES:
        yield Claim(
            key=f"table-1-{slug(name)}",
            source=f"table 1, {name}, c10H",
            claim=f"{name}: fine-tuning on human labels, whole or sampled, comes closest to people",
            published=_closest(name),
            judge=_lowest("soft_nll", name),
        )
    yield Claim(
        key="table-1-mean",
        source="table 1, c10H; section 6.3",
        claim="Fine-tuning on human labels, whole or sampled, comes closest to people: cross-entropy, mean of models",
        published=_closest(""),
        judge=_lowest("soft_nll", ""),
    )
    yield Claim(
        key="table-1-soft",
        source="table 1, c10H; section 6.3",
        claim="Fine-tuning on human labels comes closer to people than on classes: cross-entropy, mean of models",
        judge=less("soft_nll", "soft", than="control"),
    )
    yield Claim(
        key="table-1-control",
        source="table 1, rows 1 and 2, c10H",
        claim="Fine-tuning on classes alone brings models closer to people, as it sees more images",
        judge=less("soft_nll", "control", than="pretrained"),
    )
    yield Claim(
        key="table-1-tuning",
        source="table 1, c10H; section 6.3",
        claim="Every method of fine-tuning brings models closer to people than before",
        published="38 of 40 cells of the table; the text says all",
        judge=each(*(less("soft_nll", row, than="pretrained") for row in ROWS)),
    )
    yield Claim(
        key="table-1-classes",
        source="table 1, c10",
        claim="By the classes, fine-tuning on classes has a lower cross-entropy than on human labels",
        published="0.00 to 0.03 lower than whole or sampled labels",
        judge=each(*(less("cross_entropy", "control", than=row) for row in (*HUMAN, "category"))),
    )
    yield Claim(
        key="table-1-pretrained",
        source="table 1, row 1; section 6.3",
        claim="Before fine-tuning, models fit the classes better than people: difference of cross-entropies",
        published="c10 below c10H in 8 of 8",
        judge=positive(value_of("soft_nll", "pretrained") - value_of("cross_entropy", "pretrained")),
    )
    yield Claim(
        key="table-1-category",
        source="table 1, row 4, c10H; section 6.3",
        claim="Class means of human labels help, but less than labels of each image",
        published="between classes and human labels in 8 of 8",
        judge=each(
            less("soft_nll", "category", than="control"), *(less("soft_nll", row, than="category") for row in HUMAN)
        ),
    )
    yield Claim(
        key="table-1-mixup",
        source="table 1, row 3, c10H; section 6.3",
        claim="mixup comes closer to people than classes alone",
        published="6 of 8 rows of the table; the text says all",
        judge=less("soft_nll", "mixup", than="control"),
    )
    yield Claim(
        key="table-1-mixup-human",
        source="table 1, row 3, c10H; section 6.3",
        claim="mixup stays further from people than every use of human labels",
        published="8 of 8 for whole and sampled, 5 of 8 for class means; the text says all",
        judge=each(*(less("soft_nll", row, than="mixup") for row in (*HUMAN, "category"))),
    )
    yield Claim(
        key="table-1-sampled",
        source="table 1, rows 5 and 6, c10H",
        claim=f"Sampling a label in each epoch does as well as the whole distribution, within {APART} nats",
        judge=same("soft_nll", "sampled", "soft", margin=APART),
    )
    for version in ("v4", "v6"):
        yield Claim(
            key=f"table-1-{version}",
            source=f"table 1, {version}",
            claim=f"Sampled human labels give the lowest cross-entropy on CIFAR-10.1 {version}",
            published="whole or sampled labels lowest or tied in 8 of 8",
            judge=each(*(less(f"cross_entropy_{version}", "sampled", than=row) for row in OTHERS)),
            missing=NO_IMAGES,
        )
    yield from _ensemble_claims()


def _ensemble_claims() -> Iterator[Claim]:
    yield Claim(
        key="section-6-ensemble",
        source="section 6.3",
        claim="All eight pretrained networks together are closer to people than any of them",
        judge=less("soft_nll", "ensemble", than="closest before"),
        missing=EIGHT,
    )
    yield Claim(
        key="section-6-no-substitute",
        source="section 6.3; table 1",
        claim="The eight together are further from people than each network fine-tuned on human labels",
        judge=less("soft_nll", "furthest after", than="ensemble"),
        missing=EIGHT,
    )
    yield Claim(
        key="section-6-recency",
        source="section 6.3",
        claim="The newest network is not among the three closest to people: Shake-Shake against the third closest",
        judge=more("soft_nll", "Shake-Shake", than="third closest"),
        missing=EIGHT,
    )
    yield Claim(
        key="section-6-accuracy",
        source="section 6.3",
        claim=f"Fine-tuning on human labels costs less than {LOST:g} point of accuracy",
        published="no loss, not shown",
        judge=each(*(not_less("accuracy", row, than="control", margin=LOST) for row in (*HUMAN, "category"))),
    )


def attack_claims() -> Iterator[Claim]:
    """Section 7; the rows of single networks are judged on these networks."""
    for name in ARCHITECTURES:
        yield Claim(
            key=f"table-2-{slug(name)}",
            source=f"table 2, {name}, cross-entropy",
            claim=f"{name}: cross-entropy after FGSM is lower with human labels",
            judge=less("fgsm_cross_entropy", "soft", than="control", where=name),
        )
        yield Claim(
            key=f"table-2-{slug(name)}-accuracy",
            source=f"table 2, {name}, accuracy",
            claim=f"{name}: accuracy after FGSM with human labels against classes, in %",
            judge=_accuracy_judge(name),
        )
    yield Claim(
        key="table-2-half",
        source="table 2, section 7",
        claim=f"Human labels halve the cross-entropy after FGSM: at most {MOST_LEFT} of it is left",
        published="roughly half; 0.41 to 0.64 in the table",
        judge=NotBeyond(value_of("fgsm_left", "soft"), 1, MOST_LEFT),
    )
    yield Claim(
        key="table-2-accuracy",
        source="table 2, accuracy; section 7",
        claim="Accuracy after FGSM is higher with human labels, mean of networks in %",
        published="higher in 5 of 8, lower in 2",
        judge=more("fgsm_accuracy", "soft", than="control"),
    )
    yield Claim(
        key="table-2-largest",
        source="section 7",
        claim="The two largest differences in accuracy after FGSM favour human labels: the lower one, in points",
        published="Wide ResNet 24 to 35%, ResNet preact 17 to 29%",
        judge=positive(value_of("fgsm_largest_gain", "soft")),
        missing=EIGHT,
    )
    for key, metric, attack in (
        ("section-7-epsilon", "fgsm_cross_entropy", "FGSM"),
        ("section-7-epsilon-pgd", "pgd_rise", "PGD"),
    ):
        yield Claim(
            key=key,
            source="section 7",
            claim=f"{attack} of 4 to 8 of 255 shows the same advantage of human labels: cross-entropy",
            published="no significant differences from 4 to 8",
            judge=holds_in([difference(metric, "soft", "control", f"epsilon {size}") for size in EPSILONS], -1),
        )
    yield Claim(
        key="figure-4-slower",
        source="figure 4",
        claim="Along the steps of PGD, cross-entropy rises less with human labels",
        published="a figure",
        judge=less("pgd_rise", "soft", than="control", where="epsilon 4"),
    )
    yield Claim(
        key="figure-4-levels-off",
        source="figure 4; section 7",
        claim="With human labels the rise levels off: % of it in the second half of the steps",
        published="levels off quickly, a figure",
        judge=less("pgd_late", "soft", than="control"),
    )
    yield Claim(
        key="section-7-pgd-accuracy",
        source="section 7",
        claim=f"PGD leaves every network at most {DRIVEN_TO:g}% accuracy, whatever it was tuned on",
        published="0% with classes, 1% with human labels",
        judge=each(*(NotBeyond(value_of("pgd_accuracy", row), 1, DRIVEN_TO) for row in ATTACKED)),
    )


def _lowest(metric: str, where: str) -> Each:
    """Judge that both uses of human labels are below everything else."""
    return each(*(less(metric, human, than=row, where=where) for human in HUMAN for row in OTHERS))


def _closest(where: str) -> str:
    """The printed rows that decide: human labels, and the closest of the others."""
    table = read_published("peterson2019").table("table 1", where)
    assert table is not None
    printed = table.numbers["soft_nll"]
    best = min(OTHERS, key=lambda row: printed[row].value)
    name = "class means" if best == "category" else best
    return f"whole {printed['soft'].text}, sampled {printed['sampled'].text}; next: {name} {printed[best].text}"


def _accuracy_judge(name: str) -> Judge:
    """Judge the sign that table 2 prints."""
    printed = [read_published("peterson2019").find(Number("fgsm_accuracy", row, name)) for row in ("soft", "control")]
    soft, control = (number.value for number in printed if number is not None)
    if soft == control:
        return same("fgsm_accuracy", "soft", "control", where=name, margin=LOST)
    return (more if soft > control else less)("fgsm_accuracy", "soft", than="control", where=name)
