// Which of two is closer to a third: a click on it, its button, or an arrow key.

import { answeredBefore, keyCap, make } from "../dom.js";

export function ask({ submit, change, stimuli, before }) {
  const answer = (closer) => { change("closer", closer); submit({ closer }); };
  const [reference, ...two] = stimuli.children;
  const sides = [["first", "The left one", "←"], ["second", "The right one", "→"]].map(([closer, text, key], i) => {
    two[i].addEventListener("click", () => answer(closer));
    const button = make("button", { type: "button", "aria-keyshortcuts": i ? "ArrowRight" : "ArrowLeft", onclick: () => answer(closer) }, make("span", {}, text), keyCap(key));
    if (before?.closer === closer) answeredBefore(button);
    return make("div", { class: "candidate" }, two[i], button);
  });
  stimuli.replaceChildren(reference, ...sides);
  const keys = (event) => {
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return false;
    answer(event.key === "ArrowLeft" ? "first" : "second");
    return true;
  };
  return { elements: [stimuli], placed: true, keys, hint: "the arrows left and right; a click on a picture chooses it, too" };
}
