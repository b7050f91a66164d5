"""The texts of a question beyond its prompt: short labels, whole questions, or texts of survey.toml."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dissensus.labels.refusals import one_of

WORDINGS = ("plain", "collins")
CROWD = "Answer for 100 other people: what would they say? Your own opinion does not matter here."

PLAIN = {
    "first": "Which class is most probable?",
    "first_percent": "How probable is it, in percent (0 to 100)?",
    "second": "Which class is second most probable, if any?",
    "second_percent": "If you chose one, how probable is it, in percent (0 to 100)?",
    "none": "No second class",
    "ruled_out": "Which classes is it definitely not? Tick all of them.",
}

# The questions of Collins et al. (2022, figure 7), in their order and about the same crowd, reworded.
COLLINS = {
    "prompt": "Picture a room of **100 other people** who are shown this. What would they say that it is?",
    "first": "Which class would the room call **most probable**?",
    "first_percent": "How probable would they find it, in **percent** from 0 to 100?",
    "second": "Which class would come **second**, if any?",
    "second_percent": "And how probable would they find the second, in **percent**?",
    "none": "Nothing would come second",
    "ruled_out": "Which classes would the room strike out, because it is **definitely not** one of them? Mark each.",
}

# The same questions about the person's own view.
COLLINS_OWN = {
    "prompt": "What would you say that this is?",
    "first": "Which class is **most probable** to you?",
    "first_percent": "How probable do you find it, in **percent** from 0 to 100?",
    "second": "Which class comes **second**, if any?",
    "second_percent": "And how probable do you find the second, in **percent**?",
    "none": "Nothing comes second",
    "ruled_out": "Which classes do you strike out, because it is **definitely not** one of them? Mark each.",
}


def intro_texts(options: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, str]:
    """Return the intro below the prompt, which asks about other people if the frame is "crowd"."""
    return _with_own({"intro": CROWD if options.get("frame") == "crowd" else ""}, own)


def top_two_texts(options: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, str]:
    """Return the texts of the top-two question, with the prompt if the wording has one.

    The layout "form" shows all of them. The other layouts have short labels instead of the plain texts, so they get
    only the texts that are not plain.
    """
    crowd, collins = options["frame"] == "crowd", options["wording"] == "collins"
    if collins:
        texts = {"intro": "", **(COLLINS if crowd else COLLINS_OWN)}
    else:
        texts = {"intro": CROWD if crowd else "", **PLAIN}
    texts = _with_own(texts, own)
    if collins or options["layout"] == "form":
        return texts
    return {name: text for name, text in texts.items() if name == "intro" or name in own}


def _with_own(texts: dict[str, str], own: Mapping[str, Any]) -> dict[str, str]:
    """Replace texts by those of survey.toml."""
    known = sorted(texts.keys() - {"prompt"})
    for name, text in own.items():
        one_of("key", name, known, place="[question.texts]")
        if not isinstance(text, str):
            raise ValueError(f"question.texts.{name} is {text!r}; expected a text")
    return texts | dict(own)
