// What was handed in is kept in the browser until the survey has said that it is saved. Networks answer, too: a login
// page, a filter, a proxy. So a reply counts only when it names the page that is saved, or says that the survey refuses.

const LONGEST = 30000; // milliseconds for one reply
const TRIES = 3; // refusals of one answer by something that lets everything else through
const BUSY = [408, 425, 429];
const AWAY = "No connection. What you did is kept here and will be sent again …";
const BETWEEN = "Something other than the survey is answering. Does your network want you to log in? What you did is kept here and will be sent again …";
// These two stand on one line, so that nothing moves when they appear. "Not sent" is said before them.
const STOPPED = "your network blocks it. Try again, or use another.";
const FAULT = "the survey cannot take it. Please report this.";
export const KEPT = "Something you did could not be sent yet and is kept in this browser. Please open this page again later, or tell the people who run the survey.";

export class Outbox {
  #open = new Map(); // what this page has not sent yet, for browsers that keep nothing

  constructor(token, tell) {
    this.token = token;
    this.tell = tell;
    this.prefix = `dissensus:${location.pathname}:${token.slice(-24)}:`;
    addEventListener("beforeunload", (event) => {
      if ([...this.#open.keys()].some((page) => !this.#stored(page))) event.preventDefault();
    });
  }

  // Every entry has a place of its own, so that two tabs never overwrite what the other one keeps.
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

  // Asks until the survey itself answers. Where only this one request never arrives, the person has to know.
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

  // The page that the session is at.
  async page() {
    const { reply, refused } = await this.#answer("api/page", {}, isPage);
    return refused ? { stage: "lost", text: reply.error } : reply;
  }

  // The trial whose answer is taken back, to be answered again, or the problem with that. Asking twice is harmless.
  async takeBack(trial) {
    const { reply, refused } = await this.#answer("api/take-back", { page: trial }, isPage);
    return refused === undefined ? reply : refused === 409 ? this.page() : { problem: reply.error };
  }

  // What the survey says to an entry: what comes next, or the problem with it, or nothing where the session is elsewhere. A change
  // of an answer that came too late `stays` undone, which people are told where they go on.
  async submit(entry) {
    if (lasts(entry)) this.#keep(entry);
    const { reply, refused } = await this.#answer("api/submit", entry, ({ saved }) => saved === entry.page);
    if (refused === undefined) { this.#drop(entry); return reply; }
    // Whoever sees the problem still has the answer before them; a page that the session has left is nobody's answer.
    if (refused === 422 || refused === 409) this.#drop(entry);
    if (refused === 409 && entry.page.startsWith("trial:")) return { stays: reply.error };
    return [404, 401, 409].includes(refused) ? {} : { problem: reply.error };
  }

  // What an earlier visit could not send. The survey keeps each page once, so sending twice is harmless; one that is
  // refused is kept and holds up no other. Gives what people have not heard of yet: which change came too late and `stays`
  // undone, and what is `said` about practice.
  async flush() {
    const news = {};
    for (const entry of this.waiting()) {
      const { problem, stays, feedback } = await this.submit(entry);
      if (problem) this.#keep(entry);
      if (stays) news.stays = stays;
      if (feedback) news.said = feedback;
    }
    return news;
  }
}

// Not to want to wait holds for the page where it was said, and not for a later visit.
const lasts = (entry) => !entry.page.startsWith("waiting");
const isPage = (reply) => typeof reply.stage === "string";

// Longer after each attempt, and over at once when the network is back.
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
