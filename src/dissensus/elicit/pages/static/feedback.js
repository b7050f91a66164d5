// Feedback on a practice answer, kept in this tab until it is read, so that a reload shows it again.

export class Feedback {
  #key;

  constructor(prefix) {
    this.#key = `${prefix}feedback`;
  }

  unread() {
    try { return sessionStorage.getItem(this.#key); } catch { return null; }
  }

  say(text) {
    try { sessionStorage.setItem(this.#key, text); } catch { /* without storage, a reload skips it */ }
  }

  read() {
    try { sessionStorage.removeItem(this.#key); } catch { /* it was never there */ }
  }
}
