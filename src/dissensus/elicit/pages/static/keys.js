// A key for each class, the same for everyone: its first letter, or another free letter of its name. Digits are their own keys.

const LETTER = /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]$/u;

export const digitsOnly = (classes) => classes.every((name) => /^\d$/.test(name));

export function keysOf(classes, { digits = true } = {}) {
  if (digitsOnly(classes)) return new Map(digits ? classes.map((name) => [name, name]) : []);
  const taken = new Set();
  const keys = new Map();
  const sorted = [...classes].sort();
  const give = (choices) => {
    for (const name of sorted) {
      const letter = keys.has(name) ? undefined : choices(name.toLowerCase()).find((character) => LETTER.test(character) && !taken.has(character));
      if (letter) { taken.add(letter); keys.set(name, letter); }
    }
  };
  give((name) => [[...name][0]]);
  give((name) => [...name]);
  give(() => [..."abcdefghijklmnopqrstuvwxyz"]);
  return keys;
}

// The class whose key was pressed, and whether Shift was held; on some keyboards a digit itself needs Shift.
export function pressed(event, keys) {
  const typed = event.key.length === 1 ? event.key.toLowerCase() : "";
  for (const [name, key] of keys) if (key === typed) return { name, shifted: event.shiftKey && !/\d/.test(typed) };
  const digit = event.shiftKey ? /^Digit(\d)$/.exec(event.code)?.[1] : undefined;
  for (const [name, key] of keys) if (key === digit) return { name, shifted: true };
  return null;
}

export const MANY = 25; // with more classes than this, people search instead of browsing
