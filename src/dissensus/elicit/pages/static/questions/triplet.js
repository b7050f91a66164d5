// The question "triplet": which of two items is closer to a third, by a click, a button or an arrow key.

import { markEarlier, keyCap, make } from "../dom.js";

export function ask({ submit, change, stimuli, before }) {
  const answer = (closer) => { change("closer", closer); submit({ closer }); };
  const [reference, ...two] = stimuli.children;
  const sides = [["first", "The left one", "←"], ["second", "The right one", "→"]].map(([closer, text, key], i) => {
    two[i].addEventListener("click", () => answer(closer));
    const button = make("button", { type: "button", "aria-keyshortcuts": i ? "ArrowRight" : "ArrowLeft", onclick: () => answer(closer) }, make("span", {}, text), keyCap(key));
    if (before?.closer === closer) markEarlier(button);
    return make("div", { class: "candidate" }, two[i], button);
  });
  stimuli.replaceChildren(reference, ...sides);
  const keys = (event) => {
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return false;
    answer(event.key === "ArrowLeft" ? "first" : "second");
    return true;
  };
  return { elements: [stimuli], placed: true, keys, hint: "the left and right arrow; a click on a picture chooses it too" };
}
