// Input counts only when a page has been seen. The second click of a double click, or a key that is pressed twice, would
// otherwise answer an item that nobody has looked at.
//
// What comes earlier is stopped before anything hears of it, and counted in times.early; times.ready is when input began to
// count. Nothing is disabled, so that the focus stays where it is and nothing is announced, and the wait ends by itself, so
// that a click by assistive technology is never lost for good.

export const WAIT = 300; // milliseconds after a page is painted; the two presses of one hand are closer together
const UNSEEN = 500; // a page in the background is not painted: this many milliseconds are a frame there
const POINTER = ["pointerdown", "mousedown", "touchstart", "pointerup", "mouseup", "click", "dblclick"];
const HARMLESS = new Set(["Tab", "Shift", "Control", "Alt", "AltGraph", "Meta", "CapsLock", "NumLock", "ContextMenu"]);

export class Settle {
  #page;
  #times = { early: 0 };
  #counts = false;
  #sends = true; // whether what was said about an answer has been there long enough to be read
  #whole = false; // whether all that the page shows has come
  #shown = 0; // pages so far
  #clicked = 0; // the page of the click before
  #waits = 0;
  #stray = false; // whether the press that is going on began too early

  constructor(page) {
    this.#page = page;
    const first = { capture: true, passive: false };
    for (const kind of POINTER) addEventListener(kind, (event) => { if (page.contains(event.target)) this.#pointer(event); }, first);
    addEventListener("keydown", (event) => { if (!this.#counts && !harmless(event)) this.#stop(event, !event.repeat); }, first);
    addEventListener("beforeinput", (event) => { if (!this.#counts) this.#stop(event, false); }, first); // keyboards on a screen
  }

  // A page is shown, and `there` resolves when its pictures are. Where they take long, input counts meanwhile, so that
  // people can be told what is missing, and is waited with again when they have come.
  begin(times, there = Promise.resolve()) {
    this.#times = times;
    this.#shown += 1;
    this.#sends = true;
    const shown = this.#shown;
    this.#wait(false);
    there.then(() => { if (shown === this.#shown) this.#wait(true); });
  }

  // Something was said about an answer that can be sent all the same: it is there to be read first.
  said() {
    this.#sends = false;
    delete this.#page.dataset.ready;
    const shown = this.#shown;
    setTimeout(() => { if (shown === this.#shown) { this.#sends = true; this.#tell(); } }, WAIT);
  }

  // Whether an answer may be sent now.
  sends() {
    if (!this.#sends) this.#times.early += 1;
    return this.#sends;
  }

  async #wait(whole) {
    const mine = ++this.#waits;
    [this.#counts, this.#whole] = [false, whole];
    delete this.#page.dataset.ready;
    await frame();
    await frame();
    await new Promise((done) => { setTimeout(done, WAIT); });
    if (mine !== this.#waits) return;
    this.#counts = true;
    this.#times.ready = this.#times.now();
    this.#tell();
  }

  #tell() {
    if (this.#counts && this.#sends) this.#page.dataset.ready = this.#whole ? "" : "partly";
  }

  #pointer(event) {
    const itself = event.type === "click" && event.detail === 0; // by a key, a script or assistive technology
    if (event.type === "pointerdown") {
      this.#stray = !this.#counts;
      if (this.#stray) this.#times.early += 1;
    } else if (event.type === "mousedown" && !this.#stray && event.detail > 1 && this.#clicked !== this.#shown) {
      this.#stray = true; // the second click of a slower hand
      this.#times.early += 1;
    }
    if (itself ? !this.#counts : this.#stray) this.#stop(event, itself);
    else if (event.type === "click") this.#clicked = this.#shown;
  }

  #stop(event, counted) {
    if (counted) this.#times.early += 1;
    // A finger that scrolls still scrolls, but on a slider it would move it.
    if (event.cancelable && (event.type !== "touchstart" || event.target.type === "range")) event.preventDefault();
    event.stopImmediatePropagation();
  }
}

const frame = () => new Promise((done) => { requestAnimationFrame(done); setTimeout(done, UNSEEN); });

const harmless = (event) => HARMLESS.has(event.key) || /^F\d+$/.test(event.key)
  || ((event.ctrlKey || event.metaKey || event.altKey) && event.key.toLowerCase() !== "z");
