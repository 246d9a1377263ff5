#include "vesica/report/motion_script.h"

namespace vesica::detail {

const std::string_view kMotionScript = R"js(
const footVar = foot => css(foot === "left" ? "--left" : foot === "right" ? "--right" : "--other");
const WIDE = 1120;  // of pictures that are scaled as a whole

// --- footprints, seen from above
kinds.footprint = function (host, spec) {
  const W = WIDE;
  const points = [];
  spec.plates.forEach(p => points.push(...p.corners));
  spec.paths.forEach(p => points.push(...p.path, ...p.outline));
  let x0 = Infinity, x1 = -Infinity, y0 = Infinity, y1 = -Infinity;
  for (const [x, y] of points) { x0 = Math.min(x0, x); x1 = Math.max(x1, x); y0 = Math.min(y0, y); y1 = Math.max(y1, y); }
  const margin = 60; x0 -= margin; x1 += margin; y0 -= margin; y1 += margin;
  const scale = Math.min(W / (x1 - x0), 620 / (y1 - y0));
  const H = (y1 - y0) * scale, shift = (W - (x1 - x0) * scale) / 2;
  const P = ([x, y]) => [shift + (x - x0) * scale, (y - y0) * scale];
  const path = list => list.map((p, i) => (i ? "L" : "M") + P(p).map(v => v.toFixed(1)).join(" ")).join("");
  const root = svg(el(host, "div", { class: "chart scaled" }), "svg", { viewBox: `0 0 ${W} ${H + 24}`, role: "img", "aria-label": "footprint" });
  for (const plate of spec.plates) {
    if (!plate.corners.length) continue;
    svg(root, "path", { d: path(plate.corners) + "Z", fill: css("--panel"), stroke: css("--soft") });
    const xs = plate.corners.map(c => P(c)[0]), ys = plate.corners.map(c => P(c)[1]);
    svg(root, "text", { x: Math.min(...xs) + 6, y: Math.min(...ys) + 15 }, "plate " + plate.name);
  }
  for (const step of spec.paths) {
    const color = footVar(step.foot), g = svg(root, "g", {});
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
  svg(root, "text", { x: bar + 12, y: H + 12 }, `200 mm;  ${spec.right} to the right, ${spec.down} down the page`);
  return () => {};
};

// --- presence of markers
kinds.presence = function (host, spec) {
  const W = WIDE, [T0, T1] = spec.range;
  makeLegend(host, [["present", css("--here")], ["missing", css("--line")], ["filled", css("--fill")], ["fault", css("--bad")]]);
  const columns = spec.rows.length > 36 ? 2 : 1, rowH = spec.rows.length > 36 ? 12 : 15;
  const rows = Math.ceil(spec.rows.length / columns), width = (W - 24 * (columns - 1)) / columns;
  const root = svg(el(host, "div", { class: "chart scaled" }), "svg", { viewBox: `0 0 ${W} ${rows * rowH + 22}`, role: "img", "aria-label": "presence of markers" });
  spec.rows.forEach((row, index) => {
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
    for (const t of ticks(T0, T1, columns > 1 ? 5 : 10).values) svg(root, "text", { x: start + (t - T0) / (T1 - T0) * span, y: rows * rowH + 14, "text-anchor": "middle" }, neat(t) + " s");
  }
  return () => {};
};

// --- markers chosen by name, a plot for each axis
kinds.tracks = function (host, spec) {
  const chips = el(host, "div", { class: "chips" }), plots = el(host, "div");
  const on = new Set(spec.first);
  let redraws = [];
  const draw = () => {
    const order = [...on];
    [...chips.children].forEach((chip, i) => { chip.className = on.has(i) ? "on" : ""; chip.style.background = on.has(i) ? colorOf(order.indexOf(i)) : ""; });
    dropPlots(plots);
    plots.textContent = "";
    const marks = order.flatMap(i => spec.faults[i].map(([t, text]) => ({ t, text })));
    redraws = spec.axes.map((label, axis) => {
      el(plots, "figcaption", {}, label);
      return timePlot(plots, { label, unit: "mm", t: spec.t, events: [], bands: spec.bands, marks, range: spec.range, height: 170, axis: axis === 2, legend: false,
        series: order.map(i => ({ name: spec.labels[i], y: spec.tracks[i][axis] })) });
    });
  };
  spec.labels.forEach((label, i) => el(chips, "button", { type: "button" }, label).addEventListener("click", () => { if (on.has(i)) { if (on.size > 1) on.delete(i); } else on.add(i); draw(); }));
  draw();
  return () => { for (const redraw of redraws) redraw(); };
};

// --- pressure over a plate or a sole
kinds.film = function (host, film) {
  const row = el(host, "div", { class: "film" });
  const heat = part => film.colors[Math.min(film.colors.length - 1, Math.floor(part * film.colors.length))];
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
      g.fillStyle = values[i] > 0 ? heat(values[i] / most) : css("--panel");
      g.fillRect(c * zoom, r * h, zoom, Math.ceil(h));
      if (values[i] === 0) { g.strokeStyle = css("--line"); g.lineWidth = 0.5; g.strokeRect(c * zoom, r * h, zoom, h); }
    }
    g.beginPath();
    let pen = false;
    film.cop.forEach((p, k) => { if (k > until || !p || film.force[k] < faint) { pen = false; return; } const x = (p[1] + 0.5) * zoom, y = (p[0] + 0.5) * h; if (pen) g.lineTo(x, y); else g.moveTo(x, y); pen = true; });
    // A seam, so that it is seen on dark and on bright cells.
    for (const [color, width] of [["--paper", 4], ["--ink", 2]]) { g.strokeStyle = css(color); g.lineWidth = width; g.stroke(); }
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
  const show = frame => { draw(now, film.frames[frame], frame); now.words.textContent = `at ${film.t[frame].toFixed(3)} s: ${film.force[frame].toFixed(0)} N`; };
  const { slider } = playControls(now.figure, film.t, show);
  slider.value = film.force.indexOf(Math.max(...film.force));
  show(Number(slider.value));
  const scale = el(row, "figure"), bar = el(scale, "canvas", { width: 16, height: 200 }), g = bar.getContext("2d");
  for (let y = 0; y < 200; ++y) { g.fillStyle = heat(1 - y / 199); g.fillRect(0, y, 16, 1); }
  el(scale, "figcaption", {}, `top: ${most} kPa`);
  return () => {};
};
)js";

}  // namespace vesica::detail
