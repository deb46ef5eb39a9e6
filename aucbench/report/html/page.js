"use strict";
/* Sorts and filters tables, names the curve below the pointer, and switches light and dark. */
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const make = (name, properties = {}) => Object.assign(document.createElement(name), properties);
  const FEW = 20; // rows of a section that need no filter

  /* Sorting: by what a cell shows; what is no number comes last, whatever the direction. */
  const collator = new Intl.Collator("en", {numeric: true});
  const order = (a, b, isText, sign) => {
    if (isText) return sign * collator.compare(a, b);
    const [x, y] = [parseFloat(a), parseFloat(b)];
    return isNaN(x) || isNaN(y) ? isNaN(x) - isNaN(y) : sign * (x - y);
  };
  all("thead th").forEach(head => {
    const name = head.textContent, isText = head.classList.contains("t");
    if (!name) return;
    const button = make("button", {type: "button", textContent: name});
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const first = isText ? "ascending" : "descending", now = head.ariaSort;
      const next = now === "ascending" ? "descending" : now ? "ascending" : first;
      all("th", head.parentNode).forEach(one => one.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", next);
      const body = head.closest("table").tBodies[0], j = head.cellIndex;
      const key = row => row.cells[j].firstChild?.textContent ?? "";
      const sign = next === "ascending" ? 1 : -1;
      body.append(...[...body.rows].sort((a, b) => order(key(a), key(b), isText, sign)));
    });
  });

  /* A filter above the tables of a section; a folded part without a match is hidden. */
  all("section").forEach(section => {
    const rows = all("tbody tr", section);
    if (rows.length <= FEW) return;
    const box = make("input", {type: "search", placeholder: "filter", ariaLabel: "Filter of the rows"});
    section.querySelector("h2").after(box);
    box.addEventListener("input", () => {
      const wanted = box.value.trim().toLowerCase();
      const has = node => node.textContent.toLowerCase().includes(wanted);
      const inTitle = row => row.closest("details") && has(row.closest("details").querySelector("summary"));
      rows.forEach(row => { row.hidden = !has(row) && !inTitle(row); });
      all("details", section).forEach(part => {
        const own = all("tbody tr", part);
        if (!own.length) return;
        part.hidden = own.every(row => row.hidden);
        if (wanted && !part.hidden) part.open = true;
      });
    });
  });

  /* The name and the place of the point of a curve below the pointer. */
  const valueAt = (place, [first, last, low, high, isLog]) => {
    const share = (place - first) / (last - first);
    return isLog ? low * (high / low) ** share : low + share * (high - low);
  };
  all("svg.plot").forEach(plot => {
    const told = make("output", {textContent: "\u00a0"}), scale = JSON.parse(plot.dataset.scale);
    plot.after(told);
    plot.addEventListener("pointermove", event => {
      const line = event.target.closest(".line");
      if (!line) return;
      const place = new DOMPoint(event.clientX, event.clientY).matrixTransform(plot.getScreenCTM().inverse());
      const [x, y] = [place.x, place.y].map((z, k) => Number(valueAt(z, scale[k]).toPrecision(3)));
      told.textContent = `${line.querySelector("title").textContent}: ${x}, ${y}`;
    });
  });

  const theme = make("button", {type: "button", className: "theme", textContent: "light / dark"});
  theme.addEventListener("click", () => {
    const root = document.documentElement, now = root.style.colorScheme;
    const isDark = now ? now === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.style.colorScheme = isDark ? "light" : "dark";
  });
  document.querySelector("header").prepend(theme);
})();
