// Joint moments of recordings: a subject who stands still has the moments of statics, and what
// cannot be known is left out or refused.
#include "vesica/markers/dynamics.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/support.h"
#include "vesica/io/load_motion.h"
#include "vesica/markers/inverse_dynamics.h"
#include "vesica/markers/model_file.h"
#include "vesica/markers/run.h"
#include "vesica/markers/standing.h"
#include "vesica/motion/trial_edit.h"

namespace vesica::markers::dynamics_test {
namespace {

using vesica::test::input_error_of;

const Vec3d kDown(0, -9.80665, 0);

Model load_gait() {
  return load_model(vesica::test::source_dir() + "/studies/markers/gait_wbds.yaml", nullptr);
}

// Table 4 itself: a foot, a shank and a thigh of a man are 19.86 % of him, of a woman 20.88 %.
TEST(BodySegments, AreDeLevas) {
  const Model model = load_gait();
  const Eigen::VectorXd d = model.start_values();
  for (const auto& [sex, leg, pelvis] :
       {std::tuple{Sex::kMale, 0.1986, 0.1117}, std::tuple{Sex::kFemale, 0.2088, 0.1247}}) {
    const BodySegments body = make_body_segments(model, d, 80, sex);
    EXPECT_NEAR(body.rest, 80 * (1 - 2 * leg - pelvis), 1e-9);
    const SegmentInertia& thigh = body.inertia[static_cast<size_t>(model.find_segment("thigh_r"))];
    // Down the thigh of 0.4 m, in the line of its joints.
    EXPECT_NEAR(thigh.center.y(), -0.4 * (sex == Sex::kMale ? 0.4095 : 0.3612), 1e-12);
    const double radius = sex == Sex::kMale ? 0.149 : 0.162;
    EXPECT_NEAR(thigh.I_center(1, 1), thigh.mass * std::pow(0.4 * radius, 2), 1e-12);
  }
}

TEST(InverseDynamics, OneWhoStandsStillHasTheMomentsOfStatics) {
  const Model model = load_gait();
  const Eigen::VectorXd d = model.start_values();
  const Geometry geometry = calc_geometry(model, d);
  const BodySegments body = make_body_segments(model, d, 70, Sex::kUnstated);
  const size_t n = model.segments.size();
  std::vector<SegmentMotion> motions(n);  // all frames aligned with the laboratory
  for (const int s : model.order) {
    const int j = model.tree_joint[s];
    if (j < 0) continue;
    motions[s].p_WS = motions[model.joints[j].parent].p_WS +
                      geometry.joints[j].parent_center.value -
                      geometry.joints[j].child_center.value;
  }
  const int foot = model.find_segment("foot_r"), ankle = model.find_joint("ankle_r"),
            knee = model.find_joint("knee_r");
  // Half of the weight under the right foot, 10 cm in front of the ankle, the other under the left.
  const double half = 35 * 9.80665;
  std::vector<Wrench<double>> external(n, {Vec3d::Zero(), Vec3d::Zero()});
  for (const char* name : {"foot_l", "foot_r"}) {
    const int s = model.find_segment(name);
    external[s].f_W = Vec3d(0, half, 0);
    external[s].tau_W = (motions[s].p_WS + Vec3d(0.1, -0.05, 0)).cross(external[s].f_W);
  }
  const FrameLoads loads =
      calc_frame_loads(model, geometry, motions.data(), body.inertia, external, kDown);
  // By hand: the force turns the toes up with 0.1 m of arm, the foot's own weight turns them down.
  const SegmentInertia& f = body.inertia[foot];
  const double expected = -(0.1 * half - f.center.x() * f.mass * 9.80665);
  EXPECT_NEAR(loads.joints[ankle].moment.z(), expected, 1e-9);
  EXPECT_NEAR(loads.joints[ankle].force.y(), -(half - f.mass * 9.80665), 1e-9);
  EXPECT_NEAR(loads.joints[knee].moment.z(), expected, 1e-9);  // the knee is above the ankle
  // The rest of the body weighs on the root.
  EXPECT_NEAR(loads.root[model.order.front()].f_W.y(), -body.rest * 9.80665, 1e-9);
  EXPECT_EQ(loads.joints[ankle].power, 0);
}

class Walk : public testing::Test {
 protected:
  void SetUp() override {
    const auto folder = vesica::test::shared_data() / "wbds07";
    if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no recordings at " << folder;
    motion_ = load_motion((folder / "WBDS07walkO04C.trc").string());
    forces_ = load_motion((folder / "WBDS07walkO04C.mot").string());
    const MotionTrial standing = load_motion((folder / "WBDS07static1.trc").string());
    run_.model = load_model(vesica::test::source_dir() + "/studies/markers/gait_wbds_standing.yaml",
                            nullptr);
    calibrate(standing, run_.model);
    run_.trials.push_back(make_trial(run_.model, motion_, "walk", {}, nullptr));
    run_identification(run_, {});
  }
  TrialAnalysis analyse_walk() { return analyse(join(motion_, forces_), {}); }

  MotionTrial motion_, forces_;
  markers::Run run_;
};

// Ranges of healthy adults at comfortable speed (Winter 1991; Fukuchi et al. 2018 for this very
// data set): plantarflexors 1.2 to 1.8 N m/kg, hip abductors 0.6 to 1.3, ankle power 2 to 5 W/kg.
TEST_F(Walk, MomentsAreThoseOfWalking) {
  const Dynamics d = calc_dynamics(run_, 0, analyse_walk(), {});
  EXPECT_NEAR(d.mass, 697 / 9.80665, 1);  // 697 N from whole strides
  for (const std::string side : {"_l", "_r"}) {
    const auto least = [&](const TimeTable& table, const std::string& name) {
      double low = 0;
      for (const double x : table.column(name + side))
        low = std::isfinite(x) ? std::min(low, x) : low;
      return low / d.mass;
    };
    const double ankle = least(d.moments, "ankle_dorsiflexion_moment");
    EXPECT_TRUE(ankle < -1.2 && ankle > -1.8) << ankle;
    const double hip = least(d.moments, "hip_adduction_moment");
    EXPECT_TRUE(hip < -0.6 && hip > -1.3) << hip;
  }
  // Measured: 6.3 % of the weight.
  EXPECT_LT(d.residual_rms, 0.1 * d.mass * 9.80665);
  EXPECT_GT(d.known_frames, 200);
  EXPECT_FALSE(d.unknown.empty());  // the walk begins and ends beside the plates
  // The same moment in other axes has the same length where they are square.
  DynamicsOptions distal;
  distal.axes = JointAngles::Axes::kDistal;
  const Dynamics other = calc_dynamics(run_, 0, analyse_walk(), distal);
  for (size_t r = 0; r < d.moments.rows(); ++r) {
    const auto length = [&](const TimeTable& t) {
      return std::hypot(t.at(r, 0), t.at(r, 1), t.at(r, 2));
    };
    if (std::isfinite(d.moments.at(r, 0))) {
      EXPECT_NEAR(length(d.moments), length(other.moments), 1e-9);
    }
  }
}

TEST_F(Walk, WhatCannotBeIsSaid) {
  TrialAnalysis late = analyse_walk();
  for (PlateForces& plate : late.plates) {
    for (double& t : plate.times) t += 100;
  }
  EXPECT_NE(
      input_error_of([&] { calc_dynamics(run_, 0, late, {}); }).find("do not belong together"),
      std::string::npos);
  TrialAnalysis no_weight = analyse_walk();
  no_weight.weights.clear();
  EXPECT_NE(input_error_of([&] { calc_dynamics(run_, 0, no_weight, {}); }).find("--mass"),
            std::string::npos);
  TrialAnalysis shared = analyse_walk();
  for (PlateContact& c : shared.contacts) c.foot = Foot::kBoth;
  EXPECT_NE(input_error_of([&] {
              calc_dynamics(run_, 0, shared, {});
            }).find("both feet stand on one plate"),
            std::string::npos);
  TrialAnalysis bare = analyse_walk();
  bare.plates.clear();
  EXPECT_NE(input_error_of([&] { calc_dynamics(run_, 0, bare, {70}); }).find("no force plates"),
            std::string::npos);
}

std::string find_warning(const Dynamics& d, const std::string& words) {
  for (const std::string& w : d.warnings) {
    if (w.find(words) != std::string::npos) return w;
  }
  return {};
}

TEST_F(Walk, AMassThatThePlatesContradictIsTold) {
  const double weighed = calc_dynamics(run_, 0, analyse_walk(), {}).mass;
  for (const double share : {0.97, 1.0, 1.03}) {
    const Dynamics d = calc_dynamics(run_, 0, analyse_walk(), {share * weighed});
    EXPECT_EQ(find_warning(d, "mass given"), "") << share;
  }
  for (const double share : {0.87, 1.13}) {
    const Dynamics d = calc_dynamics(run_, 0, analyse_walk(), {share * weighed});
    EXPECT_NE(find_warning(d, share > 1 ? "13 % more than" : "13 % less than"), "") << share;
  }
}

// A marked pose of one leg leaves out the moments of that leg there, with what the filter spreads,
// and no others.
TEST_F(Walk, FramesThatAreMarkedHaveNoMoments) {
  const Dynamics before = calc_dynamics(run_, 0, analyse_walk(), {});
  const int first = 200, last = 210;
  for (int f = first; f <= last; ++f) {
    run_.marks.reason[f] = MarkReason::kLoose;
    run_.marks.segment[f] = run_.model.find_segment("shank_r");
  }
  const Dynamics after = calc_dynamics(run_, 0, analyse_walk(), {});
  EXPECT_NE(find_warning(after, "the pose of shank_r is not to be relied on in frames 201 to 211"),
            "");
  int lost = 0;
  for (size_t r = 0; r < after.moments.rows(); ++r) {
    for (size_t c = 0; c < after.moments.columns.size(); ++c) {
      const bool right = after.moments.columns[c].name.ends_with("_r");
      const double was = before.moments.at(r, c), is = after.moments.at(r, c);
      if (right && std::abs(static_cast<int>(r) - (first + last) / 2) <= 5) {
        EXPECT_TRUE(std::isnan(is)) << r;
        lost += std::isfinite(was);
      } else if (!right || r < first - 12 || r > last + 12) {
        EXPECT_TRUE(is == was || (std::isnan(is) && std::isnan(was))) << r;
      }
    }
  }
  EXPECT_GT(lost, 0);
  EXPECT_LT(after.known_frames, before.known_frames);
}

TEST_F(Walk, ForcesOfAnotherTrialAreDoubted) {
  EXPECT_EQ(find_warning(calc_dynamics(run_, 0, analyse_walk(), {}), "of this trial"), "");
  const auto folder = vesica::test::shared_data() / "wbds07";
  // A slow walk's. Those of another walk at the same speed, 20 to 30 ms and some centimetres apart,
  // cannot be told from scatter of one's own (docs/howto/markers.md).
  for (const char* name : {"WBDS07walkO04S.mot"}) {
    const MotionTrial other = load_motion((folder / name).string());
    const TrialAnalysis analysis = analyse(join(motion_, other), {});
    std::string said;
    try {
      said = find_warning(calc_dynamics(run_, 0, analysis, {70}), "of this trial");
    } catch (const InputError& e) {
      said = e.what();
    }
    EXPECT_NE(said, "") << name;
  }
}

}  // namespace
}  // namespace vesica::markers::dynamics_test
