// The dashboard: asks for the numbers every few seconds and sends the researcher's decisions.

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
  open: ["Open", "Answers are being taken."],
  stopped: ["Paused", "Nobody is given items until you take answers again. Anybody who comes sees that the survey is paused."],
  complete: ["Complete", "Every item has the answers it needs. Anybody who comes now is thanked and can leave."],
};
let version = "";
let state = "";
let asked = 0; // of two replies that cross, the page keeps the one that was asked for last

async function ask(path, options) {
  try {
    const response = await fetch(`${path}?${new URLSearchParams({ version, ...table.asked() })}`, options);
    if (response.status === 401) { location.reload(); return null; }
    const reply = await response.json();
    status.textContent = response.ok ? "" : reply.error;
    return response.ok ? reply : null;
  } catch {
    status.textContent = "The server cannot be reached; trying again.";
    return null;
  }
}

async function change(what, body) {
  const mine = ++asked; // what was asked for before the decision is out of date
  draw(await ask(`dashboard/change/${what}`, { method: "POST", headers: { "content-type": "application/json", "x-form-token": token }, body: JSON.stringify(body) }), body.person);
  if (mine !== asked) refresh(); // and so may be what was asked for while it was made
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
  find("toggle").textContent = state === "open" ? "Stop taking answers" : "Take answers again";
  find("share").value = now.share;
  find("share-text").replaceChildren(make("strong", {}, percent(now.share)), ` ${count(now.answers)} of ${count(now.wanted)} answers${now.surplus ? `, ${count(now.surplus)} more than some items need` : ""}`);
  const digits = now.cost < 1000 ? 2 : 0;
  const facts = [
    ["People", count(now.people)], ["Active now", count(now.active)], ["Finished", count(now.stages.done || 0)], ["Excluded", count(now.excluded)],
    ["Median time", duration(now.median_seconds)], ["Pace", now.answers_per_minute.toFixed(1), "/ min"], ["Time left", now.share >= 1 ? "none" : duration(now.seconds_left)],
    ["Paid so far", now.cost ? now.cost.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits }) : "–", now.cost ? now.currency : ""],
  ];
  find("facts").replaceChildren(...facts.map(([name, value, unit]) => make("div", {}, make("dt", {}, name), make("dd", {}, value, unit ? make("small", {}, ` ${unit}`) : null))));
  const other = now.overridden.find(({ setting }) => setting === "per_item");
  find("overridden").textContent = other ? `survey.toml says ${count(other.file)}; what is set here holds.` : "";
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
