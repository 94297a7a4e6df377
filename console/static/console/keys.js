// Keys, filters, and forms that say that they are busy. Everything here works without it, too, but slower.
(() => {
  const typing = (element) => element.matches("input, textarea, select, [contenteditable]");
  let before = "";
  document.addEventListener("keydown", (event) => {
    const inField = typing(event.target);
    if (event.key === "Escape" && inField) { event.target.blur(); return; }
    if (event.key === "Enter" && event.target.dataset?.filters) { event.preventDefault(); open(event.target); return; }
    if ((event.ctrlKey || event.metaKey) && event.key === "Enter") {
      const form = event.target.closest("form");
      if (form) { event.preventDefault(); form.requestSubmit(); }
      return;
    }
    if (inField || event.ctrlKey || event.metaKey || event.altKey) return;
    const keys = [before && `${before} ${event.key}`, event.key].filter(Boolean);
    before = event.key.length === 1 ? event.key : "";
    setTimeout(() => { before = ""; }, 900);
    for (const key of keys) {
      const target = document.querySelector(`[data-key="${CSS.escape(key)}"]`);
      if (target) {
        event.preventDefault();
        if (typing(target)) target.focus(); else target.click();
        return;
      }
    }
    if (event.key === "j" || event.key === "k") walk(event.key === "j" ? 1 : -1);
  });

  // j and k walk through the links of a list marked data-walk.
  const walk = (by) => {
    const links = [...document.querySelectorAll("[data-walk] a")].filter((link) => link.offsetParent);
    if (!links.length) return;
    const at = links.indexOf(document.activeElement);
    const from = at >= 0 ? at : links.findIndex((link) => link.hasAttribute("aria-current"));
    links[Math.max(0, Math.min(links.length - 1, from < 0 ? (by > 0 ? 0 : links.length - 1) : from + by))].focus();
  };

  document.querySelector("[data-walk] [aria-current]")?.scrollIntoView({ block: "nearest" });

  // <input data-filters="#list li"> hides those that do not have every word.
  document.addEventListener("input", (event) => {
    const chosen = event.target.dataset?.filters;
    if (!chosen) return;
    const words = event.target.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const item of document.querySelectorAll(chosen)) {
      const text = (item.textContent + " " + (item.querySelector("[title]")?.title ?? "")).toLowerCase();
      item.hidden = !words.every((word) => text.includes(word));
    }
  });

  // Enter in such a field opens what it names: a link of these words, else one that begins so, else the first left.
  const open = (field) => {
    const words = field.value.trim().toLowerCase();
    const links = [...document.querySelectorAll(field.dataset.filters)].filter((item) => !item.hidden)
      .map((item) => item.querySelector("a")).filter((link) => link?.offsetParent);
    const named = (link) => link.firstChild.textContent.trim().toLowerCase();  // without what a <small> says of it
    (links.find((link) => named(link) === words) ?? links.find((link) => named(link).startsWith(words)) ?? links[0])?.click();
  };

  // What is filtered stays so when a part of the page is replaced.
  document.addEventListener("htmx:afterSettle", () => {
    for (const field of document.querySelectorAll("[data-filters]")) {
      if (field.value) field.dispatchEvent(new Event("input", { bubbles: true }));
    }
  });

  // <form data-busy="Opening …" data-confirm="Really?">
  document.addEventListener("submit", (event) => {
    const { confirm: question, busy } = event.target.dataset;
    if (question && !confirm(question)) { event.preventDefault(); return; }
    const button = event.target.querySelector("button:not([type=button])");
    if (busy && button && !event.target.hasAttribute("hx-post")) {
      button.dataset.label = button.textContent;
      button.textContent = busy;
      button.disabled = true;
    }
  });
  addEventListener("pageshow", () => {
    for (const button of document.querySelectorAll("button[data-label]")) {
      button.textContent = button.dataset.label;
      button.disabled = false;
    }
  });

  // What htmx was refused is shown where the eye is; the page stays as it is.
  const say = (text) => { document.querySelector("#problem").innerHTML = text; };
  document.addEventListener("htmx:responseError", (event) => {
    const { xhr } = event.detail;
    const isPart = xhr.getResponseHeader("Content-Type")?.startsWith("text/html") && !xhr.responseText.includes("<html");
    say(isPart ? xhr.responseText : `<p class="note error">The server answered ${xhr.status}.</p>`);
  });
  document.addEventListener("htmx:sendError", () => say('<p class="note error">The server does not answer. The page tries again when it does.</p>'));
  document.addEventListener("htmx:afterOnLoad", () => say(""));
})();
