// Times of one page in milliseconds since it was shown: first look, first touch, every change, absence, submission.

export class Times {
  // `ready` resolves when everything to be judged is on the screen: nobody has looked at a picture that is not there yet.
  constructor(ready = Promise.resolve()) {
    this.shown = performance.now();
    this.looked = null;
    this.touched = null;
    this.changes = [];
    this.away = [];
    this.left = document.visibilityState === "visible" ? null : 0;
    this.listen = new AbortController();
    const on = { signal: this.listen.signal };
    document.addEventListener("visibilitychange", () => this.#seen(document.visibilityState === "visible"), on);
    addEventListener("blur", () => this.#seen(false), on);
    addEventListener("focus", () => this.#seen(true), on);
    for (const kind of ["pointerdown", "keydown"]) document.addEventListener(kind, () => this.#touch(), on);
    ready.then(() => { this.ready = true; this.#look(); });
  }

  now() {
    return Math.round((performance.now() - this.shown) * 10) / 10;
  }

  #look() {
    if (this.ready && this.left === null && this.looked === null) this.looked = this.now();
  }

  #touch() {
    if (this.touched === null) this.touched = this.now();
  }

  #seen(here) {
    if (here && this.left !== null) {
      if (this.looked !== null) this.away.push([this.left, this.now()]);
      this.left = null;
      this.#look();
    } else if (!here && this.left === null) {
      this.left = this.now();
    }
  }

  change(field, value) {
    this.#touch();
    if (this.changes.length < 2000) this.changes.push([this.now(), field, value]);
  }

  // What was measured until now; the page goes on measuring until it is left.
  soFar() {
    const { looked, touched, changes, away } = this;
    return { looked, touched, changes, away, submitted: this.now() };
  }

  stop() {
    this.listen.abort();
  }
}
