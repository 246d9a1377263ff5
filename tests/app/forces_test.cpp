// vesica forces as a user runs it.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/app/tool.h"
#include "tests/forces/synthetic_walker.h"
#include "tests/support/support.h"
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
  EXPECT_NEAR(run.json()["weight"].get<double>(), 700.4, 0.1);
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
  EXPECT_NE(
      error_of("calibrate --static static.trc walk.trc --out c.yaml", 2).find("no force plates"),
      std::string::npos);
  EXPECT_NE(error_of("calibrate walk.trc --out c.yaml", 2).find("--static"), std::string::npos);
  EXPECT_NE(error_of("predict walk.trc cal.yaml --out p", 2).find("cannot be the first argument"),
            std::string::npos);
  EXPECT_NE(error_of("calibrate --static static.trc walk.trc ./walk.trc --out c.yaml", 2)
                .find("given twice"),
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
  ASSERT_EQ(calibrated.status, 0) << calibrated.err;
  EXPECT_NE(calibrated.json()["notes"].dump().find("another person's"), std::string::npos);
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

}  // namespace vesica::app_forces_test
