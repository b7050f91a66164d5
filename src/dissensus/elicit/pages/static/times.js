// Times of a page in milliseconds since it was shown: first look, first touch, every change, absence, submission.

export class Times {
  // `loaded` resolves when all stimuli are on the screen; a look counts only from then on. `before` has the times of an earlier visit
  // to the same page, how long ago it ended, and whether another page was shown since. Its clock continues.
  constructor(loaded = Promise.resolve(), before = null) {
    const since = before ? before.submitted + before.gone : 0;
    this.shown = performance.now() - since;
    this.looked = before?.looked ?? null;
    this.touched = before?.touched ?? null;
    this.changes = before?.changes ?? [];
    this.away = before?.away ?? [];
    this.played = before?.played ?? [];
    this.ready = before?.ready ?? null; // when input began to count
    this.early = before?.early ?? 0; // inputs before that, which were ignored
    this.reloads = before ? before.reloads + (before.turned ? 0 : 1) : 0;
    if (before && this.looked !== null) this.away.push([before.left ?? before.submitted, this.now()]);
    this.left = document.visibilityState === "visible" ? null : this.now();
    this.listen = new AbortController();
    const on = { signal: this.listen.signal };
    document.addEventListener("visibilitychange", () => this.#seen(document.visibilityState === "visible"), on);
    addEventListener("blur", () => this.#seen(false), on);
    addEventListener("focus", () => this.#seen(true), on);
    for (const kind of ["pointerdown", "keydown"]) document.addEventListener(kind, () => this.#touch(), on);
    loaded.then(() => { this.loaded = true; this.#look(); });
  }

  now() {
    return Math.round((performance.now() - this.shown) * 10) / 10;
  }

  #look() {
    if (this.loaded && this.left === null && this.looked === null) this.looked = this.now();
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

  // Records a sound that was played to its end; `until` is null if it cannot be played.
  play(sound, since, until) {
    if (!this.hasPlayed(sound)) this.played.push([sound, since, until]);
  }

  // Removes the record of a sound that could not be played, since it loaded after all.
  comes(sound) {
    this.played = this.played.filter(([number, , until]) => number !== sound || until !== null);
  }

  hasPlayed(sound) {
    return this.played.some(([number]) => number === sound);
  }

  // The times so far.
  soFar() {
    const { looked, touched, changes, away, played, ready, early, reloads } = this;
    return { looked, touched, changes, away, played, ready, early, reloads, submitted: this.now() };
  }

  stop() {
    this.listen.abort();
  }
}
