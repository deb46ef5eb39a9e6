"use strict";
/* Fills the tables and figures of the page from its data; computes no statistic. */
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const {element} = Table, {solvers, datasets, rows, pairs} = data;
  const count = rows.dataset.length;
  const all = [...Array(count).keys()];
  const swatch = number => Chart.swatch(Chart.node("svg", {class: "swatch", width: 26, height: 12, "aria-hidden": "true"}), number);
  const named = number => [swatch(number), element("span", {class: "name"}, solvers[number])];
  const fixed = (x, digits) => x === null ? "–" : x.toFixed(digits);
  const range = (low, high, digits) => low === null ? "" : ` ${low.toFixed(digits)} – ${high.toFixed(digits)}`;

  document.querySelectorAll("[data-swatch]").forEach(svg => Chart.swatch(svg, Number(svg.dataset.swatch)));
  document.querySelectorAll("table[data-sortable]").forEach(Table.enhance);

  /* Selections. */
  const options = (select, names) => names.forEach((name, k) => select.append(element("option", {value: k}, name)));
  const form = name => document.querySelector(`form[data-for="${name}"]`);
  const picked = select => select.value === "" ? null : Number(select.value);
  const onChange = (where, act) => {
    where.addEventListener("input", act);
    where.addEventListener("submit", event => event.preventDefault());
  };

  /* Data set by data set. */
  const value = name => r => rows[name][r];
  const columns = [
    {name: "data set", value: r => datasets[rows.dataset[r]], head: true,
      cell: r => element("span", {class: "name"}, datasets[rows.dataset[r]])},
    {name: "solver", value: r => solvers[rows.solver[r]], cell: r => named(rows.solver[r]).concat(rows.leading[r] ? [element("span", {class: "mark", title: "may be the best of the data set: none of the others is shown to be better"}, "\u00a0★")] : [])},
    {name: data.measure, number: true, value: value("estimate"),
      cell: r => [fixed(rows.estimate[r], 4), element("span", {class: "range"}, range(rows.low[r], rows.high[r], 4)),
        ...(rows.note[r] === null ? [] : [" ", element("abbr", {class: "why", title: data.notes[rows.note[r]], tabindex: 0}, "?")])]},
    {name: "over splits", number: true, value: value("split_low"), title: "interval for other training and test rows",
      cell: r => element("span", {class: "range"}, range(rows.split_low[r], rows.split_high[r], 4) || "–")},
    {name: "rank", number: true, value: value("rank"), cell: r => rows.rank[r] === null ? "–" : Chart.short(rows.rank[r])},
    {name: "fit s", idle: true, number: true, value: value("seconds"), cell: r => rows.seconds[r] === null ? "–" : Chart.short(Number(rows.seconds[r].toPrecision(3)))},
    {name: "non-zeros", idle: true, number: true, value: value("nnz"), cell: r => rows.nnz[r] === null ? "–" : Chart.short(Number(rows.nnz[r].toPrecision(4)))},
    {name: "ok", number: true, value: value("ok"), cell: r => `${rows.ok[r]}/${rows.planned[r]}`},
    {name: "end", idle: true, value: value("end"), cell: r => rows.end[r]},
  ].filter(column => !column.idle || all.some(r => column.value(r)));
  const filters = form("rows");
  if (filters) {
    options(filters.elements.dataset, datasets);
    options(filters.elements.solver, solvers);
    const table = Table.make(document.getElementById("rows"), columns, {rowClass: r => rows.leading[r] ? "leading" : ""});
    const filtered = () => {
      const {text, dataset, solver, leading, failed} = filters.elements;
      const wanted = text.value.trim().toLowerCase();
      return all.filter(r =>
        (picked(dataset) === null || rows.dataset[r] === picked(dataset)) &&
        (picked(solver) === null || rows.solver[r] === picked(solver)) &&
        (!leading.checked || rows.leading[r]) && (!failed.checked || rows.ok[r] < rows.planned[r]) &&
        (!wanted || `${datasets[rows.dataset[r]]} ${solvers[rows.solver[r]]}`.toLowerCase().includes(wanted)));
    };
    onChange(filters, () => table.show(filtered()));
    table.show(filtered());
  }

  /* The data set of a form; a page about one data set has no choice. */
  const dataOf = where => where.elements.dataset ? picked(where.elements.dataset) : 0;
  const withData = where => { if (where.elements.dataset) options(where.elements.dataset, datasets); };

  /* Pairs inside one data set. */
  const pairForm = form("pairs");
  if (pairForm) {
    withData(pairForm);
    options(pairForm.elements.solver, solvers);
    const pick = name => p => pairs[name][p];
    const pairTable = Table.make(document.getElementById("pair-rows"), [
      {name: "solver", head: true, value: p => solvers[pairs.a[p]], cell: p => named(pairs.a[p])},
      {name: "is", value: p => data.words[pairs.word[p]]},
      {name: "than / to", value: p => solvers[pairs.b[p]], cell: p => named(pairs.b[p])},
      {name: "difference", number: true, value: pick("estimate"),
        cell: p => [fixed(pairs.estimate[p], 4), element("span", {class: "range"}, range(pairs.low[p], pairs.high[p], 4))]},
      {name: "p (Holm)", number: true, value: pick("adjusted_p"), cell: p => pairs.adjusted_p[p] === null ? "–" : Chart.short(Number(pairs.adjusted_p[p].toPrecision(2)))},
    ]);
    const showPairs = () => {
      const dataset = dataOf(pairForm), solver = picked(pairForm.elements.solver);
      pairTable.show([...pairs.dataset.keys()].filter(p => pairs.dataset[p] === dataset &&
        (solver === null || pairs.a[p] === solver || pairs.b[p] === solver)));
    };
    onChange(pairForm, showPairs);
    showPairs();
  }

  const chartForm = form("charts");
  if (!chartForm) return; /* values from elsewhere tell nothing of a fit */

  /* Figures: one choice of data set and of solvers for all of them. */
  const hidden = new Set(data.hidden);
  withData(chartForm);
  const chosen = () => dataOf(chartForm);
  const toggle = number => {
    const button = element("button", {type: "button", "aria-pressed": String(!hidden.has(number)), "data-solver": number}, ...named(number));
    button.addEventListener("click", () => set([number], hidden.has(number)));
    return button;
  };
  const whole = (name, on) => {
    const button = element("button", {type: "button"}, name);
    button.addEventListener("click", () => set([...solvers.keys()], on));
    return button;
  };
  const set = (numbers, on) => {
    numbers.forEach(number => {
      hidden[on ? "delete" : "add"](number);
      document.querySelectorAll(`.toggles [data-solver="${number}"]`).forEach(button => button.setAttribute("aria-pressed", String(on)));
    });
    drawAll();
  };
  document.querySelector(".toggles").append(...solvers.map((_, number) => toggle(number)), whole("all", true), whole("none", false));

  const inData = () => all.filter(r => rows.dataset[r] === chosen() && !hidden.has(rows.solver[r]));
  const zip = (a, b) => a.map((x, k) => [x, b[k]]);
  const series = (r, points, more = {}) => ({number: rows.solver[r], name: solvers[rows.solver[r]], points, ...more});
  const curve = (unit, y) => inData().map(r => [r, data.curves[r]?.[unit]]).filter(([, one]) => one).map(([r, one]) => series(r, zip(one.x, one[y])));
  const band = (kind, start) => inData().filter(r => data[kind].of[r]).map(r => {
    const [mean, low, high] = data[kind].of[r].map(values => values.map(v => v / data.unit)), x = data[kind].x;
    return series(r, [...start, ...zip(x, mean)], {band: x.map((v, k) => [v, low[k], high[k]]), marks: 1e9});
  });
  const cloud = name => inData().map(r => series(r, [[rows[name][r], rows.estimate[r],
    `${solvers[rows.solver[r]]}: ${rows[name][r] === null ? "" : Chart.short(rows[name][r])}, ${fixed(rows.estimate[r], 4)}`]], {size: 1.3}));
  const front = name => {
    const known = (data.fronts[name][chosen()] ?? []).filter(r => !hidden.has(rows.solver[r]));
    return known.length > 1 ? [{number: 6, name: "Pareto front of all solvers", marks: 1e9, size: 0.01, points: known.map(r => [rows[name][r], rows.estimate[r]])}] : [];
  };
  const told = chartForm.elements.diagnostic;
  if (told) options(told, data.diagnostics.of.map(one => one.name));
  const diagnostic = (unit, name) => box => {
    const one = data.diagnostics.of[picked(told)];
    Chart.draw(box, {label: `${one.name} against ${unit}`, x: {name, log: true}, y: {name: one.name, log: one.log},
      series: inData().filter(r => one[unit][r]).map(r => series(r, zip(data.curves[r][unit].x, one[unit][r])))});
  };
  const charts = {
    "auc-passes": box => Chart.draw(box, {label: `${data.quality} of the test rows against passes`, x: {name: "passes", log: true}, y: {name: `test ${data.quality}`}, series: curve("passes", "auc")}),
    "auc-seconds": box => Chart.draw(box, {label: `${data.quality} of the test rows against seconds`, x: {name: "seconds inside the solver", log: true}, y: {name: `test ${data.quality}`}, series: curve("seconds", "auc")}),
    "gap": box => Chart.draw(box, {label: "Gap of the objective against passes", x: {name: "passes", log: true}, y: {name: "(f − f*) / (f(0) − f*)", log: true}, series: curve("passes", "gap")}),
    "diagnostic-passes": diagnostic("passes", "passes"),
    "diagnostic-seconds": diagnostic("seconds", "seconds inside the solver"),
    "roc": box => Chart.draw(box, {label: "ROC curves", x: {name: "false positive rate", low: 0, high: 1}, y: {name: "true positive rate", low: 0, high: 1}, diagonal: true, area: data.range, series: band("roc", [[0, 0]])}),
    "pr": box => Chart.draw(box, {label: "Precision-recall curves", x: {name: "recall", low: 0, high: 1}, y: {name: "precision"}, series: band("pr", [])}),
    "sparsity": box => Chart.draw(box, {label: `${data.measure} against non-zero weights`, x: {name: "non-zero weights", log: true}, y: {name: data.measure}, series: [...front("nnz"), ...cloud("nnz")]}),
    "speed": box => Chart.draw(box, {label: `${data.measure} against seconds of a fit`, x: {name: "seconds of a fit", log: true}, y: {name: data.measure}, series: [...front("seconds"), ...cloud("seconds")]}),
  };

  Object.assign(charts, Sections.charts(data.added));

  const boxes = [...document.querySelectorAll("[data-chart]")];
  const drawAll = () => boxes.forEach(box => charts[box.dataset.chart](box));
  onChange(chartForm, drawAll);
  drawAll();
  let width = 0;
  new ResizeObserver(entries => {
    const now = Math.round(entries[0].contentRect.width);
    if (now !== width) { width = now; drawAll(); }
  }).observe(document.querySelector("main"));
})();
