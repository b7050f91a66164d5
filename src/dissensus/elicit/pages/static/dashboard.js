// The dashboard: asks for the numbers every few seconds and sends the researcher's decisions.

import { make } from "./dom.js";

const token = document.querySelector("meta[name=form-token]").content;
const status = document.getElementById("status");
const percent = (share) => `${(100 * share).toFixed(share > 0.995 && share < 1 ? 2 : 0)} %`;
const duration = (seconds) => (seconds === null ? "–" : seconds < 90 ? `${seconds.toFixed(1)} s` : seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`);

async function ask(path, options) {
  try {
    const response = await fetch(path, options);
    if (response.status === 401) { location.reload(); return null; }
    const told = await response.json();
    status.textContent = response.ok ? "" : told.error;
    return response.ok ? told : null;
  } catch {
    status.textContent = "The server cannot be reached; trying again.";
    return null;
  }
}

const change = async (what, body) => draw(await ask(`dashboard/change/${what}`, { method: "POST", headers: { "content-type": "application/json", "x-form-token": token }, body: JSON.stringify(body) }), body.person);

// Draws everything anew, but not under somebody's fingers: the table stays while it has the focus, unless a decision changed it.
function draw(told, decided) {
  if (!told) return;
  const { status: now, disputed, annotators } = told;
  document.getElementById("share").value = now.share;
  document.getElementById("share-text").textContent = `${now.answers.toLocaleString("en")} of ${now.wanted.toLocaleString("en")} answers (${percent(now.share)})`;
  const facts = [
    ["State", now.state], ["People", now.people.toLocaleString("en")], ["Active now", String(now.active)], ["Finished", String(now.stages.done || 0)], ["Excluded", String(now.excluded)],
    ["Median time", duration(now.median_seconds)], ["Answers a minute", now.answers_per_minute.toFixed(1)], ["Time left", duration(now.seconds_left)],
    ["Paid so far", now.cost ? `${now.cost.toFixed(2)} ${now.currency}` : "–"],
  ];
  document.getElementById("facts").replaceChildren(...facts.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value))));
  const toggle = document.getElementById("toggle");
  toggle.textContent = now.state === "open" ? "Stop taking answers" : "Take answers again";
  toggle.onclick = () => change(now.state === "open" ? "stop" : "open", {});
  const field = document.getElementById("per-item");
  if (document.activeElement !== field) field.value = now.per_item;
  document.querySelector("#disputed tbody").replaceChildren(...(disputed.length ? disputed.map(item) : [empty(4, "Nothing to show yet.")]));
  document.querySelector("main").removeAttribute("aria-busy");
  if (decided || !document.querySelector("#people tbody :focus")) {
    document.querySelector("#people tbody").replaceChildren(...(annotators.length ? annotators.map(person) : [empty(9, "Nobody has come yet.")]));
    if (decided) document.getElementById(`decide-${decided}`)?.focus();
  }
}

const empty = (columns, text) => make("tr", {}, make("td", { colspan: columns }, text));
const number = (text) => make("td", { class: "number" }, text);

function item(row) {
  const told = row.shares.map(([name, share]) => `${name} ${percent(share)}`).join(", ");
  const parts = row.shares.map(([, share], i) => {
    const part = make("span");
    part.style.width = `${100 * share}%`;
    part.className = `shade-${Math.min(i, 3)}`;
    return part;
  });
  return make("tr", {}, make("th", { scope: "row" }, make("span", { class: "item" }, row.picture ? make("img", { src: row.picture, alt: "", loading: "lazy" }) : null, make("span", {}, row.item))), number(String(row.answers)), number(row.entropy.toFixed(2)),
    make("td", {}, make("div", { class: "bar-of", "aria-hidden": "true" }, parts), make("span", { class: "bar-text" }, told)));
}

function person(row) {
  const decide = row.excluded
    ? make("button", { type: "button", id: `decide-${row.id}`, "aria-label": `Include again ${row.annotator.slice(0, 8)}`, onclick: () => change("include", { person: row.id }) }, "Include again")
    : make("button", { type: "button", id: `decide-${row.id}`, "aria-label": `Exclude ${row.annotator.slice(0, 8)}`, onclick: () => confirmExclusion(row) }, "Exclude");
  return make("tr", { class: row.excluded ? "excluded" : "" },
    make("th", { scope: "row" }, make("span", { class: "name", title: row.annotator }, row.annotator.slice(0, 8))), make("td", {}, row.stage), number(String(row.answers)),
    number(duration(row.median_seconds)), number(row.agreement === null || row.agreement === undefined ? "–" : percent(row.agreement)),
    number(row.checks ? `${row.checks_right} of ${row.checks}` : "–"), number(row.repeats ? `${row.repeats_same} of ${row.repeats}` : "–"),
    make("td", {}, row.flags.map((flag) => make("span", { class: "flag" }, flag)), row.excluded ? make("span", { class: "quiet" }, row.why) : null), make("td", {}, decide));
}

function confirmExclusion(row) {
  const dialog = document.getElementById("why");
  const reason = document.getElementById("reason");
  reason.value = row.flags.join("; ");
  dialog.returnValue = "no";
  dialog.onclose = () => { if (dialog.returnValue === "yes" && reason.value.trim()) change("exclude", { person: row.id, why: reason.value }); };
  dialog.showModal();
}

document.getElementById("extend").addEventListener("submit", (event) => {
  event.preventDefault();
  change("extend", { per_item: Number(document.getElementById("per-item").value) });
});

const refresh = async () => draw(await ask("dashboard/data"));
refresh();
setInterval(refresh, 5000);
