#include "vesica/motion/segment_pose.h"

#include <fmt/format.h>

#include <cmath>

#include "vesica/error.h"
#include "vesica/math/linear_algebra.h"

namespace vesica {
namespace {

// Markers within this of a line give no rotation about it: 1 mm, the order of marker noise.
constexpr double kLeastWidth = 1e-3;  // m

double calc_width(const Mat3d& scatter, double weight) {
  // Second largest principal spread of the seen template.
  return std::sqrt(std::max(0.0, calc_eigen<3>(scatter / weight).values[1]));
}

}  // namespace

SegmentPose find_segment_pose(std::span<const Vec3d> template_B, std::span<const Vec3d> measured_W,
                              std::span<const double> weights) {
  const size_t n = template_B.size();
  if (measured_W.size() != n || (!weights.empty() && weights.size() != n)) {
    throw InputError(fmt::format("segment pose: {} template points, {} measured, {} weights", n,
                                 measured_W.size(), weights.size()));
  }
  SegmentPose result;
  result.residuals.assign(n, Vec3d::Constant(kMissing));
  const auto weight_of = [&](size_t i) { return weights.empty() ? 1.0 : weights[i]; };
  Vec3d mean_B = Vec3d::Zero(), mean_W = Vec3d::Zero();
  double total = 0.0;
  for (size_t i = 0; i < n; ++i) {
    if (!measured_W[i].allFinite() || !(weight_of(i) > 0.0)) continue;
    mean_B += weight_of(i) * template_B[i];
    mean_W += weight_of(i) * measured_W[i];
    total += weight_of(i);
    ++result.markers;
  }
  if (result.markers < 3) return result;
  mean_B /= total;
  mean_W /= total;
  Mat3d H = Mat3d::Zero(), scatter = Mat3d::Zero();
  for (size_t i = 0; i < n; ++i) {
    if (!measured_W[i].allFinite() || !(weight_of(i) > 0.0)) continue;
    const Vec3d b = template_B[i] - mean_B;
    H += weight_of(i) * b * (measured_W[i] - mean_W).transpose();
    scatter += weight_of(i) * b * b.transpose();
  }
  if (calc_width(scatter, total) < kLeastWidth) return result;

  result.X_WB.R_WB = calc_rotation(H);
  result.X_WB.p_WB = mean_W - result.X_WB.R_WB * mean_B;
  double sum = 0.0;
  for (size_t i = 0; i < n; ++i) {
    if (!measured_W[i].allFinite()) continue;
    result.residuals[i] = measured_W[i] - result.X_WB * template_B[i];
    sum += weight_of(i) * result.residuals[i].squaredNorm();
  }
  result.rms = std::sqrt(sum / total);
  result.found = true;
  return result;
}

Eigen::Matrix<double, 6, 6> calc_pose_covariance(std::span<const Vec3d> template_B, double sigma) {
  // Residual of marker i for a small rotation theta and shift d of the origin, both in B:
  // theta x p + d, so its Jacobian is [-skew(p), I].
  Eigen::Matrix<double, 6, 6> normal = Eigen::Matrix<double, 6, 6>::Zero();
  for (const Vec3d& p : template_B) {
    Eigen::Matrix<double, 3, 6> J;
    J << -skew(p), Mat3d::Identity();
    normal += J.transpose() * J;
  }
  return sigma * sigma * invert_symmetric(normal);
}

ClusterTemplate make_cluster_template(const MarkerTracks& tracks, std::span<const int> markers) {
  const size_t n = markers.size();
  std::vector<size_t> complete;
  for (size_t k = 0; k < tracks.frames(); ++k) {
    bool all = true;
    for (const int i : markers) all = all && tracks.has(k, static_cast<size_t>(i));
    if (all) complete.push_back(k);
  }
  if (n < 3 || complete.empty()) {
    throw InputError(fmt::format(
        "marker cluster: {} markers, {} frames in which all of them are seen; a cluster "
        "needs three markers seen at once",
        n, complete.size()));
  }
  ClusterTemplate result;
  result.frames = static_cast<int>(complete.size());
  const auto frame_of = [&](size_t k) {
    std::vector<Vec3d> points(n);
    for (size_t i = 0; i < n; ++i) points[i] = tracks.at(k, static_cast<size_t>(markers[i]));
    return points;
  };
  const auto center = [&](std::vector<Vec3d>* points) {
    Vec3d mean = Vec3d::Zero();
    for (const Vec3d& p : *points) mean += p;
    mean /= static_cast<double>(n);
    for (Vec3d& p : *points) p -= mean;
  };
  result.points_B = frame_of(complete.front());
  center(&result.points_B);
  // Each round averages all frames in the frame of the last template. It converges by the ratio of
  // deformation to size squared, so a handful of rounds reach rounding.
  for (int round = 0; round < 10; ++round) {
    std::vector<Vec3d> sum(n, Vec3d::Zero());
    std::vector<double> square(n, 0.0);
    for (const size_t k : complete) {
      const std::vector<Vec3d> measured = frame_of(k);
      const SegmentPose pose = find_segment_pose(result.points_B, measured);
      if (!pose.found) {
        throw InputError(
            "marker cluster: its markers lie on a line; they fix no rotation about it");
      }
      for (size_t i = 0; i < n; ++i) {
        sum[i] += pose.X_WB.R_WB.transpose() * (measured[i] - pose.X_WB.p_WB);
        square[i] += pose.residuals[i].squaredNorm();
      }
    }
    double change = 0.0;
    result.spread.resize(n);
    std::vector<Vec3d> points(n);
    for (size_t i = 0; i < n; ++i) {
      points[i] = sum[i] / static_cast<double>(complete.size());
      result.spread[i] = std::sqrt(square[i] / static_cast<double>(complete.size()));
    }
    center(&points);
    for (size_t i = 0; i < n; ++i)
      change = std::max(change, (points[i] - result.points_B[i]).norm());
    result.points_B = points;
    if (change < 1e-9) break;
  }
  return result;
}

std::vector<SegmentPose> find_segment_poses(const MarkerTracks& tracks,
                                            std::span<const int> markers,
                                            std::span<const Vec3d> template_B,
                                            std::span<const double> weights) {
  std::vector<SegmentPose> poses;
  poses.reserve(tracks.frames());
  std::vector<Vec3d> measured(markers.size());
  for (size_t k = 0; k < tracks.frames(); ++k) {
    for (size_t i = 0; i < markers.size(); ++i) {
      measured[i] = tracks.at(k, static_cast<size_t>(markers[i]));
    }
    poses.push_back(find_segment_pose(template_B, measured, weights));
  }
  return poses;
}

}  // namespace vesica
