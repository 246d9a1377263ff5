// The knee of scenes/knee.yaml once more, by plain formulas and its own integrator: shares no code
// and no numbers with the library.
#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <vector>

namespace vesica::knee_peer {

using Vec = Eigen::Vector3d;
using Mat = Eigen::Matrix3d;

struct Ligament {
  const char* name;
  Vec femur, tibia;                                      // mm
  double K1, K2;                                         // N/mm^2, N/mm
  double slack() const { return K2 / (4 * K1 * 0.03); }  // mm, Brown 3.2
};

inline std::vector<Ligament> table() {
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

struct State {
  Vec p, v, w;
  Mat R;
};

inline Mat turn(const Vec& angle) {
  const double a = angle.norm();
  return a > 0 ? Eigen::AngleAxisd(a, angle / a).toRotationMatrix() : Mat::Identity();
}

struct Load {
  Vec force, moment;  // on the shank, about its mass centre
  double medial = 0, lateral = 0;
  std::vector<double> ligaments;
};

// Forces on the shank, SI, in the femur's frame.
inline Load calc_load(const State& s, double t) {
  constexpr double kMass = 4, kStiffness = 2e9, kRadius = 0.02, kPlane = 0.2139;
  Load load;
  load.force = Vec(0, -9.80665 * kMass, 0);
  load.moment.setZero();
  for (const Ligament& l : table()) {
    const Vec arm = s.R * l.tibia * 1e-3, d = l.femur * 1e-3 - s.p - arm;
    const double length = d.norm(), L0 = l.slack() * 1e-3, x = length - L0, toe = 0.06 * L0;
    const double rate = -d.dot(s.v + s.w.cross(arm)) / length;
    double tension = 0;
    if (x > 0) {
      const double part = std::min(1.0, x / toe);
      const double elastic = x < toe ? l.K1 * 1e6 * x * x : l.K2 * 1e3 * (length - 1.03 * L0);
      tension = std::max(0.0, elastic + 500 * part * part * (3 - 2 * part) * rate);
    }
    load.ligaments.push_back(tension);
    load.force += tension / length * d;
    load.moment += arm.cross(tension / length * d);
  }
  const Vec centers[] = {{-0.023, -0.012, 0.02}, {0.023, -0.013, 0.02}};
  const Vec n = s.R.col(2);
  for (int k = 0; k < 2; ++k) {
    const double height = (centers[k] - s.p).dot(n) - kPlane, depth = kRadius - height;
    if (depth <= 0) continue;
    const double force = kStiffness * M_PI * depth * depth * (3 * kRadius - depth) / 3;
    (k == 0 ? load.medial : load.lateral) = force;
    load.force -= force * n;
    load.moment -= (centers[k] - height * n - s.p).cross(force * n);
  }
  if (t < 0.02) load.force += s.R * Vec(0, -400 * (0.5 - 0.5 * std::cos(M_PI * t / 0.01)), 0);
  return load;
}

// One step of the classical Runge-Kutta method.
inline State step(const State& s, double t, double h) {
  const Mat I = Vec(0.07, 0.07, 0.005).asDiagonal();
  struct Rate {
    Vec v, w, a, b;
  };
  const auto rate = [&](const State& x, double time) {
    const Load load = calc_load(x, time);
    const Mat J = x.R * I * x.R.transpose();
    return Rate{x.v, x.w, load.force / 4, J.inverse() * (load.moment - x.w.cross(J * x.w))};
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
