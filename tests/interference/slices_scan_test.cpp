// Bodies moved over the face, edge and corner of a box: force k V n and its moment about a fixed
// point are continuous.
//
// Noise is what the values scatter by about a smooth curve: fourth differences over steps of 1e-7,
// which for independent scatter of size s have the size sqrt(70) s and for a smooth curve, or one
// with a kink, nearly vanish. Jumps are looked for where the curve bends most: the half that is
// less straight is followed down to intervals of 1e-12, over which a continuous force hardly
// changes.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "tests/interference/cell_families.h"
#include "vesica/interference/slices/cell_pair.h"

namespace vesica::slices_scan_test {
namespace {

using Wrench = Eigen::Matrix<double, 6, 1>;

// V n and its moment about the world's origin.
Wrench calc_wrench(const SolidParts& i, const Pose<double>& X_WI, const SolidParts& box) {
  const auto m = calc_shared_moments(i, X_WI, box, Pose<double>{});
  Wrench w = Wrench::Zero();
  if (!(m.volume > 0)) return w;
  const Vec3d f = m.volume * m.area_W.normalized();
  const Vec3d moment = m.p_WC.cross(f);
  for (int k = 0; k < 3; ++k) {
    w[k] = f[k];
    w[k + 3] = moment[k];
  }
  return w;
}

// Largest fourth difference over `count` steps from s, as scatter, and the largest value.
struct Scatter {
  double noise = 0, peak = 0;
};
Scatter measure_scatter(const std::function<Wrench(double)>& at, double start, double step,
                        int count) {
  std::vector<Wrench> f;
  Scatter scatter;
  for (int k = 0; k < count; ++k) f.push_back(at(start + k * step));
  for (size_t k = 0; k < f.size(); ++k) {
    scatter.peak = std::max(scatter.peak, f[k].head<3>().norm());
    if (k < 4) continue;
    const Wrench d = f[k] - 4 * f[k - 1] + 6 * f[k - 2] - 4 * f[k - 3] + f[k - 4];
    scatter.noise = std::max(scatter.noise, d.norm() / std::sqrt(70.0));
  }
  return scatter;
}

struct Scan {
  const char* name;
  Cell cell;
  Mat3d R;
  Vec3d tip;  // its lowest point, in the world's axes
};

std::vector<Scan> make_scans() {
  const auto tilted = test::turned_about(Vec3d(1, 2, 0), 0.7);
  // The lowest point of a disc of radius r and of height h along the axis.
  const auto rim = [](const Mat3d& R, double r, double h) -> Vec3d {
    const Vec3d d = -(R.transpose() * Vec3d::UnitZ());
    const double across = r / std::hypot(d.x(), d.y());
    return R * Vec3d(across * d.x(), across * d.y(), h);
  };
  const Mat3d over = test::turned_about(Vec3d(1, 2, 0), 2.4);
  return {{"sphere", make_cell({make_sphere(1)}), Mat3d::Identity(), {0, 0, -1}},
          {"cylinder", make_cylinder_cell(0.5, 1.5), tilted, rim(tilted, 0.5, -0.75)},
          {"cylinder lying",
           make_cylinder_cell(0.5, 1.5),
           test::turned_to(Vec3d(0.6, 0.8, 0)),
           {0, 0, -0.5}},
          {"cone on its apex", make_cone_cell(0.5, 1), tilted, {0, 0, 0}},
          {"cone on its rim", make_cone_cell(0.5, 1), over, rim(over, std::tan(0.5), 1)}};
}

// Follows the less straight half of [a, b]; the change that is left at the end.
double find_jump(const std::function<Wrench(double)>& at, double a, double b) {
  Wrench fa = at(a), fb = at(b), fm = at(0.5 * (a + b));
  while (b - a > 1e-12) {
    const double m = 0.5 * (a + b);
    const Wrench left = at(0.5 * (a + m)), right = at(0.5 * (m + b));
    if ((left - 0.5 * (fa + fm)).norm() > (right - 0.5 * (fm + fb)).norm()) {
      b = m;
      fb = fm;
      fm = left;
    } else {
      a = m;
      fa = fm;
      fm = right;
    }
  }
  return (fb - fa).norm();
}

class SlicesScan : public testing::TestWithParam<size_t> {};

// The lowest point goes at a depth of 0.1 from the face over the edge y = 2, and from the face over
// the corner x = y = 2, and out.
TEST_P(SlicesScan, ForceAndMomentAreContinuous) {
  const Scan scan = make_scans()[GetParam()];
  const SolidParts body = {{scan.cell, 1}};
  const SolidParts box = {{make_box_cell(Vec3d::Constant(4)), 1}};
  const Vec3d face(0.3, 0.2, 1.9);
  const Vec3d beyond_edge(0.37, 2.8, 1.9), beyond_corner(2.9, 2.7, 1.9);
  for (const bool over_corner : {false, true}) {
    const Vec3d to = over_corner ? beyond_corner : beyond_edge;
    const double length = (to - face).norm();
    const auto at = [&](double s) {
      const Vec3d p = face + s / length * (to - face);
      return calc_wrench(body, {scan.R, p - scan.tip}, box);
    };
    double peak = 0, noise = 0;
    constexpr int kWindows = 150;
    for (int k = 0; k < kWindows; ++k) {
      const Scatter scatter = measure_scatter(at, length * k / kWindows, 1e-7, 12);
      peak = std::max(peak, scatter.peak);
      noise = std::max(noise, scatter.noise);
    }
    EXPECT_LT(noise, 1e-9 * peak)
        << scan.name;  // measured 3e-11 (sphere over the corner), others 5e-14

    constexpr int kSteps = 1000;
    std::vector<Wrench> f;
    for (int k = 0; k <= kSteps; ++k) f.push_back(at(length * k / kSteps));
    std::vector<std::pair<double, int>> bends;  // fourth differences, where
    for (int k = 2; k + 2 <= kSteps; ++k) {
      const auto i = static_cast<size_t>(k);
      bends.push_back({(f[i - 2] - 4 * f[i - 1] + 6 * f[i] - 4 * f[i + 1] + f[i + 2]).norm(), k});
    }
    std::sort(bends.rbegin(), bends.rend());
    double jump = 0;
    for (size_t k = 0; k < 60; ++k) {
      const int place = bends[k].second;
      jump = std::max(jump,
                      find_jump(at, length * (place - 1) / kSteps, length * (place + 1) / kSteps));
    }
    EXPECT_LT(jump, 1e-9 * peak) << scan.name;  // measured 2.2e-11
  }
}

INSTANTIATE_TEST_SUITE_P(Bodies, SlicesScan, testing::Range(size_t{0}, make_scans().size()));

}  // namespace
}  // namespace vesica::slices_scan_test
