"""What the paper prints, and what it claims about its labels.

The ± of its tables is the half-width of a 95% interval over 15 runs: five seeds of each of three networks.
"""

from __future__ import annotations

from dissensus.papers.claims import Claim, Printed, parse_printed

RUNS = 15
OVER = "± half of a 95% interval over 15 runs"
SETS = {"10h": "3,000 images with CIFAR-10H labels", "10s": "100 images with CIFAR-10S labels"}
BY = {"10h": "judged by CIFAR-10H labels", "10s": "judged by CIFAR-10S labels"}
METRICS = {"ce": "cross-entropy", "calibration": "RMSE calibration error", "fgsm": "loss after FGSM"}
UNIT = {"ce": "%", "calibration": " points", "fgsm": "%"}  # of differences; a point is 0.01
# Tables 1 to 6: (cross-entropy, calibration, loss after FGSM) by kind of labels and evaluation set.
Row = tuple[str, str, str]
SCORES: dict[str, dict[str, Row]] = {
    "10h": {
        "hard": ("2.026±0.18", "0.277±0.01", "15.455±7.5"),
        "random": ("1.770±0.16", "0.226±0.02", "13.476±1.39"),
        "uniform": ("1.599±0.13", "0.203±0.02", "10.199±3.82"),
        "h aggregated": ("1.325±0.07", "0.201±0.01", "8.750±1.80"),
        "s aggregated": ("1.369±0.07", "0.203±0.01", "8.872±1.63"),
        "h": ("1.293±0.08", "0.194±0.01", "8.577±1.91"),
        "s": ("1.281±0.06", "0.184±0.01", "8.406±1.75"),
        "h 2": ("1.71±0.15", "0.25±0.02", "14.16±0.67"),
        "s 2": ("1.49±0.08", "0.22±0.01", "11.57±0.44"),
        "h 1": ("2.17±0.11", "0.29±0.01", "19.20±0.86"),
        "s 1": ("1.58±0.08", "0.23±0.01", "12.57±1.29"),
        "t1-uniform": ("1.320±0.08", "0.187±0.01", "8.647±1.72"),
        "t1-clamp": ("1.299±0.06", "0.19±0.01", "8.385±1.55"),
        "t2-uniform": ("1.287±0.10", "0.180±0.02", "8.345±1.63"),
        "top-two-only": ("1.300±0.06", "0.180±0.01", "8.639±1.46"),
        "smoothed": ("1.368±0.19", "0.175±0.05", "6.965±1.7"),
    },
    "10s": {
        "hard": ("4.460±0.49", "0.425±0.09", "15.782±4.67"),
        "random": ("3.093±0.53", "0.353±0.05", "10.697±4.14"),
        "uniform": ("2.923±0.26", "0.311±0.06", "11.768±5.18"),
        "h aggregated": ("2.558±0.16", "0.313±0.03", "8.416±1.64"),
        "s aggregated": ("2.591±0.19", "0.324±0.02", "9.116±1.63"),
        "h": ("2.459±0.21", "0.311±0.02", "8.334±1.75"),
        "s": ("2.355±0.14", "0.297±0.03", "8.405±1.59"),
        "h 2": ("3.37±0.42", "0.34±0.08", "13.13±0.7"),
        "s 2": ("2.88±0.17", "0.36±0.04", "11.39±0.59"),
        "h 1": ("4.49±0.31", "0.45±0.05", "17.85±0.68"),
        "s 1": ("2.90±0.31", "0.38±0.06", "12.13±1.31"),
        "t1-uniform": ("2.512±0.12", "0.317±0.04", "9.029±1.7"),
        "t1-clamp": ("2.501±0.18", "0.306±0.03", "8.590±1.42"),
        "t2-uniform": ("2.437±0.16", "0.293±0.04", "8.605±1.59"),
        "top-two-only": ("2.448±0.15", "0.313±0.02", "8.797±1.25"),
        "smoothed": ("2.674±0.33", "0.299±0.05", "9.375±3.4"),
    },
}  # fmt: skip
NAMES = {
    "hard": "CIFAR-10 classes", "random": "random labels", "uniform": "uniform labels", "smoothed": "label smoothing",
    "h aggregated": "CIFAR-10H, aggregated", "s aggregated": "CIFAR-10S, aggregated", "h": "CIFAR-10H",
    "s": "CIFAR-10S (T2, clamp)", "h 1": "CIFAR-10H, one annotator", "s 1": "CIFAR-10S, one annotator",
    "h 2": "CIFAR-10H, two annotators", "s 2": "CIFAR-10S, two annotators", "t1-uniform": "T1, uniform",
    "t1-clamp": "T1, clamp", "t2-uniform": "T2, uniform", "top-two-only": "two classes without probabilities",
}  # fmt: skip
# Tables 4 and 5: inputs that an annotator gives for each kind of label, and the seconds for six annotators.
INPUTS = {"t1-uniform": 2, "t1-clamp": 3, "t2-uniform": 4, "t2-clamp": 5, "top-two-only": 2}
SECONDS = {
    "t1-uniform": "76.8",
    "t1-clamp": "115.2",
    "t2-uniform": "153.6",
    "t2-clamp": "192.0",
    "top-two-only": "76.8",
}
PER_ANSWER, PER_VOTE = 32.0, 1.8  # seconds: an elicitation of CIFAR-10S, a vote of CIFAR-10H
FARTHEST = ("dog", "frog", "bird")  # CIFAR-10 classes of the three images of figure 8, the farthest first


def score(kind: str, set_: str, metric: str) -> Printed:
    """A cell of tables 1 to 6."""
    mean = SCORES[set_][kind][list(METRICS).index(metric)].partition("±")[0]
    return parse_printed(mean)


def half(kind: str, set_: str, metric: str) -> float:
    """Half of its 95% interval."""
    return float(SCORES[set_][kind][list(METRICS).index(metric)].partition("±")[2])


def difference(score: float, base: float, metric: str) -> float:
    """By how much a score is above another, in `UNIT`: percent of the other, or points where it may be near zero."""
    return 100 * (score - base) if metric == "calibration" else 100 * (score / base - 1)


def change(kind: str, other: str, set_: str, metric: str) -> float:
    """By how much `kind` is above `other`, as printed."""
    return difference(score(kind, set_, metric).value, score(other, set_, metric).value, metric)


def beside(kind: str, other: str, set_: str, metric: str) -> str:
    """Both scores as printed."""
    column = list(METRICS).index(metric)
    texts = [f"{NAMES[name]} {SCORES[set_][name][column].replace('±', ' ± ')}" for name in (kind, other)]
    return f"{texts[0]}; {texts[1]}; {OVER}"


LABEL_CLAIMS = (
    Claim(key="annotators", source="abstract; section 4.1", published="248",
          claim="248 people stated soft labels"),
    Claim(key="labels", source="section 1", published="6,200 labels, 1,000 images",
          claim="About 6,200 soft labels over 1,000 images were collected"),
    Claim(key="images-of-a-batch", source="section 4.1", published="27 images, two of them repeated; 40 batches",
          claim="Each person sees 25 images, two of them twice, in one of 40 batches"),
    Claim(key="hardest-images", source="section 4.1", published="886 images with an entropy of 0.25 or more",
          claim="886 of the images are those on which CIFAR-10H disagrees"),
    Claim(key="easy-images", source="section 4.1, footnote 2",
          published="three with an entropy of 0.1 or less in each of 38 of the 40 batches",
          claim="Three easy images are in every batch but two"),
    Claim(key="two-classes", source="section 4", published="77.2%",
          claim="Most images of CIFAR-10H have votes for at most two classes, so asking for two is enough"),
    Claim(key="exclusions", source="section 4.1",
          published="more than two faults of a kind, or a fault and an accuracy below 75%",
          claim="Nobody who breaks the exclusion rules is among the released answers"),
    Claim(key="completion", source="section 4.2; section 5.1", published="T2 clamp with gamma = 0.1",
          claim="The released labels are the top two classes, the rest spread over classes not ruled out"),
    Claim(key="entropies", source="section 4.3", published="Pearson's r = 0.596",
          claim="The entropy of stated labels goes with that of CIFAR-10H"),
    Claim(key="wasserstein", source="section 4.3", published="0.028 on average",
          claim="Stated labels are close to those of CIFAR-10H"),
    Claim(key="fewer-annotators", source="sections 1 and 4.3", published="51 against 6 annotators per image: 8.5 times",
          claim="CIFAR-10H needed 8.5 times as many annotators for each image"),
    Claim(key="figure-5-first", source="figure 5; section 4.3", published="a figure without numbers",
          claim="People put less on their first class where CIFAR-10H disagrees"),
    Claim(key="figure-5-possible", source="figure 5; section 4.3", published="a figure without numbers",
          claim="People leave more classes possible where CIFAR-10H disagrees"),
    Claim(key="figures-3-and-9", source="figures 3 and 9; section 4.3", published="examples: automobile and truck",
          claim="Where CIFAR-10H is as good as unanimous, stated labels put the rest on the class most alike: trucks "
          "for automobiles"),
    Claim(key="figure-8", source="figure 8", published="their CIFAR-10 classes: dog, frog, bird",
          claim="An image of a dog, one of a frog and one of a bird differ most between the two sets of labels"),
    Claim(key="figures-1-and-2", source="figures 1, 2 and 4", published="examples",
          claim="One answer makes four labels: of the first class (T1) or of both (T2), the rest spread over all other "
          "classes (uniform) or over those not ruled out (clamp)"),
    Claim(key="disagreement-share", source="section 4.1, after Battleday et al. (2020)", published="around 30%",
          claim="On about 30% of the CIFAR-10 images people disagree much"),
    Claim(key="seconds", source="section 5.1", published="a median of 32 s", claim="An elicitation takes 32 s"),
    Claim(key="seconds-per-input", source="section 5.1", published="6.4 s",
          claim="Each of the five inputs of an elicitation takes 6.4 s, if all take the same"),
    Claim(key="seconds-per-vote", source="section 5.1", published="a median of 1.8 s over the same images",
          claim="A vote of CIFAR-10H takes 1.8 s"),
    Claim(key="seconds-of-tables", source="tables 4 and 5, column time",
          published=", ".join(f"{name} {text} s" for name, text in SECONDS.items()),
          claim="Six annotators take this long for each kind of label"),
    Claim(key="first-right", source="section 6", published="approximately 84%",
          claim="In 84% of the answers the first class is the CIFAR-10 class"),
    Claim(key="first-two-right", source="section 6", published="92%",
          claim="In 92% the CIFAR-10 class is one of the two classes named"),
    Claim(key="votes-right", source="section 6", published="95%",
          claim="95% of the votes of CIFAR-10H are for the CIFAR-10 class"),
    Claim(key="repeats-changed", source="section 6, footnote 4", published="approximately 7%",
          claim="Few people change their first class when an image comes back"),
    Claim(key="repeats-change", source="section 6, footnote 4", published="6% on average",
          claim="Those who keep it change its probability by 6 points on average"),
    Claim(key="split", source="section 5.1", published="70/30; 900 labels vary, and 6,100 are CIFAR-10 classes",
          claim="All images of CIFAR-10S are among the 7,000 of 10,000 that are learned from"),
    Claim(key="gamma", source="section 5.1", published="0.1, of 0, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4",
          claim="A validation set chooses gamma = 0.1, the mass kept for classes that an annotator did not rule out"),
    Claim(key="beta", source="appendix", published="0.05, of 0, 0.0001, 0.001, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4",
          claim="A validation set chooses beta = 0.05, the amount of label smoothing"),
    Claim(key="learning-rates", source="section 5.1",
          published="VGG-11 0.1, ResNet-50 0.4, of 0.001, 0.01, 0.1, 0.2, 0.3, 0.4, 0.5",
          claim="A validation set chooses these learning rates"),
    Claim(key="pgd", source="section 5.1, footnote 3", published="unstable, no numbers",
          claim="The loss after PGD varies too much to compare labels by"),
)  # fmt: skip


# (key, table, kind, other, claim): whether `kind` scores lower, as it mostly does, is read off the printed numbers.
LOWER = (
    ("table-1-hard", "table 1", "s aggregated", "hard", "Stated soft labels {beat} CIFAR-10 classes"),
    ("table-2", "table 2", "s", "h", "Stated labels of one annotator at a time {beat} votes, one at a time"),
    ("table-3-two", "table 3", "s 2", "h 2", "With two annotators, stated labels {beat} votes"),
    ("table-3-one", "table 3", "s 1", "h 1", "With one annotator, stated labels {beat} votes"),
    ("table-5", "table 5", "s", "top-two-only", "Probabilities of two classes {beat} the two classes alone"),
)
NEAR = (
    ("table-1-votes", "table 1", "s aggregated", "h aggregated",
     "Six stated labels do about as well as 51 votes, both aggregated"),
    ("table-4-less", "table 4", "t2-uniform", "s", "Without the classes ruled out, stated labels do about as well"),
    ("table-4-first", "table 4", "t1-clamp", "s", "Without the second class, stated labels do about as well"),
)  # fmt: skip
# Table 1, by metric: kinds that score lower than others on both sets. Uniform labels are as calibrated as people's.
_SOFTNESS = (
    ("random", "uniform"),
    ("hard",),
    "Even random and uniform labels for the 900 images beat CIFAR-10 classes",
)
_AGGREGATED = ("h aggregated", "s aggregated")
_PEOPLE = (
    _AGGREGATED,
    ("random", "uniform"),
    "Labels of people, votes and stated ones, beat random and uniform labels",
)
_CALIBRATED = (_AGGREGATED, ("random",), "Labels of people, votes and stated ones, beat random labels")
CONTROLS_OF: dict[str, dict[str, tuple[tuple[str, ...], tuple[str, ...], str]]] = {
    "ce": {"softness": _SOFTNESS, "people": _PEOPLE},
    "calibration": {"softness": _SOFTNESS, "people": _CALIBRATED},
    "fgsm": {"softness": _SOFTNESS, "people": _PEOPLE},
}
SMOOTHING = (("table-6", "table 6", "smoothed", "s"), ("table-6-votes", "table 6", "smoothed", "h"))
