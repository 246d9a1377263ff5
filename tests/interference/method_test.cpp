// What the rows of the pairs say is so, and what is said where two shapes cannot meet as asked.
#include "vesica/interference/method.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "tests/geometry/sample_meshes.h"
#include "tests/support/support.h"

namespace vesica::method_test {
namespace {

using D = Dual<4>;

template <class T>
Shape<T> make_ball(double r) {
  return Sphere<T>{T(r)};
}
template <class T>
Shape<T> make_cylinder_shape() {
  return SolidShape{std::make_shared<Solid>(make_solid({make_cylinder_cell(0.05, 0.1)}))};
}

PairChoices by(const std::string& method) {
  PairChoices c;
  c.method = method;
  if (method == "voxels") c.voxel_size = 2e-3;
  if (method == "point") c.by_depth = true;
  return c;
}

struct Sample {
  const char* method;
  std::function<Shape<double>()> i, j;
  // The same i with sizes that vary; empty where the shape has none.
  std::function<Shape<D>()> varying;
};

Shape<double> half_space() { return HalfSpace{}; }

const std::vector<Sample>& samples() {
  static const std::vector<Sample> kSamples = {
      {"closed_form", [] { return make_ball<double>(0.05); }, half_space,
       [] { return Shape<D>(Sphere<D>{D::variable(0.05, 0)}); }},
      {"closed_form",
       [] {
         return Shape<double>(Ellipsoid<double>{{0.05, 0.06, 0.05}});
       },
       half_space,
       [] {
         return Shape<D>(Ellipsoid<D>{{D::variable(0.05, 0), D(0.06), D(0.05)}});
       }},
      {"closed_form", [] { return make_ball<double>(0.05); }, [] { return make_ball<double>(0.2); },
       [] { return Shape<D>(Sphere<D>{D::variable(0.05, 0)}); }},
      {"closed_form",
       [] {
         return Shape<double>(Torus<double>{0.06, 0.02});
       },
       half_space,
       [] {
         return Shape<D>(Torus<D>{D::variable(0.06, 0), D(0.02)});
       }},
      {"polyhedra",
       [] {
         return Shape<double>(Box<double>{{0.1, 0.1, 0.1}});
       },
       half_space,
       [] {
         return Shape<D>(Box<D>{{D::variable(0.1, 0), D(0.1), D(0.1)}});
       }},
      {"polyhedra",
       [] {
         return Shape<double>(test::as_shape(
             TriangleMesh(test::box_corners({0.1, 0.1, 0.1}), test::box_triangles(), "box")));
       },
       half_space,
       {}},
      {"mesh",
       [] { return Shape<double>(test::as_shape(test::make_torus(0.06, 0.02, 24, 12))); },
       half_space,
       {}},
      {"polyhedra",
       [] {
         return Shape<double>(Box<double>{{0.1, 0.1, 0.1}});
       },
       [] {
         return Shape<double>(Box<double>{{1, 1, 0.1}});
       },
       [] {
         return Shape<D>(Box<D>{{D::variable(0.1, 0), D(0.1), D(0.1)}});
       }},
      {"slices",
       [] { return make_cylinder_shape<double>(); },
       [] {
         return Shape<double>(Box<double>{{1, 1, 0.1}});
       },
       {}},
      {"voxels",
       [] { return make_cylinder_shape<double>(); },
       [] {
         return Shape<double>(Box<double>{{1, 1, 0.1}});
       },
       {}},
      {"point", [] { return make_ball<double>(0.05); }, half_space,
       [] { return Shape<D>(Sphere<D>{D::variable(0.05, 0)}); }},
  };
  return kSamples;
}

template <class T>
Shape<T> with_plain_sizes(const Shape<double>& shape) {
  if (std::holds_alternative<HalfSpace>(shape)) return HalfSpace{};
  if (const auto* s = std::get_if<Sphere<double>>(&shape)) return Sphere<T>{T(s->radius)};
  const auto& b = std::get<Box<double>>(shape);
  return Box<T>{{T(b.size.x()), T(b.size.y()), T(b.size.z())}};
}

TEST(Method, EveryOneHasARow) {
  std::set<std::string_view> names;
  for (const MethodRow& row : list_method_rows()) names.insert(name_of(row.method));
  EXPECT_EQ(names, std::set<std::string_view>(kMethodNames.begin(), kMethodNames.end()));
}

TEST(Method, TheRowsAreTrue) {
  for (const Sample& sample : samples()) {
    ShapeForms<double> i(sample.i()), j(sample.j());
    const ShapePair<double> pair = choose_pair(&i, &j, by(sample.method));
    const MethodRow& row = row_of(pair);
    SCOPED_TRACE(fmt::format("{}: {} on {}", sample.method, row.i, row.j));
    EXPECT_EQ(method_name(pair), sample.method);

    // i above j, sunk in by some millimetres.
    const Bounds above = calc_bounds(sample.i()), below = calc_bounds(sample.j());
    const double top = below.is_finite() ? below.max.z() : 0;
    const Pose<double> X_J,
        X_I{Mat3d::Identity(), Vec3d(0.001, 0.002, top - above.min.z() - 0.004)};
    const Overlap<double> o = calc_overlap(pair, X_I, X_J);
    EXPECT_TRUE(is_touching(o));
    EXPECT_EQ(row.volume, o.volume > 0);
    EXPECT_EQ(calc_method_error(pair, X_I, X_J) * row.exact, 0);
    EXPECT_EQ(row.volume, calc_patch_figures(pair, X_I, X_J).shadow_area > 0);
    EXPECT_GE(calc_size(pair), 0.1);
    EXPECT_LE(calc_size(pair), 0.4);  // of the larger sphere

    const auto X = seed_motion(Motion<double>{X_I, {}}).X_WB;
    if (row.by_pose) {
      const auto d = calc_overlap(pair, X, X_J);
      EXPECT_NEAR(row.volume ? -d.volume.v[2] : d.distance.v[2],
                  row.volume ? calc_patch_figures(pair, X_I, X_J).shadow_area : 1,
                  0.05 * (row.volume ? calc_patch_figures(pair, X_I, X_J).shadow_area : 1));
    } else {
      EXPECT_THROW(calc_overlap(pair, X, X_J), InputError);
    }
    EXPECT_EQ(has_derivatives(pair), row.by_pose);
    if (row.potential != Potential::kByNormal) {
      EXPECT_EQ(has_potential(pair), row.potential == Potential::kAlways);
    }

    if (!sample.varying) continue;
    ShapeForms<D> di(sample.varying()), dj(with_plain_sizes<D>(sample.j()));
    if (row.by_sizes) {
      const auto as_dual = [](const Pose<double>& pose) {
        return Pose<D>{pose.R_WB.cast<D>(), pose.p_WB.cast<D>()};
      };
      const auto d =
          calc_overlap(choose_pair(&di, &dj, by(sample.method)), as_dual(X_I), as_dual(X_J));
      EXPECT_GT(std::abs(row.volume ? d.volume.v[0] : d.distance.v[0]), 0);
    } else {
      try {
        choose_pair(&di, &dj, by(sample.method));
        ADD_FAILURE() << "sizes that vary were taken";
      } catch (const MethodError& error) {
        EXPECT_EQ(error.key, "");
      }
    }
  }
}

TEST(Method, ErrorsNameTheKey) {
  const auto error_of = [](const Shape<double>& a, const Shape<double>& b, const PairChoices& c) {
    ShapeForms<double> i(a), j(b);
    try {
      choose_pair(&i, &j, c);
    } catch (const MethodError& error) {
      return std::pair(error.key, std::string(error.what()));
    }
    return std::pair(std::string("none"), std::string());
  };
  const Shape<double> ball = make_ball<double>(0.05), plane = HalfSpace{};
  EXPECT_EQ(error_of(ball, plane, by("mesh")).first, "interference.method");
  EXPECT_NE(error_of(ball, plane, by("mesh")).second.find("auto, closed_form, slices, voxels"),
            std::string::npos);
  PairChoices coarse = by("voxels");
  coarse.voxel_size = 1;
  EXPECT_EQ(error_of(ball, plane, coarse).first, "interference.voxel_size");
  PairChoices point = by("point");
  point.by_depth = false;
  EXPECT_EQ(error_of(ball, plane, point).first, "interference.method");
  EXPECT_EQ(error_of(ball, Edge{Vec3d::UnitX(), Vec3d::UnitY()}, PairChoices{}).first,
            "normal.law");
  EXPECT_EQ(error_of(plane, plane, PairChoices{}).first, "");
}

}  // namespace
}  // namespace vesica::method_test
