// A letter for each class: the first of its name that is free, the same for everybody.

export function lettersOf(classes, reserved = "x") {
  const taken = new Set(reserved);
  const letters = new Map();
  const sorted = [...classes].sort();
  for (const name of sorted) {
    const letter = [...name.toLowerCase()].find((one) => /^[a-z]$/.test(one) && !taken.has(one));
    if (letter) { taken.add(letter); letters.set(name, letter); }
  }
  for (const name of sorted) {
    if (letters.has(name)) continue;
    const letter = [..."abcdefghijklmnopqrstuvwxyz"].find((one) => !taken.has(one));
    if (letter) { taken.add(letter); letters.set(name, letter); }
  }
  return letters;
}

// The class whose letter was pressed, with or without Shift.
export function pressed(event, letters) {
  const key = event.key.length === 1 ? event.key.toLowerCase() : "";
  for (const [name, letter] of letters) if (letter === key) return name;
  return null;
}

export const MANY = 25; // more classes than this are found by typing, not by looking
