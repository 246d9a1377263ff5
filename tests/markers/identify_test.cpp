#include "vesica/markers/identify.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/markers/small_models.h"
#include "vesica/markers/confidence.h"
#include "vesica/markers/dense.h"
#include "vesica/markers/lower_extremity.h"
#include "vesica/markers/start.h"

namespace vesica::markers::identify_test {
namespace {

double max_error(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
  return (a - b).cwiseAbs().maxCoeff();
}

std::vector<Trial> make_gait(const Model& model, const Eigen::VectorXd& truth, int frames,
                             const MarkerNoise& noise = {}, std::uint64_t seed = 1) {
  return {make_synthetic_trial(model, truth, MotionKind::kGait, frames, 100, noise, seed).trial};
}

// Start values are up to 10 % of a length (4 cm), 10 deg and 3 cm away from the truth.
TEST(Identify, ParametersAreRecoveredFromExactMarkers) {
  const Model model = make_lower_extremity(false);
  const Eigen::VectorXd truth = make_subject(model, 1.0, 3);
  const auto trials = make_gait(model, truth, 255);
  const Identification result = identify(model, trials, {});
  EXPECT_TRUE(result.summary.converged) << result.summary.message;
  EXPECT_TRUE(result.summary.minimum);
  // Measured 1e-15.
  EXPECT_LT(max_error(result.d, truth), 1e-9);
  EXPECT_LT(result.summary.kkt_relative, 1e-12);
  EXPECT_LE(result.summary.iterations.size() + result.summary.start_iterations, 25u);
}

// A start whose right leg settles in a minimum of its own, 20 to 30 mm off in all frames.
TEST(Identify, ALimbInAMinimumOfItsOwnIsTriedAgain) {
  const Model model = make_lower_extremity(false);
  const Eigen::VectorXd truth = make_subject(model, 1.5, 101);
  const std::vector<Trial> trials{
      make_synthetic_trial(model, truth, MotionKind::kGait, 60, 50, {}, 1).trial};
  const Identification result = identify(model, trials, {});
  EXPECT_TRUE(result.summary.converged && result.summary.minimum) << result.summary.message;
  EXPECT_LT(max_error(result.d, truth), 1e-9);
  EXPECT_LE(result.summary.iterations.size() + result.summary.start_iterations, 25u);
}

TEST(Identify, FootAxesAreRecoveredFromRangeOfMotion) {
  const Model model = make_lower_extremity(true);
  const Eigen::VectorXd truth = make_subject(model, 1.0, 8);
  const std::vector<Trial> trials{
      make_synthetic_trial(model, truth, MotionKind::kRangeOfMotion, 480, 10, {}, 1).trial};
  const Identification result = identify(model, trials, {});
  EXPECT_TRUE(result.summary.converged && result.summary.minimum) << result.summary.message;
  EXPECT_LT(max_error(result.d, truth), 1e-9);
  EXPECT_LE(result.summary.iterations.size() + result.summary.start_iterations, 25u);
}

// Without the help of find_start: the all-frames problem from the model's own values.
TEST(Identify, NewtonConvergesQuadraticallyFromTheModelsValues) {
  const Model model = make_lower_extremity(false);
  const Eigen::VectorXd truth = make_subject(model, 1.0, 4);
  const auto trials = make_gait(model, truth, 120, {0.003, 0, 0.1, 0}, 5);
  Options options;
  options.find_start = false;
  const Identification result = identify(model, trials, options);
  ASSERT_TRUE(result.summary.converged) << result.summary.message;
  EXPECT_LE(result.summary.iterations.size(), 25u);
  EXPECT_LT(result.summary.kkt_relative, 1e-12);
  // The last step squares the residual: measured 9e-8 to 2e-14.
  const auto& it = result.summary.iterations;
  ASSERT_GE(it.size(), 3u);
  EXPECT_TRUE(it.back().newton);
  EXPECT_LT(result.summary.kkt_relative, 1e-4 * it.back().kkt);
}

TEST(Identify, TheSameBytesWithAnyNumberOfThreads) {
  const Model model = make_lower_extremity(false);
  const auto trials = make_gait(model, make_subject(model, 1.0, 3), 200, {0.002, 0, 0.1, 0.02}, 2);
  Options one, three;
  one.threads = 1;
  three.threads = 3;
  const Identification a = identify(model, trials, one), b = identify(model, trials, three);
  for (int k = 0; k < a.d.size(); ++k) EXPECT_EQ(a.d[k], b.d[k]);
  EXPECT_EQ(a.summary.objective, b.summary.objective);
  EXPECT_EQ(a.summary.iterations.size(), b.summary.iterations.size());
}

// The source's other stationary points: a foot pointing away from its markers.
TEST(Identify, FlippedFootIsASaddleAndIsLeft) {
  const Model model = make_lower_extremity(false);
  const Eigen::VectorXd truth = make_subject(model, 0.5, 3);
  const auto trials = make_gait(model, truth, 4, {0.002, 0, 0.1, 0}, 2);
  AllFrames frames(model, trials, 1);
  solve_frames(frames, truth);
  const double best = frames.calc_objective(truth);
  const int foot = model.find_segment("foot_l");
  FrameSolver solver(model, truth);
  SegmentPose* poses = frames.poses(0);
  const Vec3d up = as_rotation(poses[foot].q_WS) * Vec3d::UnitY();
  poses[foot] = turn_pose(poses[foot], kPi * up, Vec3d::Zero());
  solver.project(poses);
  EXPECT_GT(frames.calc_objective(truth), 10 * best);
  // Its second derivatives give it away.
  EXPECT_TRUE(frames.inspect(truth, Curvature::kNewton)[0].indefinite);
  EXPECT_FALSE(frames.inspect(truth, Curvature::kNewton)[1].indefinite);
  EXPECT_EQ(leave_saddles(frames, truth), 1);
  EXPECT_NEAR(frames.calc_objective(truth), best, 1e-12 * best);
}

TEST(Identify, IsNotHeldByFlippedFeetInTheStart) {
  const Model model = make_lower_extremity(false);
  const Eigen::VectorXd truth = make_subject(model, 0.5, 3);
  const auto trials = make_gait(model, truth, 40, {0.002, 0, 0.1, 0}, 2);
  Identification best = identify(model, trials, {});
  AllFrames frames(model, trials, 1);
  Eigen::VectorXd d = best.d;
  for (int f = 0; f < 40; ++f) {
    std::copy_n(best.frames.poses(f), model.segments.size(), frames.poses(f));
    if (f % 5 != 0) continue;
    SegmentPose& foot = frames.poses(f)[model.find_segment("foot_r")];
    foot = turn_pose(foot, kPi * (as_rotation(foot.q_WS) * Vec3d::UnitY()), Vec3d::Zero());
  }
  const Summary summary = solve_all_frames(frames, d, {});
  EXPECT_TRUE(summary.converged && summary.minimum) << summary.message;
  EXPECT_NEAR(summary.objective, best.summary.objective, 1e-10 * best.summary.objective);
}

TEST(Identify, RelationsBoundsAndPriorsHold) {
  Model model = make_lower_extremity(false);
  const auto trials = make_gait(model, make_subject(model, 1.0, 3), 100, {0.003, 0, 0.1, 0}, 2);
  const Identification free = identify(model, trials, {});
  const int l = model.find_parameter("thigh_length_l"), r = model.find_parameter("thigh_length_r");
  model.relations.push_back({"thighs alike", {{l, 1}, {r, -1}}, 0});
  model.finish();
  const Identification alike = identify(model, trials, {});
  EXPECT_TRUE(alike.summary.converged) << alike.summary.message;
  EXPECT_NEAR(alike.d[l], alike.d[r], 1e-14);
  EXPECT_GT(alike.summary.objective, free.summary.objective);

  const int w = model.find_parameter("pelvis_width");
  model.relations.clear();
  model.parameters[w].upper = free.d[w] - 0.004;
  model.parameters[w].start = std::min(model.parameters[w].start, model.parameters[w].upper);
  model.finish();
  const Identification bounded = identify(model, trials, {});
  EXPECT_TRUE(bounded.summary.converged) << bounded.summary.message;
  EXPECT_NEAR(bounded.d[w], model.parameters[w].upper, 1e-12);

  model.parameters[w].upper = 1;
  model.parameters[w].prior_mean = free.d[w] + 0.01;
  model.parameters[w].prior_sd = 1e-7;
  const Identification prior = identify(model, trials, {});
  EXPECT_NEAR(prior.d[w], free.d[w] + 0.01, 1e-6);
}

// Both thighs alike while one of them is at its bound: the bound holds through the relation.
TEST(Identify, ABoundHoldsThroughARelation) {
  Model model = make_lower_extremity(false);
  const auto trials = make_gait(model, make_subject(model, 1.0, 3), 80, {0.003, 0, 0.1, 0}, 2);
  const int l = model.find_parameter("thigh_length_l"), r = model.find_parameter("thigh_length_r");
  // 396 and 424 mm are the best values for each alone; alike they want to be near 410.
  model.relations.push_back({"thighs alike", {{l, 1}, {r, -1}}, 0});
  model.parameters[r].upper = 0.4;
  model.parameters[r].start = model.parameters[l].start = 0.39;
  model.finish();
  const Identification result = identify(model, trials, {});
  EXPECT_TRUE(result.summary.converged) << result.summary.message;
  EXPECT_LE(result.summary.iterations.size() + result.summary.start_iterations, 25u);
  EXPECT_NEAR(result.d[l], 0.4, 1e-12);
  EXPECT_NEAR(result.d[r], 0.4, 1e-12);
  // The other bound: pressed by its own gradient but pulled off by the partner's.
  model.parameters[r].upper = 0.45;
  model.parameters[l].upper = 0.43;
  model.parameters[l].lower = 0.405;
  const Identification inside = identify(model, trials, {});
  EXPECT_TRUE(inside.summary.converged) << inside.summary.message;
  EXPECT_NEAR(inside.d[l], inside.d[r], 1e-12);
  EXPECT_GE(inside.d[l], 0.405);
}

TEST(Identify, RobustLossIgnoresWildMarkers) {
  Model model = make_lower_extremity(false);
  const Eigen::VectorXd truth = make_subject(model, 1.0, 3);
  auto trials = make_gait(model, truth, 150, {0.001, 0, 0.1, 0}, 2);
  // One heel is 10 cm off in a third of the frames.
  const int heel = model.find_marker("LHEEL");
  for (int f = 0; f < 50; ++f) {
    trials[0].positions[f * trials[0].marker_count + heel] += Vec3d(0, 0.1, 0.05);
  }
  const Identification plain = identify(model, trials, {});
  model.loss = {LossType::kTukey, 0.02};
  const Identification robust = identify(model, trials, {});
  EXPECT_TRUE(robust.summary.converged) << robust.summary.message;
  const int y = model.find_parameter("LHEEL.y");
  EXPECT_GT(std::abs(plain.d[y] - truth[y]), 0.005);
  EXPECT_LT(std::abs(robust.d[y] - truth[y]), 0.001);
}

TEST(Identify, LossesAreWhatTheySay) {
  for (const Loss& loss : {Loss{LossType::kSquares, 0.01}, Loss{LossType::kHuber, 0.01},
                           Loss{LossType::kTukey, 0.01}}) {
    for (double r : {0.001, 0.009, 0.02}) {
      const double s = r * r, h = 1e-6 * s;
      const auto at = [&](double x) { return calc_loss(loss, x); };
      EXPECT_NEAR((at(s + h).rho - at(s - h).rho) / (2 * h), at(s).first, 1e-8);
      EXPECT_NEAR((at(s + h).first - at(s - h).first) / (2 * h) * s, at(s).second * s, 1e-7);
    }
  }
}

TEST(Identify, AHiddenLegForThirtyFramesDoesNoHarm) {
  const Model model = make_lower_extremity(false);
  const Eigen::VectorXd truth = make_subject(model, 1.0, 3);
  auto trials = make_gait(model, truth, 200);
  for (int f = 80; f < 110; ++f) {
    for (int m = 0; m < trials[0].marker_count; ++m) {
      const std::string& segment = model.segments[model.markers[m].segment].name;
      if (segment == "foot_l" || segment == "shank_l") {
        trials[0].weights[f * trials[0].marker_count + m] = 0;
        trials[0].positions[f * trials[0].marker_count + m].setConstant(std::nan(""));
      }
    }
  }
  const Identification result = identify(model, trials, {});
  EXPECT_TRUE(result.summary.converged) << result.summary.message;
  EXPECT_EQ(result.summary.undetermined_frames, 30);
  EXPECT_LT(max_error(result.d, truth), 1e-9);
}

// A planar four-bar of revolute joints: mobility 1 in the plane, three rows too many in space.
Model make_four_bar() {
  Model model;
  model.name = "four-bar";
  model.segments = {Segment{"crank"}, Segment{"coupler"}, Segment{"rocker"}};
  const int length = model.add_parameter({"coupler_length", Unit::kMeter, 0.3});
  const auto hinge = [](const char* name, int parent, int child, const Point& p, const Point& c) {
    Joint joint;
    joint.name = name;
    joint.type = JointType::kRevolute;
    joint.parent = parent;
    joint.child = child;
    joint.parent_center = p;
    joint.child_center = c;
    return joint;
  };
  Point end = test::make_point(0, 0, 0);
  end.coordinate[0] = test::by_parameter(length);
  model.joints = {hinge("a", kGround, 0, test::make_point(0, 0, 0), test::make_point(0, 0, 0)),
                  hinge("b", 0, 1, test::make_point(0.1, 0, 0), test::make_point(0, 0, 0)),
                  hinge("c", 1, 2, end, test::make_point(0.2, 0, 0)),
                  hinge("d", kGround, 2, test::make_point(0.3, 0, 0), test::make_point(0, 0, 0))};
  int k = 0;
  for (int s = 0; s < 3; ++s) {
    for (const Vec3d& u :
         {Vec3d(0.02, 0.03, 0.01), Vec3d(0.08, -0.02, 0), Vec3d(0.05, 0.04, -0.02)}) {
      model.markers.push_back(
          {fmt::format("m{}", k++), s, test::make_point(u.x(), u.y(), u.z()), 1, ""});
    }
  }
  model.finish();
  return model;
}

TEST(Identify, LoopIsSolvedAndItsRedundantConstraintsNamed) {
  const Model model = make_four_bar();
  ASSERT_EQ(model.loop_joints.size(), 1u);
  Eigen::VectorXd truth(1);
  truth << 0.28;
  // Truth by geometry, not by the code under test: circle intersection for each crank angle.
  Trial trial;
  trial.marker_count = static_cast<int>(model.markers.size());
  const Geometry geometry = calc_geometry(model, truth);
  for (int f = 0; f < 40; ++f) {
    const double angle = 0.6 + 0.03 * f;
    const Vec3d b(0.1 * std::cos(angle), 0.1 * std::sin(angle), 0), d(0.3, 0, 0);
    const double L = truth[0], r = 0.2, dist = (d - b).norm();
    const double along = (L * L - r * r + dist * dist) / (2 * dist);
    const double off = std::sqrt(L * L - along * along);
    const Vec3d e = (d - b) / dist, n(-e.y(), e.x(), 0);
    const Vec3d c = b + along * e + off * n;
    const auto pose = [](const Vec3d& p, const Vec3d& toward) {
      const double turn = std::atan2(toward.y() - p.y(), toward.x() - p.x());
      return SegmentPose{p, quaternion_from_rotation_vector(Vec3d(0, 0, turn))};
    };
    const SegmentPose poses[3] = {pose(Vec3d::Zero(), b), pose(b, c), pose(d, c)};
    for (int m = 0; m < trial.marker_count; ++m) {
      trial.positions.push_back(calc_marker(geometry, model, m, poses));
      trial.weights.push_back(1);
    }
  }
  const std::vector<Trial> trials{trial};
  Identification result = identify(model, trials, {});
  EXPECT_TRUE(result.summary.converged) << result.summary.message;
  EXPECT_LT(result.summary.constraint, 1e-12);
  EXPECT_NEAR(result.d[0], 0.28, 1e-9);
  const Plan plan(model, false);
  const auto redundant =
      find_redundant_constraints(plan, plan.calc_geometry(result.d), result.frames.poses(0));
  ASSERT_EQ(redundant.size(), 3u);
  for (const std::string& row : redundant) EXPECT_EQ(row[0], 'd') << row;
}

}  // namespace
}  // namespace vesica::markers::identify_test
