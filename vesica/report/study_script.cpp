#include "vesica/report/study_script.h"

namespace vesica::detail {

const std::string_view kStudyScript = R"js(
// --- studies: clouds, bands, bars and tornados
// A frame with axes; `left` is room for names.
function studyFrame(host, spec, H, left) {
  const box = el(host, "div", { class: "chart" });
  const root = svg(box, "svg", { height: H, role: "img", "aria-label": spec.label || "figure" });
  const tip = el(box, "div", { class: "tip" });
  const begin = ([x0, x1], [y0, y1], xLabel, yLabel) => {
    root.textContent = "";
    const W = Math.max(280, box.clientWidth);
    root.setAttribute("viewBox", `0 0 ${W} ${H}`);
    const X = v => left + (v - x0) / (x1 - x0) * (W - left - RIGHT);
    const Y = v => TOP + (y1 - v) / (y1 - y0) * (H - TOP - BOTTOM);
    const across = ticks(x0, x1, Math.max(3, Math.floor((W - left) / 95)));
    for (const v of across.values) {
      svg(root, "line", { class: "gridline", x1: X(v), x2: X(v), y1: TOP, y2: H - BOTTOM });
      if (!spec.levels) svg(root, "text", { x: X(v), y: H - BOTTOM + 16, "text-anchor": "middle" }, across.write(v));
    }
    if (yLabel !== null) {
      const vertical = ticks(y0, y1, H / 50);
      for (const v of vertical.values) {
        svg(root, "line", { class: "gridline", x1: left, x2: W - RIGHT, y1: Y(v), y2: Y(v) });
        svg(root, "text", { x: left - 7, y: Y(v) + 4, "text-anchor": "end" }, vertical.write(v));
      }
      svg(root, "text", { transform: `translate(11 ${(TOP + H - BOTTOM) / 2}) rotate(-90)`, "text-anchor": "middle" }, yLabel);
    }
    svg(root, "text", { x: (left + W - RIGHT) / 2, y: H - 4, "text-anchor": "middle" }, xLabel);
    return { W, X, Y };
  };
  return { box, root, tip, begin };
}
const studyRange = (values, zero) => {
  let low = zero ? 0 : Infinity, high = zero ? 0 : -Infinity;
  for (const v of values) if (v !== null) { if (v < low) low = v; if (v > high) high = v; }
  return padded(low, high);
};

kinds.study_scatter = (host, spec) => {
  const H = 240, f = studyFrame(host, spec, H, LEFT);
  const xs = studyRange(spec.points.map(p => p[0]), spec.from_zero), ys = studyRange(spec.points.map(p => p[1]), spec.from_zero);
  const draw = () => {
    const { W, X, Y } = f.begin(xs, ys, spec.x_label, spec.y_label);
    (spec.levels || []).forEach((name, k) => svg(f.root, "text", { x: X(k), y: H - BOTTOM + 16, "text-anchor": "middle" }, name.length > 14 ? name.slice(0, 13) + "\u2026" : name));
    const few = spec.points.length < 60;
    spec.points.forEach(([x, y], k) => {
      if (x === null || y === null) return;
      svg(f.root, "circle", { cx: X(x).toFixed(1), cy: Y(y).toFixed(1), r: few ? 4 : 2, opacity: few ? 0.85 : 0.45, style: `fill:${colorOf(0)}` });
      if (spec.names) svg(f.root, "text", { class: "name", x: X(x) + (X(x) > W * 0.75 ? -7 : 7), y: Y(y) - 5, "text-anchor": X(x) > W * 0.75 ? "end" : "start" }, spec.names[k]);
    });
  };
  draw();
  return draw;
};

kinds.study_band = (host, spec) => {
  const H = 260, f = studyFrame(host, spec, H, LEFT);
  const ys = studyRange([].concat(...spec.p));
  const t = spec.t, ts = [t[0], t[t.length - 1]];
  const draw = () => {
    const { X, Y } = f.begin(ts, ys, "time [s]", spec.unit);
    const seen = t.map((_, k) => k).filter(k => spec.p[0][k] !== null);
    const at = (p, k) => X(t[k]).toFixed(1) + " " + Y(spec.p[p][k]).toFixed(1);
    for (const [low, high, opacity] of [[0, 4, 0.16], [1, 3, 0.28]]) {
      if (seen.length < 2) continue;
      const d = "M" + seen.map(k => at(high, k)).join("L") + "L" + seen.slice().reverse().map(k => at(low, k)).join("L") + "Z";
      svg(f.root, "path", { d, opacity, style: `fill:${colorOf(0)}` });
    }
    if (seen.length) svg(f.root, "path", { class: "curve", d: "M" + seen.map(k => at(2, k)).join("L"), style: `stroke:${colorOf(0)}` });
  };
  f.root.addEventListener("pointermove", event => {
    const frame = f.root.getBoundingClientRect(), W = Math.max(280, f.box.clientWidth);
    const x = (event.clientX - frame.left) / frame.width * W;
    const k = nearest(t, ts[0] + (x - LEFT) / (W - LEFT - RIGHT) * (ts[1] - ts[0]));
    if (x < LEFT || spec.p[0][k] === null) { f.tip.style.display = "none"; return; }
    f.tip.textContent = "";
    el(f.tip, "div", {}, neat(t[k]) + " s");
    ["5 %", "25 %", "median", "75 %", "95 %"].forEach((name, p) => el(f.tip, "div", {}, `${name}: ${neat(spec.p[p][k])} ${spec.unit}`));
    placeTip(f.tip, frame, event.clientX - frame.left, event.clientY - frame.top);
  });
  f.root.addEventListener("pointerleave", () => { f.tip.style.display = "none"; });
  draw();
  return draw;
};

const NAMES = 150;
function studyNames(root, rows, Y, height) {
  rows.forEach((row, k) => svg(root, "text", { x: NAMES - 8, y: Y(k) + height / 2 + 4, "text-anchor": "end" },
    row.name.length > 22 ? row.name.slice(0, 21) + "\u2026" : row.name));
}

kinds.study_bars = (host, spec) => {
  makeLegend(host, spec.series.map((name, k) => [name, colorOf(k)]));
  const step = 34, H = TOP + BOTTOM + step * spec.rows.length, f = studyFrame(host, spec, H, NAMES);
  const all = [].concat(...spec.rows.map(r => [].concat(...r.bars.map(b => [b.value, b.low, b.high]))));
  const xs = studyRange(all, true);
  const draw = () => {
    const { X } = f.begin(xs, [0, 1], spec.x, null), Y = k => TOP + k * step;
    studyNames(f.root, spec.rows, Y, step);
    spec.rows.forEach((row, k) => row.bars.forEach((b, s) => {
      if (b.value === null) return;
      const h = (step - 10) / row.bars.length, y = Y(k) + 5 + s * h;
      const bar = svg(f.root, "rect", { x: Math.min(X(0), X(b.value)), width: Math.max(0.5, Math.abs(X(b.value) - X(0))), y, height: h - 1.5, opacity: 0.75, style: `fill:${colorOf(s)}` });
      svg(bar, "title", {}, `${b.name} of ${row.name}: ${neat(b.value)} (${neat(b.low)} to ${neat(b.high)})`);
      svg(f.root, "line", { x1: X(b.low), x2: X(b.high), y1: y + h / 2 - 0.7, y2: y + h / 2 - 0.7, style: "stroke:var(--ink);stroke-width:1.4" });
    }));
    svg(f.root, "line", { class: "axis", x1: X(0), x2: X(0), y1: TOP, y2: H - BOTTOM });
  };
  draw();
  return draw;
};

kinds.study_tornado = (host, spec) => {
  const step = 24, H = TOP + BOTTOM + step * spec.rows.length, f = studyFrame(host, spec, H, NAMES);
  const xs = studyRange([].concat(spec.middle === null ? [] : [spec.middle], ...spec.rows.map(r => [r.low, r.high])));
  const draw = () => {
    const { X } = f.begin(xs, [0, 1], spec.x, null), Y = k => TOP + k * step;
    studyNames(f.root, spec.rows, Y, step);
    const middle = spec.middle === null ? (xs[0] + xs[1]) / 2 : spec.middle;
    spec.rows.forEach((row, k) => [["low", 0], ["high", 1]].forEach(([end, s]) => {
      const bar = svg(f.root, "rect", { x: Math.min(X(middle), X(row[end])), width: Math.max(0.5, Math.abs(X(row[end]) - X(middle))), y: Y(k) + 3, height: step - 6, opacity: 0.75, style: `fill:${colorOf(s)}` });
      svg(bar, "title", {}, `${row.name} ${end}: ${neat(row[end])}`);
    }));
    svg(f.root, "line", { class: "axis", x1: X(middle), x2: X(middle), y1: TOP, y2: H - BOTTOM });
  };
  draw();
  return draw;
};
)js";

}  // namespace vesica::detail
