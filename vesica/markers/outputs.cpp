#include "vesica/markers/outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "vesica/io/markup.h"

namespace vesica::markers {
namespace {

using nlohmann::ordered_json;

// Correlations worth a line in the table, and how many of them.
constexpr double kStrong = 0.95;
constexpr size_t kMaxPairs = 6;

int first_frame(const Run& run, size_t trial) {
  int k = 0;
  for (size_t t = 0; t < trial; ++t) k += run.trials[t].frame_count();
  return k;
}

ordered_json number(double x) { return std::isfinite(x) ? ordered_json(x) : ordered_json(nullptr); }

ordered_json as_json(const Loss& loss) {
  constexpr const char* kNames[] = {"squares", "huber", "tukey"};
  ordered_json json = {{"type", kNames[static_cast<int>(loss.type)]}};
  if (loss.type == LossType::kSquares) return json;
  json["width"] = loss.width;
  json["from_recording"] = loss.width_from_recording;
  return json;
}

ordered_json as_json(const MarkerError& e) {
  return {{"mean", e.mean * 1e3}, {"sd", e.sd * 1e3}, {"rms", e.rms * 1e3},
          {"max", e.max * 1e3},   {"seen", e.seen},   {"missing", e.missing}};
}

ordered_json as_json(const Model& model, const MarkerNoiseEstimate& noise) {
  ordered_json markers = ordered_json::object();
  for (size_t m = 0; m < model.markers.size(); ++m) {
    const MarkerSd& sd = noise.markers[m];
    if (sd.sd <= 0) continue;
    markers[model.markers[m].name] = {{"sd_mm", sd.sd * 1e3},
                                      {"standard_error_mm", sd.standard_error * 1e3},
                                      {"redundancy", sd.redundancy},
                                      {"weight", sd.weight},
                                      {"held_by_prior", sd.held}};
  }
  return {{"rounds", noise.rounds}, {"settled", noise.converged}, {"markers", markers}};
}

ordered_json as_json(const Model& model, const Thinning& thinning) {
  ordered_json usual = ordered_json::object(), robust = ordered_json::object();
  for (int k = 0; k < thinning.usual.size(); ++k) {
    usual[model.parameters[k].name] = number(thinning.usual[k]);
    robust[model.parameters[k].name] = number(thinning.robust[k]);
  }
  return {{"every", thinning.every},
          {"frames_fitted", thinning.frames_fitted},
          {"interval_over_that_of_all_frames", {{"robust", robust}, {"usual", usual}}}};
}

}  // namespace

double for_people(Unit unit, double value) {
  return unit == Unit::kMeter ? value * 1e3 : unit == Unit::kRadian ? value * 180 / kPi : value;
}
const char* unit_for_people(Unit unit) {
  return unit == Unit::kMeter ? "mm" : unit == Unit::kRadian ? "deg" : "";
}

std::vector<CorrelatedPair> find_correlated_pairs(const Run& run, double least) {
  const Eigen::MatrixXd correlation = calc_correlation(run.confidence.covariance);
  std::vector<CorrelatedPair> pairs;
  for (int a = 0; a < correlation.rows(); ++a) {
    for (int b = 0; b < a; ++b) {
      if (std::abs(correlation(a, b)) > least) pairs.push_back({b, a, correlation(a, b)});
    }
  }
  std::stable_sort(pairs.begin(), pairs.end(), [](const auto& x, const auto& y) {
    return std::abs(x.correlation) > std::abs(y.correlation);
  });
  return pairs;
}

TimeTable make_joint_table(const Run& run, size_t trial) {
  const Trial& source = run.trials[trial];
  TimeTable table;
  table.name = source.name;
  table.in_degrees = true;
  const JointAngles angles = make_joint_angles(run);
  for (const AngleColumn& c : angles.columns()) {
    table.columns.push_back({c.name, c.angle ? "deg" : "m"});
  }
  const SegmentPose* poses = run.id->frames.poses(first_frame(run, trial));
  table.values = angles.calc_table(poses, source.frame_count(), find_walking_frame(run, trial));
  for (size_t k = 0; k < table.values.size(); ++k) {
    if (angles.columns()[k % angles.columns().size()].angle) table.values[k] *= 180 / kPi;
  }
  for (int f = 0; f < source.frame_count(); ++f) {
    table.times.push_back(source.time_of(f));
  }
  return table;
}

MarkerTracks make_joint_centers(const Run& run, size_t trial) {
  const Trial& source = run.trials[trial];
  MarkerTracks tracks;
  tracks.rate = source.rate;
  tracks.unit_in_file = "mm";
  const Geometry geometry = calc_geometry(run.model, run.id->d);
  const int begin = first_frame(run, trial);
  for (const Joint& joint : run.model.joints) {
    if (joint.type != JointType::kFree) tracks.labels.push_back(joint.name);
  }
  for (int f = 0; f < source.frame_count(); ++f) {
    tracks.times.push_back(source.time_of(f));
    const SegmentPose* poses = run.id->frames.poses(begin + f);
    for (size_t j = 0; j < run.model.joints.size(); ++j) {
      if (run.model.joints[j].type == JointType::kFree) continue;
      const SegmentPose& child = poses[run.model.joints[j].child];
      tracks.positions.push_back(child.p_WS +
                                 as_rotation(child.q_WS) * geometry.joints[j].child_center.value);
    }
  }
  return tracks;
}

MarkerTracks make_fitted_tracks(const Run& run, size_t trial) {
  const Trial& source = run.trials[trial];
  MarkerTracks tracks;
  tracks.rate = source.rate;
  tracks.unit_in_file = "mm";
  const Geometry geometry = calc_geometry(run.model, run.id->d);
  for (const Marker& m : run.model.markers)
    tracks.labels.push_back(m.label.empty() ? m.name : m.label);
  const int begin = first_frame(run, trial);
  for (int f = 0; f < source.frame_count(); ++f) {
    tracks.times.push_back(source.time_of(f));
    for (size_t m = 0; m < run.model.markers.size(); ++m) {
      tracks.positions.push_back(
          calc_marker(geometry, run.model, static_cast<int>(m), run.id->frames.poses(begin + f)));
    }
  }
  return tracks;
}

std::string make_opensim_xml(const Run& run) {
  const Eigen::VectorXd& d = run.id->d;
  const Geometry geometry = calc_geometry(run.model, d);
  std::string xml =
      "<?xml version=\"1.0\" encoding=\"UTF-8\" ?>\n<OpenSimDocument Version=\"40000\">\n"
      "\t<!-- Scale factors of the bodies, for the Scale Tool's ModelScaler. -->\n"
      "\t<ScaleSet name=\"scales\">\n\t\t<objects>\n";
  for (const Segment& s : run.model.segments) {
    xml += fmt::format(
        "\t\t\t<Scale>\n\t\t\t\t<scales> {:.10g} {:.10g} {:.10g}</scales>\n"
        "\t\t\t\t<segment>{}</segment>\n\t\t\t\t<apply>true</apply>\n\t\t\t</Scale>\n",
        s.scale[0].value(d), s.scale[1].value(d), s.scale[2].value(d), escape_markup(s.name));
  }
  xml += "\t\t</objects>\n\t</ScaleSet>\n\t<MarkerSet name=\"markers\">\n\t\t<objects>\n";
  for (size_t m = 0; m < run.model.markers.size(); ++m) {
    const Marker& marker = run.model.markers[m];
    const Vec3d& u = geometry.markers[m].value;
    xml += fmt::format(
        "\t\t\t<Marker name=\"{}\">\n\t\t\t\t<socket_parent_frame>/bodyset/{}"
        "</socket_parent_frame>\n\t\t\t\t<location>{:.10g} {:.10g} {:.10g}</location>\n"
        "\t\t\t\t<fixed>true</fixed>\n\t\t\t</Marker>\n",
        escape_markup(marker.label.empty() ? marker.name : marker.label),
        escape_markup(run.model.segments[marker.segment].name), u.x(), u.y(), u.z());
  }
  xml += "\t\t</objects>\n\t</MarkerSet>\n</OpenSimDocument>\n";
  return xml;
}

ordered_json make_json(const Run& run) {
  const Summary& s = run.id->summary;
  const Confidence& c = run.confidence;
  ordered_json json;
  json["model"] = run.model.name;
  json["converged"] = s.converged;
  json["minimum"] = s.minimum;
  if (!s.message.empty()) json["message"] = s.message;
  if (run.neutral) json["neutral"] = run.neutral->name;
  json["parameters"] = ordered_json::array();
  for (int k = 0; k < run.id->d.size(); ++k) {
    const Parameter& p = run.model.parameters[k];
    json["parameters"].push_back({{"name", p.name},
                                  {"value", run.id->d[k]},
                                  {"unit", name_of(p.unit)},
                                  {"standard_error", number(c.standard_error[k])},
                                  {"robust_standard_error", number(c.robust_standard_error[k])},
                                  {"robust_at_floor", static_cast<bool>(c.at_floor[k])},
                                  {"half_width_95", number(c.robust_half_width[k])},
                                  {"identifiable", static_cast<bool>(c.identifiable[k])}});
  }
  const Eigen::MatrixXd correlation = calc_correlation(c.covariance);
  json["correlation"] = ordered_json::array();
  for (Eigen::Index r = 0; r < correlation.rows(); ++r) {
    json["correlation"].push_back(
        std::vector<double>(correlation.row(r).begin(), correlation.row(r).end()));
  }
  json["undetermined"] = ordered_json::array();
  for (const Combination& u : c.undetermined) {
    ordered_json terms = ordered_json::object();
    for (const auto& [k, factor] : u.terms) terms[run.model.parameters[k].name] = factor;
    json["undetermined"].push_back({{"combination", u.text},
                                    {"terms", terms},
                                    {"standard_error", number(u.standard_error)},
                                    {"remedy", u.remedy}});
  }
  json["objective"] = s.objective;
  json["loss"] = as_json(run.model.loss);
  json["interrupted"] = s.interrupted;
  json["starts"] = {{"tried", s.starts}, {"ended_here", s.starts_alike}};
  json["iterations"] = s.iterations.size();
  json["start_iterations"] = s.start_iterations;
  json["kkt_residual"] = s.kkt_relative;
  json["kkt_residual_absolute"] = s.kkt_absolute;
  json["constraint_residual"] = s.constraint;
  json["frames"] = run.id->frames.frame_count();
  json["variables"] = run.variable_count();
  json["constraints_per_frame"] = run.model.constraint_count();
  json["unknowns"] = c.unknowns;
  json["undetermined_frames"] = s.undetermined_frames;
  json["pose_sd_deg"] = run.marks.usual_turn * 180 / kPi;
  json["marked_frames"] = ordered_json::array();
  for (const MarkedStretch& m : list_marked(run.marks, run.id->frames)) {
    ordered_json& stretch = json["marked_frames"].emplace_back();
    stretch = {{"trial", run.trials[m.trial].name},
               {"first", m.first_frame + 1},
               {"last", m.last_frame + 1},
               {"reason", name_of(m.reason)},
               {"segment", run.model.segments[m.segment].name},
               {"turn_deg", m.turn * 180 / kPi}};
    if (m.reason != MarkReason::kPulled) continue;
    if (!run.marks.letting_go) stretch["turn_deg"] = nullptr;  // not known
    if (m.marker < 0) continue;
    stretch["marker"] = run.model.markers[m.marker].name;
    stretch["off_mm"] = 1e3 * m.off;
  }
  json["seconds"] = {
      {"read", run.seconds_read}, {"start", s.seconds_start}, {"solve", s.seconds_solve}};
  json["noise_mm"] = c.sigma * 1e3;
  json["effective_frames"] = c.effective_frames;
  ordered_json errors = as_json(run.errors.all);
  errors["per_marker"] = ordered_json::object();
  for (size_t m = 0; m < run.model.markers.size(); ++m) {
    errors["per_marker"][run.model.markers[m].name] = as_json(run.errors.markers[m]);
  }
  json["marker_error_mm"] = errors;
  if (run.noise) json["marker_noise"] = as_json(run.model, *run.noise);
  if (run.thinning) json["thinning"] = as_json(run.model, *run.thinning);
  json["warnings"] = run.warnings;
  return json;
}

std::string make_table(const Run& run) {
  const Summary& s = run.id->summary;
  const Confidence& c = run.confidence;
  std::string out = fmt::format(
      "{}: {} frames, {} variables; {} in {} iterations, KKT residual {:.1e} ({}); read {:.2f} s, "
      "start {:.2f} s, solve {:.2f} s\n\n",
      run.model.name, run.id->frames.frame_count(), run.variable_count(),
      s.converged ? "converged" : "NOT converged", s.iterations.size(), s.kkt_relative,
      s.minimum ? "a minimum" : "not proved a minimum", run.seconds_read, s.seconds_start,
      s.seconds_solve);
  if (run.model.loss.width_from_recording) {
    out += fmt::format(
        "  Tukey's loss lets go of markers {:.1f} cm off, as this recording's noise "
        "asks for (--loss-width says otherwise)\n\n",
        100 * run.model.loss.width);
  }
  if (run.id->d.size() > 0) {
    out += fmt::format("  {:<28}{:>12} {:<4}{:>12}{:>12}\n", "parameter", "value", "", "std error",
                       "robust");
  }
  const auto error_text = [](Unit unit, double e) {
    return std::isfinite(e) ? fmt::format("{:.3g}", for_people(unit, e)) : std::string("none");
  };
  for (int k = 0; k < run.id->d.size(); ++k) {
    const Parameter& p = run.model.parameters[k];
    out += fmt::format("  {:<28}{:>12.2f} {:<4}{:>12}{:>12}{}\n", p.name,
                       for_people(p.unit, run.id->d[k]), unit_for_people(p.unit),
                       error_text(p.unit, c.standard_error[k]),
                       error_text(p.unit, c.robust_standard_error[k]),
                       c.identifiable[k] ? "" : "   not determined");
  }
  if (run.id->d.size() > 0) {
    const auto floored = std::count(c.at_floor.begin(), c.at_floor.end(), true);
    out += fmt::format(
        "  robust: allows for correlated frames ({:.0f} independent of {}); never below the usual "
        "error, which it would be for {} of {}\n",
        c.effective_frames,
        run.thinning ? run.thinning->frames_fitted : run.id->frames.frame_count(), floored,
        run.id->d.size());
  }
  if (run.thinning) out += make_thinning_text(*run.thinning);
  const auto pairs = find_correlated_pairs(run, kStrong);
  for (size_t k = 0; k < std::min(pairs.size(), kMaxPairs); ++k) {
    out += fmt::format("{}{} and {} ({:+.2f})", k == 0 ? "\n  errors that go together: " : ", ",
                       run.model.parameters[pairs[k].a].name, run.model.parameters[pairs[k].b].name,
                       pairs[k].correlation);
  }
  if (pairs.size() > kMaxPairs) out += fmt::format(", and {} more", pairs.size() - kMaxPairs);
  if (!pairs.empty()) out += "\n";
  for (const Combination& u : c.undetermined) {
    out += fmt::format("\n  not determined by this motion: {}\n    {}\n", u.text, u.remedy);
  }
  out += fmt::format("\n  {:<28}{:>8}{:>8}{:>8}{:>8}   seen / missing\n", "marker error, mm",
                     "mean", "sd", "rms", "max");
  const auto row = [&](const std::string& name, const MarkerError& e) {
    out += fmt::format("  {:<28}{:>8.2f}{:>8.2f}{:>8.2f}{:>8.2f}   {} / {}\n", name, e.mean * 1e3,
                       e.sd * 1e3, e.rms * 1e3, e.max * 1e3, e.seen, e.missing);
  };
  for (size_t m = 0; m < run.model.markers.size(); ++m) {
    row(run.model.markers[m].name, run.errors.markers[m]);
  }
  row("all", run.errors.all);
  if (run.noise) out += make_noise_table(run.model, *run.noise);
  for (const std::string& w : run.warnings) out += "\n  warning: " + w;
  if (!run.warnings.empty()) out += "\n";
  if (!s.message.empty()) out += "\n  " + s.message + "\n";
  return out;
}

}  // namespace vesica::markers
