// Pressure maps as a user asks for them: files, page, going on with a run, studies.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/app/tool.h"
#include "vesica/io/csv.h"
#include "vesica/simulation/map_file.h"

namespace vesica::app_pressure_maps_test {
namespace {

using test::Workspace;

TEST(PressureMapsOfTheTool, FilesAndPage) {
  const Workspace w;
  const auto run = w.run("simulate heel_map --out run --json");
  ASSERT_EQ(run.status, 0) << run.err;
  const auto map = run.json()["pressure_maps"]["heel"];
  EXPECT_EQ(map["frames"], 151);
  EXPECT_LT(map["sampling_error"].get<double>(), 0.01);
  EXPECT_EQ(map["max_outside"], 0);
  const MapSeries series = load_pressure_map(w.path("run/pressure_heel.h5"));
  ASSERT_EQ(series.frames(), 151u);
  const TimeTable table = load_csv(w.path("run/pressure_heel.csv")).analog;
  ASSERT_EQ(table.rows(), 151u);
  ASSERT_EQ(table.columns.size(), series.sums.columns.size());
  // Cells add up to the column, and that to the recording's.
  const TimeTable recording = load_csv(w.path("run/recording.csv")).analog;
  const auto force = recording.column(recording.find("heel-ground.normal_force"));
  for (size_t f = 0; f < series.frames(); ++f) {
    double sum = 0;
    for (size_t k = 0; k < series.cells(); ++k) sum += series.pressure[f * series.cells() + k];
    EXPECT_NEAR(sum * 25e-6, table.at(f, 0), 1e-9 * (1 + table.at(f, 0)));
    EXPECT_NEAR(table.at(f, 0), force[2 * f], 1e-9 * (1 + force[2 * f]));
    EXPECT_EQ(table.at(f, 2), series.sums.at(f, 2));
  }
  const auto report = w.run("report run");
  ASSERT_EQ(report.status, 0) << report.err;
  const std::string page = w.read("run/report.html");
  for (const char* part : {"Pressure over time", "\"kind\":\"pressure\"", "share of the force",
                           "kinds.pressure = ", "in front"}) {
    EXPECT_NE(page.find(part), std::string::npos) << part;
  }
}

TEST(PressureMapsOfTheTool, GoingOnKeepsTheFramesFromBefore) {
  const Workspace w;
  ASSERT_EQ(w.run("simulate heel_map --out whole --quiet").status, 0);
  ASSERT_EQ(w.run("simulate heel_map --set duration=0.5 --out first --quiet").status, 0);
  const auto rest = w.run("simulate --from first --set duration=1.5 --out rest --quiet");
  ASSERT_EQ(rest.status, 0) << rest.err;
  const MapSeries whole = load_pressure_map(w.path("whole/pressure_heel.h5"));
  const MapSeries both = load_pressure_map(w.path("rest/pressure_heel.h5"));
  ASSERT_EQ(both.frames(), whole.frames());
  for (size_t f = 0; f < whole.frames(); ++f) {
    EXPECT_NEAR(both.sums.times[f], whole.sums.times[f], 1e-12);
    EXPECT_NEAR(both.sums.at(f, 0), whole.sums.at(f, 0), 1e-3 * (1 + whole.sums.at(f, 0)));
  }
  // A run without maps into the same folder leaves none behind.
  ASSERT_EQ(w.run("simulate two_spheres --set duration=0.01 --out rest --quiet").status, 0);
  const auto files = w.files();
  EXPECT_TRUE(std::none_of(files.begin(), files.end(), [](const std::string& f) {
    return f.find("rest/pressure_") != std::string::npos;
  }));
}

TEST(PressureMapsOfTheTool, StudiesReadThem) {
  const Workspace w;
  w.write("study.yaml", R"(
vesica: 1
of:
  simulate: heel_map
  set: {duration: 0.3 s}
design: {method: grid}
vary:
  mass: {path: bodies.heel.mass, values: [20 kg, 30 kg]}
outputs:
  peak: {summary: pressure_maps.heel.max_peak_pressure, unit: Pa}
  front: {column: heel.map.in front.force, take: max}
  late: {column: heel.map.force, at: 0.25 s}
)");
  const auto run = w.run("study study.yaml --out out");
  ASSERT_EQ(run.status, 0) << run.err;
  const std::string table = w.read("out/table.csv");
  EXPECT_NE(table.find("peak"), std::string::npos) << table;
  w.write("wrong.yaml", R"(
vesica: 1
of: {simulate: heel_map}
design: {method: grid}
vary:
  mass: {path: bodies.heel.mass, values: [20 kg, 30 kg]}
outputs:
  front: {column: heel.map.infront.force, take: max}
)");
  const auto refused = w.run("study wrong.yaml --out other");
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find("heel.map.in front.force"), std::string::npos) << refused.err;
}

}  // namespace
}  // namespace vesica::app_pressure_maps_test
