// Reads the queue back while it is written. Without this script a button does it.
"use strict";

(() => {
  const form = document.getElementById("queue");
  const plan = document.getElementById("plan");
  if (!form || !plan) return;
  let waiting = 0, asked = 0;

  const ask = async () => {
    const mine = ++asked;
    const fields = new URLSearchParams(new FormData(form));
    fields.set("do", "read");
    const answer = await fetch(form.action, { method: "POST", body: fields }).catch(() => null);
    if (!answer || mine !== asked) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.getElementById("read");
    if (fresh && mine === asked) document.getElementById("read").replaceChildren(...fresh.childNodes);
  };
  plan.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(ask, 400);
  });
})();
