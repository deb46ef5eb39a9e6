"use strict";
/* Small charts in SVG: lines with bands and markers, and points.
   All text goes in as text nodes, so that a name is never read as markup. */
const Chart = (() => {
  const SVG = "http://www.w3.org/2000/svg";
  const COLOURS = 7, DASHES = ["", "6 3", "2 3", "9 3 2 3"];
  const SHAPES = [
    "M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0", "M-4,-4h8v8h-8z", "M0,-5l5,9h-10z",
    "M0,-5l5,5l-5,5l-5,-5z", "M0,5l5,-9h-10z", "M-4,-1.3h2.7v-2.7h2.6v2.7h2.7v2.6h-2.7v2.7h-2.6v-2.7h-2.7z",
    "M-4,-2.6L-2.6,-4L0,-1.4L2.6,-4L4,-2.6L1.4,0L4,2.6L2.6,4L0,1.4L-2.6,4L-4,2.6L-1.4,0z",
    "M0,-5l1.5,3.5h3.5l-2.8,2.3l1.2,4l-3.4,-2.5l-3.4,2.5l1.2,-4l-2.8,-2.3h3.5z"];

  const node = (name, attributes = {}, ...children) => {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  };

  /* Colour, marker and dashes together tell solvers apart; colour alone never does. */
  const styleOf = number => ({
    colour: `var(--c${number % COLOURS})`,
    shape: SHAPES[number % SHAPES.length],
    dash: DASHES[Math.floor(number / COLOURS) % DASHES.length],
  });

  const swatch = (svg, number) => {
    const style = styleOf(number);
    svg.replaceChildren(
      node("line", {x1: 0, x2: 26, y1: 6, y2: 6, stroke: style.colour, "stroke-width": 2,
        "stroke-dasharray": style.dash}),
      node("path", {d: style.shape, fill: style.colour, transform: "translate(13,6)"}));
    return svg;
  };

  const short = x => {
    if (x === 0) return "0";
    const size = Math.abs(x);
    if (size >= 1e5 || size < 1e-3) return x.toExponential(size >= 1e5 ? 1 : 0).replace(".0e", "e").replace("e+", "e");
    return String(Number(x.toPrecision(4)));
  };

  const linearTicks = (low, high, count) => {
    const raw = (high - low) / count, unit = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map(k => k * unit).find(s => s >= raw * 0.999);
    const ticks = [];
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; k++) ticks.push(k * step);
    return ticks;
  };

  const logTicks = (low, high, count) => {
    const first = Math.ceil(Math.log10(low) - 1e-9), last = Math.floor(Math.log10(high) + 1e-9);
    const every = Math.max(1, Math.ceil((last - first + 1) / count)), ticks = [];
    for (let k = first; k <= last; k += every) ticks.push(10 ** k);
    return ticks.length >= 2 ? ticks : linearTicks(low, high, Math.max(2, count - 1)).filter(x => x >= low && x <= high);
  };

  /* A scale from values to pixels; `log` needs values > 0, the others are left out before. */
  const scale = (values, from, to, {log = false, low = null, high = null, count = 5}) => {
    let a = low ?? Math.min(...values), b = high ?? Math.max(...values);
    if (a !== b && low === null && high === null) { const by = 0.03;
      [a, b] = log ? [a / (b / a) ** by, b * (b / a) ** by] : [a - (b - a) * by, b + (b - a) * by]; }
    if (a === b) { [a, b] = log ? [a / 2, b * 2] : [a - (Math.abs(a) || 1) * 0.05, b + (Math.abs(b) || 1) * 0.05]; }
    const f = log ? Math.log10 : x => x;
    const place = x => from + (f(x) - f(a)) / (f(b) - f(a)) * (to - from);
    return {place, ticks: (log ? logTicks : linearTicks)(a, b, count), low: a, high: b};
  };

  const usable = (x, log) => x !== null && Number.isFinite(x) && (!log || x > 0);

  /* draw(box, {label, x, y, series, diagonal, area}): an axis is {name, log, low, high}; a series is
     {number, name, points: [[x, y], ...], band: [[x, low, high], ...], marks, size}. The area
     is shaded, [left, right, from, to]. A figure without a point is hidden. */
  const draw = (box, spec) => {
    const kept = spec.series.map(one => ({...one,
      points: one.points.filter(([x, y]) => usable(x, spec.x.log) && usable(y, spec.y.log)),
      band: (one.band ?? []).filter(([x, a, b]) => usable(x, spec.x.log) && usable(a, spec.y.log) && usable(b, spec.y.log))}))
      .filter(one => one.points.length);
    const figure = box.closest("figure");
    figure.hidden = !kept.length; // before its width is asked for
    if (!kept.length) {
      box.replaceChildren();
      return;
    }
    const width = Math.max(260, box.clientWidth || 560), height = Math.round(Math.min(360, width * 0.66));
    const left = 58, right = 12, top = 10, bottom = 44;
    const xs = kept.flatMap(one => one.points.map(p => p[0]));
    const ys = kept.flatMap(one => [...one.points.map(p => p[1]), ...one.band.flatMap(b => [b[1], b[2]])]);
    const x = scale(xs, left, width - right, {count: width < 420 ? 4 : 7, ...spec.x});
    const y = scale(ys, height - bottom, top, {count: 6, ...spec.y});
    const svg = node("svg", {width, height, viewBox: `0 0 ${width} ${height}`, role: "img",
      "aria-label": `${spec.label}: ${kept.map(one => one.name).join(", ")}`});
    for (const tick of y.ticks) {
      const at = y.place(tick);
      svg.append(node("line", {class: "grid", x1: left, x2: width - right, y1: at, y2: at}),
        node("text", {x: left - 6, y: at + 4, "text-anchor": "end"}, short(tick)));
    }
    for (const tick of x.ticks) {
      const at = x.place(tick);
      svg.append(node("line", {class: "grid", x1: at, x2: at, y1: top, y2: height - bottom}),
        node("text", {x: at, y: height - bottom + 16, "text-anchor": "middle"}, short(tick)));
    }
    svg.append(
      node("line", {class: "axis", x1: left, x2: width - right, y1: height - bottom, y2: height - bottom}),
      node("line", {class: "axis", x1: left, x2: left, y1: top, y2: height - bottom}),
      node("text", {x: (left + width - right) / 2, y: height - 8, "text-anchor": "middle"}, spec.x.name),
      node("text", {transform: `translate(13,${(top + height - bottom) / 2}) rotate(-90)`, "text-anchor": "middle"}, spec.y.name));
    const [from, to] = [Math.max(0, x.low, y.low), Math.min(1, x.high, y.high)];
    if (spec.diagonal && from < to) svg.append(node("line", {class: "axis", "stroke-dasharray": "2 4",
      x1: x.place(from), y1: y.place(from), x2: x.place(to), y2: y.place(to)}));
    if (spec.area) {
      const [a, b, c, d] = spec.area;
      svg.append(node("rect", {class: "range", x: x.place(a), width: x.place(b) - x.place(a), y: y.place(d), height: y.place(c) - y.place(d)}));
    }
    for (const one of kept) svg.append(series(one, x.place, y.place));
    box.replaceChildren(svg);
  };

  const path = (points, x, y) => points.map(([a, b], k) => `${k ? "L" : "M"}${x(a).toFixed(1)},${y(b).toFixed(1)}`).join("");

  const series = (one, x, y) => {
    const style = styleOf(one.number);
    const group = node("g", {class: "series", "data-solver": one.number});
    group.append(node("title", {}, one.name));
    if (one.band.length > 1) {
      const back = one.band.map(([a, low]) => [a, low]).reverse();
      group.append(node("path", {class: "band", fill: style.colour,
        d: path([...one.band.map(([a, , high]) => [a, high]), ...back], x, y) + "Z"}));
    }
    if (one.points.length > 1) group.append(node("path", {d: path(one.points, x, y),
      fill: "none", stroke: style.colour, "stroke-width": 2, "stroke-dasharray": style.dash, "stroke-linejoin": "round"}));
    const every = one.marks ?? Math.max(1, Math.ceil(one.points.length / 8));
    one.points.forEach(([a, b, text], k) => {
      if (k % every && k !== one.points.length - 1) return;
      const attributes = {d: style.shape, fill: style.colour, stroke: style.colour,
        transform: `translate(${x(a).toFixed(1)},${y(b).toFixed(1)}) scale(${one.size ?? 0.8})`};
      group.append(node("path", attributes,
        node("title", {}, text ?? `${one.name}: ${short(a)}, ${short(b)}`)));
    });
    return group;
  };

  return {draw, swatch, short, node};
})();
