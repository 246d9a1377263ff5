#include "vesica/report/markers_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "vesica/io/markup.h"
#include "vesica/markers/joint_coordinates.h"
#include "vesica/report/html_page.h"

namespace vesica::markers {
namespace {

constexpr const char* kColors[] = {"#1f6f8b", "#c8553d", "#588157",
                                   "#8a5a9e", "#b08900", "#44546a"};
// Frames that the 3-D view holds: enough to see the motion, small enough for a page.
constexpr int kViewFrames = 400;

struct Curve {
  std::string name;
  std::vector<double> y;  // NaN: gap
};

// Curves over time with axes, vertical lines at events.
std::string make_plot(const std::string& title, const std::string& unit,
                      const std::vector<double>& t, const std::vector<Curve>& curves,
                      const std::vector<TimedEvent>& events) {
  constexpr double kW = 860, kH = 220, kLeft = 55, kTop = 26, kRight = 130, kBottom = 26;
  double low = 1e300, high = -1e300;
  for (const Curve& c : curves) {
    for (double y : c.y) {
      if (!std::isfinite(y)) continue;
      low = std::min(low, y);
      high = std::max(high, y);
    }
  }
  if (!(low <= high) || t.empty()) return "";
  if (high - low < 1e-9) high = low + 1;
  const double pad = 0.05 * (high - low);
  low -= pad;
  high += pad;
  const double span = std::max(1e-9, t.back() - t.front());
  const auto X = [&](double x) { return kLeft + (x - t.front()) / span * (kW - kLeft - kRight); };
  const auto Y = [&](double y) { return kTop + (high - y) / (high - low) * (kH - kTop - kBottom); };
  std::string svg = fmt::format(
      "<svg viewBox='0 0 {} {}' role='img'><text x='{}' y='15' class='t'>{} [{}]</text>", kW, kH,
      kLeft, escape_markup(title), unit);
  for (int k = 0; k <= 4; ++k) {
    const double y = low + (high - low) * k / 4;
    svg += fmt::format(
        "<line x1='{}' x2='{}' y1='{:.1f}' y2='{:.1f}' class='g'/><text x='{}' "
        "y='{:.1f}' class='l'>{:.3g}</text>",
        kLeft, kW - kRight, Y(y), Y(y), kLeft - 4, Y(y) + 4, y);
    const double x = t.front() + span * k / 4;
    svg += fmt::format("<text x='{:.1f}' y='{}' class='b'>{:.2f} s</text>", X(x), kH - 8, x);
  }
  for (const TimedEvent& e : events) {
    if (e.time < t.front() || e.time > t.back()) continue;
    svg += fmt::format(
        "<line x1='{0:.1f}' x2='{0:.1f}' y1='{1}' y2='{2}' class='e'><title>{3}</title></line>"
        "<text x='{0:.1f}' y='{4}' class='s' transform='rotate(-90 {0:.1f} {4})'>{3}</text>",
        X(e.time), kTop, kH - kBottom, escape_markup(e.label), kTop + 2);
  }
  for (size_t c = 0; c < curves.size(); ++c) {
    std::string path;
    bool pen = false;
    const size_t stride = std::max<size_t>(1, t.size() / 1500);
    for (size_t k = 0; k < t.size(); k += stride) {
      const double y = curves[c].y[k];
      if (!std::isfinite(y)) {
        pen = false;
        continue;
      }
      path += fmt::format("{}{:.1f} {:.1f}", pen ? 'L' : 'M', X(t[k]), Y(y));
      pen = true;
    }
    const char* color = kColors[c % std::size(kColors)];
    svg += fmt::format("<path d='{}' fill='none' stroke='{}' stroke-width='1.4'/>", path, color);
    svg +=
        fmt::format("<text x='{}' y='{}' fill='{}' class='k'>{}</text>", kW - kRight + 6,
                    kTop + 12 + 14 * static_cast<double>(c), color, escape_markup(curves[c].name));
  }
  return svg + "</svg>\n";
}

// A picture of all correlations, and the strongest by name.
std::string make_correlation_section(const Run& run) {
  const Eigen::MatrixXd correlation = calc_correlation(run.confidence.covariance);
  const auto n = correlation.rows();
  if (n < 2) return "";
  constexpr double kSide = 420;
  const double cell = kSide / static_cast<double>(n);
  std::string html = fmt::format(
      "<details><summary>Correlations of the errors (white noise)</summary><svg viewBox='0 0 {0} "
      "{0}' style='max-width:{0}px' role='img'>",
      kSide);
  for (Eigen::Index r = 0; r < n; ++r) {
    for (Eigen::Index c = 0; c < n; ++c) {
      const double x = correlation(r, c);
      if (std::abs(x) < 0.05) continue;
      html += fmt::format(
          "<rect x='{:.1f}' y='{:.1f}' width='{:.1f}' height='{:.1f}' fill='{}' "
          "fill-opacity='{:.2f}'>"
          "<title>{}, {}: {:.2f}</title></rect>",
          cell * static_cast<double>(c), cell * static_cast<double>(r), cell, cell,
          x > 0 ? kColors[1] : kColors[0], std::abs(x), escape_markup(run.model.parameters[r].name),
          escape_markup(run.model.parameters[c].name), x);
    }
  }
  html += "</svg><p>red: together, blue: against each other; point at a cell for its names</p>";
  const auto pairs = find_correlated_pairs(run, 0.8);
  if (!pairs.empty()) html += "<table><tr><th>pair</th><th>correlation</th></tr>";
  constexpr size_t kMaxRows = 30;
  for (size_t k = 0; k < std::min(pairs.size(), kMaxRows); ++k) {
    html += fmt::format("<tr><td>{}, {}</td><td class='n'>{:+.3f}</td></tr>",
                        escape_markup(run.model.parameters[pairs[k].a].name),
                        escape_markup(run.model.parameters[pairs[k].b].name), pairs[k].correlation);
  }
  return html + (pairs.empty() ? "</details>" : "</table></details>");
}

std::string make_parameter_section(const Run& run) {
  std::string html =
      "<h2>Parameters</h2><table><tr><th>parameter</th><th>value</th><th>95 % interval, white noise"
      "</th><th>95 % interval, autocorrelated noise</th><th></th></tr>";
  for (int k = 0; k < run.id->d.size(); ++k) {
    const Parameter& p = run.model.parameters[k];
    const char* unit = unit_for_people(p.unit);
    const auto interval = [&](double half) {
      return std::isfinite(half) ? fmt::format("&plusmn; {:.3g} {}", for_people(p.unit, half), unit)
                                 : std::string("none");
    };
    html += fmt::format(
        "<tr{}><td>{}</td><td class='n'>{:.2f} {}</td><td class='n'>{}</td><td class='n'>{}</td>"
        "<td>{}</td></tr>",
        run.confidence.identifiable[k] ? "" : " class='bad'", escape_markup(p.name),
        for_people(p.unit, run.id->d[k]), unit, interval(run.confidence.half_width[k]),
        interval(run.confidence.robust_half_width[k]),
        run.confidence.identifiable[k] ? "" : "not determined by this motion");
  }
  html += "</table>";
  if (!run.confidence.undetermined.empty()) {
    html += "<h2>What this motion does not determine</h2><ul>";
    for (const Combination& c : run.confidence.undetermined) {
      html += fmt::format("<li><b>{}</b>: {}</li>", escape_markup(c.text), escape_markup(c.remedy));
    }
    html += "</ul>";
  }
  return html + make_correlation_section(run);
}

std::string make_error_section(const Run& run) {
  std::string html =
      "<h2>Marker errors</h2><table><tr><th>marker</th><th>mean</th><th>sd</th><th>rms</th>"
      "<th>max [mm]</th><th>seen</th><th>missing</th></tr>";
  const auto row = [&](const std::string& name, const MarkerError& e) {
    html += fmt::format(
        "<tr><td>{}</td><td class='n'>{:.2f}</td><td class='n'>{:.2f}</td><td class='n'>{:.2f}</td>"
        "<td class='n'>{:.2f}</td><td class='n'>{}</td><td class='n'>{}</td></tr>",
        escape_markup(name), e.mean * 1e3, e.sd * 1e3, e.rms * 1e3, e.max * 1e3, e.seen, e.missing);
  };
  for (size_t m = 0; m < run.model.markers.size(); ++m) {
    row(run.model.markers[m].name, run.errors.markers[m]);
  }
  row("all", run.errors.all);
  return html + "</table>";
}

std::string make_trial_section(const Run& run, size_t trial, int first) {
  const Trial& source = run.trials[trial];
  const TimeTable table = make_joint_table(run, trial);
  std::vector<TimedEvent> events;
  for (const TimedEvent& e : run.events) {
    if (e.trial == source.name) events.push_back(e);
  }
  std::string html = fmt::format("<h2>{}</h2>", escape_markup(source.name));
  Curve mean{"mean error", {}};
  for (int f = 0; f < source.frame_count(); ++f) {
    mean.y.push_back(run.errors.frame_mean[first + f] * 1e3);
  }
  html += make_plot("Mean error of the markers", "mm", table.times, {mean}, events);
  // A plot a joint.
  const auto coordinates = list_joint_coordinates(run.model);
  for (size_t c = 0; c < coordinates.size();) {
    size_t end = c;
    std::vector<Curve> curves;
    while (end < coordinates.size() && coordinates[end].segment == coordinates[c].segment) {
      if (coordinates[end].angle) curves.push_back({coordinates[end].name, table.column(end)});
      ++end;
    }
    const int j = run.model.tree_joint[coordinates[c].segment];
    const std::string& title =
        j >= 0 ? run.model.joints[j].name : run.model.segments[coordinates[c].segment].name;
    html += make_plot(title, "deg", table.times, curves, events);
    c = end;
  }
  return html;
}

// Measured and fitted markers and the segments' joints, for the page's script.
std::string make_view_data(const Run& run) {
  const Geometry geometry = calc_geometry(run.model, run.id->d);
  nlohmann::json view;
  // A segment is drawn from its proximal joint to its distal ones and to its markers.
  const int frames = run.id->frames.frame_count();
  const int stride = frames / kViewFrames + 1;
  const auto round = [](double x) { return std::isfinite(x) ? std::round(x * 1e4) / 1e4 : 0.0; };
  const auto add = [&](nlohmann::json& list, const Vec3d& p) {
    for (int k = 0; k < 3; ++k) list.push_back(round(p[k]));
  };
  for (int k = 0; k < frames; k += stride) {
    nlohmann::json measured = nlohmann::json::array(), fitted = nlohmann::json::array(),
                   bones = nlohmann::json::array();
    const Frame frame = run.id->frames.frame(k);
    const SegmentPose* poses = run.id->frames.poses(k);
    for (size_t m = 0; m < run.model.markers.size(); ++m) {
      const Vec3d at = calc_marker(geometry, run.model, static_cast<int>(m), poses);
      add(fitted, at);
      add(measured, frame.weights[m] > 0 ? frame.positions[m] : at);
    }
    const auto center = [&](size_t j, bool child) {
      const Joint& joint = run.model.joints[j];
      const SegmentPose pose = child                     ? poses[joint.child]
                               : joint.parent == kGround ? SegmentPose{}
                                                         : poses[joint.parent];
      const auto& g = geometry.joints[j];
      return Vec3d(pose.p_WS +
                   as_rotation(pose.q_WS) * (child ? g.child_center.value : g.parent_center.value));
    };
    for (size_t a = 0; a < run.model.joints.size(); ++a) {
      for (size_t b = 0; b < run.model.joints.size(); ++b) {
        if (run.model.joints[a].child != run.model.joints[b].parent) continue;
        add(bones, center(a, true));
        add(bones, center(b, false));
      }
    }
    for (size_t m = 0; m < run.model.markers.size(); ++m) {
      add(bones, poses[run.model.markers[m].segment].p_WS);
      add(bones, calc_marker(geometry, run.model, static_cast<int>(m), poses));
    }
    view["frames"].push_back({{"m", measured}, {"f", fitted}, {"b", bones}});
  }
  return view.dump();
}

constexpr const char* kScript = R"JS(
const c=document.getElementById('view'),g=c.getContext('2d');let k=0,play=true,a=0.6,e=0.2,down=null;
const up=DATA.up;
function draw(){const F=DATA.frames[k];const w=c.width,h=c.height;g.clearRect(0,0,w,h);
let lo=[1e9,1e9,1e9],hi=[-1e9,-1e9,-1e9];
for(let i=0;i<F.f.length;i++){lo[i%3]=Math.min(lo[i%3],F.f[i]);hi[i%3]=Math.max(hi[i%3],F.f[i]);}
const mid=lo.map((v,i)=>(v+hi[i])/2),s=0.8*h/Math.max(0.3,hi[0]-lo[0],hi[1]-lo[1],hi[2]-lo[2]);
const P=(p,i)=>{let x=p[i]-mid[0],y=p[i+1]-mid[1],z=p[i+2]-mid[2];if(up==='z'){const t=y;y=z;z=-t;}
const X=Math.cos(a)*x+Math.sin(a)*z,Z=-Math.sin(a)*x+Math.cos(a)*z,Y=Math.cos(e)*y-Math.sin(e)*Z;
return[w/2+s*X,h/2-s*Y];};
g.strokeStyle='#9aa5b1';g.lineWidth=2;for(let i=0;i<F.b.length;i+=6){const p=P(F.b,i),q=P(F.b,i+3);
g.beginPath();g.moveTo(...p);g.lineTo(...q);g.stroke();}
g.strokeStyle='#c8553d';g.lineWidth=1;for(let i=0;i<F.f.length;i+=3){const p=P(F.f,i),q=P(F.m,i);
g.beginPath();g.moveTo(...p);g.lineTo(...q);g.stroke();g.fillStyle='#c8553d';g.beginPath();
g.arc(q[0],q[1],4,0,7);g.fill();g.fillStyle='#1f6f8b';g.beginPath();g.arc(p[0],p[1],3,0,7);g.fill();}}
const slider=document.getElementById('at');slider.max=DATA.frames.length-1;
slider.oninput=()=>{k=+slider.value;play=false;draw();};
c.onmousedown=ev=>down=[ev.clientX,ev.clientY];onmouseup=()=>down=null;
onmousemove=ev=>{if(!down)return;a+=(ev.clientX-down[0])*0.01;e+=(ev.clientY-down[1])*0.01;
down=[ev.clientX,ev.clientY];draw();};
document.getElementById('play').onclick=()=>play=!play;
setInterval(()=>{if(play){k=(k+1)%DATA.frames.length;slider.value=k;draw();}},40);draw();
)JS";

// The axis along which the markers' mean heights differ most is taken as up.
char find_up(const Run& run) {
  const Frame f = run.id->frames.frame(0);
  Vec3d low = Vec3d::Constant(1e300), high = Vec3d::Constant(-1e300);
  for (size_t m = 0; m < run.model.markers.size(); ++m) {
    if (f.weights[m] <= 0) continue;
    low = low.cwiseMin(f.positions[m]);
    high = high.cwiseMax(f.positions[m]);
  }
  return high.z() - low.z() > high.y() - low.y() ? 'z' : 'y';
}

}  // namespace

std::string make_markers_page(const Run& run) {
  const Summary& s = run.id->summary;
  std::string html = fmt::format(
      "<!doctype html><html lang='en'><meta charset='utf-8'><meta name='viewport' "
      "content='width=device-width'><title>{0}</title><style>"
      "body{{font:15px/1.5 system-ui,sans-serif;max-width:900px;margin:2em auto;padding:0 "
      "1em;color:#222}}table{{border-collapse:collapse}}td,th{{padding:2px 10px;border-bottom:1px "
      "solid #ddd;text-align:left}}td.n{{text-align:right;font-variant-numeric:tabular-nums}}"
      "tr.bad{{background:#fbeee6}}svg{{width:100%;height:auto}}svg text{{font:11px "
      "system-ui}}.t{{font-weight:600;font-size:13px}}.l{{text-anchor:end;fill:#666}}"
      ".b{{text-anchor:middle;fill:#666}}.s{{text-anchor:end;fill:#888;font-size:9px}}summary{{"
      "cursor:"
      "pointer;margin:1em 0}}.g{{stroke:#eee}}.e{{stroke:#999;stroke-dasharray:3 3}}"
      "canvas{{border:1px solid #ddd;width:100%}}.w{{background:#fff6dd;padding:4px 10px}}</style>"
      "<h1>{0}</h1><p>{1} frames of {2} recordings, {3} variables. {4} in {5} iterations, relative "
      "KKT residual {6:.1e}; {7}. Mean marker error <b>{8:.1f} &plusmn; {9:.1f} mm</b>. Start "
      "{10:.2f} s, solution {11:.2f} s.</p>",
      escape_markup(run.model.name), run.id->frames.frame_count(), run.trials.size(),
      run.variable_count(), s.converged ? "Converged" : "NOT converged", s.iterations.size(),
      s.kkt_relative,
      s.minimum ? "second derivatives confirm a minimum" : "a minimum is not confirmed",
      run.errors.all.mean * 1e3, run.errors.all.sd * 1e3, s.seconds_start, s.seconds_solve);
  for (const std::string& w : run.warnings)
    html += fmt::format("<p class='w'>{}</p>", escape_markup(w));
  html +=
      "<canvas id='view' width='860' height='480'></canvas><p><button id='play'>play / pause"
      "</button> <input id='at' type='range' min='0' style='width:70%'> drag to turn; red: "
      "measured, blue: model</p>";
  html += make_parameter_section(run) + make_error_section(run);
  int first = 0;
  for (size_t t = 0; t < run.trials.size(); ++t) {
    html += make_trial_section(run, t, first);
    first += run.trials[t].frame_count();
  }
  html += "<script>const DATA=" + make_view_data(run) +
          fmt::format(";DATA.up='{}';", find_up(run)) + kScript + "</script></html>\n";
  return html;
}

}  // namespace vesica::markers
