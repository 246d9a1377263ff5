// Joint moments of recordings: a subject who stands still has the moments of statics, and what
// cannot be known is left out or refused.
#include "vesica/markers/dynamics.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "tests/markers/walking_people.h"
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

// All of the table that is used, typed once more from a transcription by others, against what comes
// out; and the shares of the mass of a whole body.
TEST(BodySegments, HaveEveryNumberOfTheTable) {
  struct Row {
    const char* segment;
    double mass, center, sagittal, transverse, longitudinal;
  };
  const Row female[] = {{"pelvis", 0.1247, 0.4920, 0.433, 0.402, 0.444},
                        {"thigh_r", 0.1478, 0.3612, 0.369, 0.364, 0.162},
                        {"shank_l", 0.0481, 0.4352, 0.267, 0.263, 0.092},
                        {"foot_r", 0.0129, 0.4014, 0.299, 0.279, 0.139}};
  const Row male[] = {{"pelvis", 0.1117, 0.6115, 0.615, 0.551, 0.587},
                      {"thigh_r", 0.1416, 0.4095, 0.329, 0.329, 0.149},
                      {"shank_l", 0.0433, 0.4395, 0.251, 0.246, 0.102},
                      {"foot_r", 0.0137, 0.4415, 0.257, 0.245, 0.124}};
  const Model model = load_gait();
  const Eigen::VectorXd d = model.start_values();
  for (const Sex sex : {Sex::kFemale, Sex::kMale}) {
    const BodySegments body = make_body_segments(model, d, 70, sex);
    for (const Row& row : sex == Sex::kFemale ? female : male) {
      const SegmentInertia& s = body.inertia[static_cast<size_t>(model.find_segment(row.segment))];
      EXPECT_NEAR(s.mass, 70 * row.mass, 1e-12) << row.segment;
      // Squares of the radii, largest first; the segment's length cancels in their ratios.
      Eigen::SelfAdjointEigenSolver<Mat3d> solver(s.I_center);
      Vec3d radii(row.sagittal, row.transverse, row.longitudinal);
      std::sort(radii.data(), radii.data() + 3);
      const Vec3d expected = radii.cwiseAbs2() / radii.cwiseAbs2().sum();
      const Vec3d found = solver.eigenvalues() / solver.eigenvalues().sum();
      EXPECT_LT((found - expected).norm(), 1e-12) << row.segment;
    }
    // Shank: its length is known, and so is where its centre lies.
    const Geometry geometry = calc_geometry(model, d);
    const Vec3d knee =
        geometry.joints[static_cast<size_t>(model.find_joint("knee_l"))].child_center.value;
    const Vec3d ankle =
        geometry.joints[static_cast<size_t>(model.find_joint("ankle_l"))].parent_center.value;
    const Row& shank = (sex == Sex::kFemale ? female : male)[2];
    const SegmentInertia& s = body.inertia[static_cast<size_t>(model.find_segment("shank_l"))];
    EXPECT_LT((s.center - knee - shank.center * (ankle - knee)).norm(), 1e-12);
    Eigen::SelfAdjointEigenSolver<Mat3d> solver(s.I_center);
    EXPECT_NEAR(std::sqrt(solver.eigenvalues()[2] / s.mass) / (ankle - knee).norm(), shank.sagittal,
                1e-12);
  }
  // Head, trunk in three parts, two of upper arm, forearm, hand, thigh, shank, foot.
  const double whole_female =
      0.0668 + 0.1545 + 0.1465 + 0.1247 + 2 * (0.0255 + 0.0138 + 0.0056 + 0.1478 + 0.0481 + 0.0129);
  const double whole_male =
      0.0694 + 0.1596 + 0.1633 + 0.1117 + 2 * (0.0271 + 0.0162 + 0.0061 + 0.1416 + 0.0433 + 0.0137);
  EXPECT_NEAR(whole_female, 1, 2e-4);  // 0.9999
  EXPECT_NEAR(whole_male, 1, 2e-4);    // 1.0000
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

// A given mass that plates contradict, forces of a trial at another speed. (Those of another walk
// at the same speed, 20 to 30 ms and some centimetres apart, cannot be told from scatter of one's
// own.)
TEST_F(Walk, WhatDoesNotFitIsTold) {
  for (const double mass : {70.9 * 0.97, 70.9 * 1.03}) {
    const Dynamics d = calc_dynamics(run_, 0, analyse_walk(), {mass});
    EXPECT_EQ(find_warning(d, "mass is given"), "");
    EXPECT_EQ(find_warning(d, "The forces come") + find_warning(d, "No foot is near"), "");
  }
  for (const double mass : {70.9 * 0.93, 80.0}) {
    EXPECT_NE(
        find_warning(calc_dynamics(run_, 0, analyse_walk(), {mass}), "the plates weigh 70.9 kg"),
        "");
  }
  const auto folder = vesica::test::shared_data() / "wbds07";
  forces_ = load_motion((folder / "WBDS07walkO04S.mot").string());
  const Dynamics other = calc_dynamics(run_, 0, analyse_walk(), {71});
  EXPECT_NE(find_warning(other, "The forces come") + find_warning(other, "No foot is near"), "");
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
  for (int r = 0; r < static_cast<int>(after.moments.rows()); ++r) {
    // 6 Hz at 150 frames a second: 13 frames on either side.
    const bool is_marked = r >= first - 13 && r <= last + 13;
    for (size_t c = 0; c < after.moments.columns.size(); ++c) {
      const bool right = after.moments.columns[c].name.ends_with("_r");
      const double was = before.moments.at(r, c), is = after.moments.at(r, c);
      if (right && is_marked) {
        EXPECT_TRUE(std::isnan(is)) << r;
        lost += std::isfinite(was);
      } else {
        EXPECT_TRUE(is == was || (std::isnan(is) && std::isnan(was))) << r;
      }
    }
  }
  EXPECT_GT(lost, 0);
  EXPECT_LT(after.known_frames, before.known_frames);
}

// Residuals at the pelvis; one of the people walked over two plates that read twice too much, which
// is told, and with them put right has a residual like everybody's. One comfortable walk each.
TEST(InverseDynamics, ResidualsOfPeople) {
  namespace fs = std::filesystem;
  const fs::path data = vesica::test::shared_data();
  if (!fs::exists(data)) GTEST_SKIP() << "no recordings at " << data;
  test::print_choice();
  double most = 0, wrong_most = 0;
  for (const test::Person& person : test::list_people({"wbds07", "WBDS18"})) {
    const bool is_wrong = person.name == "WBDS18";
    bool done = false;
    for (const fs::path walk : person.walks) {
      if (done && test::choose_walks() != test::Walks::kAll) break;
      markers::Run run;
      run.model = load_model(
          vesica::test::source_dir() + "/studies/markers/gait_wbds_standing.yaml", nullptr);
      calibrate(load_motion(person.standing), run.model);
      const MotionTrial motion = load_motion(walk.string());
      run.trials.push_back(make_trial(run.model, motion, walk.stem().string(), {}, nullptr));
      run_identification(run, {});
      MotionTrial joined =
          join(motion, load_motion(fs::path(walk).replace_extension(".mot").string()));
      double before = kMissing;
      if (is_wrong) {
        const TrialAnalysis analysis = analyse(joined, {});
        EXPECT_TRUE(analysis.plate_scale.is_off()) << walk;
        const Dynamics d = calc_dynamics(run, 0, analysis, {59});
        before = 100 * d.residual_rms / (d.mass * 9.80665);
        EXPECT_TRUE(std::any_of(d.warnings.begin(), d.warnings.end(), [](const std::string& w) {
          return w.find("their scales differ") != std::string::npos;
        }));
        wrong_most = std::max(wrong_most, std::isfinite(before) ? before : 0);
        for (const int plate : analysis.plate_scale.high) scale_plate(&joined, plate + 1, 0.5);
      }
      const TrialAnalysis analysis = analyse(joined, {});
      // Steps partly beside a plate: no stride can be weighed, and the next walk serves.
      if (analysis.weights.empty()) continue;
      const Dynamics d = calc_dynamics(run, 0, analysis, {});
      done = d.known_frames > 0;
      const double percent = 100 * d.residual_rms / (d.mass * 9.80665);
      fmt::print("  {}: {:.1f} kg, residual {:.1f} % of the weight over {} frames{}\n",
                 walk.stem().string(), d.mass, percent, d.known_frames,
                 std::isfinite(before) ? fmt::format("; {:.1f} % with plates as recorded", before)
                                       : std::string());
      if (std::isfinite(percent)) most = std::max(most, percent);
    }
  }
  fmt::print("  residual at most {:.1f} %; before the plates were put right {:.1f} %\n", most,
             wrong_most);
  EXPECT_LT(most, 20);
  EXPECT_GT(wrong_most, 25);
}

}  // namespace
}  // namespace vesica::markers::dynamics_test
