#include "vesica/motion/functional_joint.h"

#include <algorithm>
#include <cmath>

#include "vesica/math/linear_algebra.h"
#include "vesica/math/quantiles.h"

namespace vesica {
namespace {

constexpr int kGroups = 20;
constexpr int kFewestFrames = 2 * kGroups;

// Half of a 95 % interval, in standard errors.
double calc_interval_factor() { return calc_student_t_quantile(0.975, kGroups - 1); }

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

void set_limits(const std::vector<Eigen::VectorXd>& estimates, JointCenter* joint) {
  joint->covariance_P = calc_jackknife_covariance(estimates);
  const SymmetricEigen eigen = calc_eigen<3>(joint->covariance_P);
  const double factor = calc_interval_factor();
  joint->half_width_P = factor * joint->covariance_P.diagonal().cwiseMax(0.0).cwiseSqrt();
  joint->worst_half_width = factor * std::sqrt(std::max(0.0, eigen.values[2]));
  joint->worst_direction_P = eigen.vectors.col(2);
  joint->found = joint->center_P.allFinite() && joint->covariance_P.allFinite();
}

// How many eigenvalues are below that share of the largest.
template <int N>
int count_below(const SymmetricEigen<N>& eigen, double share) {
  const auto& values = eigen.values;
  return static_cast<int>((values.array() < share * values[values.size() - 1]).count());
}

// A x = b in least squares along A's eigenvectors from `first` on; x has no part along the others.
template <int N>
Eigen::Matrix<double, N, 1> solve_along(const SymmetricEigen<N>& eigen,
                                        const Eigen::Matrix<double, N, 1>& b, int first) {
  Eigen::Matrix<double, N, 1> x = Eigen::Matrix<double, N, 1>::Zero(b.size());
  for (Eigen::Index i = first; i < b.size(); ++i) {
    const auto v = eigen.vectors.col(i);
    x += v * (v.dot(b) / eigen.values[i]);
  }
  return x;
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
  const auto eigen = calc_eigen<3>(A);
  // A planar cloud still has a centre in its plane; across it the centre stays at `middle`.
  if (!(eigen.values[1] > 1e-12)) return false;
  *center = middle + solve_along<3>(eigen, b, count_below<3>(eigen, 1e-9));
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
struct PointSystem {
  Vec3d mean = Vec3d::Zero();
  std::vector<PointSums> groups = std::vector<PointSums>(kGroups);
  PointSums all;

  PointSums without(int group) const {
    PointSums rest = all;
    rest.add(groups[group], -1.0);
    return rest;
  }
};

PointSystem make_point_system(std::span<const Pose<double>> X_PD) {
  PointSystem system;
  for (const Pose<double>& X : X_PD) system.mean += X.p_WB / static_cast<double>(X_PD.size());
  for (size_t k = 0; k < X_PD.size(); ++k) {
    PointSums& g = system.groups[group_of(k, X_PD.size())];
    const Mat3d& R = X_PD[k].R_WB;
    const Vec3d t = X_PD[k].p_WB - system.mean;
    g.normal.topLeftCorner<3, 3>() += Mat3d::Identity();
    g.normal.topRightCorner<3, 3>() -= R;
    g.normal.bottomLeftCorner<3, 3>() -= R.transpose();
    g.normal.bottomRightCorner<3, 3>() += Mat3d::Identity();
    g.right.head<3>() += t;
    g.right.tail<3>() -= R.transpose() * t;
    g.square += t.squaredNorm();
    g.count += 1.0;
  }
  for (const PointSums& group : system.groups) system.all.add(group, 1.0);
  return system;
}

// (c_P; c_D) from `start` on, along the components in `wanted` only. Directions whose singular
// value is below `least_share` of the largest stay at the start; `kept` counts them.
Vec6d solve_point(const PointSums& sums, const Vec6d& start, const std::vector<int>& wanted,
                  double least_share, int* kept = nullptr) {
  const auto eigen = calc_eigen(sums.normal(wanted, wanted));
  const int first = count_below(eigen, least_share * least_share);
  const Vec6d left = sums.right - sums.normal * start;
  Vec6d c = start;
  c(wanted) += solve_along<Eigen::Dynamic>(eigen, left(wanted), first);
  if (kept) *kept = first;
  return c;
}
const std::vector<int> kBothPoints = {0, 1, 2, 3, 4, 5};

double calc_rms(const PointSums& sums, const Vec6d& c) {
  const double square = sums.square - 2.0 * c.dot(sums.right) + c.dot(sums.normal * c);
  return std::sqrt(std::max(0.0, square) / sums.count);
}

struct HingeSolution {
  Vec3d axis_P, axis_D, point_P;
  double rms, hinge_ratio;
};

HingeSolution solve_hinge(const PointSums& sums) {
  const auto eigen = calc_eigen(sums.normal);
  HingeSolution solution;
  const Vec6d null = eigen.vectors.col(0);
  solution.axis_P = null.head<3>().normalized();
  solution.axis_D = null.tail<3>().normalized();
  solution.hinge_ratio =
      std::sqrt(std::max(0.0, eigen.values[0]) / std::max(1e-300, eigen.values[1]));
  const Vec6d c = solve_along<Eigen::Dynamic>(eigen, sums.right, 1);
  // Foot of the perpendicular from the (zeroed) mean origin of the distal segment.
  const Vec3d p = c.head<3>();
  solution.point_P = p - p.dot(solution.axis_P) * solution.axis_P;
  solution.rms = calc_rms(sums, c);
  return solution;
}

// Angles about an axis, counted from the first frame.
struct Turn {
  double range = 0.0, mean = 0.0;  // rad
};

Turn calc_turn(std::span<const Pose<double>> X_PD, const Vec3d& axis_P) {
  Vec3d u, v;
  make_basis(axis_P, &u, &v);
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
  return {highest - lowest, sum / static_cast<double>(X_PD.size())};
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
  set_limits(estimates, &joint);
  return joint;
}

CommonPoint solve_common_point(std::span<const Pose<double>> X_PD, const CommonPoint& start,
                               const SidesWanted& wanted, double least_share) {
  if (X_PD.empty()) return start;
  const PointSystem system = make_point_system(X_PD);
  Vec6d c;
  c << start.center_P - system.mean, start.center_D;
  std::vector<int> components;
  for (const int i : kBothPoints) {
    if (i < 3 ? wanted.proximal : wanted.distal) components.push_back(i);
  }
  c = solve_point(system.all, c, components, least_share);
  // What is known stays to the bit.
  return {wanted.proximal ? Vec3d(system.mean + c.head<3>()) : start.center_P, c.tail<3>()};
}

JointCenter fit_common_point(std::span<const Pose<double>> X_PD) {
  JointCenter joint;
  joint.frames = static_cast<int>(X_PD.size());
  if (joint.frames < kFewestFrames) return joint;
  const PointSystem system = make_point_system(X_PD);
  // Without motion (or about one axis only) some direction of the point is free.
  constexpr double kFree = 3e-5;
  int kept = 0;
  const Vec6d c = solve_point(system.all, Vec6d::Zero(), kBothPoints, kFree, &kept);
  if (kept > 0) return joint;
  joint.center_P = system.mean + c.head<3>();
  joint.center_D = c.tail<3>();
  joint.rms = calc_rms(system.all, c);
  std::vector<Eigen::VectorXd> estimates;
  for (int g = 0; g < kGroups; ++g) {
    estimates.emplace_back(solve_point(system.without(g), Vec6d::Zero(), kBothPoints, 0).head<3>());
  }
  set_limits(estimates, &joint);
  return joint;
}

CommonAxis solve_common_axis(std::span<const Pose<double>> X_PD, const CommonAxis& start,
                             const SidesWanted& wanted) {
  if (X_PD.empty()) return start;
  const PointSums all = make_point_system(X_PD).all;
  CommonAxis axis = start;
  if (wanted.proximal && wanted.distal) {
    const HingeSolution both = solve_hinge(all);
    const double sense = both.axis_P.dot(start.axis_P) < 0.0 ? -1.0 : 1.0;
    axis.axis_P = sense * both.axis_P;
    axis.axis_D = sense * both.axis_D;
  } else {
    // With one of the two given, the other is its mean as seen from there.
    const Mat3d sum_R = -all.normal.topRightCorner<3, 3>();
    if (wanted.proximal) axis.axis_P = (sum_R * start.axis_D).normalized();
    if (wanted.distal) axis.axis_D = (sum_R.transpose() * start.axis_P).normalized();
  }
  axis.range = calc_turn(X_PD, axis.axis_P).range;
  return axis;
}

JointAxis fit_hinge_axis(std::span<const Pose<double>> X_PD) {
  JointAxis joint;
  joint.frames = static_cast<int>(X_PD.size());
  if (joint.frames < kFewestFrames) return joint;
  const PointSystem system = make_point_system(X_PD);
  const HingeSolution full = solve_hinge(system.all);
  if (!(full.hinge_ratio < 1.0) || !full.point_P.allFinite()) return joint;

  // The mean angle fixes the axis' sense.
  const Turn turn = calc_turn(X_PD, full.axis_P);
  joint.range = turn.range;
  const double sense = turn.mean < 0.0 ? -1.0 : 1.0;
  joint.axis_P = sense * full.axis_P;
  joint.axis_D = sense * full.axis_D;
  joint.point_P = system.mean + full.point_P;
  joint.rms = full.rms;
  joint.hinge_ratio = full.hinge_ratio;

  Vec3d u, v;
  make_basis(full.axis_P, &u, &v);
  // Direction as its two components across the axis; the point where the axis pierces the plane
  // through the full fit's point.
  std::vector<Eigen::VectorXd> estimates;
  for (int g = 0; g < kGroups; ++g) {
    HingeSolution s = solve_hinge(system.without(g));
    if (s.axis_P.dot(full.axis_P) < 0.0) s.axis_P = -s.axis_P;
    const Vec3d to_plane = full.point_P - s.point_P;
    const Vec3d pierced =
        s.point_P + s.axis_P * to_plane.dot(full.axis_P) / s.axis_P.dot(full.axis_P);
    Eigen::Vector4d estimate(s.axis_P.dot(u), s.axis_P.dot(v), pierced.dot(u), pierced.dot(v));
    estimates.emplace_back(estimate);
  }
  const Eigen::MatrixXd covariance = calc_jackknife_covariance(estimates);
  const auto worst = [](const Eigen::Matrix2d& block) {
    return calc_interval_factor() * std::sqrt(std::max(0.0, calc_eigen(block).values[1]));
  };
  joint.angle_half_width = worst(covariance.topLeftCorner<2, 2>());
  joint.point_half_width = worst(covariance.bottomRightCorner<2, 2>());
  joint.found = covariance.allFinite();
  return joint;
}

}  // namespace vesica
