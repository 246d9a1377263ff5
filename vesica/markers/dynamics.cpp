#include "vesica/markers/dynamics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "vesica/error.h"
#include "vesica/markers/frame_marks.h"
#include "vesica/markers/inverse_dynamics.h"
#include "vesica/math/gravity.h"
#include "vesica/motion/butterworth.h"

namespace vesica::markers {
namespace {

// A foot is on the floor where one of its markers is this slow and this near to its lowest.
constexpr double kSlow = 0.4;      // m/s
constexpr double kNearLow = 0.04;  // m
constexpr double kMargin = 0.03;   // s around a stretch that is not known

const char* name_of(JointAngles::Axes axes) {
  return axes == JointAngles::Axes::kProximal ? "proximal"
         : axes == JointAngles::Axes::kDistal ? "distal"
                                              : "joint";
}
const char* name_of(Sex sex) {
  return sex == Sex::kFemale ? "female" : sex == Sex::kMale ? "male" : "mean of both";
}

int find_first(const Run& run, size_t trial) {
  int k = 0;
  for (size_t t = 0; t < trial; ++t) k += run.trials[t].frame_count();
  return k;
}

Side as_side(Foot foot) {
  return foot == Foot::kLeft ? Side::kLeft : foot == Foot::kRight ? Side::kRight : Side::kNone;
}

double find_mass(const TrialAnalysis& forces, const DynamicsOptions& options) {
  if (options.mass > 0) return options.mass;
  if (forces.weights.empty()) {
    throw InputError(
        "no mass: give --mass, as no stride stands wholly on plates from which it could be "
        "weighed (vesica motion says why)");
  }
  double sum = 0;
  for (const WeightEstimate& w : forces.weights) sum += w.weight;
  return sum / static_cast<double>(forces.weights.size()) / kStandardGravity;
}

// Force and moment about the laboratory's origin that one contact put on its foot, over the
// plate's samples.
struct ContactSignal {
  const PlateForces* plate;
  std::vector<double> parts[6];
  double at(int k, double time) const {
    const auto& times = plate->times;
    const auto after = std::lower_bound(times.begin(), times.end(), time);
    if (after == times.begin()) return parts[k].front();
    if (after == times.end()) return parts[k].back();
    const size_t i = static_cast<size_t>(after - times.begin());
    const double share = (time - times[i - 1]) / (times[i] - times[i - 1]);
    return parts[k][i - 1] + share * (parts[k][i] - parts[k][i - 1]);
  }
};
ContactSignal make_signal(const PlateForces& plate, const PlateContact& contact, double cutoff) {
  ContactSignal signal{&plate, {}};
  for (auto& part : signal.parts) part.assign(plate.size(), 0.0);
  for (size_t k = 0; k < plate.size(); ++k) {
    if (plate.times[k] < contact.start || plate.times[k] > contact.end || !plate.is_loaded(k)) {
      continue;
    }
    const Vec3d& f = plate.forces[k];
    const Vec3d moment =
        plate.centers_of_pressure[k].cross(f) + plate.free_moments[k] * plate.normal;
    for (int c = 0; c < 3; ++c) {
      signal.parts[c][k] = f[c];
      signal.parts[3 + c][k] = moment[c];
    }
  }
  if (cutoff > 0) {
    const ZeroPhaseFilter filter = make_low_pass(cutoff, plate.rate, 4);
    for (auto& part : signal.parts) filter_signal(filter, part);
  }
  return signal;
}

struct Stretch {
  double start, end;
};

// When a foot rests on the floor, by its fitted markers.
std::vector<Stretch> find_rests(const Run& run, const std::vector<SegmentMotion>& motions,
                                int segment, const std::vector<double>& times, const Vec3d& up) {
  const Geometry geometry = calc_geometry(run.model, run.id->d);
  const size_t n = run.model.segments.size();
  std::vector<char> rests(times.size(), 0);
  for (size_t m = 0; m < run.model.markers.size(); ++m) {
    if (run.model.markers[m].segment != segment) continue;
    std::vector<double> height, speed;
    for (size_t f = 0; f < times.size(); ++f) {
      const SegmentMotion& motion = motions[f * n + static_cast<size_t>(segment)];
      const Vec3d r = motion.R_WS * geometry.markers[m].value;
      height.push_back((motion.p_WS + r).dot(up));
      speed.push_back((motion.v + motion.w.cross(r)).norm());
    }
    const double lowest = *std::min_element(height.begin(), height.end());
    for (size_t f = 0; f < times.size(); ++f) {
      if (speed[f] < kSlow && height[f] < lowest + kNearLow) rests[f] = 1;
    }
  }
  std::vector<Stretch> stretches;
  for (size_t f = 0; f < times.size(); ++f) {
    if (!rests[f]) continue;
    if (!stretches.empty() && times[f] - stretches.back().end < 0.1) {
      stretches.back().end = times[f];
    } else {
      stretches.push_back({times[f], times[f]});
    }
  }
  return stretches;
}

double overlap(const Stretch& a, double start, double end) {
  return std::max(0.0, std::min(a.end, end) - std::max(a.start, start));
}

// Where a leg's load is not known: contacts that cannot be used, and rests without a plate.
std::vector<UnknownStretch> find_unknown(const Run& run, const TrialAnalysis& forces,
                                         const BodySegments& body,
                                         const std::vector<SegmentMotion>& motions,
                                         const std::vector<double>& times, const Vec3d& up) {
  std::vector<UnknownStretch> unknown;
  for (const PlateContact& c : forces.contacts) {
    const std::string& plate = forces.plates[c.plate].name;
    const auto add = [&](Side side, const std::string& why) {
      UnknownStretch& u = unknown.emplace_back();
      u.side = side;
      u.start = c.start - kMargin;
      u.end = c.end + kMargin;
      u.why = why;
    };
    if (c.foot == Foot::kBoth || c.foot == Foot::kUnknown) {
      const std::string why =
          c.foot == Foot::kBoth ? fmt::format("both feet stand on plate {}", plate)
                                : fmt::format("which foot stands on plate {} is not known", plate);
      add(Side::kLeft, why);
      add(Side::kRight, why);
    } else if (c.partial) {
      add(as_side(c.foot), fmt::format("the foot is only partly on plate {}", plate));
    }
  }
  for (size_t s = 0; s < body.parts.size(); ++s) {
    if (body.parts[s] != BodyPart::kFoot) continue;
    for (const Stretch& rest : find_rests(run, motions, static_cast<int>(s), times, up)) {
      double measured = 0;
      for (const PlateContact& c : forces.contacts) {
        if (as_side(c.foot) == body.sides[s]) measured += overlap(rest, c.start, c.end);
      }
      if (measured < 0.5 * (rest.end - rest.start) || rest.end == rest.start) {
        UnknownStretch& u = unknown.emplace_back();
        u.side = body.sides[s];
        u.start = rest.start - kMargin;
        u.end = rest.end + kMargin;
        u.why = "the foot is on the floor beside the plates";
      }
    }
  }
  return unknown;
}

// A force that nobody measured shows here: a foot half on the floor beside its plate, a plate that
// was out of order.
void warn_of_residual(Dynamics* out) {
  constexpr double kMuch = 0.25;      // of the weight
  constexpr double kShortest = 0.05;  // s
  const TimeTable& table = out->residual;
  const size_t last = table.columns.size();
  double start = kMissing, most = 0;
  for (size_t r = 0; r <= table.rows(); ++r) {
    const double size = r < table.rows() ? std::hypot(table.at(r, last - 3), table.at(r, last - 2),
                                                      table.at(r, last - 1)) /
                                               (out->mass * kStandardGravity)
                                         : 0;
    if (size > kMuch) {
      if (std::isnan(start)) start = table.times[r];
      most = std::max(most, size);
      continue;
    }
    const double end = table.times[r > 0 ? r - 1 : 0];
    if (!std::isnan(start) && end - start > kShortest) {
      out->warnings.push_back(fmt::format(
          "{}: from {:.2f} to {:.2f} s up to {:.0f} % of the weight are not explained by the "
          "plates: a step that they saw only in part, or the wrong mass?",
          out->trial, start, end, 100 * most));
    }
    start = kMissing;
    most = 0;
  }
}

// What would make every moment wrong.
void warn_of_forces(const TrialAnalysis& forces, Dynamics* out) {
  for (const std::string& warning : forces.force_warnings) {
    out->warnings.push_back(out->trial + ": " + warning);
  }
  constexpr double kMostOff = 0.05;
  const DynamicsOptions weighed;  // as if no mass had been given
  if (out->mass_is_from_plates || forces.weights.empty()) return;
  const double other = find_mass(forces, weighed);
  if (std::abs(other / out->mass - 1) < kMostOff) return;
  out->warnings.push_back(fmt::format(
      "{}: the mass is given as {:.1f} kg, and the plates weigh {:.1f} kg over {} whole stride{}: "
      "is it the same person, in the same clothes, and are the plates right?",
      out->trial, out->mass, other, forces.weights.size(), forces.weights.size() == 1 ? "" : "s"));
}

// The legs of segments whose poses are not to be relied on (the fit marks them), with what a filter
// of the motion spreads of them; both legs for a segment of neither.
std::vector<UnknownStretch> find_marked_legs(const Run& run, size_t trial, const BodySegments& body,
                                             double cutoff) {
  std::vector<UnknownStretch> out;
  const FrameMarks& marks = run.marks;
  const int offset = find_first(run, trial), frames = run.trials[trial].frame_count();
  if (marks.reason.size() < static_cast<size_t>(offset + frames)) return out;
  const double rate = run.trials[trial].rate;
  const double around = (cutoff > 0 ? std::ceil(0.5 * rate / cutoff) : 1) / rate;
  for (const Side leg : {Side::kLeft, Side::kRight}) {
    const auto is_marked = [&](int f) {
      const auto at = static_cast<size_t>(offset + f);
      if (f >= frames || marks.reason[at] == MarkReason::kNone) return false;
      const Side side = body.sides[static_cast<size_t>(marks.segment[at])];
      return side == Side::kNone || side == leg;
    };
    for (int first = 0, last = 0; first < frames; first = last + 1) {
      last = first;
      if (!is_marked(first)) continue;
      while (is_marked(last + 1)) ++last;
      const auto at = static_cast<size_t>(offset + first);
      UnknownStretch& u = out.emplace_back();
      u.side = leg;
      // Half a frame more, so that rounding decides nothing.
      u.start = run.trials[trial].time_of(first) - around - 0.5 / rate;
      u.end = run.trials[trial].time_of(last) + around + 0.5 / rate;
      u.why = fmt::format("the pose of {} is not to be relied on in frames {} to {} ({})",
                          run.model.segments[static_cast<size_t>(marks.segment[at])].name,
                          first + 1, last + 1, name_of(marks.reason[at]));
    }
  }
  return out;
}

// The leg that a joint belongs to: its own side.
Side find_leg(const Model& model, int joint) { return identify_joint(model, joint).side; }

std::string name_moment(const std::string& direction) {
  // hip_flexion_r: hip_flexion_moment_r
  const ReadName read = read_side(direction);
  return read.stem + "_moment" + suffix_of(read.side);
}

}  // namespace

Dynamics calc_dynamics(const Run& run, size_t trial, const TrialAnalysis& forces,
                       const DynamicsOptions& options) {
  const Model& model = run.model;
  const Trial& source = run.trials[trial];
  const int frames = source.frame_count();
  const size_t n = model.segments.size();
  if (forces.plates.empty()) {
    throw InputError(
        fmt::format("{}: no force plates; give a file with them (--forces)", source.name));
  }
  Dynamics out;
  out.trial = source.name;
  out.options = options;
  out.mass = find_mass(forces, options);
  out.mass_is_from_plates = options.mass <= 0;
  warn_of_forces(forces, &out);
  out.body = make_body_segments(model, run.id->d, out.mass, options.sex);
  const SegmentPose* poses = run.id->frames.poses(find_first(run, trial));
  const std::vector<SegmentMotion> motions =
      calc_segment_motions(model, run.id->d, poses, frames, source.rate, options.motion_cutoff);
  const Vec3d up = find_walking_frame(run, trial).col(1);
  std::vector<double> times;
  for (int f = 0; f < frames; ++f) times.push_back(source.time_of(f));
  for (size_t f = 1; f < times.size(); ++f) {
    if (std::abs(times[f] - times[f - 1] - 1 / source.rate) < 0.5 / source.rate) continue;
    throw InputError(fmt::format(
        "{}: frames {} and {} are {:.3f} s apart: accelerations cannot be told across a hole in "
        "time; cut the recording there (vesica motion --from, --until)",
        source.name, f, f + 1, times[f] - times[f - 1]));
  }

  double first = -kInfinity, last = kInfinity;  // where all plates were recorded
  for (const PlateForces& plate : forces.plates) {
    if (plate.size() == 0) continue;
    first = std::max(first, plate.times.front());
    last = std::min(last, plate.times.back());
  }
  const double tolerance = 0.5 / source.rate;
  if (!(first <= times.back() && last >= times.front())) {
    throw InputError(fmt::format(
        "{}: the forces are from {:.3f} to {:.3f} s, the motion from {:.3f} to {:.3f} s: they do "
        "not belong together",
        source.name, first, last, times.front(), times.back()));
  }
  if (first > times.front() + tolerance || last < times.back() - tolerance) {
    out.warnings.push_back(fmt::format(
        "{}: forces from {:.3f} to {:.3f} s cover only part of the motion; moments are left out "
        "elsewhere",
        source.name, first, last));
  }

  std::vector<int> foot_of(3, -1);
  for (size_t s = 0; s < n; ++s) {
    if (out.body.parts[s] == BodyPart::kFoot) {
      foot_of[static_cast<size_t>(out.body.sides[s])] = static_cast<int>(s);
    }
  }
  struct OnFoot {
    int segment;
    ContactSignal signal;
  };
  std::vector<OnFoot> loads;
  for (const PlateContact& contact : forces.contacts) {
    const int foot = foot_of[static_cast<size_t>(as_side(contact.foot))];
    if (foot < 0) continue;
    loads.push_back(
        {foot, make_signal(forces.plates[contact.plate], contact, options.force_cutoff)});
  }
  out.unknown = find_unknown(run, forces, out.body, motions, times, up);
  const std::vector<UnknownStretch> marked =
      find_marked_legs(run, trial, out.body, options.motion_cutoff);
  out.unknown.insert(out.unknown.end(), marked.begin(), marked.end());
  for (UnknownStretch& u : out.unknown) {  // what the filter spreads ends with the recording
    u.start = std::max(u.start, times.front());
    u.end = std::min(u.end, times.back());
  }
  const bool both_feet = std::any_of(forces.contacts.begin(), forces.contacts.end(),
                                     [](const PlateContact& c) { return c.foot == Foot::kBoth; });
  if (loads.empty()) {
    throw InputError(fmt::format(
        "{}: no plate was loaded by one foot of the model alone{}", source.name,
        both_feet ? ": both feet stand on one plate, whose force cannot be divided" : ""));
  }

  JointAngles angles = make_joint_angles(run);
  const Geometry geometry = calc_geometry(model, run.id->d);
  out.moments.name = out.powers.name = out.residual.name = source.name;
  out.moments.times = out.powers.times = out.residual.times = times;
  int root = model.order.front();
  std::vector<int> joints;
  for (int s : model.order) {
    if (model.tree_joint[s] < 0) continue;
    const int j = model.tree_joint[s];
    if (speed_count(model.joints[j].type) == 0) continue;
    joints.push_back(j);
    for (const std::string& direction : angles.name_directions(j)) {
      out.moments.columns.push_back({name_moment(direction), "N m"});
    }
    const JointIdentity identity = identify_joint(model, j);
    out.powers.columns.push_back({identity.stem + "_power" + suffix_of(identity.side), "W"});
  }
  const std::string& root_name = model.segments[root].name;
  for (const char* c : {"_force_x", "_force_y", "_force_z"})
    out.residual.columns.push_back({root_name + c, "N"});
  for (const char* c : {"_moment_x", "_moment_y", "_moment_z"})
    out.residual.columns.push_back({root_name + c, "N m"});
  for (const char* c : {"_residual_x", "_residual_y", "_residual_z"})
    out.residual.columns.push_back({root_name + c, "N"});

  double squares = 0;
  for (int f = 0; f < frames; ++f) {
    const double t = times[f];
    std::vector<Wrench<double>> external(n, {Vec3d::Zero(), Vec3d::Zero()});
    for (const OnFoot& load : loads) {
      for (int k = 0; k < 3; ++k) {
        external[load.segment].f_W[k] += load.signal.at(k, t);
        external[load.segment].tau_W[k] += load.signal.at(3 + k, t);
      }
    }
    bool is_known[3] = {true, true, true};
    if (t < first - tolerance || t > last + tolerance) std::fill(is_known, is_known + 3, false);
    for (const UnknownStretch& u : out.unknown) {
      if (t >= u.start && t <= u.end) is_known[static_cast<int>(u.side)] = false;
    }
    const bool both = is_known[1] && is_known[2] && is_known[0];
    is_known[0] = both;
    const SegmentMotion* motion = motions.data() + static_cast<size_t>(f) * n;
    const FrameLoads result = calc_frame_loads(model, geometry, motion, out.body.inertia, external,
                                               -kStandardGravity * up);
    std::vector<SegmentPose> filtered(n);
    for (size_t s = 0; s < n; ++s) filtered[s] = {motion[s].p_WS, as_quaternion(motion[s].R_WS)};
    for (const int j : joints) {
      const bool known = is_known[static_cast<int>(find_leg(model, j))];
      const Mat3d axes = angles.calc_axes(j, filtered.data(), options.axes);
      // About axes that need not be square to each other: projections, as with generalised forces.
      const Vec3d moment = axes.transpose() * result.joints[j].moment;
      for (int k = 0; k < 3; ++k) out.moments.values.push_back(known ? moment[k] : kMissing);
      out.powers.values.push_back(known ? result.joints[j].power : kMissing);
    }
    const SegmentMotion& r = motion[root];
    const Vec3d to_center = r.R_WS * out.body.inertia[root].center;
    const Vec3d acceleration = r.a + r.w_rate.cross(to_center) + r.w.cross(r.w.cross(to_center));
    const Vec3d rest =
        result.root[root].f_W + out.body.rest * (acceleration + kStandardGravity * up);
    for (int k = 0; k < 3; ++k)
      out.residual.values.push_back(both ? result.root[root].f_W[k] : kMissing);
    for (int k = 0; k < 3; ++k)
      out.residual.values.push_back(both ? result.root[root].tau_W[k] : kMissing);
    for (int k = 0; k < 3; ++k) out.residual.values.push_back(both ? rest[k] : kMissing);
    if (both) {
      squares += rest.squaredNorm();
      ++out.known_frames;
    }
  }
  out.residual_rms = out.known_frames > 0 ? std::sqrt(squares / out.known_frames) : kMissing;
  for (const UnknownStretch& u : out.unknown) {
    out.warnings.push_back(fmt::format("{}: no moments of the {} leg from {:.2f} to {:.2f} s: {}",
                                       source.name, name_of(u.side), u.start, u.end, u.why));
  }
  warn_of_residual(&out);
  if (out.body.rest < -0.01 * out.mass) {
    throw InputError(
        "the model's segments are heavier than the whole body: two of them are the "
        "same part; say `body: none` of one");
  }
  return out;
}

TimeTable make_moments_per_kg(const Dynamics& dynamics) {
  TimeTable table = dynamics.moments;
  for (auto& column : table.columns) column.unit = "N m/kg";
  for (double& value : table.values) value /= dynamics.mass;
  return table;
}

namespace {

struct Peak {
  double low = kMissing, high = kMissing;
};
Peak find_peak(const TimeTable& table, size_t column) {
  Peak peak;
  for (size_t r = 0; r < table.rows(); ++r) {
    const double x = table.at(r, column);
    if (!std::isfinite(x)) continue;
    peak.low = std::isfinite(peak.low) ? std::min(peak.low, x) : x;
    peak.high = std::isfinite(peak.high) ? std::max(peak.high, x) : x;
  }
  return peak;
}

}  // namespace

nlohmann::ordered_json make_dynamics_json(const Dynamics& dynamics) {
  using nlohmann::ordered_json;
  const auto number = [](double x) {
    return std::isfinite(x) ? ordered_json(x) : ordered_json(nullptr);
  };
  ordered_json json;
  json["trial"] = dynamics.trial;
  json["mass_kg"] = dynamics.mass;
  json["mass_from"] = dynamics.mass_is_from_plates ? "plates" : "given";
  json["sex"] = name_of(dynamics.options.sex);
  json["inertia"] = "de Leva 1996";
  json["axes"] = name_of(dynamics.options.axes);
  json["motion_cutoff_hz"] = dynamics.options.motion_cutoff;
  json["force_cutoff_hz"] = dynamics.options.force_cutoff;
  json["rest_of_body_kg"] = dynamics.body.rest;
  json["moments"] = ordered_json::object();
  for (size_t c = 0; c < dynamics.moments.columns.size(); ++c) {
    const Peak peak = find_peak(dynamics.moments, c);
    json["moments"][dynamics.moments.columns[c].name] = {
        {"least", number(peak.low)},
        {"most", number(peak.high)},
        {"least_per_kg", number(peak.low / dynamics.mass)},
        {"most_per_kg", number(peak.high / dynamics.mass)}};
  }
  json["powers"] = ordered_json::object();
  for (size_t c = 0; c < dynamics.powers.columns.size(); ++c) {
    const Peak peak = find_peak(dynamics.powers, c);
    json["powers"][dynamics.powers.columns[c].name] = {{"least", number(peak.low)},
                                                       {"most", number(peak.high)}};
  }
  json["residual_force_rms_n"] = number(dynamics.residual_rms);
  json["residual_force_of_weight"] =
      number(dynamics.residual_rms / (dynamics.mass * kStandardGravity));
  json["frames_with_both_legs"] = dynamics.known_frames;
  json["unknown"] = ordered_json::array();
  for (const UnknownStretch& u : dynamics.unknown) {
    json["unknown"].push_back(
        {{"leg", name_of(u.side)}, {"start", u.start}, {"end", u.end}, {"why", u.why}});
  }
  return json;
}

std::string make_dynamics_table(const Dynamics& dynamics) {
  std::string out = fmt::format(
      "\n{}: moments on the lower segment by the joint, {} axes; {:.1f} kg ({}), de Leva's "
      "segments "
      "({}); motion below {:g} Hz, forces below {:g} Hz\n",
      dynamics.trial, name_of(dynamics.options.axes), dynamics.mass,
      dynamics.mass_is_from_plates ? "from plates" : "given", name_of(dynamics.options.sex),
      dynamics.options.motion_cutoff, dynamics.options.force_cutoff);
  out +=
      fmt::format("  {:<32}{:>10}{:>10}{:>12}{:>12}\n", "", "least", "most", "least/kg", "most/kg");
  const auto add = [&](const TimeTable& table) {
    for (size_t c = 0; c < table.columns.size(); ++c) {
      const Peak peak = find_peak(table, c);
      if (!std::isfinite(peak.low)) {
        out += fmt::format("  {:<32}  not known at any time\n", table.columns[c].name);
        continue;
      }
      out += fmt::format("  {:<32}{:>10.1f}{:>10.1f}{:>12.2f}{:>12.2f}   {}\n",
                         table.columns[c].name, peak.low, peak.high, peak.low / dynamics.mass,
                         peak.high / dynamics.mass, table.columns[c].unit);
    }
  };
  add(dynamics.moments);
  add(dynamics.powers);
  if (dynamics.known_frames > 0) {
    out += fmt::format(
        "  residual force at the root, the rest of the body ({:.1f} kg) riding on it: {:.0f} N "
        "rms, "
        "{:.1f} % of the weight, over {} frames with both legs known\n",
        dynamics.body.rest, dynamics.residual_rms,
        100 * dynamics.residual_rms / (dynamics.mass * kStandardGravity), dynamics.known_frames);
  } else {
    out += "  residual force at the root: no frame has both legs known\n";
  }
  for (const std::string& w : dynamics.warnings) out += "  warning: " + w + "\n";
  return out;
}

}  // namespace vesica::markers
