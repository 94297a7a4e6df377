// A list to choose from that Django's admin draws itself has no name for a screen reader: give it that of its field.
"use strict";

function name(chooser) {
  const box = chooser.nextElementSibling;
  const label = chooser.getAttribute("aria-label") || document.querySelector(`label[for="${chooser.id}"]`)?.textContent;
  if (!box || !label) return;
  for (const each of box.querySelectorAll("[role=combobox], input.select2-search__field")) {
    each.removeAttribute("aria-labelledby");
    each.setAttribute("aria-label", label.replace(/:\s*$/, ""));
  }
}

function nameAll() {
  for (const chooser of document.querySelectorAll("select.select2-hidden-accessible")) name(chooser);
}

window.addEventListener("load", () => {
  nameAll();
  document.addEventListener("formset:added", () => setTimeout(nameAll));
});
