// Forces of two polyhedra along paths over faces, edges and corners: continuity, and the work of a
// closed cycle.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "tests/geometry/sample_meshes.h"
#include "tests/support/support.h"
#include "vesica/interference/polyhedra/polyhedra.h"
#include "vesica/interference/polyhedra/shared_polyhedron.h"

namespace vesica::polyhedra_smoothness_test {
namespace {

using Vec6 = Eigen::Matrix<double, 6, 1>;

enum class Force { kAreaVector, kEigenvector, kConservative };

// Wrench on i per unit stiffness, moment about the world's origin.
Vec6 calc_wrench(const ConvexPolyhedron& i, const Pose<double>& X_WI, const ConvexPolyhedron& j,
                 const Pose<double>& X_WJ, Force force) {
  const auto rule =
      force == Force::kEigenvector ? PolyhedraNormal::kEigenvector : PolyhedraNormal::kAreaVector;
  const bool conservative = force == Force::kConservative;
  const auto result = calc_polyhedra_overlap(i, X_WI, j, X_WJ, rule, conservative);
  const auto& o = result.overlap;
  Wrench<double> F = {o.volume * o.n_W, Vec3d::Zero()};
  if (conservative) F = calc_conservative_wrench(result);
  Vec6 w;
  w << F.f_W, F.tau_W + o.p_WC.cross(F.f_W);
  return w;
}

// A box is dragged across another, turning: pressed on the face, over an edge, past a corner.
struct Path {
  Vec3d from, to, turn;
  Pose<double> at(double s) const {
    return {as_rotation(quaternion_from_rotation_vector(turn * (0.3 + 0.7 * s))),
            from + s * (to - from)};
  }
};

// Halves the interval where the wrench changes most until it is a rounding wide. What change is
// left is a jump.
double find_jump(const std::function<Vec6(double)>& f, double low, double high, double* at) {
  for (int k = 0; k < 42; ++k) {  // to 1e-16 of the path
    const double middle = 0.5 * (low + high);
    const Vec6 a = f(low), b = f(middle), c = f(high);
    ((b - a).norm() > (c - b).norm() ? high : low) = middle;
  }
  *at = low;
  return (f(high) - f(low)).norm();
}

// How far from n's direction, as a cosine, the face of the shared volume lies that is most nearly
// along it.
double find_steepest_face(const ConvexPolyhedron& i, const Pose<double>& X_WI,
                          const ConvexPolyhedron& j, const Pose<double>& X_WJ) {
  const Vec3d n = calc_overlap(i, X_WI, j, X_WJ).n_W;
  detail::SharedPolyhedron shared;
  double least = 1;
  if (!shared.build(i, X_WI, j, X_WJ)) return least;
  for (const auto& face : shared.faces()) least = std::min(least, std::abs(face.normal.dot(n)));
  return least;
}

TEST(PolyhedraSmoothness, ForceAndMomentAreContinuousOverFacesEdgesAndCorners) {
  const auto i = make_box_polyhedron(Vec3d(0.5, 0.4, 0.3)), j = make_box_polyhedron(Vec3d(1, 1, 1));
  const Pose<double> X_WJ;
  const std::vector<Path> paths = {
      {Vec3d(0.1, 0, 0.6), Vec3d(0.9, 0.05, 0.6), Vec3d(0.3, 0.4, 0.2)},      // over an edge
      {Vec3d(0.1, 0.15, 0.6), Vec3d(0.8, 0.85, 0.5), Vec3d(0.5, -0.4, 0.7)},  // past a corner
      {Vec3d(0.3, 0.3, 0.9), Vec3d(0.2, 0.1, 0.55), Vec3d(0.6, 0.5, 0.1)},    // down, corner first
      {Vec3d(0.7, 0, 0.8), Vec3d(0.45, 0, 0.5), Vec3d(0, 0.8, 0.01)}};        // edge on edge
  for (const Path& path : paths) {
    for (const Force force : {Force::kAreaVector, Force::kConservative}) {
      const auto f = [&](double s) { return calc_wrench(i, path.at(s), j, X_WJ, force); };
      constexpr int kSteps = 400;
      double peak = 0, noise = 0, jump = 0;
      for (int k = 0; k <= kSteps; ++k) peak = std::max(peak, f(double(k) / kSteps).norm());
      for (int k = 0; k < kSteps; ++k) {
        const double s = (k + 0.37) / kSteps, h = 1e-8;
        // Curvature leaves h^2 = 1e-16 of the second derivative.
        noise = std::max(noise, (f(s + h) - 2 * f(s) + f(s - h)).norm());
        double at = 0;
        const double here = find_jump(f, double(k) / kSteps, (k + 1.0) / kSteps, &at);
        // The conservative wrench may jump where a face turns through n.
        if (force == Force::kAreaVector || find_steepest_face(i, path.at(at), j, X_WJ) > 1e-9) {
          jump = std::max(jump, here);
        }
      }
      EXPECT_GT(peak, 1e-3);
      EXPECT_LT(noise / peak, 1e-11);  // measured 1e-13
      EXPECT_LT(jump / peak, 1e-11);   // measured 1e-14
    }
  }
}

// Press on the face, slide over the edge or the corner, retract, return in the air.
double calc_cycle_work(const ConvexPolyhedron& i, const Mat3d& R, const ConvexPolyhedron& j,
                       const std::vector<Vec3d>& stations, Force force, double* pressing) {
  constexpr int kSteps = 6000;
  double work = 0;
  for (std::size_t leg = 0; leg < stations.size(); ++leg) {
    const Vec3d& a = stations[leg];
    const Vec3d& b = stations[(leg + 1) % stations.size()];
    double leg_work = 0;
    for (int k = 0; k < kSteps; ++k) {  // midpoint rule
      const double s = (k + 0.5) / kSteps;
      const Vec6 w = calc_wrench(i, {R, a + s * (b - a)}, j, Pose<double>{}, force);
      leg_work += w.head<3>().dot(b - a) / kSteps;
    }
    if (leg == 0) *pressing = -leg_work;
    work += leg_work;
  }
  return work;
}

TEST(PolyhedraSmoothness, OnlyTheConservativeWrenchDoesNoWorkInACycle) {
  const auto i = make_box_polyhedron(Vec3d(0.5, 0.4, 0.3)), j = make_box_polyhedron(Vec3d(1, 1, 1));
  const Mat3d R = as_rotation(quaternion_from_rotation_vector(Vec3d(0.3, 0.4, 0.2)));
  const std::vector<std::vector<Vec3d>> cycles = {
      {Vec3d(0.2, 0.1, 1), Vec3d(0.2, 0.1, 0.65), Vec3d(0.62, 0.1, 0.6), Vec3d(1.0, 0.1, 1)},
      {Vec3d(0.2, 0.1, 1), Vec3d(0.2, 0.1, 0.65), Vec3d(0.55, 0.5, 0.58), Vec3d(1.0, 1.1, 1)}};
  for (const auto& cycle : cycles) {
    for (const Force force : {Force::kAreaVector, Force::kEigenvector, Force::kConservative}) {
      double pressing = 0;
      const double work = calc_cycle_work(i, R, j, cycle, force, &pressing);
      if (force == Force::kConservative) {
        EXPECT_LT(std::abs(work / pressing), 1e-6);  // measured 5e-8, the midpoint rule's
      } else {
        EXPECT_GT(std::abs(work / pressing), 0.05);  // measured 0.07 to 1.9
      }
    }
  }
}

}  // namespace
}  // namespace vesica::polyhedra_smoothness_test
