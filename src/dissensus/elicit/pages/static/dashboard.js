// The dashboard: fetches the data every few seconds and sends the researcher's decisions.

import { drawFunnel, drawTime } from "./dashboard_charts.js";
import { drawItems } from "./dashboard_items.js";
import { people } from "./dashboard_people.js";
import { count, duration, percent } from "./dashboard_words.js";
import { make } from "./dom.js";

const EVERY = 5000;
const token = document.querySelector("meta[name=form-token]").content;
const find = (id) => document.getElementById(id);
const status = find("status");
const STATES = {
  open: ["Open", "The survey accepts answers."],
  stopped: ["Paused", "The survey shows no items until you resume it. People see that it is paused."],
  complete: ["Complete", "Every item has enough answers. New visitors see that nothing is left to answer."],
};
let version = "";
let state = "";
let asked = 0; // number of the last request; replies to earlier ones are dropped

async function ask(path, options) {
  try {
    const response = await fetch(`${path}?${new URLSearchParams({ version, ...table.asked() })}`, options);
    if (response.status === 401) { location.reload(); return null; }
    const reply = await response.json();
    status.textContent = response.ok ? "" : reply.error;
    return response.ok ? reply : null;
  } catch {
    status.textContent = "Cannot reach the server. Trying again.";
    return null;
  }
}

async function change(what, body) {
  const mine = ++asked; // replies to requests before the decision are out of date
  draw(await ask(`dashboard/change/${what}`, { method: "POST", headers: { "content-type": "application/json", "x-form-token": token }, body: JSON.stringify(body) }), body.person);
  if (mine !== asked) refresh(); // requests during the decision may be out of date too
}

async function refresh() {
  const mine = ++asked;
  const numbers = await ask("dashboard/data");
  if (mine === asked) draw(numbers);
}

const table = people(change, refresh);

function draw(numbers, decided) {
  if (!numbers) return;
  const now = numbers.status;
  drawStatus(now);
  drawTime(find("time"), numbers.time, now);
  drawFunnel(find("funnel"), numbers.funnel);
  if (numbers.map) drawItems(numbers, now);
  version = numbers.version;
  table.draw(numbers.people, decided);
  document.querySelector("main").removeAttribute("aria-busy");
}

function drawStatus(now) {
  state = now.state;
  const shown = now.state !== "open" ? "stopped" : now.share >= 1 && now.wanted ? "complete" : "open";
  find("banner").dataset.state = shown;
  [find("state").textContent, find("state-text").textContent] = STATES[shown];
  find("toggle").textContent = state === "open" ? "Pause" : "Resume";
  find("share").value = now.share;
  find("share-text").replaceChildren(make("strong", {}, percent(now.share)), ` ${count(now.answers)} of ${count(now.wanted)} answers${now.surplus ? `, ${count(now.surplus)} surplus` : ""}`);
  const digits = now.cost < 1000 ? 2 : 0;
  const facts = [
    ["People", count(now.people)], ["Active now", count(now.active)], ["Finished", count(now.stages.done || 0)], ["Excluded", count(now.excluded)],
    ["Median time", duration(now.median_seconds)], ["Rate", now.answers_per_minute.toFixed(1), "/ min"], ["Time left", now.share >= 1 ? "none" : duration(now.seconds_left)],
    ["Paid so far", now.cost ? now.cost.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits }) : "–", now.cost ? now.currency : ""],
  ];
  find("facts").replaceChildren(...facts.map(([name, value, unit]) => make("div", {}, make("dt", {}, name), make("dd", {}, value, unit ? make("small", {}, ` ${unit}`) : null))));
  const override = now.overridden.find(({ setting }) => setting === "per_item");
  find("overridden").textContent = override ? `overrides ${count(override.file)} of survey.toml` : "";
  if (document.activeElement !== find("per-item")) find("per-item").value = now.per_item;
}

find("toggle").addEventListener("click", () => change(state === "open" ? "stop" : "open", {}));
find("extend").addEventListener("submit", (event) => {
  event.preventDefault();
  change("extend", { per_item: Number(find("per-item").value) });
});

refresh();
setInterval(() => { if (document.visibilityState === "visible") refresh(); }, EVERY);
document.addEventListener("visibilitychange", () => { if (document.visibilityState === "visible") refresh(); });
