// A planar foot of two segments (Shourijeh & McPhee, section 2.1, figure 1).
//
// The plane is that of progression: x forward, y up, the ground y = 0; angles counter-clockwise,
// so that a toe that lifts turns positively. A is the ankle, H the heel, P the metatarsal joint and
// T the tip of the toes. The foot's orientation theta is the direction of AP; H lies at the angle
// beta below it, as seen from A (clockwise); the toes at the angle phi beyond it:
//   H = A + AH e(theta - beta)    P = A + AP e(theta)    T = P + PT e(theta + phi)
// The source does not print figure 1's angles: with AH, AP and beta of its Table 1 the heel then
// lies 196 mm behind the joint, as on a foot. Any other zero of phi moves A_0 of (16) alone.
//
// Elements of contact sit at H, P and T, each moved by dx and dy along and across (to the left of)
// AH, AP and PT (Table 2). AH and AP are one body, PT the other.
#pragma once

#include <array>
#include <cmath>

#include "vesica/math/scalar.h"

namespace vesica {

template <class T>
struct Point2 {
  T x{}, y{};
};

template <class T>
struct Foot2dGeometry {
  T AH{}, AP{}, PT{};  // [m]
  T beta{};            // from AH to AP [rad]
};

// The source's foot (Table 1).
inline Foot2dGeometry<double> make_shourijeh_geometry() {
  return {0.082, 0.154, 0.069, 108 * kPi / 180};
}

// What drives the foot, and its rates [m, rad, 1/s].
struct Foot2dPose {
  double x = 0, y = 0;    // of A
  double theta = 0;       // direction of AP
  double phi = 0;         // of PT from AP
  double vx = 0, vy = 0;  // of A
  double spin = 0;        // theta'
  double toe_spin = 0;    // phi'
};

template <class T>
struct Foot2dPoints {
  Point2<T> H, P, T_;  // T_: T is the scalar
};
template <class T>
Foot2dPoints<T> calc_foot2d_points(const Foot2dGeometry<T>& g, double x, double y, double theta,
                                   const T& phi) {
  using std::cos;
  using std::sin;
  const T heel = T(theta) - g.beta, toe = T(theta) + phi;
  Foot2dPoints<T> p;
  p.H = {T(x) + g.AH * cos(heel), T(y) + g.AH * sin(heel)};
  p.P = {T(x) + g.AP * std::cos(theta), T(y) + g.AP * std::sin(theta)};
  p.T_ = {p.P.x + g.PT * cos(toe), p.P.y + g.PT * sin(toe)};
  return p;
}

// The toe angle over a period (16): A_0, A_1 .. A_5 (sines), B_1 .. B_5 (cosines).
constexpr int kToeHarmonics = 5;
constexpr int kToeCoefficients = 2 * kToeHarmonics + 1;
struct ToeWaves {
  std::array<double, kToeCoefficients> value{}, rate{};  // of each coefficient's term, at one time
};
inline ToeWaves calc_toe_waves(double time, double period) {
  ToeWaves w;
  w.value[0] = 1;
  for (int k = 1; k <= kToeHarmonics; ++k) {
    const double f = 2 * kPi * k / period;
    w.value[k] = std::sin(f * time);
    w.rate[k] = f * std::cos(f * time);
    w.value[kToeHarmonics + k] = std::cos(f * time);
    w.rate[kToeHarmonics + k] = -f * std::sin(f * time);
  }
  return w;
}

// Where an element is fixed, at one instant: the point H, P or T, the unit vector along AH, AP or
// PT, and their velocity and spin.
struct Foot2dMount {
  double x = 0, y = 0, cos = 1, sin = 0;
  double vx = 0, vy = 0, spin = 0;
};
inline std::array<Foot2dMount, 3> calc_foot2d_mounts(const Foot2dGeometry<double>& g,
                                                     const Foot2dPose& q) {
  // From a point that moves, so far along a direction that turns.
  const auto along = [](const Foot2dMount& from, double length, double direction, double spin) {
    Foot2dMount m;
    m.cos = std::cos(direction);
    m.sin = std::sin(direction);
    m.x = from.x + length * m.cos;
    m.y = from.y + length * m.sin;
    m.vx = from.vx - spin * length * m.sin;
    m.vy = from.vy + spin * length * m.cos;
    m.spin = spin;
    return m;
  };
  Foot2dMount ankle;
  ankle.x = q.x;
  ankle.y = q.y;
  ankle.vx = q.vx;
  ankle.vy = q.vy;
  const Foot2dMount H = along(ankle, g.AH, q.theta - g.beta, q.spin);
  const Foot2dMount P = along(ankle, g.AP, q.theta, q.spin);
  const Foot2dMount T = along(P, g.PT, q.theta + q.phi, q.spin + q.toe_spin);
  return {H, P, T};
}

}  // namespace vesica
