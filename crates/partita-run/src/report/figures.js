// The figures drawn as vectors. Each entry draws itself into its host, at the width the host has.
const figures = [];
const figure = (id, draw) => {
  const host = $(id);
  if (!host) return;
  const safe = () => {
    try {
      draw(host);
    } catch (error) {
      console.error(error);
      host.textContent = "This figure could not be drawn.";
    }
  };
  figures.push({ host, draw: safe, width: 0 });
};
const pressed = (id) => $(id)?.getAttribute("aria-pressed") === "true";

figure("chart-count", (host) => {
  const rows = data.summary.cluster_count.filter((r) => finite(r.probability));
  host.style.maxWidth = `${Math.max(360, rows.length * 80 + 80)}px`;
  const [low, high] = extent(rows.flatMap((r) => [0, r.probability, ...(r.ci95 || [])]));
  const y = [low < 0 ? low - (high - low) * 0.04 : 0, high + (high - low) * 0.06 || 1];
  const every = Math.ceil(rows.length / Math.max(4, Math.floor((widthOf(host) - 60) / 24))), final = rows.length - 1;
  const named = (i) => i === final || (i % every === 0 && (every === 1 || i + every <= final));
  const p = frame(host, {
    height: (w) => clamp(w * 0.42, 220, 340), x: [-0.6, rows.length - 0.4], y, xTitle: "clusters", yTitle: "probability",
    xTicks: rows.map((r, i) => [i, r.clusters]).filter((_, i) => named(i)), bare: low < 0,
  });
  const half = Math.min(22, ((p.right - p.left) / rows.length) * 0.34), zero = p.y(0);
  rows.forEach((r, i) => {
    const top = p.y(r.probability), x = p.x(i);
    add(p.svg, "rect", { class: "bar", x: x - half, width: 2 * half, y: Math.min(top, zero), height: Math.abs(zero - top) });
    if (r.ci95) add(p.svg, "path", { class: "error", d: `M${x},${p.y(r.ci95[0])}V${p.y(r.ci95[1])}M${x - 4},${p.y(r.ci95[0])}h8M${x - 4},${p.y(r.ci95[1])}h8` });
  });
  if (low < 0) add(p.svg, "path", { class: "axis", d: `M${p.left},${zero}H${p.right}` });
  hover(p, (mx) => {
    const i = clamp(Math.round(p.x.back(mx)), 0, rows.length - 1), r = rows[i];
    return { x: p.x(i), y: p.y(r.probability), lines: [`${r.clusters} ${r.clusters === "1" ? "cluster" : "clusters"}`, `probability ${show(r.probability)}`, r.ci95 && `95% interval ${interval(...r.ci95, 4)}`] };
  });
});

figure("chart-survival", (host) => {
  const rows = data.survival.length ? data.survival : data.summary.meeting.survival.map(([t, s]) => [t, s, null, null]);
  const curve = rows[0] && rows[0][0] <= 0 ? rows.slice() : [[0, 1, 1, 1], ...rows];
  const last = Math.max(curve[curve.length - 1][0], extent(data.censored_at.concat(0))[1]);
  if (last > curve[curve.length - 1][0]) curve.push([last, ...curve[curve.length - 1].slice(1)]);
  const logX = pressed("survival-log");
  if (logX) curve[0] = [Math.max(0.5, (curve[1] ? curve[1][0] : 1) * 0.7), ...curve[0].slice(1)];
  const p = frame(host, {
    height: (w) => clamp(w * 0.7, 240, 320), x: [curve[0][0], last * (logX ? 1.1 : 1.03) || 1], y: [0, 1.04], logX, whole: true,
    xTitle: "sweeps t", yTitle: "P(meeting time > t)",
  });
  const banded = curve.filter((r) => finite(r[2]) && finite(r[3]));
  if (banded.length > 1) {
    let d = stepPath(banded.map((r) => [r[0], r[3]]), p.x, p.y);
    d += `V${p.y(banded[banded.length - 1][2]).toFixed(1)}`;
    for (let i = banded.length - 2; i >= 0; i--) d += `V${p.y(banded[i][2]).toFixed(1)}H${p.x(banded[i][0]).toFixed(1)}`;
    add(p.svg, "path", { class: "band", d: d + "Z" });
  }
  add(p.svg, "path", { class: "line", d: stepPath(curve, p.x, p.y) });
  const at = (t) => curve[lastAtMost(curve, t)];
  for (const t of data.censored_at) if (t >= curve[0][0]) add(p.svg, "path", { class: "cut", d: `M${p.x(t)},${p.y(at(t)[1]) - 6}v12` });
  hover(p, (mx) => {
    const t = clamp(p.x.back(mx), curve[0][0], last), r = at(t), cutAt = data.censored_at.filter((c) => Math.abs(p.x(c) - mx) < 5).length;
    return { x: p.x(t), y: p.y(r[1]), lines: [`t = ${Math.round(t)} sweeps`, `P(meeting time > t) = ${show(r[1], 4)}`, finite(r[2]) && `95% interval ${interval(r[2], r[3], 3)}`, cutAt && `${cutAt} censored here`] };
  }, { hair: true });
});

figure("chart-tv", (host) => {
  const rows = data.summary.tv_bound.filter((r) => finite(r[1])), logY = pressed("tv-log"), mark = data.summary.tv_sweeps;
  const floor = Math.max(1e-5, extent(rows.map((r) => r[1]).filter((v) => v > 0).concat(0.005))[0] * 0.8);
  const capped = rows.map(([t, v]) => [t, clamp(v, logY ? floor : 0, 1), v]);
  const last = Math.max(rows[rows.length - 1][0], mark || 0);
  const p = frame(host, {
    height: (w) => clamp(w * 0.7, 240, 320), x: [Math.min(0, rows[0][0]), last * 1.03 || 1], y: logY ? [floor, 1.2] : [0, 1.04], logY, whole: true,
    xTitle: "sweeps of one chain", yTitle: "bound on total variation",
  });
  add(p.svg, "path", { class: "guide", d: `M${p.left},${p.y(0.01)}H${p.right}` });
  add(p.svg, "path", { class: data.summary.tv_bound_complete ? "line" : "line dashed", d: stepPath(capped, p.x, p.y) });
  if (mark !== null && mark !== undefined) {
    // The curve comes from above left: right above the mark there is room, else left below it.
    const x = p.x(mark), y = p.y(0.01), end = p.right - x < 150, up = !end || !logY;
    add(p.svg, "path", { class: "level", d: `M${x},${y}V${p.bottom}` });
    add(p.svg, "circle", { class: "mark", cx: x, cy: y, r: 4 });
    add(p.svg, "text", { class: "title", x: x + (end ? -8 : 8), y: up ? y - (logY ? 9 : 26) : y + 18, "text-anchor": end ? "end" : "start" }, `0.01 after ${mark} sweeps`);
  } else add(p.svg, "text", { x: p.right, y: p.y(0.01) - 6, "text-anchor": "end" }, "0.01");
  hover(p, (mx) => {
    const t = clamp(p.x.back(mx), rows[0][0], rows[rows.length - 1][0]), r = capped[lastAtMost(capped, t)];
    return { x: p.x(t), y: p.y(r[1]), lines: [`after ${Math.floor(t)} sweeps`, `bound ${show(r[2], 4)}`, r[2] > 1 && "above 1: says nothing yet"] };
  }, { hair: true });
});

function quantile(sorted, q) {
  const at = (sorted.length - 1) * q, i = Math.floor(at);
  return sorted[i] + (at - i) * ((sorted[i + 1] ?? sorted[i]) - sorted[i]);
}

// Labels beside a chart, moved apart so that none covers another.
function beside(p, x, labels) {
  labels.sort((a, b) => a[0] - b[0]);
  labels.forEach((label, i) => { if (i) label[0] = Math.max(label[0], labels[i - 1][0] + 13); });
  const over = labels[labels.length - 1][0] - p.bottom;
  for (let i = labels.length - 1, limit = p.bottom; over > 0 && i >= 0; i--, limit -= 13) labels[i][0] = Math.min(labels[i][0], limit);
  for (const [y, text] of labels) add(p.svg, "text", { x, y: y + 4 }, text);
}

figure("chart-estimates", (host) => {
  const chosen = data.estimates[Number($("estimates-of")?.value || 0)];
  const rows = chosen.values.map((v, i) => [chosen.replicates[i], v, Boolean(chosen.censored[i])]).filter((r) => finite(r[1]));
  const sorted = rows.map((r) => r[1]).sort((a, b) => a - b);
  if (!sorted.length) return;
  const low = quantile(sorted, 0.01), high = quantile(sorted, 0.99), centre = pressed("estimates-centre") && low < high;
  const line = data.summary.summaries.find((l) => l.name === chosen.name), mean = line ? line.mean : null;
  const side = widthOf(host) < 480 ? 58 : 96, label = 38;
  const p = frame(host, {
    height: (w) => clamp(w * 0.42, 260, 380), right: side + label + 12, x: padded(extent(rows.map((r) => r[0])), 0.02),
    y: padded(centre ? [low, high] : [sorted[0], sorted[sorted.length - 1]]), whole: true, xTitle: "replicate", yTitle: chosen.name,
  });
  const inside = (v) => v >= p.y.back(p.bottom) && v <= p.y.back(p.top);
  const places = rows.map((r) => [p.x(r[0]), clamp(p.y(r[1]), p.top, p.bottom)]);
  const size = rows.length > 1.4 * (p.right - p.left) ? 3 : 4.2, pick = (test) => places.filter((_, i) => !rows[i][2] && inside(rows[i][1]) && test(rows[i][1]));
  add(p.svg, "path", { class: "dots", "stroke-width": size, d: dotPath(pick((v) => v >= low && v <= high)) });
  add(p.svg, "path", { class: "dots far", "stroke-width": size + 1.2, d: dotPath(pick((v) => v < low || v > high)) });
  rows.forEach((r, i) => {
    const [x, y] = places[i];
    if (r[2]) add(p.svg, "path", { class: "cut", d: `M${x - 4},${y - 4}l8,8M${x - 4},${y + 4}l8,-8` });
    else if (!inside(r[1])) add(p.svg, "path", { class: "edge", d: r[1] > high ? `M${x},${y - 1}l4,7h-8z` : `M${x},${y + 1}l4,-7h-8z` });
  });
  const bins = clamp(Math.round(Math.sqrt(sorted.length) * 1.5), 8, 48), counts = new Array(bins).fill(0);
  const thick = (p.bottom - p.top) / bins, from = p.right + 10;
  for (const v of sorted) if (inside(v)) counts[clamp(Math.floor((p.y(v) - p.top) / thick), 0, bins - 1)]++;
  const most = Math.max(...counts, 1);
  counts.forEach((c, i) => c && add(p.svg, "rect", { class: "bar", x: from, y: p.top + i * thick + 0.5, width: Math.max(1, (c / most) * side), height: Math.max(0.5, thick - 1) }));
  const end = from + side, labels = [];
  for (const [v, name, kind] of [[low, "1%", "guide"], [high, "99%", "guide"], [mean, "mean", "level"]]) {
    if (!finite(v) || !inside(v)) continue;
    add(p.svg, "path", { class: kind, d: `M${p.left},${p.y(v)}H${end}` });
    labels.push([p.y(v), name]);
  }
  if (labels.length) beside(p, end + 4, labels);
  hover(p, (mx, my) => {
    if (mx > from - 4) {
      const i = clamp(Math.floor((my - p.top) / thick), 0, bins - 1);
      return { x: mx, y: my, bare: true, lines: [`${counts[i]} ${counts[i] === 1 ? "estimate" : "estimates"}`, `from ${show(p.y.back(p.top + (i + 1) * thick), 4)} to ${show(p.y.back(p.top + i * thick), 4)}`] };
    }
    const i = nearest(places, mx, my);
    return i < 0 ? null : { x: places[i][0], y: places[i][1], lines: [`replicate ${rows[i][0]}`, `${chosen.name} ${show(rows[i][1], 8)}`, rows[i][2] && "censored"] };
  });
});

figure("chart-density", (host) => {
  const d = data.density, rows = d.x.map((x, i) => [x, d.value[i], d.low[i], d.high[i]]).filter((r) => finite(r[1]));
  const [low, high] = extent(rows.flatMap((r) => [0, ...r.slice(1)])), p = frame(host, {
    height: (w) => clamp(w * 0.45, 240, 400), x: extent(rows.map((r) => r[0]).concat(d.data)), y: [low - (high - low) * 0.06, high + (high - low) * 0.05],
    xTitle: d.axis, yTitle: "density",
  });
  const banded = rows.filter((r) => finite(r[2]) && finite(r[3]));
  if (banded.length) add(p.svg, "path", { class: "band", d: linePath(banded.map((r) => [r[0], r[3]]).concat(banded.map((r) => [r[0], r[2]]).reverse()), p.x, p.y) + "Z" });
  add(p.svg, "path", { class: "line", d: linePath(rows, p.x, p.y) });
  add(p.svg, "path", { class: "rug", d: d.data.filter(finite).map((v) => `M${p.x(v).toFixed(1)},${p.bottom}v-7`).join("") });
  hover(p, (mx) => {
    const x = p.x.back(mx), i = lastAtMost(rows, x), j = rows[i + 1] && rows[i + 1][0] - x < x - rows[i][0] ? i + 1 : i, r = rows[j];
    return { x: p.x(r[0]), y: p.y(r[1]), lines: [`${cut(d.axis, 40)} = ${show(r[0], 5)}`, `density ${show(r[1], 4)}`, finite(r[2]) && `95% interval ${interval(r[2], r[3], 4)}`] };
  }, { hair: true });
});

// Points marked by cluster; hollow where they are in doubt.
function points(host, clusters, doubtful, small) {
  const s = data.scatter, keep = s.x.map((_, i) => i).filter((i) => finite(s.x[i]) && finite(s.y[i]));
  const p = frame(host, {
    height: (w) => (small ? clamp(w * 0.8, 180, 320) : clamp(w * (sheet ? 0.44 : 0.62), 300, 540)), x: padded(extent(s.x), 0.03), y: padded(extent(s.y), 0.03),
    xTitle: small ? "" : s.axes[0], yTitle: small ? "" : s.axes[1],
  });
  const radius = (keep.length > 1500 ? 2.4 : keep.length > 400 ? 3.2 : 4) * (small ? 0.7 : 1);
  const places = keep.map((i) => [p.x(s.x[i]), p.y(s.y[i])]), paths = [new Map(), new Map()];
  places.forEach(([x, y], k) => {
    const c = clusters[keep[k]], of = paths[doubtful[keep[k]] ? 1 : 0];
    of.set(c, (of.get(c) || "") + `M${x.toFixed(1)},${y.toFixed(1)}${shape(c, radius)}`);
  });
  paths.forEach((of, hollow) => {
    for (const [c, d] of [...of].sort((a, b) => a[0] - b[0])) {
      add(p.svg, "path", hollow ? { class: "doubt", style: `stroke:${colour(c)}`, d } : { class: "point", style: `fill:${colour(c)}`, d });
    }
  });
  hover(p, (mx, my) => {
    const k = nearest(places, mx, my), i = keep[k];
    return k < 0 ? null : { x: places[k][0], y: places[k][1], lines: [s.names[i], `cluster ${clusters[i]}${doubtful[i] ? ", in doubt" : ""}`, `${cut(s.axes[0], 40)} = ${show(s.x[i])}`, `${cut(s.axes[1], 40)} = ${show(s.y[i])}`] };
  });
}
figure("chart-scatter", (host) => points(host, data.scatter.clusters, data.scatter.doubtful, false));
data.bounds.forEach((bound, i) => figure(`chart-ball-${i}`, (host) => points(host, bound.clusters, [], true)));

function legend(host, clusters) {
  const sizes = new Map(), most = 24;
  for (const c of clusters) sizes.set(c, (sizes.get(c) || 0) + 1);
  const all = [...sizes].sort((a, b) => a[0] - b[0]);
  all.slice(0, most).forEach(([c, size]) => {
    const item = document.createElement("li");
    add(add(item, "svg", { viewBox: "-6 -6 12 12", "aria-hidden": "true" }), "path", { d: `M0,0${shape(c, 4.4)}`, style: `fill:${colour(c)}` });
    item.append(`cluster ${c} (${size})`);
    host.appendChild(item);
  });
  if (all.length > most) host.appendChild(Object.assign(document.createElement("li"), { textContent: `and ${all.length - most} more` }));
}
if ($("legend-scatter")) legend($("legend-scatter"), data.scatter.clusters);
