// Sounds are heard to their end before they are answered; when that was is kept in times.played.

import { make } from "./dom.js";

const TRIES = 3; // after which people are told; it is asked for again all the same, as the network may be back
const WHOLE = 0.9; // of a sound: what somebody jumps over was not heard

// A sound with a line below it that says when it cannot be played. `number` counts the sounds of a page.
export function sound(src, name, number, times) {
  const told = make("p", { class: "quiet", role: "status" });
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
      told.textContent = "This sound cannot be played here. You can go on without it.";
    },
    onloadedmetadata: () => { times.comes(number); told.textContent = ""; },
  });
  return make("div", { class: "sound" }, player, told);
}

// What has to be done before an answer counts, or nothing.
export function unheard(stimuli, times) {
  const left = [...stimuli.querySelectorAll("audio")].filter((player) => !times.hasPlayed(Number(player.dataset.sound)));
  if (!left.length) return "";
  const begun = left.some((player) => player.played.length);
  return left.length > 1 || stimuli.querySelectorAll("audio").length > 1
    ? "Please play every sound to its end before you answer."
    : begun ? "Please play the whole sound before you answer." : "Please play the sound before you answer.";
}

function heard({ played, duration }) {
  let seconds = 0;
  for (let i = 0; i < played.length; i += 1) seconds += played.end(i) - played.start(i);
  return !Number.isFinite(duration) || seconds >= WHOLE * duration;
}
