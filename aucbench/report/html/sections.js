"use strict";
/* Charts of sections, whose lines have styles of their own, and the legends below them. */
const Sections = (() => {
  const {element} = Table;
  const swatch = number => Chart.swatch(Chart.node("svg", {class: "swatch", width: 26, height: 12, "aria-hidden": "true"}), number);

  /* Fills the legends; returns a function for each chart, which draws it in a box. */
  const charts = added => Object.fromEntries(added.map((one, k) => {
    const lines = one.lines.map(([name, x, y, low, high], number) => ({number, name, points: x.map((value, j) => [value, y[j]]),
      ...(low ? {band: x.map((value, j) => [value, low[j], high[j]])} : {})}));
    document.querySelector(`[data-lines="${k}"]`).append(...lines.map(line => element("li", {}, swatch(line.number), element("span", {class: "name"}, line.name))));
    return [`added-${k}`, box => Chart.draw(box, {label: one.title, x: {name: one.x, log: one.log_x}, y: {name: one.y, log: one.log_y}, diagonal: one.diagonal,
      series: lines})];
  }));
  return {charts};
})();
