// The page for people who wait because others hold everything that is missing; it checks again by itself.

import { make } from "./dom.js";

const EVERY = 5000; // milliseconds

export const waiting = (content) => [
  make("h1", {}, "Please wait a moment"),
  make("p", {}, "Other people are answering everything that is left. This page checks every few seconds whether something is free."),
  make("p", {}, content.answered ? "Your answers are saved. You can also finish now." : "You can also stop waiting and come back later with the same link."),
];

// Checks again while this page is shown, at random intervals so that people do not check all at once.
export function lookAgain(shown, look) {
  setTimeout(async () => {
    if (shown()?.startsWith("waiting:")) await look();
    lookAgain(shown, look);
  }, EVERY * (0.7 + 0.6 * Math.random()));
}
