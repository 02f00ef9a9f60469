// The page works without this script; it only saves steps.
"use strict";

document.documentElement.classList.add("scripted");

// Back shows a page as it was left: a form that has been sent would do nothing when it is sent again, and a player's
// list of boards would still call for a turn that has been played. A form that has been begun stays.
let sent = false;
let begun = false;
document.addEventListener("submit", () => { sent = true; });
document.addEventListener("input", () => { begun = true; });
window.addEventListener("pageshow", (event) => {
  const owned = document.querySelector("form[action='/logout']");
  const linked = document.querySelector("#turn[data-stamp]"); // the page of a letter's link: the turn may have been played
  if (event.persisted && (sent || ((owned || linked) && !begun))) location.reload();
});

let words = ""; // that are being written to the opponent: they outlive the section of a turn, and not the turn
let ply; // of that turn
document.addEventListener("input", (event) => { if (event.target.id === "words") words = event.target.value; });

// ---- a turn: the drawing becomes the form (templates/page/_turn_form.html)
// All that is known about a turn stands in its section. A click makes another move text, and the section for that text
// is asked from the server, which alone knows the rules.
const turn = () => {
  let section = document.getElementById("turn");
  if (!section) return;
  if (section.dataset.ply !== ply) words = "";
  ply = section.dataset.ply;

  const live = document.createElement("p");
  live.className = "unseen";
  live.setAttribute("aria-live", "polite");
  section.before(live);

  let letter = ""; // the piece that is laid next
  let asked = 0; // the number of the newest question
  let before = null; // the section as it came, for when the server does not answer
  let move = section.dataset.move;

  const faces = new Map(); // letter -> drawing of the piece; a section without a choice has none
  const remember = () => {
    for (const input of section.querySelectorAll("input[name=tile]"))
      faces.set(input.value, input.closest("label").querySelector("svg"));
  };

  const join = (...parts) => parts.filter(Boolean).join(section.dataset.sep);
  const face = (which) => {
    const drawn = faces.get(which)?.cloneNode(true);
    drawn?.removeAttribute("width");
    drawn?.removeAttribute("height");
    return drawn;
  };

  const address = (text) => {
    const query = new URLSearchParams(JSON.parse(section.dataset.keep));
    if (text) query.set(section.dataset.field, text);
    const said = query.toString().replaceAll("%2C", ",");
    return section.dataset.here + (said ? "?" + said : "");
  };

  const ask = async (url, text, focus) => {
    const mine = ++asked;
    move = text;
    section.setAttribute("aria-busy", "true");
    // The drawing already shows the turn that is asked about, so the old one cannot be played meanwhile.
    for (const button of section.querySelectorAll("form.play button")) button.disabled = true;
    try {
      const answer = await fetch(url, { headers: { Accept: "text/html" }, cache: "no-store" });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (mine !== asked) return;
      const fresh = page.getElementById("turn");
      if (!fresh && !answer.ok) throw new Error(answer.status);
      if (!fresh) return location.reload();
      // A question of the opponent has come, which this page does not show; playing would refuse it.
      if (fresh.dataset.stamp !== section.dataset.stamp) {
        words = written();
        return document.dispatchEvent(new Event("stale", { cancelable: true })) && location.reload();
      }
      put(fresh);
      if ("shared" in section.dataset) history.replaceState(null, "", url);
      begin(focus);
      const told = section.querySelector(".refused") || section.querySelector(".result") || section.querySelector(".todo");
      live.textContent = told ? told.textContent.trim().replace(/\s+/g, " ") : "";
    } catch {
      if (mine !== asked) return;
      put(before);
      move = section.dataset.move;
      begin(focus);
      const said = document.createElement("p");
      said.className = "refused";
      said.textContent = live.textContent = "The server does not answer. Try again.";
      section.prepend(said);
    } finally {
      if (mine === asked) section.removeAttribute("aria-busy");
    }
  };

  const written = () => section.querySelector("textarea")?.value ?? words;
  // The words stay, also while a turn that was taken back has no place for them.
  const put = (fresh) => {
    words = written();
    const place = fresh.querySelector("textarea");
    if (place) place.value = words;
    section.replaceWith(fresh);
    section = fresh;
  };

  // Lays this piece at this place, or turns what lies there.
  const lay = (hit, which) => {
    letter = which;
    show(hit, which);
    const text = join(hit.before, which + hit.name, hit.after);
    ask(address(text), text, hit.name);
  };
  const show = (hit, which) => {
    hit.letter = which;
    hit.button.replaceChildren(...[face(which)].filter(Boolean));
    hit.button.classList.add("laid");
    hit.button.setAttribute("aria-label", label(hit));
  };
  const next = (hit) => hit.fits[(hit.fits.indexOf(hit.letter) + 1) % hit.fits.length];
  const click = (hit) => lay(hit, hit.letter ? next(hit) : hit.fits.includes(letter) ? letter : hit.fits[0]);
  const label = (hit) =>
    hit.letter ? `tile ${hit.letter} on cell ${hit.name}: turn it` : `cell ${hit.name}: lay a tile, ${[...hit.fits].join(", ")}`;

  const back = () => {
    if (!move) return;
    const at = move.lastIndexOf(section.dataset.sep);
    const text = at < 0 ? "" : move.slice(0, at);
    ask(address(text), text, move.slice(at + 2));
  };

  const ARROWS = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };
  // The nearest place in this direction: what lies aside counts double.
  const towards = (from, [dx, dy], hits) => {
    let best = null, least = Infinity;
    for (const hit of hits) {
      const x = hit.x - from.x, y = hit.y - from.y;
      const ahead = x * dx + y * dy, aside = Math.abs(x * dy - y * dx);
      if (ahead > 1 && ahead >= aside * 0.5 && ahead + 2 * aside < least) [best, least] = [hit, ahead + 2 * aside];
    }
    return best;
  };

  const begin = (focus) => {
    before = section.cloneNode(true);
    remember();
    for (const hint of section.querySelectorAll(".how, .keys")) hint.hidden = false;
    const drawing = section.querySelector(".drawing");
    if (!drawing) return;
    const [left, top, width, height] = drawing.dataset.box.split(" ").map(Number);
    const reach = Number(drawing.dataset.reach), tall = reach * 0.866;
    drawing.style.maxWidth = `min(100%, max(82vh, 26rem) * ${width / height})`; // all of it can be seen at once
    const over = document.createElement("div");
    over.className = "hits";
    over.setAttribute("role", "group");
    over.setAttribute("aria-label", "Cells of the board");
    const svg = drawing.querySelector("svg");
    const hits = JSON.parse(drawing.dataset.hits).map(([name, x, y, fits, letter, before, after]) => ({
      name, x, y, fits, letter, before, after, button: document.createElement("button"),
    }));
    for (const hit of hits) {
      const { button } = hit;
      button.type = "button";
      button.className = hit.letter ? "hit laid" : hit.before === move ? "hit" : "hit other";
      button.style.left = `${((hit.x - reach - left) / width) * 100}%`;
      button.style.top = `${((hit.y - tall - top) / height) * 100}%`;
      button.style.width = `${((2 * reach) / width) * 100}%`;
      button.style.height = `${((2 * tall) / height) * 100}%`;
      button.tabIndex = -1;
      button.dataset.cell = hit.name;
      button.setAttribute("aria-label", label(hit));
      const ghost = () => {
        if (hit.letter) return;
        button.replaceChildren(...[face(hit.fits.includes(letter) ? letter : hit.fits[0])].filter(Boolean));
      };
      button.addEventListener("pointerenter", ghost);
      button.addEventListener("pointerleave", () => hit.letter || document.activeElement === button || button.replaceChildren());
      button.addEventListener("focus", () => {
        for (const one of hits) one.button.tabIndex = one === hit ? 0 : -1;
        ghost();
      });
      button.addEventListener("blur", () => hit.letter || button.replaceChildren());
      button.addEventListener("click", () => click(hit));
      button.addEventListener("keydown", (event) => {
        if (event.ctrlKey || event.altKey || event.metaKey) return;
        const key = event.key;
        if (key in ARROWS) towards(hit, ARROWS[key], hits)?.button.focus();
        else if (event.repeat) event.preventDefault(); // a key that is held would ask the server thirty times a second
        else if (key === "Backspace" || key === "Escape") back();
        else if (hit.fits.includes(key.toLowerCase())) lay(hit, key.toLowerCase());
        else return;
        event.preventDefault();
        event.stopPropagation();
      });
      over.append(button);
    }
    svg.after(over);
    const own = hits.find((hit) => hit.name === focus) || hits.find((hit) => hit.letter) || hits[0];
    if (own) own.button.tabIndex = 0;
    if (own && focus !== undefined) own.button.focus({ preventScroll: true });

    // A choice of a tile turns the one that was laid last, as soon as the turn is whole.
    const last = hits.findLast((hit) => hit.letter && hit.after === "");
    const whole = section.querySelector(".result") && last;
    for (const input of section.querySelectorAll("input[name=tile]")) {
      input.checked = input.value === (whole ? last.letter : letter);
      input.disabled = Boolean(whole) && !last.fits.includes(input.value);
      input.addEventListener("change", () => {
        letter = input.value;
        if (whole) lay(last, letter);
      });
    }
    section.querySelector("form.back")?.addEventListener("submit", (event) => {
      event.preventDefault();
      back();
    });
  };

  remember();
  letter = [...faces.keys()][0] || "";
  begin();
};
turn();
document.addEventListener("turn", turn); // watch.js has put a newer board in its place
