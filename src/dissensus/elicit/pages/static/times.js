// Times of one page in milliseconds since it was shown: first look, first touch, every change, absence, submission.

export class Times {
  constructor() {
    this.shown = performance.now();
    this.looked = document.visibilityState === "visible" ? 0 : null;
    this.touched = null;
    this.changes = [];
    this.away = [];
    this.left = this.looked === null ? 0 : null;
    this.listen = new AbortController();
    const on = { signal: this.listen.signal };
    document.addEventListener("visibilitychange", () => this.#seen(document.visibilityState === "visible"), on);
    addEventListener("blur", () => this.#seen(false), on);
    addEventListener("focus", () => this.#seen(true), on);
    for (const kind of ["pointerdown", "keydown"]) document.addEventListener(kind, () => this.#touch(), on);
  }

  now() {
    return Math.round((performance.now() - this.shown) * 10) / 10;
  }

  #touch() {
    if (this.touched === null) this.touched = this.now();
  }

  #seen(here) {
    if (here && this.left !== null) {
      if (this.looked === null) this.looked = this.now();
      else this.away.push([this.left, this.now()]);
      this.left = null;
    } else if (!here && this.left === null) {
      this.left = this.now();
    }
  }

  change(field, value) {
    this.#touch();
    if (this.changes.length < 2000) this.changes.push([this.now(), field, value]);
  }

  finish() {
    this.listen.abort();
    const { looked, touched, changes, away } = this;
    return { looked: looked ?? 0, touched, changes, away, submitted: this.now() };
  }
}
