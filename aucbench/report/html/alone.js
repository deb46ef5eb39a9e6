"use strict";
/* A page of sections only: sorts its tables and draws its charts. */
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  document.querySelectorAll("table[data-sortable]").forEach(Table.enhance);
  const charts = Sections.charts(data.added), boxes = [...document.querySelectorAll("[data-chart]")];
  const drawAll = () => boxes.forEach(box => charts[box.dataset.chart](box));
  drawAll();
  let width = 0;
  new ResizeObserver(entries => {
    const now = Math.round(entries[0].contentRect.width);
    if (now !== width) { width = now; drawAll(); }
  }).observe(document.querySelector("main"));
})();
