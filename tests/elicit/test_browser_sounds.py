"""Sounds in a real browser: heard to their end before they are answered, and told where they cannot be played."""

from __future__ import annotations

import wave

from tests.elicit.browser import kept, served
from tests.elicit.surveys import write_survey


def sounds_of(folder, seconds=0.2, damaged=False):
    """A survey of sounds, which are silent."""
    folder.mkdir()
    for i in range(3):
        with wave.open(str(folder / f"s{i}.wav"), "wb") as sound:
            sound.setparams((1, 2, 8000, 0, "NONE", ""))
            sound.writeframes(bytes(int(16000 * seconds)))
        if damaged:
            (folder / f"s{i}.wav").write_bytes(b"no sound")
    (folder / "items.csv").write_text("item,audio\n" + "".join(f"s{i},s{i}.wav\n" for i in range(3)))
    question = {"kind": "choose", "classes": ("yes", "no"), "layout": "list"}
    return write_survey(folder, items="items.csv", question=question, protocol={"per_person": 2})


def problem(me):
    return me.page.locator("#answer .problem").inner_text()


def test_a_sound_is_heard_before_it_is_answered(tmp_path, person):
    with served(folder := sounds_of(tmp_path / "survey", seconds=2)) as address:
        me = person()
        page = me.start(address)
        page.wait_for_function("() => document.querySelector('audio').duration > 0")
        me.keys("y")
        assert "play the sound" in problem(me) and kept(folder) == []
        # Whoever jumps to the end has not heard it.
        page.locator("audio").focus()
        me.keys("Space")
        page.locator("audio").evaluate("(player) => { player.currentTime = 1.9; }")
        page.wait_for_function("() => document.querySelector('audio').ended")
        page.get_by_role("button", name="yes").click()
        assert "whole sound" in problem(me) and kept(folder) == []
        me.play_sounds()
        page.reload()  # what was heard stays heard
        me.ready()
        me.moves_on(lambda: me.keys("y"))
    (row,) = kept(folder)
    ((number, since, until),) = row["times"]["played"]
    assert number == 0 and 0 < since < until <= row["times"]["submitted"]


def test_an_unplayable_sound_is_reported_and_people_can_continue(tmp_path, person):
    with served(folder := sounds_of(tmp_path / "survey", damaged=True)) as address:
        me = person()
        page = me.start(address)
        me.keys("y")
        assert "play the sound" in problem(me)
        page.get_by_text("cannot be played").wait_for()
        me.moves_on(lambda: me.keys("y"))
    (row,) = kept(folder)
    ((number, at, until),) = row["times"]["played"]
    assert number == 0 and at > 0 and until is None
