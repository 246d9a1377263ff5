#include "vesica/identification/foot_synthetic.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "vesica/error.h"
#include "vesica/math/linear_algebra.h"
#include "vesica/math/spline.h"
#include "vesica/motion/butterworth.h"
#include "vesica/motion/rigid_fit.h"

namespace vesica {
namespace {

// 0 below a, 1 above b, smooth between.
double ramp(double u, double a, double b) {
  const double x = std::clamp((u - a) / (b - a), 0.0, 1.0);
  return x * x * x * (10 + x * (6 * x - 15));
}

// Share of body weight: a steep rise, two humps, a fall; the faster, the deeper between the humps.
double calc_vertical(double u, double stride, double speed) {
  const double depth = 0.14 + 0.03 * stride + 0.25 * (speed - 1);
  const double humps = 1.0 + depth * std::cos(2 * M_PI * (u - 0.24) / 0.52);
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

// What a walk asks for at a phase, the height left open.
FootFrame make_frame(const FootModel& foot, const SyntheticFootWalk& walk, double u) {
  FootFrame frame;
  frame.time = u * walk.duration;
  const double s = walk.stride, h = 1e-4;
  // Turned out by a few degrees, and a little inward and outward while it rolls.
  const auto angles_at = [&](double at) {
    return Vec3d(walk.speed * calc_pitch(at, s), 0.03 * std::sin(2 * M_PI * at) + 0.02 * s,
                 -0.1 + 0.02 * std::sin(M_PI * at));
  };
  const Vec3d a = angles_at(u);
  const Vec3d rate = (angles_at(u + h) - angles_at(u - h)) / (2 * h * walk.duration);
  frame.foot.X_WB.R_WB = as_rotation_123(a);
  frame.foot.V_WB.w_WB = Vec3d::UnitX() * rate.x() +
                         as_rotation_123({a.x(), 0, 0}).col(1) * rate.y() +
                         as_rotation_123({a.x(), a.y(), 0}).col(2) * rate.z();
  // The foot turns about the heel first, about the ball later.
  const Vec3d pivot(0, 0.035 + 0.135 * ramp(u, 0.1, 0.6), 0);
  frame.foot.X_WB.p_WB = as_rotation_123({0, 0, a.z()}) * pivot - frame.foot.X_WB.R_WB * pivot;
  for (size_t j = 0; j < foot.joints.size(); ++j) {
    frame.angles.push_back(j == 0 ? walk.speed * calc_toe(u, s) : 0.0);
    frame.rates.push_back(j == 0 ? walk.speed * (calc_toe(u + h, s) - calc_toe(u - h, s)) /
                                       (2 * h * walk.duration)
                                 : 0.0);
  }
  return frame;
}

// Slopes of the spline through values at `times`, as a matrix.
Eigen::MatrixXd make_slopes(const std::vector<double>& times) {
  const auto n = static_cast<Eigen::Index>(times.size());
  Eigen::MatrixXd slopes(n, n);
  for (Eigen::Index j = 0; j < n; ++j) {
    std::vector<double> unit(times.size(), 0.0);
    unit[static_cast<size_t>(j)] = 1;
    const CubicSpline spline(times, unit);
    for (Eigen::Index i = 0; i < n; ++i) {
      slopes(i, j) = spline.derivative(times[static_cast<size_t>(i)]);
    }
  }
  return slopes;
}

// Heights at which the moving foot carries `forces`: F(z, dz/dt) = forces for all frames at once,
// by Newton's method from the heights at rest.
void find_heights(const FootModel& foot, const std::vector<double>& forces,
                  const std::vector<double>& times, std::vector<FootFrame>* frames) {
  constexpr double kLongestStep = 0.001;  // m
  const auto n = static_cast<Eigen::Index>(frames->size());
  const Eigen::MatrixXd slopes = make_slopes(times);
  Eigen::MatrixXd origins(n, 3);
  for (size_t k = 0; k < frames->size(); ++k) {
    FootFrame& frame = (*frames)[k];
    frame.foot.X_WB.p_WB.z() += find_lift(foot, frame, forces[k]);
    origins.row(static_cast<Eigen::Index>(k)) = frame.foot.X_WB.p_WB.transpose();
  }
  FootColumns columns(foot);
  const int z = columns.order.motion() + 2, rise = columns.order.motion() + 8;
  for (int round = 0; round < 40; ++round) {
    const Eigen::MatrixXd velocities = slopes * origins;
    Eigen::MatrixXd J = Eigen::MatrixXd::Zero(n, n), missing(n, 1);
    for (Eigen::Index k = 0; k < n; ++k) {
      FootFrame& frame = (*frames)[static_cast<size_t>(k)];
      frame.foot.X_WB.p_WB = origins.row(k).transpose();
      frame.foot.V_WB.v_WB = velocities.row(k).transpose();
      missing(k, 0) = forces[static_cast<size_t>(k)] - calc_foot_load(foot, frame, &columns)[0];
      J.row(k) = columns.all(0, rise) * slopes.row(k);
      J(k, k) += columns.all(0, z);
    }
    if (missing.cwiseAbs().maxCoeff() < 1e-6) return;
    const Eigen::VectorXd step = solve_least_squares(J, missing).col(0);
    origins.col(2) += step * std::min(1.0, kLongestStep / step.cwiseAbs().maxCoeff());
  }
}

void add_pressure(const FootModel& foot, const SyntheticFootWalk& walk, FootStance* stance) {
  if (!(walk.pressure_rate > 0)) return;
  stance->grid.corner = {-0.068, -0.030};  // under the foot of make_frame
  const auto step =
      static_cast<size_t>(std::max<long>(1, std::lround(walk.rate / walk.pressure_rate)));
  for (size_t k = 0; k < stance->frames.size(); k += step) {
    FootPressureFrame picture{k, {}};
    calc_foot_pressure(foot, stance->frames[k], stance->grid, &picture.pressure);
    stance->pressure.push_back(std::move(picture));
  }
}

// Errors of a pose that is fitted to markers which err independently, filtered as labs do.
struct MarkerErrors {
  std::vector<Vec3d> shift, turn;  // of each frame

  MarkerErrors(size_t frames, double rate, double sd, std::mt19937_64& random)
      : shift(frames, Vec3d::Zero()), turn(frames, Vec3d::Zero()) {
    if (!(sd > 0)) return;
    std::normal_distribution<double> normal(0, sd);
    const std::vector<Vec3d> markers{
        {0, 0, 0.03}, {-0.045, 0.17, 0.03}, {0.045, 0.15, 0.02}, {0.03, 0.05, 0.07}};
    std::array<std::vector<double>, 6> channels;
    for (size_t f = 0; f < frames; ++f) {
      std::vector<Vec3d> seen = markers;
      for (Vec3d& p : seen) {
        for (int c = 0; c < 3; ++c) p[c] += normal(random);
      }
      const Pose<double> X = fit_rigid(markers, seen).X_WB;
      const Mat3d& R = X.R_WB;  // a small turn: its rotation vector is the skew part
      for (size_t c = 0; c < 3; ++c) channels[c].push_back(X.p_WB[static_cast<int>(c)]);
      channels[3].push_back(0.5 * (R(2, 1) - R(1, 2)));
      channels[4].push_back(0.5 * (R(0, 2) - R(2, 0)));
      channels[5].push_back(0.5 * (R(1, 0) - R(0, 1)));
    }
    const ZeroPhaseFilter filter = make_low_pass(15, rate);
    for (auto& channel : channels) filter_signal(filter, channel);
    for (size_t f = 0; f < frames; ++f) {
      shift[f] = {channels[0][f], channels[1][f], channels[2][f]};
      turn[f] = {channels[3][f], channels[4][f], channels[5][f]};
    }
  }
  static Vec3d slope(const std::vector<Vec3d>& v, size_t f, double rate) {
    const size_t before = f > 0 ? f - 1 : f, after = std::min(f + 1, v.size() - 1);
    return (v[after] - v[before]) * (rate / static_cast<double>(after - before));
  }
};

}  // namespace

FootStance make_synthetic_stance(const FootModel& foot, const SyntheticFootWalk& walk) {
  check(foot);
  const auto count = static_cast<size_t>(std::lround(walk.duration * walk.rate)) + 1;
  if (!(walk.weight > 0) || !(walk.rate > 0) || count < 20) {
    throw InputError(
        "synthetic walk: weight and rate must be positive, and a stance 20 frames long");
  }
  FootStance stance;
  stance.name = "synthetic";
  stance.weight = walk.weight;
  std::vector<double> times, forces;
  for (size_t k = 0; k < count; ++k) {
    const double u = double(k) / double(count - 1);
    stance.frames.push_back(make_frame(foot, walk, u));
    times.push_back(stance.frames.back().time);
    forces.push_back(walk.weight * calc_vertical(u, walk.stride, walk.speed));
  }
  find_heights(foot, forces, times, &stance.frames);
  for (const FootLoad& load : calc_loads(foot, stance.frames)) {
    stance.force.push_back(load[0]);
    stance.cop.push_back(load[0] > 0 ? Eigen::Vector2d(load.tail<2>() / load[0])
                                     : Eigen::Vector2d::Constant(std::nan("")));
  }
  add_pressure(foot, walk, &stance);
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
  const double rate = static_cast<double>(stance->frames.size() - 1) / duration;
  const MarkerErrors markers(stance->frames.size(), rate, noise.marker, random);
  // Samples of the plate in a frame.
  const double mean = 1 / std::sqrt(std::max(1.0, std::round(1024 / rate)));
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
    // The markers' error is one of the foot's own frame.
    const Mat3d R = m.X_WB.R_WB;
    shift += R * markers.shift[k];
    shift_rate += R * MarkerErrors::slope(markers.shift, k, rate);
    turn += R * markers.turn[k];
    turn_rate += R * MarkerErrors::slope(markers.turn, k, rate);
    m.X_WB = {as_rotation(quaternion_from_rotation_vector(turn)) * m.X_WB.R_WB,
              m.X_WB.p_WB + shift};
    m.V_WB = {m.V_WB.w_WB + turn_rate, m.V_WB.v_WB + shift_rate};
    const double moments = noise.cop * stance->weight / std::max(stance->force[k], 1.0);
    stance->force[k] = std::max(0.0, stance->force[k] + mean * noise.force * normal(random));
    for (int c = 0; c < 2; ++c) stance->cop[k][c] += mean * moments * normal(random);
  }
  if (!(noise.pressure > 0)) return;
  std::vector<double> gains;
  for (int c = 0; c < stance->grid.cells(); ++c) {
    gains.push_back(std::max(0.0, 1 + noise.pressure * normal(random)));
  }
  for (FootPressureFrame& picture : stance->pressure) {
    for (size_t c = 0; c < gains.size(); ++c) picture.pressure[c] *= gains[c];
  }
}

}  // namespace vesica
