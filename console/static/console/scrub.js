// The slider over the calls of an instance: it shows where it is while it is dragged, and grows with the run.
(() => {
  const slider = () => document.querySelector("#scrub");
  const label = (value) => (Number(value) < 0 ? "start" : value);
  document.addEventListener("input", (event) => {
    if (event.target.id === "scrub") document.querySelector("#scrub-where").textContent = label(event.target.value);
  });
  document.addEventListener("htmx:afterSettle", () => {
    const steps = document.querySelector("#steps");
    const range = slider();
    if (!steps || !range) return;
    if (Number(steps.dataset.last) >= 0) range.max = steps.dataset.last;
    // While it is dragged it is ahead of the page.
    if (document.activeElement !== range) {
      range.value = steps.dataset.ordinal;
      document.querySelector("#scrub-where").textContent = label(steps.dataset.ordinal);
    }
    const title = document.querySelector("#moment")?.dataset.title;
    if (title) document.title = `${title} · Seahaven`;
  });
})();
