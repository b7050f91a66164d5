"""The words of a question beyond its prompt: short ones, or those of a paper, each to be replaced by a survey's own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

WORDINGS = ("plain", "collins")
CROWD = "Imagine that 100 other people are asked this. Answer as you think they would."

PLAIN = {
    "first": "Which class is most probable?",
    "first_percent": "How probable is it, in percent (0 to 100)?",
    "second": "Which class is second most probable, if any?",
    "second_percent": "If you chose one, how probable is it, in percent (0 to 100)?",
    "none": "No alternative",
    "ruled_out": "Which classes is it definitely not? Tick all of them.",
}

# Word for word as annotators saw them (Collins et al. 2022, figure 7).
COLLINS = {
    "prompt": "Imagine 100 crowdsourced workers are asked to **identify what category the image below belongs to**.",
    "first": "What category do you think they would select as **most probably** being the true category of the image?",
    "first_percent": "What **percent probability (between 0 and 100)** do you think they would assign to the category "
    "you selected being the true category of the image?",
    "second": "What **alternate** category, if any, do you think they would select as being the **second most "
    "probable** of being the true category of the image?",
    "second_percent": "If you selected an alternate category for the image, what **percent probability (between 0 and "
    "100)** do you think they would assign to the category you selected being the true category represented in the "
    "image?",
    "none": "No Alternative",
    "ruled_out": "Are there one or more categories you think the crowdsourced annotators would say are **definitely "
    "not** the true category of the image?\n\nPlease click **ALL** categories you think the annotators would say have "
    "zero probability of being the true category.",
}

# The same questions about what the person thinks.
COLLINS_OWN = {
    "prompt": "Please **identify what category the image below belongs to**.",
    "first": "What category do you think is **most probably** the true category of the image?",
    "first_percent": "What **percent probability (between 0 and 100)** do you assign to the category you selected "
    "being the true category of the image?",
    "second": "What **alternate** category, if any, do you think is the **second most probable** of being the true "
    "category of the image?",
    "second_percent": "If you selected an alternate category for the image, what **percent probability (between 0 and "
    "100)** do you assign to the category you selected being the true category represented in the image?",
    "none": "No Alternative",
    "ruled_out": "Are there one or more categories you think are **definitely not** the true category of the image?\n\n"
    "Please click **ALL** categories that have zero probability of being the true category.",
}


def intro_texts(options: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, str]:
    """`intro` alone, which stands below the prompt: about other people where the question is framed so."""
    return _with_own({"intro": CROWD if options.get("frame") == "crowd" else ""}, own)


def top_two_texts(options: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, str]:
    """The texts of the top-two question, and the prompt where its wording has one.

    The form asks each of them; the compact layout has only the first to say, as its `lead`, where it is not the plain
    one.
    """
    crowd, collins = options["frame"] == "crowd", options["wording"] == "collins"
    if collins:
        texts = {"intro": "", **(COLLINS if crowd else COLLINS_OWN)}
    else:
        texts = {"intro": CROWD if crowd else "", **PLAIN}
    texts = _with_own(texts, own)
    return {**texts, "lead": texts["first"]} if collins or "first" in own else texts


def _with_own(texts: dict[str, str], own: Mapping[str, Any]) -> dict[str, str]:
    """The texts with the survey's own in their place; ValueError names one that is not known."""
    known = sorted(texts.keys() - {"prompt"})
    for name, text in own.items():
        if name not in known:
            raise ValueError(f"[question.texts] has the unknown key {name!r}; known are {', '.join(known)}")
        if not isinstance(text, str):
            raise ValueError(f"question.texts.{name} is {text!r}; expected a text")
    return texts | dict(own)
