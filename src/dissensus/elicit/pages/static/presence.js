// Signs of activity: the survey keeps the place of active people, and gives it to others when they have left.

const EVERY = 20000; // milliseconds

// Signals activity while the page is visible, and when that changes. `wanted` tells whether the current page needs it.
export function keepPresent(token, wanted) {
  const alive = () => {
    if (!token || !navigator.onLine || !wanted()) return;
    const headers = { authorization: `Bearer ${token}` };
    fetch("api/alive", { method: "POST", keepalive: true, headers }).catch(() => { /* the next one will do */ });
  };
  setInterval(() => { if (document.visibilityState === "visible") alive(); }, EVERY);
  document.addEventListener("visibilitychange", alive);
}
