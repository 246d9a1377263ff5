// Writing C3D. The independent reference is tests/support/c3d_writer.h, which shares no code with
// the library: what it wrote must come back byte by byte.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <fstream>
#include <iterator>
#include <sstream>

#include "tests/io/motion_files.h"
#include "tests/support/c3d_writer.h"
#include "tests/support/support.h"
#include "vesica/io/c3d.h"
#include "vesica/io/trc.h"

namespace vesica::c3d_output_test {
namespace {

using test::C3dParameterWriter;
using test::C3dSpec;
using test::input_error_of;
using test::write_c3d;

MotionTrial read(const std::string& bytes) {
  std::istringstream stream(bytes);
  return read_c3d(stream, "t.c3d");
}

// The same bits, so that NaN equals NaN and zero differs from minus zero.
template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}
// Missing positions are NaN, of which there are many.
bool same_numbers(const double* a, const double* b, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    if (std::isnan(a[i]) != std::isnan(b[i])) return false;
    if (!std::isnan(a[i]) &&
        std::bit_cast<std::uint64_t>(a[i]) != std::bit_cast<std::uint64_t>(b[i])) {
      return false;
    }
  }
  return true;
}

void expect_same_table(const TimeTable& a, const TimeTable& b) {
  ASSERT_EQ(a.columns.size(), b.columns.size());
  for (std::size_t c = 0; c < a.columns.size(); ++c) {
    EXPECT_EQ(a.columns[c].name, b.columns[c].name);
    EXPECT_EQ(a.columns[c].unit, b.columns[c].unit);
  }
  EXPECT_TRUE(same_bits(a.times, b.times));
  ASSERT_EQ(a.values.size(), b.values.size());
  EXPECT_TRUE(same_numbers(a.values.data(), b.values.data(), a.values.size()));
}

void expect_same_parameters(const C3dParameters& a, const C3dParameters& b) {
  ASSERT_EQ(a.groups().size(), b.groups().size());
  for (std::size_t i = 0; i < a.groups().size(); ++i) {
    EXPECT_EQ(a.groups()[i].spelled, b.groups()[i].spelled);
    EXPECT_EQ(a.groups()[i].description, b.groups()[i].description);
    EXPECT_EQ(a.groups()[i].locked, b.groups()[i].locked);
  }
  ASSERT_EQ(a.all().size(), b.all().size());
  for (std::size_t i = 0; i < a.all().size(); ++i) {
    const C3dParameter &p = a.all()[i], &q = b.all()[i];
    SCOPED_TRACE(p.group + ":" + p.name);
    EXPECT_EQ(p.group, q.group);
    EXPECT_EQ(p.spelled, q.spelled);
    EXPECT_EQ(p.description, q.description);
    EXPECT_EQ(p.locked, q.locked);
    EXPECT_EQ(p.type, q.type);
    EXPECT_EQ(p.dimensions, q.dimensions);
    EXPECT_TRUE(p.characters == q.characters);
    // What must follow from the layout: where the data begin, integers or floats.
    if (p.name == "DATA_START" || p.name == "SCALE") continue;
    EXPECT_EQ(p.numbers, q.numbers);
  }
}

void expect_same_trial(const MotionTrial& a, const MotionTrial& b) {
  EXPECT_EQ(a.markers.labels, b.markers.labels);
  EXPECT_EQ(a.markers.rate, b.markers.rate);
  EXPECT_EQ(a.markers.first_frame, b.markers.first_frame);
  EXPECT_TRUE(same_bits(a.markers.times, b.markers.times));
  ASSERT_EQ(a.markers.positions.size(), b.markers.positions.size());
  EXPECT_TRUE(same_numbers(a.markers.positions.data()->data(), b.markers.positions.data()->data(),
                           3 * a.markers.positions.size()));
  EXPECT_TRUE(same_bits(a.markers.residuals, b.markers.residuals));
  EXPECT_TRUE(same_bits(a.markers.words, b.markers.words));
  EXPECT_TRUE(same_bits(a.computed_words, b.computed_words));
  expect_same_table(a.analog, b.analog);
  expect_same_table(a.computed, b.computed);
  ASSERT_EQ(a.events.size(), b.events.size());
  for (std::size_t i = 0; i < a.events.size(); ++i) {
    EXPECT_EQ(a.events[i].time, b.events[i].time);
    EXPECT_EQ(a.events[i].label, b.events[i].label);
    EXPECT_EQ(a.events[i].context, b.events[i].context);
    EXPECT_EQ(a.events[i].subject, b.events[i].subject);
    EXPECT_EQ(a.events[i].description, b.events[i].description);
  }
  ASSERT_EQ(a.plates.size(), b.plates.size());
  for (std::size_t i = 0; i < a.plates.size(); ++i) {
    EXPECT_EQ(a.plates[i].type, b.plates[i].type);
    for (int c = 0; c < 4; ++c) EXPECT_EQ(a.plates[i].corners[c], b.plates[i].corners[c]);
    EXPECT_EQ(a.plates[i].origin, b.plates[i].origin);
    EXPECT_EQ(a.plates[i].channels, b.plates[i].channels);
    EXPECT_EQ(a.plates[i].calibration, b.plates[i].calibration);
    EXPECT_TRUE(same_numbers(a.plates[i].samples.data(), b.plates[i].samples.data(),
                             a.plates[i].samples.size()));
  }
  EXPECT_EQ(a.metadata, b.metadata);
  ASSERT_TRUE(a.c3d && b.c3d);
  expect_same_parameters(a.c3d->parameters, b.c3d->parameters);
}

// Two markers and an angle over five frames, two channels, a plate, events, odd scales.
C3dSpec recording(C3dByteOrder order, bool floats, bool unsigned_analog = false) {
  C3dSpec spec;
  spec.order = order;
  spec.floats = floats;
  spec.scale = 0.0123f;  // not a power of two: steps come back through rounded products
  spec.rate = 120.0f;
  spec.first_frame = 31;
  spec.frames = 5;
  spec.labels = {"HEEL", "RKneeAng", "TOE"};  // a computed point between markers
  for (int i = 0; i < 45; ++i) {
    const int steps = i == 7 ? -32768 : i == 8 ? 32767 : i * 977 % 30011 - 15000;
    spec.points.push_back(floats ? 0.1f * static_cast<float>(steps)
                                 : static_cast<float>(static_cast<double>(spec.scale) * steps));
  }
  spec.missing.assign(15, 0);
  spec.missing[4] = spec.missing[14] = 1;
  spec.samples = 4;
  spec.channels = {"Fx", "Fy", "Fz", "Mx", "My", "Mz", "EMG"};
  spec.units = {"N", "N", "N", "Nmm", "Nmm", "Nmm", "V"};
  spec.channel_scale = {0.3f, 0.7f, 1.1f, 0.013f, 17.0f, 0.1f, 0.000244140625f};
  spec.channel_offset = {0, 5, -9, 100, 0, 2047, 2048};
  if (unsigned_analog) spec.channel_offset = {32768, 40000, 32768, 32768, 32768, 32768, 32768};
  spec.unsigned_analog = unsigned_analog;
  for (int i = 0; i < 5 * 4 * 7; ++i) {
    const auto c = static_cast<std::size_t>(i % 7);
    spec.analog.push_back(static_cast<double>(spec.channel_scale[c]) * (i * 331 % 4001 - 2000));
  }
  return spec;
}

std::string write(const C3dSpec& spec) {
  return write_c3d(spec, [](C3dParameterWriter* p) {
    p->add_group("POINT");
    p->add_texts("ANGLES", {"RKneeAng"}, 8);
    p->add_text("ANGLE_UNITS", "deg");
    p->add_group("FORCE_PLATFORM");
    p->add_int("USED", 1);
    p->add_ints("TYPE", {2}, {1});
    p->add_ints("ZERO", {1, 2}, {2});
    p->add_floats("CORNERS", {300, 400, 0, -300, 400, 0, -300, -400, 0, 300, -400, 0}, {3, 4, 1});
    p->add_floats("ORIGIN", {0.7f, -0.1f, -42.3f}, {3, 1});
    p->add_ints("CHANNEL", {1, 2, 3, 4, 5, 6}, {6, 1});
    p->add_group("EVENT");
    p->add_int("USED", 2);
    p->add_floats("TIMES", {0.0f, 0.31f, 1.0f, 2.5f}, {2, 2});
    p->add_texts("LABELS", {"Foot Strike", "Foot Off"}, 16);
    p->add_texts("CONTEXTS", {"Right", "Left"}, 16);
    p->add_group("SUBJECTS");
    p->add_floats("MASS", {71.3f}, {1});
    p->add_texts("NAMES", {"anybody"}, 12);
    p->add_ints("BYTES", {-3, 700}, {2});
  });
}

TEST(C3dOutput, AsItWasIsTheSameFile) {
  for (const C3dByteOrder order : {C3dByteOrder::kIntel, C3dByteOrder::kDec, C3dByteOrder::kMips}) {
    for (const int kind : {0, 1, 2}) {
      SCOPED_TRACE(fmt::format("processor {}, kind {}", static_cast<int>(order), kind));
      const std::string bytes = write(recording(order, kind == 0, kind == 2));
      C3dSaveOptions options;
      options.as_it_was = true;
      std::vector<std::string> notes;
      EXPECT_TRUE(encode_c3d(read(bytes), "o.c3d", options, &notes) == bytes);
      EXPECT_TRUE(notes.empty());
    }
  }
}

TEST(C3dOutput, IntelFloatsHoldEverythingOfEveryKind) {
  for (const C3dByteOrder order : {C3dByteOrder::kIntel, C3dByteOrder::kDec, C3dByteOrder::kMips}) {
    for (const int kind : {0, 1, 2}) {
      SCOPED_TRACE(fmt::format("processor {}, kind {}", static_cast<int>(order), kind));
      const MotionTrial before = read(write(recording(order, kind == 0, kind == 2)));
      const std::string bytes = encode_c3d(before, "o.c3d");
      EXPECT_EQ(static_cast<int>(bytes[512 + 3]), 84);
      const MotionTrial after = read(bytes);
      expect_same_trial(before, after);
      EXPECT_TRUE(after.c3d->stores_floats);
      // And from then on the bytes stay.
      EXPECT_TRUE(encode_c3d(after, "o.c3d") == bytes);
    }
  }
}

TEST(C3dOutput, HeaderEventsAndUnknownWordsOfTheHeaderStay) {
  std::string bytes = write_c3d(recording(C3dByteOrder::kMips, true));
  test::C3dBytes flag(C3dByteOrder::kMips), time(C3dByteOrder::kMips), gap(C3dByteOrder::kMips);
  flag.add_int16(12345);
  flag.add_int16(1);
  time.add_float(0.275f);
  gap.add_int16(17);
  bytes.replace(298, 4, flag.bytes);
  bytes.replace(304, 4, time.bytes);
  bytes.replace(396, 4, "RHS ");
  bytes.replace(10, 2, gap.bytes);  // word 6, the longest gap that was filled
  const MotionTrial before = read(bytes);
  ASSERT_EQ(before.events.size(), 1u);
  C3dSaveOptions options;
  options.as_it_was = true;
  EXPECT_TRUE(encode_c3d(before, "o.c3d", options) == bytes);
  const std::string intel = encode_c3d(before, "o.c3d");
  EXPECT_EQ(intel[10], 17);
  const MotionTrial after = read(intel);
  ASSERT_EQ(after.events.size(), 1u);
  EXPECT_EQ(after.events[0].time, before.events[0].time);
  EXPECT_EQ(after.events[0].label, "RHS");
}

TEST(C3dOutput, RealFilesComeBackWithEveryNumberAndParameter) {
  const auto files = test::shared_files({".c3d"});
  if (files.empty()) GTEST_SKIP() << "no recordings beside the repository";
  for (const auto& path : files) {
    SCOPED_TRACE(path.filename().string());
    const MotionTrial before = load_c3d(path.string());
    const std::string bytes = encode_c3d(before, "o.c3d");
    const MotionTrial after = read(bytes);
    expect_same_trial(before, after);
    EXPECT_TRUE(encode_c3d(after, "o.c3d") == bytes);
  }
}

MotionTrial plain_trial() {
  MotionTrial trial;
  trial.file = "walk.trc";
  MarkerTracks& markers = trial.markers;
  markers.labels = {"R.Heel", "L.Heel", "a rather long label of a marker"};
  markers.rate = 100.0;
  markers.unit_in_file = "m";
  for (int f = 0; f < 50; ++f) {
    markers.times.push_back(0.01 * f + 2.0);
    for (int m = 0; m < 3; ++m) {
      markers.positions.emplace_back(0.01 * f + m / 3.0, 0.1 * std::sin(0.2 * f), 1.0 / (f + 3));
    }
  }
  markers.at(7, 1) = Vec3d::Constant(kMissing);
  trial.events.push_back({2.123, "Foot Strike", "Right", "", ""});
  return trial;
}

TEST(C3dOutput, MarkersOfATrcToFloats) {
  const MotionTrial before = plain_trial();
  const MotionTrial after = read(encode_c3d(before, "o.c3d"));
  EXPECT_EQ(after.markers.labels, before.markers.labels);
  EXPECT_EQ(after.markers.first_frame, 201);
  EXPECT_EQ(after.markers.unit_in_file, "m");
  for (std::size_t f = 0; f < 50; ++f) {
    EXPECT_NEAR(after.markers.times[f], before.markers.times[f], 1e-12);
    for (std::size_t m = 0; m < 3; ++m) {
      ASSERT_EQ(after.markers.has(f, m), before.markers.has(f, m));
      for (int k = 0; k < 3 && after.markers.has(f, m); ++k) {
        EXPECT_EQ(after.markers.at(f, m)[k],
                  static_cast<double>(static_cast<float>(before.markers.at(f, m)[k])));
      }
    }
  }
  ASSERT_EQ(after.events.size(), 1u);
  EXPECT_NEAR(after.events[0].time, 2.123, 1.2e-7);  // half a step of a float between 2 and 4
  EXPECT_EQ(after.events[0].context, "Right");
}

TEST(C3dOutput, ChannelsThatBeginLaterOrEndSoonerLeaveFramesOut) {
  MotionTrial trial = plain_trial();
  trial.analog.columns = {{"v", "V"}};
  // 1000 Hz from 2.025 s on, 400 samples: frames 3 (2.03 s) to 41 (2.42 s) have all ten.
  for (int r = 0; r < 400; ++r) {
    trial.analog.times.push_back(2.025 + 0.001 * r);
    trial.analog.values.push_back(r);
  }
  std::vector<std::string> notes;
  const MotionTrial after = read(encode_c3d(trial, "o.c3d", {}, &notes));
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(after.markers.frames(), 39u);
  EXPECT_NEAR(after.markers.times[0], 2.03, 1e-12);
  ASSERT_EQ(after.analog.rows(), 390u);
  EXPECT_EQ(after.analog.values[0], 5.0);
  EXPECT_NEAR(after.analog.times[0], 2.03, 1e-9);
}

TEST(C3dOutput, MoreThan65535FramesAnd255Labels) {
  MotionTrial trial;
  trial.markers.rate = 200.0;
  trial.markers.unit_in_file = "mm";
  for (int m = 0; m < 300; ++m) trial.markers.labels.push_back(fmt::format("M{}", m));
  for (int f = 0; f < 66000; ++f) {
    trial.markers.times.push_back(f / 200.0);
    for (int m = 0; m < 300; ++m) trial.markers.positions.emplace_back(m * 0.01, f * 1e-5, 1.0);
  }
  const MotionTrial after = read(encode_c3d(trial, "o.c3d"));
  EXPECT_EQ(after.markers.labels, trial.markers.labels);
  ASSERT_EQ(after.markers.frames(), 66000u);
  EXPECT_NEAR(after.markers.at(65999, 299).y(), 0.65999, 1e-7);
}

TEST(C3dOutput, RenamedAndCutRecordingsKeepTheirParameters) {
  MotionTrial trial = read(write(recording(C3dByteOrder::kIntel, true)));
  trial.markers.labels[1] = "a new name";
  trial.events.pop_back();
  const MotionTrial after = read(encode_c3d(trial, "o.c3d"));
  EXPECT_EQ(after.markers.labels, trial.markers.labels);
  EXPECT_EQ(after.computed.columns[0].name, "RKneeAng.x");
  EXPECT_EQ(after.events.size(), 1u);
  EXPECT_EQ(after.c3d->parameters.find_texts("SUBJECTS", "NAMES")[0], "anybody");
  EXPECT_EQ(after.plates.size(), 1u);
}

TEST(C3dOutput, RefusesWhatTheFormatCannotHold) {
  const auto error_of = [](const MotionTrial& trial, C3dSaveOptions options = {}) {
    return input_error_of([&] { encode_c3d(trial, "o.c3d", options); });
  };
  const auto says = [](const std::string& error, const char* part) {
    return error.find("o.c3d: not written: ") == 0 && error.find(part) != std::string::npos;
  };
  MotionTrial trial = plain_trial();
  trial.markers.times[20] += 0.004;
  EXPECT_TRUE(says(error_of(trial), "times of the markers are uneven"));
  trial = plain_trial();
  trial.markers.labels[1] = "R.Heel";
  EXPECT_TRUE(says(error_of(trial), "two points are called 'R.Heel'"));
  trial = plain_trial();
  trial.markers.at(0, 0).x() = 1e39;
  EXPECT_TRUE(says(error_of(trial), "too large"));
  trial = plain_trial();
  trial.analog.columns = {{"v", "V"}};
  for (int r = 0; r < 100; ++r) {
    trial.analog.times.push_back(2.0 + r / 150.0);
    trial.analog.values.push_back(r);
  }
  EXPECT_TRUE(says(error_of(trial), "150 rows of channels a second and 100 frames"));
  C3dSaveOptions as_it_was;
  as_it_was.as_it_was = true;
  EXPECT_TRUE(says(error_of(plain_trial(), as_it_was), "did not come from a C3D"));
  trial = read(write(recording(C3dByteOrder::kIntel, false)));
  trial.markers.at(0, 0).x() += 0.5e-6;
  EXPECT_TRUE(says(error_of(trial, as_it_was), "16-bit integers"));
  EXPECT_TRUE(says(error_of(MotionTrial{}), "no markers and no table"));
}

}  // namespace
}  // namespace vesica::c3d_output_test
