// The drawing kit: scales, axes, paths, one tooltip. Text only ever enters as text, never as markup.
const $ = (id) => document.getElementById(id);
const data = JSON.parse($("page-data").textContent);
const NS = document.querySelector("svg").namespaceURI;
const tip = $("tip");
const CHAR = 6.7;

function add(parent, tag, attributes = {}, text) {
  const node = document.createElementNS(NS, tag);
  for (const key in attributes) node.setAttribute(key, attributes[key]);
  if (text !== undefined) node.textContent = text;
  parent.appendChild(node);
  return node;
}

const finite = (v) => typeof v === "number" && Number.isFinite(v);
const minus = (s) => s.replace(/-/g, "\u2212");
const clamp = (v, low, high) => Math.min(Math.max(v, low), high);
const cut = (s, chars) => (s.length > chars ? s.slice(0, Math.max(chars - 1, 1)) + "\u2026" : s);

function show(v, digits = 6) {
  if (!finite(v)) return "unknown";
  const size = Math.abs(v);
  if (size !== 0 && (size < 1e-4 || size >= 1e9)) return minus(v.toExponential(digits - 2));
  return minus(String(Number(v.toPrecision(Math.max(digits, Number.isInteger(v) ? 10 : 0)))));
}

const interval = (low, high, digits) => `[${show(low, digits)}, ${show(high, digits)}]`;

function extent(values) {
  let low = Infinity, high = -Infinity;
  for (const v of values) if (finite(v)) { if (v < low) low = v; if (v > high) high = v; }
  return low <= high ? [low, high] : [0, 1];
}

function padded([low, high], share = 0.05) {
  const pad = (high - low) * share || Math.abs(low) * share || 0.5;
  return [low - pad, high + pad];
}

function ticks(low, high, count, whole) {
  let step = 10 ** Math.floor(Math.log10((high - low) / count));
  for (const factor of [1, 2, 5, 10]) if ((high - low) / (step * factor) <= count * 1.45) { step *= factor; break; }
  if (whole) step = Math.max(1, step);
  const places = clamp(-Math.floor(Math.log10(step) + 1e-9), 0, 12);
  const out = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++) {
    const label = high > 1e7 || places > 7 ? show(i * step, 4) : minus((i * step).toFixed(places)).replace(/^\u2212(0(\.0+)?)$/, "$1");
    out.push([i * step, label]);
  }
  return out;
}

function logTicks(low, high, count) {
  for (const factors of [[1, 2, 5], [1, 3], [1]]) {
    const out = [];
    for (let e = Math.floor(Math.log10(low)); e <= Math.ceil(Math.log10(high)); e++) {
      for (const f of factors) {
        const v = Number(`${f}e${e}`);
        if (v >= low * 0.999 && v <= high * 1.001) out.push([v, show(v)]);
      }
    }
    if (out.length <= count + 1 || factors.length === 1) {
      const every = Math.ceil(out.length / (count + 1));
      return out.filter((_, i) => i % every === 0);
    }
  }
  return [];
}

function scale(domain, range, log) {
  const f = log ? Math.log : (v) => v;
  const low = f(domain[0]), span = f(domain[1]) - low || 1;
  const map = (v) => range[0] + ((f(v) - low) / span) * (range[1] - range[0]);
  map.back = (p) => {
    const v = low + ((p - range[0]) / (range[1] - range[0])) * span;
    return log ? Math.exp(v) : v;
  };
  return map;
}

// Printing lays charts out for a sheet of paper; `sheet` is its width while that happens.
let sheet = 0;
const widthOf = (host) => (sheet ? (host.closest(".pair") ? sheet * 0.48 : host.closest(".triple") ? sheet * 0.31 : sheet) : Math.max(host.clientWidth, 200));

// A frame with two axes. The title of the upright axis stands above it, so that nothing is turned.
function frame(host, o) {
  const W = widthOf(host), H = Math.round(o.height(W)), right = o.right ?? 14, top = o.yTitle ? 30 : 12, bottom = 44;
  host.textContent = "";
  const svg = add(host, "svg", { viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": host.dataset.label || "" });
  const rows = Math.max(3, Math.floor((H - top - bottom) / 44));
  const yTicks = o.logY ? logTicks(...o.y, rows) : ticks(...o.y, rows);
  const left = 14 + CHAR * Math.max(...yTicks.map((t) => t[1].length), 1);
  const x = scale(o.x, [left, W - right], o.logX), y = scale(o.y, [H - bottom, top], o.logY);
  const columns = Math.max(2, Math.floor((W - left - right) / 68));
  const xTicks = o.xTicks || (o.logX ? logTicks(...o.x, columns) : ticks(...o.x, columns, o.whole));
  const axes = add(svg, "g", { "aria-hidden": "true" });
  add(axes, "path", { class: "axis", d: `M${left},${top}V${H - bottom}${o.bare ? "" : `H${W - right}`}` });
  for (const [v, label] of yTicks) {
    add(axes, "path", { class: "axis", d: `M${left - 4},${y(v)}H${left}` });
    add(axes, "text", { x: left - 8, y: y(v) + 4, "text-anchor": "end" }, label);
  }
  for (const [v, label] of xTicks) {
    if (!o.bare) add(axes, "path", { class: "axis", d: `M${x(v)},${H - bottom}v4` });
    add(axes, "text", { x: x(v), y: H - bottom + 18, "text-anchor": "middle" }, label);
  }
  const fit = Math.floor((W - 8) / CHAR);
  const xTitle = add(axes, "text", { class: "title", x: (left + W - right) / 2, y: H - 6, "text-anchor": "middle" }, cut(o.xTitle || "", Math.floor((W - left - right) / CHAR)));
  add(xTitle, "title", {}, o.xTitle || "");
  if (o.yTitle) add(add(axes, "text", { class: "title", x: 0, y: 14 }, cut(o.yTitle, fit)), "title", {}, o.yTitle);
  return { host, svg, W, H, left, right: W - right, top, bottom: H - bottom, x, y };
}

const stepPath = (points, x, y) => points.map(([t, v], i) => (i ? `H${x(t).toFixed(1)}V${y(v).toFixed(1)}` : `M${x(t).toFixed(1)},${y(v).toFixed(1)}`)).join("");
const linePath = (points, x, y) => points.map(([a, b], i) => `${i ? "L" : "M"}${x(a).toFixed(1)},${y(b).toFixed(1)}`).join("");
const dotPath = (points) => points.map(([px, py]) => `M${px.toFixed(1)},${py.toFixed(1)}h0`).join("");

function showTip(pageX, pageY, lines) {
  tip.replaceChildren(...lines.filter(Boolean).map((line) => {
    const row = document.createElement("div");
    row.textContent = line;
    return row;
  }));
  tip.hidden = false;
  tip.style.left = tip.style.top = "0";
  const view = document.documentElement, width = tip.offsetWidth, height = tip.offsetHeight;
  const x = pageX + 14 + width > view.clientWidth - 8 ? pageX - 14 - width : pageX + 14;
  const y = pageY - height - 12 < window.scrollY + 4 ? pageY + 18 : pageY - height - 12;
  tip.style.left = `${clamp(x, 8, Math.max(8, view.clientWidth - width - 8))}px`;
  tip.style.top = `${y}px`;
}

function hideTip() {
  tip.hidden = true;
}

// A tip that a finger called stays until the finger goes elsewhere.
addEventListener("pointerdown", (event) => { if (!event.target.closest?.(".chart, .heat")) hideTip(); });

// `pick` turns a place in the frame into {x, y, lines}, or nothing.
function hover(p, pick, { hair = false } = {}) {
  const line = hair && add(p.svg, "path", { class: "hair", visibility: "hidden" });
  const mark = add(p.svg, "circle", { class: "mark", r: 4, visibility: "hidden" });
  const leave = (event) => {
    if (event?.pointerType === "touch") return;
    mark.setAttribute("visibility", "hidden");
    if (line) line.setAttribute("visibility", "hidden");
    hideTip();
  };
  const move = (event) => {
    const box = p.svg.getBoundingClientRect(), k = p.W / box.width;
    const hit = pick((event.clientX - box.left) * k, (event.clientY - box.top) * k);
    if (!hit) return leave();
    mark.setAttribute("visibility", hit.bare ? "hidden" : "visible");
    mark.setAttribute("cx", hit.x);
    mark.setAttribute("cy", hit.y);
    if (line) {
      line.setAttribute("visibility", "visible");
      line.setAttribute("d", `M${hit.x},${p.top}V${p.bottom}`);
    }
    showTip(window.scrollX + box.left + hit.x / k, window.scrollY + box.top + hit.y / k, hit.lines);
  };
  p.svg.addEventListener("pointermove", move);
  p.svg.addEventListener("pointerdown", move);
  p.svg.addEventListener("pointerleave", leave);
}

function nearest(points, mx, my, reach = 24) {
  let best = -1, distance = reach * reach;
  points.forEach(([px, py], i) => {
    const d = (px - mx) ** 2 + (py - my) ** 2;
    if (d < distance) { distance = d; best = i; }
  });
  return best;
}

const lastAtMost = (points, t) => {
  let low = 0, high = points.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (points[middle][0] <= t) low = middle; else high = middle - 1;
  }
  return low;
};

// Marks of a cluster: colour and shape both tell, so that neither has to. Seven shapes and eight colours repeat after 56 clusters.
const SHAPES = [
  (r) => `m${-r},0a${r},${r} 0 1,0 ${2 * r},0a${r},${r} 0 1,0 ${-2 * r},0`,
  (r) => `m${-0.88 * r},${-0.88 * r}h${1.76 * r}v${1.76 * r}h${-1.76 * r}z`,
  (r) => `m0,${-1.2 * r}l${1.1 * r},${1.9 * r}h${-2.2 * r}z`,
  (r) => `m0,${-1.25 * r}l${1.25 * r},${1.25 * r}l${-1.25 * r},${1.25 * r}l${-1.25 * r},${-1.25 * r}z`,
  (r) => `m0,${1.2 * r}l${1.1 * r},${-1.9 * r}h${-2.2 * r}z`,
  (r) => `m${-0.4 * r},${-1.15 * r}h${0.8 * r}v${0.75 * r}h${0.75 * r}v${0.8 * r}h${-0.75 * r}v${0.75 * r}h${-0.8 * r}v${-0.75 * r}h${-0.75 * r}v${-0.8 * r}h${0.75 * r}z`,
  (r) => `m${-1.15 * r},0l${0.6 * r},${-1.05 * r}h${1.1 * r}l${0.6 * r},${1.05 * r}l${-0.6 * r},${1.05 * r}h${-1.1 * r}z`,
];
const colour = (cluster) => `var(--c${cluster % 8})`;
const shape = (cluster, r) => SHAPES[cluster % SHAPES.length](r);
