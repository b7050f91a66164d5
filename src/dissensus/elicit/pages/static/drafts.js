// Drafts: a half-filled page survives a reload. Inputs and times are kept in this tab until the page is submitted.

const LONGEST = 12 * 3600 * 1000; // milliseconds after which the times of an earlier visit are dropped

export class Drafts {
  #prefix;
  #page = null;
  #times = null;
  #state = null; // returns the input so far, if the page has input

  constructor(prefix) {
    this.#prefix = `${prefix}draft:`;
    addEventListener("pagehide", () => this.keep());
  }

  // Starts another page; the draft of the previous one is kept unless it was submitted. Returns the draft of an earlier visit,
  // { state, times }, with times only if it was recent.
  begin(page) {
    this.keep(true);
    [this.#page, this.#times, this.#state] = [page, null, null];
    try {
      const { state, times, at } = JSON.parse(sessionStorage.getItem(this.#prefix + page));
      const gone = Date.now() - at;
      return { state, times: gone >= 0 && gone < LONGEST ? { ...times, gone } : null };
    } catch {
      return null;
    }
  }

  // Sets the times of this page.
  measure(times) {
    this.#times = times;
  }

  // `state` returns the input of this page as JSON data.
  hold(state) {
    this.#state = state;
  }

  // `turned`: another page replaces this one, such as a reopened answer, so that this is not a reload.
  keep(turned = false) {
    if (this.#state === null) return;
    const kept = { state: this.#state(), times: { ...this.#times.soFar(), left: this.#times.left, turned }, at: Date.now() };
    try { sessionStorage.setItem(this.#prefix + this.#page, JSON.stringify(kept)); } catch { /* without storage, a reload loses the draft */ }
  }

  // The page was submitted.
  end() {
    this.#state = null;
    try { sessionStorage.removeItem(this.#prefix + this.#page); } catch { /* it was never there */ }
  }
}
