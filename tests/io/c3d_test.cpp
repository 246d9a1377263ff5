#include "vesica/io/c3d.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <sstream>

#include "tests/io/motion_files.h"
#include "tests/support/c3d_writer.h"
#include "tests/support/support.h"
#include "vesica/io/sto.h"
#include "vesica/io/trc.h"

namespace vesica::c3d_test {
namespace {

using test::C3dParameterWriter;
using test::C3dSpec;
using test::input_error_of;
using test::TemporaryFolder;
using test::write_c3d;

MotionTrial read(const std::string& bytes) {
  std::istringstream stream(bytes);
  return read_c3d(stream, "t.c3d");
}
std::string error_of(const std::string& bytes) {
  return input_error_of([&] { read(bytes); });
}

// Three markers over four frames, two channels with three samples per frame. All values are whole
// multiples of the integer scale, so that every variant must give them back exactly.
C3dSpec small_recording(C3dByteOrder order, bool floats) {
  C3dSpec spec;
  spec.order = order;
  spec.floats = floats;
  spec.scale = 0.25f;
  spec.rate = 50.0f;
  spec.first_frame = 11;
  spec.frames = 4;
  spec.labels = {"HEEL", "TOE", "KNEE"};
  for (int i = 0; i < 36; ++i) spec.points.push_back(0.25f * static_cast<float>(i * i * 3 - 700));
  spec.missing.assign(12, 0);
  spec.missing[4] = 1;
  spec.samples = 3;
  spec.channels = {"Fz", "EMG"};
  spec.units = {"N", "V"};
  spec.channel_scale = {0.5f, 0.125f};
  spec.channel_offset = {0, 2048};
  for (int i = 0; i < 24; ++i) spec.analog.push_back(i % 2 == 0 ? 0.5 * i - 3.0 : 0.125 * i);
  return spec;
}

void expect_small_recording(const C3dSpec& spec, const MotionTrial& trial) {
  const MarkerTracks& m = trial.markers;
  ASSERT_EQ(m.labels, spec.labels);
  ASSERT_EQ(m.frames(), 4u);
  EXPECT_EQ(m.rate, 50.0);
  EXPECT_EQ(m.first_frame, 11);
  EXPECT_EQ(m.times, (std::vector<double>{0.2, 0.22, 0.24, 0.26}));
  for (std::size_t i = 0; i < 12; ++i) {
    ASSERT_EQ(m.has(i / 3, i % 3), i != 4);
    EXPECT_FLOAT_EQ(m.residuals[i], i == 4 ? -1.0f : 5 * 0.25e-3f);
    for (int k = 0; i != 4 && k < 3; ++k) {
      EXPECT_EQ(m.at(i / 3, i % 3)[k],
                static_cast<double>(spec.points[3 * i + static_cast<std::size_t>(k)]) / 1000.0);
    }
  }
  ASSERT_EQ(trial.analog.rows(), 12u);
  EXPECT_EQ(trial.analog.columns[1].name, "EMG");
  EXPECT_EQ(trial.analog.columns[1].unit, "V");
  EXPECT_EQ(trial.analog.values, spec.analog);
  EXPECT_DOUBLE_EQ(trial.analog.times[0], 0.2);
  EXPECT_DOUBLE_EQ(trial.analog.times[5], 0.2 + 5.0 / 150.0);
}

TEST(C3d, ReadsAllByteOrdersIntegersAndFloats) {
  for (C3dByteOrder order : {C3dByteOrder::kIntel, C3dByteOrder::kDec, C3dByteOrder::kMips}) {
    for (bool floats : {true, false}) {
      SCOPED_TRACE(std::to_string(static_cast<int>(order)) + (floats ? " floats" : " integers"));
      const C3dSpec spec = small_recording(order, floats);
      expect_small_recording(spec, read(write_c3d(spec)));
    }
  }
}

TEST(C3d, ReadsUnsignedAnalogSamples) {
  C3dSpec spec = small_recording(C3dByteOrder::kIntel, false);
  spec.unsigned_analog = true;
  spec.channel_offset = {32768, 40000};  // stored beyond the signed range
  expect_small_recording(spec, read(write_c3d(spec)));
}

TEST(C3d, DecFloatsAtTheEdgesOfTheirRange) {
  // VAX F floating: 1.0 is 80 40 00 00, -0.5 is 00 c0 00 00; exponent zero is zero; the largest
  // number (ff 7f ff ff) would be NaN if read as IEEE.
  EXPECT_EQ(decode_float(C3dByteOrder::kDec, "\x80\x40\x00\x00"), 1.0f);
  EXPECT_EQ(decode_float(C3dByteOrder::kDec, "\x00\xc0\x00\x00"), -0.5f);
  EXPECT_EQ(decode_float(C3dByteOrder::kDec, "\x00\x00\x34\x12"), 0.0f);
  EXPECT_FLOAT_EQ(decode_float(C3dByteOrder::kDec, "\xff\x7f\xff\xff"), 1.7014118e38f);
  EXPECT_FLOAT_EQ(decode_float(C3dByteOrder::kDec, "\x80\x00\x00\x00"), 2.9387359e-39f);
}

TEST(C3d, MoreThan255LabelsAndChannels) {
  C3dSpec spec = small_recording(C3dByteOrder::kIntel, true);
  spec.labels.clear();
  for (int i = 0; i < 600; ++i) spec.labels.push_back(fmt::format("M{}", i));
  spec.points.assign(4 * 600 * 3, 0.0f);
  for (std::size_t i = 0; i < spec.points.size(); ++i)
    spec.points[i] = static_cast<float>(i % 1800);
  spec.missing.clear();
  spec.channels.clear();
  spec.units.clear();
  for (int i = 0; i < 300; ++i) spec.channels.push_back(fmt::format("C{}", i));
  spec.units.assign(300, "V");
  spec.channel_scale.assign(300, 1.0f);
  spec.channel_offset.assign(300, 0);
  spec.analog.assign(4 * 3 * 300, 0.0);
  for (std::size_t i = 0; i < spec.analog.size(); ++i) spec.analog[i] = static_cast<double>(i);
  const MotionTrial trial = read(write_c3d(spec));
  EXPECT_EQ(trial.markers.labels, spec.labels);
  EXPECT_EQ(trial.markers.at(2, 599).z(),
            static_cast<double>(spec.points[(2 * 600 + 599) * 3 + 2]) / 1000.0);
  EXPECT_EQ(trial.analog.columns[299].name, "C299");
  EXPECT_EQ(trial.analog.columns[299].unit, "V");
  EXPECT_EQ(trial.analog.values, spec.analog);
}

TEST(C3d, MoreFramesThan16Bits) {
  C3dSpec spec;
  spec.frames = 70000;
  spec.labels = {"A", "B"};
  spec.points.assign(70000 * 6, 0.0f);
  for (std::size_t i = 0; i < spec.points.size(); ++i)
    spec.points[i] = static_cast<float>(i % 6) * 100.0f;
  spec.points.back() = 777.0f;
  spec.first_frame = 66000;
  spec.trial_fields = true;
  const MotionTrial fields = read(write_c3d(spec));
  EXPECT_EQ(fields.markers.frames(), 70000u);
  EXPECT_EQ(fields.markers.first_frame, 66000);
  EXPECT_EQ(fields.markers.at(69999, 1).z(), 0.777);
  spec.trial_fields = false;
  spec.first_frame = 1;
  const MotionTrial long_frames = read(write_c3d(spec, [](C3dParameterWriter* p) {
    p->add_group("POINT");
    p->add_float("LONG_FRAMES", 70000.0f);
  }));
  EXPECT_EQ(long_frames.markers.frames(), 70000u);
}

TEST(C3d, ReadsEventsInOrderOfTime) {
  const MotionTrial trial =
      read(write_c3d(small_recording(C3dByteOrder::kMips, true), [](C3dParameterWriter* p) {
        p->add_group("EVENT");
        p->add_int("USED", 2);
        p->add_floats("TIMES", {1.0f, 2.5f, 0.0f, 0.25f}, {2, 2});
        p->add_texts("LABELS", {"Foot Off", "Foot Strike"}, 12);
        p->add_texts("CONTEXTS", {"Left", "Right"}, 6);
      }));
  ASSERT_EQ(trial.events.size(), 2u);
  EXPECT_EQ(trial.events[0].label, "Foot Strike");
  EXPECT_EQ(trial.events[0].context, "Right");
  EXPECT_EQ(trial.events[0].time, 0.25);
  EXPECT_EQ(trial.events[1].time, 62.5);
}

TEST(C3d, ReadsEventsOfTheHeaderBlock) {
  std::string bytes = write_c3d(small_recording(C3dByteOrder::kIntel, true));
  test::C3dBytes words(C3dByteOrder::kIntel);
  words.add_int16(12345);
  words.add_int16(1);
  bytes.replace(2 * 149, 4, words.bytes);
  test::C3dBytes time(C3dByteOrder::kIntel);
  time.add_float(0.21f);
  bytes.replace(2 * 152, 4, time.bytes);
  bytes.replace(2 * 198, 4, "RHS ");
  const MotionTrial trial = read(bytes);
  ASSERT_EQ(trial.events.size(), 1u);
  EXPECT_EQ(trial.events[0].label, "RHS");
  EXPECT_FLOAT_EQ(static_cast<float>(trial.events[0].time), 0.21f);
}

TEST(C3d, ComputedPointsAreNoMarkers) {
  C3dSpec spec = small_recording(C3dByteOrder::kIntel, true);
  const MotionTrial trial = read(write_c3d(spec, [](C3dParameterWriter* p) {
    p->add_group("POINT");
    p->add_texts("ANGLES", {"KNEE"}, 8);
    p->add_text("ANGLE_UNITS", "deg");
  }));
  EXPECT_EQ(trial.markers.labels, (std::vector<std::string>{"HEEL", "TOE"}));
  ASSERT_EQ(trial.computed.columns.size(), 3u);
  EXPECT_EQ(trial.computed.columns[0].name, "KNEE.x");
  EXPECT_EQ(trial.computed.columns[0].unit, "deg");
  EXPECT_EQ(trial.computed.at(0, 0), static_cast<double>(spec.points[6]));  // degrees, not scaled
  EXPECT_EQ(trial.markers.at(1, 0).x(), static_cast<double>(spec.points[9]) / 1000.0);
}

// Sixteen channels: one plate of `type`, with units as given.
std::string plate_recording(int type, const std::string& force_unit, const std::string& other_unit,
                            const std::vector<float>& corners) {
  C3dSpec spec = small_recording(C3dByteOrder::kIntel, true);
  const int channels = type == 3 ? 8 : 6;
  spec.channels.clear();
  spec.units.clear();
  for (int c = 0; c < channels; ++c) {
    spec.channels.push_back(fmt::format("C{}", c));
    spec.units.push_back(c < 3 || type == 3 ? force_unit : other_unit);
  }
  spec.channel_scale.assign(static_cast<std::size_t>(channels), 1.0f);
  spec.channel_offset.assign(static_cast<std::size_t>(channels), 0);
  spec.analog.clear();
  for (int i = 0; i < 12 * channels; ++i) spec.analog.push_back(i);
  return write_c3d(spec, [&](C3dParameterWriter* p) {
    p->add_group("FORCE_PLATFORM");
    p->add_int("USED", 1);
    p->add_ints("TYPE", {type}, {1});
    p->add_ints("ZERO", {1, 2}, {2});
    p->add_floats("CORNERS", corners, {3, 4, 1});
    p->add_floats("ORIGIN", {1.0f, -2.0f, -41.0f}, {3, 1});
    std::vector<int> numbers;
    for (int c = channels; c >= 1; --c) numbers.push_back(c);  // last channel first
    p->add_ints("CHANNEL", numbers, {channels, 1});
    std::vector<float> matrix(36, 0.0f);
    for (std::size_t i = 0; i < 36; ++i) matrix[i] = static_cast<float>(i);
    if (type == 4) p->add_floats("CAL_MATRIX", matrix, {6, 6, 1});
  });
}
const std::vector<float> kCorners = {600, 400, 0, 0, 400, 0, 0, 0, 0, 600, 0, 0};

TEST(C3d, ReadsPlatesOfTypesOneToFour) {
  for (int type = 1; type <= 4; ++type) {
    SCOPED_TRACE(type);
    const MotionTrial trial = read(plate_recording(type, type == 4 ? "V" : "N",
                                                   type == 1   ? "mm"
                                                   : type == 4 ? "V"
                                                               : "Nmm",
                                                   kCorners));
    ASSERT_EQ(trial.plates.size(), 1u);
    const ForcePlate& plate = trial.plates[0];
    EXPECT_EQ(plate.type, type);
    EXPECT_EQ(plate.channels.size(), type == 3 ? 8u : 6u);
    EXPECT_EQ(plate.corners[0], Vec3d(0.6, 0.4, 0.0));
    EXPECT_EQ(plate.origin, Vec3d(0.001, -0.002, -0.041));
    EXPECT_EQ(plate.zero_last, 2);
    EXPECT_EQ(plate.rate, 150.0);
    EXPECT_EQ(plate.start_time, 0.2);
    ASSERT_EQ(plate.rows(), 12u);
    const std::size_t n = plate.channels.size();
    EXPECT_EQ(plate.channel_names[0], fmt::format("C{}", n - 1));
    // Channel k of the plate is analog column n-1-k; the analog unit decides the scale.
    const double scale_of_last_column = type == 3 || type == 4 ? 1.0 : 1e-3;
    EXPECT_DOUBLE_EQ(plate.at(2, 0), static_cast<double>(2 * n + n - 1) * scale_of_last_column);
    EXPECT_DOUBLE_EQ(plate.at(2, n - 1), static_cast<double>(2 * n));
    if (type == 4) {
      EXPECT_EQ(plate.calibration(1, 2), 13.0) << "stored by column: row 1, column 2 is element 13";
      EXPECT_EQ(plate.calibration(4, 2), 16.0 / 1000.0) << "moments in N m";
    }
  }
}

TEST(C3d, PlatesThatCannotBeUsedAreLeftOutWithAWarning) {
  const MotionTrial zero = read(plate_recording(2, "N", "Nmm", std::vector<float>(12, 0.0f)));
  EXPECT_TRUE(zero.plates.empty());
  ASSERT_FALSE(zero.warnings.empty());
  EXPECT_NE(zero.warnings.back().find("has all its corners at zero"), std::string::npos);
  const MotionTrial type = read(plate_recording(7, "N", "Nmm", kCorners));
  EXPECT_TRUE(type.plates.empty());
  EXPECT_NE(type.warnings.back().find("is of type 7"), std::string::npos);
}

TEST(C3d, CrossedCornersGoRoundAgain) {
  // Every order of the four corners is a rectangle after reading; those that cross are told.
  int order[4] = {0, 1, 2, 3}, crossed = 0;
  do {
    std::vector<float> corners;
    for (const int i : order) corners.insert(corners.end(), &kCorners[3 * i], &kCorners[3 * i] + 3);
    const MotionTrial trial = read(plate_recording(2, "N", "Nmm", corners));
    ASSERT_EQ(trial.plates.size(), 1u);
    const Vec3d* c = trial.plates[0].corners;
    EXPECT_LT((c[0] - c[1] + c[2] - c[3]).norm(), 1e-12);
    crossed +=
        !trial.warnings.empty() && trial.warnings.back().find("crosswise") != std::string::npos;
  } while (std::next_permutation(order, order + 4));
  EXPECT_EQ(crossed, 16);  // of 24 orders, 8 go round
}

TEST(C3d, DegeneratePlatesAreAnErrorThatSaysWhatItSaw) {
  std::vector<float> line = kCorners;
  for (int i = 0; i < 4; ++i) line[3 * i + 1] = 0.0f;  // no width
  EXPECT_NE(error_of(plate_recording(2, "N", "Nmm", line)).find("sides of 0 to 0.6 m"),
            std::string::npos);
}

TEST(C3d, RatesThatDisagreeAreToldWithTheOneBelieved) {
  struct Case {
    float point, header, analog, camera;  // Hz; 0: not stated. 10 samples a frame
    double believed;
    const char* told;  // part of the warning; empty: none
  };
  for (const Case& c :
       {Case{100, 100, 1000, 0, 100, ""}, Case{100, 100, 1000, 100, 100, ""},
        Case{100, 100, 2000, 0, 100, "ANALOG:RATE (2000 Hz for 10 samples a frame) says 200 Hz"},
        Case{120, 100, 1000, 0, 100, "POINT:RATE says 120 Hz, but the header, ANALOG:RATE"},
        Case{100, 120, 0, 0, 100, "the header says 120 Hz, but POINT:RATE says 100 Hz"},
        Case{60, 59.94f, 600, 0, 60, "the header says 59.94 Hz"},
        Case{0, 100, 1200, 120, 120, "the header says 100 Hz"}, Case{0, 100, 0, 0, 100, ""}}) {
    C3dParameterWriter writer(C3dByteOrder::kIntel);
    writer.add_group("POINT");
    if (c.point > 0) writer.add_float("RATE", c.point);
    writer.add_group("ANALOG");
    if (c.analog > 0) writer.add_float("RATE", c.analog);
    writer.add_group("TRIAL");
    if (c.camera > 0) writer.add_float("CAMERA_RATE", c.camera);
    const C3dParameters parameters =
        C3dParameters::parse(writer.take(), 512, C3dByteOrder::kIntel, "t.c3d");
    std::vector<std::string> warnings;
    EXPECT_NEAR(detail::choose_frame_rate(c.header, 10, parameters, &warnings), c.believed, 1e-4);
    const std::string told = c.told;
    ASSERT_EQ(warnings.size(), told.empty() ? 0u : 1u) << c.point << " " << c.header;
    if (!told.empty()) {
      EXPECT_NE(warnings[0].find(told), std::string::npos) << warnings[0];
    }
  }
}

TEST(C3d, PlatesOfAnotherScaleAreAnError) {
  std::vector<float> corners = kCorners;
  for (float& c : corners) c *= 1e-3f;  // metres in a file of millimetres
  const std::string message = error_of(plate_recording(2, "N", "Nmm", corners));
  EXPECT_NE(message.find("force platform 1 has corners with sides of 0.0004 to 0.0006 m"),
            std::string::npos)
      << message;
}

TEST(C3d, WrongScaleOfMarkersIsAnErrorThatSaysWhatItSaw) {
  C3dSpec spec = small_recording(C3dByteOrder::kIntel, true);
  spec.unit = "m";
  const std::string message = error_of(write_c3d(spec));
  EXPECT_NE(message.find("millimetres labelled as metres?"), std::string::npos) << message;
  spec.unit = "furlong";
  EXPECT_NE(error_of(write_c3d(spec)).find("POINT:UNITS is 'furlong'"), std::string::npos);
}

TEST(C3d, WrongFilesAreErrorsThatNameTheByte) {
  EXPECT_NE(error_of("").find("t.c3d: byte 0: the file is empty"), std::string::npos);
  EXPECT_NE(error_of("PathFileType 4").find("t.c3d: byte 14: the file ends within the header"),
            std::string::npos);
  EXPECT_NE(error_of(std::string(1024, 'x')).find("t.c3d: byte 1: found 0x78; expected 0x50"),
            std::string::npos);
  std::string bytes = write_c3d(small_recording(C3dByteOrder::kIntel, true));
  const auto spoil = [&](std::size_t at, char value) {
    std::string copy = bytes;
    copy[at] = value;
    return error_of(copy);
  };
  EXPECT_NE(spoil(0, 99).find("t.c3d: byte 0: the parameter section is said to begin in block 99"),
            std::string::npos);
  EXPECT_NE(spoil(512 + 3, 12).find("t.c3d: byte 515: the processor type is 12"),
            std::string::npos);
  EXPECT_NE(spoil(18, 0).find("t.c3d: byte 18"), std::string::npos);
  EXPECT_NE(spoil(17, 100).find("t.c3d: byte 16: the data are said to begin in block"),
            std::string::npos);
}

TEST(C3d, CountsThatLieDoNotAllocate) {
  std::string bytes = write_c3d(small_recording(C3dByteOrder::kIntel, true));
  bytes[8] = '\xff';  // last frame 65535
  bytes[9] = '\xff';
  bytes[2] = '\xff';  // 65535 points
  bytes[3] = '\xff';
  const std::string message = error_of(bytes);
  EXPECT_NE(
      message.find("whole frames of 1048584 bytes, but its header says 65525 frames: truncated?"),
      std::string::npos)
      << message;
}

TEST(C3d, TruncatedFilesAreErrorsWhereverTheyEnd) {
  const C3dSpec spec = small_recording(C3dByteOrder::kDec, true);
  const std::string bytes = write_c3d(spec);
  const std::size_t data = bytes.size() - 512;  // the frames take less than one block
  const std::size_t used = data + 4 * (3 * 4 + 6) * 4;
  for (std::size_t length = 0; length < used; length += 7) {
    EXPECT_NE(error_of(bytes.substr(0, length)).find("t.c3d: byte "), std::string::npos) << length;
  }
  expect_small_recording(spec, read(bytes.substr(0, used)));
}

// The file's own bytes, decoded here without the reader: PC floats, frame 0.
TEST(C3d, RealFileAgreesWithItsBytes) {
  const std::filesystem::path path = test::shared_data() / "opensim/walking2.c3d";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no recordings beside the repository";
  const MotionTrial trial = load_c3d(path.string());
  std::ifstream in(path, std::ios::binary);
  const std::size_t start = (14 - 1) * 512;  // header word 9
  const std::size_t frame_bytes = 4 * (44 * 4 + 96);
  for (std::size_t frame : {0u, 1u, 1248u}) {
    std::vector<float> words(44 * 4 + 96);
    in.seekg(static_cast<std::streamoff>(start + frame * frame_bytes));
    in.read(reinterpret_cast<char*>(words.data()), static_cast<std::streamsize>(frame_bytes));
    for (std::size_t m = 0; m < 44; ++m) {
      ASSERT_EQ(trial.markers.has(frame, m), words[4 * m + 3] >= 0.0f);
      if (!trial.markers.has(frame, m)) continue;
      EXPECT_EQ(static_cast<float>(trial.markers.at(frame, m).y() * 1000.0), words[4 * m + 1]);
    }
    for (std::size_t s = 0; s < 8; ++s) {
      EXPECT_EQ(trial.analog.at(frame * 8 + s, 2), static_cast<double>(words[44 * 4 + s * 12 + 2]));
    }
  }
  ASSERT_EQ(trial.plates.size(), 2u);
  EXPECT_NEAR(trial.plates[0].corners[0].x(), 0.6646, 1e-6);
  EXPECT_NEAR(trial.plates[1].origin.z(), 0.05715, 1e-8);
}

TEST(C3d, RealFilesHoldWhatTheirReadmeSays) {
  const std::filesystem::path path = test::shared_data() / "oxford_foot/HC038A11.c3d";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no recordings beside the repository";
  const MotionTrial trial = load_c3d(path.string());
  EXPECT_EQ(trial.markers.markers() + trial.computed.columns.size() / 3,
            292u);  // LABELS and LABELS2
  EXPECT_EQ(trial.markers.rate, 100.0);
  EXPECT_EQ(trial.plates[0].rate, 1000.0);
  EXPECT_DOUBLE_EQ(trial.markers.start_time(), 2.69);  // frame 270
  // "Right stance 0.655-1.316 s", counted from the first frame; the lab's own events are to 10 ms.
  ASSERT_EQ(trial.events.size(), 10u);
  EXPECT_EQ(trial.events[2].context, "Right");
  EXPECT_NEAR(trial.events[2].time - trial.markers.start_time(), 0.655, 0.01);
  EXPECT_NE(trial.axes.find("the data suggest that +z is up"), std::string::npos);
}

// C3D to TRC and MOT: floats need nine digits, and all of them must come back.
TEST(C3d, ConvertsToTrcAndMotWithoutLoss) {
  const TemporaryFolder folder;
  const auto files = test::shared_files({".c3d"});
  if (files.empty()) GTEST_SKIP() << "no recordings beside the repository";
  EXPECT_EQ(files.size(), 5u);
  for (const std::filesystem::path& path : files) {
    SCOPED_TRACE(path.string());
    const MotionTrial trial = load_c3d(path.string());
    save_trc(folder.path("a.trc"), trial.markers);
    save_sto(folder.path("a.mot"), trial.analog);
    const MotionTrial markers = load_trc(folder.path("a.trc"));
    ASSERT_EQ(markers.markers.labels, trial.markers.labels);
    EXPECT_EQ(markers.markers.times, trial.markers.times);
    std::size_t different = 0, missing = 0;
    for (std::size_t i = 0; i < trial.markers.positions.size(); ++i) {
      for (int k = 0; k < 3; ++k) {
        const auto a = static_cast<float>(trial.markers.positions[i][k] * 1000.0);
        const auto b = static_cast<float>(markers.markers.positions[i][k] * 1000.0);
        missing += std::isnan(a);
        different += std::isnan(a) != std::isnan(b) || (!std::isnan(a) && a != b);
      }
    }
    EXPECT_EQ(different, 0u) << missing;
    const MotionTrial table = load_sto(folder.path("a.mot"));
    EXPECT_EQ(table.analog.times, trial.analog.times);
    ASSERT_EQ(table.analog.values.size(), trial.analog.values.size());
    EXPECT_EQ(std::memcmp(table.analog.times.data(), trial.analog.times.data(),
                          8 * trial.analog.times.size()),
              0);
    std::size_t changed = 0;
    for (std::size_t i = 0; i < table.analog.values.size(); ++i) {
      const double a = table.analog.values[i], b = trial.analog.values[i];
      changed += std::isnan(a) != std::isnan(b) || (!std::isnan(a) && a != b);
    }
    EXPECT_EQ(changed, 0u);
  }
}

}  // namespace
}  // namespace vesica::c3d_test
