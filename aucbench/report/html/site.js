"use strict";
/* The pages of a board: sorts tables, draws time against quality, and filters the tasks of the
   index. With a filter, means and ranks are those of `aucbench.stats` over the tasks that are left:
   a family is one task whose value is the mean over its members, and a solver without a value has
   the worst rank. */
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  document.querySelectorAll("[data-swatch]").forEach(svg => Chart.swatch(svg, Number(svg.dataset.swatch)));
  const again = [...document.querySelectorAll("table[data-sortable]")].map(Table.enhance);
  if (!data.points) return;

  const {solvers, measure} = data, sign = data.smaller ? -1 : 1;
  const fixed = (x, digits) => x === null ? "–" : x.toFixed(digits);
  const short = x => x === null ? "–" : Chart.short(Number(x.toPrecision(3)));

  /* Time against quality; a point is [solver, seconds, value]. */
  const front = points => {
    const known = points.filter(([, x, y]) => x !== null && y !== null);
    let best = -Infinity;
    return known.sort((a, b) => a[1] - b[1] || sign * (b[2] - a[2])).filter(([, , y]) => {
      const ahead = sign * y > best;
      if (ahead) best = sign * y;
      return ahead;
    });
  };
  const draw = points => {
    const joined = front(points);
    Chart.draw(document.querySelector("[data-chart=speed]"), {
      label: `${measure} against seconds of a fit`, x: {name: "seconds of a fit", log: true}, y: {name: measure},
      series: [
        ...(joined.length > 1 ? [{number: 6, name: "not beaten in both", marks: 1e9, size: 0.01, points: joined.map(([, x, y]) => [x, y])}] : []),
        ...points.map(([j, x, y]) => ({number: j, name: solvers[j], size: 1.3, points: [[x, y, `${solvers[j]}: ${short(x)} s, ${fixed(y, 4)}`]]})),
      ]});
  };
  let drawn = data.points, width = 0;
  const show = points => { drawn = points; draw(points); };
  new ResizeObserver(entries => {
    const now = Math.round(entries[0].contentRect.width);
    if (now !== width) { width = now; draw(drawn); }
  }).observe(document.querySelector("main"));
  show(data.points);

  const form = document.querySelector("form[data-for=board]");
  if (!form) return;
  form.hidden = false;

  const mean = values => values.length ? values.reduce((a, b) => a + b, 0) / values.length : null;
  const known = values => values.filter(x => x !== null);

  /* The values by families of some tasks, a list of solvers for each family. */
  const units = chosen => {
    const members = new Map();
    for (const t of chosen) members.set(data.tasks.family[t], [...(members.get(data.tasks.family[t]) ?? []), t]);
    return [...members.values()].map(some => solvers.map((_, j) => {
      const values = some.map(t => data.values[t][j]);
      return values.includes(null) ? null : mean(values);
    }));
  };

  /* Ranks of a list of values, 1 for the best; equal ones share their mean rank, null is worst. */
  const ranks = values => {
    const gains = values.map(x => x === null ? -Infinity : sign * x);
    return gains.map(mine => 1 + gains.filter(x => x > mine).length + (gains.filter(x => x === mine).length - 1) / 2);
  };

  const standings = chosen => {
    const table = units(chosen), ranked = table.map(ranks);
    return solvers.map((_, j) => {
      const times = known(chosen.map(t => data.seconds[t][j]));
      return {
        mean: mean(known(table.map(unit => unit[j]))),
        rank: mean(ranked.map(unit => unit[j])),
        seconds: times.length ? Math.exp(mean(times.map(s => Math.log(s + 1)))) - 1 : null,
        lacking: chosen.filter(t => data.values[t][j] === null).length,
        ok: chosen.reduce((sum, t) => sum + data.ok[t][j], 0),
        planned: chosen.reduce((sum, t) => sum + data.planned[t][j], 0),
      };
    });
  };

  /* What a column shows of a standing: what it is sorted by, and its text. */
  const columns = {
    [`mean ${measure}`]: one => [one.mean, fixed(one.mean, 4)],
    "average rank": one => [one.rank, fixed(one.rank, 2)],
    "fit s": one => [one.seconds, short(one.seconds)],
    "no value": one => [one.lacking, String(one.lacking)],
    "ok": one => [one.ok, `${one.ok}/${one.planned}`],
  };
  const lines = [...document.querySelectorAll("#leaderboard tbody tr")].map(tr => ({tr, leading: tr.className,
    cells: data.columns.map((name, k) => ({name, td: tr.cells[k + 1], value: tr.cells[k + 1].dataset.value, content: [...tr.cells[k + 1].childNodes]}))}));
  const told = document.querySelector("output[data-for=board]");
  const filters = ["rows", "share", "kind"].filter(name => form.elements[name]);

  const filter = () => {
    const all = [...data.values.keys()], picked = filters.filter(name => form.elements[name].value !== "");
    const chosen = all.filter(t => picked.every(name => data.tasks[name][t] === Number(form.elements[name].value)));
    const on = picked.length > 0, found = on ? standings(chosen) : [];
    for (const {tr, leading, cells} of lines) {
      tr.className = on ? "" : leading;
      const mark = tr.querySelector(".mark");
      if (mark) mark.hidden = on;
      for (const {name, td, value, content} of cells) {
        if (!on) { td.dataset.value = value; td.replaceChildren(...content); continue; }
        const [key, text] = columns[name]?.(found[Number(tr.dataset.row)]) ?? [null, "–"];
        td.dataset.value = key ?? "";
        td.replaceChildren(text);
      }
    }
    const shown = new Set(chosen.map(t => String(data.tasks.number[t])));
    document.querySelectorAll("tr[data-task]").forEach(tr => { tr.hidden = on && !shown.has(tr.dataset.task); });
    const families = new Set(chosen.map(t => data.tasks.family[t])).size;
    const related = families < chosen.length ? ` in ${families} families` : "";
    told.textContent = on ? `Means, ranks, times and counts are of ${chosen.length} of ${all.length} tasks${related}. ` +
      "The words of the verdict, ratings, differences and intervals are about all tasks, and are put away." : "";
    show(on ? found.map((one, j) => [j, one.seconds, one.mean]) : data.points);
    again.forEach(sort => sort());
  };
  form.addEventListener("input", filter);
  form.addEventListener("submit", event => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(filter));
  filter();
})();
