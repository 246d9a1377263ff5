// A leg that walks: thigh and ankle follow joint centres, the knee between them bends as they say.
#include "vesica/biomechanics/leg.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "tests/support/support.h"
#include "vesica/io/output_file.h"
#include "vesica/model/model_file.h"
#include "vesica/simulation/simulate_model.h"

namespace vesica::leg_test {
namespace {

constexpr double kThigh = 0.42, kShank = 0.41, kRate = 100, kSpeed = 1.2;

// Flexion of the made walk: 10 to 50 deg, once a second.
double flexion_at(double t) { return (30 - 20 * std::cos(2 * kPi * t)) * kPi / 180; }

// Joint centres of one leg in y-up axes, the subject walking along x, in millimetres.
std::string make_walk(const std::string& side, bool stays = false, int way = 1) {
  constexpr int kFrames = 121;
  std::string text = fmt::format(
      "PathFileType\t4\t(X/Y/Z)\twalk.trc\nDataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\t"
      "OrigDataRate\tOrigDataStartFrame\tOrigNumFrames\n{0}\t{0}\t{1}\t3\tmm\t{0}\t1\t{1}\n"
      "Frame#\tTime\thip_{2}\t\t\tknee_{2}\t\t\tankle_{2}\t\t\n"
      "\t\tX1\tY1\tZ1\tX2\tY2\tZ2\tX3\tY3\tZ3\n\n",
      kRate, kFrames, side);
  for (int k = 0; k < kFrames; ++k) {
    const double t = k / kRate, lean = 0.15 * std::cos(2 * kPi * t);
    const Vec3d hip(stays ? 0.0 : way * kSpeed * t, 0.9, 0.1);
    // The thigh leans forward by `lean`, the shank back from it by the flexion.
    const Vec3d knee = hip + kThigh * Vec3d(std::sin(lean), -std::cos(lean), 0);
    const double shank = lean - flexion_at(t);
    const Vec3d ankle = knee + kShank * Vec3d(std::sin(shank), -std::cos(shank), 0);
    text += fmt::format("{}\t{}", k + 1, t);
    for (const Vec3d& p : {hip, knee, ankle}) {
      text += fmt::format("\t{:.6f}\t{:.6f}\t{:.6f}", 1e3 * p.x(), 1e3 * p.y(), 1e3 * p.z());
    }
    text += "\n";
  }
  return text;
}

struct Folder {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / fmt::format("vesica_leg_{}", ::getpid());
  Folder() { std::filesystem::create_directories(path); }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string file(const char* name) const { return (path / name).string(); }
};

TEST(Leg, KneeBendsAsTheWalkDoes) {
  const Folder folder;
  for (const auto side : {biomechanics::Side::kRight, biomechanics::Side::kLeft}) {
    std::ofstream(folder.file("walk.trc"))
        << make_walk(side == biomechanics::Side::kLeft ? "l" : "r");
    const auto motion = biomechanics::load_leg_motion(folder.file("walk.trc"), side, 20);
    EXPECT_NEAR(motion.thigh, kThigh, 1e-6);
    EXPECT_NEAR(motion.shank, kShank, 1e-6);
    biomechanics::KneeOptions knee;
    knee.side = side;
    save_text(folder.file("femur.csv"), biomechanics::write_femur_csv(knee, motion));
    save_text(folder.file("ankle.csv"), biomechanics::write_ankle_csv(motion));
    save_text(folder.file("leg.yaml"),
              write_model(biomechanics::make_leg(knee, motion, "femur.csv", "ankle.csv")));
    Model model = load_model(folder.file("leg.yaml"));
    model.run.duration = 1;
    const RunResult run = simulate(model);
    ASSERT_TRUE(run.failure.empty()) << run.failure;
    const auto flexion = run.recording.column(run.recording.find("knee.flexion"));
    const auto rotation = run.recording.column(run.recording.find("knee.internal_rotation"));
    for (size_t k = 20; k < flexion.size(); ++k) {
      const double t = run.recording.times[k];
      // The condyles slide by millimetres on a shank of 41 cm: a degree or two.
      EXPECT_NEAR(flexion[k], flexion_at(t), 4 * kPi / 180) << t;
      EXPECT_LT(std::abs(rotation[k]), 40 * kPi / 180);
    }
    EXPECT_LT(std::abs(run.residual), 1e-3 * run.energy_scale);
  }
}

TEST(Leg, WhatIsNoWalkIsRefused) {
  const Folder folder;
  const auto error = [&](const std::string& text) {
    std::ofstream(folder.file("walk.trc")) << text;
    return test::input_error_of([&] {
      biomechanics::load_leg_motion(folder.file("walk.trc"), biomechanics::Side::kRight);
    });
  };
  EXPECT_NE(error(make_walk("l")).find("hip_r"), std::string::npos);
  EXPECT_NE(error(make_walk("r", true)).find("forward is told by a walk"), std::string::npos);
  // Backwards: the subject looks along x, and goes against it.
  EXPECT_NE(error(make_walk("r", false, -1)).find("the knee bends forward"), std::string::npos);
}

}  // namespace
}  // namespace vesica::leg_test
