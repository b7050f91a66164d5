// The top-two question as a form with radio buttons, text boxes and checkboxes, as in Collins (2022, figure 7).

import { bold, make, prose, unique } from "./dom.js";

export function topTwoForm({ question, change, before }) {
  const { classes, options, texts } = question;
  const name = unique("top");
  const { none } = texts;
  // In an answer, null means no second class; in a draft, missing fields are not chosen yet.
  const chosen = (role, choice) => before !== null && before[role] !== undefined && (before[role] ?? none) === choice;
  const radios = (role, choices) => choices.map((choice) => make("label", {},
    make("input", { type: "radio", name: `${name}-${role}`, value: choice, checked: chosen(role, choice), onchange: () => change(role, choice) }), make("span", {}, choice)));
  const percent = (role, text) => {
    const id = unique(role);
    return make("p", {}, make("label", { for: id }, bold(text)), " ",
      make("input", { type: "text", inputmode: "decimal", id, name: `${name}-${role}`, maxlength: 5, value: before?.[role], oninput: (event) => change(role, event.target.value) }), " %");
  };
  const [out, ...more] = texts.ruled_out.split(/\n\s*\n/);
  const form = make("div", {},
    make("fieldset", { class: "options" }, make("legend", {}, bold(texts.first)), radios("first", classes)),
    percent("first_percent", texts.first_percent),
    options.second ? [make("fieldset", { class: "options" }, make("legend", {}, bold(texts.second)), radios("second", [...classes, none])),
      percent("second_percent", texts.second_percent)] : null,
    options.ruling_out ? make("fieldset", { class: "options" }, make("legend", {}, bold(out)), prose(more.join("\n\n")), classes.map((choice) => make("label", {},
      make("input", { type: "checkbox", name: `${name}-out`, value: choice, checked: before?.ruled_out.includes(choice), onchange: () => change("ruled_out", choice) }), make("span", {}, choice)))) : null);
  const value = (role) => form.querySelector(`input[name="${name}-${role}"]:checked`)?.value ?? null;
  const typed = (role) => form.querySelector(`input[name="${name}-${role}"]`)?.value ?? "";
  const ruledOut = () => [...form.querySelectorAll(`input[name="${name}-out"]:checked`)].map((box) => box.value);
  const number = (role) => {
    const text = typed(role).trim();
    return /^\d{1,3}([.,]\d+)?$/.test(text) && Number(text.replace(",", ".")) <= 100 ? Number(text.replace(",", ".")) : null;
  };
  const read = () => {
    const second = value("second") === none ? null : value("second");
    const answer = { first: value("first"), first_percent: number("first_percent"), second, second_percent: second === null ? null : number("second_percent"),
      ruled_out: ruledOut() };
    if (answer.first === null) return { problem: "Choose the most probable class." };
    if (answer.first_percent === null) return { problem: "Enter a percentage from 0 to 100 for the first class." };
    if (second !== null && answer.second_percent === null) return { problem: "Enter a percentage from 0 to 100 for the second class." };
    if (second === answer.first) return { problem: "The second class is the same as the first." };
    if (answer.ruled_out.some((choice) => choice === answer.first || choice === second)) return { problem: "A class that you chose is also ticked as definitely not." };
    return { answer, remark: remarkOn(answer) };
  };
  const state = () => ({ first: value("first") ?? undefined, first_percent: typed("first_percent"), second: value("second") ?? undefined, second_percent: typed("second_percent"), ruled_out: ruledOut() });
  return { elements: [form], read, state };
}

// Most people who give the second class more than the first have swapped them, so the page asks once.
export const remarkOn = ({ first, first_percent: most, second, second_percent: less }) => (second !== null && less > most
  ? `${second} has more percent than ${first}. To confirm, submit again.` : "");
