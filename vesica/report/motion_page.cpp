#include "vesica/report/motion_page.h"

namespace vesica {

const std::string_view kMotionPage = R"page(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Trial overview</title>
<style>
:root { --ink: #1c2430; --soft: #5d6877; --line: #dfe4ea; --paper: #ffffff; --panel: #f6f8fa;
  --left: #2866b2; --right: #c8501e; --other: #7b8492; --bad: #b3261e; --fill: #d39a00; --here: #5b7f6b; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e8ee; --soft: #9aa5b4; --line: #333c48;
  --paper: #14181d; --panel: #1c222a; --left: #6ba4e8; --right: #f08a5a; --other: #98a2b0;
  --bad: #ff8a80; --fill: #e8bc4a; --here: #6f9c83; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1180px; padding: 28px 24px 60px; background: var(--paper);
  color: var(--ink); font: 15px/1.45 system-ui, -apple-system, "Segoe UI", sans-serif; }
h1 { font-size: 24px; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 17px; margin: 38px 0 4px; }
p { margin: 4px 0 10px; color: var(--soft); max-width: 80ch; }
.files { color: var(--soft); font-size: 13px; overflow-wrap: anywhere; }
.tiles { display: flex; flex-wrap: wrap; gap: 10px; margin: 18px 0 6px; }
.tile { background: var(--panel); border-radius: 8px; padding: 10px 16px; min-width: 118px; }
.tile b { display: block; font-size: 21px; font-weight: 600; }
.tile span { color: var(--soft); font-size: 12.5px; }
.notes { border-left: 4px solid var(--bad); background: var(--panel); padding: 10px 16px; margin: 16px 0;
  border-radius: 0 8px 8px 0; }
.notes.done { border-color: var(--here); }
.notes b { font-weight: 600; }
.notes ul { margin: 4px 0 0; padding-left: 18px; }
svg { display: block; width: 100%; height: auto; overflow: visible; }
svg text { font: 11.5px system-ui, sans-serif; fill: var(--soft); }
svg .strong { fill: var(--ink); }
.legend { display: flex; flex-wrap: wrap; gap: 4px 16px; font-size: 12.5px; color: var(--soft); margin: 6px 0 2px; }
.legend i { display: inline-block; width: 16px; height: 3px; vertical-align: middle; margin-right: 5px; border-radius: 2px; }
.legend i.box { height: 11px; width: 11px; }
.chart { position: relative; margin: 6px 0 10px; }
.tip { position: absolute; pointer-events: none; background: var(--ink); color: var(--paper); font-size: 12px;
  line-height: 1.4; padding: 5px 9px; border-radius: 6px; white-space: nowrap; display: none; z-index: 5; }
.chips { display: flex; flex-wrap: wrap; gap: 5px; margin: 8px 0; max-height: 132px; overflow: auto; }
.chips button { font: inherit; font-size: 12.5px; padding: 2px 9px; border-radius: 12px; cursor: pointer;
  border: 1px solid var(--line); background: var(--paper); color: var(--soft); }
.chips button.on { color: var(--paper); border-color: transparent; }
.film { display: flex; flex-wrap: wrap; gap: 28px; align-items: flex-start; }
.film figure { margin: 0; }
.film figcaption { font-size: 12.5px; color: var(--soft); margin-top: 5px; }
canvas { image-rendering: pixelated; background: var(--panel); border-radius: 6px; display: block; }
.controls { display: flex; align-items: center; gap: 10px; margin-top: 8px; font-size: 13px; color: var(--soft); }
.controls button { font: inherit; padding: 2px 12px; border-radius: 6px; border: 1px solid var(--line);
  background: var(--paper); color: var(--ink); cursor: pointer; }
.controls input { width: 130px; }
</style>
</head>
<body>
<noscript><p>This page draws its pictures with a script inside of it; allow scripts for this file.</p></noscript>
<main id="page"></main>
<script id="data" type="application/json">/*DATA*/</script>
<script>
"use strict";
const D = JSON.parse(document.getElementById("data").textContent);
const page = document.getElementById("page");
const NS = "http://www.w3.org/2000/svg";
const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const footColor = foot => css(foot === "left" ? "--left" : foot === "right" ? "--right" : "--other");
const palette = ["#2866b2", "#c8501e", "#3f8f5b", "#8a4fb0", "#b8860b", "#2a9aa8", "#b03a6b", "#6b7280"];

function el(parent, tag, attributes, text) {
  const node = document.createElement(tag);
  for (const key in attributes || {}) node.setAttribute(key, attributes[key]);
  if (text !== undefined) node.textContent = text;
  parent.appendChild(node);
  return node;
}
function svg(parent, tag, attributes, text) {
  const node = document.createElementNS(NS, tag);
  for (const key in attributes || {}) node.setAttribute(key, attributes[key]);
  if (text !== undefined) node.textContent = text;
  parent.appendChild(node);
  return node;
}
function section(title, words) {
  el(page, "h2", {}, title);
  if (words) el(page, "p", {}, words);
  return el(page, "div");
}
function ticks(low, high, count) {
  const raw = (high - low) / count, power = Math.pow(10, Math.floor(Math.log10(raw)));
  const step = [1, 2, 5, 10].map(k => k * power).find(s => s >= raw * 0.999);
  const list = [];
  for (let v = Math.ceil(low / step - 1e-9) * step; v <= high + 1e-9 * step; v += step) list.push(Math.abs(v) < 1e-9 * step ? 0 : v);
  return list;
}
const neat = v => Number(v.toPrecision(6)).toString();

// Time range of the whole trial, shared by all charts.
let T0 = Infinity, T1 = -Infinity;
const extend = t => { if (t.length) { T0 = Math.min(T0, t[0]); T1 = Math.max(T1, t[t.length - 1]); } };
if (D.trajectories) extend(D.trajectories.t);
D.forces.forEach(f => extend(f.t));

const W = 1120, LEFT = 62, RIGHT = 12;
function nearest(t, time) {
  let low = 0, high = t.length - 1;
  while (high - low > 1) { const mid = (low + high) >> 1; if (t[mid] < time) low = mid; else high = mid; }
  return time - t[low] < t[high] - time ? low : high;
}

// A chart over time: series {name, color, t, y}, steps as bands, events as ticks at the top.
function chart(host, options) {
  const range = options.range || [T0, T1];
  const H = options.height || 190, TOP = options.events ? 34 : 18, BOTTOM = options.time === false ? 8 : 26;
  let low = Infinity, high = -Infinity;
  for (const s of options.series) for (const v of s.y) if (v !== null) { if (v < low) low = v; if (v > high) high = v; }
  if (!(high > low)) { const c = isFinite(low) ? low : 0; low = c - 1; high = c + 1; }
  if (options.zero) { low = Math.min(low, 0); high = Math.max(high, 0); }
  const pad = 0.06 * (high - low); low -= options.zero && low === 0 ? 0 : pad; high += pad;
  const X = t => LEFT + (t - range[0]) / (range[1] - range[0]) * (W - LEFT - RIGHT);
  const Y = v => TOP + (high - v) / (high - low) * (H - TOP - BOTTOM);
  const box = el(host, "div", { class: "chart" });
  const root = svg(box, "svg", { viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": options.label });
  for (const b of options.bands || []) {
    svg(root, "rect", { x: X(Math.max(b.start, range[0])), y: TOP, width: Math.max(0, X(Math.min(b.end, range[1])) - X(Math.max(b.start, range[0]))),
      height: H - TOP - BOTTOM, fill: footColor(b.foot), opacity: 0.09 });
  }
  for (const v of ticks(low, high, Math.max(4, H / 36))) {
    svg(root, "line", { x1: LEFT, x2: W - RIGHT, y1: Y(v), y2: Y(v), stroke: css("--line") });
    svg(root, "text", { x: LEFT - 7, y: Y(v) + 4, "text-anchor": "end" }, neat(v));
  }
  for (const t of ticks(range[0], range[1], 12)) {
    if (options.time !== false) svg(root, "text", { x: X(t), y: H - 8, "text-anchor": "middle" }, neat(t) + (t === 0 ? " s" : ""));
    svg(root, "line", { x1: X(t), x2: X(t), y1: H - BOTTOM, y2: H - BOTTOM + 4, stroke: css("--soft") });
  }
  for (const e of options.events || []) {
    if (e.t < range[0] || e.t > range[1]) continue;
    const g = svg(root, "g", {});
    const strike = /strike/i.test(e.kind), color = footColor(e.foot), y = e.from === "file" ? 24 : 14;
    svg(g, "path", { d: strike ? `M${X(e.t) - 4} ${y} h8 l-4 7 z` : `M${X(e.t) - 4} ${y + 7} h8 l-4 -7 z`,
      fill: e.from === "file" ? "none" : color, stroke: color });
    svg(g, "title", {}, `${e.foot} ${e.kind} at ${e.t.toFixed(3)} s (${e.from})`);
  }
  svg(root, "text", { x: 0, y: 10, class: "strong" }, options.label);
  for (const s of options.series) {
    let d = "", pen = false;
    for (let i = 0; i < s.y.length; ++i) {
      if (s.y[i] === null) { pen = false; continue; }
      d += (pen ? "L" : "M") + X(s.t[i]).toFixed(1) + " " + Y(s.y[i]).toFixed(1);
      pen = true;
    }
    svg(root, "path", { d, fill: "none", stroke: s.color, "stroke-width": 1.6, "stroke-linejoin": "round" });
  }
  for (const m of options.marks || []) {
    const g = svg(root, "g", {});
    svg(g, "line", { x1: X(m.t), x2: X(m.t), y1: TOP, y2: H - BOTTOM, stroke: css("--bad"), "stroke-dasharray": "3 3" });
    svg(g, "title", {}, m.text);
  }
  const line = svg(root, "line", { y1: TOP, y2: H - BOTTOM, stroke: css("--ink"), opacity: 0 });
  const tip = el(box, "div", { class: "tip" });
  box.addEventListener("mousemove", event => {
    const frame = root.getBoundingClientRect();
    const time = range[0] + ((event.clientX - frame.left) / frame.width * W - LEFT) / (W - LEFT - RIGHT) * (range[1] - range[0]);
    if (time < range[0] || time > range[1]) { tip.style.display = "none"; line.setAttribute("opacity", 0); return; }
    line.setAttribute("x1", X(time)); line.setAttribute("x2", X(time)); line.setAttribute("opacity", 0.35);
    tip.textContent = "";
    el(tip, "div", {}, time.toFixed(3) + " s");
    for (const s of options.series) {
      if (!s.t.length) continue;
      if (time < s.t[0] - 0.02 || time > s.t[s.t.length - 1] + 0.02) continue;
      const v = s.y[nearest(s.t, time)];
      if (v === null || (s.hideZero && Math.abs(v) < 1)) continue;
      el(tip, "div", {}, `${s.name}: ${neat(v)} ${options.unit}`);
    }
    tip.style.display = "block";
    const x = event.clientX - frame.left;
    tip.style.left = (x > frame.width - 190 ? x - tip.offsetWidth - 12 : x + 14) + "px";
    tip.style.top = Math.max(0, event.clientY - frame.top - 20) + "px";
  });
  box.addEventListener("mouseleave", () => { tip.style.display = "none"; line.setAttribute("opacity", 0); });
}
function legend(host, entries) {
  const box = el(host, "div", { class: "legend" });
  for (const [name, color, square] of entries) {
    const item = el(box, "span");
    const mark = el(item, "i", square ? { class: "box" } : {});
    mark.style.background = color;
    item.append(name);
  }
}

// --- head
document.title = D.title + " - trial overview";
el(page, "h1", {}, D.title);
el(page, "div", { class: "files" }, `${D.files.join(" + ")}  (${D.format}${D.presence || D.forces.length ? "; " + D.up + " up" : ""})`);
const tiles = el(page, "div", { class: "tiles" });
for (const [value, label] of D.tiles) { const t = el(tiles, "div", { class: "tile" }); el(t, "b", {}, value); el(t, "span", {}, label); }
if (D.edits.length) {
  const box = el(page, "div", { class: "notes done" });
  el(box, "b", {}, "What was done to the recording");
  const list = el(box, "ul"); D.edits.forEach(text => el(list, "li", {}, text));
}
if (D.warnings.length) {
  const box = el(page, "div", { class: "notes" });
  el(box, "b", {}, D.warnings.length === 1 ? "One thing to look at" : `${D.warnings.length} things to look at`);
  const list = el(box, "ul"); D.warnings.forEach(text => el(list, "li", {}, text));
} else {
  const box = el(page, "div", { class: "notes done" });
  el(box, "b", {}, "No warnings: nothing is missing, jumps or contradicts itself.");
}

// --- steps and forces
const feet = [...new Set(D.steps.map(s => s.foot))];
if (D.forces.length) {
  const a = D.forces[0].axes[0], b = D.forces[0].axes[1];
  const host = section("Force and centre of pressure",
    "Force on the subject, one colour per foot; bands are stances. Triangles at the top: down for foot strike, up for foot off, filled as the markers tell, hollow as the file says.");
  legend(host, feet.map(f => [f === "both" ? "both feet" : f === "unknown" ? "foot unknown" : f + " foot", footColor(f), true]));
  // A plate's curve changes colour with the foot that stands on it.
  const split = key => {
    const series = [];
    D.forces.forEach((plate, index) => {
      const steps = D.steps.filter(s => s.plate === index);
      for (const s of steps) {
        const t = [], y = [];
        for (let i = 0; i < plate.t.length; ++i) if (plate.t[i] >= s.start - 0.02 && plate.t[i] <= s.end + 0.02) { t.push(plate.t[i]); y.push(plate[key][i]); }
        series.push({ name: `plate ${plate.name}, ${s.foot}`, color: footColor(s.foot), t, y });
      }
      if (!steps.length && key === "load") series.push({ name: `plate ${plate.name}`, color: css("--other"), t: plate.t, y: plate[key], hideZero: true });
    });
    return series;
  };
  const show = (key, label, unit, height, zero, more) => chart(host, Object.assign({ label, unit, series: split(key), bands: D.steps, height, zero }, more));
  show("load", "vertical, N", "N", 240, true, { events: D.events, time: false });
  show("a", `along ${a}, N`, "N", 130, true, { time: false });
  show("b", `along ${b}, N`, "N", 130, true, { time: false });
  show("pa", `centre of pressure ${a}, mm`, "mm", 150, false, { time: false });
  show("pb", `centre of pressure ${b}, mm`, "mm", 150, false, { time: false });
  show("moment", "free moment, N m", "N m", 130, true, {});
}
if (D.footprint.paths.length) {
  const host = section("Footprint on the plates",
    "Seen from above: path of the centre of pressure (above 50 N; dot where it begins), and the foot through its markers at 40 % of the stance." +
    (D.footprint.plates.some(p => p.corners.length) ? "" : " The file does not tell where the plates are."));
  const points = [];
  D.footprint.plates.forEach(p => points.push(...p.corners));
  D.footprint.paths.forEach(p => points.push(...p.path, ...p.outline));
  let x0 = Infinity, x1 = -Infinity, y0 = Infinity, y1 = -Infinity;
  for (const [x, y] of points) { x0 = Math.min(x0, x); x1 = Math.max(x1, x); y0 = Math.min(y0, y); y1 = Math.max(y1, y); }
  const margin = 60; x0 -= margin; x1 += margin; y0 -= margin; y1 += margin;
  const scale = Math.min(W / (x1 - x0), 620 / (y1 - y0));
  const H = (y1 - y0) * scale, shift = (W - (x1 - x0) * scale) / 2;
  const P = ([x, y]) => [shift + (x - x0) * scale, (y - y0) * scale];
  const path = list => list.map((p, i) => (i ? "L" : "M") + P(p).map(v => v.toFixed(1)).join(" ")).join("");
  const root = svg(host, "svg", { viewBox: `0 0 ${W} ${H + 24}`, role: "img", "aria-label": "footprint" });
  for (const plate of D.footprint.plates) {
    if (!plate.corners.length) continue;
    svg(root, "path", { d: path(plate.corners) + "Z", fill: css("--panel"), stroke: css("--soft") });
    const xs = plate.corners.map(c => P(c)[0]), ys = plate.corners.map(c => P(c)[1]);
    svg(root, "text", { x: Math.min(...xs) + 6, y: Math.min(...ys) + 15 }, "plate " + plate.name);
  }
  for (const step of D.footprint.paths) {
    const color = footColor(step.foot), g = svg(root, "g", {});
    if (step.outline.length > 2) svg(g, "path", { d: path(step.outline) + "Z", fill: color, opacity: 0.16, stroke: color, "stroke-linejoin": "round", "stroke-width": 16 * scale });
    if (!step.path.length) continue;
    svg(g, "path", { d: path(step.path), fill: "none", stroke: color, "stroke-width": 2.2 });
    const [cx, cy] = P(step.path[0]);
    svg(g, "circle", { cx, cy, r: 4, fill: color });
    svg(g, "title", {}, `${step.foot} foot, ${step.start} to ${step.end} s`);
    const ends = step.path.concat(step.outline).map(P);
    svg(g, "text", { x: ends.reduce((s, p) => s + p[0], 0) / ends.length, y: Math.max(...ends.map(p => p[1])) + 22, "text-anchor": "middle" },
      `${step.foot} ${step.start.toFixed(2)}\u2013${step.end.toFixed(2)} s`);
  }
  const bar = 200 * scale;
  svg(root, "path", { d: `M4 ${H + 8} h${bar}`, stroke: css("--ink"), "stroke-width": 2 });
  svg(root, "text", { x: bar + 12, y: H + 12 }, `200 mm;  ${D.footprint.right} to the right, ${D.footprint.down} down the page`);
}

// --- presence
if (D.presence) {
  const complete = D.presence.filter(r => r.present === 1).length;
  const host = section("Presence of markers", `${complete} of ${D.presence.length} markers are complete. Red ticks: jumps, swaps and flips.`);
  legend(host, [["present", css("--here"), true], ["missing", css("--line"), true], ["filled", css("--fill"), true], ["fault", css("--bad"), true]]);
  const columns = D.presence.length > 36 ? 2 : 1, rowH = D.presence.length > 36 ? 12 : 15;
  const rows = Math.ceil(D.presence.length / columns), width = (W - 24 * (columns - 1)) / columns;
  const root = svg(host, "svg", { viewBox: `0 0 ${W} ${rows * rowH + 22}`, role: "img", "aria-label": "presence of markers" });
  D.presence.forEach((row, index) => {
    const column = Math.floor(index / rows), left = column * (width + 24), y = (index % rows) * rowH;
    const start = left + 118, span = width - 118 - 44, X = t => start + (t - T0) / (T1 - T0) * span;
    const name = svg(root, "text", { x: left + 112, y: y + rowH - 4, "text-anchor": "end" }, row.label.length > 17 ? "\u2026" + row.label.slice(-16) : row.label);
    svg(name, "title", {}, row.label);
    const g = svg(root, "g", {});
    svg(g, "rect", { x: start, y: y + 2, width: span, height: rowH - 4, rx: 2, fill: css("--here"), opacity: 0.75 });
    for (const [a, b] of row.missing) svg(g, "rect", { x: X(a), y: y + 2, width: Math.max(1, X(b) - X(a)), height: rowH - 4, fill: css("--line") });
    for (const [a, b] of row.filled) svg(g, "rect", { x: X(a), y: y + 2, width: Math.max(1, X(b) - X(a)), height: rowH - 4, fill: css("--fill") });
    svg(g, "title", {}, `${row.label}: ${(100 * row.present).toFixed(1)} % present, ${row.missing.length} gaps`);
    for (const [t, text] of row.faults) {
      const f = svg(root, "rect", { x: X(t) - 1.5, y: y, width: 3, height: rowH, fill: css("--bad") });
      svg(f, "title", {}, text);
    }
    svg(root, "text", { x: start + span + 6, y: y + rowH - 4 }, row.present === 1 ? "" : (100 * row.present).toFixed(0) + " %");
  });
  for (let c = 0; c < columns; ++c) {
    const start = c * (width + 24) + 118, span = width - 118 - 44;
    for (const t of ticks(T0, T1, columns > 1 ? 5 : 10)) svg(root, "text", { x: start + (t - T0) / (T1 - T0) * span, y: rows * rowH + 14, "text-anchor": "middle" }, neat(t) + " s");
  }
}

// --- trajectories
if (D.trajectories) {
  const stride = D.trajectories.stride;
  const host = section("Trajectories", "Choose markers; point at a curve to read it." + (stride > 1 ? ` Every ${stride}th frame is drawn.` : ""));
  const chips = el(host, "div", { class: "chips" }), plots = el(host, "div");
  const on = new Set(D.trajectories.first);
  const colorOf = i => palette[[...on].indexOf(i) % palette.length];
  const draw = () => {
    [...chips.children].forEach((chip, i) => { chip.className = on.has(i) ? "on" : ""; chip.style.background = on.has(i) ? colorOf(i) : ""; });
    plots.textContent = "";
    const marks = [];
    on.forEach(i => D.presence[i].faults.forEach(([t, text]) => marks.push({ t, text })));
    ["x", "y", "z"].forEach((axis, a) => chart(plots, { label: axis + (D.up.endsWith(axis) ? " (vertical), mm" : ", mm"), unit: "mm", height: 150, time: a === 2, bands: D.steps, marks,
      series: [...on].map(i => ({ name: D.presence[i].label, color: colorOf(i), t: D.trajectories.t, y: D.trajectories.tracks[i][a] })) }));
  };
  D.presence.forEach((row, i) => el(chips, "button", { type: "button" }, row.label).addEventListener("click", () => { if (on.has(i)) { if (on.size > 1) on.delete(i); } else on.add(i); draw(); }));
  draw();
}

// --- pressure films
const stops = [[245, 247, 250], [158, 202, 225], [66, 146, 198], [120, 90, 170], [200, 60, 90], [240, 140, 40], [255, 235, 120]];
function heat(part) {
  const x = Math.min(Math.max(part, 0), 1) * (stops.length - 1), i = Math.min(Math.floor(x), stops.length - 2), f = x - i;
  return stops[i].map((v, c) => Math.round(v + f * (stops[i + 1][c] - v)));
}
D.films.forEach((film, number) => {
  const host = section(D.films.length > 1 ? `Pressure film ${number + 1}` : "Pressure film",
    `${film.rows} x ${film.cols} cells of ${neat(film.dr)} x ${neat(film.dc)} mm. Point at a cell to read it; the line is the path of the centre of pressure.`);
  const row = el(host, "div", { class: "film" });
  const most = Math.max(1, ...film.peak), zoom = Math.max(2, Math.min(Math.floor(520 / film.rows), Math.floor(420 / film.cols)));
  const ratio = film.dr / film.dc;
  const make = caption => {
    const figure = el(row, "figure"), box = el(figure, "div", { class: "chart" });
    const canvas = el(box, "canvas", { width: film.cols * zoom, height: Math.round(film.rows * zoom * ratio) });
    const tip = el(box, "div", { class: "tip" }), words = el(figure, "figcaption", {}, caption);
    return { figure, canvas, tip, words, values: null };
  };
  const faint = 0.05 * Math.max(...film.force);  // below, the centre of pressure is noise
  const draw = (view, values, until) => {
    view.values = values;
    const g = view.canvas.getContext("2d"), h = zoom * ratio;
    g.clearRect(0, 0, view.canvas.width, view.canvas.height);
    for (let r = 0; r < film.rows; ++r) for (let c = 0; c < film.cols; ++c) {
      const i = r * film.cols + c;
      if (!film.sensors[i]) continue;
      g.fillStyle = values[i] > 0 ? `rgb(${heat(0.08 + 0.92 * values[i] / most)})` : css("--panel");
      g.fillRect(c * zoom, r * h, zoom, Math.ceil(h));
      if (values[i] === 0) { g.strokeStyle = css("--line"); g.lineWidth = 0.5; g.strokeRect(c * zoom, r * h, zoom, h); }
    }
    g.strokeStyle = css("--ink"); g.lineWidth = 2; g.beginPath();
    let pen = false;
    film.cop.forEach((p, k) => { if (k > until || !p || film.force[k] < faint) { pen = false; return; } const x = (p[1] + 0.5) * zoom, y = (p[0] + 0.5) * h; if (pen) g.lineTo(x, y); else g.moveTo(x, y); pen = true; });
    g.stroke();
  };
  const peak = make("largest pressure of each cell"), now = make("");
  for (const view of [peak, now]) {
    view.canvas.addEventListener("mousemove", event => {
      const frame = view.canvas.getBoundingClientRect();
      const c = Math.floor((event.clientX - frame.left) / frame.width * film.cols), r = Math.floor((event.clientY - frame.top) / frame.height * film.rows);
      const i = r * film.cols + c;
      view.tip.style.display = film.sensors[i] ? "block" : "none";
      view.tip.textContent = `row ${r + 1}, column ${c + 1}: ${view.values[i]} kPa`;
      view.tip.style.left = event.clientX - frame.left + 14 + "px"; view.tip.style.top = event.clientY - frame.top - 10 + "px";
    });
    view.canvas.addEventListener("mouseleave", () => { view.tip.style.display = "none"; });
  }
  draw(peak, film.peak, film.frames.length);
  const controls = el(now.figure, "div", { class: "controls" });
  const button = el(controls, "button", { type: "button" }, "play");
  const slider = el(controls, "input", { type: "range", min: 0, max: film.frames.length - 1, step: 1, "aria-label": "frame" });
  let frame = film.force.indexOf(Math.max(...film.force)), timer = null;
  const show = () => { slider.value = frame; draw(now, film.frames[frame], frame); now.words.textContent = `at ${film.t[frame].toFixed(3)} s: ${film.force[frame].toFixed(0)} N`; };
  slider.addEventListener("input", () => { frame = Number(slider.value); show(); });
  button.addEventListener("click", () => {
    if (timer) { clearInterval(timer); timer = null; button.textContent = "play"; return; }
    button.textContent = "stop";
    timer = setInterval(() => { frame = (frame + 1) % film.frames.length; show(); }, 40);
  });
  show();
  const scale = el(row, "figure"), bar = el(scale, "canvas", { width: 16, height: 200 }), g = bar.getContext("2d");
  for (let y = 0; y < 200; ++y) { g.fillStyle = `rgb(${heat(0.08 + 0.92 * (1 - y / 199))})`; g.fillRect(0, y, 16, 1); }
  el(scale, "figcaption", {}, `top: ${most} kPa`);
  if (film.t.length > 1) chart(host, { label: "force on the film, N", unit: "N", height: 170, zero: true, range: [film.t[0], film.t[film.t.length - 1]], series: [{ name: "force", color: css("--left"), t: film.t, y: film.force }] });
});
</script>
</body>
</html>
)page";

}  // namespace vesica
