// Model files, recordings, and input that is wrong in the ways that happen.
#include "vesica/markers/recording.h"
#include "tests/support/support.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/markers/small_models.h"
#include "vesica/error.h"
#include "vesica/io/load_motion.h"
#include "vesica/markers/lower_extremity.h"
#include "vesica/markers/model_file.h"
#include "vesica/markers/outputs.h"
#include "vesica/markers/run.h"

namespace vesica::markers::recording_test {
namespace {

using vesica::test::input_error_of;

std::string study(const char* name) {
  return vesica::test::source_dir() + "/studies/markers/" + name;
}

MotionTrial as_motion(const Model& model, const Trial& trial) {
  MotionTrial motion;
  motion.file = "synthetic.trc";
  for (const Marker& m : model.markers) motion.markers.labels.push_back(m.name);
  motion.markers.rate = trial.rate;
  motion.markers.positions = trial.positions;
  for (int f = 0; f < trial.frame_count(); ++f) motion.markers.times.push_back(f / trial.rate);
  return motion;
}

struct Synthetic {
  Model model = make_lower_extremity(false);
  Eigen::VectorXd truth = make_subject(model, 1, 3);
  MotionTrial motion;
  explicit Synthetic(int frames, double noise = 0.001) {
    motion = as_motion(model, make_synthetic_trial(model, truth, MotionKind::kGait, frames, 100,
                                                   {noise, 0, 0.1, 0}, 4)
                                  .trial);
  }
};

Run fit(const Model& model, const std::vector<MotionTrial>& motions) {
  Run run;
  run.model = model;
  for (size_t k = 0; k < motions.size(); ++k) {
    run.trials.push_back(
        make_trial(run.model, motions[k], fmt::format("trial {}", k + 1), {}, &run.warnings));
  }
  run_identification(run, {});
  return run;
}

bool has_warning(const Run& run, const std::vector<std::string>& words) {
  return std::any_of(run.warnings.begin(), run.warnings.end(), [&](const std::string& w) {
    return std::all_of(words.begin(), words.end(),
                       [&](const auto& word) { return w.find(word) != std::string::npos; });
  });
}

TEST(ModelFile, LowerExtremityFileIsTheModelInCode) {
  const Model file = load_model(study("lower_extremity.yaml"), nullptr);
  const Model code = make_lower_extremity(true);
  ASSERT_EQ(file.parameter_count(), code.parameter_count());
  const Eigen::VectorXd d = make_subject(code, 1, 5);
  Eigen::VectorXd e(d.size());
  for (int k = 0; k < d.size(); ++k) {
    std::string name = code.parameters[k].name;
    const auto dot = name.find('.');
    // The file's names say which side's axis it is.
    if (file.find_parameter(name) < 0) name.insert(dot, ".parent_axis");
    ASSERT_GE(file.find_parameter(name), 0) << name;
    e[file.find_parameter(name)] = d[k];
  }
  const Geometry a = calc_geometry(code, d), b = calc_geometry(file, e);
  for (size_t m = 0; m < code.markers.size(); ++m) {
    const int other = file.find_marker(code.markers[m].name);
    EXPECT_LT((a.markers[m].value - b.markers[other].value).norm(), 1e-15);
  }
  for (size_t j = 0; j < code.joints.size(); ++j) {
    const int other = file.find_joint(code.joints[j].name);
    EXPECT_LT((a.joints[j].parent_center.value - b.joints[other].parent_center.value).norm(),
              1e-15);
    for (size_t r = 0; r < a.joints[j].rows.size(); ++r) {
      EXPECT_LT(
          (a.joints[j].rows[r].on_parent.value - b.joints[other].rows[r].on_parent.value).norm(),
          1e-15);
    }
  }
}

TEST(ModelFile, MistakesAreNamedWithTheirLine) {
  const auto message = [](const std::string& text) {
    return input_error_of([&] { read_model(InputFile::parse(text, "leg.yaml")); });
  };
  const std::string head = "vesica: 1\nmodel: leg\nsegments:\n  thigh: {scale: uniform}\n";
  EXPECT_NE(
      message(head + "markers:\n  K: {segment: shin, position: [0, 0, 0]}\n").find("leg.yaml:6"),
      std::string::npos);
  EXPECT_NE(message(head + "markers:\n  K: {segment: thigh, position: [0, 0, 1 kg]}\n")
                .find("leg.yaml:6"),
            std::string::npos);
  EXPECT_NE(
      message(head + "markers:\n  K: {segment: thigh, positon: [0, 0, 0]}\n").find("position"),
      std::string::npos);
  EXPECT_NE(message(head + "markers:\n  K: {segment: thigh, position: [0, 0, 0]}\n"
                           "parameters:\n  thigh.lenght: {start: 1}\n")
                .find("thigh.scale"),
            std::string::npos);
}

// Names and numbers are those of scenes; joints that marker models cannot hold are refused.
TEST(ModelFile, JointsAreThoseOfScenes) {
  const Model model = test::make_all_joints();
  std::vector<std::string> names;
  for (const auto& c : list_joint_coordinates(model)) names.push_back(c.name);
  for (const char* name : {"hinge_angle", "cross_angle1", "cross_angle2", "gate_angle"}) {
    EXPECT_EQ(std::count(names.begin(), names.end(), name), 1) << name;
  }
  int open = 0;  // 6 for the root, 3 for the ball, 1 for each hinge, 2 for the cross
  for (const Joint& joint : model.joints) open += 6 - calc_constraint_count(joint.type);
  EXPECT_EQ(static_cast<size_t>(open + 6), names.size());
  EXPECT_EQ(names.size(), 13u);

  const std::string text =
      "vesica: 1\nmodel: leg\nsegments: {thigh: {}, shank: {}}\n"
      "joints:\n  knee: {type: prismatic, parent: thigh, child: shank}\n"
      "markers:\n  K: {segment: thigh, position: [0, 0, 0]}\n";
  const std::string message =
      input_error_of([&] { read_model(InputFile::parse(text, "leg.yaml")); });
  EXPECT_NE(message.find("leg.yaml:5"), std::string::npos) << message;
  EXPECT_NE(message.find("universal"), std::string::npos) << message;
  Model other = model;
  other.joints.front().type = JointType::kPlanar;
  EXPECT_NE(input_error_of([&] { other.finish(); }).find("no planar joints"), std::string::npos);
}

TEST(Recording, MillimetresTakenForMetresAreFound) {
  Synthetic s(60);
  for (Vec3d& p : s.motion.markers.positions) p *= 1000;
  const std::string message = input_error_of([&] { fit(s.model, {s.motion}); });
  EXPECT_NE(message.find("unit"), std::string::npos) << message;
}

TEST(Recording, PositionsThatCannotBeAreErrors) {
  Synthetic s(20);
  s.motion.markers.at(7, 2).x() = 1e300;
  const std::string message = input_error_of([&] { fit(s.model, {s.motion}); });
  EXPECT_NE(message.find("'LASIS' is 1e+300 m away in frame 8"), std::string::npos) << message;
}

// Zeros where a marker was not seen, as some systems write them.
TEST(Recording, MarkersAtTheOriginForAWhileAreNotSeen) {
  Synthetic s(120, 0);
  const size_t heel = s.motion.markers.find("LHEEL");
  for (size_t f = 40; f < 50; ++f) s.motion.markers.at(f, heel).setZero();
  const auto run = fit(s.model, {s.motion});
  EXPECT_EQ(run.errors.markers[heel].missing, 10);
  EXPECT_LT((run.id->d - s.truth).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_TRUE(has_warning(run, {"'LHEEL'", "origin", "10 frames"}));
}

TEST(Recording, AMarkerFarOffForAWhileIsNamed) {
  Synthetic s(120);
  const size_t toe = s.motion.markers.find("RTOE");
  for (size_t f = 70; f < 78; ++f) s.motion.markers.at(f, toe) += Vec3d(0, 0.2, 0.1);
  Model robust = s.model;
  robust.loss = {LossType::kTukey, 0.02};
  const auto run = fit(robust, {s.motion});
  EXPECT_TRUE(has_warning(run, {"RTOE", "mm off in frames 71 to 78"}));
}

TEST(Recording, ExchangedSidesAreFound) {
  Synthetic s(60);
  for (std::string& label : s.motion.markers.labels) label[0] = label[0] == 'L' ? 'R' : 'L';
  const std::string message = input_error_of([&] { fit(s.model, {s.motion}); });
  EXPECT_NE(message.find("left and right"), std::string::npos) << message;
}

TEST(Recording, NoMarkerOfTheModelIsAnError) {
  Synthetic s(10);
  for (std::string& label : s.motion.markers.labels) label = "x" + label;
  const std::string message = input_error_of([&] { fit(s.model, {s.motion}); });
  EXPECT_NE(message.find("xRPSIS"), std::string::npos) << message;
}

TEST(Recording, RowsWithoutAnyMarkerAndPrefixesAreTaken) {
  Synthetic s(120, 0);
  const size_t n = s.motion.markers.markers();
  for (size_t f = 30; f < 33; ++f) {
    for (size_t m = 0; m < n; ++m) s.motion.markers.at(f, m).setConstant(std::nan(""));
  }
  for (std::string& label : s.motion.markers.labels) label = "Subject1:" + label;
  const auto run = fit(s.model, {s.motion});
  EXPECT_TRUE(run.id->summary.converged);
  EXPECT_EQ(run.id->summary.undetermined_frames, 3);
  // Measured 1e-15.
  EXPECT_LT((run.id->d - s.truth).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_EQ(run.errors.markers[0].missing, 3);
  EXPECT_FALSE(run.warnings.empty());
}

TEST(Recording, CoordinatesOfMarkersThatAreNeverSeenAreListedAtOnce) {
  Synthetic s(80, 0);
  const size_t heel = s.motion.markers.find("LHEEL");
  s.motion.markers.labels[heel] = "unknown";
  const auto run = fit(s.model, {s.motion});
  EXPECT_TRUE(run.id->summary.converged) << run.id->summary.message;
  ASSERT_EQ(run.confidence.undetermined.size(), 1u);
  EXPECT_EQ(run.confidence.undetermined[0].text, "LHEEL.x, LHEEL.y, LHEEL.z");
  for (int k = 0; k < run.id->d.size(); ++k) {
    const bool of_heel = s.model.parameters[k].name.rfind("LHEEL", 0) == 0;
    EXPECT_EQ(run.confidence.identifiable[k], !of_heel) << s.model.parameters[k].name;
    if (of_heel) continue;
    EXPECT_NEAR(run.id->d[k], s.truth[k], 1e-9) << s.model.parameters[k].name;
  }
}

TEST(Recording, TwoMarkersExchangedForAWhileAreNamed) {
  Synthetic s(120);
  const size_t a = s.motion.markers.find("LTOE"), b = s.motion.markers.find("LHEEL");
  for (size_t f = 50; f < 60; ++f) std::swap(s.motion.markers.at(f, a), s.motion.markers.at(f, b));
  Model robust = s.model;
  robust.loss = {LossType::kHuber, 0.005};
  const auto run = fit(robust, {s.motion});
  EXPECT_TRUE(has_warning(run, {"LTOE", "LHEEL", "51 to 60"}));
}

// Where most frames have them exchanged the model takes that for usual; the tracks still tell.
TEST(Recording, TwoMarkersExchangedForMostOfATrialAreNamed) {
  Synthetic s(120);
  const size_t a = s.motion.markers.find("LTOE"), b = s.motion.markers.find("LHEEL");
  for (size_t f = 30; f < 120; ++f) std::swap(s.motion.markers.at(f, a), s.motion.markers.at(f, b));
  Model robust = s.model;
  robust.loss = {LossType::kHuber, 0.005};
  const auto run = fit(robust, {s.motion});
  EXPECT_TRUE(has_warning(run, {"LTOE", "LHEEL", "frames 31 to 120, or before"}));
}

// Two clusters and a ball joint whose centre is found in both: turning about one axis alone leaves
// the centre free along that axis.
TEST(Confidence, UndeterminedCombinationIsNamedWithARemedy) {
  markers::Run run;
  Model& model = run.model;
  model.name = "two clusters";
  model.segments = {Segment{"a"}, Segment{"b"}};
  Joint ball{"ball", JointType::kSpherical, 0, 1, {}, {}, {}, {}};
  const Vec3d on_a(0.02, -0.1, 0.03), on_b(-0.01, 0.2, 0.02);
  for (int k = 0; k < 3; ++k) {
    ball.parent_center.coordinate[k] = test::by_parameter(
        model.add_parameter({fmt::format("a.{}", "xyz"[k]), Unit::kMeter, on_a[k]}));
    ball.child_center.coordinate[k] = test::by_parameter(
        model.add_parameter({fmt::format("b.{}", "xyz"[k]), Unit::kMeter, on_b[k]}));
  }
  model.joints = {ball};
  int name = 0;
  for (int s = 0; s < 2; ++s) {
    for (const Vec3d& u : {Vec3d(0.1, 0, 0.02), Vec3d(-0.02, 0.1, -0.05), Vec3d(0.03, -0.1, 0.1)}) {
      model.markers.push_back(
          {fmt::format("m{}", name++), s, test::make_point(u.x(), u.y(), u.z()), 1, ""});
    }
  }
  model.finish();
  const Eigen::VectorXd truth = model.start_values();
  Trial trial;
  trial.name = "flexion";
  trial.marker_count = 6;
  std::vector<SegmentPose> poses(2);
  const Geometry geometry = calc_geometry(model, truth);
  std::mt19937_64 random(5);
  for (int f = 0; f < 60; ++f) {
    std::vector<double> q{0, 1, 0, 0, 0, 0, 0.02 * f - 0.6, 0, 0};
    place_segments(model, truth, q, poses.data());
    for (int m = 0; m < 6; ++m) {
      trial.positions.push_back(calc_marker(geometry, model, m, poses.data()));
      trial.weights.push_back(1);
    }
  }
  run.trials.push_back(trial);
  run_identification(run, {});
  ASSERT_EQ(run.confidence.undetermined.size(), 1u);
  const Combination& c = run.confidence.undetermined.front();
  EXPECT_EQ(c.terms.size(), 2u) << c.text;
  EXPECT_NE(c.text.find("a.z"), std::string::npos) << c.text;
  EXPECT_NE(c.text.find("b.z"), std::string::npos) << c.text;
  EXPECT_TRUE(c.remedy.find("ball_adduction") != std::string::npos ||
              c.remedy.find("ball_rotation") != std::string::npos)
      << c.remedy;
  for (int k = 0; k < 6; ++k) {
    const bool along = model.parameters[k].name.find('z') != std::string::npos;
    EXPECT_EQ(run.confidence.identifiable[k], !along) << model.parameters[k].name;
  }
}

// A small problem; markers_bench --all has the large ones.
TEST(Confidence, IntervalsHoldTheTruthAsOftenAsTheySay) {
  const Model model = test::make_chain();
  const Eigen::VectorXd truth = model.start_values();
  constexpr int kRepetitions = 200;
  double held = 0;
  for (int r = 0; r < kRepetitions; ++r) {
    std::mt19937_64 random(100 + r);
    std::normal_distribution<double> normal;
    auto made = test::make_random_trial(model, truth, 40, 0, random);
    for (Vec3d& p : made.trial.positions)
      p += 0.001 * Vec3d(normal(random), normal(random), normal(random));
    for (double& w : made.trial.weights) w = 1;
    const std::vector<Trial> trials{made.trial};
    Options options;
    options.find_start = false;
    Identification id = identify(model, trials, options);
    const Confidence c = calc_confidence(id, trials);
    for (int k = 0; k < truth.size(); ++k) held += std::abs(id.d[k] - truth[k]) < c.half_width[k];
  }
  // 1200 intervals, one standard deviation 0.6 %.
  EXPECT_NEAR(held / (kRepetitions * truth.size()), 0.95, 0.02);
}

class RealData : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(vesica::test::shared_data())) GTEST_SKIP() << "no shared data";
  }
  markers::Run fit_files(const char* model, const std::vector<std::string>& files) {
    std::vector<MotionTrial> motions;
    for (const std::string& f : files) {
      motions.push_back(load_motion((vesica::test::shared_data() / f).string()));
    }
    return fit(load_model(study(model), nullptr), motions);
  }
};

TEST_F(RealData, GaitOfWbds) {
  const auto run = fit_files("gait_wbds.yaml", {"wbds07/WBDS07walkO04C.trc"});
  EXPECT_TRUE(run.id->summary.converged && run.id->summary.minimum) << run.id->summary.message;
  // The source's subject: 5.5 to 6.5 mm. Measured 5.6.
  EXPECT_LT(run.errors.all.mean, 0.0065);
  // Joint angles of walking: knees bend by 45 to 80 deg.
  const TimeTable table = make_joint_table(run, 0);
  const auto knee = table.column(table.find("knee_flexion_r"));
  const auto [low, high] = std::minmax_element(knee.begin(), knee.end());
  EXPECT_GT(*high - *low, 45);
  EXPECT_LT(*high - *low, 80);
}

// Skin moves knee markers by centimetres: a width below that lets go of good markers in turn and
// the fit goes round. Squares and Tukey's loss then differ by little, because no marker is wild.
TEST_F(RealData, TukeyTakesItsWidthFromTheRecording) {
  const auto walk =
      load_motion((vesica::test::shared_data() / "wbds07/WBDS07walkO04C.trc").string());
  const auto squares = fit(load_model(study("gait_wbds.yaml"), nullptr), {walk});
  Model model = load_model(study("gait_wbds.yaml"), nullptr);
  model.loss = {LossType::kTukey, 0.01, true};
  const auto run = fit(model, {walk});
  EXPECT_TRUE(run.id->summary.converged && run.id->summary.minimum) << run.id->summary.message;
  EXPECT_GE(run.model.loss.width, 0.02);
  EXPECT_LE(run.model.loss.width, 0.1);
  EXPECT_LT(run.errors.all.mean, 1.2 * squares.errors.all.mean);
}

// Each of two walks alone and both together: differences within the intervals. Recordings share the
// model's own error, so a few parameters may still differ.
TEST_F(RealData, TwoWalksTogetherAgreeWithEachAlone) {
  const std::string a = "wbds07/WBDS07walkO04C.trc", b = "wbds07/WBDS07walkO05C.trc";
  const auto one = fit_files("gait_wbds.yaml", {a}), two = fit_files("gait_wbds.yaml", {b});
  const auto both = fit_files("gait_wbds.yaml", {a, b});
  EXPECT_EQ(both.id->frames.frame_count(),
            one.id->frames.frame_count() + two.id->frames.frame_count());
  int agree = 0, count = 0;
  for (const auto* alone : {&one, &two}) {
    for (int k = 0; k < both.id->d.size(); ++k, ++count) {
      const double allowed =
          std::hypot(alone->confidence.robust_half_width[k], both.confidence.robust_half_width[k]);
      agree += std::abs(alone->id->d[k] - both.id->d[k]) < allowed;
    }
  }
  EXPECT_GT(agree, 0.9 * count) << agree << " of " << count;
}

TEST_F(RealData, HipCentreFromFunctionalTrial) {
  const auto run = fit_files("functional_hip.yaml", {"functional/right_hip.c3d"});
  EXPECT_TRUE(run.id->summary.converged) << run.id->summary.message;
  EXPECT_TRUE(run.confidence.undetermined.empty());
  // In standing the hip centre lies below and behind the ASIS on its side: within 5 to 15 cm of it.
  const Geometry geometry = calc_geometry(run.model, run.id->d);
  const Vec3d hip = geometry.joints[0].parent_center.value;
  const Vec3d asis = geometry.markers[run.model.find_marker("RASIS")].value;
  const Vec3d other = geometry.markers[run.model.find_marker("LASIS")].value;
  EXPECT_GT((hip - asis).norm(), 0.05);
  EXPECT_LT((hip - asis).norm(), 0.15);
  EXPECT_LT((hip - asis).norm(), (hip - other).norm());
}

TEST_F(RealData, KneeAxisFromFunctionalTrial) {
  const auto run = fit_files("functional_knee.yaml", {"functional/right_knee.c3d"});
  EXPECT_TRUE(run.id->summary.converged && run.id->summary.minimum) << run.id->summary.message;
  EXPECT_TRUE(run.confidence.undetermined.empty());
  // Mean marker error 1.8 mm; the axis is known to a degree (robust, measured 0.5 to 0.9).
  EXPECT_LT(run.errors.all.mean, 0.003);
  for (int k = 0; k < run.id->d.size(); ++k) {
    if (run.model.parameters[k].unit != Unit::kRadian) continue;
    EXPECT_LT(run.confidence.robust_standard_error[k], 2 * kPi / 180);
    // Standing upright the flexion axis is across, y here, within 10 deg.
    EXPECT_LT(std::abs(run.id->d[k]), 10 * kPi / 180) << run.model.parameters[k].name;
  }
}

TEST_F(RealData, HindfootAndForefootOfTheOxfordFoot) {
  const auto run = fit_files("oxford_foot.yaml", {"oxford_foot/HC038A11.c3d"});
  EXPECT_TRUE(run.id->summary.converged && run.id->summary.minimum) << run.id->summary.message;
  EXPECT_TRUE(run.confidence.undetermined.empty());
  EXPECT_LT(run.errors.all.mean, 0.002);  // measured 1.3 mm
  // The ankle's centre is inside the foot: nearer to the lateral malleolus than the heel is.
  const Geometry g = calc_geometry(run.model, run.id->d);
  const Vec3d& ankle = g.joints[run.model.find_joint("ankle")].parent_center.value;
  EXPECT_LT((ankle - g.markers[run.model.find_marker("RANK")].value).norm(), 0.06);
}

// Standing does not move the joints: with the walk their centres stay in the foot, alone they are
// held there by weak priors, and named.
TEST_F(RealData, AStaticTrialDoesNotLetTheFootRunAway) {
  for (const bool with_walk : {true, false}) {
    std::vector<std::string> files{"oxford_foot/HC038A01.c3d"};
    if (with_walk) files.push_back("oxford_foot/HC038A11.c3d");
    const auto run = fit_files("oxford_foot.yaml", files);
    EXPECT_TRUE(run.id->summary.converged) << run.id->summary.message;
    const Geometry g = calc_geometry(run.model, run.id->d);
    for (const char* name : {"ankle", "midfoot"}) {
      const JointGeometry& joint = g.joints[run.model.find_joint(name)];
      // A foot's length; measured 0.23 m in the shank (the ankle), 0.14 m at most elsewhere.
      EXPECT_LT(joint.parent_center.value.norm(), 0.25) << name << with_walk;
      EXPECT_LT(joint.child_center.value.norm(), 0.25) << name << with_walk;
    }
    EXPECT_EQ(has_warning(run, {"does not hold", "ankle.parent_center.x"}), !with_walk);
    const int x = run.model.find_parameter("ankle.parent_center.x");
    if (!with_walk) {
      EXPECT_FALSE(run.confidence.identifiable[x]);
    }
  }
}

}  // namespace
}  // namespace vesica::markers::recording_test
