#include "vesica/motion/functional_joint.h"

#include <algorithm>
#include <cmath>

#include "vesica/math/linear_algebra.h"

namespace vesica {
namespace {

constexpr int kGroups = 20;
constexpr double kStudent95 = 2.093;  // two-sided 95 % of Student's t, 19 degrees of freedom
constexpr int kFewestFrames = 2 * kGroups;

int group_of(size_t k, size_t frames) { return static_cast<int>(k * kGroups / frames); }

// Delete-a-group covariance of the rows of `estimates`.
Eigen::MatrixXd calc_jackknife_covariance(const std::vector<Eigen::VectorXd>& estimates) {
  const double n = static_cast<double>(estimates.size());
  Eigen::VectorXd mean = Eigen::VectorXd::Zero(estimates[0].size());
  for (const auto& estimate : estimates) mean += estimate / n;
  Eigen::MatrixXd covariance = Eigen::MatrixXd::Zero(mean.size(), mean.size());
  for (const auto& estimate : estimates) {
    covariance += (estimate - mean) * (estimate - mean).transpose();
  }
  return covariance * (n - 1.0) / n;
}

void set_limits(JointCenter* joint) {
  const SymmetricEigen eigen = calc_eigen<3>(joint->covariance_P);
  joint->half_width_P = kStudent95 * joint->covariance_P.diagonal().cwiseMax(0.0).cwiseSqrt();
  joint->worst_half_width = kStudent95 * std::sqrt(std::max(0.0, eigen.values[2]));
  joint->worst_direction_P = eigen.vectors.col(2);
}

// --- sphere
// ---------------------------------------------------------------------------------------

using Tracks = std::span<const std::vector<Vec3d>>;

// Whether frame k belongs to the fit that leaves out `left_out` (-1: none).
bool is_in(size_t k, size_t frames, int left_out) { return group_of(k, frames) != left_out; }

// |p|^2 - 2 p.c + (c^2 - r^2) = 0 minus its mean over the frames of each marker: linear in c.
bool find_algebraic_center(Tracks tracks, size_t frames, Vec3d* center) {
  Vec3d middle = Vec3d::Zero();  // of all points: the place to stay at where nothing else is known
  double points = 0.0;
  for (const auto& track : tracks) {
    for (size_t k = 0; k < frames; ++k) {
      if (!track[k].allFinite()) continue;
      middle += track[k];
      points += 1.0;
    }
  }
  if (points > 0.0) middle /= points;
  Mat3d A = Mat3d::Zero();
  Vec3d b = Vec3d::Zero();
  for (const auto& track : tracks) {
    double count = 0.0, mean_square = 0.0;
    Vec3d mean = Vec3d::Zero();
    for (size_t k = 0; k < frames; ++k) {
      if (!track[k].allFinite()) continue;
      mean += track[k] - middle;
      mean_square += (track[k] - middle).squaredNorm();
      count += 1.0;
    }
    if (count < 2.0) continue;
    mean /= count;
    mean_square /= count;
    for (size_t k = 0; k < frames; ++k) {
      if (!track[k].allFinite()) continue;
      const Vec3d p = track[k] - middle;
      A += (p - mean) * (p - mean).transpose();
      b += 0.5 * (p - mean) * (p.squaredNorm() - mean_square);
    }
  }
  const auto [values, vectors] = calc_eigen<3>(A);
  // A planar cloud still has a centre in its plane; the pseudo-inverse keeps `middle` across it.
  if (!(values[1] > 1e-12)) return false;
  *center = middle;
  for (int i = 0; i < 3; ++i) {
    if (values[i] < 1e-9 * values[2]) continue;
    const Vec3d v = vectors.col(i);
    *center += v * v.dot(b) / values[i];
  }
  return true;
}

struct SphereCost {
  double sum = 0.0;  // of squared residuals
  double count = 0.0;
  Mat3d normal = Mat3d::Zero();
  Vec3d gradient = Vec3d::Zero();
  std::vector<double> radii;
};

// With r_i its best value, the mean distance, the residual's derivative by c is -(u - mean u).
SphereCost calc_sphere_cost(Tracks tracks, size_t frames, const Vec3d& c, int left_out) {
  SphereCost cost;
  for (const auto& track : tracks) {
    double count = 0.0, mean_distance = 0.0;
    Vec3d mean_direction = Vec3d::Zero();
    for (size_t k = 0; k < frames; ++k) {
      if (!track[k].allFinite() || !is_in(k, frames, left_out)) continue;
      const Vec3d d = track[k] - c;
      const double distance = d.norm();
      mean_distance += distance;
      if (distance > 0.0) mean_direction += d / distance;
      count += 1.0;
    }
    if (count > 0.0) {
      mean_distance /= count;
      mean_direction /= count;
    }
    cost.radii.push_back(mean_distance);
    for (size_t k = 0; k < frames; ++k) {
      if (!track[k].allFinite() || !is_in(k, frames, left_out)) continue;
      const Vec3d d = track[k] - c;
      const double distance = d.norm();
      if (!(distance > 0.0)) continue;
      const double residual = distance - mean_distance;
      const Vec3d slope = mean_direction - d / distance;
      cost.sum += residual * residual;
      cost.normal += slope * slope.transpose();
      cost.gradient += slope * residual;
    }
    cost.count += count;
  }
  return cost;
}

Vec3d refine_center(Tracks tracks, size_t frames, Vec3d c, int left_out) {
  SphereCost cost = calc_sphere_cost(tracks, frames, c, left_out);
  double damping = 1e-9;
  for (int iteration = 0; iteration < 100; ++iteration) {
    Mat3d damped = cost.normal;
    damped.diagonal().array() += damping * cost.normal.trace();
    const Vec3d step = -solve_symmetric(damped, cost.gradient);
    const SphereCost next = calc_sphere_cost(tracks, frames, c + step, left_out);
    if (next.sum <= cost.sum) {
      c += step;
      cost = next;
      damping = std::max(1e-12, 0.1 * damping);
      if (step.norm() < 1e-9) break;
    } else {
      damping *= 10.0;
      if (damping > 1e3) break;
    }
  }
  return c;
}

// --- common point and hinge
// -----------------------------------------------------------------------

// Normal equations of [I, -R_k] (c_P; c_D) = t_k over a group of frames.
struct PointSums {
  Mat6d normal = Mat6d::Zero();
  Vec6d right = Vec6d::Zero();
  double square = 0.0;  // of t
  double count = 0.0;
  void add(const PointSums& other, double sign) {
    normal += sign * other.normal;
    right += sign * other.right;
    square += sign * other.square;
    count += sign * other.count;
  }
};

// Translations are taken relative to their mean, which keeps the sums of squares small beside what
// they are subtracted from.
std::vector<PointSums> calc_group_sums(std::span<const Pose<double>> X_PD, const Vec3d& mean) {
  std::vector<PointSums> groups(kGroups);
  for (size_t k = 0; k < X_PD.size(); ++k) {
    PointSums& g = groups[group_of(k, X_PD.size())];
    const Mat3d& R = X_PD[k].R_WB;
    const Vec3d t = X_PD[k].p_WB - mean;
    g.normal.topLeftCorner<3, 3>() += Mat3d::Identity();
    g.normal.topRightCorner<3, 3>() -= R;
    g.normal.bottomLeftCorner<3, 3>() -= R.transpose();
    g.normal.bottomRightCorner<3, 3>() += Mat3d::Identity();
    g.right.head<3>() += t;
    g.right.tail<3>() -= R.transpose() * t;
    g.square += t.squaredNorm();
    g.count += 1.0;
  }
  return groups;
}

Vec3d calc_mean_translation(std::span<const Pose<double>> X_PD) {
  Vec3d mean = Vec3d::Zero();
  for (const Pose<double>& X : X_PD) mean += X.p_WB;
  return mean / static_cast<double>(X_PD.size());
}

double calc_rms(const PointSums& sums, const Vec6d& c) {
  const double square = sums.square - 2.0 * c.dot(sums.right) + c.dot(sums.normal * c);
  return std::sqrt(std::max(0.0, square) / sums.count);
}

struct HingeSolution {
  Vec3d axis_P, axis_D, point_P;
  double rms, hinge_ratio;
};

HingeSolution solve_hinge(const PointSums& sums) {
  const auto [values, vectors] = calc_eigen(sums.normal);
  HingeSolution solution;
  const Vec6d null = vectors.col(0);
  solution.axis_P = null.head<3>().normalized();
  solution.axis_D = null.tail<3>().normalized();
  solution.hinge_ratio = std::sqrt(std::max(0.0, values[0]) / std::max(1e-300, values[1]));
  Vec6d c = Vec6d::Zero();
  for (int i = 1; i < 6; ++i) {
    const Vec6d v = vectors.col(i);
    c += v * v.dot(sums.right) / values[i];
  }
  // Foot of the perpendicular from the (zeroed) mean origin of the distal segment.
  const Vec3d p = c.head<3>();
  solution.point_P = p - p.dot(solution.axis_P) * solution.axis_P;
  solution.rms = calc_rms(sums, c);
  return solution;
}

}  // namespace

JointCenter fit_sphere_center(std::span<const std::vector<Vec3d>> tracks_P) {
  JointCenter joint;
  if (tracks_P.empty()) return joint;
  size_t frames = tracks_P[0].size();
  for (const auto& track : tracks_P) frames = std::min(frames, track.size());
  for (size_t k = 0; k < frames; ++k) {
    const bool seen = std::any_of(tracks_P.begin(), tracks_P.end(),
                                  [&](const auto& track) { return track[k].allFinite(); });
    joint.frames += seen ? 1 : 0;
  }
  Vec3d start;
  if (joint.frames < kFewestFrames || !find_algebraic_center(tracks_P, frames, &start))
    return joint;
  joint.center_P = refine_center(tracks_P, frames, start, -1);
  const SphereCost cost = calc_sphere_cost(tracks_P, frames, joint.center_P, -1);
  joint.radii = cost.radii;
  joint.rms = std::sqrt(cost.sum / std::max(1.0, cost.count));
  std::vector<Eigen::VectorXd> estimates;
  for (int g = 0; g < kGroups; ++g) {
    estimates.emplace_back(refine_center(tracks_P, frames, joint.center_P, g));
  }
  joint.covariance_P = calc_jackknife_covariance(estimates);
  set_limits(&joint);
  joint.found = joint.center_P.allFinite() && joint.covariance_P.allFinite();
  return joint;
}

JointCenter fit_common_point(std::span<const Pose<double>> X_PD) {
  JointCenter joint;
  joint.frames = static_cast<int>(X_PD.size());
  if (joint.frames < kFewestFrames) return joint;
  const Vec3d mean = calc_mean_translation(X_PD);
  const std::vector<PointSums> groups = calc_group_sums(X_PD, mean);
  PointSums all;
  for (const PointSums& group : groups) all.add(group, 1.0);
  // Without motion (or about one axis only) some direction of the point is free.
  const auto values = calc_eigen(all.normal).values;
  if (!(values[0] > 1e-9 * values[5])) return joint;
  const Vec6d c = solve_symmetric(all.normal, all.right);
  joint.center_P = mean + c.head<3>();
  joint.center_D = c.tail<3>();
  joint.rms = calc_rms(all, c);
  std::vector<Eigen::VectorXd> estimates;
  for (const PointSums& group : groups) {
    PointSums rest = all;
    rest.add(group, -1.0);
    estimates.emplace_back(solve_symmetric(rest.normal, rest.right).head<3>());
  }
  joint.covariance_P = calc_jackknife_covariance(estimates);
  set_limits(&joint);
  joint.found = joint.center_P.allFinite() && joint.covariance_P.allFinite();
  return joint;
}

JointAxis fit_hinge_axis(std::span<const Pose<double>> X_PD) {
  JointAxis joint;
  joint.frames = static_cast<int>(X_PD.size());
  if (joint.frames < kFewestFrames) return joint;
  const Vec3d mean = calc_mean_translation(X_PD);
  const std::vector<PointSums> groups = calc_group_sums(X_PD, mean);
  PointSums all;
  for (const PointSums& group : groups) all.add(group, 1.0);
  HingeSolution full = solve_hinge(all);
  if (!(full.hinge_ratio < 1.0) || !full.point_P.allFinite()) return joint;

  // Angle of each frame about the axis, from the first frame; its mean fixes the axis' sense.
  Vec3d u, v;
  make_basis(full.axis_P, &u, &v);
  const Vec3d u_D = X_PD[0].R_WB.transpose() * u;
  double lowest = 0.0, highest = 0.0, sum = 0.0, last = 0.0;
  for (const Pose<double>& X : X_PD) {
    const Vec3d turned = X.R_WB * u_D;
    double angle = std::atan2(turned.dot(v), turned.dot(u));
    angle += 2.0 * M_PI * std::round((last - angle) / (2.0 * M_PI));  // no jump from frame to frame
    last = angle;
    lowest = std::min(lowest, angle);
    highest = std::max(highest, angle);
    sum += angle;
  }
  joint.range = highest - lowest;
  const double sense = sum < 0.0 ? -1.0 : 1.0;
  joint.axis_P = sense * full.axis_P;
  joint.axis_D = sense * full.axis_D;
  joint.point_P = mean + full.point_P;
  joint.rms = full.rms;
  joint.hinge_ratio = full.hinge_ratio;

  // Direction as its two components across the axis; the point where the axis pierces the plane
  // through the full fit's point.
  std::vector<Eigen::VectorXd> estimates;
  for (const PointSums& group : groups) {
    PointSums rest = all;
    rest.add(group, -1.0);
    HingeSolution s = solve_hinge(rest);
    if (s.axis_P.dot(full.axis_P) < 0.0) s.axis_P = -s.axis_P;
    const Vec3d to_plane = full.point_P - s.point_P;
    const Vec3d pierced =
        s.point_P + s.axis_P * to_plane.dot(full.axis_P) / s.axis_P.dot(full.axis_P);
    Eigen::Vector4d estimate(s.axis_P.dot(u), s.axis_P.dot(v), pierced.dot(u), pierced.dot(v));
    estimates.emplace_back(estimate);
  }
  const Eigen::MatrixXd covariance = calc_jackknife_covariance(estimates);
  const auto worst = [](const Eigen::Matrix2d& block) {
    return kStudent95 * std::sqrt(std::max(0.0, calc_eigen(block).values[1]));
  };
  joint.angle_half_width = worst(covariance.topLeftCorner<2, 2>());
  joint.point_half_width = worst(covariance.bottomRightCorner<2, 2>());
  joint.found = covariance.allFinite();
  return joint;
}

}  // namespace vesica
