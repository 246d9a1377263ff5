// C3D files that are odd but readable: parameters that are absent, of another type, or longer or
// shorter than what they speak of. Writing such a file must not change a number of it. The files
// are laid out here, byte by byte; their numbers follow from a formula.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <sstream>

#include "tests/support/c3d_writer.h"
#include "vesica/io/c3d.h"

namespace vesica::c3d_odd_files_test {
namespace {

using test::C3dParameterWriter;

constexpr int kPoints = 2, kChannels = 3;

struct OddFile {
  const char* name;
  std::function<void(C3dParameterWriter*)> add_parameters;
  float rate = 50.0f;
  int first_frame = 1, frames = 2, samples = 1;
  int channels = kChannels;
  bool no_header_rate = false;
};

// Whole numbers, so that integers hold them.
int steps_at(int frame, int point, int axis) { return 1000 * frame + 100 * point + axis - 37; }
int raw_at(int row, int channel) { return 7 * row - 11 * channel + 3; }

std::string lay_out(const OddFile& file, C3dByteOrder order, bool floats) {
  C3dParameterWriter parameters(order);
  file.add_parameters(&parameters);
  const std::string section = parameters.take();
  test::C3dBytes out(order);
  out.add_byte(2);
  out.add_byte(0x50);
  out.add_int16(kPoints);
  out.add_int16(file.channels * file.samples);
  out.add_int16(std::min(file.first_frame, 65535));
  out.add_int16(std::min(file.first_frame + file.frames - 1, 65535));
  out.add_int16(0);
  out.add_float(floats ? -1.0f : 1.0f);
  out.add_int16(static_cast<int>(2 + section.size() / 512));
  out.add_int16(file.samples);
  out.add_float(file.no_header_rate ? 0.0f : file.rate);
  out.pad_to_block();
  out.bytes += section;
  const auto add = [&](int value) {
    floats ? out.add_float(static_cast<float>(value)) : out.add_int16(value);
  };
  for (int f = 0; f < file.frames; ++f) {
    for (int p = 0; p < kPoints; ++p) {
      for (int k = 0; k < 3; ++k) add(steps_at(f, p, k));
      add(0x0302);
    }
    for (int s = 0; s < file.samples; ++s) {
      for (int c = 0; c < file.channels; ++c) add(raw_at(f * file.samples + s, c));
    }
  }
  out.pad_to_block();
  return out.bytes;
}

MotionTrial read_odd(const std::string& bytes) {
  std::istringstream stream(bytes);
  return read_c3d(stream, "odd.c3d");
}

// `unit`: of the positions' steps, in metres.
void expect_numbers(const MotionTrial& trial, const OddFile& file, double unit) {
  ASSERT_EQ(trial.markers.markers(), static_cast<std::size_t>(kPoints));
  ASSERT_EQ(trial.markers.frames(), static_cast<std::size_t>(file.frames));
  ASSERT_EQ(trial.analog.rows(), static_cast<std::size_t>(file.frames * file.samples));
  ASSERT_EQ(trial.analog.columns.size(), static_cast<std::size_t>(file.channels));
  for (int f = 0; f < file.frames; ++f) {
    const auto frame = static_cast<std::size_t>(f);
    EXPECT_NEAR(trial.markers.times[frame], (file.first_frame - 1 + f) / file.rate,
                1e-6 * (1.0 + file.first_frame / file.rate));
    for (int p = 0; p < kPoints; ++p) {
      for (int k = 0; k < 3; ++k) {
        EXPECT_NEAR(trial.markers.at(frame, static_cast<std::size_t>(p))[k],
                    unit * steps_at(f, p, k), 1e-12)
            << "frame " << f << ", point " << p << ", axis " << k;
      }
    }
  }
}

std::vector<OddFile> odd_files() {
  using W = C3dParameterWriter;
  const auto point = [](W* p) { p->add_group("POINT"); };
  const auto analog = [](W* p) { p->add_group("ANALOG"); };
  std::vector<OddFile> files = {
      {"no parameters at all", [](W*) {}},
      {"empty groups",
       [=](W* p) {
         point(p);
         analog(p);
       }},
      {"no names, begins at frame 3",
       [=](W* p) {
         point(p);
         p->add_int("USED", 2);
         p->add_text("UNITS", "mm");
       }},
      {"fewer labels than points and channels",
       [=](W* p) {
         point(p);
         p->add_texts("LABELS", {"HEEL"}, 4);
         p->add_texts("DESCRIPTIONS", {"of the heel"}, 12);
         analog(p);
         p->add_texts("LABELS", {"Fz"}, 4);
         p->add_texts("UNITS", {"N"}, 4);
       }},
      {"more labels than points and channels",
       [=](W* p) {
         point(p);
         p->add_texts("LABELS", {"A", "B", "C", "D"}, 4);
         p->add_texts("DESCRIPTIONS", {"1", "2", "3", "4"}, 2);
         analog(p);
         p->add_texts("LABELS", {"a", "b", "c", "d", "e"}, 4);
         p->add_texts("UNITS", {"V", "V", "V", "V", "V"}, 4);
         p->add_floats("SCALE", {1, 2, 4, 8, 16}, {5});
         p->add_ints("OFFSET", {1, 2, 3, 4, 5}, {5});
       }},
      {"scales and offsets for one channel of three",
       [=](W* p) {
         analog(p);
         p->add_floats("SCALE", {0.5f}, {1});
         p->add_ints("OFFSET", {17}, {1});
         p->add_float("GEN_SCALE", 0.25f);
       }},
      {"equal and empty labels",
       [=](W* p) {
         point(p);
         p->add_texts("LABELS", {"A", "A"}, 4);
         analog(p);
         p->add_texts("LABELS", {"", "v", "v"}, 4);
       }},
      {"counts as bytes",
       [=](W* p) {
         point(p);
         p->add_bytes("USED", {2}, {});
         p->add_bytes("FRAMES", {2}, {});
         p->add_bytes("RATE", {50}, {});
         analog(p);
         p->add_bytes("USED", {3}, {});
         p->add_bytes("RATE", {50}, {});
       }},
      {"counts as lists, and wrong ones",
       [=](W* p) {
         point(p);
         p->add_ints("USED", {7, 8}, {2});
         p->add_ints("FRAMES", {9, 9, 9}, {3});
         p->add_floats("RATE", {50.0f, 60.0f}, {2});
         analog(p);
         p->add_ints("USED", {9}, {1});
       }},
      {"counts as texts",
       [=](W* p) {
         point(p);
         p->add_text("USED", "two");
         p->add_text("RATE", "50 Hz");
         p->add_text("SCALE", "one");
       }},
      {"rate of the parameters alone",
       [=](W* p) {
         point(p);
         p->add_float("RATE", 50.0f);
       }},
      {"rates as whole numbers",
       [=](W* p) {
         point(p);
         p->add_int("RATE", 50);
         analog(p);
         p->add_int("RATE", 200);
       }},
      {"rate of television",
       [=](W* p) {
         point(p);
         p->add_float("RATE", 59.94006f);
       }},
      {"slower than one frame a second", [](W*) {}},
      {"frame fields of the trial",
       [](W* p) {
         p->add_group("TRIAL");
         p->add_ints("ACTUAL_START_FIELD", {12, 0}, {2});
         p->add_ints("ACTUAL_END_FIELD", {15, 0}, {2});
       }},
      {"late in a long recording",
       [](W* p) {
         p->add_group("TRIAL");
         p->add_ints("ACTUAL_START_FIELD", {4464, 1}, {2});  // 70,000
         p->add_ints("ACTUAL_END_FIELD", {4465, 1}, {2});
       }},
      {"long frames as a byte",
       [=](W* p) {
         point(p);
         p->add_bytes("LONG_FRAMES", {2}, {});
       }},
      {"data start as a list",
       [=](W* p) {
         point(p);
         p->add_ints("DATA_START", {3, 3}, {2});
       }},
      {"numbers where labels belong",
       [=](W* p) {
         point(p);
         p->add_ints("LABELS", {1, 2}, {2});
         analog(p);
         p->add_floats("LABELS", {1, 2}, {2});
       }},
      {"groups twice",
       [=](W* p) {
         point(p);
         p->add_int("USED", 2);
         analog(p);
         point(p);
         p->add_texts("LABELS", {"A", "B"}, 2);
       }},
      {"no channels", [=](W* p) { analog(p); }},
  };
  for (OddFile& file : files) {
    const std::string name = file.name;
    if (name == "no names, begins at frame 3") file.first_frame = 3;
    if (name == "rates as whole numbers") file.samples = 4;
    if (name == "rate of television") file.rate = 59.94006f;
    if (name == "slower than one frame a second") file.rate = 0.3f;
    if (name == "frame fields of the trial") file.first_frame = 12, file.frames = 4;
    if (name == "late in a long recording") file.first_frame = 70000;
    if (name == "rate of the parameters alone") file.no_header_rate = true;
    if (name == "no channels") file.channels = 0, file.samples = 0;
  }
  return files;
}

// Reads, writes, reads, writes: the formula's numbers in both readings, and the same bytes.
void check_way_there_and_back(const OddFile& file, const std::string& bytes, double unit,
                              const C3dSaveOptions& options) {
  const MotionTrial before = read_odd(bytes);
  expect_numbers(before, file, unit);
  std::vector<std::string> notes;
  const std::string written = encode_c3d(before, "o.c3d", options, &notes);
  EXPECT_TRUE(notes.empty()) << notes[0];
  const MotionTrial after = read_odd(written);
  expect_numbers(after, file, unit);
  EXPECT_EQ(after.markers.labels, before.markers.labels);
  EXPECT_EQ(after.markers.words, before.markers.words);
  EXPECT_EQ(after.analog.values, before.analog.values);
  EXPECT_EQ(after.analog.times, before.analog.times);
  EXPECT_EQ(after.c3d->first_frame, before.c3d->first_frame);
  EXPECT_EQ(after.c3d->stores_floats, !options.as_it_was || before.c3d->stores_floats);
  EXPECT_TRUE(encode_c3d(after, "o.c3d", options) == written);
}

TEST(C3dOddFiles, ComeBackWithTheirNumbersAndStay) {
  for (const OddFile& file : odd_files()) {
    for (const C3dByteOrder order :
         {C3dByteOrder::kIntel, C3dByteOrder::kDec, C3dByteOrder::kMips}) {
      for (const bool floats : {false, true}) {
        for (const bool as_it_was : {false, true}) {
          SCOPED_TRACE(fmt::format("{}, processor {}, {}{}", file.name, static_cast<int>(order),
                                   floats ? "floats" : "integers", as_it_was ? ", as it was" : ""));
          C3dSaveOptions options;
          options.as_it_was = as_it_was;
          check_way_there_and_back(file, lay_out(file, order, floats), 0.001, options);
        }
      }
    }
  }
}

// A scale above zero says that the numbers are integers. Written as floats it must fall below zero,
// which neither a byte nor every 16-bit number can.
TEST(C3dOddFiles, AScaleOfAnyTypeChangesItsSign) {
  using W = C3dParameterWriter;
  const std::vector<std::pair<int, std::function<void(W*)>>> scales = {
      {128, [](W* p) { p->add_bytes("SCALE", {128}, {}); }},
      {3, [](W* p) { p->add_bytes("SCALE", {3}, {}); }},
      {2,
       [](W* p) {
         p->add_bytes("SCALE", {2, 5}, {2});
       }},
      {3, [](W* p) { p->add_int("SCALE", 3); }},
      {5, [](W* p) { p->add_ints("SCALE", {5}, {1}); }},
      {4, [](W* p) { p->add_float("SCALE", 4.0f); }},
      {4, [](W* p) {
         p->add_floats("SCALE", {4.0f, 1.0f}, {2});
       }}};
  for (std::size_t i = 0; i < scales.size(); ++i) {
    for (const bool as_it_was : {false, true}) {
      SCOPED_TRACE(fmt::format("scale {}{}", i, as_it_was ? ", as it was" : ""));
      OddFile file{"scale", [&](W* p) {
                     p->add_group("POINT");
                     scales[i].second(p);
                   }};
      file.first_frame = 3;
      C3dSaveOptions options;
      options.as_it_was = as_it_was;
      check_way_there_and_back(file, lay_out(file, C3dByteOrder::kIntel, false),
                               0.001 * scales[i].first, options);
    }
  }
}

// The same for what changes with a recording that is resampled: a rate of whole numbers takes one
// that is none.
TEST(C3dOddFiles, ARateOfWholeNumbersTakesAnother) {
  for (const double rate : {59.5, 300.0, 40000.0}) {
    for (const bool as_byte : {false, true}) {
      SCOPED_TRACE(fmt::format("{} Hz, {}", rate, as_byte ? "byte" : "16 bits"));
      OddFile file{"rate", [&](C3dParameterWriter* p) {
                     p->add_group("POINT");
                     as_byte ? p->add_bytes("RATE", {50}, {}) : p->add_int("RATE", 50);
                   }};
      file.frames = 4;
      file.channels = file.samples = 0;
      MotionTrial trial = read_odd(lay_out(file, C3dByteOrder::kIntel, true));
      trial.markers.rate = rate;
      for (std::size_t f = 0; f < 4; ++f) trial.markers.times[f] = static_cast<double>(f) / rate;
      const MotionTrial after = read_odd(encode_c3d(trial, "o.c3d"));
      EXPECT_EQ(after.markers.rate, rate);
      EXPECT_EQ(after.warnings, trial.warnings);  // none of rates that disagree
    }
  }
}

}  // namespace
}  // namespace vesica::c3d_odd_files_test
