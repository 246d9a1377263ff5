#include "vesica/report/gait_script.h"

namespace vesica::detail {

const std::string_view kGaitScript = R"js(
// --- a signal over the gait cycle. spec: label, unit, curves {foot, n, mean, sd, off, strides},
// normative [{foot, mean, sd}]; strides are drawn thin, sd as a band, off as a dashed line.
kinds.cycle = function (host, spec) {
  const H = 230, grey = css("--other"), tone = foot => foot === "left" ? "var(--left)" : foot === "right" ? "var(--right)" : "var(--other)";
  const entries = spec.curves.map(c => [`${c.foot}, ${c.n} stride${c.n === 1 ? "" : "s"}`, tone(c.foot)]);
  if (spec.normative.length) entries.push(["normative, \u00b1 1 and 2 sd", grey]);
  makeLegend(host, entries);
  const box = el(host, "div", { class: "chart" });
  const root = svg(box, "svg", { height: H, role: "img", "aria-label": spec.label });
  const tip = el(box, "div", { class: "tip" });
  let X, Y, W, line;
  function draw() {
    root.textContent = "";
    W = Math.max(280, box.clientWidth);
    root.setAttribute("viewBox", `0 0 ${W} ${H}`);
    let low = Infinity, high = -Infinity;
    const take = v => { if (v !== null && v < low) low = v; if (v !== null && v > high) high = v; };
    for (const c of spec.curves) c.mean.forEach((m, i) => { take(m - (c.sd[i] || 0)); take(m + (c.sd[i] || 0)); for (const s of c.strides) take(s[i]); });
    for (const n of spec.normative) n.mean.forEach((m, i) => { take(m - 2 * n.sd[i]); take(m + 2 * n.sd[i]); });
    const range = padded(low, high);
    X = p => LEFT + p / 100 * (W - LEFT - RIGHT);
    Y = v => TOP + (range[1] - v) / (range[1] - range[0]) * (H - TOP - BOTTOM);
    const vertical = ticks(range[0], range[1], 5);
    for (const v of vertical.values) {
      svg(root, "line", { class: v === 0 ? "axis" : "gridline", x1: LEFT, x2: W - RIGHT, y1: Y(v), y2: Y(v), opacity: v === 0 ? 0.6 : 1 });
      svg(root, "text", { x: LEFT - 7, y: Y(v) + 4, "text-anchor": "end" }, vertical.write(v));
    }
    for (let p = 0; p <= 100; p += 20) {
      svg(root, "line", { class: "gridline", x1: X(p), x2: X(p), y1: TOP, y2: H - BOTTOM });
      svg(root, "text", { x: X(p), y: H - BOTTOM + 16, "text-anchor": "middle" }, String(p));
    }
    svg(root, "text", { x: (LEFT + W - RIGHT) / 2, y: H - 4, "text-anchor": "middle" }, "% of the gait cycle");
    svg(root, "text", { x: 4, y: 12 }, spec.unit ? `[${spec.unit}]` : "");
    const path = list => list.map((v, i) => (i ? "L" : "M") + X(i).toFixed(1) + " " + Y(v).toFixed(1)).join("");
    const band = (mean, sd, k, style) => {
      const up = mean.map((m, i) => m + k * sd[i]), down = mean.map((m, i) => m - k * sd[i]);
      const back = down.map((v, i) => "L" + X(100 - i).toFixed(1) + " " + Y(down[100 - i]).toFixed(1)).join("");
      svg(root, "path", { d: path(up) + back + "Z", style });
    };
    for (const n of spec.normative) {
      band(n.mean, n.sd, 2, `fill:${grey};opacity:0.12`);
      band(n.mean, n.sd, 1, `fill:${grey};opacity:0.18`);
      svg(root, "path", { class: "curve", d: path(n.mean), style: `stroke:${grey};stroke-dasharray:5 4` });
    }
    for (const c of spec.curves) {
      if (c.n > 1) band(c.mean, c.sd, 1, `fill:${tone(c.foot)};opacity:0.16`);
      for (const s of c.strides) svg(root, "path", { class: "curve", d: path(s), style: `stroke:${tone(c.foot)};stroke-width:0.6;opacity:0.35` });
    }
    for (const c of spec.curves) {
      svg(root, "path", { class: "curve", d: path(c.mean), style: `stroke:${tone(c.foot)};stroke-width:2.2` });
      svg(root, "line", { x1: X(c.off), x2: X(c.off), y1: TOP, y2: H - BOTTOM, style: `stroke:${tone(c.foot)};stroke-dasharray:3 3;opacity:0.8` });
    }
    line = svg(root, "line", { class: "cursor", y1: TOP, y2: H - BOTTOM, visibility: "hidden" });
  }
  root.addEventListener("pointermove", event => {
    const frame = root.getBoundingClientRect(), x = event.clientX - frame.left;
    const i = Math.max(0, Math.min(100, Math.round((x - LEFT) / (W - LEFT - RIGHT) * 100)));
    line.setAttribute("visibility", "visible"); line.setAttribute("x1", X(i)); line.setAttribute("x2", X(i));
    const write = (m, s) => neat(Number(m.toPrecision(4))) + (s === null || s === undefined ? "" : ` \u00b1 ${neat(Number(s.toPrecision(2)))}`) + ` ${spec.unit}`;
    tip.textContent = "";
    el(tip, "div", {}, i + " %");
    for (const c of spec.curves) el(tip, "div", {}, `${c.foot}: ${write(c.mean[i], c.sd[i])}`);
    for (const n of spec.normative) el(tip, "div", {}, `normative${n.foot === "both" ? "" : " " + n.foot}: ${write(n.mean[i], n.sd[i])}`);
    placeTip(tip, frame, x, event.clientY - frame.top);
  });
  root.addEventListener("pointerleave", () => { tip.style.display = "none"; line.setAttribute("visibility", "hidden"); });
  draw();
  return draw;
};
)js";

}  // namespace vesica::detail
