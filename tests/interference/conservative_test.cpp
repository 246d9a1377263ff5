// Wrenches that derive from a potential: the gradient against differences, the half-space, work in
// a closed cycle over edges and corners, derivatives.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "tests/geometry/sample_meshes.h"
#include "tests/interference/overlap_checks.h"
#include "tests/support/quadrature.h"
#include "tests/support/support.h"
#include "vesica/error.h"
#include "vesica/interference/closed_form/half_space_ellipsoid.h"
#include "vesica/interference/polyhedra/polyhedra.h"
#include "vesica/interference/slices/cell_pair.h"

namespace vesica::conservative_test {
namespace {

using test::random_between;
using test::random_rotation;

SolidParts make_parts(Cell cell) { return {{std::move(cell), 1}}; }
SolidParts make_ball(double r) {
  return make_parts(make_cell({make_sphere(r)}, Bounds{Vec3d::Constant(-r), Vec3d::Constant(r)}));
}
const SolidParts& unit_box() {
  static const SolidParts box = make_parts(make_box_cell(Vec3d(1, 1, 1)));
  return box;
}
Overlap<double> press(const SolidParts& i, const Pose<double>& X_WI, const SolidParts& j,
                      const Pose<double>& X_WJ = {}) {
  return calc_overlap(i, X_WI, j, X_WJ, {{}, ContactNormal::kConservative});
}

// Minus the gradient of the potential by a twist of i about p, fourth order.
Eigen::Matrix<double, 6, 1> difference_potential(const SolidParts& i, const Pose<double>& X_WI,
                                                 const SolidParts& j, const Vec3d& p, double h) {
  Eigen::Matrix<double, 6, 1> F;
  for (int d = 0; d < 6; ++d) {
    const auto at = [&](double s) {
      return press(i, detail::move_by_twist(X_WI, p, d, s), j).potential;
    };
    F[d] = -(8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
  }
  return F;
}

TEST(Conservative, TheWrenchOfSolidsIsTheGradientOfTheirPotential) {
  std::mt19937_64 random(61);
  const std::vector<SolidParts> bodies = {make_ball(0.2), make_parts(make_cylinder_cell(0.15, 0.3)),
                                          make_parts(make_cone_cell(0.5, 0.4)),
                                          make_solid_parts(make_capsule(0.12, 0.2))};
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    double worst = 0;
    int tried = 0, at_kinks = 0;
    while (tried < 12) {
      const Vec3d shift(random_between(random, -0.12, 0.12), random_between(random, -0.2, 0.2),
                        random_between(random, -0.1, 0.15));
      const Pose<double> X{random_rotation(random), Vec3d(0.5, 0.4, 0.55) + shift};
      const auto o = press(bodies[b], X, unit_box());
      if (!(o.volume > 1e-6)) continue;
      ++tried;
      Eigen::Matrix<double, 6, 1> F;
      F << o.push * o.n_W, o.push * o.lever;
      const auto coarse = difference_potential(bodies[b], X, unit_box(), o.p_WC, 2e-4);
      const auto fine = difference_potential(bodies[b], X, unit_box(), o.p_WC, 1e-4);
      // A new face is reached within the differences: they have no order there.
      if ((coarse - fine).norm() > 1e-5 * o.push) {
        ++at_kinks;
        continue;
      }
      worst = std::max(worst, (F - fine).norm() / o.push);
    }
    EXPECT_LT(worst, 2e-6) << b;  // measured 2e-8; the cone's differences 1e-6
    EXPECT_LE(at_kinks, 2) << b;
  }
}

TEST(Conservative, OnAWideFaceItIsTheHalfSpace) {
  std::mt19937_64 random(62);
  const SolidParts table = make_parts(make_box_cell(Vec3d(4, 4, 4)));
  const Pose<double> X_WJ{Mat3d::Identity(), Vec3d(0, 0, -2)};
  const Vec3d radii(0.2, 0.1, 0.05);
  const SolidParts ellipsoid =
      make_parts(make_cell({make_ellipsoid(radii)}, Bounds{-radii, radii}));
  const SolidParts cylinder = make_parts(make_cylinder_cell(0.1, 0.2));
  for (int k = 0; k < 20; ++k) {
    // Tilted and deep: columns overhang the patch.
    const Pose<double> X{random_rotation(random),
                         Vec3d(0.1, 0.2, random_between(random, -0.04, 0.04))};
    const auto o = press(ellipsoid, X, table, X_WJ);
    const auto exact = calc_overlap(Ellipsoid<double>{radii}, X, HalfSpace{}, Pose<double>{});
    EXPECT_NEAR(o.push / exact.volume, 1, 1e-9);          // measured 3e-12
    EXPECT_NEAR(o.potential / exact.potential, 1, 1e-9);  // measured 5e-12
    EXPECT_LT((o.n_W - Vec3d::UnitZ()).norm(), 1e-9);     // measured 5e-11
    EXPECT_LT(o.lever.norm(), 1e-9);                      // measured 6e-12
    // From the other side.
    const auto turned = press(table, X_WJ, ellipsoid, X);
    EXPECT_NEAR(turned.push / o.push, 1, 1e-12);
    EXPECT_LT((turned.n_W + o.n_W).norm() + (turned.lever + o.lever).norm(), 1e-9);
    const auto c = press(cylinder, X, table, X_WJ);
    EXPECT_NEAR(c.push / c.volume, 1, 1e-9);  // measured 1e-13
    EXPECT_LT((c.n_W - Vec3d::UnitZ()).norm() + c.lever.norm(), 1e-8);
  }
}

TEST(Conservative, SlicesAndPolyhedraAgreeWithoutOverhang) {
  const auto i = make_box_polyhedron(Vec3d(0.5, 0.4, 0.3)), j = make_box_polyhedron(Vec3d(1, 1, 1));
  const SolidParts box = make_parts(make_box_cell(Vec3d(0.5, 0.4, 0.3)));
  // A corner of i in the face of j: i's faces all look down, j's up.
  const Pose<double> X{as_rotation(quaternion_from_rotation_vector(Vec3d(0.6, 0.5, 0.2))),
                       Vec3d(0.1, 0.05, 0.72)};
  const auto a = press(box, X, unit_box());
  const auto b = calc_overlap(i, X, j, Pose<double>{}, PolyhedraNormal::kConservative);
  ASSERT_GT(b.volume, 1e-5);
  EXPECT_NEAR(a.potential / b.potential, 1, 1e-8);
  EXPECT_NEAR(a.push / b.push, 1, 1e-8);
  EXPECT_LT((a.n_W - b.n_W).norm() + (a.lever - b.lever).norm(), 1e-8);
}

// Work of the wrench on i over a closed path of poses, to 1e-8 of the pressing work; *pressing:
// that against the first leg.
using FindOverlap = std::function<Overlap<double>(const Pose<double>&)>;
double calc_cycle_work(const FindOverlap& find_overlap, const std::vector<Pose<double>>& stations,
                       double* pressing) {
  double work = 0;
  *pressing = 0;
  for (std::size_t leg = 0; leg < stations.size(); ++leg) {
    const Pose<double>&a = stations[leg], &b = stations[(leg + 1) % stations.size()];
    const Eigen::AngleAxisd turn(Mat3d(b.R_WB * a.R_WB.transpose()));
    const Vec3d v = b.p_WB - a.p_WB, w = turn.angle() * turn.axis();
    using Value = Eigen::Matrix<long double, 1, 1>;
    const auto power = [&](long double at) {
      const double s = static_cast<double>(at);
      const Mat3d R = as_rotation(quaternion_from_rotation_vector(s * w)) * a.R_WB;
      const Pose<double> X{R, a.p_WB + s * v};
      const Overlap<double> o = find_overlap(X);
      if (!(o.volume > 0)) return Value(0.0L);
      const Vec3d v_C = v + w.cross(o.p_WC - X.p_WB);
      if (!o.is_conservative) return Value(o.volume * o.n_W.dot(v_C));
      return Value(o.push * (o.n_W.dot(v_C) + o.lever.dot(w)));
    };
    const double sum = static_cast<double>(
        test::integrate(power, 0, 1, leg == 0 ? 1e-12L : 1e-8L * *pressing, 9)[0]);
    if (leg == 0) *pressing = -sum;
    work += sum;
  }
  return work;
}

TEST(Conservative, DoesNoNetWorkInACornerCycle) {
  const auto rotation = [](double x, double y, double z) {
    return as_rotation(quaternion_from_rotation_vector(Vec3d(x, y, z)));
  };
  // Pressed on the face, drawn over the edge or the corner while it turns, lifted.
  const auto make_cycle = [&](double lowest, const Vec3d& end) {
    return std::vector<Pose<double>>{{rotation(0.3, 0.4, 0.2), Vec3d(0.2, 0.1, 1)},
                                     {rotation(0.3, 0.4, 0.2), Vec3d(0.2, 0.1, lowest)},
                                     {rotation(0.5, 0.1, 0.4), end},
                                     {rotation(0.3, 0.4, 0.2), end + Vec3d(0.4, 0.4, 0.4)}};
  };
  const auto box_i = make_box_polyhedron(Vec3d(0.5, 0.4, 0.3)),
             box_j = make_box_polyhedron(Vec3d(1, 1, 1));
  const SolidParts ball = make_ball(0.2), cylinder = make_parts(make_cylinder_cell(0.15, 0.3));
  struct Case {
    const char* name;
    std::function<Overlap<double>(const Pose<double>&, bool)> overlap;
    double lowest;
    Vec3d over_edge, over_corner;
  };
  const auto solids = [](const SolidParts& i) {
    return [&i](const Pose<double>& X, bool conservative) {
      return calc_overlap(
          i, X, unit_box(), Pose<double>{},
          {{}, conservative ? ContactNormal::kConservative : ContactNormal::kAreaVector});
    };
  };
  const Case cases[] = {
      {"box",
       [&](const Pose<double>& X, bool conservative) {
         return calc_overlap(
             box_i, X, box_j, Pose<double>{},
             conservative ? PolyhedraNormal::kConservative : PolyhedraNormal::kAreaVector);
       },
       0.65, Vec3d(0.62, 0.1, 0.6), Vec3d(0.55, 0.5, 0.58)},
      {"ball", solids(ball), 0.62, Vec3d(0.58, 0.1, 0.6), Vec3d(0.56, 0.55, 0.58)},
      {"cylinder", solids(cylinder), 0.62, Vec3d(0.58, 0.1, 0.6), Vec3d(0.56, 0.55, 0.58)}};
  for (const Case& c : cases) {
    for (const Vec3d& end : {c.over_edge, c.over_corner}) {
      const auto cycle = make_cycle(c.lowest, end);
      double pressing = 0;
      const double leaning = calc_cycle_work(
          [&](const Pose<double>& X) { return c.overlap(X, false); }, cycle, &pressing);
      EXPECT_GT(std::abs(leaning / pressing), 1e-2) << c.name;  // measured 0.24 to 1.06
      const double work = calc_cycle_work([&](const Pose<double>& X) { return c.overlap(X, true); },
                                          cycle, &pressing);
      EXPECT_LT(std::abs(work / pressing), 1e-6) << c.name;  // measured 1e-8, cylinder 6e-7
    }
  }
}

TEST(Conservative, DerivativesMatchDifferences) {
  const auto box_i = make_box_polyhedron(Vec3d(0.5, 0.4, 0.3)),
             box_j = make_box_polyhedron(Vec3d(1, 1, 1));
  const SolidParts cylinder = make_parts(make_cylinder_cell(0.15, 0.3));
  const Pose<double> X_WI{as_rotation(quaternion_from_rotation_vector(Vec3d(0.5, -0.4, 0.7))),
                          Vec3d(0.52, 0.49, 0.6)},
      X_WJ{as_rotation(quaternion_from_rotation_vector(Vec3d(0.02, 0.01, 0.03))),
           Vec3d(0.01, 0.02, -0.01)};
  std::string where;
  const double polyhedra = test::find_worst_derivative(
      [&](const auto& X_I, const auto& X_J) {
        return calc_overlap(box_i, X_I, box_j, X_J, PolyhedraNormal::kConservative);
      },
      X_WI, X_WJ, 1e-4, &where);
  EXPECT_LT(polyhedra, 1e-6) << where;  // measured 1.4e-7
  const double solids = test::find_worst_derivative(
      [&](const auto& X_I, const auto& X_J) {
        return calc_overlap(cylinder, X_I, unit_box(), X_J, {{}, ContactNormal::kConservative});
      },
      X_WI, X_WJ, 1e-4, &where);
  EXPECT_LT(solids, 1e-6) << where;  // measured 1.3e-7
}

TEST(Conservative, CurvedBodiesAloneAreRefused) {
  const SolidParts a = make_ball(0.2), b = make_parts(make_cylinder_cell(0.15, 0.3));
  EXPECT_THROW(press(a, {Mat3d::Identity(), Vec3d(0.2, 0, 0)}, b), InputError);
}

TEST(Conservative, CellsThatCannotBeSlicedAreAnErrorNotAnEmptyContact) {
  const SolidParts a = make_parts(make_cone_cell(1.3, 1)), b = make_parts(make_cone_cell(1.3, 1));
  const Pose<double> X{as_rotation(quaternion_from_rotation_vector(Vec3d(kPi / 2, 0, 0))),
                       Vec3d(0, 0.5, 0.5)};
  try {
    calc_overlap(a, X, b, Pose<double>{});
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("cone"), std::string::npos);
  }
}

}  // namespace
}  // namespace vesica::conservative_test
