#include "vesica/report/html_page_parts.h"

namespace vesica::detail {

const std::string_view kPageStyle = R"css(
:root { --ink: #1c2430; --soft: #5d6877; --line: #e3e7ec; --paper: #ffffff; --panel: #f6f8fa;
  --bad: #b3261e; --bad-panel: #fdf0ee; --good: #3f8f5b; --band: #8aa0b8; --ground: #e6e3dc;
  --left: var(--c0); --right: var(--c1); --other: var(--c7); --here: #5b7f6b; --fill: #d39a00;
  --edge: #1c243055; }
@media screen and (prefers-color-scheme: dark) { :root { --ink: #e4e8ee; --soft: #9aa5b4; --line: #2b333d;
  --paper: #14181d; --panel: #1c222a; --bad: #ff8a80; --bad-panel: #33201f; --good: #6fbf8b; --edge: #e4e8ee55;
  --band: #6a7f98; --ground: #2a2924; --here: #6f9c83; --fill: #e8bc4a; --c0: #6ba4e8; --c1: #f08a5a; --c2: #6fc08d; --c3: #bf8ae0;
  --c4: #e0b84a; --c5: #5cc6d2; --c6: #e57aa6; --c7: #a2abb8; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1800px; padding: 28px 24px 60px; background: var(--paper);
  color: var(--ink); font: 15px/1.45 system-ui, -apple-system, "Segoe UI", sans-serif; }
h1 { font-size: 25px; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 18px; margin: 38px 0 4px; padding-top: 14px; border-top: 1px solid var(--line); }
h3 { font-size: 15px; margin: 20px 0 2px; overflow-wrap: anywhere; }
p { margin: 4px 0 10px; color: var(--soft); max-width: 90ch; }
.sub { color: var(--soft); font-size: 13px; overflow-wrap: anywhere; }
.contents { display: flex; flex-wrap: wrap; gap: 2px 18px; margin: 14px 0 4px; font-size: 13.5px; }
.contents a { color: var(--c0); text-decoration: none; }
.contents a:hover { text-decoration: underline; }
.tiles { display: flex; flex-wrap: wrap; gap: 10px; margin: 18px 0 10px; }
.tile { background: var(--panel); border-radius: 8px; padding: 10px 16px; min-width: 118px; }
.tile b { display: block; font-size: 20px; font-weight: 600; }
.tile span { color: var(--soft); font-size: 12.5px; }
.notes { border-left: 4px solid var(--good); background: var(--panel); padding: 10px 16px;
  margin: 16px 0; border-radius: 0 8px 8px 0; }
.notes.bad { border-color: var(--bad); background: var(--bad-panel); }
.notes.bad b { color: var(--bad); }
.notes ul { margin: 4px 0 0; padding-left: 18px; }
/* Where there is more to the side its edge is shaded: covers move along with what is scrolled. */
.wide { overflow-x: auto; margin: 8px 0; scrollbar-width: thin; background:
  linear-gradient(to right, var(--paper) 40%, transparent) left / 40px 100% no-repeat local,
  linear-gradient(to left, var(--paper) 40%, transparent) right / 40px 100% no-repeat local,
  linear-gradient(to right, var(--edge), transparent) left / 14px 100% no-repeat scroll,
  linear-gradient(to left, var(--edge), transparent) right / 14px 100% no-repeat scroll; }
table { border-collapse: collapse; font-size: 13.5px; font-variant-numeric: tabular-nums; }
th, td { padding: 4px 14px 4px 0; border-bottom: 1px solid var(--line); text-align: right;
  white-space: nowrap; vertical-align: top; }
th { color: var(--soft); font-weight: 500; white-space: normal; vertical-align: bottom; }
th:last-child, td:last-child { padding-right: 2px; }
th:first-child, td:first-child, th.text, td.text { text-align: left; }
td.text { white-space: normal; overflow-wrap: break-word; }
.long { min-width: 20em; }
details { margin: 10px 0; }
summary { cursor: pointer; font-weight: 500; }
pre { background: var(--panel); border-radius: 8px; padding: 14px 16px; overflow-x: auto;
  font: 12.5px/1.5 ui-monospace, Consolas, monospace; }
.grid { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 500px), 1fr));
  gap: 8px 28px; align-items: start; }
figure { margin: 8px 0 6px; min-width: 0; }
figcaption { font-size: 13.5px; font-weight: 600; }
.note { font-size: 12.5px; margin: 2px 0 0; }
.picture svg { max-width: 100%; max-height: 460px; height: auto; display: block;
  border-radius: 6px; }
.chart { position: relative; }
.chart svg { display: block; width: 100%; touch-action: pan-y; }
.scaled svg { overflow: visible; }
.chart text { font: 11.5px system-ui, sans-serif; fill: var(--soft); }
.chart .name { font-size: 12px; font-weight: 600; fill: var(--ink); stroke: var(--paper);
  stroke-width: 3px; paint-order: stroke; }
.gridline { stroke: var(--line); }
.axis { stroke: var(--soft); }
.curve { fill: none; stroke-width: 1.6; stroke-linejoin: round; stroke-linecap: round; }
.band { fill: var(--band); opacity: 0.16; }
.mark { stroke: var(--bad); stroke-dasharray: 3 3; }
.cursor { stroke: var(--ink); opacity: 0.4; }
.pick { fill: var(--c0); opacity: 0.15; }
.legend { display: flex; flex-wrap: wrap; gap: 0 14px; font-size: 12.5px; color: var(--soft);
  min-height: 19px; }
.legend button { font: inherit; color: inherit; background: none; border: 0; padding: 0;
  cursor: pointer; }
.legend button.off { opacity: 0.4; text-decoration: line-through; }
.legend i { display: inline-block; width: 16px; height: 3px; vertical-align: middle;
  margin-right: 5px; border-radius: 2px; }
.legend i.area { height: 11px; width: 11px; }
.tip { position: absolute; pointer-events: none; background: var(--ink); color: var(--paper);
  font-size: 12px; line-height: 1.4; padding: 5px 9px; border-radius: 6px; white-space: nowrap;
  display: none; z-index: 5; font-variant-numeric: tabular-nums; }
.controls { display: flex; flex-wrap: wrap; align-items: center; gap: 10px; margin-top: 6px;
  font-size: 13px; color: var(--soft); font-variant-numeric: tabular-nums; }
.controls button, #whole { font: inherit; font-size: 13px; padding: 2px 12px; border-radius: 6px;
  border: 1px solid var(--line); background: var(--paper); color: var(--ink); cursor: pointer; }
.controls button.on { background: var(--ink); color: var(--paper); }
.controls input { flex: 1; min-width: 120px; }
.chips { display: flex; flex-wrap: wrap; gap: 5px; margin: 8px 0; max-height: 132px;
  overflow: auto; }
.chips button { font: inherit; font-size: 12.5px; padding: 2px 9px; border-radius: 12px;
  cursor: pointer; border: 1px solid var(--line); background: var(--paper); color: var(--soft); }
.chips button.on { color: var(--paper); border-color: transparent; }
.film { display: flex; flex-wrap: wrap; gap: 28px; align-items: flex-start; }
.film figure { margin: 0; }
.film figcaption { font-size: 12.5px; font-weight: 400; color: var(--soft); margin-top: 5px; }
.film canvas { image-rendering: pixelated; background: var(--panel); border-radius: 6px;
  display: block; }
.film .controls input { width: 130px; flex: none; }
.cloud { width: 100%; height: 480px; display: block; background: var(--panel); border-radius: 6px;
  cursor: grab; touch-action: none; }
#whole { position: fixed; right: 18px; bottom: 18px; display: none; z-index: 9;
  box-shadow: 0 2px 8px #0003; }
@page { margin: 14mm; }
@media print {
  body { padding: 0; max-width: none; font-size: 12px; }
  h1 { font-size: 20px; }
  h2 { font-size: 15px; margin-top: 24px; }
  h3 { font-size: 13px; }
  h2, h3, figcaption, .legend, summary, thead { break-after: avoid; }
  h2 + p, h3 + p { break-after: avoid; }
  tr, figure, .tile, .notes, .film { break-inside: avoid; }
  .grid { display: block; }
  .wide, pre { overflow: visible; background: none; }
  table { font-size: 10.5px; }
  th, td { padding: 3px 9px 3px 0; }
  .many th, .many td { font-size: 8.5px; padding-right: 6px; }
  .long { min-width: 12em; }
  pre { padding: 0; white-space: pre-wrap; overflow-wrap: anywhere; font-size: 10px; }
  .controls, .chips, .tip, #whole { display: none !important; }
}
)css";

const std::string_view kPlotScript = R"js("use strict";
const page = document.documentElement;
function showError(message) {
  page.dataset.error = message;
  const box = document.createElement("div");
  box.className = "notes bad";
  box.textContent = "The page's script failed: " + message;
  document.querySelector("main").prepend(box);
}
window.addEventListener("error", event => showError(event.message));

const specs = JSON.parse(document.getElementById("plots").textContent);
const kinds = {};  // how each kind of figure is drawn: (host, spec) => redraw
const colorOf = k => `var(--c${k % 8})`;
// Curves beyond the eighth have the first colours again, and dashes.
const dashOf = k => ["", "7 3", "2 3", "9 3 2 3"][Math.floor(k / 8) % 4];
const css = name => getComputedStyle(page).getPropertyValue(name).trim();

function el(parent, tag, attributes, text) {
  const node = document.createElement(tag);
  for (const key in attributes || {}) node.setAttribute(key, attributes[key]);
  if (text !== undefined) node.textContent = text;
  parent.appendChild(node);
  return node;
}
function svg(parent, tag, attributes, text) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const key in attributes || {}) node.setAttribute(key, attributes[key]);
  if (text !== undefined) node.textContent = text;
  parent.appendChild(node);
  return node;
}
// Round values over a range, about `count` of them, and how to write them.
function ticks(low, high, count) {
  const raw = (high - low) / Math.max(1, count), power = Math.pow(10, Math.floor(Math.log10(raw)));
  const steps = [1, 2, 5, 10].map(k => k * power);
  let step = steps.find(s => s >= raw * 0.999), values = [];
  const fill = () => {
    values = [];
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; ++k) values.push(k * step);
  };
  fill();
  // One number says nothing about a scale: finer until there are two.
  for (let tries = 0; tries < 4 && values.length < 2; ++tries) {
    const mantissa = step / Math.pow(10, Math.floor(Math.log10(step) + 1e-9));
    step *= Math.abs(mantissa - 5) < 0.1 ? 0.4 : 0.5;
    fill();
  }
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const most = Math.max(Math.abs(low), Math.abs(high));
  const write = v => v === 0 ? "0" : most >= 1e6 || digits > 6 ? v.toExponential(2) : v.toFixed(digits);
  return { values, write };
}
const neat = v => v === 0 ? "0" : Math.abs(v) < 1e-4 || Math.abs(v) >= 1e6 ? v.toExponential(4)
  : Number(v.toPrecision(6)).toString();
function nearest(t, time) {
  let low = 0, high = t.length - 1;
  while (high - low > 1) { const mid = (low + high) >> 1; if (t[mid] < time) low = mid; else high = mid; }
  return time - t[low] < t[high] - time ? low : high;
}
// A range that is not empty, with room at both ends.
function padded(low, high) {
  if (!(high >= low)) return [-1, 1];
  if (high - low <= 1e-9 * Math.max(Math.abs(low), Math.abs(high))) {
    const room = low === 0 && high === 0 ? 1 : 0.1 * Math.max(Math.abs(low), Math.abs(high));
    return [low - room, high + room];
  }
  const room = 0.06 * (high - low);
  return [low - room, high + room];
}
function placeTip(tip, frame, x, y) {
  tip.style.display = "block";
  tip.style.left = (x > frame.width * 0.6 ? x - tip.offsetWidth - 14 : x + 14) + "px";
  tip.style.top = Math.max(0, y - 20) + "px";
}

// A legend: of curves, whose names are buttons that call `toggle`, or of areas without.
function makeLegend(host, entries, toggle) {
  const box = el(host, "div", { class: "legend" });
  for (const [name, color, dashes] of entries) {
    const item = toggle ? el(box, "button", { type: "button", title: "show or hide" }) : el(box, "span");
    if (dashes) svg(svg(item, "svg", { width: 24, height: 3, style: "margin-right:5px;vertical-align:middle" }), "path", { d: "M0 1.5h24", style: `stroke:${color};stroke-width:3;stroke-dasharray:${dashes}` });
    else el(item, "i", toggle ? {} : { class: "area" }).style.background = color;
    item.append(name);
    if (toggle) item.addEventListener("click", () => { item.classList.toggle("off"); toggle(name); });
  }
}
// Play, a slider and the pace for frames at times t; show(frame) draws one.
function playControls(host, t, show) {
  const bar = el(host, "div", { class: "controls" });
  const play = el(bar, "button", { type: "button" }, "play");
  const slider = el(bar, "input", { type: "range", min: 0, max: t.length - 1, value: 0, "aria-label": "time" });
  slider.addEventListener("input", () => show(Number(slider.value)));
  // At least four seconds for a look, at most fifteen.
  const end = t[t.length - 1], span = end - t[0], pace = span / Math.min(15, Math.max(4, span));
  let playing = null;
  play.addEventListener("click", () => {
    if (playing !== null) { playing = null; play.textContent = "play"; return; }
    if (Number(slider.value) >= t.length - 1) slider.value = 0;
    const started = performance.now(), begin = t[Number(slider.value)];
    play.textContent = "pause";
    const token = playing = {};
    const next = now => {
      if (playing !== token) return;
      const time = begin + (now - started) / 1000 * pace;
      slider.value = nearest(t, time);
      show(Number(slider.value));
      if (time < end) requestAnimationFrame(next); else { playing = null; play.textContent = "play"; }
    };
    requestAnimationFrame(next);
  });
  const words = !(span > 0) || Math.abs(pace - 1) < 1e-9 ? ""
    : pace < 1 ? `plays ${neat(Number((1 / pace).toPrecision(2)))} times slower` : `plays ${neat(Number(pace.toPrecision(2)))} times faster`;
  return { bar, slider, words };
}
let clips = 0;  // names of clip paths

// --- curves over time; all of them share zoom and cursor
let timePlots = [];
const dropPlots = host => { timePlots = timePlots.filter(plot => !host.contains(plot.box)); };
let sharedZoom = null;
function setZoom(range) {
  sharedZoom = range;
  document.getElementById("whole").style.display = range ? "block" : "none";
  for (const plot of timePlots) plot.draw();
}
const LEFT = 64, RIGHT = 14, TOP = 20, BOTTOM = 36;

// spec: label, unit, t, series {name, y} with, where they differ, their own t, color and group (the
// name in the legend), events {t, begins, filled, text, color}, bands [from, until, color], marks
// {t, text}; range, height, zero (0 is in view), axis and legend (false: left out), stacked.
function timePlot(host, spec) {
  const H = spec.height || 224, bottom = spec.axis === false ? 10 : BOTTOM, clip = "clip" + clips++;
  const series = spec.series.map((s, k) => ({ name: s.name, y: s.y, t: s.t || spec.t, group: s.group || s.name,
    color: s.color ? `var(--${s.color})` : colorOf(k), dashes: s.color || spec.stacked ? "" : dashOf(k), hidden: false }));
  const common = series.every(s => s.t === spec.t), t = spec.t;
  if (spec.legend !== false) {
    const entries = new Map();
    for (const s of series) if (!entries.has(s.group)) entries.set(s.group, [s.group, s.color, s.dashes]);
    makeLegend(host, entries.values(), group => { for (const s of series) if (s.group === group) s.hidden = !s.hidden; draw(); });
  }
  const box = el(host, "div", { class: "chart" });
  const root = svg(box, "svg", { height: H, role: "img", "aria-label": spec.label });
  const tip = el(box, "div", { class: "tip" });
  const filled = series.filter(s => s.t.length);
  const [start, end] = spec.range || (filled.length ? [Math.min(...filled.map(s => s.t[0])), Math.max(...filled.map(s => s.t[s.t.length - 1]))] : [0, 1]);
  let W, X, timeAt, Y, line, tops, bottoms;

  // Upper and lower edge of every series: areas stand on each other, curves have one edge.
  function stack() {
    tops = []; bottoms = [];
    let below = spec.stacked ? t.map(() => 0) : null;
    series.forEach((s, k) => {
      bottoms.push(below);
      if (!spec.stacked) { tops.push(s.y); return; }
      tops.push(s.hidden ? below : s.y.map((v, i) => below[i] + (v === null ? 0 : v)));
      below = tops[k];
    });
  }
  function draw() {
    stack();
    root.textContent = "";
    W = Math.max(280, box.clientWidth);
    root.setAttribute("viewBox", `0 0 ${W} ${H}`);
    const zoom = spec.xLabel ? null : sharedZoom;
    const [t0, t1] = zoom || (end > start ? [start, end] : [start - 0.5, start + 0.5]);
    X = time => LEFT + (time - t0) / (t1 - t0) * (W - LEFT - RIGHT);
    timeAt = x => t0 + (x - LEFT) / (W - LEFT - RIGHT) * (t1 - t0);
    // One row beyond either edge, so that the curve leaves the picture.
    const seen = series.map(s => {
      let first = 0, last = s.t.length - 1;
      if (zoom) {
        while (first < last && s.t[first + 1] < t0) ++first;
        while (last > first && s.t[last - 1] > t1) --last;
      }
      return [first, last];
    });
    const fromZero = spec.stacked || spec.zero;
    let low = fromZero ? 0 : Infinity, high = fromZero ? 0 : -Infinity;
    tops.forEach((y, k) => {
      if (series[k].hidden) return;
      for (let i = seen[k][0]; i <= seen[k][1]; ++i) if (y[i] !== null) { if (y[i] < low) low = y[i]; if (y[i] > high) high = y[i]; }
    });
    const range = padded(low, high);
    Y = v => TOP + (range[1] - v) / (range[1] - range[0]) * (H - TOP - bottom);

    svg(svg(root, "clipPath", { id: clip }), "rect", { x: LEFT, y: TOP, width: W - LEFT - RIGHT, height: H - TOP - bottom, "pointer-events": "none" });
    const vertical = ticks(range[0], range[1], Math.max(4.5, H / 44.8)), across = ticks(t0, t1, Math.max(3, Math.floor(W / 95)));
    const inside = svg(root, "g", { "clip-path": `url(#${clip})` });
    for (const [a, b, color] of spec.bands) svg(inside, "rect", Object.assign({ class: "band", x: X(a), y: TOP, width: Math.max(0.8, X(b) - X(a)), height: H - TOP - bottom }, color ? { style: `fill:var(--${color});opacity:0.1` } : {}));
    for (const v of vertical.values) {
      svg(root, "line", { class: v === 0 ? "axis" : "gridline", x1: LEFT, x2: W - RIGHT, y1: Y(v), y2: Y(v), opacity: v === 0 ? 0.6 : 1 });
      svg(root, "text", { x: LEFT - 7, y: Y(v) + 4, "text-anchor": "end" }, vertical.write(v));
    }
    for (const v of across.values) {
      svg(root, "line", { class: "axis", x1: X(v), x2: X(v), y1: H - bottom, y2: H - bottom + 4 });
      if (spec.axis !== false) svg(root, "text", { x: X(v), y: H - bottom + 16, "text-anchor": X(v) > W - RIGHT - 6 ? "end" : "middle" }, across.write(v));
    }
    svg(root, "line", { class: "axis", x1: LEFT, x2: W - RIGHT, y1: H - bottom, y2: H - bottom });
    if (spec.axis !== false) svg(root, "text", { x: (LEFT + W - RIGHT) / 2, y: H - 4, "text-anchor": "middle" }, spec.xLabel || "time [s]");
    svg(root, "text", { transform: `translate(11 ${(TOP + H - bottom) / 2}) rotate(-90)`, "text-anchor": "middle" }, spec.unit);

    const curves = svg(root, "g", { "clip-path": `url(#${clip})` });
    for (const m of spec.marks || []) svg(curves, "line", { class: "mark", x1: X(m.t), x2: X(m.t), y1: TOP, y2: H - bottom });
    series.forEach((s, k) => {
      if (s.hidden) return;
      const [first, last] = seen[k];
      let d = "", pen = false;
      for (let i = first; i <= last; ++i) {
        const v = tops[k][i];
        if (v === null) { pen = false; continue; }
        d += (pen ? "L" : "M") + X(s.t[i]).toFixed(1) + " " + Y(v).toFixed(1) + (pen ? "" : "h0");
        pen = true;
      }
      if (spec.stacked && d) {
        let back = "";
        for (let i = last; i >= first; --i) back += "L" + X(t[i]).toFixed(1) + " " + Y(bottoms[k][i]).toFixed(1);
        svg(curves, "path", { d: d + back + "Z", style: `fill:${s.color}`, opacity: 0.55 });
      }
      svg(curves, "path", { class: "curve", d, style: `stroke:${s.color}` + (s.dashes ? `;stroke-dasharray:${s.dashes};stroke-linecap:butt` : "") });
    });
    for (const e of spec.events) {
      if (e.t < t0 || e.t > t1) continue;
      // Two rows: a short contact's end would hide its beginning.
      const x = X(e.t).toFixed(1), d = e.begins ? `M${x} 18l-3 -6h6z` : `M${x} 3l-3 6h6z`;
      const color = `var(--${e.color || "ink"})`;
      svg(root, "path", { d, style: e.filled ? `fill:${color}` : `fill:var(--paper);stroke:${color}` });
    }
    line = svg(root, "line", { class: "cursor", y1: TOP, y2: H - bottom, visibility: "hidden" });
  }
  function setCursor(time) {
    const x = time === null ? -1 : X(time);
    line.setAttribute("visibility", x >= LEFT && x <= W - RIGHT ? "visible" : "hidden");
    if (x >= LEFT) { line.setAttribute("x1", x); line.setAttribute("x2", x); }
  }
  function leave() { tip.style.display = "none"; for (const plot of timePlots) plot.setCursor(null); }
  const localX = event => { const f = root.getBoundingClientRect(); return (event.clientX - f.left) / f.width * W; };

  let from = null, pick = null;
  root.addEventListener("pointerdown", event => {
    const x = localX(event);
    if (event.button !== 0 || x < LEFT || x > W - RIGHT || spec.xLabel) return;
    from = x;
    pick = svg(root, "rect", { class: "pick", y: TOP, height: H - TOP - bottom, x, width: 0 });
    root.setPointerCapture(event.pointerId);
  });
  root.addEventListener("pointerup", event => {
    if (from === null) return;
    const to = Math.min(Math.max(localX(event), LEFT), W - RIGHT), a = Math.min(from, to), b = Math.max(from, to);
    const range = [timeAt(a), timeAt(b)];
    pick.remove();
    from = null;
    if (b - a > 5 && range[1] - range[0] > 1e-9 * Math.max(1e-3, end - start)) setZoom(range);
  });
  root.addEventListener("pointercancel", () => { if (pick) pick.remove(); from = null; });
  root.addEventListener("dblclick", () => setZoom(null));
  root.addEventListener("pointermove", event => {
    const frame = root.getBoundingClientRect(), x = localX(event);
    if (from !== null) {
      const to = Math.min(Math.max(x, LEFT), W - RIGHT);
      pick.setAttribute("x", Math.min(from, to)); pick.setAttribute("width", Math.abs(to - from));
    }
    if (x < LEFT || x > W - RIGHT || !filled.length) { leave(); return; }
    // A row's time where all curves share theirs.
    const time = common ? t[nearest(t, timeAt(x))] : Number(timeAt(x).toPrecision(5));
    for (const plot of spec.xLabel ? [self] : timePlots) if (plot === self || !plot.own) plot.setCursor(time);
    tip.textContent = "";
    el(tip, "div", {}, spec.xLabel ? `${spec.xLabel}: ${neat(time)}` : neat(time) + " s");
    let sum = 0;
    for (const s of filled) {
      if (s.hidden || time < s.t[0] || time > s.t[s.t.length - 1]) continue;
      const v = s.y[nearest(s.t, time)];
      if (v === null) continue;
      sum += v;
      el(tip, "div", {}, `${s.name}: ${neat(v)} ${spec.unit}`);
    }
    if (spec.stacked) el(tip, "div", {}, `together: ${neat(sum)} ${spec.unit}`);
    for (const m of spec.marks || []) if (Math.abs(X(m.t) - x) < 4) el(tip, "div", {}, m.text);
    for (const e of spec.events) if (Math.abs(X(e.t) - x) < 4) el(tip, "div", {}, e.text);
    placeTip(tip, frame, event.clientX - frame.left, event.clientY - frame.top);
  });
  root.addEventListener("pointerleave", leave);
  const self = { draw, setCursor, box, own: Boolean(spec.xLabel) };
  timePlots.push(self);
  draw();
  return draw;
}
kinds.time = timePlot;

// --- pictures in the plane, equal scales
// Axes around a range; the height follows its shape, within limits. `down`: y grows downwards.
function planeAxes(root, box, [x0, x1], [y0, y1], [least, most], labels, down) {
  root.textContent = "";
  const W = Math.max(280, box.clientWidth), inner = W - LEFT - RIGHT;
  const height = Math.min(most, Math.max(least, (y1 - y0) / (x1 - x0) * inner)), H = height + TOP + BOTTOM;
  const scale = Math.min(inner / (x1 - x0), height / (y1 - y0));
  const widen = (a, b, size) => { const c = (a + b) / 2, h = size / scale / 2; return [c - h, c + h]; };
  [x0, x1] = widen(x0, x1, inner);
  [y0, y1] = widen(y0, y1, height);
  root.setAttribute("height", H);
  root.setAttribute("viewBox", `0 0 ${W} ${H}`);
  const X = v => LEFT + (v - x0) * scale, Y = v => TOP + (down ? v - y0 : y1 - v) * scale;
  const across = ticks(x0, x1, Math.floor(W / 95)), vertical = ticks(y0, y1, Math.max(2, height / 50));
  for (const v of vertical.values) {
    svg(root, "line", { class: "gridline", x1: LEFT, x2: W - RIGHT, y1: Y(v), y2: Y(v) });
    svg(root, "text", { x: LEFT - 7, y: Y(v) + 4, "text-anchor": "end" }, vertical.write(v));
  }
  for (const v of across.values) {
    svg(root, "line", { class: "gridline", x1: X(v), x2: X(v), y1: TOP, y2: H - BOTTOM });
    svg(root, "text", { x: X(v), y: H - BOTTOM + 16, "text-anchor": "middle" }, across.write(v));
  }
  svg(root, "text", { x: (LEFT + W - RIGHT) / 2, y: H - 4, "text-anchor": "middle" }, labels[0]);
  svg(root, "text", { transform: `translate(11 ${(TOP + H - BOTTOM) / 2}) rotate(-90)`, "text-anchor": "middle" }, labels[1]);
  return { W, H, X, Y, scale, inner, height, x0, x1, y0, y1 };
}
function pathPlot(host, spec) {
  const box = el(host, "div", { class: "chart" });
  const root = svg(box, "svg", { role: "img", "aria-label": spec.label });
  const tip = el(box, "div", { class: "tip" });
  let points = [];
  function draw() {
    const finite = list => list.filter(v => v !== null);
    const bounds = list => finite(list).reduce(([a, b], v) => [Math.min(a, v), Math.max(b, v)], [Infinity, -Infinity]);
    let [x0, x1] = bounds(spec.x), [y0, y1] = bounds(spec.y);
    if (!(x1 >= x0 && y1 >= y0)) [x0, x1, y0, y1] = [-1, 1, -1, 1];
    const room = 0.04 * Math.max(x1 - x0, y1 - y0) || 0.05 * Math.max(Math.abs(x0), Math.abs(y0)) || 1;
    x0 -= room; x1 += room; y0 -= room; y1 += room;
    const { X, Y } = planeAxes(root, box, [x0, x1], [y0, y1], [110, 300], [spec.xLabel, spec.yLabel].map(name => `${name} [${spec.unit}]`));
    let d = "", dots = "", pen = false;
    points = [];
    spec.t.forEach((time, i) => {
      if (spec.x[i] === null || spec.y[i] === null) { pen = false; return; }
      const x = X(spec.x[i]), y = Y(spec.y[i]);
      d += (pen ? "L" : "M") + x.toFixed(1) + " " + y.toFixed(1);
      if (!pen) dots += `M${x.toFixed(1)} ${y.toFixed(1)}h0`;
      pen = true;
      points.push([x, y, i]);
    });
    svg(root, "path", { class: "curve", d, style: `stroke:var(--c0);stroke-width:${points.length > 200 ? 1.4 : 2.2}` });
    svg(root, "path", { class: "curve", d: dots, style: "stroke:var(--c0);stroke-width:3.4" });
    if (points.length) svg(root, "circle", { cx: points[0][0], cy: points[0][1], r: 4, style: "fill:var(--paper);stroke:var(--c0);stroke-width:2" });
    root.spot = svg(root, "circle", { r: 4, style: "fill:var(--c1)", visibility: "hidden" });
  }
  root.addEventListener("pointermove", event => {
    const frame = root.getBoundingClientRect(), x = event.clientX - frame.left, y = event.clientY - frame.top;
    let best = null, least = 900;
    for (const p of points) { const r = (p[0] - x) ** 2 + (p[1] - y) ** 2; if (r < least) { least = r; best = p; } }
    root.spot.setAttribute("visibility", best ? "visible" : "hidden");
    if (!best) { tip.style.display = "none"; return; }
    root.spot.setAttribute("cx", best[0]); root.spot.setAttribute("cy", best[1]);
    tip.textContent = `${neat(spec.t[best[2]])} s: ${neat(spec.x[best[2]])}, ${neat(spec.y[best[2]])} ${spec.unit}`;
    placeTip(tip, frame, x, y);
  });
  root.addEventListener("pointerleave", () => { tip.style.display = "none"; root.spot.setAttribute("visibility", "hidden"); });
  draw();
  return draw;
}
kinds.path = pathPlot;
)js";

const std::string_view kPlayerScript = R"js(
// --- bodies that move
function rotation(q) {
  const [w, x, y, z] = q, s = 2 / (w * w + x * x + y * y + z * z);
  return [1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y),
    s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x),
    s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)];
}
const times = (A, B) => A.map((_, k) => { const r = 3 * Math.floor(k / 3), c = k % 3; return A[r] * B[c] + A[r + 1] * B[3 + c] + A[r + 2] * B[6 + c]; });
const turn = (A, v) => [0, 3, 6].map(r => A[r] * v[0] + A[r + 1] * v[1] + A[r + 2] * v[2]);
const add = (a, b) => a.map((v, k) => v + b[k]);
// Outline of points in the plane (monotone chain).
function hull(points) {
  const p = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const cross = (o, a, b) => (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
  const half = list => {
    const chain = [];
    for (const q of list) { while (chain.length > 1 && cross(chain[chain.length - 2], chain[chain.length - 1], q) <= 0) chain.pop(); chain.push(q); }
    chain.pop();
    return chain;
  };
  return [...half(p), ...half(p.reverse())];
}
const boxCorners = size => [0, 1, 2, 3, 4, 5, 6, 7].map(k => [0, 1, 2].map(a => (k >> a & 1 ? 0.5 : -0.5) * size[a]));

function player(host, spec) {
  const box = el(host, "div", { class: "chart" });
  const root = svg(box, "svg", { role: "img", "aria-label": spec.label });
  const { bar: controls, slider, words } = playControls(host, spec.t, () => draw());
  const clock = el(controls, "span");
  const names = ["x", "y", "z"];
  const clip = "clip" + clips++;
  // A view along an axis, or (view 3) turned by the mouse: A across, B up.
  const unit = axis => [0, 1, 2].map(k => k === axis ? 1 : 0), dot = (u, v) => u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
  const cross3 = (u, v) => [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
  const views = [[spec.across, spec.up]];
  for (const v of [[0, 2], [1, 2], [0, 1]]) if (!views.some(w => w.includes(v[0]) && w.includes(v[1]))) views.push(v);
  let A = unit(spec.across), B = unit(spec.up), view = 0, azimuth = 0.6, height = 0.35;
  function turnView() {
    const e = unit(spec.up).map(x => spec.down ? -x : x), u = unit(spec.across), w = cross3(u, e);
    const c = Math.cos(azimuth), s = Math.sin(azimuth), out = u.map((x, k) => s * x + c * w[k]);
    A = u.map((x, k) => c * x - s * w[k]);
    B = e.map((x, k) => Math.cos(height) * x - Math.sin(height) * out[k]);
  }
  const buttons = [...views.map(v => `${names[v[0]]} ${names[v[1]]}`), "3-D"].map((label, k) => {
    const button = el(controls, "button", { type: "button" }, label);
    button.addEventListener("click", () => {
      view = k;
      if (k < views.length) [A, B] = [unit(views[k][0]), unit(views[k][1])]; else turnView();
      layout();
    });
    return button;
  });
  // Closer, about the place that is double-clicked, as far away as what is drawn nearest to it.
  let zoom = 1, place = [0, 0, 0];
  const all = el(controls, "button", { type: "button", hidden: "" }, "all");
  all.addEventListener("click", () => { zoom = 1; layout(); });
  root.addEventListener("dblclick", event => {
    const f = root.getBoundingClientRect(), x = event.clientX - f.left, y = event.clientY - f.top, frame = Number(slider.value);
    const drawn = spec.bodies.flatMap(body => { const pose = poseOf(body, frame); return [pose.p, pose.shape]; });
    for (const line of spec.lines || []) {
      const n = line.points.length / spec.t.length;
      for (let i = n * frame; i < n * (frame + 1); i += 3) drawn.push(line.points.slice(i, i + 3));
    }
    const far = p => { const [u, v] = flat(p); return Math.hypot(u - x, v - y); };
    const near = drawn.reduce((best, p) => far(p) < far(best) ? p : best), [u, v] = flat(near);
    place = near.map((c, k) => c + A[k] * (x - u) / scale - B[k] * sign * (y - v) / scale);
    zoom *= 2;
    layout();
  });
  let dragged = null;
  box.addEventListener("pointerdown", event => { if (view === views.length) { dragged = [event.clientX, event.clientY]; event.preventDefault(); } });
  window.addEventListener("pointermove", event => {
    if (!dragged) return;
    azimuth += (event.clientX - dragged[0]) * 0.01;
    height = Math.max(-1.5, Math.min(1.5, height + (event.clientY - dragged[1]) * 0.01));
    dragged = [event.clientX, event.clientY];
    turnView(); layout();
  });
  window.addEventListener("pointerup", () => { dragged = null; });
  const poseOf = (body, frame) => {
    const k = body.poses.length > 7 ? 7 * frame : 0;
    const p = body.poses.slice(k, k + 3), R = rotation(body.poses.slice(k + 3, k + 7));
    return { p, frame: R, shape: add(p, turn(R, body.p)), R: times(R, body.R) };
  };
  let strongest = 0;
  for (const f of spec.forces) for (let k = 0; k < f.values.length; k += 6) if (f.values[k + 3] !== null) strongest = Math.max(strongest, Math.hypot(f.values[k + 3], f.values[k + 4], f.values[k + 5]));
  const tightest = Math.max(0, ...(spec.lines || []).map(line => line.tension.reduce((most, x) => Math.max(most, x), 0)));
  // Parts of a body have its colour.
  let hue = -1;
  for (const body of spec.bodies) { if (body.name) ++hue; body.hue = Math.max(0, hue); }
  let X, Y, sign, scale, bodiesLayer, x0, x1, y0, y1;

  function layout() {
    buttons.forEach((button, k) => button.classList.toggle("on", k === view));
    box.style.cursor = view === views.length ? "grab" : "";
    const ends = [[Infinity, -Infinity], [Infinity, -Infinity]];
    for (const body of spec.bodies) {
      if (body.shape === "half_space") continue;
      const r = body.vertices.length ? Math.max(...body.vertices.map(Math.abs)) : body.shape === "box" ? Math.hypot(...body.size) / 2 : Math.max(...body.size);
      for (let k = 0; k < body.poses.length; k += 7) [A, B].forEach((axis, i) => {
        const at = dot(axis, body.poses.slice(k, k + 3));
        ends[i][0] = Math.min(ends[i][0], at - r);
        ends[i][1] = Math.max(ends[i][1], at + r);
      });
    }
    // Where a joint holds to the world it is seen too.
    for (const link of spec.links || []) for (const [k, p] of [[link.from, link.a], [link.to, link.b]]) {
      const body = spec.bodies[k], at = body ? add(body.poses.slice(0, 3), turn(rotation(body.poses.slice(3, 7)), p)) : p;
      [A, B].forEach((axis, i) => { ends[i][0] = Math.min(ends[i][0], dot(axis, at)); ends[i][1] = Math.max(ends[i][1], dot(axis, at)); });
    }
    [x0, x1] = padded(...ends[0]); [y0, y1] = padded(...ends[1]);
    all.hidden = zoom === 1;
    if (zoom > 1) {
      const [a, b] = [(x1 - x0) / 2 / zoom, (y1 - y0) / 2 / zoom];
      [x0, x1] = [dot(A, place) - a, dot(A, place) + a]; [y0, y1] = [dot(B, place) - b, dot(B, place) + b];
    }
    sign = spec.down && view < views.length && views[view][1] === spec.up ? -1 : 1;
    const labels = view < views.length ? views[view].map(axis => `${names[axis]} [m]`) : ["drag to turn [m]", "[m]"];
    const axes = planeAxes(root, box, [x0, x1], [y0, y1], [150, 420], labels, sign < 0);
    ({ X, Y, scale, x0, x1, y0, y1 } = axes);
    svg(svg(root, "clipPath", { id: clip }), "rect", { x: LEFT, y: TOP, width: axes.inner, height: axes.height });
    bodiesLayer = svg(root, "g", { "clip-path": `url(#${clip})` });
    draw();
  }
  const flat = p => [X(dot(A, p)), Y(dot(B, p))];
  const outline = list => list.map((p, k) => (k ? "L" : "M") + p[0].toFixed(1) + " " + p[1].toFixed(1)).join("") + "Z";

  // A piece of a plane: of one that moves freely, or seen from aside.
  function drawPatch(layer, body, pose) {
    const reach = (body.patch ? 0.05 : 0.4) * Math.min(x1 - x0, y1 - y0), color = body.patch ? colorOf(body.hue) : "var(--ground)";
    const corner = (u, v) => flat(add(pose.shape, turn(pose.R, [u * reach, v * reach, 0])));
    svg(layer, "path", { d: outline([corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)]), style: `fill:${color};fill-opacity:${body.patch ? 0.3 : 0.6};stroke:${color};stroke-width:1.6` });
  }
  function drawGround(layer, body, pose) {
    if (body.patch || view === views.length) return drawPatch(layer, body, pose);
    const column = [pose.R[2], pose.R[5], pose.R[8]], n = [dot(A, column), dot(B, column)], length = Math.hypot(...n);
    if (length < 0.5) return;  // seen from above: it fills the picture
    const [px, py] = [dot(A, pose.shape), dot(B, pose.shape)];
    const [nx, ny] = [n[0] / length, n[1] / length], far = 4 * Math.hypot(x1 - x0, y1 - y0);
    // The point of the surface nearest to the middle of the picture, so that "far" is far enough.
    const c = [(x0 + x1) / 2, (y0 + y1) / 2], along = (c[0] - px) * -ny + (c[1] - py) * nx;
    const at = (s, depth) => [X(px - ny * s - nx * depth), Y(py + nx * s - ny * depth)];
    svg(layer, "path", { d: outline([at(along - far, 0), at(along + far, 0), at(along + far, far), at(along - far, far)]), style: "fill:var(--ground)" });
    let d = `M${at(along - far, 0).join(" ")}L${at(along + far, 0).join(" ")}`;
    // Hatching moves with the surface: a belt is seen to run.
    const step = 40 / scale, reach = (x1 - x0 + y1 - y0) / 2 * 1.5;
    for (let s = Math.ceil((along - reach) / step) * step; s <= along + reach; s += step) d += `M${at(s, 0).join(" ")}L${at(s - 8 / scale, 8 / scale).join(" ")}`;
    svg(layer, "path", { d, fill: "none", class: "axis" });
  }
  function drawBody(layer, body, pose) {
    const color = colorOf(body.hue), style = `fill:${color};fill-opacity:0.22;stroke:${color};stroke-width:1.6`;
    const [cx, cy] = flat(pose.shape);
    if (body.shape === "ellipsoid" || body.shape === "sphere") {
      // Silhouette: the block of R diag(r^2) R' in the plane of view, and its principal axes.
      const axis = (u, m) => u[0] * pose.R[m] + u[1] * pose.R[3 + m] + u[2] * pose.R[6 + m];
      const S = (u, v) => [0, 1, 2].reduce((sum, m) => sum + axis(u, m) * axis(v, m) * body.size[m] ** 2, 0);
      const p = S(A, A), q = S(B, B), r = S(A, B), mean = (p + q) / 2, d = Math.hypot((p - q) / 2, r);
      const angle = -sign * Math.atan2(2 * r, p - q) / 2 * 180 / Math.PI;
      svg(layer, "ellipse", { cx, cy, rx: Math.sqrt(mean + d) * scale, ry: Math.sqrt(Math.max(0, mean - d)) * scale, transform: `rotate(${angle} ${cx} ${cy})`, style });
      let spokes = "";
      for (let m = 0; m < 3; ++m) spokes += `M${cx} ${cy}l${axis(A, m) * body.size[m] * scale} ${-sign * axis(B, m) * body.size[m] * scale}`;
      svg(layer, "path", { d: spokes, style: `stroke:${color};opacity:0.7` });
    } else if (body.shape === "mesh") {
      // All triangles turned the same way round make one path that fills their union: holes stay.
      const corners = [];
      for (let m = 0; m < body.vertices.length; m += 3) corners.push(flat(add(pose.shape, turn(pose.R, body.vertices.slice(m, m + 3)))));
      let d = "";
      for (let m = 0; m < body.triangles.length; m += 3) {
        const [p, q, r] = body.triangles.slice(m, m + 3).map(k => corners[k]);
        const turned = (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]) > 0;
        d += outline(turned ? [p, q, r] : [p, r, q]);
      }
      svg(layer, "path", { d, "fill-rule": "nonzero", style: `fill:${color};fill-opacity:0.3` });
    } else if (body.shape === "box" || body.shape === "hull") {
      const corners = body.shape === "box" ? boxCorners(body.size) : [];
      for (let m = 0; m < body.vertices.length; m += 3) corners.push(body.vertices.slice(m, m + 3));
      const drawn = corners.map(p => flat(add(pose.shape, turn(pose.R, p))));
      svg(layer, "path", { d: outline(hull(drawn)), style });
      if (body.shape === "box") {
        let d = "";
        for (let m = 0; m < 8; ++m) for (let axis = 0; axis < 3; ++axis) if (!(m >> axis & 1)) d += `M${drawn[m].join(" ")}L${drawn[m | 1 << axis].join(" ")}`;
        svg(layer, "path", { d, style: `stroke:${color};opacity:0.45` });
      }
    }
    const [px, py] = flat(pose.p);
    if (body.name) svg(layer, "circle", { cx: px, cy: py, r: 2.5, style: `fill:${color}` });
  }
  function draw() {
    const frame = Number(slider.value);
    bodiesLayer.textContent = "";
    const poses = spec.bodies.map(body => poseOf(body, frame));
    spec.bodies.forEach((body, k) => { if (body.shape === "half_space") drawGround(bodiesLayer, body, poses[k]); });
    spec.bodies.forEach((body, k) => {
      if (!body.trail) return;
      let d = "";
      for (let i = 0; i < body.poses.length; i += 7) d += (i ? "L" : "M") + flat(body.poses.slice(i, i + 3)).map(v => v.toFixed(1)).join(" ");
      svg(bodiesLayer, "path", { class: "curve", d, style: `stroke:${colorOf(body.hue)};stroke-dasharray:1 4` });
    });
    spec.bodies.forEach((body, k) => { if (body.shape !== "half_space") drawBody(bodiesLayer, body, poses[k]); });
    for (const line of spec.lines || []) {
      const n = line.points.length / spec.t.length, share = tightest > 0 ? line.tension[frame] / tightest : 0;
      let d = "";
      for (let i = n * frame; i < n * (frame + 1); i += 3) d += (d ? "L" : "M") + flat(line.points.slice(i, i + 3)).map(v => v.toFixed(1)).join(" ");
      const style = share > 0 ? `stroke:var(--bad);stroke-width:${(1 + 2.5 * share).toFixed(2)};opacity:${(0.45 + 0.55 * share).toFixed(2)}` : "stroke:currentColor;stroke-width:0.9;opacity:0.35;stroke-dasharray:3 3";
      svg(svg(bodiesLayer, "path", { d, fill: "none", style }), "title", {}, `${line.name}: ${line.tension[frame].toPrecision(3)} N`);
    }
    for (const link of spec.links || []) {
      const at = (k, p) => flat(k < 0 ? p : add(poses[k].p, turn(poses[k].frame, p)));
      const from = at(link.from, link.a), to = at(link.to, link.b), hue = spec.bodies[link.to].hue;
      svg(bodiesLayer, "path", { d: `M${from.join(" ")}L${to.join(" ")}`, style: `stroke:${colorOf(hue)};stroke-width:3;stroke-linecap:round;opacity:0.75` });
      svg(bodiesLayer, "circle", { cx: from[0], cy: from[1], r: 3, style: "fill:var(--paper);stroke:var(--soft);stroke-width:1.4" });
    }
    for (const f of spec.forces) {
      const v = f.values.slice(6 * frame, 6 * frame + 6);
      if (v[3] === null || !strongest) continue;
      const [x, y] = flat(v), s = 110 / strongest, force = v.slice(3), dx = dot(A, force) * s, dy = -sign * dot(B, force) * s;
      const arrow = svg(bodiesLayer, "path", { d: `M${x} ${y}l${dx} ${dy}`, style: "stroke:var(--bad);stroke-width:2.4;stroke-linecap:round" });
      svg(arrow, "title", {}, f.name);
    }
    // Names of bodies at one place stand below each other.
    const taken = [];
    spec.bodies.forEach((body, k) => {
      if (body.shape === "half_space" || !body.name) return;
      const at = flat(poses[k].p), x = at[0] + 7;
      let y = at[1] - 7;
      while (taken.some(([u, v]) => Math.abs(u - x) < 60 && Math.abs(v - y) < 12)) y += 13;
      taken.push([x, y]);
      svg(bodiesLayer, "text", { class: "name", x, y }, body.name);
    });
    clock.textContent = `${spec.t[frame].toFixed(4)} s`;
  }
  if (words) el(controls, "span", {}, words);
  layout();
  return layout;
}
kinds.player = player;
)js";

const std::string_view kStartScript = R"js(
// --- start
const whole = el(document.body, "button", { id: "whole", type: "button" }, "show the whole run");
whole.addEventListener("click", () => setZoom(null));
const redraws = [];
for (const host of document.querySelectorAll("[data-plot]")) {
  const index = Number(host.dataset.plot);
  redraws.push(kinds[specs[index].kind](host, specs[index]));
  host.dataset.drawn = specs[index].kind;
}
// Also what stood in a closed <details> when it was first drawn.
for (const details of document.querySelectorAll("details")) details.addEventListener("toggle", () => { for (const redraw of redraws) redraw(); });
let width = window.innerWidth;
window.addEventListener("resize", () => { if (window.innerWidth !== width) { width = window.innerWidth; for (const redraw of redraws) redraw(); } });
page.dataset.plots = redraws.length;
if (!page.dataset.error) page.dataset.state = "done";
)js";

}  // namespace vesica::detail
