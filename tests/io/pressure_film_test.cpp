#include "vesica/io/pressure_film.h"

#include <gtest/gtest.h>

#include <sstream>

#include "tests/io/motion_files.h"
#include "tests/support/support.h"

namespace vesica::pressure_film_test {
namespace {

using test::input_error_of;
using test::TemporaryFolder;

using Reader = MotionTrial (*)(std::istream&, const std::string&);
MotionTrial read(Reader reader, const std::string& text) {
  std::istringstream stream(text);
  return reader(stream, "t");
}
std::string error_of(Reader reader, const std::string& text) {
  return input_error_of([&] { read(reader, text); });
}

// A picture of two by two cells of 0.5 cm, rows 3 and 4, columns 7 and 8.
std::string picture(int number, const std::string& cells =
                                    "3\t10\t20\t0.75\n4\t0\t5\t0.13\nForce\t0.25\t0.63\t0.88\n") {
  return "\t\tPage 1\n\tFile: a.dat \tMatrix: 64x95 \n\tSensor area: 0.25 cmM-2\tTime/picture:10.0 "
         "ms\n"
         "\tSensor size: 0.500x0.500 cm\n\tPict-No.: " +
         std::to_string(number) + "  Force[N]=sum*sensor_area in row/column\n\n\t7\t8\tForce\n" +
         cells + "\n";
}

TEST(EmedLst, ReadsPicturesInPascal) {
  const MotionTrial trial = read(read_emed_lst, picture(1) + picture(2));
  const PressureFilm& film = trial.films.at(0);
  ASSERT_EQ(film.frames(), 2u);
  EXPECT_EQ(film.rows, 2u);
  EXPECT_EQ(film.first_row, 2u);
  EXPECT_EQ(film.first_col, 6u);
  EXPECT_EQ(film.at(1, 0, 1), 20e3);
  EXPECT_EQ(film.dt, 0.01);
  EXPECT_DOUBLE_EQ(film.cell_area(), 25e-6);
  EXPECT_EQ(film.unit_in_file, "kPa");
  EXPECT_TRUE(trial.warnings.empty());
}

TEST(EmedLst, PrintedForcesTellTheUnit) {
  // 35 N/cm^2 on 0.25 cm^2 are 8.75 N.
  const MotionTrial trial =
      read(read_emed_lst, picture(1, "3\t10\t20\t7.5\n4\t0\t5\t1.25\nForce\t2.5\t6.25\t8.75\n"));
  EXPECT_EQ(trial.films.at(0).unit_in_file, "N/cm2");
  EXPECT_EQ(trial.films.at(0).at(0, 0, 1), 20e4);
}

TEST(EmedLst, ErrorsNameTheLine) {
  EXPECT_NE(error_of(read_emed_lst, "").find("t:1: the file is empty"), std::string::npos);
  EXPECT_NE(error_of(read_emed_lst, "hello\n").find("t:1: no picture"), std::string::npos);
  EXPECT_NE(error_of(read_emed_lst, picture(1, "3\t10\tx\t0.75\n"))
                .find("t:8: column 3: expected a number"),
            std::string::npos);
  EXPECT_NE(error_of(read_emed_lst, picture(1, "3\t10\t0.75\n"))
                .find("t:8: the row has 3 columns; expected 4"),
            std::string::npos);
  EXPECT_NE(error_of(read_emed_lst, picture(1, "3\t1\t2\t0\n9\t1\t2\t0\n"))
                .find("t:9: row 9 does not follow row 3"),
            std::string::npos);
  EXPECT_NE(error_of(read_emed_lst, picture(1, "3\t1\t2\t0\n")).find("ends within picture 1"),
            std::string::npos);
  EXPECT_NE(error_of(read_emed_lst, picture(1, "99999\t1\t2\t0\n"))
                .find("t:8: expected the number of a row"),
            std::string::npos);
}

TEST(EmedLst, RowNumbersThatLieDoNotAllocate) {
  std::string text;
  for (int i = 1; i <= 50; ++i) {
    text += picture(i, std::to_string(i == 50 ? 4000 : 1) + "\t1\t2\t0\nForce\t0\t0\t0\n");
  }
  EXPECT_NE(error_of(read_emed_lst, text).find("print only 100 values"), std::string::npos);
}

TEST(EmedLst, RealFile) {
  const std::filesystem::path path = test::shared_data() / "pressure/emed_test.lst";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no recordings beside the repository";
  const MotionTrial trial = load_emed_lst(path.string());
  const PressureFilm& film = trial.films.at(0);
  EXPECT_EQ(film.frames(), 106u);
  EXPECT_EQ(1.0 / film.dt, 100.0);
  double peak = 0.0;
  for (std::size_t f = 0; f < film.frames(); ++f) {
    double force = 0.0;
    for (std::size_t i = 0; i < film.rows * film.cols; ++i) {
      force += film.pressures[f * film.rows * film.cols + i] * film.cell_area();
    }
    peak = std::max(peak, force);
  }
  EXPECT_NEAR(peak, 819.0, 0.5);  // the README's figure; 818.6 measured
  EXPECT_TRUE(trial.warnings.empty());
}

std::string asf(const std::string& frames, const std::string& units = "KPa") {
  return "DATA_TYPE MOVIE\nROWS 2\nCOLS 3\nROW_SPACING 5.08 mm\nCOL_SPACING 5.08 mm\nSENSEL_AREA "
         "25.8064 mm2\n"
         "SECONDS_PER_FRAME 0.032\nCOMMENTS:\nany text\nSTART_FRAME 1\nEND_FRAME 2\nUNITS " +
         units + "\nASCII_DATA @@\n\n" + frames;
}
const char* const kFrames = "Frame 1\nB,1,2\n3,4,B\n\nFrame 2\nB,10,20\n30,40,B\n@@\n";

TEST(FscanAsf, ReadsCellsAndTheirAbsence) {
  const MotionTrial trial = read(read_fscan_asf, asf(kFrames));
  const PressureFilm& film = trial.films.at(0);
  ASSERT_EQ(film.frames(), 2u);
  EXPECT_EQ(film.at(1, 1, 0), 30e3);
  EXPECT_EQ(film.has_sensor, (std::vector<std::uint8_t>{0, 1, 1, 1, 1, 0}));
  EXPECT_EQ(film.at(0, 0, 0), 0.0);
  EXPECT_DOUBLE_EQ(film.row_spacing, 5.08e-3);
  EXPECT_TRUE(trial.warnings.empty());
}

TEST(FscanAsf, ErrorsNameTheLine) {
  EXPECT_NE(error_of(read_fscan_asf, "").find("t:1: the file is empty"), std::string::npos);
  EXPECT_NE(error_of(read_fscan_asf, "x\n").find("t:1: expected 'DATA_TYPE'"), std::string::npos);
  EXPECT_NE(
      error_of(read_fscan_asf, asf(kFrames, "RAW")).find("t:12: the unit of pressure is 'RAW'"),
      std::string::npos);
  EXPECT_NE(
      error_of(read_fscan_asf, asf("Frame 1\nB,1\n")).find("t:16: the row has 2 cells; expected 3"),
      std::string::npos);
  EXPECT_NE(error_of(read_fscan_asf, asf("Frame 1\nB,1,x\n")).find("t:16: cell 3"),
            std::string::npos);
  EXPECT_NE(error_of(read_fscan_asf, asf("Frame 1\nB,1,2\n"))
                .find("ends after 1 of the 2 rows of frame 1"),
            std::string::npos);
  EXPECT_NE(
      error_of(read_fscan_asf, asf("Frame 1\nB,1,2\n3,4,B\n@@\n")).find("ends after 1 frames"),
      std::string::npos);
  EXPECT_NE(error_of(read_fscan_asf, "DATA_TYPE MOVIE\nROWS 999999999\n")
                .find("t:2: ROWS is '999999999'; expected 1 to 4096"),
            std::string::npos);
  EXPECT_NE(error_of(read_fscan_asf, "DATA_TYPE MOVIE\nROWS 2\nFrame 1\n")
                .find("t:3: the header has no COLS"),
            std::string::npos);
}

TEST(FscanAsf, RealFile) {
  const std::filesystem::path path = test::shared_data() / "pressure/fscan_testL.asf";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no recordings beside the repository";
  const PressureFilm film = load_fscan_asf(path.string()).films.at(0);
  EXPECT_EQ(film.frames(), 205u);
  EXPECT_EQ(film.rows, 60u);
  EXPECT_EQ(film.cols, 21u);
  EXPECT_EQ(film.dt, 0.032);
  EXPECT_FALSE(film.has_sensor[0]);
  EXPECT_TRUE(film.has_sensor[9]);
}

TEST(PressureCsv, RoundTrip) {
  const TemporaryFolder folder;
  const PressureFilm film = read(read_fscan_asf, asf(kFrames)).films.at(0);
  save_pressure_csv(folder.path("a.csv"), film);
  const PressureFilm again = load_pressure_csv(folder.path("a.csv")).films.at(0);
  EXPECT_EQ(again.pressures, film.pressures);
  EXPECT_EQ(again.has_sensor, film.has_sensor);
  EXPECT_EQ(again.dt, film.dt);
  EXPECT_EQ(again.row_spacing, film.row_spacing);
}

TEST(PressureCsv, ErrorsNameTheLine) {
  const std::string head =
      "pressure film,1\nunit,kPa\nrows,1\ncols,2\nrow_spacing,5 mm\ncol_spacing,5 "
      "mm\nseconds_per_frame,0.01\n";
  EXPECT_EQ(read(read_pressure_csv, head + "frame,1\n1,B\n").films.at(0).at(0, 0, 0), 1e3);
  EXPECT_NE(error_of(read_pressure_csv, "").find("t:1: the file is empty"), std::string::npos);
  EXPECT_NE(error_of(read_pressure_csv, "time,a\n").find("t:1: expected 'pressure film,1'"),
            std::string::npos);
  EXPECT_NE(error_of(read_pressure_csv, head + "colour,red\n").find("t:8: unknown entry 'colour'"),
            std::string::npos);
  EXPECT_NE(error_of(read_pressure_csv, head + "frame,1\n1\n").find("t:9: the row has 1 cells"),
            std::string::npos);
  EXPECT_NE(error_of(read_pressure_csv, head).find("there are no frames"), std::string::npos);
  EXPECT_NE(error_of(read_pressure_csv,
                     "pressure film,1\nunit,kPa\nrows,1\ncols,1\nrow_spacing,5 m\ncol_spacing,5 m\n"
                     "seconds_per_frame,0.01\nframe,1\n1\n")
                .find("a cell is 5 m wide: is the unit of length right?"),
            std::string::npos);
}

}  // namespace
}  // namespace vesica::pressure_film_test
