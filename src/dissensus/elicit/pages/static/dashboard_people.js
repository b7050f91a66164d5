// The table of annotators, sorted, filtered and paged by the server, with the decisions about each.

import { count, duration, percent } from "./dashboard_words.js";
import { make } from "./dom.js";

const STAGES = { trials: "answering", done: "finished", full: "nothing left", failed: "failed check" };
const PAGE = 25;
const find = (id) => document.getElementById(id);
const number = (text) => make("td", { class: "number" }, text);

export function people(change, refresh) {
  const table = find("people");
  const body = table.tBodies[0];
  const asked = { show: "all", find: "", sort: "", down: "", page: 1 };
  let drawn = "";
  let pages = 1;

  const ask = (changed) => {
    Object.assign(asked, { page: 1 }, changed);
    refresh();
  };
  for (const button of table.tHead.querySelectorAll("button")) {
    button.addEventListener("click", () => {
      const sort = button.dataset.sort;
      const words = sort === "annotator" || sort === "stage"; // numbers start with the largest
      ask({ sort, down: asked.sort === sort ? (asked.down ? "" : "1") : words ? "" : "1" });
    });
  }
  find("filter").addEventListener("submit", (event) => event.preventDefault());
  find("show").addEventListener("change", (event) => ask({ show: event.target.value }));
  let typing = null;
  find("find").addEventListener("input", (event) => { clearTimeout(typing); typing = setTimeout(() => ask({ find: event.target.value }), 200); });
  for (const [id, by] of [["earlier", -1], ["later", 1]]) {
    find(id).addEventListener("click", () => { if (asked.page + by >= 1 && asked.page + by <= pages) ask({ page: asked.page + by }); });
  }

  function draw(part, decided) {
    pages = part.pages;
    asked.page = part.page;
    const first = PAGE * (part.page - 1);
    find("matches").textContent = part.matches ? `${count(first + 1)}–${count(first + part.rows.length)} of ${count(part.matches)}` : "0 of 0";
    find("earlier").setAttribute("aria-disabled", String(part.page <= 1));
    find("later").setAttribute("aria-disabled", String(part.page >= pages));
    for (const head of table.tHead.querySelectorAll("[aria-sort]")) {
      head.setAttribute("aria-sort", head.firstChild.dataset.sort !== asked.sort ? "none" : asked.down ? "descending" : "ascending");
    }
    // While the pointer or the focus is in the table, rows are updated in place.
    const same = drawn === JSON.stringify(asked);
    drawn = JSON.stringify(asked);
    if (same && (body.matches(":hover") || body.contains(document.activeElement))) {
      for (const row of part.rows) {
        const old = find(`person-${row.id}`);
        if (!old || old.dataset.row === JSON.stringify(row)) continue;
        const focused = old.contains(document.activeElement);
        old.replaceWith(line(row));
        if (focused) find(`decide-${row.id}`).focus({ preventScroll: true });
      }
      if (decided) find(`decide-${decided}`)?.focus();
      return;
    }
    const none = part.of ? "No matching annotators." : "No annotators yet.";
    body.replaceChildren(...(part.rows.length ? part.rows.map(line) : [make("tr", {}, make("td", { colspan: 9 }, none))]));
    if (decided) find(`decide-${decided}`)?.focus();
  }

  function line(row) {
    const name = row.annotator.slice(0, 8);
    const decide = row.excluded
      ? make("button", { type: "button", id: `decide-${row.id}`, "aria-label": `Include ${name}`, onclick: () => change("include", { person: row.id }) }, "Include")
      : make("button", { type: "button", id: `decide-${row.id}`, "aria-label": `Exclude ${name}`, onclick: () => confirm(row) }, "Exclude");
    return make("tr", { id: `person-${row.id}`, class: row.excluded ? "excluded" : "", "data-row": JSON.stringify(row) },
      make("th", { scope: "row" }, make("span", { class: "name", title: row.annotator }, name)), make("td", {}, STAGES[row.stage] || row.stage), number(count(row.answers)),
      number(duration(row.median_seconds)), number(row.agreement === null ? "–" : percent(row.agreement)),
      number(row.checks ? `${row.checks_right} of ${row.checks}` : "–"), number(row.repeats ? `${row.repeats_same} of ${row.repeats}` : "–"),
      make("td", {}, row.flags.map((flag) => make("span", { class: "flag" }, flag)), row.excluded ? make("span", { class: "reason" }, `Excluded: ${row.why}`) : null), make("td", {}, decide));
  }

  function confirm(row) {
    const dialog = find("why");
    const reason = find("reason");
    reason.value = row.flags.join("; ");
    dialog.returnValue = "no";
    dialog.onclose = () => {
      find(`decide-${row.id}`)?.focus({ preventScroll: true }); // the row may have been redrawn behind the dialog
      if (dialog.returnValue === "yes" && reason.value.trim()) change("exclude", { person: row.id, why: reason.value });
    };
    dialog.showModal();
  }

  return { draw, asked: () => asked };
}
