#include "vesica/io/sto.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tests/io/motion_files.h"
#include "tests/support/support.h"

namespace vesica::sto_test {
namespace {

using test::input_error_of;
using test::TemporaryFolder;

MotionTrial read(const std::string& text) {
  std::istringstream stream(text);
  return read_sto(stream, "t.mot");
}
std::string error_of(const std::string& text) {
  return input_error_of([&] { read(text); });
}

TEST(Sto, ReadsVersionOne) {
  const MotionTrial trial = read(
      "gait\nversion=1\nnRows=2\nnColumns=3\ninDegrees=yes\nendheader\ntime\thip "
      "r\tknee\n0\t1\t2\n0.5\t3\t4\n");
  const TimeTable& table = trial.analog;
  EXPECT_EQ(table.name, "gait");
  EXPECT_TRUE(table.in_degrees);
  ASSERT_EQ(table.rows(), 2u);
  EXPECT_EQ(table.columns[0].name, "hip r");
  EXPECT_EQ(table.at(1, table.find("knee")), 4.0);
  EXPECT_EQ(table.find("ankle"), table.columns.size());
  EXPECT_TRUE(trial.warnings.empty());
}

TEST(Sto, ReadsVersionThreeWithVectors) {
  const MotionTrial trial = read(
      "DataRate=100.000000\nDataType=Quaternion\nversion=3\nOpenSimVersion=4.4\nendheader\n"
      "time\tpelvis\tfemur\n0\t1,0,0,0\t0.5,0.5,0.5,-0.5\n");
  ASSERT_EQ(trial.analog.columns.size(), 8u);
  EXPECT_EQ(trial.analog.columns[7].name, "femur_4");
  EXPECT_EQ(trial.analog.at(0, 7), -0.5);
  ASSERT_EQ(trial.analog.header.size(), 2u);
  EXPECT_EQ(trial.analog.header[0].first, "DataRate");
}

TEST(Sto, ReadsSimmMotionsWithAndWithoutTime) {
  const MotionTrial with = read(
      "name m.sto\ndatacolumns 2\ndatarows 2\nrange 0.0 1.0\nendheader\n   time\t  a\n  0.0\t "
      "1.0\n 1.0\t 2.0\n");
  EXPECT_EQ(with.analog.name, "m.sto");
  EXPECT_EQ(with.analog.at(1, 0), 2.0);
  const MotionTrial without = read(
      "Coordinates\nversion=1\nnRows=3\n\n# SIMM Motion File Header:\nname walk\ndatacolumns "
      "1\ndatarows 3\n"
      "otherdata 1\nrange 1.0 2.0\nendheader\nknee\n10\n20\n30\n");
  EXPECT_EQ(without.analog.times, (std::vector<double>{1.0, 1.5, 2.0}));
  EXPECT_EQ(without.analog.at(2, 0), 30.0);
}

TEST(Sto, MissingValuesAreNanAndInfinitiesErrors) {
  const std::string head = "x\nversion=1\nendheader\ntime\ta\tb\n";
  const MotionTrial trial = read(head + "0\tnan\t1\n1\t\t2\n");
  EXPECT_TRUE(std::isnan(trial.analog.at(0, 0)));
  EXPECT_TRUE(std::isnan(trial.analog.at(1, 0)));
  EXPECT_NE(
      error_of(head + "0\tinf\t1\n").find("t.mot:5: column 2: expected a number, found 'inf'"),
      std::string::npos);
  EXPECT_NE(error_of(head + "nan\t1\t1\n").find("t.mot:5: expected a time"), std::string::npos);
  EXPECT_NE(error_of(head + "0\t1,5\t1\n").find("use a point for decimals"), std::string::npos);
}

TEST(Sto, ErrorsNameTheLine) {
  EXPECT_NE(error_of("").find("t.mot:1: the file is empty"), std::string::npos);
  EXPECT_NE(error_of("a\nb\n").find("t.mot:2: no 'endheader' line found"), std::string::npos);
  EXPECT_NE(error_of("a\nendheader\n").find("ends before the column labels"), std::string::npos);
  EXPECT_NE(error_of("a\nendheader\nfoo\tbar\n1\t2\n").find("t.mot:3: the first column is 'foo'"),
            std::string::npos);
  EXPECT_NE(error_of("a\nnRows=x\nendheader\n").find("t.mot:2: nRows is 'x'"), std::string::npos);
  EXPECT_NE(error_of("DataType=Vec99\nendheader\n").find("t.mot:1: DataType"), std::string::npos);
  const std::string head = "a\nnRows=3\nendheader\ntime\tb\n";
  EXPECT_NE(error_of(head + "0\t1\n1\n").find("t.mot:6: the row has 1 columns; expected 2"),
            std::string::npos);
  EXPECT_NE(error_of(head + "1\t1\n0\t1\n").find("t.mot:6: time 0 comes before 1"),
            std::string::npos);
  EXPECT_NE(error_of(head + "0\t1\n1\t1\n").find("ends after 2 rows, but the header says 3"),
            std::string::npos);
  EXPECT_NE(error_of("a\nnRows=9000000000000000\nendheader\ntime\tb\n0\t1\n")
                .find("says 9000000000000000"),
            std::string::npos);
  EXPECT_NE(error_of(head).find("ends after 0 rows"), std::string::npos);
}

TEST(Sto, TruncatedFilesAreErrorsWhereverTheyEnd) {
  const std::string text =
      "x\nversion=1\nnRows=2\nnColumns=2\ninDegrees=no\nendheader\ntime\ta\n0\t1.25\n1\t7\n";
  for (std::size_t length = 0; length + 2 < text.size(); ++length) {
    EXPECT_NE(error_of(text.substr(0, length)).find("t.mot:"), std::string::npos) << length;
  }
}

// Cells of the rows after the labels, read by the standard library.
std::vector<std::vector<double>> numbers_of(const std::string& path) {
  std::ifstream in(path);
  std::string line;
  while (std::getline(in, line) && line.substr(0, 9) != "endheader") {
  }
  std::getline(in, line);
  std::vector<std::vector<double>> rows;
  while (std::getline(in, line)) {
    std::istringstream stream(line);
    std::vector<double> row;
    for (double value; stream >> value;) row.push_back(value);
    if (!row.empty()) rows.push_back(row);
  }
  return rows;
}

TEST(Sto, RoundTripKeepsEveryPrintedDigit) {
  const TemporaryFolder folder;
  int files = 0;
  for (const std::filesystem::path& path : test::shared_files({".mot", ".sto"})) {
    const MotionTrial trial = load_sto(path.string());
    for (StoVersion version : {StoVersion::kOne, StoVersion::kThree}) {
      save_sto(folder.path("out.mot"), trial.analog, version);
      EXPECT_EQ(numbers_of(path.string()), numbers_of(folder.path("out.mot"))) << path;
      const MotionTrial again = load_sto(folder.path("out.mot"));
      EXPECT_EQ(again.analog.values, trial.analog.values);
      EXPECT_EQ(again.analog.in_degrees, trial.analog.in_degrees);
      EXPECT_EQ(again.analog.columns.size(), trial.analog.columns.size());
    }
    ++files;
  }
  if (files == 0) GTEST_SKIP() << "no recordings beside the repository";
  EXPECT_GE(files, 8);
}

TEST(Sto, WriterRefusesWhatOpenSimWould) {
  const TemporaryFolder folder;
  const TimeTable good = read("x\nendheader\ntime\ta\tb\n0\t1\t2\n1\t2\t3\n").analog;
  const auto refusal = [&](const std::function<void(TimeTable*)>& spoil) {
    TimeTable bad = good;
    spoil(&bad);
    return input_error_of([&] { save_sto(folder.path("x.sto"), bad); });
  };
  EXPECT_NE(refusal([](TimeTable* t) { t->columns[1].name = "a"; }).find("two columns"),
            std::string::npos);
  EXPECT_NE(refusal([](TimeTable* t) { t->columns[1].name = "time"; }).find("two columns"),
            std::string::npos);
  EXPECT_NE(refusal([](TimeTable* t) { t->times[1] = 0.0; }).find("OpenSim demands it"),
            std::string::npos);
  EXPECT_NE(refusal([](TimeTable* t) { *t = TimeTable(); }).find("empty"), std::string::npos);
  EXPECT_NE(input_error_of([&] { save_sto("/dev/null/folder.sto", good); }).find("cannot be made"),
            std::string::npos);
}

}  // namespace
}  // namespace vesica::sto_test
