// A timeline that grows while somebody reads it leaves what they read where it is.
(() => {
  let anchor = null;
  const rows = () => [...document.querySelectorAll("#timeline tbody a[id]")];
  document.addEventListener("htmx:beforeSwap", (event) => {
    anchor = null;
    if (event.detail.target?.id !== "timeline" || event.detail.requestConfig?.triggeringEvent?.type !== "live") return;
    if (scrollY < 40) return;  // whoever is at the top wants to see what is new
    const link = rows().find((each) => each.getBoundingClientRect().top >= 0);
    if (link) anchor = { id: link.id, top: link.getBoundingClientRect().top };
  });
  document.addEventListener("htmx:afterSwap", () => {
    if (!anchor) return;
    const link = document.getElementById(anchor.id);
    if (link) scrollBy(0, link.getBoundingClientRect().top - anchor.top);
    anchor = null;
  });
})();
