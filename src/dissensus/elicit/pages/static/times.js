// Times of one page in milliseconds since it was shown: first look, first touch, every change, absence, submission.

export class Times {
  // `there` resolves when everything to be judged is on the screen: nobody has looked at a picture that is not there yet.
  // `before` is what an earlier visit to the same page measured, how long ago it was left, and whether for another page: its
  // clock goes on.
  constructor(there = Promise.resolve(), before = null) {
    const since = before ? before.submitted + before.gone : 0;
    this.shown = performance.now() - since;
    this.looked = before?.looked ?? null;
    this.touched = before?.touched ?? null;
    this.changes = before?.changes ?? [];
    this.away = before?.away ?? [];
    this.played = before?.played ?? [];
    this.ready = before?.ready ?? null; // when input began to count
    this.early = before?.early ?? 0; // what came before that and was ignored
    this.reloads = before ? before.reloads + (before.turned ? 0 : 1) : 0;
    if (before && this.looked !== null) this.away.push([before.left ?? before.submitted, this.now()]);
    this.left = document.visibilityState === "visible" ? null : this.now();
    this.listen = new AbortController();
    const on = { signal: this.listen.signal };
    document.addEventListener("visibilitychange", () => this.#seen(document.visibilityState === "visible"), on);
    addEventListener("blur", () => this.#seen(false), on);
    addEventListener("focus", () => this.#seen(true), on);
    for (const kind of ["pointerdown", "keydown"]) document.addEventListener(kind, () => this.#touch(), on);
    there.then(() => { this.there = true; this.#look(); });
  }

  now() {
    return Math.round((performance.now() - this.shown) * 10) / 10;
  }

  #look() {
    if (this.there && this.left === null && this.looked === null) this.looked = this.now();
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

  // A sound was played to its end; `until` is null where it cannot be played.
  play(sound, since, until) {
    if (!this.hasPlayed(sound)) this.played.push([sound, since, until]);
  }

  // A sound that could not be played can be, after all.
  comes(sound) {
    this.played = this.played.filter(([number, , until]) => number !== sound || until !== null);
  }

  hasPlayed(sound) {
    return this.played.some(([number]) => number === sound);
  }

  // What was measured until now; the page goes on measuring until it is left.
  soFar() {
    const { looked, touched, changes, away, played, ready, early, reloads } = this;
    return { looked, touched, changes, away, played, ready, early, reloads, submitted: this.now() };
  }

  stop() {
    this.listen.abort();
  }
}
