// Studies of bench experiments: what comes with Vesica gives its own truth back; bad input is
// refused with its place.
#include "vesica/identification/bench_study.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/support.h"
#include "vesica/identification/bench_examples.h"
#include "vesica/io/output_file.h"

namespace vesica::bench_study_test {
namespace {

namespace fs = std::filesystem;

class BenchStudies : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  BenchStudy run(const std::string& study, const std::string& csv) const {
    save_text(path("study.yaml"), "vesica: 1\n" + study);
    save_text(path("data.csv"), csv);
    return run_bench_study(InputFile::load(path("study.yaml")));
  }
  std::string error_of(const std::string& study, const std::string& csv) const {
    return test::input_error_of([&] { run(study, csv); });
  }

  fs::path folder_ =
      fs::temp_directory_path() / (std::string("vesica_bench_") +
                                   testing::UnitTest::GetInstance()->current_test_info()->name());
};

std::string text_of(const fs::path& path) {
  std::ifstream stream(path);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_F(BenchStudies, ExamplesAreThoseOfTheCommandAndHoldTheirTruth) {
  const BenchTruth truth;
  const std::vector<std::vector<double>> values = {{truth.stiffness, truth.exponent},
                                                   {truth.restitution_slope},
                                                   {truth.mu_C, truth.sigma_2},
                                                   {truth.sigma_0, truth.sigma_1},
                                                   {truth.tau_dw}};
  const auto studies = save_bench_examples(folder_.string());
  ASSERT_EQ(studies.size(), bench_types().size());
  for (const auto& file : fs::directory_iterator(folder_)) {
    EXPECT_EQ(text_of(file.path()),
              text_of(fs::path(test::source_dir()) / "studies/bench" / file.path().filename()))
        << file.path().filename() << ": run `vesica identify --examples studies/bench`";
  }
  for (size_t k = 0; k < studies.size(); ++k) {
    const BenchStudy study = run_bench_study(InputFile::load(studies[k]));
    EXPECT_EQ(study.type, bench_types()[k]);
    EXPECT_TRUE(study.fit.converged);
    EXPECT_TRUE(study.fit.warnings.empty()) << study.type << ": " << study.fit.warnings[0];
    ASSERT_EQ(study.fit.parameters.size(), values[k].size());
    for (size_t p = 0; p < values[k].size(); ++p) {
      const Estimate& e = study.fit.parameters[p];
      // The truth within twice the 95 % interval: 1 in 10000 of all seeds is not.
      EXPECT_NEAR(e.value, values[k][p], e.high - e.low) << e.name;
      EXPECT_LT(e.low, e.value);
      EXPECT_LT(e.value, e.high);
    }
    const auto json = make_bench_json(study);
    EXPECT_EQ(json["parameters"].size(), values[k].size());
    EXPECT_EQ(json["type"], study.type);
  }
}

TEST_F(BenchStudies, UnitsOfColumnsAreConverted) {
  const std::string study = "type: indentation\ndata: data.csv\n";
  const BenchStudy si = run(study, "depth,force\n1e-3,10\n2e-3,29\n3e-3,51\n4e-3,81\n5e-3,112\n");
  const BenchStudy mm =
      run(study, "force [kN],depth [mm]\n0.01,1\n0.029,2\n0.051,3\n0.081,4\n0.112,5\n");
  EXPECT_NEAR(mm.fit.parameters[0].value / si.fit.parameters[0].value, 1, 1e-9);
}

TEST_F(BenchStudies, BadTablesAreRefusedWithTheirLine) {
  const std::string press = "type: indentation\ndata: data.csv\n";
  const std::string good = "1,10\n2,29\n3,51\n4,81\n";
  EXPECT_TRUE(contains(error_of(press, "depth [mm],force\n1,10\n2,29\n"), "at least 4"));
  EXPECT_TRUE(contains(error_of(press, "depth [mm],force\n" + good + "5,nan\n"), "data.csv:6"));
  EXPECT_TRUE(contains(error_of(press, "depth [mm],force\n" + good + "5,\n"), "data.csv:6"));
  EXPECT_TRUE(contains(error_of(press, "depth [mm],force\n" + good + "5,-40\n"), "data.csv:6"));
  EXPECT_TRUE(contains(error_of(press, "depth [mm],force\n-1,0\n" + good), "data.csv:2"));
  EXPECT_TRUE(contains(error_of(press, "depth [kg],force\n" + good), "depth [kg]"));
  EXPECT_TRUE(contains(error_of(press, "deep [mm],force\n" + good), "no column 'depth'"));
  EXPECT_TRUE(contains(error_of(press, "depth,force\n0,0\n0,0\n0,0\n0,0\n"), "zero"));
  EXPECT_TRUE(contains(error_of(press, ""), "empty"));
  EXPECT_TRUE(contains(error_of("type: impact\ndata: data.csv\n",
                                "impact_speed,rebound_speed\n1,0.5\n2,1.1\n1,1.6\n"),
                       "data.csv:4"));
  EXPECT_TRUE(contains(error_of("type: sliding\ndata: data.csv\n",
                                "speed,friction_force,normal_force\n1,1,9\n2,1,9\n3,-1,9\n4,1,9\n"),
                       "data.csv:4"));
  EXPECT_TRUE(
      contains(error_of("type: presliding\nnormal_force: 10 N\nmass: 1\nring_down: data.csv\n",
                        "time,displacement\n0,1\n1,0\n1,1\n2,1\n3,1\n4,0\n5,0\n6,0\n"),
               "data.csv:4"));
}

TEST_F(BenchStudies, BadStudiesAreRefused) {
  EXPECT_TRUE(contains(error_of("type: impacts\ndata: data.csv\n", ""), "impact"));
  EXPECT_TRUE(contains(error_of("type: impact\n", ""), "data"));
  EXPECT_TRUE(contains(error_of("type: impact\ndata: nowhere.csv\n", ""), "nowhere.csv"));
  EXPECT_TRUE(contains(error_of("type: presliding\nnormal_force: 1\n", ""), "ring_down"));
  EXPECT_TRUE(contains(error_of("type: stick_slip\ndata: data.csv\nmass: 1\nspring_stiffness: "
                                "2\nnormal_force: 10\nmu_C: 0.1\nmu_S: 0.1\n",
                                ""),
                       "mu_S"));
}

TEST_F(BenchStudies, WhatDataLeaveOpenIsSaid) {
  // One speed cannot tell viscous from dry friction.
  const BenchStudy slide = run("type: sliding\nnormal_force: 10 N\ndata: data.csv\n",
                               "speed,friction_force\n0.1,1.0\n0.1,1.1\n0.1,0.9\n0.1,1.0\n");
  EXPECT_FALSE(slide.fit.parameters[1].determined);
  EXPECT_FALSE(slide.fit.warnings.empty());
  // A slow belt shows an upper limit of the dwell time at most.
  const BenchStudy belt =
      run("type: stick_slip\ndata: data.csv\nmass: 1\nspring_stiffness: 2\nnormal_force: 10\nmu_C: "
          "0.1\nmu_S: 0.15\n",
          "belt_speed,peak_friction\n0.001,1.5\n0.002,1.499\n0.003,1.501\n0.004,1.5\n");
  ASSERT_FALSE(belt.fit.warnings.empty());
  EXPECT_TRUE(contains(belt.fit.warnings[0], "upper limit"));
}

}  // namespace
}  // namespace vesica::bench_study_test
