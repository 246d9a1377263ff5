#include "vesica/io/csv.h"

#include <gtest/gtest.h>

#include <sstream>

#include "tests/io/motion_files.h"
#include "tests/support/support.h"

namespace vesica::csv_test {
namespace {

using test::input_error_of;
using test::TemporaryFolder;

MotionTrial read(const std::string& text) {
  std::istringstream stream(text);
  return read_csv(stream, "t.csv");
}
std::string error_of(const std::string& text) {
  return input_error_of([&] { read(text); });
}

TEST(Csv, ReadsUnitsCommentsAndMissingCells) {
  const MotionTrial trial =
      read("# a comment\ntime [ms],Fz [N],\"M, free (N m)\"\n0,1,2\n\n10,,3\n");
  const TimeTable& t = trial.analog;
  ASSERT_EQ(t.rows(), 2u);
  EXPECT_EQ(t.times[1], 0.01);
  EXPECT_EQ(t.columns[0].unit, "N");
  EXPECT_EQ(t.columns[1].name, "M, free");
  EXPECT_EQ(t.columns[1].unit, "N m");
  EXPECT_TRUE(std::isnan(t.at(1, 0)));
}

TEST(Csv, ReadsSemicolonsWithDecimalCommas) {
  const MotionTrial trial = read("Time (s);a;b\r\n0,5;1,25;-2\r\n");
  EXPECT_EQ(trial.analog.times[0], 0.5);
  EXPECT_EQ(trial.analog.at(0, 0), 1.25);
}

TEST(Csv, ErrorsNameTheLine) {
  EXPECT_NE(error_of("").find("t.csv:1: the file is empty"), std::string::npos);
  EXPECT_NE(
      error_of("name,a\nx,1\n").find("t.csv:1: the first column is 'name'; expected the time"),
      std::string::npos);
  EXPECT_NE(error_of("time [h],a\n0,1\n").find("t.csv:1: the unit of the time is 'h'"),
            std::string::npos);
  EXPECT_NE(error_of("time,a\n0,1\n1,x\n").find("t.csv:3: column 2: expected a number, found 'x'"),
            std::string::npos);
  EXPECT_NE(error_of("time,a\n0,1\n1").find("t.csv:3: the row has 1 cells; expected 2"),
            std::string::npos);
  EXPECT_NE(error_of("time,a\n1,1\n0,1\n").find("t.csv:3: time 0 comes before"), std::string::npos);
  EXPECT_NE(error_of("time,a\n").find("there are no rows"), std::string::npos);
}

TEST(Csv, RoundTrip) {
  const TemporaryFolder folder;
  const TimeTable table =
      read("time,a [N],\"b,c\"\n0,0.1,-1e-17\n0.3333333333333333,nan,3\n").analog;
  save_csv(folder.path("a.csv"), table);
  const TimeTable again = load_csv(folder.path("a.csv")).analog;
  EXPECT_EQ(again.times, table.times);
  EXPECT_EQ(again.columns[0].unit, "N");
  EXPECT_EQ(again.columns[1].name, "b,c");
  EXPECT_EQ(again.at(0, 1), -1e-17);
  EXPECT_TRUE(std::isnan(again.at(1, 0)));
}

TEST(Csv, TextTablesKeepTheirLines) {
  const std::filesystem::path path = test::shared_data() / "knee/lenhart2015_ligaments.csv";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no recordings beside the repository";
  const CsvText table = load_csv_text(path.string());
  EXPECT_EQ(table.rows.size(), 76u);  // strands
  EXPECT_EQ(table.columns[1], "linear_stiffness_N_per_strain");
  EXPECT_EQ(table.rows[0][0], "MCLd1");
  EXPECT_EQ(table.lines[0], 2u);
}

}  // namespace
}  // namespace vesica::csv_test
