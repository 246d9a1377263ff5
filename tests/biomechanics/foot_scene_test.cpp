// The scene of a foot: against the inverse simulation, turned and moving grounds, its ledger.
#include "vesica/biomechanics/foot_scene.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "tests/support/support.h"
#include "vesica/error.h"
#include "vesica/model/model_file.h"
#include "vesica/simulation/simulate_model.h"

namespace vesica::foot_scene_test {
namespace {

// Presses, rolls forward and lifts; smooth enough for splines.
std::vector<FootFrame> make_frames(const FootModel& foot) {
  std::vector<FootFrame> frames;
  for (int k = 0; k <= 60; ++k) {
    const double t = 0.01 * k, w = 2 * M_PI / 0.6;
    FootFrame frame;
    frame.time = 2 + t;
    const double pitch = 0.08 * std::cos(0.5 * w * t), rate = -0.04 * w * std::sin(0.5 * w * t);
    frame.foot.X_WB.R_WB = as_rotation_123({pitch, 0.02, -0.1});
    frame.foot.X_WB.p_WB = {0.01 * t, 0.02 * t, 0.016 + 0.004 * std::cos(w * t)};
    frame.foot.V_WB = {Vec3d(rate, 0, 0), Vec3d(0.01, 0.02, -0.004 * w * std::sin(w * t))};
    frame.angles.assign(foot.joints.size(), 0.2 * std::sin(w * t));
    frame.rates.assign(foot.joints.size(), 0.2 * w * std::cos(w * t));
    frames.push_back(frame);
  }
  return frames;
}

class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / "vesica_foot_scene_test") {
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

RunResult run(const FootScene& scene) {
  const Folder folder;
  save_foot_scene(scene, folder.path(), "foot.yaml");
  const Model model = load_model(folder.path() + "/foot.yaml");
  return simulate(model);
}

// Sum of normal forces of every row.
std::vector<double> sum_forces(const RunResult& result, const FootModel& foot) {
  std::vector<double> sums(result.recording.rows(), 0.0);
  for (const FootEllipsoid& e : foot.ellipsoids) {
    const auto column = result.recording.column(e.name + "_contact.normal_force");
    for (size_t r = 0; r < sums.size(); ++r) sums[r] += column[r];
  }
  return sums;
}

double calc_largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  EXPECT_EQ(a.size(), b.size());
  double largest = 0;
  for (size_t k = 0; k < std::min(a.size(), b.size()); ++k) {
    largest = std::max(largest, std::abs(a[k] - b[k]));
  }
  return largest;
}

double calc_deviation(const FootModel& foot, const std::vector<FootFrame>& frames,
                      double stiffness) {
  FootSceneOptions options;
  options.drive.stiffness.setConstant(stiffness);
  options.drive.damping.setConstant(2 * std::sqrt(stiffness));
  options.drive.turning_stiffness = 0.01 * stiffness;
  options.drive.turning_damping = 1e-3 * std::sqrt(stiffness);
  const RunResult result = run(make_foot_scene(foot, frames, options));
  EXPECT_TRUE(result.failure.empty()) << result.failure;
  const std::vector<double> forces = sum_forces(result, foot);
  double worst = 0;
  // The joint's rates are slopes of a spline, within 1e-3 of the true ones but for the ends.
  for (size_t k = 3; k + 3 < frames.size(); ++k) {
    worst = std::max(worst, std::abs(forces[k] - calc_foot_load(foot, frames[k])[0]));
  }
  return worst;
}

TEST(FootScene, ARigidDriveGivesTheForceOfTheInverseSimulation) {
  const FootModel foot = make_brown_foot();
  const std::vector<FootFrame> frames = make_frames(foot);
  double largest = 0;
  for (const FootFrame& f : frames) largest = std::max(largest, calc_foot_load(foot, f)[0]);
  ASSERT_GT(largest, 300);
  // The foot gives way by F/k: the force differs by that times the contact's stiffness, and ten
  // times the stiffness leaves a tenth of it.
  const double soft = calc_deviation(foot, frames, 1e6), stiff = calc_deviation(foot, frames, 1e7);
  EXPECT_NEAR(soft / stiff, 10, 2.5);
  EXPECT_LE(calc_deviation(foot, frames, 1e8), 0.003 * largest);
}

TEST(FootScene, TheWholeSceneTurnedGivesTheSameForces) {
  const FootModel foot = make_brown_foot();
  const std::vector<FootFrame> frames = make_frames(foot);
  FootSceneOptions options;
  const std::vector<double> level = sum_forces(run(make_foot_scene(foot, frames, options)), foot);

  std::mt19937_64 random(4);
  const Mat3d R = test::random_rotation(random);
  std::vector<FootFrame> turned = frames;
  for (FootFrame& f : turned) {
    f.foot.X_WB = {R * f.foot.X_WB.R_WB, R * f.foot.X_WB.p_WB};
    f.foot.V_WB = {R * f.foot.V_WB.w_WB, R * f.foot.V_WB.v_WB};
  }
  const Quaternion<double> q = as_quaternion(R);
  options.ground.turn = model::Frame<>::Turn::kQuaternion;
  options.ground.quaternion = {q.w, q.x, q.y, q.z};
  FootScene scene = make_foot_scene(foot, turned, options);
  scene.model.gravity = R * scene.model.gravity;
  // Splines through quaternions of another world differ by 1e-5 of a radian or so.
  EXPECT_LE(calc_largest_difference(level, sum_forces(run(scene), foot)), 0.5);
}

TEST(FootScene, AGroundThatMovesAlongChangesNothing) {
  const FootModel foot = make_brown_foot();
  const std::vector<FootFrame> frames = make_frames(foot);
  FootSceneOptions options;
  options.friction = BrownMcPhee<double>{.mu_s = 0.8, .mu_d = 0.6, .v_t = 0.05};
  options.drive.stiffness = {2e4, 2e4, 1e8};  // two bushings
  options.drive.damping = {300, 300, 2e4};
  const RunResult still = run(make_foot_scene(foot, frames, options));
  const Vec3d speed(0.3, -1.1, 0.2);
  std::vector<FootFrame> carried = frames;
  for (FootFrame& f : carried) {
    f.foot.X_WB.p_WB += speed * (f.time - frames.front().time);
    f.foot.V_WB.v_WB += speed;
  }
  options.ground_motion = model::Prescribed<>{};
  options.ground_motion->velocity = speed;
  const RunResult moving = run(make_foot_scene(foot, carried, options));
  EXPECT_LE(calc_largest_difference(sum_forces(still, foot), sum_forces(moving, foot)), 0.05);
  // Steps differ between the two worlds; without the ground's speed it would be hundreds of
  // newtons.
  EXPECT_LE(calc_largest_difference(still.recording.column("ball_contact.force.y"),
                                    moving.recording.column("ball_contact.force.y")),
            0.2);
}

TEST(FootScene, EnergyIsAccountedFor) {
  const FootModel foot = make_brown_foot();
  FootSceneOptions options;
  options.friction = BrownMcPhee<double>{.mu_s = 0.8, .mu_d = 0.6, .v_t = 0.05};
  const RunResult result = run(make_foot_scene(foot, make_frames(foot), options));
  EXPECT_LE(std::abs(result.residual), 1e-4 * result.energy_scale);
}

// What the drive is given to carry keeps the foot where it stands, however soft the springs.
TEST(FootScene, ACarriedLoadKeepsTheFootInPlace) {
  const FootModel foot = make_brown_foot();
  FootFrame still = make_frames(foot)[30];
  still.foot.V_WB = {};
  still.rates.assign(still.rates.size(), 0.0);
  const FootLoad load = calc_foot_load(foot, still);
  ASSERT_GT(load[0], 100);
  std::vector<FootFrame> frames;
  for (int k = 0; k < 40; ++k) {
    frames.push_back(still);
    frames.back().time = 0.01 * k;
  }
  FootSceneOptions options;
  options.moving_share = 1e-6;  // toes do not bend the weight's lever
  options.drive.stiffness.setConstant(5e3);
  options.drive.damping.setConstant(100);
  options.drive.turning_stiffness = 50;
  options.drive.turning_damping = 1;
  CarriedLoad carried;
  carried.force = {0, 0, load[0]};
  carried.moment = {load[2], -load[1], 0};  // point x force
  options.carried.assign(frames.size(), carried);
  const RunResult result = run(make_foot_scene(foot, frames, options));
  for (const double force : sum_forces(result, foot)) EXPECT_NEAR(force, load[0], 1e-4 * load[0]);
}

TEST(FootScene, WhatMakesNoSenseIsRefused) {
  const FootModel foot = make_brown_foot();
  std::vector<FootFrame> frames = make_frames(foot);
  EXPECT_THROW(make_foot_scene(foot, {}, {}), InputError);
  frames[5].time = frames[4].time;
  EXPECT_THROW(make_foot_scene(foot, frames, {}), InputError);
  frames = make_frames(foot);
  frames[2].angles.clear();
  EXPECT_THROW(make_foot_scene(foot, frames, {}), InputError);
}

}  // namespace
}  // namespace vesica::foot_scene_test
