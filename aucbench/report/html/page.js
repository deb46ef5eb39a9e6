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

  /* Time to the target, one data set at a time. */
  const paceForm = form("paces");
  if (paceForm) {
    withData(paceForm);
    const until = (unit, k) => r => data.until[unit][k][r] === data.never ? Infinity : data.until[unit][k][r];
    const paceColumn = (unit, k) => ({name: `${unit} to ${data.targets[k]}`, number: true, value: until(unit, k),
      cell: r => ({[Infinity]: "never", null: "–"})[until(unit, k)(r)] ?? Chart.short(Number(until(unit, k)(r).toPrecision(3)))});
    const paceTable = Table.make(document.getElementById("pace-rows"), [
      {name: "solver", head: true, value: r => solvers[rows.solver[r]], cell: r => named(rows.solver[r])},
      ...["seconds", "passes"].flatMap(unit => data.targets.map((_, k) => paceColumn(unit, k))),
      {name: "anytime", number: true, value: value("anytime"), cell: r => fixed(rows.anytime[r], 4)},
    ]);
    const showPaces = () => paceTable.show(all.filter(r => rows.dataset[r] === dataOf(paceForm)));
    onChange(paceForm, showPaces);
    showPaces();
  }

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
      {name: "difference", number: true, value: pick("effect"),
        cell: p => [fixed(pairs.effect[p], 4), element("span", {class: "range"}, range(pairs.low[p], pairs.high[p], 4))]},
      {name: "p (Holm)", number: true, value: pick("p"), cell: p => pairs.p[p] === null ? "–" : Chart.short(Number(pairs.p[p].toPrecision(2)))},
    ]);
    const showPairs = () => {
      const dataset = dataOf(pairForm), solver = picked(pairForm.elements.solver);
      pairTable.show([...pairs.dataset.keys()].filter(p => pairs.dataset[p] === dataset &&
        (solver === null || pairs.a[p] === solver || pairs.b[p] === solver)));
    };
    onChange(pairForm, showPairs);
    showPairs();
  }

  if (!form("authors")) return; /* values from elsewhere tell nothing of a fit */

  /* Figures: one choice of data set and of solvers for all of them, which can be made at two places. */
  const forms = [form("charts"), form("authors")], hidden = new Set(data.hidden);
  forms.forEach(withData);
  const chosen = () => dataOf(forms[0]);
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
  document.querySelectorAll(".toggles").forEach(place => place.append(...solvers.map((_, number) => toggle(number)), whole("all", true), whole("none", false)));

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
  const goal = forms[1].elements.target;
  const profile = unit => box => Chart.draw(box, {label: `Performance profiles by ${unit}`, x: {name: `${unit} divided by the fewest`, log: true}, y: {name: "share of data sets"},
    series: data.profiles[unit][picked(goal)].map(([solver, x, y]) => ({number: solver, name: solvers[solver], points: zip(x, y)})).filter(one => !hidden.has(one.number))});
  const told = forms[1].elements.diagnostic;
  const info = unit => box => {
    const k = picked(told), name = data.info.names[k], known = data.info[unit] ?? [];
    const lines = inData().filter(r => known[r]?.[k]).map(r => series(r, zip(data.curves[r][unit].x, known[r][k])));
    Chart.draw(box, {label: `${name} against ${unit}`, x: {name: unit === "passes" ? unit : "seconds inside the solver", log: true}, y: {name, log: data.info.log[k]}, series: lines});
  };
  const charts = {
    ...(told ? {"info-passes": info("passes"), "info-seconds": info("seconds")} : {}),
    "auc-passes": box => Chart.draw(box, {label: `${data.quality} of the test rows against passes`, x: {name: "passes", log: true}, y: {name: `test ${data.quality}`}, series: curve("passes", "auc")}),
    "auc-seconds": box => Chart.draw(box, {label: `${data.quality} of the test rows against seconds`, x: {name: "seconds inside the solver", log: true}, y: {name: `test ${data.quality}`}, series: curve("seconds", "auc")}),
    "gap": box => Chart.draw(box, {label: "Gap of the objective against passes", x: {name: "passes", log: true}, y: {name: "(f − f*) / (f(0) − f*)", log: true}, series: curve("passes", "gap")}),
    "roc": box => Chart.draw(box, {label: "ROC curves", x: {name: "false positive rate", low: 0, high: 1}, y: {name: "true positive rate", low: 0, high: 1}, diagonal: true, area: data.range, series: band("roc", [[0, 0]])}),
    "pr": box => Chart.draw(box, {label: "Precision-recall curves", x: {name: "recall", low: 0, high: 1}, y: {name: "precision"}, series: band("pr", [])}),
    "sparsity": box => Chart.draw(box, {label: `${data.measure} against non-zero weights`, x: {name: "non-zero weights", log: true}, y: {name: data.measure}, series: [...front("nnz"), ...cloud("nnz")]}),
    "speed": box => Chart.draw(box, {label: `${data.measure} against seconds of a fit`, x: {name: "seconds of a fit", log: true}, y: {name: data.measure}, series: [...front("seconds"), ...cloud("seconds")]}),
    "profile-seconds": profile("seconds"),
    "profile-passes": profile("passes"),
  };

  /* Tuning: one solver at a time, two of its axes. */
  const position = values => {
    if (values.every(v => typeof v === "number")) {
      const known = values.filter(v => v > 0), spread = Math.max(...known) / Math.min(...known);
      return {of: v => v, log: known.length === values.length && spread > 50};
    }
    const names = [...new Set(values.map(v => JSON.stringify(v)))];
    return {of: v => names.indexOf(JSON.stringify(v)) + 1, log: false, names};
  };
  const axis = (name, place) => ({name: place.names ? `${name}: ${place.names.map((v, k) => `${k + 1} = ${v}`).join(", ")}` : name, log: place.log});
  let tuned = null, across = [0, 1];
  charts.tuning = box => {
    const known = all.filter(r => rows.dataset[r] === chosen() && data.tuning[r]);
    const canvas = element("div"), choices = element("form", {class: "filters"});
    box.closest("figure").hidden = !known.length;
    if (!known.length) return;
    if (!known.includes(tuned)) [tuned, across] = [known[0], [0, 1]];
    const {axes, points} = data.tuning[tuned];
    const select = (label, names, now, act) => {
      const made = element("select", {"aria-label": label});
      names.forEach(([v, name]) => made.append(element("option", {value: v}, name)));
      made.value = now;
      made.addEventListener("input", () => { act(Number(made.value)); charts.tuning(box); });
      return element("label", {}, `${label} `, made);
    };
    choices.append(select("solver", known.map(r => [r, solvers[rows.solver[r]]]), tuned, v => { [tuned, across] = [v, [0, 1]]; }));
    if (axes.length > 2) [0, 1].forEach(k => choices.append(select(k ? "up" : "across", axes.map((name, j) => [j, name]), across[k], v => { across[k] = v; })));
    choices.addEventListener("submit", event => event.preventDefault());
    box.replaceChildren(choices, canvas);
    const text = p => `${axes.map((name, j) => `${name}=${JSON.stringify(p[0][j])}`).join(", ")}: inner AUC ${fixed(p[1], 4)}, chosen in ${p[2]} fold(s)`;
    const places = axes.map((_, j) => position(points.map(p => p[0][j])));
    const x = across[0];
    if (axes.length === 1) {
      const spots = points.map(p => [places[0].of(p[0][0]), p[1], text(p)]).sort((a, b) => a[0] - b[0]);
      Chart.draw(canvas, {label: "Inner AUC by parameter", x: axis(axes[0], places[0]), y: {name: "inner AUC"},
        series: [{number: rows.solver[tuned], name: solvers[rows.solver[tuned]], points: spots, marks: 1, size: 1.1}]});
    } else {
      const y = across[1];
      Chart.heat(canvas, {label: "Inner AUC by parameters", x: axis(axes[x], places[x]), y: axis(axes[y], places[y]),
        points: points.map(p => ({x: places[x].of(p[0][x]), y: places[y].of(p[0][y]), value: p[1], ring: p[2] > 0, text: text(p)}))});
    }
  };

  Object.assign(charts, Sections.charts(data.added));

  /* What is folded has no width; it is drawn when it is opened. */
  const boxes = [...document.querySelectorAll("[data-chart]")];
  const drawAll = () => boxes.filter(box => !box.closest("details:not([open])")).forEach(box => charts[box.dataset.chart](box));
  forms.forEach((one, k) => onChange(one, () => {
    if (one.elements.dataset) forms[1 - k].elements.dataset.value = one.elements.dataset.value;
    drawAll();
  }));
  const authors = document.getElementById("authors");
  authors.addEventListener("toggle", drawAll);
  document.querySelector("nav [href='#authors']").addEventListener("click", () => { authors.open = true; });
  drawAll();
  let width = 0;
  new ResizeObserver(entries => {
    const now = Math.round(entries[0].contentRect.width);
    if (now !== width) { width = now; drawAll(); }
  }).observe(document.querySelector("main"));
})();
