// <button data-copy="id"> copies the text of the element of that id; where that is not allowed, it selects it.
(() => {
  const say = (button, text) => {
    button.dataset.label ??= button.textContent;
    button.textContent = text;
    setTimeout(() => { button.textContent = button.dataset.label; }, 1800);
  };
  const select = (element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    const selection = getSelection();
    selection.removeAllRanges();
    selection.addRange(range);
    element.focus();
  };
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copy]");
    if (!button) return;
    const source = document.getElementById(button.dataset.copy);
    try {
      await navigator.clipboard.writeText(source.textContent);
      say(button, "Copied");
    } catch {  // no permission, or a page that is not served over https
      select(source);
      say(button, "Selected: ctrl+C");
    }
  });
})();
