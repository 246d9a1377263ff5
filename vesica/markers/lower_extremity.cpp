#include "vesica/markers/lower_extremity.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "vesica/markers/joint_coordinates.h"

namespace vesica::markers {
namespace {

constexpr double kDegree = kPi / 180;

Point make_point(double x, double y, double z) {
  Point point;
  point.coordinate = {Affine{x}, Affine{y}, Affine{z}};
  return point;
}

// A uniform scale that is a length divided by the base geometry's.
void scale_by_length(Model& model, const std::string& segment, int parameter, double base_length) {
  for (Affine& s : model.segments[model.find_segment(segment)].scale) {
    s = Affine{0, parameter, 1 / base_length};
  }
}

// Found coordinates are metres on the subject, not multiplied by the scale; both forms have the
// same optimum.
void add_marker(Model& model, const std::string& name, const std::string& segment,
                const Vec3d& base, const char* found) {
  Marker marker;
  marker.name = name;
  marker.segment = model.find_segment(segment);
  marker.position = make_point(base.x(), base.y(), base.z());
  const std::string axes = found;
  for (int k = 0; k < 3; ++k) {
    const char letter = "xyz"[k];
    if (axes.find(letter) == std::string::npos) continue;
    const int p = model.add_parameter({name + "." + letter, Unit::kMeter, base[k]});
    marker.position.coordinate[k] = Affine{0, p, 1};
    marker.position.scaled[k] = false;
  }
  model.markers.push_back(marker);
}

Axis make_axis(Model& model, const std::string& name, std::array<int, 3> sequence, double first,
               double second, bool find) {
  Axis axis;
  axis.sequence = sequence;
  axis.angle = {Affine{first}, Affine{second}};
  if (!find) return axis;
  const double start[2] = {first, second};
  for (int k = 0; k < 2; ++k) {
    const int p = model.add_parameter({name + "." + "xyz"[sequence[k]], Unit::kRadian, start[k]});
    axis.angle[k] = Affine{0, p, 1};
  }
  return axis;
}

// A child's side of a revolute joint: the nominal axis, fixed.
Axis make_fixed_axis(std::array<int, 3> sequence, double first, double second) {
  Axis axis;
  axis.sequence = sequence;
  axis.angle = {Affine{first}, Affine{second}};
  return axis;
}

double smooth_pulse(double phase) { return 0.5 - 0.5 * std::cos(2 * kPi * phase); }

// Angles follow list_joint_coordinates: pelvis (6), then per side hip (3), knee, ankle, subtalar.
std::vector<double> calc_gait(double t, const std::vector<int>& leg_start, size_t count) {
  std::vector<double> q(count, 0.0);
  constexpr double kStride = 1.1;
  const double phase = t / kStride;
  q[0] = 1.3 * t;
  q[1] = 0.92 + 0.02 * std::cos(4 * kPi * phase);
  q[2] = 0.02 * std::sin(2 * kPi * phase);
  q[3] = (3 + 2 * std::sin(4 * kPi * phase)) * kDegree;
  q[4] = 4 * std::sin(2 * kPi * phase + 0.4) * kDegree;
  q[5] = 5 * std::sin(2 * kPi * phase) * kDegree;
  for (size_t side = 0; side < 2; ++side) {
    double* leg = &q[leg_start[side]];
    const double mirror = side == 0 ? -1 : 1;
    const double p = phase + 0.5 * static_cast<double>(side), w = 2 * kPi * p;
    leg[0] = (10 + 22 * std::cos(w)) * kDegree;
    leg[1] = mirror * 6 * std::sin(w + 0.3) * kDegree;
    leg[2] = mirror * 7 * std::sin(w - 0.8) * kDegree;
    leg[3] = -(20 + 22 * std::sin(w - 1.2 - kPi / 2) + 12 * std::cos(2 * w + 0.5)) * kDegree;
    leg[4] = (2 + 10 * std::sin(w + 1) + 6 * std::sin(2 * w)) * kDegree;
    leg[5] = mirror * (5 * std::sin(w + 2) + 2 * std::cos(2 * w)) * kDegree;
  }
  return q;
}

// One joint motion after the other, left then right, as in the source's experiment.
std::vector<double> calc_range_of_motion(double t, double duration,
                                         const std::vector<int>& leg_start, size_t count) {
  std::vector<double> q(count, 0.0);
  q[1] = 0.92;
  // The subject sways on the standing leg.
  q[0] = 0.02 * std::sin(0.7 * t);
  q[2] = 0.03 * std::sin(0.4 * t + 1);
  q[3] = 3 * std::sin(0.9 * t) * kDegree;
  q[4] = 3 * std::sin(0.6 * t + 0.5) * kDegree;
  q[5] = 4 * std::sin(0.5 * t + 2) * kDegree;
  for (size_t side = 0; side < 2; ++side) {
    double* leg = &q[leg_start[side]];
    const double sway = std::sin(1.1 * t + static_cast<double>(side));
    const double rest[6] = {4 + sway, 1, 2 * sway, -6 - 2 * sway, 2 * sway, sway};
    for (int k = 0; k < 6; ++k) leg[k] = rest[k] * kDegree;
  }
  const double part = std::clamp(t / duration, 0.0, 1 - 1e-12) * 12;
  const int index = static_cast<int>(part);
  double* leg = &q[leg_start[index / 6]];
  const double mirror = index < 6 ? -1 : 1;
  const double cycles = 2 * (part - index);
  const double swing = std::sin(2 * kPi * cycles), pulse = smooth_pulse(cycles);
  switch (index % 6) {
    case 0:
      leg[5] += 18 * swing * kDegree;
      break;
    case 1:
      leg[4] += 25 * swing * kDegree;
      break;
    case 2:
      leg[3] -= 100 * pulse * kDegree;
      leg[0] += 20 * pulse * kDegree;
      break;
    case 3:
      leg[1] -= mirror * 35 * pulse * kDegree;
      break;
    case 4:
      leg[0] += (40 * pulse + 15 * swing) * kDegree;
      break;
    case 5:
      leg[2] += 30 * swing * kDegree;
      leg[3] -= 20 * pulse * kDegree;
      break;
  }
  return q;
}

}  // namespace

Model make_lower_extremity(bool foot_axes) {
  Model model;
  model.name = "lower extremity";
  for (const char* name : {"pelvis", "thigh_l", "shank_l", "talus_l", "foot_l", "thigh_r",
                           "shank_r", "talus_r", "foot_r"}) {
    model.segments.push_back({name});
  }
  constexpr double kWidth = 0.16, kThigh = 0.42, kShank = 0.41, kFoot = 0.25;
  scale_by_length(model, "pelvis", model.add_parameter({"pelvis_width", Unit::kMeter, kWidth}),
                  kWidth);
  for (const std::string side : {"l", "r"}) {
    const auto length = [&](const char* name, double base,
                            std::initializer_list<const char*> list) {
      const int p = model.add_parameter({name + ("_length_" + side), Unit::kMeter, base});
      for (const char* segment : list) scale_by_length(model, segment + ("_" + side), p, base);
    };
    length("thigh", kThigh, {"thigh"});
    length("shank", kShank, {"shank"});
    length("foot", kFoot, {"talus", "foot"});
  }
  for (const std::string side : {"l", "r"}) {
    const double m = side == "l" ? -1 : 1;  // mirror
    const auto join = [&](const char* name, JointType type, const char* parent, const char* child) {
      Joint joint;
      joint.name = name + ("_" + side);
      joint.type = type;
      const std::string p = parent;
      joint.parent = model.find_segment(p == "pelvis" ? p : p + "_" + side);
      joint.child = model.find_segment(child + ("_" + side));
      return joint;
    };
    Joint hip = join("hip", JointType::kSpherical, "pelvis", "thigh");
    hip.parent_center = make_point(0, 0, m * kWidth / 2);
    model.joints.push_back(hip);

    Joint knee = join("knee", JointType::kRevolute, "thigh", "shank");
    knee.parent_center = make_point(0, -kThigh, 0);
    knee.parent_axis = make_axis(model, knee.name, {0, 1, 2}, 0, 0, true);
    model.joints.push_back(knee);

    Joint ankle = join("ankle", JointType::kRevolute, "shank", "talus");
    ankle.parent_center = make_point(0, -kShank, 0);
    ankle.parent_axis =
        make_axis(model, ankle.name, {1, 0, 2}, -m * 8 * kDegree, m * 10 * kDegree, foot_axes);
    ankle.child_axis = make_fixed_axis({1, 0, 2}, -m * 8 * kDegree, m * 10 * kDegree);
    model.joints.push_back(ankle);

    Joint subtalar = join("subtalar", JointType::kRevolute, "talus", "foot");
    subtalar.parent_center = make_point(-0.01, -0.03, 0);
    subtalar.parent_axis =
        make_axis(model, subtalar.name, {1, 0, 2}, m * 105 * kDegree, -m * 38 * kDegree, foot_axes);
    subtalar.child_axis = make_fixed_axis({1, 0, 2}, m * 105 * kDegree, -m * 38 * kDegree);
    model.joints.push_back(subtalar);
  }
  add_marker(model, "RPSIS", "pelvis", {-0.10, 0.09, 0.045}, "xz");
  add_marker(model, "LPSIS", "pelvis", {-0.10, 0.09, -0.045}, "xz");
  add_marker(model, "LASIS", "pelvis", {0.06, 0.08, -0.12}, "");
  add_marker(model, "RASIS", "pelvis", {0.06, 0.08, 0.12}, "");
  for (const std::string side : {"L", "R"}) {
    const double m = side == "L" ? -1 : 1;
    const std::string s = side == "L" ? "_l" : "_r";
    add_marker(model, side + "LATKNEE", "thigh" + s, {0.01, -0.415, m * 0.055}, "");
    add_marker(model, side + "LATANKLE", "shank" + s, {-0.01, -0.42, m * 0.04}, "");
    add_marker(model, side + "MEDANKLE", "shank" + s, {0.01, -0.405, -m * 0.035}, "xyz");
    add_marker(model, side + "TOE", "foot" + s, {0.18, -0.035, m * 0.005}, "xyz");
    add_marker(model, side + "FIRSTMT", "foot" + s, {0.14, -0.03, -m * 0.035}, "");
    add_marker(model, side + "FIFTHMT", "foot" + s, {0.11, -0.035, m * 0.05}, "");
    add_marker(model, side + "HEEL", "foot" + s, {-0.055, -0.02, m * 0.005}, "xyz");
  }
  model.finish();
  return model;
}

Eigen::VectorXd make_subject(const Model& model, double size, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> unit(-1, 1);
  Eigen::VectorXd d = model.start_values();
  for (int k = 0; k < d.size(); ++k) {
    const Parameter& p = model.parameters[k];
    const bool length =
        p.name.find("length") != std::string::npos || p.name.find("width") != std::string::npos;
    // Marker coordinates on small segments cannot be 7 cm off without leaving the segment.
    const double span = p.unit == Unit::kRadian ? 10 * kDegree : length ? 0.1 * d[k] : 0.03;
    d[k] += size * span * unit(random);
  }
  return d;
}

SyntheticTrial make_synthetic_trial(const Model& model, const Eigen::VectorXd& d, MotionKind kind,
                                    int frames, double rate, const MarkerNoise& noise,
                                    std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  const auto coordinates = list_joint_coordinates(model);
  std::vector<int> leg_start(2, -1);
  for (size_t k = 0; k < coordinates.size(); ++k) {
    if (coordinates[k].name == "hip_l_flexion") leg_start[0] = static_cast<int>(k);
    if (coordinates[k].name == "hip_r_flexion") leg_start[1] = static_cast<int>(k);
  }
  const size_t segments = model.segments.size(), n = model.markers.size();
  SyntheticTrial out;
  Trial& trial = out.trial;
  trial.name = kind == MotionKind::kGait ? "gait" : "range of motion";
  trial.rate = rate;
  trial.marker_count = static_cast<int>(n);
  trial.positions.resize(frames * n);
  trial.weights.assign(frames * n, 1.0);
  out.poses.resize(frames * segments);
  const Geometry geometry = calc_geometry(model, d);

  std::vector<Vec3d> soft(n, Vec3d::Zero());
  const double keep =
      noise.soft_tissue_time > 0 ? std::exp(-1 / (rate * noise.soft_tissue_time)) : 0;
  const auto normal_vector = [&] {
    const double x = normal(random), y = normal(random), z = normal(random);
    return Vec3d(x, y, z);
  };
  for (Vec3d& s : soft) s = noise.soft_tissue_sd * normal_vector();
  std::vector<int> hidden(n, 0);
  constexpr int kGap = 20;
  for (int f = 0; f < frames; ++f) {
    const double t = f / rate;
    const auto q = kind == MotionKind::kGait
                       ? calc_gait(t, leg_start, coordinates.size())
                       : calc_range_of_motion(t, frames / rate, leg_start, coordinates.size());
    SegmentPose* poses = &out.poses[f * segments];
    place_segments(model, d, q, poses);
    for (size_t m = 0; m < n; ++m) {
      const SegmentPose& pose = poses[model.markers[m].segment];
      if (noise.soft_tissue_sd > 0) {
        soft[m] =
            keep * soft[m] + std::sqrt(1 - keep * keep) * noise.soft_tissue_sd * normal_vector();
      }
      const double factor = noise.factor.empty() ? 1 : noise.factor[m];
      Vec3d y = pose.p_WS + as_rotation(pose.q_WS) * (geometry.markers[m].value + factor * soft[m]);
      if (noise.white_sd > 0) y += factor * noise.white_sd * normal_vector();
      if (noise.occluded_fraction > 0) {
        if (hidden[m] > 0) {
          --hidden[m];
        } else if (uniform(random) < noise.occluded_fraction / kGap) {
          hidden[m] = kGap;
        }
        if (hidden[m] > 0) y.setConstant(std::numeric_limits<double>::quiet_NaN());
      }
      trial.positions[f * n + m] = y;
    }
  }
  if (noise.occluded_fraction > 0) set_weights(model, 0, trial);
  return out;
}

}  // namespace vesica::markers
