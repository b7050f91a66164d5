// Where others have everything that is missing before them: a page that looks again by itself.

import { make } from "./dom.js";

const EVERY = 5000; // milliseconds

export const waiting = (content) => [
  make("h1", {}, "Please wait a moment"),
  make("p", {}, "Everything that is left is being answered by others just now. Some of it may become free; this page looks again by itself every few seconds."),
  make("p", {}, content.answered ? "What you have answered is saved. You can also finish now." : "You can also stop waiting and come back later by the same link."),
];

// Looks again for as long as the page that is shown is this one; not all at the same moment.
export function lookAgain(shown, look) {
  setTimeout(async () => {
    if (shown()?.startsWith("waiting:")) await look();
    lookAgain(shown, look);
  }, EVERY * (0.7 + 0.6 * Math.random()));
}
