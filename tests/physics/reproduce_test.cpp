// The systems of the sources as wholes: what must hold for them whatever the source's plots show,
// and figures that do not move when tolerances are halved.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <map>

#include "reproduce/reproduce.h"
#include "tests/support/support.h"
#include "vesica/simulation/simulate.h"

namespace vesica::reproduce_test {
namespace {

// A verdict follows from its numbers, and a number of the source has its place there.
void expect_comparisons(const SystemReport& report) {
  for (const auto& f : report.figures) {
    const std::string what = f.system + " " + f.quantity + " " + f.where.dump();
    EXPECT_NE(f.unit, "1") << what;
    if (f.source) {
      ASSERT_TRUE(f.tolerance) << what;
      EXPECT_FALSE(f.place.empty()) << what;
      const bool holds = std::abs(f.ours - *f.source) <= *f.tolerance;
      EXPECT_EQ(holds, f.verdict == "reproduced") << what << ": " << f.verdict;
      EXPECT_EQ(!holds, f.verdict.starts_with("differs because")) << what << ": " << f.verdict;
    } else if (f.expected) {
      ASSERT_TRUE(f.tolerance) << what;
      const bool holds = std::abs(f.ours - *f.expected) <= *f.tolerance;
      EXPECT_EQ(holds, !f.verdict.starts_with("differs")) << what << ": " << f.verdict;
    } else {
      EXPECT_NE(f.verdict, "reproduced") << what;
    }
  }
}

// Of every system that a test looks at; what they share is run once.
const SystemReport& run(const std::string& system, double scale = 1) {
  static std::map<std::pair<std::string, double>, SystemReport> reports;
  const auto [at, is_new] = reports.try_emplace({system, scale});
  if (is_new) {
    at->second =
        reproduce(system, {.scenes = test::source_dir() + "/scenes", .tolerance_scale = scale});
    EXPECT_TRUE(at->second.failures.empty()) << at->second.failures.front();
    expect_comparisons(at->second);
  }
  return at->second;
}
std::vector<double> values(const SystemReport& report, const std::string& quantity) {
  std::vector<double> found;
  for (const auto& f : report.figures) {
    if (f.quantity == quantity) found.push_back(f.ours);
  }
  return found;
}
void expect_converged(const std::string& system, double relative) {
  const auto once = run(system), halved = run(system, 0.5);
  ASSERT_EQ(once.figures.size(), halved.figures.size());
  for (size_t k = 0; k < once.figures.size(); ++k) {
    const auto& f = once.figures[k];
    if (f.unit == "J") continue;  // a difference that should be zero
    EXPECT_NEAR(f.ours, halved.figures[k].ours, relative * std::abs(f.ours))
        << f.quantity << " " << f.where.dump();
  }
}

TEST(Systems, FiguresDoNotMoveWhenTolerancesAreHalved) {
  // The tables print five digits.
  expect_converged("brown_impact", 1e-5);
  expect_converged("bowden_leben", 1e-3);  // times of peaks are rows of 1 ms
  expect_converged("cylinder_point", 1e-4);
  expect_converged("inclined_plane", 1e-5);
}

TEST(Systems, RestitutionIsReturnedForEverySpeedAndStiffness) {
  int checked = 0;
  for (const auto& f : run("restitution").figures) {
    if (f.where.contains("rule") && f.where["rule"] != "gonthier") continue;
    const double e = f.quantity == "e_ratio" ? 1 : f.where["e"].get<double>();
    EXPECT_NEAR(f.ours, e, 1e-4) << f.where.dump();
    ++checked;
  }
  EXPECT_EQ(checked, 12 + 6);
}

// m x'' = -k x^2 from the speed v lasts 2 x_max/v times the integral of 1/sqrt(1 - s^3) over [0,
// 1].
TEST(Systems, ElasticImpactLastsAsLongAsItsClosedForm) {
  const double m = 0.5, k = 1e7, v = 4.949747468305833;
  const double deepest = std::cbrt(1.5 * m * v * v / k);
  const double beta = std::sqrt(kPi) * std::tgamma(4.0 / 3) / std::tgamma(5.0 / 6);
  const double expected = 2 * deepest / v * beta;
  EXPECT_NEAR(expected, 6.94e-3, 0.005e-3);  // what the source gives
  for (double t : values(run("brown_impact"), "contact_duration")) {
    EXPECT_NEAR(t, expected, 1e-4 * expected);
  }
}

// Peaks of friction: the first reaches mu_S f_n, later ones less, the more so the faster the belt.
TEST(Systems, StickSlipPeaksShrinkWithTheBelt) {
  const auto report = run("bowden_leben");
  std::map<double, std::vector<double>> peaks;
  for (const auto& f : report.figures) {
    if (f.quantity == "friction_peak_force") peaks[f.where["belt"].get<double>()].push_back(f.ours);
  }
  ASSERT_EQ(peaks.size(), 3u);
  for (const auto& [belt, p] : peaks) EXPECT_NEAR(p[0], 1.5, 1e-3) << belt;
  ASSERT_GE(peaks[0.1].size(), 2u);
  ASSERT_GE(peaks[0.15].size(), 2u);
  EXPECT_LT(peaks[0.1][1], 1.5 - 1e-3);
  EXPECT_LT(peaks[0.15][1], peaks[0.1][1]);
  // All three belts have later peaks: each is compared with what was measured at the one before.
  const auto means = values(report, "later_peaks_mean");
  ASSERT_EQ(means.size(), 3u);
  EXPECT_LT(means[0], 1.5 - 1e-3);
  EXPECT_LT(means[1], means[0] - 1e-3);
  EXPECT_LT(means[2], means[1] - 1e-3);
}

TEST(Systems, BallRollsDownThePlaneWithFiveSeventhsOfFreeSliding) {
  const auto a = values(run("inclined_plane"), "rolling_acceleration");
  EXPECT_NEAR(a.at(0), 5.0 / 7 * 9.81 * std::sin(20 * kPi / 180), 1e-5);
}

TEST(Systems, BallInTheCylinderKeepsItsEnergyOnceRolling) {
  for (double change : values(run("cylinder_point"), "energy_change_while_rolling")) {
    EXPECT_LT(std::abs(change), 1e-4);  // J, of 8 J that it fell through; 2.5e-5 measured
  }
}

// Without friction the loss is that of the normal impact alone: (1 - e^2) m_n v_n^2/2 over the
// kinetic energy, with m_n the tip's effective mass along the normal.
TEST(Systems, FrictionlessImpactOfThePendulumLosesWhatRestitutionTakes) {
  const auto report = run("pendulum_ahmed");
  const double degree = kPi / 180;
  struct Case {
    std::string name;
    double q1, q2;
  };
  for (const Case& c : {Case{"a", 18 * degree, 12 * degree}, Case{"b", 0, 20.7 * degree}}) {
    // By hand: absolute angles a1, a2 with rates -1 and -2; rods of 1 m and 2 kg.
    const double a1 = c.q1, a2 = c.q1 + c.q2, m = 2, I = 1.0 / 6;
    const double coupling = m * 0.5 * std::cos(a1 - a2);
    Eigen::Matrix2d M;
    M << m * 0.25 + I + m, coupling, coupling, m * 0.25 + I;
    const Eigen::Vector2d u(-1, -2), J(std::sin(a1), std::sin(a2));
    const double v = J.dot(u), kinetic = 0.5 * u.dot(M * u);
    const double mass = 1 / J.dot(M.inverse() * J);
    for (const auto& f : report.figures) {
      if (f.where["configuration"] != c.name || f.where["mu"] != 0.0) continue;
      const double e = f.where["e"].get<double>();
      const double expected = 100 * (1 - e * e) * 0.5 * mass * v * v / kinetic;
      EXPECT_NEAR(f.ours, expected, 0.5) << c.name << " " << e;  // gravity acts meanwhile: 0.1
    }
  }
}

TEST(Systems, ArmSettlesAtTheForceThatItsGainAndDeadBandGive) {
  for (double scale : {1.0, 0.5}) {
    const auto report = run("arm_on_plate", scale);
    const auto force = values(report, "steady_force");
    ASSERT_EQ(force.size(), 2u);  // and with half the effective tip mass
    for (double f : force) EXPECT_NEAR(f, 30, 0.1) << scale;
    for (double r : values(report, "friction_ratio_sliding")) EXPECT_NEAR(r, 0.16, 2e-3);
  }
}

TEST(Systems, PendulumComesToRestAndSticks) {
  const auto report = run("pendulum_settling");
  // At rest the tip lies on the surface: the two angles belong together.
  const double q1 = values(report, "joint1_rest_deg").at(0) * kPi / 180;
  const double q2 = values(report, "joint2_rest_deg").at(0) * kPi / 180;
  const double sign = -1;  // joint 2 is negative, so joint 1 is positive in one of the two mirrors
  const double height[] = {0.5 * std::cos(q1) + 0.25 * std::cos(q1 + q2),
                           0.5 * std::cos(q1) + 0.25 * std::cos(sign * q1 + q2)};
  EXPECT_LT(std::min(std::abs(height[0] - 0.61), std::abs(height[1] - 0.61)), 1e-4);
  const double time = values(report, "stick_time").at(0);
  EXPECT_GT(time, 1);
  EXPECT_LT(time, 9.5);
}

// At half tolerances, where every row is resolved.
TEST(Systems, BallGoesOverTheTablesEdgeAsInTheSource) {
  struct Bound {
    double source, tolerance;
  };
  const std::map<std::string, Bound> bounds{
      {"v_y_after_first_bounce", {0.2, 0.01}},  // 0.2079, 0.2078 with gonthier2007
      {"w_x_after_first_bounce", {-2, 0.1}},    // -1.932, -1.930
      {"v_y_at_0.35", {0.197, 5e-4}},           // 0.1971, 0.1969
      {"spin_stop_time", {1.9, 0.05}},          // 1.894, 1.883
      {"tilt_start_y", {0.28, 0.005}},          // 0.2810, 0.2809
      {"slip_start_time", {4.3, 0.2}},          // 4.13, 4.38
      {"leave_time", {4.3, 0.2}},               // 4.34, 4.46
      {"energy_rise", {0, 2e-3}},               // 9.5e-4, 1.7e-10 J
  };
  size_t checked = 0;
  for (const auto& f : run("ball_on_table", 0.5).figures) {
    const auto bound = bounds.find(f.quantity);
    if (bound == bounds.end()) continue;
    ++checked;
    EXPECT_NEAR(f.ours, bound->second.source, bound->second.tolerance)
        << f.quantity << " " << f.where.dump();
    if (f.quantity == "energy_rise" && f.where.contains("normal")) {
      EXPECT_LT(f.ours, 1e-8);  // conservative: 1.2e-10 J of 4 J
    }
  }
  EXPECT_EQ(checked, 3 * bounds.size());
}

// A ball that rolls along y on a plane patch loses its speed to the torque k alpha J_t w:
//   7/5 m R^2 w' = -k alpha V b^2/6 w,  k V = m g,  b^2 = 2 d R the patch's half-width along y,
// for a shallow cap; across, the groove makes the patch wider: R_x = 1/(1/R - 1/R_groove). alpha is
// that of the last touchdown.
TEST(Systems, RollingInTheGrooveDecaysAsTheFoundationSays) {
  const auto report = run("cylinder_volumetric");
  const double e = 0.5, g = 9.81, R = 0.1, k = 5e6, m = 2, closing_speed = 0.4231;
  double D = 1 - e * e;  // (1 + D/e)/(1 - D) = exp(D (1 + 1/e))
  for (int n = 0; n < 100; ++n) D = 1 - (1 + D / e) * std::exp(-D * (1 + 1 / e));
  const double alpha = D / (e * closing_speed);
  const double d = std::sqrt(m * g / k / (kPi * std::sqrt(R / (1 / R - 1))));
  const double expected = 1.4 * R * R * 6 / (alpha * g * 2 * d * R);
  for (const char* preset : {"exact", "gonthier2007"}) {
    std::map<double, double> v;
    for (const auto& f : report.figures) {
      if (f.quantity == "v_axial" && f.where["preset"] == preset) {
        v[f.where["t"].get<double>()] = f.ours;
      }
    }
    ASSERT_EQ(v.size(), 6u);
    // 3.57 s against 3.67 s: the cap is 3.4 mm deep, and the load swings.
    EXPECT_NEAR(7 / std::log(v[3] / v[10]), expected, 0.05 * expected) << preset;
  }
}

// Times of the source's text for the original; the fall follows from the torque on the stem, later
// than the text's 4 s.
TEST(Systems, TippeTopTurnsOver) {
  std::map<std::string, std::map<std::string, double>> original;  // by preset, by quantity
  int turned = 0;
  for (const auto& f : run("tippe_top").figures) {
    if (f.quantity == "spin_loss_on_stem" || f.quantity == "ledger_residual") {
      EXPECT_TRUE(f.verdict.starts_with("as expected")) << f.where.dump() << " " << f.ours;
    }
    if (f.where["variant"] == "modified" && f.quantity == "inversion_time") {
      EXPECT_NEAR(f.ours, 1.5, 0.15) << f.where.dump();  // 1.568, 1.465, 1.515
      ++turned;
    }
    if (f.where["variant"] == "original") {
      original[f.where["preset"].get<std::string>()][f.quantity] = f.ours;
    }
  }
  EXPECT_EQ(turned, 3);
  ASSERT_EQ(original.size(), 2u);
  for (auto& [preset, of] : original) {
    EXPECT_NEAR(of["upright_time"], 0.15, 0.03) << preset;   // 0.128, 0.127
    EXPECT_NEAR(of["inversion_time"], 1.6, 0.16) << preset;  // 1.687, 1.651
    EXPECT_LT(of["stem_touch_time"], of["inversion_time"]) << preset;
    EXPECT_GT(of["fall_time"], 4) << preset;  // 7.54, 7.72
  }
}

// What statics and energy say; the bounds stand in the verdicts.
TEST(Systems, BoxesStandAndBlocksSlideAsStaticsSay) {
  for (const char* system : {"box_on_slope", "ten_boxes", "block_over_step"}) {
    int judged = 0;
    for (const auto& f : run(system).figures) {
      EXPECT_NE(f.verdict.substr(0, 7), "differs")
          << system << " " << f.quantity << " " << f.where.dump() << " " << f.ours;
      judged += f.verdict.starts_with("as expected");
    }
    EXPECT_GE(judged, 6) << system;
  }
}

// Gonthier 5.2.2: at rest inside the worksite after 2 s, the force settles at -100 N.
TEST(Systems, BatteryBoxComesToRestInItsWorksite) {
  const auto report = run("battery_box");
  EXPECT_TRUE(report.failures.empty());
  int judged = 0;
  for (const auto& f : report.figures) {
    EXPECT_NE(f.verdict.substr(0, 7), "differs") << f.quantity << " " << f.where.dump() << f.ours;
    if (f.quantity == "final_force_x") {
      EXPECT_NEAR(f.ours, -100, 1e-3);  // measured 1e-6
      ++judged;
    }
    if (f.quantity == "cells") {
      EXPECT_GT(f.ours, 100);
    }
  }
  EXPECT_EQ(judged, 2);
}

TEST(Systems, PegGoesIntoItsHole) {
  const auto report = run("peg_in_hole");
  EXPECT_TRUE(report.failures.empty());
  for (const auto& f : report.figures) {
    EXPECT_NE(f.verdict.substr(0, 7), "differs") << f.quantity << " " << f.ours << f.verdict;
  }
  EXPECT_EQ(report.figures.size(), 7u);
}

TEST(Systems, VolumetricFiguresDoNotMoveWhenTolerancesAreHalved) {
  for (const char* system : {"cylinder_volumetric", "block_over_step"}) {
    const auto once = run(system), halved = run(system, 0.5);
    ASSERT_EQ(once.figures.size(), halved.figures.size());
    for (size_t k = 0; k < once.figures.size(); ++k) {
      const auto& f = once.figures[k];
      // Differences that should be zero have no digits to keep.
      if (f.quantity == "ledger_residual" || f.quantity == "rest_speed" || f.unit == "J") continue;
      EXPECT_NEAR(f.ours, halved.figures[k].ours, 1e-4 * std::abs(f.ours))
          << system << " " << f.quantity << " " << f.where.dump();
    }
  }
}

TEST(Systems, ALedgerThatDoesNotCloseIsAFailure) {
  const auto coarse = reproduce("block_over_step",
                                {.scenes = test::source_dir() + "/scenes", .tolerance_scale = 1e5});
  ASSERT_FALSE(coarse.failures.empty());
  EXPECT_NE(coarse.failures.front().find("ledger does not close"), std::string::npos);
}

// Those that no other test of this file looks at.
TEST(Verdicts, AreComparisons) {
  int by_source = 0, by_expectation = 0;
  for (const char* system :
       {"restitution", "bowden_leben", "brown_stick_slip", "brown_impact", "inclined_plane",
        "block_over_step", "box_on_slope", "ten_boxes", "knee"}) {
    for (const auto& f : run(system).figures) {
      by_source += f.source ? 1 : 0;
      by_expectation += !f.source && f.expected ? 1 : 0;
    }
  }
  EXPECT_GE(by_source, 15);
  EXPECT_GE(by_expectation, 30);
}

// What the source says of the four laws and of Hunt and Crossley's damping does not hold by itself:
// these are the rows that words are compared for.
TEST(Verdicts, WordsOfTheSourceHold) {
  int judged = 0;
  for (const char* system : {"restitution", "bowden_leben", "brown_stick_slip", "inclined_plane"}) {
    for (const auto& f : run(system).figures) {
      if (f.place.empty() || f.source) continue;
      EXPECT_TRUE(f.verdict.starts_with("reproduced: ")) << f.quantity << f.where << f.verdict;
      ++judged;
    }
  }
  EXPECT_GE(judged, 6 + 3 + 1 + 1);
}

// The source's own study of solvers, on its own scene: 0.197 m/s at 0.35 s for all three steps, the
// same place of the edge, and no rise of the energy.
TEST(Systems, SolverStudyIsTheSources) {
  std::map<std::string, int> judged;
  for (const auto& f : run("solver_study").figures) {
    const bool is_fixed =
        f.where.contains("solver") && f.where["solver"].get<std::string>().starts_with("rk3");
    if (!is_fixed) continue;
    if (f.quantity == "v_y_at_0.35" || f.quantity == "tilt_start_y") {
      EXPECT_EQ(f.verdict, "reproduced") << f.quantity << f.where << f.ours;
      ++judged[f.quantity];
    }
    if (f.quantity == "energy_rise_part") {
      EXPECT_TRUE(f.verdict.starts_with("reproduced")) << f.where << f.ours;
      ++judged[f.quantity];
    }
  }
  EXPECT_EQ(judged["v_y_at_0.35"], 3);
  EXPECT_EQ(judged["tilt_start_y"], 3);
  EXPECT_EQ(judged["energy_rise_part"], 3);
}

TEST(Systems, UnknownSystemIsAnError) {
  EXPECT_NE(test::input_error_of([] { reproduce("nothing", {}); }).find("bowden_leben"),
            std::string::npos);
}

}  // namespace
}  // namespace vesica::reproduce_test
