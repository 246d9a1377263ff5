#include "vesica/identification/ring_down.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "vesica/math/linear_algebra.h"

namespace vesica {
namespace {

using Eigen::VectorXd;

struct Modes {
  double c, s;  // exp(-decay t) times cos(w t) and sin(w t)/w, w^2 = q of either sign
};

Modes calc_modes(double q, double decay, double t) {
  const double w = std::sqrt(std::abs(q));
  const double damp = std::exp(-decay * t);
  // sin(wt)/w = t (1 - (wt)^2/6 + ...): below 1e-4 the next term is 1e-18 of it.
  if (w * t < 1e-4) return {damp * (1 - 0.5 * q * t * t), damp * t * (1 - q * t * t / 6)};
  if (q > 0) return {damp * std::cos(w * t), damp * std::sin(w * t) / w};
  // cosh overflows where the product does not.
  const double slow = std::exp((w - decay) * t), fast = std::exp(-(w + decay) * t);
  return {0.5 * (slow + fast), 0.5 * (slow - fast) / w};
}

// Offset, c and s by linear least squares; returns the sum of squares.
double fit_linear(double q, double decay, const std::vector<double>& times, const VectorXd& x,
                  Eigen::Vector3d* best) {
  Eigen::Matrix3d N = Eigen::Matrix3d::Zero();
  Eigen::Vector3d b = Eigen::Vector3d::Zero();
  const double scale = std::sqrt(std::abs(q)) + decay;  // of the speed, so that N is well scaled
  for (int i = 0; i < x.size(); ++i) {
    const Modes m = calc_modes(q, decay, times[static_cast<size_t>(i)] - times[0]);
    const Eigen::Vector3d row(1, m.c, m.s * scale);
    N += row * row.transpose();
    b += row * x[i];
  }
  *best = solve_least_squares(N, b);
  const double cost = x.squaredNorm() - best->dot(b);
  (*best)[2] *= scale;
  return cost;
}

}  // namespace

VectorXd calc_ring_down(const RingDown& ring, const std::vector<double>& times) {
  VectorXd x(static_cast<Eigen::Index>(times.size()));
  const double q = ring.frequency2 - ring.decay * ring.decay;
  for (int i = 0; i < x.size(); ++i) {
    const Modes m = calc_modes(q, ring.decay, times[static_cast<size_t>(i)] - times[0]);
    x[i] = ring.offset + ring.position * m.c + (ring.speed + ring.decay * ring.position) * m.s;
  }
  return x;
}

RingDown find_ring_down_start(const std::vector<double>& times, const std::vector<double>& values) {
  const VectorXd x =
      Eigen::Map<const VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
  const double span = times.back() - times.front();
  const double step = span / static_cast<double>(times.size() - 1);
  // A quarter of the frequency resolution 1/span, up to the highest that the rate shows.
  const double w_step = 0.5 * M_PI / span, w_max = M_PI / step;
  double best_cost = std::numeric_limits<double>::infinity();
  RingDown best;
  auto try_at = [&](double w, double decay) {
    Eigen::Vector3d linear;
    const double cost = fit_linear(w * w, decay, times, x, &linear);
    if (!(cost < best_cost)) return;
    best_cost = cost;
    best = {w * w + decay * decay, decay, linear[0], linear[1], linear[2] - decay * linear[1]};
  };
  // The frequency with a middling decay, then the decay, then both around the best. At most a few
  // thousand frequencies, however long the recording.
  const double stride = std::max(w_step, w_max / 4000);
  for (double w = stride; w < w_max; w += stride) try_at(w, 3 / span);
  for (int round = 0; round < 2; ++round) {
    const double w = std::sqrt(std::max(0.0, best.frequency2 - best.decay * best.decay));
    for (double decay = 0.1 / span; decay < 0.5 / step; decay *= 1.5) {
      for (const double shift : {-0.5, 0.0, 0.5}) {
        if (w + shift * stride > 0) try_at(w + shift * stride, decay);
      }
    }
  }
  return best;
}

std::string find_ring_down_doubt(const RingDown& ring, const std::vector<double>& times) {
  const double span = times.back() - times.front();
  const double w = std::sqrt(ring.frequency2);
  const double ratio = ring.decay / w;
  const double step = span / static_cast<double>(times.size() - 1);
  if (ratio >= 1) {
    return fmt::format(
        "the ring-down does not swing (damping ratio {:.2g}): frequency and decay are hard to tell "
        "apart",
        ratio);
  }
  if (w * span < 2 * M_PI) {
    return "the ring-down is shorter than one swing; record longer";
  }
  if (2 * M_PI / (w * step) < 4) {
    return "there are fewer than four samples in a swing; record at a higher rate";
  }
  return "";
}

}  // namespace vesica
