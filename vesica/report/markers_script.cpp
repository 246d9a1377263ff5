#include "vesica/report/markers_script.h"

namespace vesica::detail {

const std::string_view kMarkersScript = R"js(
// --- points and lines in space that can be turned; the picture follows them
kinds.cloud = function (host, spec) {
  const canvas = el(host, "canvas", { class: "cloud" }), g = canvas.getContext("2d");
  let frame = 0, turn = 0.6, tilt = 0.2, down = null;
  function draw() {
    const F = spec.frames[frame], r = window.devicePixelRatio || 1;
    const w = canvas.clientWidth, h = canvas.clientHeight;
    canvas.width = w * r; canvas.height = h * r;
    g.scale(r, r);
    const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
    F.f.forEach((v, i) => { low[i % 3] = Math.min(low[i % 3], v); high[i % 3] = Math.max(high[i % 3], v); });
    const mid = low.map((v, i) => (v + high[i]) / 2), s = 0.8 * h / Math.max(0.3, ...high.map((v, i) => v - low[i]));
    const place = (p, i) => {
      let [x, y, z] = [0, 1, 2].map(k => p[i + k] - mid[k]);
      if (spec.up === "z") [y, z] = [z, -y];
      const X = Math.cos(turn) * x + Math.sin(turn) * z, Z = -Math.sin(turn) * x + Math.cos(turn) * z;
      return [w / 2 + s * X, h / 2 - s * (Math.cos(tilt) * y - Math.sin(tilt) * Z)];
    };
    const join = (a, b, color, width) => { g.strokeStyle = color; g.lineWidth = width; g.beginPath(); g.moveTo(...a); g.lineTo(...b); g.stroke(); };
    const dot = (at, color, radius) => { g.fillStyle = color; g.beginPath(); g.arc(...at, radius, 0, 7); g.fill(); };
    const [bone, fitted, measured] = ["--c7", "--c0", "--c1"].map(css);
    for (let i = 0; i < F.b.length; i += 6) join(place(F.b, i), place(F.b, i + 3), bone, 2);
    for (let i = 0; i < F.f.length; i += 3) {
      const p = place(F.f, i), q = place(F.m, i);
      join(p, q, measured, 1); dot(q, measured, 4); dot(p, fitted, 3);
    }
  }
  canvas.addEventListener("pointerdown", event => { down = [event.clientX, event.clientY]; canvas.setPointerCapture(event.pointerId); });
  canvas.addEventListener("pointerup", () => { down = null; });
  canvas.addEventListener("pointermove", event => {
    if (!down) return;
    turn += (event.clientX - down[0]) * 0.01; tilt += (event.clientY - down[1]) * 0.01;
    down = [event.clientX, event.clientY];
    draw();
  });
  const { bar, words } = playControls(host, spec.t, k => { frame = k; draw(); });
  if (words) el(bar, "span", {}, words);
  draw();
  return draw;
};

// --- a symmetric matrix of values from -1 to 1
kinds.matrix = function (host, spec) {
  const n = spec.names.length, side = 420, cell = side / n;
  const box = el(host, "div", { class: "chart" });
  const root = svg(box, "svg", { viewBox: `0 0 ${side} ${side}`, style: `max-width:${side}px`, role: "img", "aria-label": spec.label });
  const tip = el(box, "div", { class: "tip" });
  spec.values.forEach((v, k) => {
    if (Math.abs(v) >= 0.05) svg(root, "rect", { x: cell * (k % n), y: cell * Math.floor(k / n), width: cell, height: cell, style: `fill:var(${v > 0 ? "--c1" : "--c0"})`, "fill-opacity": Math.abs(v) });
  });
  root.addEventListener("pointermove", event => {
    const frame = root.getBoundingClientRect(), at = (x, from, size) => Math.min(n - 1, Math.max(0, Math.floor((x - from) / size * n)));
    const c = at(event.clientX, frame.left, frame.width), r = at(event.clientY, frame.top, frame.height);
    tip.textContent = `${spec.names[r]}, ${spec.names[c]}: ${spec.values[r * n + c]}`;
    placeTip(tip, frame, event.clientX - frame.left, event.clientY - frame.top);
  });
  root.addEventListener("pointerleave", () => { tip.style.display = "none"; });
  return () => {};
};
)js";

}  // namespace vesica::detail
