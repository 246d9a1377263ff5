// vesica forces as a user runs it.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "tests/app/tool.h"
#include "tests/forces/synthetic_walker.h"
#include "tests/support/support.h"
#include "vesica/io/sto.h"
#include "vesica/io/trc.h"

namespace vesica::app_forces_test {

using test::Outcome;
using test::Workspace;

// A walker of which nobody has plates.
void write_walker(const Workspace& space) {
  const test::SyntheticWalker walker;
  for (const bool standing : {true, false}) {
    MarkerTracks tracks = walker.make_trial(standing).markers;
    tracks.unit_in_file = "mm";
    save_trc(space.path(standing ? "static.trc" : "walk.trc"), tracks);
  }
}

TEST(AppForces, PredictsWithoutPlates) {
  const Workspace space;
  write_walker(space);
  const Outcome run = space.run(
      "forces predict population walk.trc --static static.trc --mass '71.4 kg' --out p --json");
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_NEAR(run.json()["weight"].get<double>(), 71.4 * 9.80665, 0.01);
  EXPECT_GE(run.json()["contacts"].size(), 8u);
  for (const char* ending :
       {"forces.mot", "bands.mot", "moments.mot", "external_loads.xml", "forces.html"}) {
    EXPECT_TRUE(std::filesystem::exists(space.path(std::string("p/walk_") + ending))) << ending;
  }
  const std::string mot = space.read("p/walk_forces.mot");
  EXPECT_NE(mot.find("r_ground_force_vx\tr_ground_force_vy\tr_ground_force_vz\tr_ground_force_px"),
            std::string::npos);
  EXPECT_NE(mot.find("l_ground_torque_z"), std::string::npos);
  EXPECT_NE(space.read("p/walk_external_loads.xml").find("walk_forces.mot"), std::string::npos);
}

TEST(AppForces, SaysWhatIsMissing) {
  const Workspace space;
  write_walker(space);
  const auto error_of = [&](const std::string& arguments, int status) {
    const Outcome run = space.run("forces " + arguments);
    EXPECT_EQ(run.status, status) << arguments << "\n" << run.err;
    return run.err;
  };
  EXPECT_NE(error_of("predict population walk.trc --mass '70 kg' --out p", 2).find("--static"),
            std::string::npos);
  EXPECT_NE(error_of("predict population walk.trc --static static.trc --out p", 2).find("--mass"),
            std::string::npos);
  EXPECT_NE(error_of("predict population walk.trc --static static.trc --mass '70 N' --out p", 2)
                .find("--mass 70 N"),
            std::string::npos);
  EXPECT_NE(error_of("predict population walk.trc --static static.trc --mass 700 --out p", 2)
                .find("no mass of a walking person"),
            std::string::npos);
  for (const char* mass : {"'7 kg'", "'250 kg'"}) {
    EXPECT_NE(
        error_of(
            std::string("predict population walk.trc --static static.trc --out p --mass ") + mass,
            2)
            .find("body mass index"),
        std::string::npos);
  }
  EXPECT_NE(error_of("predict population walk.trc --static static.trc --mass '70 kg' --out p "
                     "--population nothing.yaml",
                     2)
                .find("--population"),
            std::string::npos);
  // A table without forces is no plates, beside the walk or named.
  space.write("walk.mot",
              "Coordinates\nversion=1\nnRows=2\nnColumns=2\ninDegrees=yes\nendheader\n"
              "time\thip_flexion_r\n0\t1\n0.01\t2\n");
  EXPECT_NE(
      error_of("calibrate --static static.trc walk.trc --out c.yaml", 2).find("no force plates"),
      std::string::npos);
  EXPECT_NE(error_of("predict population walk.trc --static static.trc --mass '70 kg' --out p "
                     "--compare walk.mot",
                     2)
                .find("no force plates"),
            std::string::npos);
  // What a prediction does not need does not stop it.
  space.write("walk.mot", "broken\n");
  error_of("predict population walk.trc --static static.trc --mass '70 kg' --out p", 0);
  std::filesystem::remove(space.path("walk.mot"));
  EXPECT_NE(
      error_of("calibrate --static static.trc walk.trc --out c.yaml", 2).find("no force plates"),
      std::string::npos);
  EXPECT_NE(error_of("calibrate walk.trc --out c.yaml", 2).find("--static"), std::string::npos);
  EXPECT_NE(error_of("predict walk.trc cal.yaml --out p", 2).find("cannot be the first argument"),
            std::string::npos);
  error_of("predict nothing.yaml walk.trc --out p", 3);
  error_of("train . --out p.yaml", 2);
  error_of("", 2);
}

// Bones keep their lengths: nobody else's standing trial goes unnoticed.
TEST(AppForces, AnotherPersonIsTold) {
  const auto folder = test::shared_data();
  if (!std::filesystem::exists(folder / "wbds")) GTEST_SKIP() << "no recordings at " << folder;
  const Workspace space;
  const auto predict = [&](const std::string& standing) {
    const Outcome run = space.run(
        "forces predict population " + (folder / "wbds/WBDS01/WBDS01walkO08C.trc").string() +
        " --static " + (folder / standing).string() + " --mass '73 kg' --out p --json");
    EXPECT_EQ(run.status, 0) << run.err;
    return run.json();
  };
  const auto own = predict("wbds/WBDS01/WBDS01static1.trc");
  EXPECT_TRUE(own["outside_of_training"].empty()) << own["outside_of_training"].dump();
  EXPECT_LT(own["misfit"].get<double>(), 0.005);
  EXPECT_TRUE(own["upper_body"].empty());
  const auto other = predict("wbds07/WBDS07static1.trc");
  EXPECT_NE(other["outside_of_training"].dump().find("another person's"), std::string::npos);
  EXPECT_FALSE(other["expected"]["applies"].get<bool>());
  const std::string walk = (folder / "wbds/WBDS01/WBDS01walkO08C.trc").string();
  const Outcome calibrated =
      space.run("forces calibrate --static " + (folder / "wbds07/WBDS07static1.trc").string() +
                " " + walk + " --out c.yaml --json");
  EXPECT_EQ(calibrated.status, 2);
  EXPECT_NE(calibrated.err.find("WBDS01walkO08C.trc: Markers are"), std::string::npos)
      << calibrated.err;
  EXPECT_NE(calibrated.err.find("another person's"), std::string::npos);
  const std::string page = space.read("p/WBDS01walkO08C_forces.html");
  EXPECT_NE(page.find("Outside of what was trained"), std::string::npos);
  EXPECT_EQ(page.find("Nothing had to be mended"), std::string::npos);
  // Its last contact ends too near to the end of the recording to be seen: it is on the page.
  EXPECT_NE(space.read("p/WBDS01walkO08C_forces.html").find("too near to its ends"),
            std::string::npos);
}

TEST(AppForces, ComparingNeverChangesThePrediction) {
  const auto folder = test::shared_data() / "wbds07";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no recordings at " << folder;
  const Workspace space;
  const std::string walk = (folder / "WBDS07walk").string();
  const Outcome calibrated =
      space.run("forces calibrate --static " + (folder / "WBDS07static1.trc").string() + " " +
                walk + "O04C.trc " + walk + "O05C.trc --out cal.yaml --json");
  ASSERT_EQ(calibrated.status, 0) << calibrated.err;
  EXPECT_EQ(calibrated.json()["stances"].get<int>(), 8);
  const Outcome plain = space.run("forces predict cal.yaml " + walk + "O01F.trc --out a --json");
  ASSERT_EQ(plain.status, 0) << plain.err;
  const Outcome compared = space.run("forces predict cal.yaml " + walk +
                                     "O01F.trc --out b --json --compare " + walk + "O01F.mot");
  ASSERT_EQ(compared.status, 0) << compared.err;
  for (const char* name : {"_forces.mot", "_bands.mot", "_external_loads.xml"}) {
    EXPECT_EQ(space.read(std::string("a/WBDS07walkO01F") + name),
              space.read(std::string("b/WBDS07walkO01F") + name));
  }
  const auto json = compared.json();
  ASSERT_EQ(json["stances"].size(), 4u);
  ASSERT_EQ(json["mean_curve"].size(), 4u);
  double ours = 0, fair = 0;
  for (size_t i = 0; i < 4; ++i) {
    ours += json["stances"][i]["force_error_percent"].get<double>() / 4;
    fair += json["fair_baseline"][i]["force_error_percent"].get<double>() / 4;
    EXPECT_EQ(json["stances"][i]["shear_error_percent"].size(), 2u);
    EXPECT_LT(json["stances"][i]["cop_error_percent"].get<double>(), 15);
  }
  EXPECT_LT(ours, fair);
  EXPECT_FALSE(plain.json().contains("stances"));
}

// Copies under other names, and what the model has seen.
TEST(AppForces, CopiesAreSeenThrough) {
  const auto data = test::shared_data();
  if (!std::filesystem::exists(data / "wbds")) GTEST_SKIP() << "no recordings at " << data;
  const Workspace space;
  const std::string folder = (data / "wbds07").string(), standing = folder + "/WBDS07static1.trc";
  const std::string one = folder + "/WBDS07walkO04C", two = folder + "/WBDS07walkO05C";
  // Written anew: other digits, another header, a part of it.
  MarkerTracks tracks = load_trc(one + ".trc").markers;
  save_trc(space.path("copy.trc"), tracks);
  std::filesystem::copy_file(one + ".mot", space.path("copy.mot"));
  const Outcome twice = space.run("forces calibrate --static " + standing + " " + one +
                                  ".trc copy.trc --out cal.yaml");
  EXPECT_EQ(twice.status, 2);
  EXPECT_NE(twice.err.find("given twice"), std::string::npos) << twice.err;

  const auto person = [&](const char* name) { return " " + (data / "wbds" / name).string(); };
  const Outcome same = space.run("forces train" + person("WBDS01") + person("WBDS03") + " " +
                                 folder + " " + folder + " --out p.yaml");
  EXPECT_EQ(same.status, 2);
  EXPECT_NE(same.err.find("same recording"), std::string::npos) << same.err;
  const Outcome trained = space.run("forces train" + person("WBDS01") + person("WBDS03") +
                                    person("WBDS05") + " --out p.yaml --quiet");
  ASSERT_EQ(trained.status, 0) << trained.err;
  const Outcome calibrated = space.run("forces calibrate --population p.yaml --static " + standing +
                                       " " + one + ".trc --out cal.yaml --quiet");
  ASSERT_EQ(calibrated.status, 0) << calibrated.err;

  const auto judge = [&](const std::string& arguments, const std::string& plates) {
    const Outcome run = space.run("forces predict " + arguments +
                                  " --outside --out o --json --compare " + plates + ".mot");
    EXPECT_EQ(run.status, 0) << run.err;
    return run.json();
  };
  const auto new_walk = judge("cal.yaml --population p.yaml " + two + ".trc", two);
  EXPECT_TRUE(new_walk["blind"].get<bool>()) << new_walk["verdict"];
  const auto copy = judge("cal.yaml --population p.yaml copy.trc", "copy");
  EXPECT_FALSE(copy["blind"].get<bool>());
  EXPECT_NE(copy["verdict"].get<std::string>().find("This walk calibrated"), std::string::npos);
  const std::string mass = " --mass '71 kg' --static " + standing;
  EXPECT_TRUE(judge("p.yaml copy.trc" + mass, "copy")["blind"].get<bool>());
  // The population that comes along was trained with this person, whatever the files' names.
  save_trc(space.path("s.trc"), load_trc(standing).markers);
  for (const std::string& walk : {std::string("copy"), two}) {
    const auto seen = judge("population " + walk + ".trc --mass '71 kg' --static s.trc", walk);
    EXPECT_FALSE(seen["blind"].get<bool>()) << walk;
    EXPECT_NE(seen["verdict"].get<std::string>().find("was trained with this"), std::string::npos);
  }
  EXPECT_EQ(space
                .run("forces predict cal.yaml --population p.yaml " + two +
                     ".trc --out o --static " + standing)
                .status,
            2);
}

// Reasons reach whoever reads JSON, or nothing.
TEST(AppForces, ReasonsComeWithTheError) {
  const auto folder = test::shared_data() / "wbds07";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no recordings at " << folder;
  const Workspace space;
  const std::string walk = (folder / "WBDS07walkO04C").string();
  for (const char* how : {"", " --json", " --quiet"}) {
    // Nobody with these legs weighs 120 kg where plates say 71.
    const Outcome run =
        space.run("forces calibrate --static " + (folder / "WBDS07static1.trc").string() + " " +
                  walk + ".trc --mass '120 kg' --out c.yaml" + how);
    EXPECT_EQ(run.status, 2) << how;
    EXPECT_NE(run.err.find("WBDS07walkO04C: plate"), std::string::npos) << run.err;
    EXPECT_NE(run.err.find("is the mass wrong"), std::string::npos) << run.err;
    EXPECT_EQ(run.err.find("above"), std::string::npos) << run.err;
  }
  const Outcome told =
      space.run("forces calibrate --static " + (folder / "WBDS07static1.trc").string() + " " +
                walk + ".trc --mass '76 kg' --out c.yaml --json");
  ASSERT_EQ(told.status, 0) << told.err;
  EXPECT_NE(told.json()["weight_source"].get<std::string>().find("told"), std::string::npos);
  EXPECT_NE(told.json()["notes"].dump().find("is the mass right"), std::string::npos);
}

// Plates with one thing changed: no stance of walking, and why.
TEST(AppForces, PlatesThatContradictWalkingAreNotUsed) {
  const auto folder = test::shared_data() / "wbds07";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no recordings at " << folder;
  const Workspace space;
  const std::string walk = (folder / "WBDS07walkO04C").string();
  const struct {
    const char* columns;
    double factor, shift;
    const char* why;
  } faults[] = {{"_vx", -1, 0, "pushes first and brakes after"},
                {"_vz", -1, 0, "points outward"},
                {"_px", 1, 0.05, "% of the foot"},
                {"_px", 1, -0.05, "% of the foot"},
                {"_pz", 1, 0.03, "of both feet"},
                {"_pz", 1, -0.03, "of both feet"},
                {"_v", 0.001, 0, "are they kN"},
                {"_v", -1, 0, "downwards"}};
  for (const auto& fault : faults) {
    TimeTable table = load_sto(walk + ".mot").analog;
    for (size_t c = 0; c < table.columns.size(); ++c) {
      if (table.columns[c].name.find(fault.columns) == std::string::npos) continue;
      for (size_t row = 0; row < table.rows(); ++row) {
        double& value = table.values[row * table.columns.size() + c];
        value = fault.factor * value + fault.shift;
      }
    }
    save_sto(space.path("plates.mot"), table);
    const Outcome run =
        space.run("forces calibrate --static " + (folder / "WBDS07static1.trc").string() + " " +
                  walk + ".trc=plates.mot --out c.yaml");
    EXPECT_EQ(run.status, 2) << fault.columns << fault.factor << " " << fault.shift;
    EXPECT_NE(run.err.find(fault.why), std::string::npos) << run.err;
  }
}

// A foot that never stood on a plate has the other's curves, which is told.
TEST(AppForces, ASideWithoutStancesIsNamed) {
  const auto folder = test::shared_data() / "wbds07";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no recordings at " << folder;
  const Workspace space;
  const std::string walk = (folder / "WBDS07walkO04C").string();
  TimeTable table = load_sto(walk + ".mot").analog;
  for (size_t c = 0; c < table.columns.size(); ++c) {
    const std::string& name = table.columns[c].name;
    if (name.find("_v") == std::string::npos || name.find("3_v") != std::string::npos) continue;
    for (size_t row = 0; row < table.rows(); ++row) {
      table.values[row * table.columns.size() + c] = 0;
    }
  }
  save_sto(space.path("plates.mot"), table);
  const Outcome run =
      space.run("forces calibrate --static " + (folder / "WBDS07static1.trc").string() + " " +
                walk + ".trc=plates.mot --out c.yaml --json");
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.json()["stances_right"].get<int>() + run.json()["stances_left"].get<int>(), 1);
  EXPECT_NE(run.json()["notes"].dump().find("has no stance of the"), std::string::npos);
  const Outcome predicted = space.run("forces predict c.yaml " + walk + ".trc --out p --json");
  ASSERT_EQ(predicted.status, 0) << predicted.err;
  EXPECT_NE(predicted.json()["notes"].dump().find("has no stance of the"), std::string::npos);
}

// Frames in which markers are lost are no zeros: the files end there.
TEST(AppForces, WhatIsNotPredictedIsNotWritten) {
  const Workspace space;
  const test::SyntheticWalker walker;
  for (const bool standing : {true, false}) {
    MarkerTracks tracks = walker.make_trial(standing).markers;
    tracks.unit_in_file = "mm";
    for (size_t k = 0; k < tracks.frames() && !standing; ++k) {
      if (tracks.times[k] < 4) continue;
      for (const char* name : {"R.Knee", "R.HF"}) {
        tracks.at(k, tracks.find(name)) = Vec3d::Constant(kMissing);
      }
    }
    save_trc(space.path(standing ? "static.trc" : "walk.trc"), tracks);
  }
  const Outcome run = space.run(
      "forces predict population walk.trc --static static.trc --mass '71.4 kg' --out p --json");
  ASSERT_EQ(run.status, 0) << run.err;
  const auto json = run.json();
  EXPECT_NEAR(json["predicted_until"].get<double>(), 4, 0.02);
  EXPECT_GT(json["frames_without_prediction"].get<int>(), 10);
  for (const char* name : {"p/walk_forces.mot", "p/walk_bands.mot"}) {
    const TimeTable table = load_sto(space.path(name)).analog;
    EXPECT_LT(table.times.back(), 4.001) << name;
    EXPECT_EQ(table.rows(), static_cast<size_t>(std::lround(
                                (table.times.back() - table.times.front()) * walker.steps.rate)) +
                                1);
  }
}

}  // namespace vesica::app_forces_test
