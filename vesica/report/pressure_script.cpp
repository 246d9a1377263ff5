#include "vesica/report/pressure_script.h"

namespace vesica::detail {

const std::string_view kPressureScript = R"js(
// --- pressure maps over time
kinds.pressure = (host, spec) => {
  const box = el(host, "div", { class: "chart" });
  const root = svg(box, "svg", { role: "img", "aria-label": spec.label });
  const tip = el(box, "div", { class: "tip" });
  const { bar: controls, slider, words } = playControls(host, spec.t, () => draw());
  const clock = el(controls, "span");
  // The first view is of the greatest force.
  slider.value = spec.force.indexOf(Math.max(...spec.force));
  const x1 = spec.x0 + spec.nx * spec.cell, y1 = spec.y0 + spec.ny * spec.cell;
  let X, Y, scale, layer;
  const levelAt = (frame, x, y) => {
    const f = spec.frames[frame];
    if (!f.length || x < f[0] || y < f[1] || x >= f[0] + f[2] || y >= f[1] + f[3]) return 0;
    return f[4 + (y - f[1]) * f[2] + x - f[0]];
  };
  function layout() {
    ({ X, Y, scale } = planeAxes(root, box, [spec.x0, x1], [spec.y0, y1], [150, 420], ["x [mm]", "y [mm]"]));
    svg(root, "rect", { x: X(spec.x0), y: Y(y1), width: (x1 - spec.x0) * scale, height: (y1 - spec.y0) * scale, style: "fill:none;stroke:var(--soft)" });
    layer = svg(root, "g", {});
    const clamp = (v, a, b) => Math.min(b, Math.max(a, v));
    for (const r of spec.regions) {
      const [a, b] = r.x.map(v => X(clamp(v, spec.x0, x1))), [c, d] = r.y.map(v => Y(clamp(v, spec.y0, y1)));
      svg(root, "rect", { x: a, y: d, width: Math.max(0, b - a), height: Math.max(0, c - d), style: "fill:none;stroke:var(--soft);stroke-dasharray:3 3" });
      svg(root, "text", { class: "name", x: a + 5, y: d + 14 }, r.name);
    }
    draw();
  }
  function draw() {
    const frame = Number(slider.value), f = spec.frames[frame];
    layer.textContent = "";
    // One path for each colour, made of runs along rows.
    const runs = spec.colors.map(() => "");
    if (f.length) for (let row = 0; row < f[3]; ++row) {
      const colorAt = k => { const v = f[4 + row * f[2] + k]; return v > 0 ? Math.min(runs.length - 1, Math.floor(v / spec.levels * runs.length)) : -1; };
      for (let k = 0; k < f[2];) {
        const color = colorAt(k), from = k;
        while (k < f[2] && colorAt(k) === color) ++k;
        if (color < 0) continue;
        const left = X(spec.x0 + (f[0] + from) * spec.cell), top = Y(spec.y0 + (f[1] + row + 1) * spec.cell);
        runs[color] += `M${left.toFixed(1)} ${top.toFixed(1)}h${((k - from) * spec.cell * scale + 0.4).toFixed(1)}v${(spec.cell * scale + 0.4).toFixed(1)}H${left.toFixed(1)}Z`;
      }
    }
    runs.forEach((d, k) => { if (d) svg(layer, "path", { d, style: `fill:${spec.colors[k]}` }); });
    let d = "", pen = false;
    spec.cx.forEach((x, k) => {
      if (x === null || spec.cy[k] === null) { pen = false; return; }
      d += (pen ? "L" : "M") + X(x).toFixed(1) + " " + Y(spec.cy[k]).toFixed(1);
      pen = true;
    });
    svg(layer, "path", { d, style: "fill:none;stroke:var(--ink);stroke-width:1;opacity:0.6" });
    if (spec.cx[frame] !== null) svg(layer, "circle", { cx: X(spec.cx[frame]), cy: Y(spec.cy[frame]), r: 4.5, style: "fill:none;stroke:var(--bad);stroke-width:2" });
    clock.textContent = `${spec.t[frame].toFixed(4)} s, ${neat(spec.force[frame])} N`;
  }
  root.addEventListener("pointermove", event => {
    const frame = root.getBoundingClientRect(), px = event.clientX - frame.left, py = event.clientY - frame.top;
    const x = Math.floor((px - X(spec.x0)) / scale / spec.cell), y = Math.floor((Y(spec.y0) - py) / scale / spec.cell);
    if (x < 0 || y < 0 || x >= spec.nx || y >= spec.ny) { tip.style.display = "none"; return; }
    const p = levelAt(Number(slider.value), x, y) / spec.levels * spec.peak;
    const at = k => Number((k).toPrecision(3));
    tip.textContent = `x ${at(spec.x0 + (x + 0.5) * spec.cell)}, y ${at(spec.y0 + (y + 0.5) * spec.cell)} mm: ${at(p)} ${spec.unit}`;
    placeTip(tip, frame, px, py);
  });
  root.addEventListener("pointerleave", () => { tip.style.display = "none"; });
  const legend = el(host, "div", { class: "note" });
  const bar = svg(legend, "svg", { viewBox: "0 0 128 10", width: 160, height: 10, "aria-hidden": "true", style: "vertical-align:middle;margin:0 8px" });
  spec.colors.forEach((color, k) => svg(bar, "rect", { x: 2 * k, y: 0, width: 2.2, height: 10, style: `fill:${color}` }));
  legend.prepend("0");
  legend.append(`${Number(spec.peak.toPrecision(4))} ${spec.unit}`);
  if (words) el(controls, "span", {}, words);
  layout();
  return layout;
};
)js";

}  // namespace vesica::detail
