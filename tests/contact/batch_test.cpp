#include "vesica/contact/batch.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/support.h"
#include "vesica/error.h"

namespace vesica::batch_test {
namespace {

using test::random_between;
using test::random_vector;

// Arrays of n motions, filled motion by motion, and of n wrenches.
struct Arrays {
  explicit Arrays(std::size_t n) : count(n), values(20, std::vector<double>(n)) {}

  void set(std::size_t k, const Vec3d& p, const Quaternion<double>& q, const Vec3d& v,
           const Vec3d& w, double impact_speed = 0) {
    const double row[14] = {p.x(), p.y(), p.z(), q.w,   q.x,   q.y,   q.z,
                            v.x(), v.y(), v.z(), w.x(), w.y(), w.z(), impact_speed};
    for (int c = 0; c < 14; ++c) values[c][k] = row[c];
  }
  const double* in(int c) const { return values[c].data(); }
  double* out(int c) { return values[14 + c].data(); }
  BatchMotions motions() const {
    return {count,
            {in(0), in(1), in(2)},
            {in(3), in(4), in(5), in(6)},
            {in(7), in(8), in(9)},
            {in(10), in(11), in(12)},
            in(13)};
  }
  BatchWrenches wrenches() { return {{out(0), out(1), out(2)}, {out(3), out(4), out(5)}}; }

  Motion<double> motion(std::size_t k) const {
    const auto at = [&](int c) { return values[c][k]; };
    return {make_pose(Quaternion<double>{at(3), at(4), at(5), at(6)}, Vec3d(at(0), at(1), at(2))),
            {Vec3d(at(10), at(11), at(12)), Vec3d(at(7), at(8), at(9))}};
  }
  Vec3d f(std::size_t k) const { return {values[14][k], values[15][k], values[16][k]}; }
  Vec3d tau(std::size_t k) const { return {values[17][k], values[18][k], values[19][k]}; }

  std::size_t count;
  std::vector<std::vector<double>> values;
};

Contact<double> make_contact(bool is_sphere, bool has_friction) {
  Contact<double> contact;
  if (is_sphere) {
    contact.pair.shapes = SphereOnHalfSpace<double>{{0.04}};
  } else {
    contact.pair.shapes = EllipsoidOnHalfSpace<double>{{Vec3d(0.0354, 0.054, 0.0226)}};
  }
  contact.normal = VolumetricNormal<double>{.stiffness = 1.6e7, .damping = 0.565};
  if (has_friction) {
    contact.friction =
        BrownMcPhee<double>{.mu_s = 0.8, .mu_d = 0.6, .v_t = 0.05, .mu_v = 0.3, .f_nt = 20};
  }
  return contact;
}

// Differences are rounding: measured at most 4e-14 of the wrench over these tests (the moment
// shifted to the body origin by hand has the force times the body's size as its scale).
constexpr double kTolerance = 1e-12;

void expect_same_as_one_by_one(const Contact<double>& contact, Arrays* arrays,
                               const Motion<double>& j) {
  calc_contact_batch(contact, arrays->motions(), j, arrays->wrenches());
  for (std::size_t k = 0; k < arrays->count; ++k) {
    const Motion<double> i = arrays->motion(k);
    const auto one = calc_contact(contact, i, j, ContactMemory<double>{arrays->values[13][k]});
    const Wrench<double> F = shift_wrench(one.F_Ic_W, Vec3d(i.X_WB.p_WB - one.p_WC));
    const double force = F.f_W.norm();
    EXPECT_LE((arrays->f(k) - F.f_W).norm(), kTolerance * force) << "motion " << k;
    const double moment = F.tau_W.norm() + force * (one.p_WC - i.X_WB.p_WB).norm();
    EXPECT_LE((arrays->tau(k) - F.tau_W).norm(), kTolerance * moment) << "motion " << k;
  }
}

// Random motions with the centre between `low` and `high` over the half-space, which is tilted and
// moves itself.
void fill(Arrays* arrays, std::mt19937_64& random, const Motion<double>& j, double low,
          double high) {
  for (std::size_t k = 0; k < arrays->count; ++k) {
    const Vec3d p_JI(random_between(random, -1, 1), random_between(random, -1, 1),
                     random_between(random, low, high));
    Quaternion<double> q = quaternion_from_rotation_vector(random_vector(random, 3));
    const double length = random_between(random, 0.9, 1.1);  // need not be unit
    q = {length * q.w, length * q.x, length * q.y, length * q.z};
    arrays->set(k, j.X_WB * p_JI, q, random_vector(random, 1), random_vector(random, 5),
                random_between(random, 0, 1));
  }
}

Motion<double> moving_ground(std::mt19937_64& random) {
  return {{test::random_rotation(random), random_vector(random, 1)},
          {random_vector(random, 0.5), random_vector(random, 0.5)}};
}

class Batch : public ::testing::TestWithParam<std::tuple<bool, bool>> {
 protected:
  Contact<double> contact_ = make_contact(std::get<0>(GetParam()), std::get<1>(GetParam()));
  std::mt19937_64 random_{7};
};

TEST_P(Batch, AgreesWithOneByOneFromApartToImmersed) {
  Arrays arrays(2000);
  const Motion<double> j = moving_ground(random_);
  fill(&arrays, random_, j, -0.12, 0.08);
  expect_same_as_one_by_one(contact_, &arrays, j);
  // The set must hold what it claims: motions apart, in partial contact and fully immersed.
  int apart = 0, partial = 0, immersed = 0;
  for (std::size_t k = 0; k < arrays.count; ++k) {
    const auto o = calc_overlap(contact_, arrays.motion(k).X_WB, j.X_WB);
    const auto figures = calc_patch_figures(contact_.pair, arrays.motion(k).X_WB, j.X_WB);
    (o.volume == 0 ? apart : figures.has_section ? partial : immersed)++;
  }
  EXPECT_GT(apart, 50);
  EXPECT_GT(partial, 50);
  EXPECT_GT(immersed, 50);
}

TEST_P(Batch, AgreesAroundTouchdown) {
  // Gaps and depths from 1 nm to 0.1 mm, lanes apart and touching mixed.
  Arrays arrays(400);
  const Motion<double> j = moving_ground(random_);
  fill(&arrays, random_, j, 0, 0);
  const Vec3d n = j.X_WB.R_WB.col(2);
  for (std::size_t k = 0; k < arrays.count; ++k) {
    const double gap = calc_overlap(contact_, arrays.motion(k).X_WB, j.X_WB).distance;
    const double depth = test::random_log_between(random_, 1e-9, 1e-4) * (k % 3 == 0 ? -1 : 1);
    for (int c = 0; c < 3; ++c) arrays.values[c][k] -= (gap + depth) * n[c];
  }
  // Positions of up to 3 m leave the height, and so the depth, a rounding of some 1e-15 m, of which
  // the force feels twice the fraction: measured 1.3e-14 m/depth at most.
  calc_contact_batch(contact_, arrays.motions(), j, arrays.wrenches());
  for (std::size_t k = 0; k < arrays.count; ++k) {
    const Motion<double> i = arrays.motion(k);
    const auto one = calc_contact(contact_, i, j, ContactMemory<double>{});
    const double depth = std::max(0.0, -calc_overlap(contact_, i.X_WB, j.X_WB).distance);
    const double rounding = 2e-14 / std::max(depth, 1e-12);
    EXPECT_LE((arrays.f(k) - one.F_Ic_W.f_W).norm(),
              (kTolerance + rounding) * one.F_Ic_W.f_W.norm())
        << "depth " << depth;
    if (depth == 0) {
      EXPECT_EQ(arrays.f(k).norm() + arrays.tau(k).norm(), 0);
    }
  }
}

// Fast rolling: lanes that press everywhere, lift in part and are gone, mixed. The measure is the
// force at rest, since close to lift-off next to nothing is left.
TEST_P(Batch, AgreesWhereRollingLiftsThePatch) {
  Arrays arrays(2000);
  const Motion<double> j = moving_ground(random_);
  fill(&arrays, random_, j, 0.0, 0.045);
  for (std::size_t k = 0; k < arrays.count; ++k) {
    for (int c = 7; c < 13; ++c) arrays.values[c][k] *= c < 10 ? 6 : random_between(random_, 0, 60);
  }
  calc_contact_batch(contact_, arrays.motions(), j, arrays.wrenches());
  int pressed = 0, lifted = 0, gone = 0;
  for (std::size_t k = 0; k < arrays.count; ++k) {
    const Motion<double> i = arrays.motion(k);
    const auto one = calc_contact(contact_, i, j, ContactMemory<double>{});
    if (!(one.normal.elastic > 0)) continue;
    (!(one.normal.force > 0) ? gone : one.edge_factor < 0 ? lifted : pressed)++;
    const Wrench<double> F = shift_wrench(one.F_Ic_W, Vec3d(i.X_WB.p_WB - one.p_WC));
    const double force = F.f_W.norm() + one.normal.elastic;
    EXPECT_LE((arrays.f(k) - F.f_W).norm(), kTolerance * force) << "motion " << k;
    const double moment = F.tau_W.norm() + force * (one.p_WC - i.X_WB.p_WB).norm();
    EXPECT_LE((arrays.tau(k) - F.tau_W).norm(), kTolerance * moment) << "motion " << k;
  }
  EXPECT_GT(pressed, 50);
  EXPECT_GT(lifted, 50);
  EXPECT_GT(gone, 50);
}

TEST_P(Batch, AgreesAtRest) {
  Arrays arrays(64);
  for (std::size_t k = 0; k < arrays.count; ++k) {
    arrays.set(k, Vec3d(0, 0, random_between(random_, -0.05, 0.05)),
               quaternion_from_rotation_vector(random_vector(random_, 3)), Vec3d::Zero(),
               Vec3d::Zero());
  }
  expect_same_as_one_by_one(contact_, &arrays, Motion<double>{});
}

TEST_P(Batch, TakesAnyCountAndWritesNoMore) {
  for (std::size_t count = 0; count <= 9; ++count) {
    Arrays arrays(count);
    fill(&arrays, random_, Motion<double>{}, -0.02, 0.02);
    constexpr double kUntouched = -12345;
    for (int c = 14; c < 20; ++c) arrays.values[c].assign(count + 4, kUntouched);
    expect_same_as_one_by_one(contact_, &arrays, Motion<double>{});
    for (int c = 14; c < 20; ++c) {
      for (std::size_t k = count; k < count + 4; ++k) EXPECT_EQ(arrays.values[c][k], kUntouched);
    }
  }
}

TEST_P(Batch, AgreesForShapesAwayFromTheBodyOrigin) {
  contact_.shapes_at_origin = false;
  contact_.X_Ii = {test::random_rotation(random_), Vec3d(0.01, -0.03, 0.02)};
  contact_.X_Jj = {test::random_rotation(random_), Vec3d(0.1, 0.2, -0.3)};
  Arrays arrays(500);
  const Motion<double> j = moving_ground(random_);
  const Motion<double> plane{calc_shape_pose(j.X_WB, contact_.X_Jj), j.V_WB};
  fill(&arrays, random_, plane, -0.05, 0.05);
  expect_same_as_one_by_one(contact_, &arrays, j);
}

TEST_P(Batch, AgreesWithRestitution) {
  contact_.normal =
      VolumetricNormal<double>{1.6e7, HystereticDamping<double>::with_restitution(0.6, 0.1)};
  Arrays arrays(200);
  fill(&arrays, random_, Motion<double>{}, -0.03, 0.03);
  expect_same_as_one_by_one(contact_, &arrays, Motion<double>{});
}

INSTANTIATE_TEST_SUITE_P(Contacts, Batch, ::testing::Combine(::testing::Bool(), ::testing::Bool()),
                         [](const auto& p) {
                           return std::string(std::get<0>(p.param) ? "Sphere" : "Ellipsoid") +
                                  (std::get<1>(p.param) ? "Friction" : "Frictionless");
                         });

TEST(BatchErrors, SayWhatIsMissing) {
  Arrays arrays(4);
  std::mt19937_64 random(1);
  fill(&arrays, random, Motion<double>{}, 0, 0.01);
  const auto error_of = [&](const Contact<double>& contact, const BatchMotions& motions) {
    return test::input_error_of(
        [&] { calc_contact_batch(contact, motions, Motion<double>{}, arrays.wrenches()); });
  };
  BatchMotions motions = arrays.motions();
  motions.q_WI[2] = nullptr;
  EXPECT_NE(error_of(make_contact(true, true), motions).find("q_WI"), std::string::npos);

  Contact<double> bouncing = make_contact(true, true);
  bouncing.normal =
      VolumetricNormal<double>{1.6e7, HystereticDamping<double>::with_restitution(0.6, 0.1)};
  motions = arrays.motions();
  motions.impact_speed = nullptr;
  EXPECT_NE(error_of(bouncing, motions).find("impact_speed"), std::string::npos);

  Contact<double> spheres = make_contact(true, true);
  spheres.pair.shapes = SphereOnSphere<double>{{0.1}, {0.1}};
  EXPECT_NE(error_of(spheres, arrays.motions()).find("half-space"), std::string::npos);
  Contact<double> turned = make_contact(true, true);
  turned.pair.turned = true;
  EXPECT_NE(error_of(turned, arrays.motions()).find("body j"), std::string::npos);
}

}  // namespace
}  // namespace vesica::batch_test
