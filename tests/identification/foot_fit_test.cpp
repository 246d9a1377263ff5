// A foot that is known, found again from made-up stances; derivatives of what is minimised; what
// corrections can and cannot do.
#include "vesica/identification/foot_fit.h"

#include <gtest/gtest.h>

#include "vesica/error.h"
#include "vesica/identification/foot_synthetic.h"

namespace vesica::foot_fit_test {
namespace {

FootStance make_stance(double stride) {
  SyntheticWalk walk;
  walk.stride = stride;
  return make_synthetic_stance(make_brown_foot(), walk);
}

// Every number off by a tenth or a few millimetres.
FootModel make_start() {
  FootModel start = make_brown_foot();
  start.stiffness *= 1.3;
  start.damping *= 0.7;
  for (FootEllipsoid& e : start.ellipsoids) {
    e.radii *= 1.1;
    e.position += Vec3d(0.003, -0.004, 0.002);
    e.angles += Vec3d(0.05, -0.03, 0.04);
  }
  return start;
}

TEST(FootStance, CarriesTheForceThatWasAskedFor) {
  const FootModel foot = make_brown_foot();
  FootFrame frame = make_stance(0).frames[40];
  for (const double force : {0.01, 5.0, 100.0, 700.0, 3000.0}) {
    FootFrame at = frame;
    at.foot.X_WB.p_WB.z() += find_lift(foot, frame, force);
    at.foot.V_WB = {};
    at.rates.assign(at.rates.size(), 0.0);
    EXPECT_NEAR(calc_foot_load(foot, at)[0], force, 1e-10 * force);
  }
  EXPECT_THROW(find_lift(foot, frame, 0), InputError);
  EXPECT_THROW(find_lift(foot, frame, 1e6), InputError);
}

// The motion has no error and the toe angle is known: the foot that made the force is the minimum.
TEST(FootFit, FindsTheFootThatMadeTheForce) {
  const FootModel truth = make_brown_foot();
  FootFitSettings settings;
  settings.corrections = false;
  settings.toe = FootFitSettings::Toe::kMeasured;
  settings.priors.weight = 0;
  const FootFit fit =
      fit_foot(make_start(), {make_stance(-0.8), make_stance(-0.2), make_stance(0.9)}, settings);
  EXPECT_TRUE(fit.converged) << fit.message;
  // Measured: 1e-10. The issue is determined by the stances: 29 numbers, 1e-3 asked.
  EXPECT_NEAR(fit.foot.stiffness / truth.stiffness, 1, 1e-6);
  EXPECT_NEAR(fit.foot.damping / truth.damping, 1, 1e-6);
  for (size_t e = 0; e < truth.ellipsoids.size(); ++e) {
    const FootEllipsoid &a = fit.foot.ellipsoids[e], &b = truth.ellipsoids[e];
    EXPECT_LE((a.radii - b.radii).norm(), 1e-7);
    EXPECT_LE((a.position - b.position).norm(), 1e-7);
    EXPECT_LE((a.angles - b.angles).norm(), 1e-5);
  }
  // And it foretells a stance of another stride.
  const FootStance unseen = make_stance(0.3);
  const FootErrors errors = calc_errors(unseen, simulate_stance(fit.foot, unseen, {}), settings);
  EXPECT_LE(errors.force, 1e-8);
  EXPECT_LE(errors.cop, 1e-8);
}

// A correction that the fit makes has no mean, and keeps its limits.
TEST(FootFit, CorrectionsHaveNoMeanAndKeepTheirLimits) {
  FootStance stance = make_stance(0);
  add_noise({.force = 5, .cop = 0.002, .shift = 0.001, .turn = 0.01}, 3, &stance);
  FootFitSettings settings;
  const FootFit fit = fit_foot(make_start(), {stance}, settings);
  ASSERT_EQ(fit.curves[0].correction.size(), 6u);
  Vec3d shift = Vec3d::Zero();
  const std::vector<FootFrame> frames = apply_curves(stance, fit.curves[0]);
  for (size_t k = 0; k < frames.size(); ++k) {
    shift += frames[k].foot.X_WB.p_WB - stance.frames[k].foot.X_WB.p_WB;
  }
  EXPECT_LE(shift.norm() / frames.size(), 1e-12);
  for (size_t c = 0; c < 6; ++c) {
    for (const double knot : fit.curves[0].correction[c]) {
      const double limit = c < 3 ? 0.002 : c == 5 ? 0.3 : 0.05;
      EXPECT_LE(std::abs(knot), limit * (1 + 1e-12));
    }
  }
}

// The velocities of a corrected motion are the rates of its poses.
TEST(FootFit, CorrectedMotionsAreMotions) {
  FootStance stance = make_stance(0.5);
  FootCurves curves;
  for (int c = 0; c < 6; ++c) {
    std::vector<double> knots;
    for (int k = 0; k < 10; ++k) knots.push_back((c < 3 ? 0.002 : 0.05) * std::sin(1.7 * k + c));
    curves.correction.push_back(knots);
  }
  curves.toe = {{0.1, 0.1, 0, 0, 0.1, 0.2, 0.3, 0.5, 0.6, 0.6}};
  const std::vector<FootFrame> frames = apply_curves(stance, curves);
  // Central differences over 1/64 s err by the third derivative: the uncorrected motion tells by
  // how much, the correction may add as much again.
  const auto calc_misfit = [](const std::vector<FootFrame>& f) {
    double worst = 0;
    for (size_t k = 10; k + 10 < f.size(); ++k) {
      const double h = f[k + 1].time - f[k - 1].time;
      const Vec3d v = (f[k + 1].foot.X_WB.p_WB - f[k - 1].foot.X_WB.p_WB) / h;
      const Mat3d W =
          (f[k + 1].foot.X_WB.R_WB - f[k - 1].foot.X_WB.R_WB) / h * f[k].foot.X_WB.R_WB.transpose();
      const Vec3d w(W(2, 1), W(0, 2), W(1, 0));
      worst = std::max(
          {worst, (v - f[k].foot.V_WB.v_WB).norm(), 0.1 * (w - f[k].foot.V_WB.w_WB).norm()});
    }
    return worst;
  };
  EXPECT_LE(calc_misfit(frames), 2 * calc_misfit(stance.frames) + 2e-3);
}

TEST(FootFit, WhatCannotBeFittedIsRefused) {
  const FootFitSettings settings;
  EXPECT_THROW(fit_foot(make_start(), {}, settings), InputError);
  FootStance stance = make_stance(0);
  stance.force.pop_back();
  EXPECT_THROW(fit_foot(make_start(), {stance}, settings), InputError);
  stance = make_stance(0);
  stance.force[7] = std::nan("");
  EXPECT_THROW(fit_foot(make_start(), {stance}, settings), InputError);
  stance = make_stance(0);
  stance.frames.resize(12);
  stance.force.resize(12);
  stance.cop.resize(12);
  EXPECT_THROW(fit_foot(make_start(), {stance}, settings), InputError);
}

}  // namespace
}  // namespace vesica::foot_fit_test
