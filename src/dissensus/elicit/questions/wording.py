"""The words of a question beyond its prompt: short ones, whole questions, or a survey's own in their place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

WORDINGS = ("plain", "collins")
CROWD = "Answer for 100 other people: say what you expect of them, whatever you think yourself."

PLAIN = {
    "first": "Which class is most probable?",
    "first_percent": "How probable is it, in percent (0 to 100)?",
    "second": "Which class is second most probable, if any?",
    "second_percent": "If you chose one, how probable is it, in percent (0 to 100)?",
    "none": "No second class",
    "ruled_out": "Which classes is it definitely not? Tick all of them.",
}

# What Collins et al. (2022, figure 7) asked, in their order and about the same crowd, in words of our own.
COLLINS = {
    "prompt": "Picture a room of **100 other people** who are shown this. What would they say that it is?",
    "first": "Which class would the room call **most probable**?",
    "first_percent": "How probable would they find it, in **percent** from 0 to 100?",
    "second": "Which class would come **second**, if any?",
    "second_percent": "And how probable would they find the second, in **percent**?",
    "none": "Nothing would come second",
    "ruled_out": "Which classes would the room strike out, because it is **definitely not** one of them? Mark each.",
}

# The same five about what the person thinks.
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
    """`intro` alone, which stands below the prompt: about other people where the question is framed so."""
    return _with_own({"intro": CROWD if options.get("frame") == "crowd" else ""}, own)


def top_two_texts(options: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, str]:
    """The texts of the top-two question, and the prompt where its wording has one.

    The form asks each of them. The other layouts say the plain ones by short words of their own beside each field, so
    they are given those that are not plain, and show each where it is answered.
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
    """The texts with the survey's own in their place; ValueError names one that is not known."""
    known = sorted(texts.keys() - {"prompt"})
    for name, text in own.items():
        if name not in known:
            raise ValueError(f"[question.texts] has the unknown key {name!r}; known are {', '.join(known)}")
        if not isinstance(text, str):
            raise ValueError(f"question.texts.{name} is {text!r}; expected a text")
    return texts | dict(own)
