// Angles with names and signs: against plain marker geometry on walks of thirteen people, and
// against poses that were turned by hand.
#include "vesica/markers/joint_angles.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/markers/plain_geometry.h"
#include "tests/markers/walking_people.h"
#include "tests/support/support.h"
#include "vesica/io/load_motion.h"
#include "vesica/markers/model_file.h"
#include "vesica/markers/outputs.h"
#include "vesica/markers/run.h"
#include "vesica/markers/standing.h"
#include "vesica/math/median.h"
#include "vesica/motion/butterworth.h"
#include "vesica/motion/trial_edit.h"

namespace vesica::markers::joint_angles_test {
namespace {

namespace fs = std::filesystem;
using vesica::test::input_error_of;

struct Agreement {
  double r, offset, rms;  // deg
  std::string who = {};
  double range = 0;         // deg, of the plain curve
  double plain_r = 1;       // of two plain geometries with each other
  double plain_offset = 0;  // deg, of the same
};
Agreement compare(const std::vector<double>& ours, const std::vector<double>& theirs) {
  double n = 0, a = 0, b = 0, aa = 0, bb = 0, ab = 0, dd = 0;
  for (size_t k = 0; k < ours.size(); ++k) {
    if (!std::isfinite(theirs[k])) continue;
    n += 1;
    a += ours[k];
    b += theirs[k];
    aa += ours[k] * ours[k];
    bb += theirs[k] * theirs[k];
    ab += ours[k] * theirs[k];
    dd += (ours[k] - theirs[k]) * (ours[k] - theirs[k]);
  }
  return {(n * ab - a * b) / std::sqrt((n * aa - a * a) * (n * bb - b * b)), (a - b) / n,
          std::sqrt(dd / n)};
}

MotionTrial load_smooth(const std::string& path) {
  MotionTrial motion = load_motion(path);
  filter_markers(&motion.markers, make_low_pass(10, motion.markers.rate, 4));
  return motion;
}

// By angle, both sides together: one agreement a person, side and walk.
std::map<std::string, std::vector<Agreement>> compare_people(const std::string& model) {
  std::map<std::string, std::vector<Agreement>> all;
  test::print_choice();
  for (test::Person& person : test::list_people({"wbds07", "WBDS24"})) {
    if (test::choose_walks() != test::Walks::kAll) person.walks.resize(1);
    const MotionTrial standing = load_motion(person.standing);
    const test::PlainGeometry plain(standing.markers);
    const test::PlainGeometry other(standing.markers, test::Carriers::kShared);
    Run run;
    run.model =
        load_model(vesica::test::source_dir() + "/studies/markers/" + model + ".yaml", nullptr);
    if (needs_standing(run.model)) calibrate(standing, run.model);
    std::vector<MotionTrial> walks;
    for (const std::string& path : person.walks) {
      walks.push_back(load_smooth(path));
      run.trials.push_back(make_trial(run.model, walks.back(), path, {}, &run.warnings));
    }
    run_identification(run, {});
    EXPECT_TRUE(run.id->summary.converged) << person.standing;
    run.neutral =
        find_neutral_pose(run, make_trial(run.model, standing, "standing", {}, nullptr), {}, 0);
    for (size_t t = 0; t < walks.size(); ++t) {
      const TimeTable table = make_joint_table(run, t);
      auto others = other.calc_curves(walks[t].markers);
      for (const auto& [name, curve] : plain.calc_curves(walks[t].markers)) {
        if (table.find(name) == table.columns.size()) continue;
        const bool sided = name.ends_with("_l") || name.ends_with("_r");
        Agreement agreement = compare(table.column(name), curve);
        agreement.who = fs::path(person.walks[t]).stem().string() + " " + name;
        const Agreement floor = compare(others.at(name), curve);
        agreement.plain_r = floor.r;
        agreement.plain_offset = floor.offset;
        double low = 1e9, high = -1e9;
        for (const double x : curve) {
          if (!std::isfinite(x)) continue;
          low = std::min(low, x);
          high = std::max(high, x);
        }
        agreement.range = high - low;
        all[sided ? name.substr(0, name.size() - 2) : name].push_back(agreement);
      }
    }
  }
  return all;
}

void print(const std::string& model, const std::map<std::string, std::vector<Agreement>>& all) {
  fmt::print("{}\n  {:<20}{:>9}{:>9}{:>9}{:>9}{:>9}{:>8}{:>5} | plain geometry with itself\n",
             model, "angle", "least r", "median", "r < 0.9", "offset", "rms", "range", "n");
  for (const auto& [name, list] : all) {
    std::vector<double> r, offset, rms, range, plain, plain_offset;
    int below = 0, plain_below = 0, unexplained = 0;
    for (const Agreement& a : list) {
      r.push_back(a.r);
      offset.push_back(std::abs(a.offset));
      rms.push_back(a.rms);
      range.push_back(a.range);
      plain.push_back(a.plain_r);
      plain_offset.push_back(std::abs(a.plain_offset));
      below += a.r < 0.9;
      plain_below += a.plain_r < 0.9;
      unexplained += a.r < 0.9 && a.plain_r > 0.95;
    }
    const auto least = [](const std::vector<double>& x) {
      return *std::min_element(x.begin(), x.end());
    };
    const auto most = [](const std::vector<double>& x) {
      return *std::max_element(x.begin(), x.end());
    };
    fmt::print(
        "  {:<20}{:>9.4f}{:>9.4f}{:>9}{:>9.2f}{:>9.2f}{:>8.1f}{:>5} | {:.4f} {:.4f}, {} below 0.9, "
        "offset {:.2f}; {} below 0.9 where plain is above 0.95\n",
        name, least(r), calc_median(r), below, most(offset), calc_median(rms), calc_median(range),
        list.size(), least(plain), calc_median(plain), plain_below, most(plain_offset),
        unexplained);
  }
  for (const auto& [name, list] : all) {
    for (const Agreement& a : list) {
      if (a.r < 0.9 || std::abs(a.offset) > 3) {
        fmt::print(
            "  {}: r {:.3f} (plain {:.3f}), offset {:+.1f} ({:+.1f}), rms {:.2f} of {:.1f} deg\n",
            a.who, a.r, a.plain_r, a.offset, a.plain_offset, a.rms, a.range);
      }
    }
  }
}

double calc_median_r(const std::vector<Agreement>& list) {
  std::vector<double> r;
  for (const Agreement& a : list) r.push_back(a.r);
  return calc_median(r);
}

// Sagittal angles agree in every person, side and walk (measured, one comfortable walk each: least
// 0.9967 at the ankle). In the other planes the median does (least 0.93, knee adduction). Single
// persons stay below 0.9, above all in the shank's rotation about its own length, by 5 deg rms: the
// ball at the knee pulls a shank of three markers, plain geometry lets the joint gape instead.
TEST(JointAngles, CalibratedModelFollowsPlainMarkerGeometry) {
  if (!fs::exists(vesica::test::shared_data())) {
    GTEST_SKIP() << "no recordings at " << vesica::test::shared_data();
  }
  const auto all = compare_people("gait_wbds_standing");
  print("gait_wbds_standing", all);
  ASSERT_EQ(all.size(), 12u);
  for (const auto& [name, list] : all) {
    const bool sagittal = name.ends_with("flexion");
    // Two people alone: 0.9008, knee adduction.
    const double least = test::choose_walks() == test::Walks::kTwoPeople ? 0.85 : 0.9;
    EXPECT_GT(calc_median_r(list), sagittal ? 0.995 : least) << name;
    for (const Agreement& a : list) {
      if (sagittal) {
        EXPECT_GT(a.r, 0.99) << a.who;
      }
      // Measured: 2.1 deg, and 3.9 deg where the shank's rotation is in it.
      const bool shank = name == "knee_rotation" || name == "ankle_rotation";
      EXPECT_LT(std::abs(a.offset), shank ? 5 : 3) << a.who;
    }
  }
}

// Without calibration frames are those of a generic adult: sagittal angles and the adduction of the
// hip hold (medians 0.983 and more), others are the model's own.
TEST(JointAngles, HingedModelFollowsPlainMarkerGeometry) {
  if (!fs::exists(vesica::test::shared_data())) {
    GTEST_SKIP() << "no recordings at " << vesica::test::shared_data();
  }
  const auto all = compare_people("gait_wbds");
  print("gait_wbds", all);
  for (const char* name : {"hip_flexion", "knee_flexion"}) {
    for (const Agreement& a : all.at(name)) EXPECT_GT(a.r, 0.99) << a.who;
  }
  EXPECT_GT(calc_median_r(all.at("ankle_dorsiflexion")), 0.97);
  EXPECT_GT(calc_median_r(all.at("hip_adduction")), 0.9);
}

Model make_two_legs() {
  return read_model(InputFile::parse(R"(
vesica: 1
model: two legs
segments: {pelvis: {}, thigh_l: {}, thigh_r: {}, shank_l: {}, shank_r: {}, foot_l: {}, foot_r: {}}
joints:
  hip_l: {type: spherical, parent: pelvis, child: thigh_l, parent_center: [0, 0, -0.1]}
  hip_r: {type: spherical, parent: pelvis, child: thigh_r, parent_center: [0, 0, 0.1]}
  knee_l: {type: revolute, parent: thigh_l, child: shank_l, parent_center: [0, -0.4, 0], axis: [0, 0, -1]}
  knee_r: {type: revolute, parent: thigh_r, child: shank_r, parent_center: [0, -0.4, 0], axis: [0, 0, 1]}
  talocrural_l: {type: spherical, parent: shank_l, child: foot_l, parent_center: [0, -0.4, 0]}
  talocrural_r: {type: spherical, parent: shank_r, child: foot_r, parent_center: [0, -0.4, 0]}
markers: {M: {segment: pelvis, position: [0, 0, 0]}}
)",
                                     "two_legs.yaml"));
}

// Thighs spread: the right one to the right, the left one to the left; both turned inwards, knees
// bent backwards, toes up. Hinge axes point to opposite sides. The laboratory may have any axes and
// the subject may walk anywhere.
TEST(JointAngles, SignsAreThoseOfAnatomyOnBothSidesInAnyLaboratory) {
  const Model model = make_two_legs();
  const Eigen::VectorXd d(0);
  std::mt19937_64 random(5);
  for (int trial = 0; trial < 20; ++trial) {
    const Mat3d R_WB =
        trial == 0 ? Mat3d(Mat3d::Identity()) : vesica::test::random_rotation(random);
    std::vector<SegmentPose> poses(model.segments.size());
    std::map<std::string, Mat3d> R;
    const auto turn = [](const Vec3d& axis, double degrees) {
      return Mat3d(Eigen::AngleAxisd(degrees * kPi / 180, axis));
    };
    const Vec3d x = Vec3d::UnitX(), y = Vec3d::UnitY(), z = Vec3d::UnitZ();
    R["pelvis"] = turn(z, -5);
    for (const char side : {'l', 'r'}) {
      const double right = side == 'r' ? 1 : -1;
      // Forwards by 30 deg; outwards by 10: the right leg's lower end towards +z; the front of the
      // thigh by 7 deg to the other leg.
      R[std::string("thigh_") + side] =
          R["pelvis"] * turn(z, 30) * turn(x, -10 * right) * turn(y, 7 * right);
      R[std::string("shank_") + side] = R[std::string("thigh_") + side] * turn(z, -60);
      R[std::string("foot_") + side] =
          R[std::string("shank_") + side] * turn(z, 12) * turn(x, 4 * right) * turn(y, 6 * right);
    }
    for (size_t s = 0; s < poses.size(); ++s) {
      poses[s].q_WS = as_quaternion(Mat3d(R_WB * R.at(model.segments[s].name)));
    }
    // Outwards is away from the other leg.
    const Vec3d down = -(R.at("thigh_r") * y);
    EXPECT_GT(down.z(), 0);
    JointAngles angles(model, d);
    const std::vector<double> q = angles.calc_table(poses.data(), 1, R_WB);
    std::map<std::string, double> at;
    for (size_t c = 0; c < q.size(); ++c) at[angles.columns()[c].name] = q[c] * 180 / kPi;
    EXPECT_NEAR(at.at("pelvis_tilt"), -5, 1e-9);
    for (const std::string side : {"_l", "_r"}) {
      EXPECT_NEAR(at.at("hip_flexion" + side), 30, 1e-9);
      EXPECT_NEAR(at.at("hip_adduction" + side), -10, 1e-9);
      EXPECT_NEAR(at.at("hip_rotation" + side), 7, 1e-9);
      EXPECT_NEAR(at.at("knee_flexion" + side), 60, 1e-9);
      EXPECT_NEAR(at.at("talocrural_dorsiflexion" + side), 12, 1e-9);
      EXPECT_NEAR(at.at("talocrural_inversion" + side), 4, 1e-9);
      EXPECT_NEAR(at.at("talocrural_rotation" + side), 6, 1e-9);
    }
  }
}

// A thigh that turns twice around, and one that passes straight out to the side.
TEST(JointAngles, DoNotJump) {
  const Model model = make_two_legs();
  const size_t n = model.segments.size();
  const int frames = 401;  // none with the middle angle at 90 deg
  std::vector<SegmentPose> poses(n * frames);
  const int thigh = model.find_segment("thigh_r"), other = model.find_segment("thigh_l");
  for (int f = 0; f < frames; ++f) {
    const double turns = 4 * kPi * f / frames;
    poses[f * n + thigh].q_WS = quaternion_from_rotation_vector(Vec3d(0, 0, turns));
    const Mat3d R = Eigen::AngleAxisd(0.1, Vec3d::UnitZ()).toRotationMatrix() *
                    Eigen::AngleAxisd(turns / 4, Vec3d::UnitX());
    poses[f * n + other].q_WS = as_quaternion(R);
  }
  JointAngles angles(model, Eigen::VectorXd(0));
  const std::vector<double> q = angles.calc_table(poses.data(), frames, Mat3d::Identity());
  const size_t columns = angles.columns().size();
  for (size_t k = columns; k < q.size(); ++k) {
    if (angles.columns()[k % columns].angle) {
      EXPECT_LT(std::abs(q[k] - q[k - columns]), 4.1 * kPi / frames)
          << angles.columns()[k % columns].name;
    }
  }
  EXPECT_NEAR(q[(frames - 1) * columns + 9], 4 * kPi * (frames - 1) / frames, 1e-9);
}

// Wild frames turn a thigh by any amount; those after them are where they were.
TEST(JointAngles, WildFramesLeaveTheOthersAlone) {
  const Model model = make_two_legs();
  const size_t n = model.segments.size();
  const int frames = 200;
  const int thigh = model.find_segment("thigh_r");
  const auto calc = [&](bool wild) {
    std::vector<SegmentPose> poses(n * frames);
    for (int f = 0; f < frames; ++f) {
      Mat3d R = (Eigen::AngleAxisd(0.5 * std::sin(0.1 * f), Vec3d::UnitZ()) *
                 Eigen::AngleAxisd(0.2 * std::cos(0.1 * f), Vec3d::UnitX()) *
                 Eigen::AngleAxisd(0.3 * std::sin(0.07 * f), Vec3d::UnitY()))
                    .toRotationMatrix();
      const int group = f / 20;  // wilder ones, up to three in a row
      if (wild && group > 0 && f % 20 < 1 + group % 3) {
        R = R *
            Eigen::AngleAxisd(0.6 * group + 0.7 * (f % 20), Vec3d(1, 0.4 * group, 2).normalized())
                .toRotationMatrix();
      }
      poses[f * n + thigh].q_WS = as_quaternion(R);
    }
    return JointAngles(model, Eigen::VectorXd(0))
        .calc_table(poses.data(), frames, Mat3d::Identity());
  };
  const std::vector<double> truth = calc(false), table = calc(true);
  const size_t columns = truth.size() / frames;
  for (int f = 0; f < frames; ++f) {
    if (f % 20 < 1 + (f / 20) % 3 && f >= 20) continue;
    for (size_t c = 0; c < columns; ++c) {
      EXPECT_NEAR(table[f * columns + c], truth[f * columns + c], 1e-9) << f << " " << c;
    }
  }
}

TEST(JointAngles, SayWhatTheFileGotWrong) {
  const auto error = [](const std::string& joint) {
    return input_error_of([&] {
      read_model(InputFile::parse("vesica: 1\nmodel: m\nsegments: {a: {}, b: {}}\njoints:\n  " +
                                      joint + "\nmarkers: {M: {segment: a, position: [0, 0, 0]}}\n",
                                  "m.yaml"));
    });
  };
  EXPECT_NE(error("hip_l: {type: spherical, parent: a, child: b, side: right}").find("says left"),
            std::string::npos);
  EXPECT_NE(error("j: {type: spherical, parent: a, child: b, meaning: kneee}").find("knee"),
            std::string::npos);
  EXPECT_NE(error("j: {type: weld, parent: a, child: b, side: left}").find("no angle"),
            std::string::npos);
  EXPECT_NE(error("j: {type: spherical, parent: a, child: b, meaning: trunk, side: left}")
                .find("has no side"),
            std::string::npos);
}

TEST(JointAngles, OxfordFootDorsiflexesInItsColumn) {
  const fs::path folder = vesica::test::shared_data() / "oxford_foot";
  if (!fs::exists(folder)) GTEST_SKIP() << "no recordings at " << folder;
  markers::Run run;
  run.model = load_model(vesica::test::source_dir() + "/studies/markers/oxford_foot.yaml", nullptr);
  const MotionTrial walk = load_motion((folder / "HC038A11.c3d").string());
  const MotionTrial standing = load_motion((folder / "HC038A01.c3d").string());
  run.trials.push_back(make_trial(run.model, walk, "walk", {}, &run.warnings));
  run_identification(run, {});
  LabAxes lab;
  lab.right = find_right(standing.markers);
  run.neutral =
      find_neutral_pose(run, make_trial(run.model, standing, "standing", {}, nullptr), lab, 0);
  const TimeTable table = make_joint_table(run, 0);
  // Plain geometry: the shank's long axis (tubercle to lateral malleolus) and the hindfoot's (heel
  // to the middle of its sides) in the plane of the walk (along y, z up).
  const auto angle = [](const MarkerTracks& t, size_t f) {
    const auto at = [&](const char* name) { return t.at(f, t.find(name)); };
    const Vec3d shank = at("RTUB") - at("RANK"),
                foot = 0.5 * (at("RSTL") + at("RLCA")) - at("RHEE");
    return (std::atan2(foot.z(), foot.y()) - std::atan2(shank.z(), shank.y())) * 180 / kPi;
  };
  std::vector<double> plain;
  for (size_t f = 0; f < walk.markers.frames(); ++f) plain.push_back(angle(walk.markers, f));
  const Agreement a = compare(table.column("ankle_dorsiflexion_r"), plain);
  fmt::print("oxford_foot dorsiflexion: r {:.4f}\n", a.r);
  EXPECT_GT(a.r, 0.95);  // measured 0.966
}

}  // namespace
}  // namespace vesica::markers::joint_angles_test
