// The button and the key that reopen the last answer, until the next one is sent.

import { make } from "./dom.js";

// `undo` fetches the trial again and gives the problem, if any.
export function takeBack(undo, signal) {
  const problem = make("p", { class: "problem", "aria-live": "assertive" });
  let asked = false;
  const act = async () => {
    if (asked) return;
    asked = true;
    problem.textContent = await undo();
    asked = false;
  };
  const button = make("button", { type: "button", class: "take-back", onclick: act }, make("span", {}, "Change my last answer"), make("kbd", { "aria-hidden": "true" }, "Ctrl Z"));
  // The switch for keys applies to this key too.
  const off = () => document.getElementById("page").classList.contains("without-keys");
  const tell = () => { if (off()) button.removeAttribute("aria-keyshortcuts"); else button.setAttribute("aria-keyshortcuts", "Control+Z"); };
  tell();
  document.addEventListener("change", tell, { signal });
  document.addEventListener("keydown", (event) => {
    if (off() || event.repeat || event.shiftKey || event.altKey || !(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z") return;
    if (event.target.closest?.("input[type=text], textarea")?.value) return; // in a text field it undoes typing
    event.preventDefault();
    act();
  }, { signal });
  return [problem, button];
}
