// Wiring: theme, buttons, copying, and drawing again when the width, the theme or the medium changes.
const root = document.documentElement, theme = $("theme"), wish = matchMedia("(prefers-color-scheme: dark)");
const current = () => root.dataset.theme || (wish.matches ? "dark" : "light");

function redraw() {
  hideTip();
  for (const f of figures) {
    f.width = f.host.clientWidth;
    f.draw();
  }
}

function name() {
  theme.lastElementChild.textContent = current() === "dark" ? "Light" : "Dark";
  theme.setAttribute("aria-label", `Change to ${current() === "dark" ? "light" : "dark"} colours`);
}

try {
  const kept = localStorage.getItem("partita-theme");
  if (kept === "dark" || kept === "light") root.dataset.theme = kept;
} catch { /* Storage may be closed to files; the theme then follows the system. */ }

theme.addEventListener("click", () => {
  root.dataset.theme = current() === "dark" ? "light" : "dark";
  try { localStorage.setItem("partita-theme", root.dataset.theme); } catch { /* As above. */ }
  name();
  redraw();
});
wish.addEventListener("change", () => { name(); redraw(); });

for (const id of ["survival-log", "tv-log", "estimates-centre"]) {
  $(id)?.addEventListener("click", (event) => {
    const button = event.currentTarget;
    button.setAttribute("aria-pressed", String(button.getAttribute("aria-pressed") !== "true"));
    redraw();
  });
}
$("estimates-of")?.addEventListener("change", redraw);

async function copy(button, text) {
  const before = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = Object.assign(document.createElement("textarea"), { value: text });
    document.body.appendChild(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  button.textContent = "Copied";
  setTimeout(() => { button.textContent = before; }, 1500);
}

function tsv() {
  const ends = (i) => (i ? i : ["", ""]), flat = (v) => String(v ?? "").replace(/\s+/g, " ");
  const head = ["name", "mean", "se", "ci95_low", "ci95_high", "trimmed", "trimmed_ci95_low", "trimmed_ci95_high", "median_of_means", "inefficiency", "inefficiency_se"];
  const rows = data.summary.summaries.map((l) => [l.name, l.mean, l.se, ...ends(l.ci95), l.trimmed, ...ends(l.trimmed_ci95), l.median_of_means, l.inefficiency, l.inefficiency_se]);
  return [head, ...rows].map((r) => r.map(flat).join("\t")).join("\n") + "\n";
}
$("copy-summaries")?.addEventListener("click", (event) => copy(event.currentTarget, tsv()));
$("copy-command")?.addEventListener("click", (event) => copy(event.currentTarget, data.command));

// A link to a diagnostic unfolds it.
const folded = [...document.querySelectorAll("details.diagnostic")];
const unfold = () => { const of = location.hash && $(location.hash.slice(1))?.querySelector("details.diagnostic"); if (of) of.open = true; };
addEventListener("hashchange", unfold);

// Paper: always the light colours, at the width of a sheet, with everything unfolded.
let shown, closed = [];
addEventListener("beforeprint", () => {
  closed = folded.filter((of) => !of.open);
  closed.forEach((of) => { of.open = true; });
  shown = root.dataset.theme;
  root.dataset.theme = "light";
  sheet = 760;
  redraw();
});
addEventListener("afterprint", () => {
  closed.forEach((of) => { of.open = false; });
  sheet = 0;
  if (shown) root.dataset.theme = shown; else delete root.dataset.theme;
  redraw();
});

let waiting = 0;
new ResizeObserver(() => {
  if (!sheet && figures.some((f) => f.host.clientWidth !== f.width)) {
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(redraw);
  }
}).observe(document.body);
name();
unfold();
redraw();
root.dataset.drawn = "true";
