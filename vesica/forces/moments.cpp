#include "vesica/forces/moments.h"

#include <algorithm>
#include <cmath>

namespace vesica::forces {
namespace {

// Of thigh, shank and foot, about the transversal axis, over the length; means of both sexes.
constexpr std::array<double, 3> kGyration = {0.349, 0.267, 0.251};
constexpr double kMotionCutoff = 6.0;  // Hz

// z of a x b.
double cross_z(double ax, double ay, double bx, double by) { return ax * by - ay * bx; }

// Angular acceleration in the plane of the walk of the line from a to b, and its mean length.
std::vector<double> calc_spin_rate(const Track& a, const Track& b, double rate, double* length) {
  Track angle(a.size(), Vec3d::Zero());
  *length = 0;
  double before = 0;
  for (size_t k = 0; k < a.size(); ++k) {
    const Vec3d d = b[k] - a[k];
    double theta = std::atan2(d.y(), d.x());
    if (k > 0) theta = before + std::remainder(theta - before, 2 * M_PI);
    before = theta;
    angle[k].x() = theta;
    *length += d.norm() / static_cast<double>(a.size());
  }
  const Track second = calc_acceleration(angle, kMotionCutoff, rate);
  std::vector<double> result(a.size());
  for (size_t k = 0; k < a.size(); ++k) result[k] = second[k].x();
  return result;
}

}  // namespace

const char* name_of_joint(int joint) {
  static const char* const names[] = {"ankle_dorsiflexion", "knee_flexion", "hip_flexion"};
  return names[joint];
}

LegMoments calc_leg_moments(const Walk& walk, int side, double mass, const Track& force,
                            const std::vector<Vec2d>& pressure, double floor_height) {
  const Leg& leg = walk.legs[side];
  const size_t n = walk.frames();
  const std::array<const Track*, 3> centers = {&leg.ankle, &leg.knee, &leg.hip};
  const std::array<double, 3> signs = {1.0, -1.0, 1.0};
  LegMoments moments;
  for (std::vector<double>& m : moments) m.assign(n, 0.0);
  std::array<Track, 3> s, a;
  std::array<std::vector<double>, 3> spin;
  std::array<double, 3> length{};
  const std::array<std::pair<const Track*, const Track*>, 3> ends = {
      {{&leg.hip, &leg.knee}, {&leg.knee, &leg.ankle}, {&leg.origin, &leg.toe_tip}}};
  for (size_t i = 0; i < 3; ++i) {
    s[i] = calc_filtered(leg.mass_center[i], kMotionCutoff, walk.rate);
    a[i] = calc_acceleration(leg.mass_center[i], kMotionCutoff, walk.rate);
    spin[i] = calc_spin_rate(*ends[i].first, *ends[i].second, walk.rate, &length[i]);
  }
  // Force and its moment about the origin, below the same cutoff as the motion: else the heel's
  // strike meets segments that do not feel it, and knee and hip show a moment that is not there.
  Track wrench(n);
  for (size_t k = 0; k < n; ++k) {
    wrench[k] = Vec3d(force[k].x(), force[k].y(),
                      cross_z(pressure[k][0], floor_height, force[k].x(), force[k].y()));
  }
  wrench = calc_filtered(wrench, kMotionCutoff, walk.rate);
  for (int joint = 0; joint < kJoints; ++joint) {
    const Track c = calc_filtered(*centers[static_cast<size_t>(joint)], kMotionCutoff, walk.rate);
    for (size_t k = 0; k < n; ++k) {
      double M = 0;
      // Foot below the ankle, shank too below the knee, thigh too below the hip.
      for (size_t i = static_cast<size_t>(2 - joint); i < 3; ++i) {
        const double m = mass * kSegments[i].fraction;
        M += cross_z(s[i][k].x() - c[k].x(), s[i][k].y() - c[k].y(), m * a[i][k].x(),
                     m * (a[i][k].y() + kGravity));
        M += m * std::pow(kGyration[i] * length[i], 2) * spin[i][k];
      }
      M -= wrench[k].z() - cross_z(c[k].x(), c[k].y(), wrench[k].x(), wrench[k].y());
      moments[static_cast<size_t>(joint)][k] = signs[static_cast<size_t>(joint)] * M;
    }
  }
  return moments;
}

std::array<double, kJoints> calc_moment_errors(const Walk& walk, const MeasuredStance& measured,
                                               double mass, const FootForces& foot,
                                               double floor_height) {
  const int side = walk.contacts[measured.contact].side;
  const LegMoments truth =
      calc_leg_moments(walk, side, mass, measured.force, measured.pressure, floor_height);
  const LegMoments ours =
      calc_leg_moments(walk, side, mass, foot.force, foot.pressure, floor_height);
  std::array<double, kJoints> errors{};
  for (size_t j = 0; j < kJoints; ++j) {
    double sum = 0, n = 0, peak = 0;
    for (size_t k = 0; k < walk.frames(); ++k) {
      if (walk.times[k] < measured.begin || walk.times[k] > measured.end) continue;
      sum += std::pow(ours[j][k] - truth[j][k], 2);
      n += 1;
      peak = std::max(peak, std::abs(truth[j][k]));
    }
    errors[j] = n > 0 && peak > 0 ? 100 * std::sqrt(sum / n) / peak : kMissing;
  }
  return errors;
}

}  // namespace vesica::forces
