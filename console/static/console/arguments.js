// The form for a tool's arguments: rows come and go, and of a union only the chosen way is shown. Without this a list
// has one free row, "Add another" asks the server for the next one, and every way of a union is there to fill in.
(() => {
  const REFERRING = ["name", "id", "for", "href", "aria-describedby", "aria-label", "data-argument", "data-rows"];

  const renamed = (row, from, to) => {
    for (const element of [row, ...row.querySelectorAll("*")]) {
      for (const attribute of REFERRING) {
        const value = element.getAttribute(attribute);
        if (value?.includes(from)) element.setAttribute(attribute, value.replaceAll(from, to));
      }
    }
    return row;
  };

  const isBlank = (row) =>
    [...row.querySelectorAll("input, select, textarea")].every((control) =>
      control.dataset.pick !== undefined || (/radio|checkbox/.test(control.type) ? !control.checked || !control.value : !control.value));

  const add = (list) => {
    const most = Number(list.dataset.most || Infinity);
    if (list.children.length >= most) return null;
    const next = list.nextIndex++;
    const row = renamed(list.blank.cloneNode(true), `${list.dataset.rows}/${list.blankIndex}`, `${list.dataset.rows}/${next}`);
    list.append(row);
    prepare(row);
    number(list);
    return row;
  };

  // What a row is called is its place.
  const number = (list) => {
    [...list.children].forEach((row, index) => {
      const label = row.querySelector(":scope > .argument > .label > label, :scope > fieldset > legend");
      const text = [...(label?.childNodes ?? [])].findLast((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
      if (text) text.data = String(index + 1);
      row.querySelector(":scope > [data-remove]").hidden = row === list.lastElementChild && isBlank(row);
    });
  };

  const prepareList = (list) => {
    if (list.blank || !list.children.length) return;
    const last = list.lastElementChild;
    const indexOf = (row) => Number(row.querySelector("[data-argument]").dataset.argument.slice(list.dataset.rows.length + 1));
    list.blankIndex = indexOf(last);
    list.nextIndex = Math.max(...[...list.children].map(indexOf)) + 1;
    list.blank = last.cloneNode(true);
    for (const control of list.blank.querySelectorAll("input, select, textarea")) {
      if (/radio|checkbox/.test(control.type)) control.checked = control.type === "radio" && !control.value;
      else control.value = "";
    }
    const button = list.parentElement.querySelector(":scope > [data-add]");
    if (button) button.type = "button";
    number(list);
  };

  const showWay = (field) => {
    const chosen = field.querySelector(":scope > legend > select.how").value;
    for (const way of field.querySelectorAll(":scope > [data-way]")) way.hidden = way.dataset.way !== chosen;
  };

  const showHow = (select) => {
    const field = select.closest(".argument");
    if (field.matches(".is-union")) { showWay(field); return; }
    const isNull = select.value === "null";
    field.classList.toggle("is-null", isNull);
    const control = field.querySelector(":scope > .fill > :is(input, textarea)");
    if (control) control.readOnly = isNull;
  };

  // An instant is text with an offset; the browser's own picker writes it.
  const pickInstants = (input) => {
    if (input.nextElementSibling?.dataset.pick !== undefined) return;
    const picker = document.createElement("input");
    picker.type = "datetime-local";
    picker.step = 1;
    picker.dataset.pick = "";
    picker.setAttribute("aria-label", "Pick an instant, in UTC");
    const show = () => { picker.value = /Z$/.test(input.value) ? input.value.slice(0, 19) : ""; };
    picker.addEventListener("input", () => {
      if (picker.value) input.value = `${picker.value.length === 16 ? `${picker.value}:00` : picker.value.slice(0, 19)}Z`;
    });
    input.addEventListener("input", show);
    show();
    input.after(picker);
  };

  const prepare = (root) => {
    root.querySelectorAll("[data-rows]").forEach(prepareList);
    root.querySelectorAll("select.how").forEach(showHow);
    root.querySelectorAll("[data-instant]").forEach(pickInstants);
  };

  document.addEventListener("input", (event) => {
    if (event.target.matches("select.how")) showHow(event.target);
    // Each list down to the one typed in keeps a free row at its end.
    for (let row = event.target.closest(".argument-row"); row; row = row.parentElement.closest(".argument-row")) {
      const list = row.parentElement;
      if (list.blank && row === list.lastElementChild && !isBlank(row)) add(list);
    }
  });

  document.addEventListener("click", (event) => {
    const adder = event.target.closest("[data-add]");
    const remover = event.target.closest("[data-remove]");
    if (adder) {
      const list = adder.parentElement.querySelector(":scope > [data-rows]");
      if (!list) { adder.type = "submit"; return; }
      const last = list.lastElementChild;
      const row = last && isBlank(last) ? last : add(list);
      row?.querySelector("input, select, textarea")?.focus();
    } else if (remover) {
      const row = remover.closest(".argument-row");
      const list = row.parentElement;
      const isLast = row === list.lastElementChild;
      row.remove();
      if (isLast || !list.children.length) add(list);
      number(list);
      list.querySelector("input, select, textarea")?.focus();
    }
  });

  // What came of a call is brought into view; who typed goes on typing.
  document.addEventListener("htmx:afterSettle", (event) => {
    const outcome = document.querySelector("#outcome");
    if (outcome && event.detail.target?.id === "outcome" && outcome.getBoundingClientRect().top > innerHeight * 0.7) {
      outcome.scrollIntoView({ block: "start" });
    }
  });

  document.addEventListener("htmx:load", (event) => {
    const form = event.target.closest?.("#arguments") ?? event.target.querySelector?.("#arguments");
    if (!form) return;
    prepare(form);
    form.querySelector("[role=alert] a")?.focus();
  });
  const form = document.querySelector("#arguments");
  if (form) prepare(form);
})();
