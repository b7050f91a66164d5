// Signs of life: the place of what is shown is kept for somebody who is there, and goes to others when they have left.

const EVERY = 20000; // milliseconds

// Tells the survey that somebody is here for as long as the page is in sight, and when that changes. `wanted` says whether it matters.
export function keepPresent(token, wanted) {
  const alive = () => {
    if (!token || !navigator.onLine || !wanted()) return;
    const headers = { authorization: `Bearer ${token}` };
    fetch("api/alive", { method: "POST", keepalive: true, headers }).catch(() => { /* the next one will do */ });
  };
  setInterval(() => { if (document.visibilityState === "visible") alive(); }, EVERY);
  document.addEventListener("visibilitychange", alive);
}
