// A half-filled page survives a reload: what was entered and when is kept in this tab until the page is handed in.

const LONGEST = 12 * 3600 * 1000; // milliseconds after which the times of a visit are not those of the next

export class Drafts {
  #prefix;
  #page = null;
  #times = null;
  #state = null; // gives what is entered so far, where the page asks for something

  constructor(prefix) {
    this.#prefix = `${prefix}draft:`;
    addEventListener("pagehide", () => this.keep());
  }

  // Another page is shown from now on; the one before is kept as it is, unless it was handed in. Gives what an earlier
  // visit left of this page: { state, times }, and times only where they are of the same sitting.
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

  // What measures this page.
  measure(times) {
    this.#times = times;
  }

  // `state` gives what is entered in this page, as something that JSON holds.
  hold(state) {
    this.#state = state;
  }

  // `turned`: another page is shown in its place, as where the answer before is changed, so that no reload ends this visit.
  keep(turned = false) {
    if (this.#state === null) return;
    const kept = { state: this.#state(), times: { ...this.#times.soFar(), left: this.#times.left, turned }, at: Date.now() };
    try { sessionStorage.setItem(this.#prefix + this.#page, JSON.stringify(kept)); } catch { /* a reload loses it where nothing can be kept */ }
  }

  // The page was handed in.
  end() {
    this.#state = null;
    try { sessionStorage.removeItem(this.#prefix + this.#page); } catch { /* it was never there */ }
  }
}
