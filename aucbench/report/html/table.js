"use strict";
/* Tables that sort by a button in each header and show a part of their rows at a time. */
const Table = (() => {
  const PART = 200;
  const element = (name, attributes = {}, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  };

  const collator = new Intl.Collator("en", {numeric: true});
  /* Empty values are last, whatever the direction. */
  const compare = (a, b, down) => {
    const none = v => v === null || v === undefined || v === "";
    if (none(a) || none(b)) return none(a) - none(b);
    const order = typeof a === "number" && typeof b === "number" ? a - b : collator.compare(String(a), String(b));
    return down ? -order : order;
  };

  const header = (column, pressed) => {
    const th = element("th", {scope: "col", ...(column.number ? {class: "number"} : {})});
    const button = element("button", {type: "button"}, column.name);
    if (column.title) button.title = column.title;
    button.addEventListener("click", () => pressed(th));
    th.append(button);
    return th;
  };

  const turn = (th, heads, first) => {
    const now = th.getAttribute("aria-sort");
    const next = now ? (now === "ascending" ? "descending" : "ascending") : first;
    for (const other of heads) other.removeAttribute("aria-sort");
    th.setAttribute("aria-sort", next);
    return next === "descending";
  };

  /* A table that is in the page already: its rows are sorted in place. Returns a function that
     sorts again, once values have changed. */
  const enhance = table => {
    const heads = [...table.tHead.rows[0].querySelectorAll("th")], body = table.tBodies[0];
    let sort = () => {};
    heads.forEach((th, j) => {
      const number = th.dataset.kind === "number";
      const button = element("button", {type: "button"}, ...th.childNodes);
      button.addEventListener("click", () => {
        const down = turn(th, heads, number ? "descending" : "ascending");
        const value = row => {
          const cell = row.cells[j];
          if (!number) return cell.textContent.trim();
          return cell.dataset.value === "" ? null : Number(cell.dataset.value);
        };
        sort = () => body.append(...[...body.rows].sort((a, b) => compare(value(a), value(b), down)));
        sort();
      });
      th.append(button);
    });
    return () => sort();
  };

  /* A table of data: columns are {name, number, value(row), cell(row)}. Returns {show(rows)}. */
  const make = (table, columns, {rowClass = () => ""} = {}) => {
    let rows = [], shown = PART, by = null, down = false;
    const body = element("tbody"), heads = [];
    const more = document.querySelector(`[data-more="${table.id}"]`);
    const said = document.querySelector(`output[for="${table.id}"]`);
    columns.forEach((column, j) => heads.push(header(column, th => {
      down = turn(th, heads, column.number ? "descending" : "ascending");
      by = j;
      render();
    })));
    const render = () => {
      const sorted = by === null ? rows : [...rows].sort((a, b) => compare(columns[by].value(a), columns[by].value(b), down));
      body.replaceChildren(...sorted.slice(0, shown).map(row => {
        const tr = element("tr", {class: rowClass(row)});
        columns.forEach(column => {
          const content = column.cell ? column.cell(row) : column.value(row) ?? "–";
          const cell = element(column.head ? "th" : "td", column.number ? {class: "number"} : {}, ...[content].flat());
          if (column.head) cell.scope = "row";
          tr.append(cell);
        });
        return tr;
      }));
      said.textContent = `${Math.min(shown, rows.length)} of ${rows.length} rows`;
      more.hidden = shown >= rows.length;
    };
    more.addEventListener("click", () => { shown += PART; render(); });
    addEventListener("beforeprint", () => { shown = Math.max(shown, 1000); render(); });
    table.replaceChildren(element("thead", {}, element("tr", {}, ...heads)), body);
    return {show: some => { rows = some; shown = PART; render(); }};
  };

  return {enhance, make, element};
})();
