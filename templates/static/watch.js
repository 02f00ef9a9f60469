// A board that is watched: arrow keys step through the game, and a new move appears by itself.
"use strict";

const board = () => document.getElementById("board");

/** Puts a newer board in the place of the one that is shown. False if it is another player's, because somebody else has
 * logged in meanwhile: the words of one player are not for the forms of another. */
function put(html) {
  const fresh = new DOMParser().parseFromString(html, "text/html");
  const next = fresh.getElementById("board");
  if (!next || next.dataset.own !== board().dataset.own) return !next;
  const name = (one) => one.querySelector("summary").textContent;
  const open = new Map(Array.from(board().querySelectorAll("details"), (one) => [name(one), one.open]));
  // What is being written stays.
  const focused = document.activeElement;
  for (const old of board().querySelectorAll("form textarea, form input:not([type]), form input[type=text]")) {
    const what = old.form.elements.what?.value;
    const now = Array.from(next.querySelectorAll("form"), (form) => form.elements)
      .find((fields) => fields.what?.value === what && fields[old.name])?.[old.name];
    if (!now) continue;
    if (old.value !== old.defaultValue) now.value = old.value;
    if (old === focused) requestAnimationFrame(() => now.focus({ preventScroll: true }));
  }
  board().replaceWith(next);
  for (const one of next.querySelectorAll("details")) one.open = open.get(name(one)) ?? one.open;
  document.title = next.dataset.title;
  document.dispatchEvent(new Event("turn"));
  return true;
}

/** What may be written to the opponent, and is not sent. */
const unsent = () => Array.from(board().querySelectorAll("textarea")).some((one) => one.value !== one.defaultValue);

const page = () => location.pathname + location.search;
let shown = page();

let going = false;

/** Shows another position of the game, as its link would. */
async function go(address, remember) {
  going = true;
  try {
    const answer = await fetch(address);
    // A page that catches up asks again later. So does one on which somebody is writing, because the words would be lost.
    if (!answer.ok && (!remember || unsent())) throw new Error(answer.statusText);
    if (!answer.ok) { location.assign(address); return; }
    if (!put(await answer.text())) {
      if (address === location.href) location.reload(); // a fragment in it would only be a jump within the page
      else location.assign(address);
      return;
    }
    if (remember) history.pushState(null, "", address);
    shown = page();
  } finally {
    going = false;
  }
}

const KEYS = { ArrowLeft: "prev", ArrowRight: "next", Home: "first", End: "last" };

document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, select, textarea, button, [contenteditable], [role=radio], .wide");
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || typing || unsent()) return;
  const link = KEYS[event.key] && board().querySelector(`.steps a[rel=${KEYS[event.key]}]`);
  if (!link) return;
  event.preventDefault();
  if (!going) go(link.href, true).catch(() => {}); // a key that is held asks for the next position when the last one is there
});

// A link within the page comes here, too.
window.addEventListener("popstate", () => { if (page() !== shown) catchUp(); });

const AGAIN = 20000;

/** Shows what the page's own address says now, again and again until the server answers. */
function catchUp() {
  go(location.href, false).catch(() => setTimeout(catchUp, AGAIN));
}

document.addEventListener("stale", (event) => {
  if (!board()) return;
  event.preventDefault(); // this keeps what is being written
  catchUp();
});

if (board() && board().dataset.live && window.EventSource) {
  // A browser opens six connections to a server at most, so only boards that are seen keep one. One that the server has
  // refused is not opened again by the browser: a proxy refuses all while the server restarts.
  let source = null, again = 0;
  const told = (event) => {
    const status = document.getElementById("news");
    if (board().dataset.now && board().dataset.own) catchUp(); // with what a player may do
    else if (board().dataset.now) put(event.data);
    const fresh = new DOMParser().parseFromString(event.data, "text/html").getElementById("board");
    status.textContent = fresh ? fresh.dataset.news : "";
    if (fresh && fresh.dataset.over) close();
  };
  const close = () => {
    clearTimeout(again);
    source?.close();
    source = null;
  };
  const open = () => {
    close();
    if (document.hidden || !board().dataset.live) return;
    source = new EventSource(board().dataset.live);
    source.addEventListener("board", told);
    source.addEventListener("error", () => {
      if (source?.readyState === EventSource.CLOSED) again = setTimeout(open, AGAIN);
    });
  };
  document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
  window.addEventListener("pagehide", close);
  window.addEventListener("pageshow", (event) => { if (event.persisted) open(); });
  open();
}
