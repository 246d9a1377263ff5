// The knee from outside: scenes that `vesica knee` writes, what `simulate`, `study`, `identify` and
// `reproduce` make of it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

#include "tests/app/tool.h"
#include "tests/support/support.h"
#include "vesica/math/vector.h"

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
  EXPECT_NE(error("--set 'solver={method: rk4, step: 1e-4}' --sensitivity "
                  "equilibrium.held.0.value")
                .find("values that an equilibrium holds"),
            std::string::npos);
}

std::vector<std::string> find_warnings(const nlohmann::json& summary, const std::string& part) {
  std::vector<std::string> found;
  for (const std::string text : summary["warnings"]) {
    if (text.find(part) != std::string::npos) found.push_back(text);
  }
  return found;
}

// Depth is judged by the shapes that touch, whatever else their bodies have: the knee with bones
// for pictures, without them, with ever longer ones.
TEST(KneeCommand, DepthIsThatOfTheShapesInContact) {
  const Workspace work;
  const std::string soft =
      "--set contacts.medial.normal.stiffness=2e7 --set contacts.lateral.normal.stiffness=2e7";
  for (const char* bone :
       {"", "--set bodies.femur.shapes.2.length=30", "--set bodies.femur.shapes.2.radius=5mm"}) {
    const Outcome run = work.run(fmt::format("simulate knee --json --out r {} {}", soft, bone));
    ASSERT_EQ(run.status, 0) << run.err;
    const auto summary = run.json();
    for (const char* name : {"medial", "lateral"}) {
      const auto& contact = summary["contacts"][name];
      EXPECT_NEAR(contact["max_depth_over_size"].get<double>(),
                  contact["max_depth"].get<double>() / 0.04, 1e-9);
      EXPECT_EQ(find_warnings(summary, fmt::format("{}: depth reaches", name)).size(),
                contact["max_depth"] > 0.004 ? 1u : 0u);
    }
    EXPECT_EQ(find_warnings(summary, "medial: depth reaches").size(), 1u) << run.out;
    ASSERT_EQ(work.run("report r").status, 0);
    EXPECT_NE(work.read("r/report.html").find("of the smaller shape"), std::string::npos);
  }
  EXPECT_TRUE(find_warnings(work.run("simulate knee --json --out r").json(), "depth").empty());
}

// A contact of a knee whose shapes are elsewhere is told, on the page too; one that touches is not.
TEST(KneeCommand, AContactThatNeverTouchesIsTold) {
  const Workspace work;
  for (const auto& [name, shape] : {std::pair{"medial", 0}, std::pair{"lateral", 1}}) {
    const auto summary = work.run(fmt::format("simulate knee --json --out r --set 'duration=5 ms' "
                                              "--set 'bodies.femur.shapes.{}.pose.position.2=60 "
                                              "mm'",
                                              shape))
                             .json();
    const auto told = find_warnings(summary, "never touch");
    ASSERT_EQ(told.size(), 1u) << summary["warnings"];
    EXPECT_EQ(told[0].find(fmt::format("{}: femur and tibia", name)), 0u) << told[0];
    ASSERT_EQ(work.run("report r").status, 0);
    EXPECT_NE(work.read("r/report.html").find("never touch"), std::string::npos);
  }
  EXPECT_TRUE(find_warnings(work.run("simulate knee --json --out r").json(), "never").empty());
}

// Ligaments that pull with an end inside the other bone: those of the medial capsule near 90 deg,
// on both sides and on ellipsoids, either way round; none where the swing ends before, none where
// they are slack, and none in bones for pictures.
TEST(KneeCommand, LigamentsThatPullFromInsideABoneAreTold) {
  const Workspace work;
  const auto told = [&](const std::string& scene, const std::string& settings = "") {
    const Outcome run = work.run("simulate " + scene + " --json --out r " + settings);
    EXPECT_EQ(run.status, 0) << run.err;
    std::set<std::string> names;
    for (const std::string& text : find_warnings(run.json(), "end on femur lies inside tibia")) {
      names.insert(text.substr(13, text.find(" pulls") - 13));
    }
    return names;
  };
  const std::set<std::string> capsule = {"arcuate_popliteal", "capsule_medial",
                                         "oblique_popliteal"};
  EXPECT_EQ(told("knee"), capsule);
  ASSERT_EQ(work.run("report r").status, 0);
  EXPECT_NE(work.read("r/report.html").find("lies inside tibia"), std::string::npos);
  EXPECT_EQ(told("knee", "--set 'duration=50 ms'"), std::set<std::string>());
  EXPECT_EQ(
      told("knee", "--set 'forces.capsule_medial.slack_length=60 mm'").count("capsule_medial"), 0u);
  EXPECT_EQ(told("knee",
                 "--set 'forces.capsule_medial.points=[{body: tibia, position: [-25 mm, -25 mm, "
                 "181.25 mm]}, {body: femur, position: [-24.75 mm, -38 mm, 6.25 mm]}]'"),
            capsule);
  ASSERT_EQ(work.run("knee --side left --write l.yaml").status, 0);
  EXPECT_EQ(told("l.yaml"), capsule);
  // What is written says of which this may be expected.
  const std::string text = work.read("l.yaml");
  for (const char* name : {"turn into the tibia", "capsule_medial", "arcuate_popliteal"}) {
    EXPECT_NE(text.substr(0, text.find("bodies:")).find(name), std::string::npos) << name;
  }
  // An end inside a sphere.
  const auto pulled = work.run(
                              "simulate knee --json --out r --set 'duration=2 ms' --set "
                              "'forces.LCL.points.1.position=[23 mm, -5 mm, 230 mm]' --set "
                              "'forces.LCL.slack_length=12.5 mm'")
                          .json();
  EXPECT_EQ(find_warnings(pulled, "LCL pulls").size(), 1u) << pulled["warnings"];
}

// The push has a name, in every knee that has one; what stands at its place in another knee is not
// replaced by it.
TEST(KneeCommand, ThePushGoesByName) {
  const Workspace work;
  for (const char* options : {"", "--side left", "--condyles ellipsoids"}) {
    ASSERT_EQ(work.run(fmt::format("knee {} --write k.yaml", options)).status, 0);
    EXPECT_EQ(work.run("simulate k.yaml --out r --set 'duration=1 ms' --set "
                       "forces.push.force.1=-600")
                  .status,
              0);
  }
  EXPECT_EQ(work.run("simulate knee_maps --out r --set 'duration=1 ms' --set "
                     "forces.push.force.1=-600")
                .status,
            0);
  const std::string push = "={type: force, body: tibia, force: [0, 0, 50 N]}' --out r";
  const Outcome replaced = work.run("simulate knee --set 'forces.3" + push);
  EXPECT_EQ(replaced.status, 2);
  EXPECT_NE(replaced.err.find("the ligament 'PCL_posterior' and no force"), std::string::npos)
      << replaced.err;
  EXPECT_EQ(work.run("simulate knee --set 'duration=1 ms' --set 'forces.12" + push).status, 0);
  EXPECT_EQ(work.run("simulate knee --set 'duration=1 ms' --set 'forces.LCL" + push).status, 0);
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
  const std::string left = work.run("knee --strands t.csv --side left").err;
  EXPECT_NE(left.find("of a right knee, mirrored to a left one"), std::string::npos) << left;
  EXPECT_EQ(work.run("knee --surfaces m.osim").status, 2);
  // Ligaments of which the table has no strand, and a stiffness in another unit.
  EXPECT_EQ(made.err.find("warning: linear_stiffness"), std::string::npos) << made.err;
  EXPECT_NE(made.err.find("no strand is called MCL... or LCL... or ACL... or PCL..."),
            std::string::npos)
      << made.err;
  for (size_t at = 0; (at = table.find(",2000,", at)) != std::string::npos;) {
    table.replace(at, 6, ",2000000,");
  }
  work.write("u.csv", table);
  EXPECT_NE(
      work.run("knee --strands u.csv").err.find("warning: linear_stiffness_N_per_strain of 5"),
      std::string::npos);
  EXPECT_EQ(work.run("knee --strands t.csv --surfaces none.osim").status, 3);
  work.write("m.osim", "<OpenSimDocument/>");
  EXPECT_NE(work.run("knee --strands t.csv --surfaces m.osim").err.find("none of the surfaces"),
            std::string::npos);
}

// Ligaments that hold the knee open on one side at rest: written, and told.
TEST(KneeCommand, NoContactAtRestIsTold) {
  const Workspace work;
  const auto made = [&](double medial, double lateral) {
    std::string table =
        "name,linear_stiffness_N_per_strain,slack_length_m,origin_frame,ox_m,oy_m,oz_m,"
        "insertion_frame,ix_m,iy_m,iz_m\n";
    for (const double x : {0.025, -0.02}) {
      table += fmt::format("m{0},2000,{1},femur_r,{0},0.02,-0.045,tibia_r,{0},-0.03,-0.045\n", x,
                           medial);
      table +=
          fmt::format("l{0},2000,{1},femur_r,{0},0.02,0.03,tibia_r,{0},-0.03,0.03\n", x, lateral);
    }
    work.write("t.csv", table);
    const Outcome run = work.run("knee --strands t.csv --write k.yaml");
    EXPECT_EQ(run.status, 0) << run.err;
    return run.err;
  };
  EXPECT_EQ(made(0.046, 0.0495).find("warning"), std::string::npos);
  const std::string open = made(0.044, 0.0505);
  EXPECT_NE(open.find("the lateral condyle does not touch"), std::string::npos) << open;
}

// The study that comes along has a figure for every run.
TEST(KneeCommand, GeometryStudyHasNoHoles) {
  const Workspace work;
  const Outcome run = work.run("study knee_geometry --out g");
  EXPECT_EQ(run.status, 0) << run.err;
  for (const char* hole : {"has no number", "left out", "not done", "not finished"}) {
    EXPECT_EQ((run.out + run.err).find(hole), std::string::npos) << run.out;
  }
}

// What the runs of a study warn of is counted, kind by kind, as the runs alone say it.
TEST(KneeCommand, WarningsOfAStudyAreCounted) {
  const Workspace work;
  const std::vector<std::string> lengths = {"60 mm", "60000 mm", "0.06 mm", "50 mm"};
  work.write("s.yaml", fmt::format("vesica: 1\nof: {{simulate: knee, set: {{duration: 20 ms}}}}\n"
                                   "design: {{method: list}}\nvary:\n"
                                   "  L: {{path: forces.LCL.slack_length, values: [{}]}}\n"
                                   "outputs: {{flexion: {{column: knee.flexion, at: end}}}}\n",
                                   fmt::join(lengths, ", ")));
  const Outcome told = work.run("study s.yaml --out w");
  EXPECT_EQ(told.status, 0) << told.err;
  const auto answers = nlohmann::json::parse(work.read("w/answers.json"));
  size_t counted = 0, alone = 0;
  for (const auto& kind : answers["warnings"]) {
    counted += kind["runs"].get<size_t>();
    const std::string text = kind["warning"];
    EXPECT_NE(told.out.find("warn: " + text), std::string::npos) << told.out;
    EXPECT_NE(work.read("w/report.html").find(text.substr(0, text.find('\''))), std::string::npos)
        << text;
  }
  for (const std::string& length : lengths) {
    const Outcome run = work.run(
        "simulate knee --json --out r --set 'duration=20 ms' --set "
        "'forces.LCL.slack_length=" +
        length + "'");
    if (run.status == 0) alone += run.json()["warnings"].size();
  }
  EXPECT_GT(counted, 0u);
  EXPECT_EQ(counted, alone);
}

struct Spread {
  double mean = 0, sd = 0;
};
Spread calc_spread(const std::vector<double>& x) {
  Spread s;
  for (const double v : x) s.mean += v / static_cast<double>(x.size());
  for (const double v : x) s.sd += (v - s.mean) * (v - s.mean) / static_cast<double>(x.size());
  s.sd = std::sqrt(s.sd);
  return s;
}

// Numbers of a text, from the line behind the one that begins with `heading` on; fields that are
// none are left out.
std::vector<std::vector<double>> read_numbers(const std::string& text, const std::string& heading) {
  std::vector<std::vector<double>> rows;
  std::istringstream lines(text.substr(text.find(heading)));
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream fields(line);
    std::vector<double> row;
    for (double x; fields >> x;) row.push_back(x);
    if (!row.empty()) rows.push_back(row);
  }
  return rows;
}
size_t find_field(const std::string& text, const std::string& heading, const std::string& name) {
  const size_t begin = text.find(heading);
  std::string line = text.substr(begin, text.find('\n', begin) - begin);
  std::replace(line.begin(), line.end(), ',', '\t');
  std::istringstream fields(line);
  size_t k = 0;
  for (std::string field; std::getline(fields, field, '\t'); ++k) {
    if (field.starts_with(name)) return k;
  }
  ADD_FAILURE() << "no " << name;
  return 0;
}

// Both legs of a walk of WBDS: the leg's flexion follows the recording's, less an offset.
TEST(KneeCommand, ALegFollowsARecordedWalk) {
  const auto data = test::shared_data() / "wbds07";
  if (!std::filesystem::exists(data)) GTEST_SKIP() << "no " << data;
  const Workspace work;
  const Outcome fitted =
      work.run(fmt::format("markers gait_wbds_standing {0}/WBDS07walkO05C.trc --neutral "
                           "{0}/WBDS07static1.trc --out w --quiet",
                           data.string()));
  ASSERT_EQ(fitted.status, 0) << fitted.err;
  const std::string joints = work.read("w/WBDS07walkO05C_joints.mot");
  const std::string centers = work.read("w/WBDS07walkO05C_joint_centers.trc");
  const auto recorded = read_numbers(joints, "time\t"), points = read_numbers(centers, "Frame#");
  ASSERT_EQ(points.size(), recorded.size());
  for (const char* side : {"right", "left"}) {
    ASSERT_EQ(work.run(fmt::format("knee --activity walk --side {} --walk "
                                   "w/WBDS07walkO05C_joint_centers.trc --write leg.yaml",
                                   side))
                  .status,
              0);
    const Outcome run = work.run("simulate leg.yaml --out r --json");
    ASSERT_EQ(run.status, 0) << run.err;
    const std::string table = work.read("r/recording.csv");
    const auto rows = read_numbers(table, "time");
    const size_t flexion = find_field(table, "time", "knee.flexion");
    const size_t joint = find_field(joints, "time\t", fmt::format("knee_flexion_{}", side[0]));
    // Between the lines of centres from hip to knee and from knee to ankle.
    const auto calc_lines = [&](size_t frame) {
      Vec3d p[3];
      const char* names[] = {"hip", "knee", "ankle"};
      for (int k = 0; k < 3; ++k) {
        const size_t at = find_field(centers, "Frame#", fmt::format("{}_{}", names[k], side[0]));
        p[k] = Vec3d(points[frame][at], points[frame][at + 1], points[frame][at + 2]);
      }
      const Vec3d a = p[0] - p[1], b = p[1] - p[2];
      return std::atan2(a.cross(b).norm(), a.dot(b)) * 180 / M_PI;
    };
    double from_lines = 0;
    std::vector<double> less;
    for (const auto& row : rows) {
      if (row[0] < 0.1) continue;  // it is not settled
      const double time = recorded[0][0] + row[0];
      const auto after = std::find_if(recorded.begin() + 1, recorded.end(),
                                      [&](const auto& r) { return r[0] >= time - 1e-9; });
      if (after == recorded.end()) break;
      const auto& a = *(after - 1);
      const auto& b = *after;
      const double part = (time - a[0]) / (b[0] - a[0]);
      less.push_back(a[joint] + part * (b[joint] - a[joint]) - row[flexion] * 180 / M_PI);
      const auto frame = static_cast<size_t>(after - recorded.begin());
      const double lines = calc_lines(frame - 1) * (1 - part) + calc_lines(frame) * part;
      if (lines < 25) continue;
      from_lines = std::max(from_lines, std::abs(row[flexion] * 180 / M_PI - lines));
    }
    const Spread spread = calc_spread(less);
    fmt::print(
        "{} leg: its flexion is {:.1f} +- {:.1f} deg less than the recording's ({} rows), "
        "and within {:.1f} deg of the lines of centres beyond 25 deg\n",
        side, spread.mean, spread.sd, less.size(), from_lines);
    EXPECT_LT(from_lines, 3);
    EXPECT_GT(less.size(), 100u);
    EXPECT_GT(spread.mean, 5);
    EXPECT_LT(spread.mean, 11);
    EXPECT_LT(spread.sd, 1.5);
  }
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
  // A squat goes down and up: what its plots over flexion leave out is said.
  EXPECT_EQ(page.find("while it grows"), std::string::npos);
  ASSERT_EQ(work.run("knee --activity squat --write squat.yaml").status, 0);
  ASSERT_EQ(work.run("simulate squat.yaml --out s").status, 0);
  ASSERT_EQ(work.run("report s").status, 0);
  EXPECT_NE(work.read("s/report.html").find("while it grows"), std::string::npos);
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
  // What comes of an attachment inside the tibia says so.
  for (const char* name : {"medial_force_peak", "medial_force_at_90", "lateral_returns_flexion"}) {
    EXPECT_NE(rows.at(name)["verdict"].get<std::string>().find("artefact"), std::string::npos);
  }
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
