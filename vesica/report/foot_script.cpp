#include "vesica/report/foot_script.h"

namespace vesica::detail {

const std::string_view kFootprintScript = R"js(
// --- footprints: measured beside simulated, over time
kinds.footprint = (host, spec) => {
  const box = el(host, "div", { class: "chart", style: "display:flex;gap:12px" });
  const { bar: controls, slider } = playControls(host, spec.t, () => draw());
  const clock = el(controls, "span");
  const label = el(controls, "label", {}), whole = el(label, "input", { type: "checkbox" });
  label.append(" largest over the stance");
  whole.checked = true;
  whole.addEventListener("change", () => draw());
  slider.addEventListener("input", () => { whole.checked = false; draw(); });
  slider.value = Math.floor(spec.t.length / 2);
  const [cx, cy] = spec.cell, w = spec.nx * cx, h = spec.ny * cy;
  const tip = el(box, "div", { class: "tip" });
  const panels = spec.panels.map(panel => {
    const frame = el(box, "div", { style: "flex:1;min-width:0" });
    el(frame, "div", { class: "note" }, panel.name);
    const root = svg(frame, "svg", { role: "img", "aria-label": panel.name, viewBox: `0 0 ${w} ${h}`, style: "width:100%;max-height:420px;background:var(--paper)" });
    const most = panel.frames[0].map((_, k) => Math.max(...panel.frames.map(f => f[k])));
    return { ...panel, root, most };
  });
  const shown = panel => whole.checked ? panel.most : panel.frames[Number(slider.value)];
  function draw() {
    const at = Number(slider.value);
    for (const panel of panels) {
      panel.root.textContent = "";
      svg(panel.root, "rect", { x: 0, y: 0, width: w, height: h, style: "fill:none;stroke:var(--soft)" });
      shown(panel).forEach((level, k) => {
        if (!(level > 0)) return;
        const color = spec.colors[Math.min(spec.colors.length - 1, Math.floor(level / spec.levels * spec.colors.length))];
        svg(panel.root, "rect", { x: k % spec.nx * cx, y: h - (Math.floor(k / spec.nx) + 1) * cy, width: cx + 0.1, height: cy + 0.1, style: `fill:${color}` });
      });
      const X = x => x - spec.x0, Y = y => h - (y - spec.y0);
      let d = "";
      panel.cop.forEach(p => { if (p) d += `${d ? "L" : "M"}${X(p[0]).toFixed(1)} ${Y(p[1]).toFixed(1)}`; });
      svg(panel.root, "path", { d, style: "fill:none;stroke:var(--ink);stroke-width:1.2" });
      const p = panel.cop[at];
      if (p && !whole.checked) svg(panel.root, "circle", { cx: X(p[0]), cy: Y(p[1]), r: 4, style: "fill:none;stroke:var(--bad);stroke-width:2" });
    }
    clock.textContent = whole.checked ? "" : `${spec.t[at].toFixed(3)} s`;
  }
  panels.forEach(panel => {
    panel.root.addEventListener("pointermove", event => {
      const r = panel.root.getBoundingClientRect(), scale = Math.min(r.width / w, r.height / h);
      const x = Math.floor((event.clientX - r.left - (r.width - w * scale) / 2) / scale / cx);
      const y = Math.floor((h - (event.clientY - r.top - (r.height - h * scale) / 2) / scale) / cy);
      if (x < 0 || y < 0 || x >= spec.nx || y >= spec.ny) { tip.style.display = "none"; return; }
      const values = panels.map(q => `${q.name} ${(shown(q)[y * spec.nx + x] / spec.levels * spec.peak).toFixed(0)}`);
      tip.textContent = `${values.join(", ")} ${spec.unit}`;
      const frame = box.getBoundingClientRect();
      placeTip(tip, frame, event.clientX - frame.left, event.clientY - frame.top);
    });
    panel.root.addEventListener("pointerleave", () => { tip.style.display = "none"; });
  });
  const legend = el(host, "div", { class: "note" });
  const bar = svg(legend, "svg", { viewBox: "0 0 128 10", width: 160, height: 10, "aria-hidden": "true", style: "vertical-align:middle;margin:0 8px" });
  spec.colors.forEach((color, k) => svg(bar, "rect", { x: 2 * k, y: 0, width: 2.2, height: 10, style: `fill:${color}` }));
  legend.prepend("0");
  legend.append(`${Number(spec.peak.toPrecision(4))} ${spec.unit}`);
  draw();
  return draw;
};
)js";

}  // namespace vesica::detail
