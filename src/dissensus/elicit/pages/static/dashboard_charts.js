// Charts: answers over time with a forecast, and the funnel of people by step.

import { count, moment, percent, plural } from "./dashboard_words.js";
import { make } from "./dom.js";

const SPANS = { 10: "10 seconds", 60: "minute", 300: "5 minutes", 900: "15 minutes", 3600: "hour", 10800: "3 hours", 21600: "6 hours", 86400: "day", 604800: "week" };
const MOST = 48; // bars of the forecast; a later end is not drawn
const HEIGHT = 100;

function shape(tag, attributes) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

export function drawTime(figure, time, now) {
  const expected = now.state === "open" && now.seconds_left !== null ? (now.answers_per_minute / 60) * time.span : 0;
  const end = expected ? time.now + now.seconds_left : null;
  const future = end === null ? 0 : Math.min(MOST, Math.ceil((end - time.now) / time.span));
  const bars = Math.max(time.counts.length + future, 12);
  const top = Math.max(1, expected, ...time.counts);
  const bar = (i, value, kind) => shape("rect", { x: i + 0.1, width: 0.8, y: HEIGHT * (1 - value / top), height: (HEIGHT * value) / top, class: kind });
  const drawing = shape("svg", { viewBox: `0 0 ${bars} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" });
  drawing.append(...time.counts.map((value, i) => bar(i, value, "past")), ...Array.from({ length: future }, (_, i) => bar(time.counts.length + i, expected, "future")));
  const begun = time.start !== null;
  const shown = end === null || future === MOST ? null : end;
  const axis = make("div", { class: "axis quiet", "aria-hidden": "true" }, make("span", {}, begun ? moment(time.start) : ""), make("span", {}, !begun ? "" : shown ? `end, ${moment(shown)}` : future ? "continues" : "now"));
  axis.style.inlineSize = `${(100 * (time.counts.length + future)) / bars}%`;
  figure.replaceChildren(
    make("div", { class: "scale-top quiet" }, begun ? `${count(Math.round(top))} in a ${SPANS[time.span]}`.replace(/in a (\d)/, "in $1") : ""), drawing,
    axis,
    make("figcaption", {}, sentence(time, now, end)));
}

function sentence(time, now, end) {
  if (time.start === null) return "No answers yet.";
  const total = `${plural(time.counts.reduce((sum, answers) => sum + answers, 0), "answer")} since ${moment(time.start)}.`;
  if (now.share >= 1) return `${total} The survey is complete.`;
  if (now.state !== "open") return `${total} The survey is paused.`;
  if (end === null) return `${total} None in the last ten minutes, so there is no forecast.`;
  return `${total} At the rate of the last ten minutes (pale), it ends at about ${moment(end)}.`;
}

const ENDED = { declined: "declined", failed: "failed the check", full: "got no item" };

export function drawFunnel(list, steps) {
  const all = Math.max(1, steps[0].people);
  list.replaceChildren(...steps.map((step, i) => {
    const bar = make("span", { class: "filled" });
    bar.style.inlineSize = `${(100 * step.people) / all}%`;
    const lost = Object.entries(step.ended).map(([how, people]) => `${count(people)} ${ENDED[how]}`);
    if (step.here) lost.push(`${count(step.here)} ${step.step === "answered" ? "answering" : "here"} now`);
    if (step.left) lost.push(`${count(step.left)} left`);
    return make("li", {}, make("span", { class: "step" }, step.step[0].toUpperCase() + step.step.slice(1)), make("span", { class: "track", "aria-hidden": "true" }, bar),
      make("span", { class: "many" }, make("strong", {}, count(step.people)), i ? ` ${percent(step.people / all)}` : ""), make("span", { class: "lost quiet" }, lost.join(", ")));
  }));
}
