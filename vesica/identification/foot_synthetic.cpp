#include "vesica/identification/foot_synthetic.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "vesica/error.h"
#include "vesica/math/spline.h"

namespace vesica {
namespace {

// 0 below a, 1 above b, smooth between.
double ramp(double u, double a, double b) {
  const double x = std::clamp((u - a) / (b - a), 0.0, 1.0);
  return x * x * x * (10 + x * (6 * x - 15));
}

// Share of body weight: a steep rise, two humps, a fall.
double calc_vertical(double u, double stride) {
  const double humps = 1.0 + (0.14 + 0.03 * stride) * std::cos(2 * M_PI * (u - 0.24) / 0.52);
  return humps * ramp(u, -0.02, 0.2) * (1 - ramp(u, 0.78, 1.01)) + 0.02;
}
double calc_pitch(double u, double stride) {  // toes up positive
  // Flat from a sixth of the stance on, with the load passing from heel to ball.
  return 0.08 - 0.11 * ramp(u, 0.1, 0.65) + (0.25 + 0.03 * stride) * (1 - ramp(u, 0.0, 0.16)) -
         (0.75 + 0.05 * stride) * ramp(u, 0.5, 1.05);
}
double calc_toe(double u, double stride) {
  return 0.08 * (1 - ramp(u, 0, 0.2)) + (0.55 + 0.05 * stride) * ramp(u, 0.52, 0.95);
}

struct Curve3 {
  CubicSpline x, y, z;
  Curve3(const std::vector<double>& t, const std::vector<Vec3d>& p)
      : x(t, pick(p, 0)), y(t, pick(p, 1)), z(t, pick(p, 2)) {}
  Vec3d slope(double t) const { return {x.derivative(t), y.derivative(t), z.derivative(t)}; }

  static std::vector<double> pick(const std::vector<Vec3d>& p, int k) {
    std::vector<double> out;
    for (const Vec3d& v : p) out.push_back(v[k]);
    return out;
  }
};

}  // namespace

FootStance make_synthetic_stance(const FootModel& foot, const SyntheticWalk& walk) {
  check(foot);
  const auto count = static_cast<size_t>(std::lround(walk.duration * walk.rate)) + 1;
  if (!(walk.weight > 0) || !(walk.rate > 0) || count < 20) {
    throw InputError(
        "synthetic walk: weight and rate must be positive, and a stance 20 frames long");
  }
  FootStance stance;
  stance.name = "synthetic";
  stance.weight = walk.weight;
  std::vector<double> times;
  std::vector<Vec3d> origins, turns;
  const double s = walk.stride;
  for (size_t k = 0; k < count; ++k) {
    const double u = double(k) / double(count - 1), t = u * walk.duration;
    FootFrame frame;
    frame.time = t;
    // Turned out by a few degrees, and a little inward and outward while it rolls.
    const Vec3d angles(walk.speed * calc_pitch(u, s), 0.03 * std::sin(2 * M_PI * u) + 0.02 * s,
                       -0.1 + 0.02 * std::sin(M_PI * u));
    frame.foot.X_WB.R_WB = as_rotation_123(angles);
    // The foot turns about the heel first, about the ball later.
    const Vec3d pivot(0, 0.035 + 0.135 * ramp(u, 0.1, 0.6), 0);
    const Vec3d flat = as_rotation_123({0, 0, angles.z()}) * pivot;
    frame.foot.X_WB.p_WB = flat - frame.foot.X_WB.R_WB * pivot;
    for (size_t j = 0; j < foot.joints.size(); ++j) {
      frame.angles.push_back(j == 0 ? walk.speed * calc_toe(u, s) : 0.0);
      frame.rates.push_back(0);
    }
    const double force = walk.weight * (1 + 0.15 * (walk.speed - 1)) * calc_vertical(u, s);
    frame.foot.X_WB.p_WB.z() += find_lift(foot, frame, force);
    times.push_back(t);
    origins.push_back(frame.foot.X_WB.p_WB);
    turns.push_back(angles);
    stance.frames.push_back(std::move(frame));
  }
  const Curve3 origin(times, origins), turn(times, turns);
  for (size_t k = 0; k < count; ++k) {
    FootFrame& frame = stance.frames[k];
    frame.foot.V_WB.v_WB = origin.slope(times[k]);
    const Vec3d a = turns[k], rate = turn.slope(times[k]);  // of the 1-2-3 angles
    frame.foot.V_WB.w_WB = Vec3d::UnitX() * rate.x() +
                           as_rotation_123({a.x(), 0, 0}).col(1) * rate.y() +
                           as_rotation_123({a.x(), a.y(), 0}).col(2) * rate.z();
    const double u = stance.phase(k), h = 1e-4;
    if (!frame.rates.empty()) {
      frame.rates[0] =
          walk.speed * (calc_toe(u + h, s) - calc_toe(u - h, s)) / (2 * h * walk.duration);
    }
    const FootLoad load = calc_foot_load(foot, frame);
    stance.force.push_back(load[0]);
    stance.cop.push_back(load[0] > 0 ? Eigen::Vector2d(load.tail<2>() / load[0])
                                     : Eigen::Vector2d::Constant(std::nan("")));
  }
  return stance;
}

void add_noise(const SyntheticNoise& noise, std::uint64_t seed, FootStance* stance) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::array<std::array<double, 6>, 6> waves{};  // [channel]: three sines, three cosines
  for (auto& channel : waves) {
    for (double& a : channel) a = normal(random) / std::sqrt(3.0);
  }
  const auto wave = [&](size_t channel, double u, bool slope) {
    double sum = 0;
    for (size_t k = 0; k < 3; ++k) {
      const double f = M_PI * static_cast<double>(k + 1);
      const double a = waves[channel][k], b = waves[channel][3 + k];
      sum += slope ? f * (a * std::cos(f * u) - b * std::sin(f * u))
                   : a * std::sin(f * u) + b * std::cos(f * u);
    }
    return sum;
  };
  const double duration = stance->frames.back().time - stance->frames.front().time;
  for (size_t k = 0; k < stance->frames.size(); ++k) {
    const double u = stance->phase(k);
    Motion<double>& m = stance->frames[k].foot;
    Vec3d shift, turn, shift_rate, turn_rate;
    for (size_t c = 0; c < 3; ++c) {
      const auto i = static_cast<Eigen::Index>(c);
      shift[i] = noise.shift * wave(c, u, false);
      shift_rate[i] = noise.shift * wave(c, u, true) / duration;
      turn[i] = noise.turn * wave(3 + c, u, false);
      turn_rate[i] = noise.turn * wave(3 + c, u, true) / duration;
    }
    m.X_WB = {as_rotation(quaternion_from_rotation_vector(turn)) * m.X_WB.R_WB,
              m.X_WB.p_WB + shift};
    m.V_WB = {m.V_WB.w_WB + turn_rate, m.V_WB.v_WB + shift_rate};
    stance->force[k] = std::max(0.0, stance->force[k] + noise.force * normal(random));
    for (int c = 0; c < 2; ++c) stance->cop[k][c] += noise.cop * normal(random);
  }
}

}  // namespace vesica
