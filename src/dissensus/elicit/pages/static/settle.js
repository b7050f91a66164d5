// Ignores accidental input: clicks and keys count only once a page has been visible for a moment. Otherwise a double click could
// answer an item that nobody has seen.
//
// Earlier input is stopped and counted in times.early; times.ready is when input began to count. Nothing is disabled, so that the
// focus stays and screen readers announce nothing. The wait ends by itself, so that assistive technology can click again.

export const WAIT = 300; // milliseconds after a page is painted; the two clicks of a double click are closer together
const UNSEEN = 500; // milliseconds of a frame in a background page, which is not painted
const POINTER = ["pointerdown", "mousedown", "touchstart", "pointerup", "mouseup", "click", "dblclick"];
const HARMLESS = new Set(["Tab", "Shift", "Control", "Alt", "AltGraph", "Meta", "CapsLock", "NumLock", "ContextMenu"]);

export class Settle {
  #page;
  #times = { early: 0 };
  #counts = false;
  #sends = true; // whether a remark about the answer has been visible long enough to be read
  #whole = false; // whether all pictures have loaded
  #shown = 0; // pages so far
  #clicked = 0; // the page of the click before
  #waits = 0;
  #stray = false; // whether the current press began too early

  constructor(page) {
    this.#page = page;
    const first = { capture: true, passive: false };
    for (const kind of POINTER) addEventListener(kind, (event) => { if (page.contains(event.target)) this.#pointer(event); }, first);
    addEventListener("keydown", (event) => { if (!this.#counts && !harmless(event)) this.#stop(event, !event.repeat); }, first);
    addEventListener("beforeinput", (event) => { if (!this.#counts) this.#stop(event, false); }, first); // on-screen keyboards
  }

  // Starts a page; `loaded` resolves when its pictures have loaded. If that takes long, input counts meanwhile, so that people see
  // what is missing, and there is a second wait afterwards.
  begin(times, loaded = Promise.resolve()) {
    this.#times = times;
    this.#shown += 1;
    this.#sends = true;
    const shown = this.#shown;
    this.#wait(false);
    loaded.then(() => { if (shown === this.#shown) this.#wait(true); });
  }

  // A remark about the answer is shown: waits before the answer can be sent.
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
    const synthetic = event.type === "click" && event.detail === 0; // by a key, a script or assistive technology
    if (event.type === "pointerdown") {
      this.#stray = !this.#counts;
      if (this.#stray) this.#times.early += 1;
    } else if (event.type === "mousedown" && !this.#stray && event.detail > 1 && this.#clicked !== this.#shown) {
      this.#stray = true; // the second click of a slow double click
      this.#times.early += 1;
    }
    if (synthetic ? !this.#counts : this.#stray) this.#stop(event, synthetic);
    else if (event.type === "click") this.#clicked = this.#shown;
  }

  #stop(event, counted) {
    if (counted) this.#times.early += 1;
    // A finger may still scroll, but must not move a slider.
    if (event.cancelable && (event.type !== "touchstart" || event.target.type === "range")) event.preventDefault();
    event.stopImmediatePropagation();
  }
}

const frame = () => new Promise((done) => { requestAnimationFrame(done); setTimeout(done, UNSEEN); });

const harmless = (event) => HARMLESS.has(event.key) || /^F\d+$/.test(event.key)
  || ((event.ctrlKey || event.metaKey || event.altKey) && event.key.toLowerCase() !== "z");
