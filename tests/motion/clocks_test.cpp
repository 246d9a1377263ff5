// Clocks of recordings: rates, holes, rounded and repeated times, and the clock of forces against
// that of markers.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <sstream>

#include "tests/support/support.h"
#include "vesica/io/load_motion.h"
#include "vesica/io/motion_clock.h"
#include "vesica/io/trc.h"
#include "vesica/motion/trial_analysis.h"
#include "vesica/motion/trial_edit.h"
#include "vesica/motion/trial_tidy.h"
#include "vesica/motion/up_axis.h"

namespace vesica::clocks_test {
namespace {

std::vector<double> make_times(int count, double rate, double digits = 0.0) {
  std::vector<double> times;
  for (int k = 0; k < count; ++k) {
    const double t = 1.25 + k / rate;
    times.push_back(digits > 0.0 ? std::round(t / digits) * digits : t);
  }
  return times;
}

TEST(Clock, RatesAndHolesOfRoundedTimes) {
  struct Case {
    double rate, digits, tolerance;  // tolerance relative; measured at most 0.52 of it
  };
  for (const Case& c : {Case{100, 0, 1e-9}, Case{150, 1e-3, 1e-4}, Case{60, 1e-2, 1e-3},
                        Case{59.94, 1e-5, 1e-6}, Case{2000, 1e-6, 1e-6}, Case{29.97, 1e-2, 1e-3}}) {
    std::vector<double> times = make_times(200, c.rate, c.digits);
    Clock clock = find_clock(times);
    EXPECT_TRUE(clock.is_even) << c.rate;
    EXPECT_TRUE(clock.holes.empty()) << c.rate;
    EXPECT_NEAR(clock.rate() / c.rate, 1.0, c.tolerance);
    // One row, the smallest hole, and one of 30 rows.
    times.erase(times.begin() + 120, times.begin() + 150);
    times.erase(times.begin() + 50);
    clock = find_clock(times);
    EXPECT_TRUE(clock.is_even) << c.rate;
    ASSERT_EQ(clock.holes.size(), 2u) << c.rate;
    EXPECT_EQ(clock.holes[0].after, 49u);
    EXPECT_EQ(clock.holes[0].missing, 1u);
    EXPECT_EQ(clock.holes[1].missing, 30u);
    EXPECT_NEAR(clock.rate() / c.rate, 1.0, c.tolerance);
  }
}

TEST(Clock, MixedRatesAndJitterAreUneven) {
  std::vector<double> times = make_times(100, 100);
  for (int k = 0; k < 60; ++k) times.push_back(times.back() + 0.02);
  const Clock mixed = find_clock(times);
  EXPECT_FALSE(mixed.is_even);
  EXPECT_EQ(mixed.uneven_row, 100u);
  times = make_times(100, 100);
  times[40] += 0.007;
  EXPECT_FALSE(find_clock(times).is_even);
  EXPECT_EQ(find_clock(std::vector<double>{0.5}).rate(), 0.0);
  EXPECT_EQ(find_clock(std::vector<double>{}).rate(), 0.0);
}

std::string make_trc(const std::vector<double>& times, double stated) {
  std::string text = fmt::format(
      "PathFileType\t4\t(X/Y/Z)\tmade.trc\nDataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\t"
      "OrigDataRate\tOrigDataStartFrame\tOrigNumFrames\n{}\t{}\t{}\t2\tmm\t{}\t1\t{}\n"
      "Frame#\tTime\tA\t\t\tB\t\t\n\t\tX1\tY1\tZ1\tX2\tY2\tZ2\n\n",
      stated, stated, times.size(), stated, times.size());
  for (size_t k = 0; k < times.size(); ++k) {
    const double t = times[k];
    text += fmt::format("{}\t{}\t{}\t900\t0\t{}\t200\t50\n", k + 1, t,
                        100 * std::sin(2 * M_PI * 3.0 * t), 300 * std::fmod(t, 10.0) + 10);
  }
  return text;
}

MotionTrial read_made(const std::vector<double>& times, double stated) {
  std::istringstream stream(make_trc(times, stated));
  MotionTrial trial = read_trc(stream, "made.trc");
  tidy(&trial);
  return trial;
}

bool warns(const std::vector<std::string>& warnings, const std::string& text) {
  return std::any_of(warnings.begin(), warnings.end(),
                     [&](const std::string& w) { return w.find(text) != std::string::npos; });
}

TEST(Clock, TheTimesHoldAgainstTheHeader) {
  const MotionTrial trial = read_made(make_times(400, 200), 100);
  EXPECT_TRUE(warns(trial.warnings, "the times hold"));
  EXPECT_NEAR(trial.markers.rate, 200.0, 1e-6);
  // A sine of 3 Hz through a filter of 6 Hz: the gain is that of the closed form at 200 Hz. With
  // the header's 100 Hz the cut-off would lie at 12 Hz and the sine pass at 0.998.
  MarkerTracks markers = trial.markers;
  const ZeroPhaseFilter filter = make_low_pass(6.0, markers.rate);
  filter_markers(&markers, filter);
  const double w = std::tan(M_PI * 3.0 / 200.0) / std::tan(M_PI * 6.0 / 200.0);
  const double gain = 1.0 / (1.0 + (std::sqrt(2.0) - 1.0) * std::pow(w, 4));
  double worst = 0.0;
  for (size_t k = 100; k < 300; ++k) {
    const double truth = gain * 0.1 * std::sin(2 * M_PI * 3.0 * markers.times[k]);
    worst = std::max(worst, std::abs(markers.at(k, 0).x() - truth));
  }
  EXPECT_LT(worst, 1e-5);  // measured 7.6e-10 m; the wrong rate would give 2.3e-3
  EXPECT_FALSE(warns(read_made(make_times(400, 200), 200).warnings, "hold"));
  EXPECT_FALSE(warns(read_made(make_times(400, 150, 1e-3), 150).warnings, "hold"));
  EXPECT_EQ(read_made(make_times(400, 150, 1e-3), 150).markers.rate, 150.0);
}

TEST(Clock, HolesAreGapsForEverybody) {
  std::vector<double> times = make_times(200, 100);
  times.erase(times.begin() + 80, times.begin() + 100);
  const MotionTrial trial = read_made(times, 100);
  EXPECT_TRUE(warns(trial.warnings, "1 hole in time, 20 frames in all"));
  EXPECT_FALSE(warns(trial.warnings, "the times hold"));
  ASSERT_EQ(trial.markers.frames(), 200u);
  EXPECT_FALSE(trial.markers.has(80, 0));
  EXPECT_FALSE(trial.markers.has(99, 1));
  EXPECT_TRUE(trial.markers.has(100, 0));
  EXPECT_NEAR(trial.markers.times[90], 1.25 + 0.90, 1e-9);
  // What lies before the hole is filtered as if nothing came after, with and without tidy().
  MarkerTracks whole = trial.markers, raw, before;
  std::istringstream stream(make_trc(times, 100));
  raw = read_trc(stream, "made.trc").markers;
  before = raw;
  before.times.resize(80);
  before.positions.resize(160);
  const ZeroPhaseFilter filter = make_low_pass(6.0, 100.0);
  for (MarkerTracks* tracks : {&whole, &raw, &before}) filter_markers(tracks, filter);
  for (size_t k = 0; k < 80; ++k) {
    EXPECT_EQ(whole.at(k, 0), before.at(k, 0));
    EXPECT_EQ(raw.at(k, 0), before.at(k, 0));
  }
  for (MarkerTracks* tracks : {&whole, &raw}) {
    resample_markers(tracks, 150.0);
    for (size_t k = 0; k < tracks->frames(); ++k) {
      const double t = tracks->times[k] - 1.25;
      EXPECT_EQ(tracks->has(k, 0), t < 0.79 + 1e-9 || t > 1.0 - 1e-9) << t;
    }
  }
}

TEST(Clock, AnEndlessHoleIsOneMissingFrame) {
  std::vector<double> times = make_times(100, 100);
  for (size_t k = 50; k < 100; ++k) times[k] += 1e7;
  const MotionTrial trial = read_made(times, 100);
  EXPECT_EQ(trial.markers.frames(), 101u);
  EXPECT_FALSE(trial.markers.has(50, 0));
  EXPECT_TRUE(warns(trial.warnings, "hole in time"));
}

TEST(Clock, UnevenTimesAreNotFilteredButResampled) {
  std::vector<double> times = make_times(100, 100);
  for (int k = 0; k < 60; ++k) times.push_back(times.back() + 0.02);
  MotionTrial trial = read_made(times, 100);
  EXPECT_TRUE(warns(trial.warnings, "uneven"));
  EXPECT_NE(test::input_error_of([&] {
              filter_markers(&trial.markers, make_low_pass(6.0, 100.0));
            }).find("row 101"),
            std::string::npos);
  resample_markers(&trial.markers, 50.0);
  EXPECT_TRUE(find_clock(trial.markers.times).is_even);
  for (size_t k = 10; k + 10 < trial.markers.frames(); ++k) {
    const double truth = 0.1 * std::sin(2 * M_PI * 3.0 * trial.markers.times[k]);
    EXPECT_NEAR(trial.markers.at(k, 0).x(), truth, 2e-3);  // measured 3.3e-6 m
  }
}

TimeTable make_plain_table(const std::vector<double>& times) {
  TimeTable table;
  table.name = "plain";
  table.columns = {{"angle", "deg"}};
  table.times = times;
  for (size_t k = 0; k < times.size(); ++k) table.values.push_back(static_cast<double>(k));
  return table;
}

TEST(Clock, RepeatedTimesOfATable) {
  MotionTrial rounded;
  std::vector<double> times;
  for (int k = 0; k < 1000; ++k)
    times.push_back(std::floor(k / 10.0) / 100.0);  // 1000 Hz, 2 digits
  rounded.analog = make_plain_table(times);
  tidy(&rounded);
  EXPECT_EQ(rounded.analog.rows(), 1000u);
  EXPECT_NEAR(find_table_rate(rounded.analog), 1000.0, 1e-6);
  EXPECT_TRUE(warns(rounded.warnings, "rounded"));

  // Cut or rounded digits, steps that are no part of them: within half a row over the recording,
  // which is all that such times tell (333.3 and 333.33 Hz print nearly the same; measured 1e-4).
  for (const double rate : {1000.0, 960.0, 333.3, 1200.0}) {
    for (const bool cut : {false, true}) {
      times.clear();
      for (int k = 0; k < 2000; ++k) {
        const double hundredths = 100.0 * k / rate;
        times.push_back((cut ? std::floor(hundredths + 1e-9) : std::round(hundredths)) / 100.0);
      }
      MotionTrial trial;
      trial.analog = make_plain_table(times);
      tidy(&trial);
      EXPECT_NEAR(find_table_rate(trial.analog) / rate, 1.0, 0.5 / 2000) << rate << cut;
    }
  }

  MotionTrial twice;
  times = make_times(100, 100);
  times.insert(times.begin() + 60, times[60]);
  twice.analog = make_plain_table(times);
  tidy(&twice);
  EXPECT_EQ(twice.analog.rows(), 100u);
  EXPECT_EQ(twice.analog.at(60, 0), 60.0);  // the first of the two
  EXPECT_EQ(twice.analog.at(61, 0), 62.0);
  EXPECT_TRUE(warns(twice.warnings, "row 62"));
}

TEST(Clock, MarkersAtTheOriginAreMissing) {
  MotionTrial trial = read_made(make_times(100, 100), 100);
  trial.markers.labels.push_back("Fixed");
  std::vector<Vec3d> positions;
  for (size_t k = 0; k < 100; ++k) {
    positions.push_back(k >= 20 && k < 25 ? Vec3d(Vec3d::Zero()) : trial.markers.positions[2 * k]);
    positions.push_back(trial.markers.positions[2 * k + 1]);
    positions.push_back(Vec3d::Zero());  // never seen
  }
  trial.markers.positions = positions;
  tidy(&trial);
  EXPECT_TRUE(warns(trial.warnings, "'A' is exactly at the origin in 5 frames"));
  EXPECT_TRUE(warns(trial.warnings, "'Fixed' is exactly at the origin in 100 frames"));
  for (size_t k = 20; k < 25; ++k) EXPECT_FALSE(trial.markers.has(k, 0));
  EXPECT_TRUE(trial.markers.has(25, 0));
  EXPECT_FALSE(trial.markers.has(0, 2));
}

TEST(Clock, FramesThatAreTheSameToTheLastDigitAreTold) {
  const auto make = [](size_t first, size_t count) {
    MotionTrial trial;
    trial.markers.labels = {"A", "B", "C"};
    trial.markers.rate = 100.0;
    for (size_t k = 0; k < 60; ++k) {
      const auto at = static_cast<double>(k >= first && k < first + count ? first : k);
      trial.markers.times.push_back(0.01 * static_cast<double>(k));
      for (int m = 0; m < 3; ++m) trial.markers.positions.emplace_back(0.01 * at, 1.0, 0.1 * m);
    }
    tidy(&trial);
    return trial.warnings;
  };
  EXPECT_TRUE(warns(make(20, 12), "in 12 frames, 21 to 32 (0.200 to 0.310 s)"));
  EXPECT_TRUE(warns(make(20, 5), "in 5 frames"));
  EXPECT_TRUE(make(20, 4).empty());
  EXPECT_TRUE(make(0, 1).empty());
  EXPECT_TRUE(warns(make(0, 60), "All 60 frames are the same"));
}

// --- forces against markers

struct Walk {
  std::string name;
  MotionTrial trial;
};

std::vector<Walk> load_all_walks() {
  namespace fs = std::filesystem;
  std::vector<Walk> walks;
  const auto add = [&](const fs::path& markers, const fs::path& forces) {
    MotionTrial trial = load_motion(markers.string());
    if (!forces.empty()) trial = join(trial, load_motion(forces.string()));
    tidy(&trial);
    walks.push_back({markers.filename().string(), std::move(trial)});
  };
  std::vector<fs::path> files;
  for (const char* folder : {"wbds", "wbds07"}) {
    for (const auto& entry : fs::recursive_directory_iterator(test::shared_data() / folder)) {
      if (entry.path().extension() == ".mot") files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) add(fs::path(file).replace_extension(".trc"), file);
  const fs::path opensim = test::shared_data() / "opensim";
  add(opensim / "markers_walk.trc", opensim / "grf_walk.mot");
  add(opensim / "subject01_walk1.trc", opensim / "subject01_walk1_grf.mot");
  add(opensim / "walking2.c3d", {});
  add(test::shared_data() / "oxford_foot/HC038A11.c3d", {});
  return walks;
}

// As analyse() does it, without what needs no clock.
struct Feet {
  GaitMarkers gait;
  Vec3d up;
  std::vector<PlateForces> plates;
};

ClockOffset calc_offset(const MotionTrial& trial, const Feet& feet, double shift) {
  std::vector<PlateForces> plates = feet.plates;
  for (PlateForces& plate : plates) {
    for (double& t : plate.times) t += shift;
  }
  std::vector<PlateContact> contacts = find_contacts(plates, {});
  assign_feet(contacts, plates, trial.markers, feet.gait, feet.up);
  return find_clock_offset(trial.markers, feet.gait, find_stances(contacts, plates));
}

TEST(Clock, ForcesThatAreLateAreNoticedAndNoOthers) {
  if (!std::filesystem::exists(test::shared_data())) GTEST_SKIP() << "no recordings";
  const std::vector<Walk> walks = load_all_walks();
  std::vector<double> shifts = {-0.3, -0.2, -0.1, -0.07, -0.06, -0.05,
                                0.05, 0.06, 0.07, 0.1,   0.2,   0.3};
  std::map<double, int> noticed;
  int alarms = 0, told = 0;
  double least = 1.0, most = -1.0, worst_error = 0.0;
  for (const Walk& walk : walks) {
    Feet feet;
    feet.gait = find_gait_markers(walk.trial.markers.labels);
    feet.up = find_up(walk.trial, feet.gait, "").axis;
    feet.plates = calc_all_plate_forces(walk.trial, feet.up, {});
    const ClockOffset offset = calc_offset(walk.trial, feet, 0.0);
    if (offset.stances == 0) {
      fmt::print("  {}: nothing to compare\n", walk.name);
      continue;
    }
    ++told;
    alarms += offset.is_off();
    least = std::min(least, offset.seconds);
    most = std::max(most, offset.seconds);
    if (offset.is_off() || std::abs(offset.seconds) > 0.025 || offset.spread > 0.03) {
      fmt::print("  {}: {:+.1f} ms, spread {:.1f}, {} stances\n", walk.name, 1e3 * offset.seconds,
                 1e3 * offset.spread, offset.stances);
    }
    for (const double shift : shifts) {
      const ClockOffset found = calc_offset(walk.trial, feet, shift);
      noticed[shift] += found.is_off();
      if (found.is_off() && std::abs(shift) < 0.11) {
        worst_error = std::max(worst_error, std::abs(found.seconds - offset.seconds - shift));
      }
    }
  }
  fmt::print(
      "{} walks, {} with stances to compare; offsets {:+.1f} to {:+.1f} ms, {} false alarms\n",
      walks.size(), told, 1e3 * least, 1e3 * most, alarms);
  for (const auto& [shift, count] : noticed) {
    fmt::print("  shifted by {:+.0f} ms: noticed in {} of {}\n", 1e3 * shift, count, told);
  }
  fmt::print("  estimate of a shift of up to 100 ms off by at most {:.1f} ms\n", 1e3 * worst_error);
  EXPECT_EQ(alarms, 0);
  EXPECT_GE(told, 93);
  // Measured 91 of 93 at 70 to 200 ms either way; of the other two the few stances disagree.
  for (const double shift : {-0.2, -0.1, -0.07, 0.07, 0.1, 0.2}) EXPECT_GE(noticed[shift], 91);
  for (const double shift : {-0.06, 0.06}) EXPECT_GE(noticed[shift], 90);
}

}  // namespace
}  // namespace vesica::clocks_test
