#include "vesica/motion/rigid_fit.h"

#include <fmt/format.h>

#include <cmath>

#include "vesica/error.h"
#include "vesica/math/linear_algebra.h"

namespace vesica {
namespace {

// Markers within this of a line give no rotation about it: 1 mm, the order of marker noise.
constexpr double kLeastWidth = 1e-3;  // m

double calc_width(const Mat3d& scatter, double weight) {
  // Second largest principal spread of the points seen.
  return std::sqrt(std::max(0.0, calc_eigen<3>(scatter / weight).values[1]));
}

void center(std::vector<Vec3d>* points) {
  Vec3d mean = Vec3d::Zero();
  for (const Vec3d& p : *points) mean += p;
  mean /= static_cast<double>(points->size());
  for (Vec3d& p : *points) p -= mean;
}

}  // namespace

RigidFit fit_rigid(std::span<const Vec3d> points_B, std::span<const Vec3d> measured_W,
                   std::span<const double> weights) {
  const size_t n = points_B.size();
  if (measured_W.size() != n || (!weights.empty() && weights.size() != n)) {
    throw InputError(fmt::format("rigid fit: {} points, {} measured, {} weights", n,
                                 measured_W.size(), weights.size()));
  }
  const auto weight_of = [&](size_t i) {
    if (!measured_W[i].allFinite()) return 0.0;
    return weights.empty() ? 1.0 : weights[i];
  };
  RigidFit fit;
  Vec3d mean_B = Vec3d::Zero(), mean_W = Vec3d::Zero();
  double total = 0.0;
  for (size_t i = 0; i < n; ++i) {
    const double w = weight_of(i);
    if (!(w > 0.0)) continue;
    mean_B += w * points_B[i];
    mean_W += w * measured_W[i];
    total += w;
    ++fit.points;
  }
  if (fit.points < 3) return fit;
  mean_B /= total;
  mean_W /= total;
  Mat3d H = Mat3d::Zero(), scatter = Mat3d::Zero();
  for (size_t i = 0; i < n; ++i) {
    const double w = weight_of(i);
    if (!(w > 0.0)) continue;
    const Vec3d b = points_B[i] - mean_B;
    H += w * b * (measured_W[i] - mean_W).transpose();
    scatter += w * b * b.transpose();
  }
  if (calc_width(scatter, total) < kLeastWidth) return fit;

  fit.X_WB.R_WB = calc_rotation(H);
  fit.X_WB.p_WB = mean_W - fit.X_WB.R_WB * mean_B;
  double sum = 0.0;
  for (size_t i = 0; i < n; ++i) {
    const double w = weight_of(i);
    if (w > 0.0) sum += w * (measured_W[i] - fit.X_WB * points_B[i]).squaredNorm();
  }
  fit.rms = std::sqrt(sum / total);
  fit.found = true;
  return fit;
}

Eigen::Matrix<double, 6, 6> calc_pose_covariance(std::span<const Vec3d> points_B, double sigma) {
  // Residual of point i for a small rotation theta and shift d of the origin, both in B:
  // theta x p + d, so its Jacobian is [-skew(p), I].
  Eigen::Matrix<double, 6, 6> normal = Eigen::Matrix<double, 6, 6>::Zero();
  for (const Vec3d& p : points_B) {
    Eigen::Matrix<double, 3, 6> J;
    J << -skew(p), Mat3d::Identity();
    normal += J.transpose() * J;
  }
  return sigma * sigma * invert_symmetric(normal);
}

std::optional<std::vector<Vec3d>> find_mean_shape(std::span<const std::vector<Vec3d>> frames_W) {
  if (frames_W.empty()) return {};
  const size_t n = frames_W.front().size();
  std::vector<Vec3d> shape = frames_W.front();
  center(&shape);
  // Each round averages all frames in the frame of the last shape. It converges by the ratio of
  // deformation to size squared, so a handful of rounds reach rounding.
  for (int round = 0; round < 10; ++round) {
    std::vector<Vec3d> points(n, Vec3d::Zero());
    for (const std::vector<Vec3d>& measured : frames_W) {
      const RigidFit fit = fit_rigid(shape, measured);
      if (!fit.found) return {};
      for (size_t i = 0; i < n; ++i) {
        points[i] += fit.X_WB.R_WB.transpose() * (measured[i] - fit.X_WB.p_WB);
      }
    }
    for (Vec3d& p : points) p /= static_cast<double>(frames_W.size());
    center(&points);
    double change = 0.0;
    for (size_t i = 0; i < n; ++i) change = std::max(change, (points[i] - shape[i]).norm());
    shape = points;
    if (change < 1e-9) break;
  }
  return shape;
}

}  // namespace vesica
