// What a study reads: units of nominal values, files that are missing, files that change.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/support.h"
#include "vesica/io/file_error.h"
#include "vesica/studies/runner.h"

namespace vesica::studies::inputs_test {
namespace {

namespace fs = std::filesystem;

class InputsFolder {
 public:
  InputsFolder() {
    std::string pattern = (fs::temp_directory_path() / "vesica_inputs_XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~InputsFolder() { fs::remove_all(path_); }
  InputsFolder(const InputsFolder&) = delete;
  InputsFolder& operator=(const InputsFolder&) = delete;

  std::string path(const std::string& name) const { return (path_ / name).string(); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
  }

 private:
  fs::path path_;
};

Study read_ball(const std::string& vary, const std::string& position = "0.3 m") {
  return read_study(
      InputFile::parse(
          "vesica: 1\nof:\n  simulate: " + test::source_dir() +
              "/scenes/bouncing_ball.yaml\n  set: {bodies.ball.pose.position.2: " + position +
              "}\ndesign: {method: sweep}\nvary:\n"
              "  h: {path: bodies.ball.pose.position.2, " +
              vary + "}\noutputs: {hash: hash}\n",
          "s.yaml"),
      {});
}

// A column is in the unit of its header, whatever unit the scene has.
TEST(StudyInputs, NominalValuesAreInTheUnitOfTheirColumn) {
  const Study study = read_ball("values: [200 mm, 400 mm]");
  EXPECT_EQ(make_factor_columns(study).front(), "h [mm]");
  EXPECT_EQ(make_run_point(study, 0).cells.front(), "300");
  EXPECT_EQ(make_run_point(study, 0).settings.front().second, "0.3 m");  // as the scene has it
  EXPECT_EQ(calc_factor_numbers(study, 0).front(), 300);
  EXPECT_EQ(make_run_point(study, 1).cells.front(), "200");
  // A number without a unit is SI: in the scene, and in the study.
  EXPECT_EQ(make_run_point(read_ball("values: [200 mm]", "0.25"), 0).cells.front(), "250");
  EXPECT_EQ(make_run_point(read_ball("values: [0.2]", "25 cm"), 0).cells.front(), "0.25");
  EXPECT_EQ(make_run_point(read_ball("values: [20 cm], nominal: 35 cm"), 0).cells.front(), "35");
  const std::string said =
      test::input_error_of([] { read_ball("values: [200 mm], nominal: 0.3 m"); });
  EXPECT_NE(said.find("has the unit 'm'"), std::string::npos) << said;
}

constexpr char kRows[] =
    "speed [m/s],friction_force [N]\n0.1,3.05\n0.2,3.1\n0.3,3.15\n0.4,3.2\n0.5,3.25\n";
constexpr char kEdited[] =
    "speed [m/s],friction_force [N]\n0.1,4.05\n0.2,4.1\n0.3,4.15\n0.4,4.2\n0.5,4.25\n";

Study read_fit(const InputsFolder& folder) {
  folder.write("sliding.yaml", "vesica: 1\ntype: sliding\ndata: a.csv\nnormal_force: 10 N\n");
  folder.write("a.csv", kRows);
  folder.write("b.csv", kRows);
  return read_study(InputFile::parse("vesica: 1\nof: {identify: sliding.yaml}\n"
                                     "design: {method: list}\nvary:\n"
                                     "  data: {values: [a.csv, b.csv]}\n"
                                     "outputs: {mu: parameters.mu_C.value}\n",
                                     folder.path("s.yaml")),
                    {});
}

TEST(StudyInputs, AMissingFileFailsItsRunAlone) {
  const InputsFolder folder;
  Study study = read_fit(folder);
  study.factors[0].values[0] = "nowhere.csv";
  const auto rows = run_in_memory(study, 1, nullptr);
  EXPECT_EQ(rows[0].status, Status::kFailed);
  EXPECT_NE(rows[0].reason.find("nowhere.csv"), std::string::npos) << rows[0].reason;
  EXPECT_EQ(rows[1].status, Status::kDone) << rows[1].reason;
  // What cannot be written is no matter of the run.
  folder.write("file", "");
  ExecuteOptions how;
  how.folder = folder.path("file/run");
  EXPECT_THROW(execute_run(study, 1, how), FileError);
}

TEST(StudyInputs, ARunOfAnEditedInputIsNoRow) {
  const InputsFolder folder;
  const Study study = read_fit(folder);
  ASSERT_EQ(study.inputs.size(), 3u);
  const RunRow before = execute_run(study, 0, {});
  folder.write("a.csv", kEdited);  // of the same length
  const std::string said = test::input_error_of([&] { execute_run(study, 0, {}); });
  EXPECT_NE(said.find("a.csv: has changed"), std::string::npos) << said;
  folder.write("a.csv", kRows);
  EXPECT_EQ(execute_run(study, 0, {}).cells, before.cells);
  fs::remove(folder.path("b.csv"));
  EXPECT_THROW(execute_run(study, 0, {}), FileError);
}

}  // namespace
}  // namespace vesica::studies::inputs_test
