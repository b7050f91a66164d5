// Keeps submitted answers in the browser until the survey has confirmed that they are saved. Login pages, filters and proxies
// reply too, so a reply counts only if it names the saved page, or is marked as a refusal of the survey.

const LONGEST = 30000; // milliseconds to wait for a reply
const TRIES = 3; // attempts to send an answer that something blocks while other requests pass
const BUSY = [408, 425, 429];
const AWAY = "No connection. Your answers are kept here and will be sent again …";
const BETWEEN = "The survey cannot be reached. Does your network want you to log in? Your answers are kept here and will be sent again …";
// These two fit on one line, so that nothing moves when they appear. "Not sent" precedes them.
const STOPPED = "your network blocks it. Try another one.";
const FAULT = "the survey has an error. Please report it.";
export const KEPT = "Some answers are not sent yet and are kept in this browser. Please open this page again later, or tell the people who run the survey.";

export class Outbox {
  #open = new Map(); // answers that are not sent yet, for browsers without storage

  constructor(token, tell) {
    this.token = token;
    this.tell = tell;
    this.prefix = `dissensus:${location.pathname}:${token.slice(-24)}:`;
    addEventListener("beforeunload", (event) => {
      if ([...this.#open.keys()].some((page) => !this.#stored(page))) event.preventDefault();
    });
  }

  // Every entry has its own key, so that two tabs never overwrite each other's answers.
  waiting() {
    let stored = [];
    try { stored = Object.keys(localStorage).filter((key) => key.startsWith(this.prefix)).map((key) => key.slice(this.prefix.length)); } catch { /* nothing is kept */ }
    const entries = [...new Set([...this.#open.keys(), ...stored])].map((page) => this.#open.get(page) || this.#stored(page));
    return entries.filter(Boolean).sort((earlier, later) => earlier.client - later.client);
  }

  #stored(page) {
    try { return JSON.parse(localStorage.getItem(this.prefix + page)); } catch { return null; }
  }

  #keep(entry) {
    this.#open.set(entry.page, entry);
    try { localStorage.setItem(this.prefix + entry.page, JSON.stringify(entry)); } catch { /* the open page keeps it */ }
  }

  #drop(entry) {
    this.#open.delete(entry.page);
    try { localStorage.removeItem(this.prefix + entry.page); } catch { /* it was never there */ }
  }

  async #ask(path, body) {
    const quit = new AbortController();
    const timer = setTimeout(() => quit.abort(), LONGEST);
    try {
      const response = await fetch(path, {
        method: "POST", redirect: "manual", signal: quit.signal, body: JSON.stringify(body),
        headers: { "content-type": "application/json", authorization: `Bearer ${this.token}` },
      });
      const reply = await response.json().catch(() => null);
      return { status: response.status || 302, reply: reply && typeof reply === "object" ? reply : {} };
    } catch {
      return { status: 0, reply: {} };
    } finally {
      clearTimeout(timer);
    }
  }

  // Retries until the survey itself replies. If only this request is blocked, the person is told.
  async #answer(path, body, fits) {
    for (let attempt = 0, alone = 0; ; attempt += 1) {
      const { status, reply } = await this.#ask(path, body);
      if (fits(reply)) { this.tell(""); return { reply }; }
      if (reply.refused === true) { this.tell(""); return { reply, refused: status }; }
      const away = !status || BUSY.includes(status) || (status >= 500 && status !== 511);
      this.tell(away ? AWAY : BETWEEN);
      await pause(attempt);
      if (path === "api/page" || (away && status !== 500)) continue;
      alone = isPage((await this.#ask("api/page", {})).reply) ? alone + 1 : 0;
      if (alone === TRIES) { this.tell(""); return { reply: { error: this.#unsent(body, status === 500 ? FAULT : STOPPED) }, refused: 0 }; }
    }
  }

  #unsent(body, why) {
    return `Not sent${this.#open.has(body.page) ? ", but kept here" : ""}: ${why}`;
  }

  // The current page of the session.
  async page() {
    const { reply, refused } = await this.#answer("api/page", {}, isPage);
    return refused ? { stage: "lost", text: reply.error } : reply;
  }

  // Reopens a trial; gives its page, or the problem. Repeating it is harmless.
  async takeBack(trial) {
    const { reply, refused } = await this.#answer("api/take-back", { page: trial }, isPage);
    return refused === undefined ? reply : refused === 409 ? this.page() : { problem: reply.error };
  }

  // Sends an entry; gives the next page, the problem, or {} if the session is at another page. If a changed answer came too late,
  // `stays` has the message for the person.
  async submit(entry) {
    if (lasts(entry)) this.#keep(entry);
    const { reply, refused } = await this.#answer("api/submit", entry, ({ saved }) => saved === entry.page);
    if (refused === undefined) { this.#drop(entry); return reply; }
    // The person still sees the answer with the problem; a page that the session has left needs no answer.
    if (refused === 422 || refused === 409) this.#drop(entry);
    if (refused === 409 && entry.page.startsWith("trial:")) return { stays: reply.error };
    return [404, 401, 409].includes(refused) ? {} : { problem: reply.error };
  }

  // Sends what an earlier visit could not send. The survey stores each page once, so sending twice is harmless. A refused entry is
  // kept and does not block the others. Gives messages that people have not seen: `stays` if a change came too late, and the
  // `feedback` of a practice trial.
  async flush() {
    const news = {};
    for (const entry of this.waiting()) {
      const { problem, stays, feedback } = await this.submit(entry);
      if (problem) this.#keep(entry);
      if (stays) news.stays = stays;
      if (feedback) news.feedback = feedback;
    }
    return news;
  }
}

// Stopping to wait applies to the current page only, not to a later visit.
const lasts = (entry) => !entry.page.startsWith("waiting");
const isPage = (reply) => typeof reply.stage === "string";

// Waits longer after each attempt, and ends at once when the network is back.
function pause(attempt) {
  const wait = Math.min(8000, 400 * 2 ** attempt) * (0.7 + 0.6 * Math.random());
  return new Promise((resolve) => {
    const timer = setTimeout(done, wait);
    function done() {
      clearTimeout(timer);
      removeEventListener("online", done);
      resolve();
    }
    addEventListener("online", done);
  });
}
