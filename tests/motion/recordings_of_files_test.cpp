// Which files are one trial, and recordings turned and turned back.
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>

#include "tests/motion/synthetic_walk.h"
#include "tests/support/support.h"
#include "vesica/io/sto.h"
#include "vesica/io/trc.h"
#include "vesica/motion/recordings.h"
#include "vesica/motion/trial_edit.h"

namespace vesica::recordings_of_files_test {
namespace {

namespace fs = std::filesystem;

class Files : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        fs::temp_directory_path() /
        ("vesica_recordings_" + std::to_string(::testing::UnitTest::GetInstance()->random_seed()) +
         ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "other");
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string markers(const std::string& name) const {
    const std::string path = (folder_ / name).string();
    MarkerTracks tracks = test::SyntheticWalk().make_markers();
    // Different people: the same frames twice are another matter.
    for (Vec3d& p : tracks.positions) p.z() += 0.001 * static_cast<double>(name.size());
    save_trc(path, tracks);
    return path;
  }
  std::string table(const std::string& name, bool forces) const {
    const std::string path = (folder_ / name).string();
    TimeTable t;
    const std::vector<std::string> force = {"vx", "vy", "vz", "px", "py", "pz"};
    const std::vector<std::string> angles = {"knee_l", "knee_r"};
    for (const std::string& column : forces ? force : angles) {
      t.columns.push_back({(forces ? "ground_force1_" : "") + column, ""});
    }
    for (int k = 0; k < 10; ++k) {
      t.times.push_back(0.01 * k);
      for (size_t c = 0; c < t.columns.size(); ++c) {
        t.values.push_back(k + static_cast<double>(name.size()));
      }
    }
    save_sto(path, t);
    return path;
  }

  fs::path folder_;
};

TEST_F(Files, OfOneNameInOneFolderAreOneTrial) {
  const auto found = load_recordings(
      {markers("a.trc"), table("a.mot", true), markers("bb.trc"), table("other/a.mot", true)},
      SignalTables::kJoined);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].files.size(), 2u);
  EXPECT_EQ(found[0].motion.analog.columns.size(), 6u);
  EXPECT_EQ(found[0].motion.markers.markers(), 8u);
  EXPECT_EQ(found[1].name, "bb");
  for (const Recording& r : found) EXPECT_TRUE(r.notes.empty());
}

TEST_F(Files, OfDifferentNamesAreJoinedWithANoteWhereThereAreNoOthers) {
  for (const bool table_first : {false, true}) {
    std::vector<std::string> files = {markers("walk.trc"), table("forces.mot", true)};
    if (table_first) std::swap(files[0], files[1]);
    const auto found = load_recordings(files, SignalTables::kApart);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].name, "walk");
    ASSERT_EQ(found[0].notes.size(), 1u);
    EXPECT_NE(found[0].notes[0].find("forces.mot are taken as one trial"), std::string::npos)
        << found[0].notes[0];
  }
  EXPECT_EQ(load_recordings({markers("a.trc"), markers("bb.trc"), table("c.mot", true)},
                            SignalTables::kJoined)
                .size(),
            3u);
}

TEST_F(Files, SignalsAreJoinedOrApart) {
  const std::vector<std::string> files = {markers("a.trc"), table("a.mot", false)};
  EXPECT_EQ(load_recordings(files, SignalTables::kJoined).size(), 1u);
  const auto apart = load_recordings(files, SignalTables::kApart);
  ASSERT_EQ(apart.size(), 2u);
  EXPECT_TRUE(is_signal_table(apart[1].motion));
  EXPECT_FALSE(is_signal_table(apart[0].motion));
}

// By quarters every bit comes back, the sign of zeros and gaps included.
TEST(Turning, ThereAndBackIsExact) {
  MotionTrial trial;
  trial.markers = test::SyntheticWalk().make_markers();
  trial.markers.positions[3] = Vec3d(-0.0, 0.0, -1e-300);
  trial.markers.positions[4] = Vec3d::Constant(kMissing);
  const MotionTrial before = trial;
  for (const Vec3d& up : {Vec3d(Vec3d::UnitZ()), Vec3d(-Vec3d::UnitX()), Vec3d(-Vec3d::UnitY())}) {
    const Mat3d R = make_rotation_to_y_up(up, Vec3d(0.3, 0.9, 0.1));
    rotate(&trial, R);
    EXPECT_NE(trial.markers.positions[0], before.markers.positions[0]);
    rotate(&trial, R.transpose());
    EXPECT_EQ(std::memcmp(trial.markers.positions.data(), before.markers.positions.data(),
                          sizeof(Vec3d) * before.markers.positions.size()),
              0);
  }
}

}  // namespace
}  // namespace vesica::recordings_of_files_test
