// A board that is watched: arrow keys step through the game, and a new move appears by itself.
"use strict";

const board = () => document.getElementById("board");

/** Puts a newer board in the place of the one that is shown. */
function put(html) {
  const fresh = new DOMParser().parseFromString(html, "text/html");
  const next = fresh.getElementById("board");
  if (!next) return;
  const open = Array.from(board().querySelectorAll("details"), (one) => one.open);
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
  next.querySelectorAll("details").forEach((one, at) => { one.open = Boolean(open[at]); });
  document.title = next.dataset.title;
  document.dispatchEvent(new Event("turn"));
}

/** Shows another position of the game, as its link would. */
async function go(address, remember) {
  const answer = await fetch(address);
  if (!answer.ok) { location.assign(address); return; }
  put(await answer.text());
  if (remember) history.pushState(null, "", address);
}

const KEYS = { ArrowLeft: "prev", ArrowRight: "next", Home: "first", End: "last" };

document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, select, textarea, button, [contenteditable], [role=radio], .wide");
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || typing) return;
  const link = KEYS[event.key] && board().querySelector(`.steps a[rel=${KEYS[event.key]}]`);
  if (!link) return;
  event.preventDefault();
  go(link.href, true);
});

window.addEventListener("popstate", () => go(location.href, false));

if (board() && board().dataset.live && window.EventSource) {
  const source = new EventSource(board().dataset.live);
  source.addEventListener("board", (event) => {
    const status = document.getElementById("news");
    if (board().dataset.now && board().dataset.own) go(location.href, false); // with what a player may do
    else if (board().dataset.now) put(event.data);
    const fresh = new DOMParser().parseFromString(event.data, "text/html").getElementById("board");
    status.textContent = fresh ? fresh.dataset.news : "";
    if (fresh && fresh.dataset.over) source.close();
  });
}
