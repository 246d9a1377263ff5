// A knee as another program would have it: reads the YAML of a scene by itself, finds the pose of
// rest and integrates, by plain formulas. Shares no code with the library; the table of
// Abdel-Rahman and Hefzy stands here once more, by hand.
#pragma once

#include <yaml-cpp/yaml.h>

#include <Eigen/Dense>
#include <cmath>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace vesica::knee_peer {

using Vec = Eigen::Vector3d;
using Mat = Eigen::Matrix3d;

inline Mat turn(const Vec& angle) {
  const double a = angle.norm();
  return a > 0 ? Eigen::AngleAxisd(a, angle / a).toRotationMatrix() : Mat::Identity();
}

// One of the twelve elements, by hand.
struct Element {
  const char* name;
  Vec femur, tibia;                                      // mm
  double K1, K2;                                         // N/mm^2, N/mm
  double slack() const { return K2 / (4 * K1 * 0.03); }  // mm, Brown 3.2
};

inline std::vector<Element> table() {
  return {{"ACL_anterior", {7.25, -15.6, 21.25}, {-7, 5, 211.25}, 22.48, 83.15},
          {"ACL_posterior", {7.25, -20.3, 19.55}, {2, 2, 212.25}, 26.27, 83.15},
          {"PCL_anterior", {-4.75, -11.2, 14.05}, {5, -30, 206.25}, 31.26, 125},
          {"PCL_posterior", {-4.75, -23.2, 15.65}, {-5, -30, 206.25}, 19.29, 60},
          {"MCL_anterior", {-34.75, -1, 26.25}, {-20, 4, 171.25}, 10, 91.25},
          {"MCL_oblique", {-34.75, -8, 22.25}, {-35, -30, 199.25}, 5, 27.86},
          {"MCL_deep", {-34.75, -5, 21.25}, {-35, 0, 199.25}, 5, 21.07},
          {"LCL", {35.25, -15, 21.25}, {45, -25, 176.25}, 10, 72.22},
          {"capsule_medial", {-24.75, -38, 6.25}, {-25, -25, 181.25}, 12, 52.59},
          {"capsule_lateral", {25.25, -35.5, 8.25}, {25, -25, 181.25}, 12, 54.62},
          {"oblique_popliteal", {25.25, -35.5, 8.25}, {-25, -25, 181.25}, 3, 21.42},
          {"arcuate_popliteal", {-24.75, -38, 6.25}, {25, -25, 181.25}, 3, 20.82}};
}

// "0.5 N s/mm", "4 kg", "-9.8" in SI.
inline double number(const YAML::Node& node) {
  static const std::map<std::string, double> kUnits = {
      {"", 1},         {"m", 1},     {"mm", 1e-3}, {"s", 1},      {"ms", 1e-3},
      {"kg", 1},       {"N", 1},     {"N/m", 1},   {"N/mm", 1e3}, {"N s/m", 1},
      {"N s/mm", 1e3}, {"N/m^3", 1}, {"m/s^2", 1}, {"rad", 1}};
  const auto text = node.as<std::string>();
  size_t used = 0;
  const double value = std::stod(text, &used);
  while (used < text.size() && text[used] == ' ') ++used;
  return value * kUnits.at(text.substr(used));
}
inline Vec vector(const YAML::Node& node) {
  return {number(node[0]), number(node[1]), number(node[2])};
}

struct Ligament {
  std::string name;
  Vec femur, tibia;
  double stiffness, slack, toe, damping;
};
struct Compartment {
  std::string name;
  Vec center, plane, normal;  // of the sphere in the femur; of the plane in the tibia
  double radius, stiffness;
};
struct Knee {
  Vec gravity, inertia, start, push;
  double mass = 0, push_until = 0, push_ramp = 0;
  std::vector<Ligament> ligaments;
  std::vector<Compartment> compartments;
};

// What scenes like scenes/knee.yaml have: bodies femur and tibia, spheres on planes, ligaments of
// two points, one push along axes of the tibia. Numbers that are not there are the format's
// defaults.
inline Knee read_knee(const YAML::Node& file) {
  Knee knee;
  const YAML::Node bodies = file["bodies"], tibia = bodies["tibia"];
  knee.gravity = vector(file["gravity"]);
  knee.mass = number(tibia["mass"]);
  knee.inertia = vector(tibia["inertia"]);
  knee.start = vector(tibia["pose"]["position"]);
  const auto shape = [&](const char* body, const std::string& name) {
    for (const auto& s : bodies[body]["shapes"]) {
      if (s["name"] && s["name"].as<std::string>() == name) return YAML::Node(s);
    }
    throw std::runtime_error(name);
  };
  for (const auto& c : file["contacts"]) {
    const auto on_femur = c["shapes"][0].as<std::string>(),
               on_tibia = c["shapes"][1].as<std::string>();
    const YAML::Node sphere = shape("femur", on_femur), plane = shape("tibia", on_tibia);
    const YAML::Node pose = plane["pose"];
    Vec normal = Vec::UnitZ();
    if (pose["angle"])
      normal = turn(number(pose["angle"]) * vector(pose["axis"]).normalized()) * normal;
    knee.compartments.push_back({c["name"].as<std::string>(), vector(sphere["pose"]["position"]),
                                 vector(pose["position"]), normal, number(sphere["radius"]),
                                 number(c["normal"]["stiffness"])});
  }
  for (const auto& f : file["forces"]) {
    if (f["type"].as<std::string>() == "force") {
      knee.push = vector(f["force"]);
      knee.push_until = number(f["until"]);
      knee.push_ramp = number(f["ramp"]);
      continue;
    }
    const YAML::Node points = f["points"];
    knee.ligaments.push_back({f["name"].as<std::string>(), vector(points[0]["position"]),
                              vector(points[1]["position"]), number(f["stiffness"]),
                              number(f["slack_length"]),
                              f["toe_strain"] ? number(f["toe_strain"]) : 0.03,
                              f["damping"] ? number(f["damping"]) : 0});
  }
  return knee;
}

struct State {
  Vec p, v, w;
  Mat R;
};

struct Load {
  Vec force, moment;  // on the shank, about its mass centre
  std::map<std::string, double> contacts, ligaments;
};

// Forces on the shank, SI, in the femur's frame.
inline Load calc_load(const Knee& knee, const State& s, double t) {
  Load load;
  load.force = knee.mass * knee.gravity;
  load.moment.setZero();
  for (const Ligament& l : knee.ligaments) {
    const Vec arm = s.R * l.tibia, d = l.femur - s.p - arm;
    const double length = d.norm(), x = length - l.slack, end = 2 * l.toe * l.slack;
    const double rate = -d.dot(s.v + s.w.cross(arm)) / length;
    double tension = 0;
    if (x > 0) {
      const double part = std::min(1.0, x / end), K1 = l.stiffness / (4 * l.toe * l.slack);
      const double elastic = x < end ? K1 * x * x : l.stiffness * (x - l.toe * l.slack);
      tension = std::max(0.0, elastic + l.damping * part * part * (3 - 2 * part) * rate);
    }
    load.ligaments[l.name] = tension;
    load.force += tension / length * d;
    load.moment += arm.cross(tension / length * d);
  }
  for (const Compartment& c : knee.compartments) {
    const Vec n = s.R * c.normal;
    const double height = (c.center - s.p - s.R * c.plane).dot(n), depth = c.radius - height;
    load.contacts[c.name] = 0;
    if (depth <= 0) continue;
    const double force = c.stiffness * M_PI * depth * depth * (3 * c.radius - depth) / 3;
    load.contacts[c.name] = force;
    load.force -= force * n;
    load.moment -= (c.center - height * n - s.p).cross(force * n);
  }
  const double left = knee.push_until - t, ramp = std::min({t, left, knee.push_ramp});
  if (left > 0) {
    load.force += s.R * knee.push * (0.5 - 0.5 * std::cos(M_PI * ramp / knee.push_ramp));
  }
  return load;
}

// Grood and Suntay's angles of a tibia in the femur: flexion, adduction, internal rotation (right).
inline Vec calc_angles(const State& s) {
  const Vec e3 = s.R.col(2), e2 = e3.cross(Vec::UnitX()).normalized();
  return {std::atan2(-e2.z(), e2.y()), std::asin(e3.x()), std::asin(s.R.col(0).dot(e2))};
}

// Straight, and nothing but the moment that keeps it so: Newton's method by differences.
inline State find_rest(const Knee& knee) {
  State s{knee.start, Vec::Zero(), Vec::Zero(), Mat::Identity()};
  using Vec6 = Eigen::Matrix<double, 6, 1>;
  const auto moved = [](State at, const Vec6& step) {
    at.p += step.head<3>();
    at.R = turn(step.tail<3>()) * at.R;
    return at;
  };
  // After the push.
  const auto left = [&](const State& at) {
    const Load load = calc_load(knee, at, knee.push_until + 1);
    const Vec e3 = at.R.col(2), e2 = e3.cross(Vec::UnitX()).normalized();
    Vec6 r;
    r << load.force, load.moment.dot(e2), load.moment.dot(e3), 1e3 * calc_angles(at)[0];
    return r;
  };
  for (int k = 0; k < 200; ++k) {
    const Vec6 r = left(s);
    Eigen::Matrix<double, 6, 6> J;
    for (int c = 0; c < 6; ++c) {
      const Vec6 h = 1e-7 * Vec6::Unit(c);
      J.col(c) = (left(moved(s, h)) - left(moved(s, -h))) / 2e-7;
    }
    const Vec6 step = -J.fullPivLu().solve(r);
    double part = 1;
    while (part > 1e-6 && left(moved(s, part * step)).norm() > (1 - 0.1 * part) * r.norm())
      part /= 2;
    if (part <= 1e-6) break;
    s = moved(s, part * step);
  }
  return s;
}

// One step of the classical Runge-Kutta method.
inline State step(const Knee& knee, const State& s, double t, double h) {
  const Mat I = knee.inertia.asDiagonal();
  struct Rate {
    Vec v, w, a, b;
  };
  const auto rate = [&](const State& x, double time) {
    const Load load = calc_load(knee, x, time);
    const Mat J = x.R * I * x.R.transpose();
    return Rate{x.v, x.w, load.force / knee.mass, J.inverse() * (load.moment - x.w.cross(J * x.w))};
  };
  const auto moved = [&](const Rate& k, double by) {
    return State{s.p + by * k.v, s.v + by * k.a, s.w + by * k.b, turn(by * k.w) * s.R};
  };
  const Rate k1 = rate(s, t), k2 = rate(moved(k1, h / 2), t + h / 2);
  const Rate k3 = rate(moved(k2, h / 2), t + h / 2), k4 = rate(moved(k3, h), t + h);
  const auto mean = [&](auto of) -> Vec {
    return (of(k1) + 2 * of(k2) + 2 * of(k3) + of(k4)) * (h / 6);
  };
  State next = s;
  next.p += mean([](const Rate& k) -> Vec { return k.v; });
  next.v += mean([](const Rate& k) -> Vec { return k.a; });
  next.w += mean([](const Rate& k) -> Vec { return k.b; });
  next.R = turn(mean([](const Rate& k) -> Vec { return k.w; })) * s.R;
  return next;
}

}  // namespace vesica::knee_peer
