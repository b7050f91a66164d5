// The last answer can be taken back until the next one is sent: a button below the page, and a key.

import { make } from "./dom.js";

// `undo` asks the survey for the trial again and gives the problem with that, if there is one.
export function takeBack(undo, signal) {
  const problem = make("p", { class: "problem", "aria-live": "assertive" });
  let asked = false;
  const act = async () => {
    if (asked) return;
    asked = true;
    problem.textContent = await undo();
    asked = false;
  };
  const button = make("button", { type: "button", class: "take-back", onclick: act }, make("span", {}, "Take back my last answer"), make("kbd", { "aria-hidden": "true" }, "Ctrl Z"));
  // Whoever has switched keys off has switched off this one, too.
  const off = () => document.getElementById("page").classList.contains("without-keys");
  const tell = () => { if (off()) button.removeAttribute("aria-keyshortcuts"); else button.setAttribute("aria-keyshortcuts", "Control+Z"); };
  tell();
  document.addEventListener("change", tell, { signal });
  document.addEventListener("keydown", (event) => {
    if (off() || event.repeat || event.shiftKey || event.altKey || !(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z") return;
    if (event.target.closest?.("input[type=text], textarea")?.value) return; // there it takes back what was typed
    event.preventDefault();
    act();
  }, { signal });
  return [problem, button];
}
