// The map of disagreement, by leading class and by how often two people differ in tenths, and the most disputed items.

import { count, percent, plural } from "./dashboard_words.js";
import { make } from "./dom.js";

const find = (id) => document.getElementById(id);
const number = (text) => make("td", { class: "number" }, text);
const fields = new Map(); // "row,column" -> the field and its items
let drawn = ""; // the rows and columns of the current table
let chosen = null; // the field that was selected last, if any
let most = []; // the most disputed items, shown until a field is selected

export function drawItems(numbers, now) {
  const map = numbers.map;
  find("disputed-section").hidden = !numbers.labels;
  find("map-place").hidden = !numbers.labels;
  find("map-text").textContent = numbers.labels ? summary(map, now) : "Answers to this question are not classes, so there is no map. Download the raw answers to compare them.";
  if (!numbers.labels) return;
  const names = [...map.classes, ...(map.others ? [""] : [])];
  if (drawn !== JSON.stringify([names, map.columns])) makeTable(names, map);
  drawn = JSON.stringify([names, map.columns]);
  most = numbers.disputed.slice(0, 6);
  fill(names, map);
  const rows = numbers.disputed.map((row) => make("tr", {}, make("th", { scope: "row" }, make("span", { class: "item" }, picture(row), make("span", {}, row.item))),
    number(count(row.answers)), number(percent(row.differ)), number(row.entropy.toFixed(2)), make("td", {}, shares(row))));
  find("disputed").tBodies[0].replaceChildren(...(rows.length ? rows : [make("tr", {}, make("td", { colspan: 5 }, "No answers yet."))]));
}

function summary(map, now) {
  if (!map.items) return "No answers yet. Each item will appear in the row of its most frequent class.";
  const open = now.units - map.items;
  return `${plural(map.items, "item")}: everyone agrees on ${count(map.agreed)} (${percent(map.agreed / map.items)}), and ${map.split ? `${count(map.split)} (${percent(map.split / map.items)}) ${map.split === 1 ? "has" : "have"} no majority class` : "each has a majority class"}.`
    + `${open > 0 ? ` ${plural(open, "item")} ${open === 1 ? "has" : "have"} no answers yet.` : ""}`;
}

const tenth = (column) => `${10 * column} to ${10 * column + 10} percent`;
const label = (name, others) => name || `${plural(others, "other class", "other classes")}`;

function makeTable(names, map) {
  const table = find("map");
  fields.clear();
  chosen = null;
  const columns = Array.from({ length: map.columns }, (_, column) => column);
  table.tHead.replaceChildren(
    make("tr", {}, make("td"), make("th", { colspan: map.columns, scope: "colgroup" }, "How often two people differ, in percent")),
    make("tr", {}, make("th", { scope: "col" }, "Class"), columns.map((column) => make("th", { scope: "col", class: "tick" }, String(10 * column), make("span", { class: "visually-hidden" }, ` to ${10 * column + 10} percent`)))));
  table.tBodies[0].replaceChildren(
    make("tr", { class: "heights" }, make("th", { scope: "row" }, "All items"), columns.map(() => make("td"))),
    ...names.map((name, row) => make("tr", {}, make("th", { scope: "row", title: label(name, map.others) }, label(name, map.others)), columns.map((column) => {
      const field = make("td");
      fields.set(`${row},${column}`, { field, row, column, cell: null });
      return field;
    }))));
}

// All fields have the same size, so that nothing moves when an item does.
function fill(names, map) {
  const [had, focused] = [chosen?.cell?.rows[0].item, chosen !== null && document.activeElement === chosen.field];
  for (const spot of fields.values()) spot.cell = null;
  const sums = Array.from({ length: map.columns }, () => 0);
  let largest = 1;
  for (const cell of map.cells) {
    fields.get(`${names.indexOf(cell.class)},${cell.column}`).cell = cell;
    sums[cell.column] += cell.items;
    largest = Math.max(largest, cell.items);
  }
  [...find("map").tBodies[0].rows[0].cells].slice(1).forEach((place, column) => {
    const bar = make("span", { class: "height", "aria-hidden": "true" });
    bar.style.blockSize = `${(2.8 * sums[column]) / Math.max(1, ...sums)}rem`;
    place.replaceChildren(bar, make("span", { class: "sum" }, sums[column] ? count(sums[column]) : ""));
  });
  for (const { field, cell } of fields.values()) {
    field.replaceChildren(...(cell ? [map.marks ? marks(cell) : make("span", { class: "sum", "aria-hidden": "true" }, count(cell.items)), make("span", { class: "visually-hidden" }, plural(cell.items, "item"))] : []));
    field.className = !cell ? "" : map.marks ? "field" : `field level-${Math.ceil(4 * Math.sqrt(cell.items / largest))}`;
    if (!cell) { field.removeAttribute("tabindex"); field.removeAttribute("aria-selected"); }
  }
  find("map-key").replaceChildren(...(map.marks
    ? [make("i", { class: "mark" }), " item with enough answers ", make("i", { class: "mark open" }), ` item with fewer than ${count(map.per_item)} answers, which may still move`]
    : ["Number of items; darker is more."]));
  const filled = [...fields.values()].filter((spot) => spot.cell);
  // If the chosen field has become empty, follow its item.
  const holds = (item) => filled.find((spot) => spot.cell.rows.some((row) => row.item === item)) || null;
  choose(chosen?.cell ? chosen : holds(had), filled.length ? holds(most[0].item) : null);
  if (focused && chosen) chosen.field.focus();
}

const marks = (cell) => make("span", { class: "marks", "aria-hidden": "true" }, Array.from({ length: cell.items }, (_, i) => make("i", { class: i < cell.enough ? "mark" : "mark open" })));

// Tab reaches one field, the arrow keys reach the others.
function choose(spot, first = spot) {
  chosen = spot;
  for (const { field, cell } of fields.values()) {
    if (!cell) continue;
    field.tabIndex = field === (spot || first).field ? 0 : -1;
    field.setAttribute("aria-selected", String(field === spot?.field));
  }
  show(spot);
}

function show(spot) {
  const rows = spot ? spot.cell.rows : most;
  const more = spot ? spot.cell.items - rows.length : 0;
  const title = !spot ? "Most disputed items" : spot.cell.class ? `Mostly ${spot.cell.class}` : "Mostly other classes";
  const text = spot ? `${plural(spot.cell.items, "item")}: two people differ in ${tenth(spot.column)} of cases` : "Select a field of the map with the pointer, or with Tab and the arrow keys, to see its items.";
  find("card").replaceChildren(make("h3", {}, title), make("p", { class: "quiet" }, text),
    make("ul", {}, rows.map((row) => make("li", {}, picture(row), make("div", {}, make("strong", {}, row.item), make("span", { class: "quiet" }, ` ${plural(row.answers, "answer")}, ${percent(row.differ)}`), shares(row))))),
    more ? make("p", { class: "quiet" }, `and ${count(more)} more`) : "");
}

const at = (event) => [...fields.values()].find((spot) => spot.cell && spot.field === event.target.closest("td"));
find("map").addEventListener("pointerover", (event) => { const spot = at(event); if (spot) show(spot); });
find("map").addEventListener("pointerleave", () => show(chosen));
find("map").addEventListener("click", (event) => { const spot = at(event); if (spot) { choose(spot); spot.field.focus(); } });
find("map").addEventListener("focusin", (event) => { const spot = at(event); if (spot) choose(spot); });
find("map").addEventListener("keydown", (event) => {
  const from = at(event);
  const filled = [...fields.values()].filter((spot) => spot.cell);
  if (!from) return;
  const steps = { ArrowLeft: (spot) => spot.row === from.row && from.column - spot.column, ArrowRight: (spot) => spot.row === from.row && spot.column - from.column,
    ArrowUp: (spot) => from.row - spot.row, ArrowDown: (spot) => spot.row - from.row };
  const away = (spot) => Math.abs(spot.column - from.column) + 100 * Math.abs(spot.row - from.row);
  const to = event.key === "Home" ? filled[0] : event.key === "End" ? filled.at(-1)
    : steps[event.key] && filled.filter((spot) => steps[event.key](spot) > 0).reduce((best, spot) => (!best || away(spot) < away(best) ? spot : best), null);
  if (to) to.field.focus();
  if (to || steps[event.key]) event.preventDefault();
});

const picture = (row) => (row.picture ? make("img", { src: row.picture, alt: "", loading: "lazy" }) : null);

// The largest classes as a bar and as text; the remainder are other classes.
function shares(row) {
  const remainder = 1 - row.shares.reduce((sum, [, share]) => sum + share, 0);
  const parts = row.shares.map(([name, share], i) => ({ name, share, shade: `shade-${i}` }));
  if (remainder > 0.005) parts.push({ name: "others", share: remainder, shade: "shade-rest" });
  return [make("span", { class: "bar-of", "aria-hidden": "true" }, parts.map(({ share, shade }) => {
    const part = make("span", { class: shade });
    part.style.inlineSize = `${100 * share}%`;
    return part;
  })), make("span", { class: "bar-text" }, parts.map(({ name, share, shade }) => make("span", {}, make("i", { class: shade, "aria-hidden": "true" }), make("b", {}, name), ` ${percent(share)}`)))];
}
