// What was handed in is kept in the browser until the server has said that it is saved.

const keyOf = (token) => `dissensus:${location.pathname}:${token.slice(-24)}`;

export class Outbox {
  constructor(token, tell) {
    this.token = token;
    this.tell = tell;
  }

  waiting() {
    try {
      return JSON.parse(localStorage.getItem(keyOf(this.token)) || "[]");
    } catch {
      return [];
    }
  }

  #keep(list) {
    try {
      if (list.length) localStorage.setItem(keyOf(this.token), JSON.stringify(list));
      else localStorage.removeItem(keyOf(this.token));
    } catch {
      // A browser that keeps nothing still sends; it only cannot resend after it was closed.
    }
  }

  // Sends one request and tries again for as long as the network or the server is away.
  async post(path, body) {
    for (let attempt = 0; ; attempt += 1) {
      let response = null;
      try {
        response = await fetch(path, {
          method: "POST",
          headers: { "content-type": "application/json", authorization: `Bearer ${this.token}` },
          body: JSON.stringify(body),
        });
      } catch {
        response = null;
      }
      if (response && response.status < 500 && response.status !== 429) {
        this.tell("");
        const told = await response.json().catch(() => ({ error: "the server sent something else" }));
        return { ok: response.ok, status: response.status, told };
      }
      this.tell("No connection. What you did is kept here and is sent again …");
      const wait = Math.min(8000, 400 * 2 ** attempt) * (0.7 + 0.6 * Math.random());
      await new Promise((resolve) => {
        const timer = setTimeout(done, wait);
        function done() {
          clearTimeout(timer);
          removeEventListener("online", done);
          resolve();
        }
        addEventListener("online", done);
      });
    }
  }

  async submit(entry) {
    this.#keep([...this.waiting().filter((one) => one.page !== entry.page), entry]);
    const reply = await this.post("api/submit", entry);
    this.#keep(this.waiting().filter((one) => one.page !== entry.page));
    return reply;
  }

  // What an earlier visit could not send any more. The server keeps each page once, so sending twice is harmless.
  async flush() {
    for (const entry of this.waiting()) await this.submit(entry);
  }
}
