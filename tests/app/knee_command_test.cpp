// The knee from outside: scenes that `vesica knee` writes, what `simulate`, `study`, `identify` and
// `reproduce` make of it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/app/tool.h"

namespace vesica::test::knee_command_test {
namespace {

TEST(KneeCommand, ItsScenesRun) {
  const Workspace work;
  for (const char* options : {"", "--side left", "--condyles ellipsoids", "--flexion 30",
                              "--flexion 60", "--flexion 90 --side left", "--flexion 120",
                              "--activity squat", "--activity step --side left"}) {
    SCOPED_TRACE(options);
    const Outcome made = work.run(std::string("knee --write my.yaml ") + options);
    ASSERT_EQ(made.status, 0) << made.err;
    EXPECT_EQ(work.run("check my.yaml").status, 0);
    const Outcome run = work.run("simulate my.yaml --json --out r");
    ASSERT_EQ(run.status, 0) << run.err;
    EXPECT_TRUE(run.json()["contacts"].contains("medial"));
    // At rest but for what holds the flexion: the summary says how well.
    if (run.json().contains("equilibrium")) {
      EXPECT_LT(run.json()["equilibrium"]["residual"].get<double>(), 1e-5);
    }
  }
  const auto summary = work.run("simulate knee --json --out r").json();
  EXPECT_LT(summary["equilibrium"]["residual"].get<double>(), 1e-7);
  // Side, toes and what it is are written, also where they are the default.
  ASSERT_EQ(work.run("knee --write my.yaml").status, 0);
  for (const char* part : {"side: right", "toe_strain: 0.03", "A right knee of 12 ligaments"}) {
    EXPECT_NE(work.read("my.yaml").find(part), std::string::npos) << work.read("my.yaml");
  }
  // What stands on standard output is the same.
  const Outcome printed = work.run("knee");
  work.run("knee --write my.yaml");
  EXPECT_EQ(printed.out, work.read("my.yaml"));
}

TEST(KneeCommand, BadInputIsTold) {
  const Workspace work;
  EXPECT_EQ(work.run("knee --side up").status, 2);
  EXPECT_EQ(work.run("knee --flexion 200").status, 2);
  EXPECT_NE(work.run("knee --flexion nan").err.find("from 0 to 140"), std::string::npos);
  EXPECT_EQ(work.run("knee --activity squat --flexion 20").status, 2);
  EXPECT_EQ(work.run("knee --activity walk").status, 2);
  EXPECT_EQ(work.run("knee --strands none.csv").status, 3);
  EXPECT_EQ(work.run("knee --strands none.csv --activity squat").status, 2);
  // Items of lists by name; a name that is none is told with those that are near.
  EXPECT_EQ(work.run("simulate knee --out n --set 'forces.LCL.slack_length=60 mm'").status, 0);
  EXPECT_NE(work.run("simulate knee --out n --set forces.LCX.slack_length=1").err.find("LCL"),
            std::string::npos);
  // Paths of lines and held measures have their own messages.
  const auto error = [&](const std::string& settings) {
    const Outcome run = work.run("simulate knee --out r " + settings);
    EXPECT_EQ(run.status, 2) << settings;
    return run.err;
  };
  EXPECT_NE(error("--set forces.0.slack_length=-1").find("greater than zero"), std::string::npos);
  EXPECT_NE(error("--set forces.0.points.0.body=femor").find("femur"), std::string::npos);
  EXPECT_NE(error("--set forces.0.toe_stiffness=1").find("give one of"), std::string::npos);
  EXPECT_NE(error("--set forces.1.name=LCL").find("rename"), std::string::npos);
  EXPECT_NE(error("--set 'contacts.0.shapes=[medial, media]'").find("medial"), std::string::npos);
  EXPECT_NE(error("--set 'contacts.1.shapes=[medial, medial]'").find("contact already"),
            std::string::npos);
  EXPECT_NE(error("--set equilibrium.held.0.measure=knee.flex").find("knee.flexion"),
            std::string::npos);
}

// Strands over the surfaces of an OpenSim model: what wraps and what does not is told, the scene
// runs.
TEST(KneeCommand, StrandsWrapOverSurfaces) {
  const Workspace work;
  std::string table =
      "name,linear_stiffness_N_per_strain,slack_length_m,origin_frame,ox_m,oy_m,oz_m,"
      "insertion_frame,ix_m,iy_m,iz_m,wrap_objects\n";
  const auto add = [&](const char* name, double x, double z, const char* surface) {
    table += fmt::format("{0},2000,0.05,femur_r,{1},0.02,{2},tibia_r,{1},-0.03,{2},{3}\n", name, x,
                         z, surface);
  };
  for (const double z : {-0.03, 0.03}) {
    add(z < 0 ? "front_medial" : "front_lateral", 0.025, z, "");
    add(z < 0 ? "back_medial" : "back_lateral", -0.02, z, "roll");
  }
  add("middle", -0.012, 0, "roll");
  work.write("t.csv", table);
  const std::string model =
      "<OpenSimDocument><Model><BodySet><objects><Body name=\"femur_r\"><WrapObjectSet><objects>"
      "<WrapCylinder name=\"roll\"><radius>0.015</radius><length>0.2</length>"
      "<translation>-0.008 0 0</translation></WrapCylinder></objects></WrapObjectSet></Body>"
      "</objects></BodySet></Model></OpenSimDocument>";
  work.write("m.osim", model);
  const Outcome made = work.run("knee --strands t.csv --surfaces m.osim --write k.yaml");
  ASSERT_EQ(made.status, 0) << made.err;
  EXPECT_NE((made.out + made.err).find("3 strands on roll"), std::string::npos) << made.err;
  EXPECT_EQ(work.run("simulate k.yaml --out r --set 'duration=20 ms'").status, 0);
  EXPECT_NE(work.run("knee --strands t.csv").err.find("--surfaces reads them"), std::string::npos);
  EXPECT_EQ(work.run("knee --surfaces m.osim").status, 2);
  EXPECT_EQ(work.run("knee --strands t.csv --surfaces none.osim").status, 3);
  work.write("m.osim", "<OpenSimDocument/>");
  EXPECT_NE(work.run("knee --strands t.csv --surfaces m.osim").err.find("none of the surfaces"),
            std::string::npos);
}

// The study that comes along has a figure for every run.
TEST(KneeCommand, GeometryStudyHasNoHoles) {
  const Workspace work;
  const Outcome run = work.run("study knee_geometry --out g");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ((run.out + run.err).find("note:"), std::string::npos) << run.out;
}

// The report shows rotations, lines and the view that turns.
TEST(KneeCommand, ReportShowsLinesAndMeasures) {
  const Workspace work;
  ASSERT_EQ(work.run("simulate knee --out r").status, 0);
  ASSERT_EQ(work.run("report r").status, 0);
  const std::string page = work.read("r/report.html");
  for (const char* text : {"Measures", "Tension over flexion of knee", "ACL_anterior", "3-D",
                           "Contact forces over flexion"}) {
    EXPECT_NE(page.find(text), std::string::npos) << text;
  }
}

// The same bytes on one thread and on two.
TEST(KneeCommand, MonteCarloIsReproducible) {
  const Workspace work;
  const std::string study =
      "vesica: 1\nof: {simulate: knee, set: {solver.tolerance: 1.0e-5, output.interval: 5 ms}}\n"
      "design: {method: latin_hypercube, runs: 12}\nseed: 3\nvary:\n"
      "  slack: {path: forces.0.slack_length, low: 30.5 mm, high: 31.1 mm}\n"
      "  point: {path: forces.2.points.0.position.1, low: -12 mm, high: -10.5 mm}\n"
      "outputs:\n  peak: {column: medial.normal_force, take: max}\n";
  work.write("s.yaml", study);
  ASSERT_EQ(work.run("study s.yaml --out a --threads 1").status, 0);
  ASSERT_EQ(work.run("study s.yaml --out b --threads 2").status, 0);
  EXPECT_EQ(work.read("a/table.csv"), work.read("b/table.csv"));
}

// Figures are of the motion up to 90 deg, not of where the run happens to end; what never happens
// has no number: null, not -1 and not the last value.
TEST(KneeCommand, ReproducedFiguresMeanWhatTheySay) {
  const Workspace work;
  const Outcome run = work.run("reproduce knee --once --json");
  ASSERT_EQ(run.status, 0) << run.err;
  std::map<std::string, nlohmann::json> rows;
  for (const auto& row : run.json()) {
    if (row["case"].empty()) rows[row["quantity"]] = row;
    // Half the push does not take the knee to 90 deg.
    if (row["case"].value("impulse", 0) == 2 && row["quantity"] == "medial_force_peak") {
      EXPECT_TRUE(row["ours"].is_null());
    }
  }
  const auto ours = [&](const char* name) { return rows.at(name)["ours"].get<double>(); };
  EXPECT_NEAR(ours("lateral_zero_flexion"), 51.5, 1.5);
  EXPECT_NEAR(ours("lateral_returns_flexion"), 84, 2);
  EXPECT_GE(ours("medial_force_peak"), ours("medial_force_at_90"));
  // Up to 90 deg, and not at the end of the run, where it is 376 N.
  EXPECT_NEAR(ours("medial_force_at_90"), 300, 15);
  EXPECT_LT(ours("medial_force_peak"), 330);
  EXPECT_LT(ours("static_residual"), 1e-9);
  EXPECT_GT(ours("seconds_per_simulated_second"), 0);
}

// A stiffness fitted to a peak gives that peak.
TEST(KneeCommand, IdentifiesTheContactStiffness) {
  const Workspace work;
  const std::string fit =
      "vesica: 1\ntype: scene\nof: {simulate: knee}\nfit:\n"
      "  k: {paths: [contacts.0.normal.stiffness, contacts.lateral.normal.stiffness], low: 1.0e8 "
      "N/m^3, "
      "high: 1.0e10 N/m^3}\ntargets:\n"
      "  peak: {read: {column: medial.normal_force, take: max, until: {column: knee.flexion, "
      "crosses: "
      "90 deg}}, value: 310, tolerance: 0.5}\n";
  work.write("fit.yaml", fit);
  const Outcome fitted = work.run("identify fit.yaml --json");
  ASSERT_EQ(fitted.status, 0) << fitted.err;
  const double k = fitted.json()["parameters"][0]["value"];
  const std::string set = "{contacts.medial.normal.stiffness: " + std::to_string(k) +
                          ", contacts.lateral.normal.stiffness: " + std::to_string(k) + "}";
  work.write("again.yaml", "vesica: 1\nof: {simulate: knee, set: " + set +
                               "}\ndesign: {method: list}\nvary: {mass: {path: "
                               "bodies.tibia.mass, values: [4 kg]}}\noutputs:\n"
                               "  peak: {column: medial.normal_force, take: max, until: {column: "
                               "knee.flexion, crosses: 90 deg}}\n");
  ASSERT_EQ(work.run("study again.yaml --out r").status, 0);
  const std::string table = work.read("r/table.csv");
  const std::string row = table.substr(table.find('\n') + 1);  // run, status, reason, mass, peak
  EXPECT_EQ(row.rfind("0,done,,4,", 0), 0u) << row;
  EXPECT_NEAR(std::stod(row.substr(row.find(",4,") + 3)), 310, 0.6);
  // A target that cannot be reached ends with status 1 and says why.
  work.write("far.yaml", std::string(fit).replace(fit.find("310"), 3, "9000"));
  const Outcome far = work.run("identify far.yaml");
  EXPECT_EQ(far.status, 1);
  // The peak rises and falls over the stiffness: its greatest lies inside, and no bound is blamed.
  EXPECT_EQ(far.out.find("widen"), std::string::npos) << far.out;
  // For the same reason a target below it is met on both sides.
  work.write("two.yaml", std::string(fit).replace(fit.find("310"), 3, "325"));
  const Outcome two = work.run("identify two.yaml --json");
  EXPECT_EQ(two.status, 0);
  const nlohmann::json met = two.json();
  std::set<double> places = {met["parameters"][0]["value"].get<double>()};
  for (const auto& other : met["met_elsewhere"]) places.insert(other[0].get<double>());
  ASSERT_EQ(places.size(), 2u) << two.out;
  EXPECT_NEAR(*places.begin(), 2.41e9, 0.05e9);
  EXPECT_NEAR(*places.rbegin(), 6.21e9, 0.1e9);
  EXPECT_NE(met["message"].get<std::string>().find("met at several places"), std::string::npos);
  work.write("few.yaml", std::string(fit).replace(fit.find("  peak:"), 7, "  {}\n  #"));
  EXPECT_EQ(work.run("identify few.yaml").status, 2);
}

}  // namespace
}  // namespace vesica::test::knee_command_test
