// Files as they should not be, for every reader of recordings: each gives the right answer or an
// error that names the file and the line (or the byte) and says what is wrong.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <sstream>

#include "tests/support/c3d_writer.h"
#include "tests/support/support.h"
#include "vesica/error.h"
#include "vesica/io/c3d.h"
#include "vesica/io/csv.h"
#include "vesica/io/osim.h"
#include "vesica/io/pressure_film.h"
#include "vesica/io/sto.h"
#include "vesica/io/trc.h"

namespace vesica::hostile_files_test {
namespace {

// One good file of each text format, and a number of it that must come out.
struct TextReader {
  const char* name;
  std::string good;
  double expected;  // what `probe` finds in the good file
  std::function<double(std::istream&)> probe;
};

std::string make_trc() {
  std::string text =
      "PathFileType\t4\t(X/Y/Z)\tw.trc\nDataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\t"
      "OrigDataRate\tOrigDataStartFrame\tOrigNumFrames\n100\t100\t3\t2\tmm\t100\t1\t3\n"
      "Frame#\tTime\tR.Heel\t\t\tL.Heel\t\t\n\t\tX1\tY1\tZ1\tX2\tY2\tZ2\n\n";
  for (int f = 0; f < 3; ++f) {
    text += fmt::format("{}\t{:.2f}\t1.25\t{}.5\t3\t400\t500\t600\n", f + 1, 0.01 * f, 20 + f);
  }
  return text;
}
std::string make_sto() {
  std::string text = "w\nversion=1\nnRows=3\nnColumns=3\ninDegrees=no\nendheader\ntime\ta\tb\n";
  for (int r = 0; r < 3; ++r) text += fmt::format("{:.2f}\t1.25\t{}.5\n", 0.01 * r, 20 + r);
  return text;
}
std::string make_csv() {
  std::string text = "time,a,b\n";
  for (int r = 0; r < 3; ++r) text += fmt::format("{:.2f},1.25,{}.5\n", 0.01 * r, 20 + r);
  return text;
}
std::string make_lst() {
  std::string text = "novel emed\nTime/picture: 20 ms\nSensor size: 0.5 x 0.5 cm\n";
  for (int p = 1; p <= 2; ++p) {
    text += fmt::format(
        "Pict-No.: {}\n\t1\t2\tForce\n1\t1.25\t0\t0\n2\t0\t{}.5\t0\nForce\t0\t0\t0\n", p, 20 + p);
  }
  return text;
}

std::vector<TextReader> text_readers() {
  return {
      {"TRC", make_trc(), 0.0225,
       [](std::istream& s) { return read_trc(s, "f.trc").markers.at(2, 0).y(); }},
      {"STO", make_sto(), 22.5,
       [](std::istream& s) { return read_sto(s, "f.sto").analog.at(2, 1); }},
      {"CSV", make_csv(), 22.5,
       [](std::istream& s) { return read_csv(s, "f.csv").analog.at(2, 1); }},
      {"LST", make_lst(), 22500.0,
       [](std::istream& s) { return read_emed_lst(s, "f.lst").films[0].at(1, 1, 1); }},
  };
}

// The number, or the message.
struct Outcome {
  double number = NAN;
  std::string error;
};
Outcome outcome_of(const TextReader& reader, const std::string& text) {
  std::istringstream stream(text);
  Outcome outcome;
  try {
    outcome.number = reader.probe(stream);
  } catch (const InputError& error) {
    outcome.error = error.what();
  }
  return outcome;
}

std::string replace_all(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}
std::string as_utf16(const std::string& text, bool big, bool mark) {
  std::string result = !mark ? "" : big ? "\xfe\xff" : "\xff\xfe";
  for (char c : text) {
    if (big) result += '\0';
    result += c;
    if (!big) result += '\0';
  }
  return result;
}

TEST(HostileFiles, EncodingsAndLineEndsGiveTheRightAnswer) {
  using Change = std::function<std::string(const std::string&)>;
  const std::vector<std::pair<const char*, Change>> changes = {
      {"as it is", [](const std::string& t) { return t; }},
      {"CR LF", [](const std::string& t) { return replace_all(t, "\n", "\r\n"); }},
      {"CR alone", [](const std::string& t) { return replace_all(t, "\n", "\r"); }},
      {"UTF-8 mark", [](const std::string& t) { return "\xef\xbb\xbf" + t; }},
      {"UTF-16 LE", [](const std::string& t) { return as_utf16(t, false, true); }},
      {"UTF-16 BE", [](const std::string& t) { return as_utf16(t, true, true); }},
      {"UTF-16 LE, no mark", [](const std::string& t) { return as_utf16(t, false, false); }},
      {"UTF-16 BE, no mark", [](const std::string& t) { return as_utf16(t, true, false); }},
      {"blank lines at the end", [](const std::string& t) { return t + "\n\n  \n"; }},
  };
  for (const TextReader& reader : text_readers()) {
    for (const auto& [what, change] : changes) {
      SCOPED_TRACE(std::string(reader.name) + ": " + what);
      const Outcome outcome = outcome_of(reader, change(reader.good));
      EXPECT_EQ(outcome.error, "");
      EXPECT_DOUBLE_EQ(outcome.number, reader.expected);
    }
  }
}

TEST(HostileFiles, LongUtf16FilesAcrossTheBuffer) {
  // Beyond the buffer of 64 KiB, with characters of two, three and four bytes in a comment.
  std::string text = "time,a\n";
  for (int r = 0; r < 20000; ++r) text += fmt::format("{},{}\n", 0.001 * r, r);
  std::string units = as_utf16(text, false, true);
  units += as_utf16("# ", false, false) + std::string("\xe9\x00\xac\x20\x3d\xd8\x00\xde", 8) +
           as_utf16("\n99,7\n", false, false);
  std::istringstream stream(units);
  const MotionTrial trial = read_csv(stream, "f.csv");
  ASSERT_EQ(trial.analog.rows(), 20001u);
  for (std::size_t r = 0; r < 20000; ++r) ASSERT_EQ(trial.analog.values[r], static_cast<double>(r));
  EXPECT_EQ(trial.analog.values.back(), 7.0);
}

TEST(HostileFiles, DamageIsAnErrorWithFileAndLine) {
  struct Damage {
    const char* what;
    std::function<std::string(const std::string&)> change;
    const char* says;  // part of the message, or of none in particular
  };
  const std::vector<Damage> damages = {
      {"zero byte", [](std::string t) { return t.insert(t.size() - 9, 1, '\0'); }, "zero byte"},
      {"damaged UTF-16",
       [](const std::string& t) { return as_utf16(t, false, true) + std::string(1, 'x'); },
       "UTF-16"},
      {"decimal commas", [](const std::string& t) { return replace_all(t, "1.25", "1,25"); }, ""},
      {"a word for a number", [](const std::string& t) { return replace_all(t, "1.25", "one"); },
       "'one'"},
      {"infinite", [](const std::string& t) { return replace_all(t, "1.25", "inf"); }, "'inf'"},
      {"too large", [](const std::string& t) { return replace_all(t, "1.25", "1e999"); },
       "'1e999'"},
  };
  for (const TextReader& reader : text_readers()) {
    for (const Damage& damage : damages) {
      SCOPED_TRACE(std::string(reader.name) + ": " + damage.what);
      const std::string error = outcome_of(reader, damage.change(reader.good)).error;
      EXPECT_TRUE(error.starts_with("f.")) << error;
      EXPECT_NE(error.find(':'), std::string::npos);
      EXPECT_TRUE(std::isdigit(static_cast<unsigned char>(error[6]))) << error;  // "f.trc:7"
      EXPECT_NE(error.find(damage.says), std::string::npos) << error;
    }
  }
}

TEST(HostileFiles, DecimalCommasAreReadWithSemicolonsAndNamedElsewhere) {
  const std::vector<TextReader> readers = text_readers();
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
    EXPECT_NE(outcome_of(readers[i], replace_all(readers[i].good, ".25", ",25"))
                  .error.find("use a point for decimals, not a comma"),
              std::string::npos);
  }
  const std::string with_semicolons = replace_all(replace_all(make_csv(), ",", ";"), ".", ",");
  EXPECT_DOUBLE_EQ(outcome_of(readers[2], with_semicolons).number, 22.5);
  EXPECT_NE(outcome_of(readers[2], replace_all(make_csv(), ".", ","))
                .error.find("separate the cells by semicolons"),
            std::string::npos);
}

TEST(HostileFiles, TruncationIsNoticedAtEveryByte) {
  // A file that states its rows, cut anywhere before the last line's end, is an error; a CSV and a
  // film, which state nothing, may end between two rows.
  for (const TextReader& reader : text_readers()) {
    const bool states_rows = reader.name == std::string("TRC") || reader.name == std::string("STO");
    for (std::size_t length = 0; length + 5 < reader.good.size(); ++length) {
      std::istringstream stream(reader.good.substr(0, length));
      try {
        reader.probe(stream);
        if (states_rows) ADD_FAILURE() << reader.name << " cut to " << length;
      } catch (const InputError& error) {
        EXPECT_TRUE(std::string(error.what()).starts_with("f.")) << error.what();
      } catch (const std::exception&) {
        // The probe asks for a row that the cut took.
      }
      if (!states_rows) break;
    }
  }
}

TEST(HostileFiles, DeclaredCountsTakeNoMemory) {
  const std::vector<TextReader> readers = text_readers();
  const std::string frames =
      outcome_of(readers[0], replace_all(make_trc(), "\t3\t2\tmm", "\t900000000000\t2\tmm")).error;
  EXPECT_NE(frames.find("NumFrames says 900000000000: truncated?"), std::string::npos) << frames;
  const std::string rows =
      outcome_of(readers[1], replace_all(make_sto(), "nRows=3", "nRows=900000000000")).error;
  EXPECT_NE(rows.find("the header says 900000000000"), std::string::npos) << rows;
}

test::C3dSpec small_c3d() {
  test::C3dSpec spec;
  spec.frames = 3;
  spec.labels = {"A", "B"};
  for (int i = 0; i < 18; ++i) spec.points.push_back(100.0f * static_cast<float>(i));
  return spec;
}
std::string c3d_error(const std::string& bytes) {
  return test::input_error_of([&] {
    std::istringstream stream(bytes);
    read_c3d(stream, "f.c3d");
  });
}

TEST(HostileFiles, C3dWithAWrongProcessorByteOrHugeCounts) {
  std::string bytes = write_c3d(small_c3d());
  // Any order that says another one: the header makes sense in one only, and that is told.
  for (const C3dByteOrder order : {C3dByteOrder::kIntel, C3dByteOrder::kDec, C3dByteOrder::kMips}) {
    for (const char stated : {84, 85, 86}) {
      if (stated == static_cast<char>(order)) continue;
      test::C3dSpec spec = small_c3d();
      spec.order = order;
      std::string wrong = write_c3d(spec);
      wrong[512 + 3] = stated;
      std::istringstream stream(wrong);
      const MotionTrial trial = read_c3d(stream, "f.c3d");
      EXPECT_NEAR(trial.markers.at(2, 1).z(), 1.7, 1e-6);
      EXPECT_TRUE(std::any_of(
          trial.warnings.begin(), trial.warnings.end(),
          [](const std::string& w) { return w.find("another processor") != std::string::npos; }));
      // With counts that no order explains it is an error.
      wrong[2] = wrong[3] = 7;
      EXPECT_TRUE(c3d_error(wrong).starts_with("f.c3d: byte ")) << c3d_error(wrong);
    }
  }
  bytes[8] = bytes[9] = '\xff';  // frames 1 to 65535
  EXPECT_NE(c3d_error(bytes).find("truncated?"), std::string::npos);
  bytes = write_c3d(small_c3d());
  for (std::size_t length = 0; length < 512 * 2; length += 7) {
    EXPECT_TRUE(c3d_error(bytes.substr(0, length)).starts_with("f.c3d: byte ")) << length;
  }
}

TEST(HostileFiles, TextWhereBytesAreExpectedAndTheOtherWayRound) {
  EXPECT_TRUE(c3d_error(make_trc() + std::string(600, ' ')).starts_with("f.c3d: byte "));
  const std::string c3d = write_c3d(small_c3d());
  for (const TextReader& reader : text_readers()) {
    EXPECT_NE(outcome_of(reader, c3d).error.find("zero byte"), std::string::npos) << reader.name;
  }
  const std::string error = test::input_error_of([&] { read_osim(c3d, "f.osim"); });
  EXPECT_TRUE(error.starts_with("f.osim:")) << error;
}

}  // namespace
}  // namespace vesica::hostile_files_test
