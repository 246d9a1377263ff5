// Small models for the tests of markers/.
#pragma once

#include <fmt/format.h>

#include <random>

#include "tests/support/support.h"
#include "vesica/markers/joint_coordinates.h"
#include "vesica/markers/trial.h"

namespace vesica::markers::test {

inline Point make_point(double x, double y, double z) {
  Point p;
  p.coordinate = {Affine{x}, Affine{y}, Affine{z}};
  return p;
}
inline Affine by_parameter(int p, double factor = 1) { return Affine{0, p, factor}; }

// Segments a (free) - spherical - b - revolute - c. d: a's scale, b's length, two axis angles, a
// coordinate on a that is scaled too, one on c.
inline Model make_chain() {
  Model model;
  model.name = "chain";
  const int scale = model.add_parameter({"scale", Unit::kRatio, 1.1});
  const int length = model.add_parameter({"length", Unit::kMeter, 0.3});
  const int alpha = model.add_parameter({"alpha", Unit::kRadian, 0.2});
  const int beta = model.add_parameter({"beta", Unit::kRadian, -0.1});
  const int x = model.add_parameter({"m2.x", Unit::kMeter, -0.08});
  const int y = model.add_parameter({"m6.y", Unit::kMeter, -0.12});
  Segment a{"a"};
  for (Affine& s : a.scale) s = by_parameter(scale);
  model.segments = {a, Segment{"b"}, Segment{"c"}};
  Joint hip{"hip", JointType::kSpherical, 0, 1, make_point(0, -0.05, 0.02), {}, {}, {}};
  Joint knee{"knee", JointType::kRevolute, 1, 2, make_point(0, 0, 0.01), {}, {}, {}};
  knee.parent_center.coordinate[1] = by_parameter(length, -1);
  knee.parent_axis.angle = {by_parameter(alpha), by_parameter(beta)};
  model.joints = {hip, knee};
  const auto add = [&](const char* name, int s, const Point& p) {
    model.markers.push_back({name, s, p, 1, ""});
  };
  add("m0", 0, make_point(0.1, 0, 0));
  add("m1", 0, make_point(0, 0.1, 0));
  Point m2 = make_point(0, 0.02, -0.1);
  m2.coordinate[0] = by_parameter(x);
  m2.scaled = {true, false, true};
  add("m2", 0, m2);
  add("m3", 1, make_point(0.03, -0.2, 0.05));
  add("m4", 1, make_point(-0.05, -0.1, 0));
  add("m5", 2, make_point(0.05, -0.2, 0.02));
  Point m6 = make_point(-0.04, 0, 0.03);
  m6.coordinate[1] = by_parameter(y);
  add("m6", 2, m6);
  model.finish();
  return model;
}

// Every joint type, per-axis scales, an axis found on both sides, a segment hinged to the ground.
inline Model make_all_joints() {
  Model model;
  model.name = "all joints";
  const auto parameter = [&](const char* name, Unit unit, double start) {
    return model.add_parameter({name, unit, start});
  };
  Segment root{"root"};
  root.scale = {by_parameter(parameter("sx", Unit::kRatio, 1.05)),
                by_parameter(parameter("sy", Unit::kRatio, 0.95)), Affine{1}};
  model.segments = {
      root, Segment{"ball"}, Segment{"hinge"}, Segment{"cross"}, Segment{"fixed"}, Segment{"gate"}};
  const auto found = [&](const std::string& name, const Vec3d& start) {
    Point p;
    for (int k = 0; k < 3; ++k) {
      p.coordinate[k] =
          by_parameter(model.add_parameter({name + "." + "xyz"[k], Unit::kMeter, start[k]}));
    }
    return p;
  };
  Joint ball{"ball", JointType::kSpherical, 0, 1, make_point(0.1, 0.05, 0), {}, {}, {}};
  ball.child_center = found("ball_center", Vec3d(0.01, 0.2, 0));
  Joint hinge{"hinge", JointType::kRevolute, 1, 2, make_point(0, -0.2, 0), {}, {}, {}};
  hinge.child_center = make_point(0.02, 0.1, 0);
  hinge.parent_axis.sequence = {1, 0, 2};
  hinge.parent_axis.angle = {by_parameter(parameter("hinge.a", Unit::kRadian, 0.3)),
                             by_parameter(parameter("hinge.b", Unit::kRadian, -0.2))};
  hinge.child_axis.angle = {by_parameter(parameter("hinge.c", Unit::kRadian, 0.1)),
                            by_parameter(parameter("hinge.d", Unit::kRadian, 0.15))};
  Joint cross{"cross", JointType::kUniversal, 0, 3, make_point(-0.1, 0.05, 0), {}, {}, {}};
  cross.child_center = make_point(0, 0.15, 0.02);
  cross.parent_axis.angle = {by_parameter(parameter("cross.a", Unit::kRadian, 0.1)), Affine{0.2}};
  cross.child_axis.angle = {Affine{-0.1}, by_parameter(parameter("cross.b", Unit::kRadian, 0.05))};
  Joint weld{"weld", JointType::kWeld, 3, 4, make_point(0, -0.15, 0), {}, {}, {}};
  weld.parent_axis.base = Eigen::AngleAxisd(0.4, Vec3d(1, 2, 2) / 3).toRotationMatrix();
  Joint gate{"gate", JointType::kRevolute, kGround, 5, make_point(0.5, 0, 0.5), {}, {}, {}};
  gate.parent_center = found("gate_center", Vec3d(0.5, 0, 0.5));
  model.joints = {ball, hinge, cross, weld, gate};
  int name = 0;
  for (int s = 0; s < 6; ++s) {
    for (const Vec3d& u : {Vec3d(0.1, 0, 0.02), Vec3d(-0.02, 0.1, -0.05), Vec3d(0.03, -0.1, 0.1)}) {
      model.markers.push_back(
          {fmt::format("m{}", name++), s, make_point(u.x(), u.y(), u.z()), 1, ""});
    }
  }
  model.finish();
  return model;
}

struct RandomTrial {
  Trial trial;
  std::vector<SegmentPose> poses;
};
// Poses with random joint coordinates (angles within 0.8 rad) and their markers with noise.
inline RandomTrial make_random_trial(const Model& model, const Eigen::VectorXd& d, int frames,
                                     double noise, std::mt19937_64& random) {
  RandomTrial out;
  out.trial.name = "random";
  out.trial.marker_count = static_cast<int>(model.markers.size());
  const size_t count = list_joint_coordinates(model).size(), n = model.segments.size();
  out.poses.resize(frames * n);
  const Geometry geometry = calc_geometry(model, d);
  for (int f = 0; f < frames; ++f) {
    std::vector<double> q(count);
    for (double& x : q) x = vesica::test::random_between(random, -0.8, 0.8);
    place_segments(model, d, q, &out.poses[f * n]);
    for (size_t m = 0; m < model.markers.size(); ++m) {
      out.trial.positions.push_back(
          calc_marker(geometry, model, static_cast<int>(m), &out.poses[f * n]) +
          vesica::test::random_vector(random, noise));
      out.trial.weights.push_back(1 + 0.5 * vesica::test::random_between(random, -1, 1));
    }
  }
  return out;
}

}  // namespace vesica::markers::test
