// Sounds must be played to their end before an answer; times.played records when.

import { make } from "./dom.js";

const TRIES = 3; // attempts before a message appears; loading continues, since the network may come back
const WHOLE = 0.9; // share of a sound that must be played; skipped parts do not count

// A sound, with a message below it if it cannot be played. `number` counts the sounds of a page.
export function sound(src, name, number, times) {
  const message = make("p", { class: "quiet", role: "status" });
  let began = null;
  let tries = 0;
  const player = make("audio", {
    src, controls: true, preload: "auto", "aria-label": name, "data-sound": number,
    onplay: () => { began ??= times.now(); },
    onended: () => { if (heard(player)) times.play(number, began ?? times.now(), times.now()); },
    onerror: () => {
      tries += 1;
      setTimeout(() => { player.src = `${src}?again=${tries}`; }, Math.min(30000, 750 * 2 ** tries));
      if (tries < TRIES) return;
      times.play(number, times.now(), null);
      message.textContent = "This sound cannot be played. You can continue without it.";
    },
    onloadedmetadata: () => { times.comes(number); message.textContent = ""; },
  });
  return make("div", { class: "sound" }, player, message);
}

// The message for sounds that are not played yet, or "".
export function unheard(stimuli, times) {
  const left = [...stimuli.querySelectorAll("audio")].filter((player) => !times.hasPlayed(Number(player.dataset.sound)));
  if (!left.length) return "";
  const begun = left.some((player) => player.played.length);
  return left.length > 1 || stimuli.querySelectorAll("audio").length > 1
    ? "Please play every sound to its end first."
    : begun ? "Please play the whole sound first." : "Please play the sound first.";
}

function heard({ played, duration }) {
  let seconds = 0;
  for (let i = 0; i < played.length; i += 1) seconds += played.end(i) - played.start(i);
  return !Number.isFinite(duration) || seconds >= WHOLE * duration;
}
