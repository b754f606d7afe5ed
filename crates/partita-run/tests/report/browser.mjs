// Drives a headless Chromium over its debugging pipe: no package, no port. Prints one JSON line of findings.
// node browser.mjs CHROMIUM PROFILE PAGE.html SUMMARY.json [PICTURES]
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [chromium, profile, page, summaryFile, pictures] = process.argv.slice(2);
const child = spawn(chromium, [
  "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars",
  `--user-data-dir=${profile}`, "--remote-debugging-pipe", "about:blank",
], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
const [to, from] = [child.stdio[3], child.stdio[4]];
const limit = setTimeout(() => fail("no answer from the browser within 90 seconds"), 90_000);

function fail(why) {
  console.log(JSON.stringify({ failures: [String(why)] }));
  child.kill("SIGKILL");
  process.exit(1);
}
child.on("error", fail);
child.on("exit", (code) => fail(`the browser ended with ${code}`));

let next = 0, rest = "", session;
const waiting = new Map(), trouble = [], requests = [];
from.setEncoding("utf8");
from.on("data", (chunk) => {
  const parts = (rest + chunk).split("\0");
  rest = parts.pop();
  for (const part of parts) {
    const message = JSON.parse(part);
    const wait = waiting.get(message.id);
    if (wait) {
      waiting.delete(message.id);
      message.error ? wait.reject(new Error(message.error.message)) : wait.resolve(message.result);
    }
    const p = message.params;
    if (message.method === "Runtime.exceptionThrown") trouble.push(p.exceptionDetails.exception?.description || p.exceptionDetails.text);
    if (message.method === "Runtime.consoleAPICalled" && ["error", "warning", "assert"].includes(p.type)) trouble.push(p.args.map((a) => a.value ?? a.description).join(" "));
    if (message.method === "Log.entryAdded" && p.entry.level === "error") trouble.push(p.entry.text);
    if (message.method === "Page.javascriptDialogOpening") trouble.push(`dialog: ${p.message}`);
    if (message.method === "Network.requestWillBeSent") requests.push(p.request.url);
  }
});
const send = (method, params = {}) => new Promise((resolve, reject) => {
  waiting.set(++next, { resolve, reject });
  to.write(JSON.stringify({ id: next, method, params, sessionId: session }) + "\0");
});
const run = async (code) => {
  const { result, exceptionDetails } = await send("Runtime.evaluate", { expression: code, returnByValue: true, awaitPromise: true });
  if (exceptionDetails) throw new Error(`${code}: ${exceptionDetails.exception?.description}`);
  return result.value;
};
const frame = () => run("new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(() => r(0))))");
const failures = [];
const check = (truth, what) => { if (!truth) failures.push(what); };

async function mouse(type, x, y, more = {}) {
  await send("Input.dispatchMouseEvent", { type, x, y, ...more });
}
// Points at a place inside an element, in shares of its size, and returns what the tooltip says.
async function pointAt(selector, u, v) {
  const box = await run(`(() => { const e = document.querySelector(${JSON.stringify(selector)}); e.scrollIntoView({ block: "center" });
    const r = e.getBoundingClientRect(); return [r.left, r.top, r.width, r.height]; })()`);
  const at = [box[0] + u * box[2], box[1] + v * box[3]];
  await mouse("mouseMoved", ...at);
  await frame();
  return { at, text: await run(`document.getElementById("tip").hidden ? "" : document.getElementById("tip").innerText`) };
}
const look = (selector) => run(`document.querySelector(${JSON.stringify(selector)})?.toDataURL().length + ":" + document.querySelector(${JSON.stringify(selector)})?.toDataURL().slice(-400, -300)`);
async function picture(name, width, height, scale = 1) {
  if (!pictures) return;
  await send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: scale, mobile: width < 600 });
  await frame();
  const tall = await run("document.documentElement.scrollHeight");
  const clip = { x: 0, y: 0, width, height: tall, scale: 1 };
  const { data } = await send("Page.captureScreenshot", { format: "png", clip, captureBeyondViewport: true });
  writeFileSync(`${pictures}/${name}.png`, Buffer.from(data, "base64"));
}

async function load() {
  const url = pathToFileURL(page).href;
  const { targetId } = await send("Target.createTarget", { url: "about:blank" });
  session = (await send("Target.attachToTarget", { targetId, flatten: true })).sessionId;
  for (const domain of ["Page", "Runtime", "Log", "Network"]) await send(`${domain}.enable`);
  await send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: "light" }] });
  await send("Emulation.setDeviceMetricsOverride", { width: 1280, height: 900, deviceScaleFactor: 1, mobile: false });
  await send("Page.navigate", { url });
  for (let i = 0; i < 200 && !(await run("document.documentElement.dataset.drawn").catch(() => 0)); i++) await new Promise((r) => setTimeout(r, 50));
  check(await run("document.documentElement.dataset.drawn") === "true", "the page was not drawn");
}

// Diagnostics are folded at first; unfolding one draws its figures at the width there is.
async function unfolding() {
  check(await run(`[...document.querySelectorAll("details.diagnostic")].every((d) => !d.open)`), "a diagnostic is not folded");
  await run(`document.querySelectorAll("details.diagnostic").forEach((d) => { d.open = true; })`);
  await frame();
  await frame();
  const narrow = await run(`[...document.querySelectorAll(".chart svg")].filter((svg) => Math.abs(svg.viewBox.baseVal.width - Math.max(svg.parentNode.clientWidth, 200)) > 1).map((svg) => svg.parentNode.id)`);
  check(narrow.length === 0, `not drawn anew on unfolding: ${narrow.join(", ")}`);
}

async function numbers(summary) {
  const cells = await run(`[...document.querySelectorAll("#table-summaries [data-name]")].map((e) => ({ ...e.dataset, text: e.innerText, seen: e.getClientRects().length > 0 }))`);
  let compared = 0;
  for (const line of summary.summaries) {
    for (const [field, value] of Object.entries(line)) {
      if (["name", "meaning", "inefficiency", "inefficiency_se", "long_chain"].includes(field) || value === null) continue;
      for (const [key, number] of Array.isArray(value) ? value.map((v, i) => [`${field}.${i}`, v]) : [[field, value]]) {
        const cell = cells.find((c) => c.name === line.name && c.field === key);
        check(cell && Number(cell.value) === number, `${line.name} ${key}: ${cell?.value} is not ${number}`);
        const shown = (cell?.text || "").split(/[\s±]/)[0].replace("\u2212", "-"), unit = shown.endsWith("%") ? 0.01 : 1;
        const text = shown.replace("%", ""), places = (text.split(".")[1] || "").length;
        check(cell?.seen && text && Math.abs(Number(text) * unit - number) <= 0.51 * unit * 10 ** -places, `${line.name} ${key} shows ${cell?.text}`);
        compared++;
      }
    }
  }
  check(compared === cells.length, `${cells.length} number cells, ${compared} numbers`);
  const facts = await run(`document.querySelector("#diagnostics dl.facts").innerText`);
  for (const key of ["replicates", "censored", "lag", "burn_in", "sweeps"]) check(facts.replace(/\u2009/g, "").includes(String(summary[key])), `${key} is not shown`);
  for (const note of summary.notes) check((await run("document.querySelector('.notes').innerText")).includes(note.replaceAll("`", "")), `a note is not shown: ${note}`);
  return compared;
}

async function hovering(summary) {
  const seen = {};
  const has = (selector) => run(`Boolean(document.querySelector(${JSON.stringify(selector)}))`);
  for (const id of ["chart-count", "chart-survival", "chart-tv", "chart-density"]) {
    if (!(await has(`#${id} svg`))) continue;
    seen[id] = (await pointAt(`#${id} svg`, 0.5, 0.5)).text;
    check(/\d/.test(seen[id]), `no value on pointing at ${id}: ${seen[id]}`);
  }
  for (const id of ["chart-estimates", "chart-scatter", "chart-ball-0"]) {
    if (!(await has(`#${id} svg`))) continue;
    for (let v = 0.15; v < 0.9 && !seen[id]; v += 0.05) seen[id] = (await pointAt(`#${id} svg`, 0.32, v)).text;
    check(/\d/.test(seen[id] || ""), `no value on pointing at ${id}`);
  }
  if (await has("#heat canvas")) {
    const facts = await run(`(() => { const d = JSON.parse(document.getElementById("page-data").textContent).co_clustering; return { names: d.names, first: d.matrix[0] }; })()`);
    const { at, text } = await pointAt("#heat canvas", 0.5, 0.4);
    seen.heat = text;
    check(facts.names.filter((n) => text.includes(n)).length >= 1 && /probability .*\d/.test(text), `pointing at the heat map: ${text}`);
    await picture("pointed", 1280, 900);
    const before = await look("#heat canvas");
    await mouse("mousePressed", ...at, { button: "left", clickCount: 1 });
    await mouse("mouseMoved", at[0] + 60, at[1] + 60, { button: "left", buttons: 1 });
    await mouse("mouseReleased", at[0] + 60, at[1] + 60, { button: "left", clickCount: 1 });
    await mouse("mouseMoved", 2, 2);
    await frame();
    check(await look("#heat canvas") !== before, "dragging does not zoom the heat map");
    if (pictures) writeFileSync(`${pictures}/zoomed.png`, Buffer.from((await run(`document.querySelector("#heat canvas").toDataURL()`)).split(",")[1], "base64"));
    await run(`document.getElementById("heat-reset").click()`);
    await frame();
    check(await run(`document.getElementById("heat-reset").disabled`), "the heat map does not go back");
  }
  await mouse("mouseMoved", 2, 2);
  await frame();
  check(await run(`document.getElementById("tip").hidden`), "the tooltip stays");
  if (await has("#estimates-of")) {
    await run(`(() => { const s = document.getElementById("estimates-of"); s.value = "1"; s.dispatchEvent(new Event("change")); })()`);
    check((await run(`document.querySelector("#chart-estimates").textContent`)).includes(summary.summaries[1].name), "the selector does not change the chart");
  }
  for (const id of ["survival-log", "tv-log", "estimates-centre"]) {
    if (!(await has(`#${id}`))) continue;
    const before = await run(`document.querySelector("#${id}").closest("figure").querySelector("svg").outerHTML`);
    await run(`document.getElementById("${id}").click()`);
    check(before !== await run(`document.querySelector("#${id}").closest("figure").querySelector("svg").outerHTML`), `${id} does nothing`);
    await run(`document.getElementById("${id}").click()`);
  }
  return seen;
}

async function themes() {
  const heat = await run(`Boolean(document.querySelector("#heat canvas"))`);
  const colours = () => run(`getComputedStyle(document.body).backgroundColor + getComputedStyle(document.body).color + (document.querySelector(".line") ? getComputedStyle(document.querySelector(".line")).stroke : "")`);
  const light = await colours(), before = heat && await look("#heat canvas");
  await run(`document.getElementById("theme").click()`);
  await frame();
  const dark = await colours();
  check(light !== dark, "the theme button does nothing");
  check(!heat || before !== await look("#heat canvas"), "the heat map keeps its colours");
  await picture("dark-1280", 1280, 900);
  await picture("dark-390", 390, 844, 2);
  await run(`document.getElementById("theme").click()`);
  await frame();
  check(await colours() === light, "the theme button does not go back");
}

async function narrow() {
  for (const width of [360, 390, 768]) {
    await send("Emulation.setDeviceMetricsOverride", { width, height: 800, deviceScaleFactor: 1, mobile: width < 600 });
    await frame();
    await frame();
    const wide = await run("document.documentElement.scrollWidth");
    check(wide <= width, `at ${width} pixels the page is ${wide} wide`);
  }
}

async function fingers() {
  if (!(await run(`Boolean(document.querySelector("#heat canvas"))`))) return;
  await send("Emulation.setDeviceMetricsOverride", { width: 390, height: 844, deviceScaleFactor: 1, mobile: true });
  await send("Emulation.setTouchEmulationEnabled", { enabled: true, maxTouchPoints: 2 });
  const place = () => run(`(() => { const e = document.querySelector("#heat canvas"); e.scrollIntoView({ block: "center" });
    const r = e.getBoundingClientRect(); return [r.left, r.top, r.width]; })()`);
  await frame();
  let [left, top, width] = await place();
  const at = (u, v) => ({ x: left + u * width, y: top + v * width });
  const touch = (type, touchPoints) => send("Input.dispatchTouchEvent", { type, touchPoints });
  await touch("touchStart", [at(0.4, 0.4)]);
  await touch("touchEnd", []);
  await frame();
  check(/probability/.test(await run(`document.getElementById("tip").hidden ? "" : document.getElementById("tip").innerText`)), "a tap on the heat map says nothing");
  await picture("tapped", 390, 844, 2);
  [left, top, width] = await place();
  await frame();
  const pair = (gap) => [{ ...at(0.5 - gap, 0.5), id: 0 }, { ...at(0.5 + gap, 0.5), id: 1 }];
  await touch("touchStart", pair(0.1));
  for (const gap of [0.13, 0.17, 0.22, 0.3]) await touch("touchMove", pair(gap));
  await touch("touchEnd", []);
  await frame();
  check(!(await run(`document.getElementById("heat-reset").disabled`)), "two fingers do not zoom the heat map");
  await run(`document.getElementById("heat-reset").click()`);
  await send("Emulation.setTouchEmulationEnabled", { enabled: false });
}

async function paper() {
  await run(`document.getElementById("theme").click()`);
  const { data } = await send("Page.printToPDF", { printBackground: false, preferCSSPageSize: true });
  await run(`document.getElementById("theme").click()`);
  check(data.length > 20_000, "the printed page is empty");
  if (pictures) writeFileSync(`${pictures}/print.pdf`, Buffer.from(data, "base64"));
}

try {
  const summary = JSON.parse(readFileSync(summaryFile, "utf8"));
  await load();
  await picture("light-1280", 1280, 900);
  await picture("light-390", 390, 844, 2);
  await unfolding();
  await send("Emulation.setDeviceMetricsOverride", { width: 1280, height: 900, deviceScaleFactor: 1, mobile: false });
  await frame();
  const compared = await numbers(summary);
  const tips = await hovering(summary);
  await themes();
  await narrow();
  await fingers();
  await paper();
  const strange = requests.filter((u) => !/^(file|data|about):/.test(u));
  check(strange.length === 0, `requests went out: ${strange.join(" ")}`);
  check(trouble.length === 0, `the console complains: ${trouble.join(" | ")}`);
  clearTimeout(limit);
  child.removeAllListeners("exit");
  await send("Browser.close").catch(() => 0);
  console.log(JSON.stringify({ failures, compared, tips }));
  process.exit(failures.length ? 1 : 0);
} catch (error) {
  fail(error.stack);
}
