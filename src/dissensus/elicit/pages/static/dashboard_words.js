// Formats of numbers, shares and times on the dashboard.

export const count = (number) => number.toLocaleString("en");
export const percent = (share) => `${(100 * share).toFixed(share > 0.995 && share < 1 ? 2 : 0)}%`;
export const plural = (number, noun, nouns = `${noun}s`) => `${count(number)} ${number === 1 ? noun : nouns}`;

export const duration = (seconds) => (seconds === null || seconds === undefined ? "–" : seconds < 90 ? `${seconds.toFixed(1)} s`
  : seconds < 5400 ? `${Math.round(seconds / 60)} min` : seconds < 48 * 3600 ? `${(seconds / 3600).toFixed(1)} h` : `${(seconds / 86400).toFixed(1)} days`);

const CLOCK = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const DAY = new Intl.DateTimeFormat("en-GB", { weekday: "short", day: "numeric", month: "short" });

// A time in the reader's time zone, without the day if it is today.
export function moment(seconds) {
  const at = new Date(1000 * seconds);
  return at.toDateString() === new Date().toDateString() ? CLOCK.format(at) : `${DAY.format(at)}, ${CLOCK.format(at)}`;
}
