#include "vesica/motion/standing_floor.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "vesica/math/linear_algebra.h"
#include "vesica/math/median.h"

namespace vesica {
namespace {

constexpr double kNoise = 1e-3;   // m
constexpr double kSpread = 5e-3;  // m/m, of slopes beforehand

}  // namespace

FloorSlope find_floor_slope(std::span<const StandingPoint> points, const Vec3d& up) {
  FloorSlope result;
  result.points = static_cast<int>(points.size());
  if (points.size() < 4) return result;
  const Vec3d x = up.unitOrthogonal(), z = up.cross(x);
  int markers = 0;
  for (const StandingPoint& point : points) markers = std::max(markers, point.marker + 1);
  const Eigen::Index n = 2 + markers;
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n);
  Eigen::VectorXd b = Eigen::VectorXd::Zero(n);
  const auto make_row = [&](const StandingPoint& point) {
    Eigen::VectorXd row = Eigen::VectorXd::Zero(n);
    row[0] = point.p.dot(x);
    row[1] = point.p.dot(z);
    row[2 + point.marker] = 1;
    return row;
  };
  for (const StandingPoint& point : points) {
    const Eigen::VectorXd row = make_row(point) / kNoise;
    A += row * row.transpose();
    b += row * (point.p.dot(up) / kNoise);
  }
  A(0, 0) += 1 / (kSpread * kSpread);
  A(1, 1) += 1 / (kSpread * kSpread);
  for (Eigen::Index i = 2; i < n; ++i) A(i, i) += 1e-6;  // a marker that was never seen
  const Eigen::VectorXd found = solve_symmetric(A, b);
  result.slope = found[0] * x + found[1] * z;
  for (const StandingPoint& point : points) {
    result.rms += std::pow(make_row(point).dot(found) - point.p.dot(up), 2);
  }
  result.rms = std::sqrt(result.rms / static_cast<double>(points.size()));
  return result;
}

Vec3d find_standing_place(std::span<const double> times, std::span<const Vec3d> track, double begin,
                          double end, const StancePart& part) {
  std::array<std::vector<double>, 3> values;
  for (size_t k = 0; k < times.size(); ++k) {
    const double u = (times[k] - begin) / (end - begin);
    if (u < part.from || u > part.until || !track[k].allFinite()) continue;
    for (int a = 0; a < 3; ++a) values[static_cast<size_t>(a)].push_back(track[k][a]);
  }
  if (values[0].size() < 3) return Vec3d::Constant(kMissing);
  return {calc_median(values[0]), calc_median(values[1]), calc_median(values[2])};
}

}  // namespace vesica
