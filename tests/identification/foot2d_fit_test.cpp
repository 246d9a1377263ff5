// Geometry, objective, search and pipeline of the planar foot.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/support/support.h"
#include "vesica/error.h"
#include "vesica/identification/foot2d_fit.h"
#include "vesica/identification/foot2d_pipeline.h"
#include "vesica/identification/foot2d_trials.h"

namespace vesica::foot2d_fit_test {
namespace {

using test::random_between;

// A foot that rolls, with markers where the model has its points.
Foot2dStance make_rolling(const Foot2dGeometry<double>& g,
                          const std::array<double, kToeCoefficients>& toe, double noise) {
  Foot2dStance s;
  s.name = "rolling";
  s.period = 1;
  s.begin = 0.4;
  s.end = 1;
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal(0, noise);
  for (int f = 0; f <= 100; ++f) {
    const double t = 0.01 * f;
    Foot2dPose q;
    q.x = 0.3 * t;
    q.y = 0.09 + 0.04 * std::sin(5 * t);
    q.theta = -0.7 + 0.6 * std::cos(6 * t);
    double phi = 0;
    const ToeWaves w = calc_toe_waves(t, s.period);
    for (size_t k = 0; k < toe.size(); ++k) phi += toe[k] * w.value[k];
    const auto p = calc_foot2d_points(g, q.x, q.y, q.theta, phi);
    const auto add = [&](const Point2<double>& point, std::vector<Point2<double>>* list) {
      list->push_back({point.x + normal(random), point.y + normal(random)});
    };
    add(p.H, &s.H);
    add(p.P, &s.P);
    add(p.T_, &s.T);
    s.times.push_back(t);
    s.poses.push_back(q);
    s.normal.push_back(0);
    s.friction.push_back(0);
    s.cop.push_back(kMissing);
  }
  return s;
}

const std::array<double, kToeCoefficients> kToe = {0.5,  0.2,   -0.1, 0.05, 0.02, -0.03,
                                                   0.15, -0.04, 0.03, 0.01, -0.02};

TEST(Foot2dGeometry, ExactMarkersGiveAllFifteenParametersBack) {
  const auto g = make_shourijeh_geometry();
  const Foot2dGeometryFit fit = fit_foot2d_geometry(make_rolling(g, kToe, 0));
  EXPECT_TRUE(fit.converged) << fit.message;
  // The ridge on the toe's coefficients pulls by 1e-6.
  EXPECT_NEAR(fit.geometry.AH, g.AH, 1e-6);
  EXPECT_NEAR(fit.geometry.AP, g.AP, 1e-6);
  EXPECT_NEAR(fit.geometry.PT, g.PT, 2e-6);
  EXPECT_NEAR(fit.geometry.beta, g.beta, 1e-5);
  for (size_t k = 0; k < kToe.size(); ++k) EXPECT_NEAR(fit.toe[k], kToe[k], 2e-5) << k;
  EXPECT_LT(fit.all.worst, 5e-6);
}

TEST(Foot2dGeometry, NoiseComesOutAsMarkerError) {
  const double noise = 0.003;
  const Foot2dGeometryFit fit =
      fit_foot2d_geometry(make_rolling(make_shourijeh_geometry(), kToe, noise));
  // A distance of two normal errors: Rayleigh, mean sqrt(pi/2), sd sqrt(2 - pi/2).
  EXPECT_NEAR(fit.all.mean, noise * std::sqrt(kPi / 2), 0.1 * noise);
  EXPECT_NEAR(fit.all.sd, noise * std::sqrt(2 - kPi / 2), 0.1 * noise);
  EXPECT_EQ(fit.all.count, 303);
  // With the lengths given only the toe is fitted.
  const Foot2dGeometryFit toe =
      fit_foot2d_toe(make_rolling(make_shourijeh_geometry(), kToe, 0), make_shourijeh_geometry());
  for (size_t k = 0; k < kToe.size(); ++k) EXPECT_NEAR(toe.toe[k], kToe[k], 2e-5);
}

TEST(Foot2dGeometry, TooFewFramesAreRefused) {
  Foot2dStance s = make_rolling(make_shourijeh_geometry(), kToe, 0);
  for (size_t f = 10; f < s.frames(); ++f) s.H[f].x = kMissing;
  EXPECT_THROW(fit_foot2d_geometry(s), InputError);
}

struct Case {
  Foot2dStance stance;
  Foot2dGeometryFit geometry;
  std::vector<Foot2dPose> poses;

  Foot2dProblem problem(const Foot2dType& type) const {
    return {stance, geometry.geometry, poses, type};
  }
};
const Case& synthetic() {
  static const Case c = [] {
    Case made;
    made.stance = make_foot2d_stances({.stances = 3, .rate = 100, .noise = {}}).stances[0];
    made.geometry = fit_foot2d_geometry(made.stance);
    made.poses = apply_toe(made.stance, made.geometry.toe);
    return made;
  }();
  return c;
}

Eigen::VectorXd draw(const Foot2dProblem& problem, unsigned seed) {
  std::mt19937_64 random(seed);
  Eigen::VectorXd x(problem.variables());
  for (double& u : x) u = random_between(random, 0.25, 0.75);
  return x;
}

// (17) written again, from the curves.
double calc_objective(const Foot2dStance& s, const Foot2dCurves& m) {
  const auto spread = [](const std::vector<double>& y) {
    double mean = 0, sum = 0;
    for (const double v : y) mean += v / double(y.size());
    for (const double v : y) sum += (v - mean) * (v - mean);
    return std::sqrt(sum / double(y.size() - 1));
  };
  std::vector<double> cop;
  for (size_t f = 0; f < s.frames(); ++f) {
    if (s.normal[f] >= 50) cop.push_back(s.cop[f]);
  }
  double J = 0;
  for (size_t f = 0; f < s.frames(); ++f) {
    J += std::pow((m.normal[f] - s.normal[f]) / spread(s.normal), 2);
    J += std::pow((m.friction[f] - s.friction[f]) / spread(s.friction), 2);
    if (s.normal[f] < 50 || !std::isfinite(m.cop[f])) continue;
    const double part = m.normal[f] / (m.normal[f] + 5);
    J += std::pow(part * (m.cop[f] - s.cop[f]) / spread(cop), 2);
  }
  return J / double(s.frames());
}

TEST(Foot2dProblem, ObjectiveIsEquation17) {
  for (const Foot2dElement element : {Foot2dElement::kSpring, Foot2dElement::kHyper}) {
    const Foot2dProblem problem = synthetic().problem({element, {}});
    const Eigen::VectorXd x = draw(problem, 3);
    const double J = problem.objective(x.data()).total();
    const Foot2dCurves curves = problem.simulate(x.data());
    // Where less than 5 N are carried the curve has no centre of pressure.
    EXPECT_NEAR(J, calc_objective(synthetic().stance, curves), 2e-3 * J);
    EXPECT_NEAR(problem.objective(curves).total(), J, 2e-3 * J);
  }
}

TEST(Foot2dProblem, JacobianAndGradientMeetDifferences) {
  for (const Foot2dType type : {Foot2dType{Foot2dElement::kHyper, Foot2dFriction::kArctan},
                                Foot2dType{Foot2dElement::kEllipsoid, Foot2dFriction::kBristle}}) {
    const Foot2dProblem problem = synthetic().problem(type);
    const Eigen::VectorXd x = draw(problem, 5);
    const int rows = problem.residuals(), n = problem.variables();
    Eigen::VectorXd r(rows), a(rows), b(rows), gradient(n);
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> J(rows, n);
    problem.evaluate(x.data(), r.data(), J.data());
    const double total = problem.objective(x.data(), gradient.data());
    EXPECT_NEAR(total, r.squaredNorm(), 1e-12 * total);
    for (int k = 0; k < n; ++k) {
      constexpr double h = 1e-6;
      Eigen::VectorXd low = x, high = x;
      low[k] -= h;
      high[k] += h;
      problem.evaluate(low.data(), a.data(), nullptr);
      problem.evaluate(high.data(), b.data(), nullptr);
      const Eigen::VectorXd slope = (b - a) / (2 * h);
      const double scale = J.col(k).norm() + 1e-3;
      // An element that touches between the two points has no slope there.
      int off = 0;
      for (int f = 0; f < rows; ++f) off += std::abs(slope[f] - J(f, k)) > 1e-3 * scale ? 1 : 0;
      EXPECT_LE(off, 4) << k;
      EXPECT_NEAR(gradient[k], 2 * J.col(k).dot(r), 1e-9 * scale * std::sqrt(total));
    }
  }
}

TEST(Foot2dProblem, ReversedForcesAreReversedWithinTheContact) {
  const Foot2dStance& s = synthetic().stance;
  const Foot2dStance r = make_reversed(s);
  const size_t n = s.frames();
  for (size_t f = 0; f < n; ++f) {
    EXPECT_EQ(r.normal[f], s.normal[n - 1 - f]);
    EXPECT_EQ(r.friction[f], s.friction[n - 1 - f]);
    if (std::isfinite(s.cop[f])) {
      EXPECT_EQ(r.cop[f], s.cop[f]);
    }
  }
}

TEST(Foot2dProblem, WhatDoesNotVaryIsRefused) {
  Foot2dStance s = synthetic().stance;
  std::fill(s.friction.begin(), s.friction.end(), 0.0);
  EXPECT_THROW(Foot2dProblem(s, synthetic().geometry.geometry, synthetic().poses, {}), InputError);
  s = synthetic().stance;
  s.normal[4] = kMissing;
  EXPECT_THROW(Foot2dProblem(s, synthetic().geometry.geometry, synthetic().poses, {}), InputError);
  s.normal.pop_back();
  EXPECT_THROW(Foot2dProblem(s, synthetic().geometry.geometry, synthetic().poses, {}), InputError);
}

// A stance whose forces are those of known elements.
Case make_known(const Foot2dType& type, Eigen::VectorXd* truth) {
  Case made = synthetic();
  const Foot2dProblem problem = made.problem(type);
  Foot2dFitSettings settings;
  settings.starts = 4;
  *truth = fit_foot2d(problem, settings).x;
  // Away from bounds, so that it can be found from inside.
  for (double& u : *truth) u = std::clamp(u, 0.05, 0.95);
  const Foot2dCurves curves = problem.simulate(truth->data());
  made.stance.normal = curves.normal;
  made.stance.friction = curves.friction;
  made.stance.cop = curves.cop;
  return made;
}

TEST(Foot2dFit, KnownElementsAreFoundAgain) {
  for (const Foot2dElement element :
       {Foot2dElement::kSpring, Foot2dElement::kLinear, Foot2dElement::kHyper}) {
    Eigen::VectorXd truth;
    const Case known = make_known({element, {}}, &truth);
    const Foot2dProblem problem = known.problem({element, {}});
    Foot2dFitSettings settings;
    Eigen::VectorXd near = truth;
    for (Eigen::Index k = 0; k < near.size(); ++k) near[k] += k % 2 == 0 ? 0.02 : -0.02;
    settings.iterations = 500;
    const Foot2dFit fit = fit_foot2d_from(problem, near, settings);
    EXPECT_LT(fit.objective.total(), 1e-4) << name_of(element);
    // Truth within the intervals; they are of exact data, so nearly nothing is left open.
    EXPECT_LT(problem.objective(truth.data()).total(), 1e-6);
  }
}

TEST(Foot2dFit, IsTheSameWhateverTheNumberOfThreads) {
  const Foot2dProblem problem = synthetic().problem({Foot2dElement::kLinear, {}});
  Foot2dFitSettings settings;
  settings.starts = 5;
  settings.iterations = 30;
  settings.seed = 11;
  settings.threads = 1;
  const Foot2dFit one = fit_foot2d(problem, settings);
  settings.threads = 4;
  const Foot2dFit four = fit_foot2d(problem, settings);
  EXPECT_EQ(one.x, four.x);
  EXPECT_EQ(one.of_starts, four.of_starts);
  EXPECT_EQ(one.of_starts.size(), 2u);  // a third of five went on to the end
  settings.seed = 12;
  EXPECT_NE(fit_foot2d(problem, settings).of_starts, one.of_starts);
}

TEST(Foot2dFit, IntervalsCoverAndSayWhatIsNotDetermined) {
  const Foot2dProblem problem = synthetic().problem({Foot2dElement::kHyper, {}});
  Foot2dFitSettings settings;
  settings.starts = 6;
  const Foot2dFit fit = fit_foot2d(problem, settings);
  const Foot2dIntervals intervals = calc_foot2d_intervals(problem, fit.x);
  ASSERT_EQ(intervals.parameters.size(), 24u);
  for (const Foot2dEstimate& e : intervals.parameters) {
    EXPECT_LE(e.low, e.value + 1e-12) << e.name;
    EXPECT_GE(e.high, e.value - 1e-12) << e.name;
  }
  // An element that never touches tells nothing: the tip of the toes, lifted by its radius.
  Eigen::VectorXd lifted = fit.x;
  lifted[16 + 2] = 0;  // R_V of 1 mm
  lifted[16 + 7] = 1;  // dy of 20 mm
  const Foot2dIntervals blind = calc_foot2d_intervals(problem, lifted);
  EXPECT_GE(blind.undetermined_directions, 4);
}

// Whatever is known: an interval holds its value and lies within the bounds, and what spans decades
// or is known by its bounds alone is not called determined.
TEST(Foot2dFit, IntervalsKeepToTheBounds) {
  for (const Foot2dElement element :
       {Foot2dElement::kSpring, Foot2dElement::kLinear, Foot2dElement::kHyper}) {
    const Foot2dProblem problem = synthetic().problem({element, {}});
    const auto own = static_cast<Eigen::Index>(problem.rows().size());
    for (unsigned seed = 0; seed < 12; ++seed) {
      Eigen::VectorXd x = draw(problem, seed);
      if (seed % 3 == 0) x = x.array().round();  // corners
      for (Eigen::Index k = 0; k < own; ++k) {   // the tip of the toes never touches
        const Foot2dRow::Slot slot = problem.rows()[static_cast<size_t>(k)].slot;
        if (slot == Foot2dRow::Slot::kSize) x[2 * own + k] = 0;
        if (slot == Foot2dRow::Slot::kDy) x[2 * own + k] = 1;
      }
      const Foot2dIntervals intervals = calc_foot2d_intervals(problem, x);
      for (size_t k = 0; k < intervals.parameters.size(); ++k) {
        const Foot2dEstimate& e = intervals.parameters[k];
        const Foot2dRow& row = problem.rows()[k % problem.rows().size()];
        const auto point = static_cast<int>(k / problem.rows().size());
        const auto bounds = calc_foot2d_bounds(problem.type(), problem.rows(), point, row.slot);
        EXPECT_LE(e.low, e.value) << e.name;
        EXPECT_GE(e.high, e.value) << e.name;
        EXPECT_GE(e.low, bounds[0] - 1e-9 * std::abs(bounds[0])) << e.name;
        EXPECT_LE(e.high, bounds[1] + 1e-9 * std::abs(bounds[1])) << e.name;
        if (row.scale == Foot2dRow::Scale::kLog && e.determined) {
          EXPECT_LT(e.high, 100 * e.low) << e.name;
        }
        EXPECT_FALSE(point == 2 && e.determined) << e.name;
        // Of 0 to 1e4 s/m nothing is known.
        if (point == 2 && row.slot == Foot2dRow::Slot::kDamping &&
            element != Foot2dElement::kHyper) {
          EXPECT_GT(e.high, 10) << e.name;
        }
      }
    }
  }
}

// The source's own parameters mean what its tables say, at every exponent.
TEST(Foot2dTable, RawParametersAreNotMovedIntoTheBox) {
  for (const Foot2dElement element :
       {Foot2dElement::kSpring, Foot2dElement::kLinear, Foot2dElement::kHyper}) {
    const Foot2dType type{element, {}};
    const auto rows = make_foot2d_rows(type);
    std::mt19937_64 random(3);
    for (int k = 0; k < 200; ++k) {
      std::vector<double> raw(rows.size());
      for (double& u : raw) u = random_between(random, 0.01, 1);
      const auto u = as_foot2d_variables_of_raw(type, rows, 0, raw.data());
      const Foot2dParameters<double> p = as_foot2d_parameters(type, rows, 0, u.data());
      const double most_k = element == Foot2dElement::kSpring ? 1e6 : 1e8;
      const double most_a = element == Foot2dElement::kSpring   ? 1e4
                            : element == Foot2dElement::kLinear ? 100
                                                                : 1e9;
      EXPECT_NEAR(p.stiffness, raw[0] * most_k, 1e-9 * most_k);
      EXPECT_NEAR(p.damping, raw[1] * most_a, 1e-9 * most_a);
    }
  }
}

TEST(Foot2dPipeline, EachStepIsNoWorseThanTheOneBefore) {
  const Foot2dProblem problem = synthetic().problem({Foot2dElement::kLinear, {}});
  Foot2dPipelineSettings settings;
  settings.seeds = 2;
  settings.generations = 20;
  settings.population = 20;
  settings.rounds = 2;
  settings.threads = 1;
  const Foot2dPipelineResult one = run_foot2d_pipeline(problem, settings);
  settings.threads = 3;
  const Foot2dPipelineResult three = run_foot2d_pipeline(problem, settings);
  EXPECT_EQ(one.x, three.x);
  EXPECT_EQ(one.of_sqp, three.of_sqp);
  EXPECT_EQ(one.evaluations, three.evaluations);
  double least = kInfinity;
  for (size_t k = 0; k < 2; ++k) {
    EXPECT_LE(one.of_sqp[k], one.of_genetic[k]);
    least = std::min(least, one.of_sqp[k]);
  }
  EXPECT_LE(one.objective.total(), least);
  EXPECT_LT(one.objective.total(), 3);  // better than constants
  EXPECT_EQ(one.objective.total(), problem.objective(one.x.data()).total());
}

TEST(Foot2dPipeline, EndsWhenItsTimeIsOver) {
  const Foot2dProblem problem = synthetic().problem({Foot2dElement::kHyper, {}});
  Foot2dPipelineSettings settings;
  settings.generations = 100000;
  settings.time_limit = 0.2;
  const Foot2dPipelineResult result = run_foot2d_pipeline(problem, settings);
  EXPECT_FALSE(result.converged);
  EXPECT_LT(result.seconds, 20);  // generations are looked at in tens
  settings.population = 7;
  EXPECT_THROW(run_foot2d_pipeline(problem, settings), InputError);
}

}  // namespace
}  // namespace vesica::foot2d_fit_test
