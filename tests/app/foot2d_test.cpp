// `vesica identify` with `type: foot2d`, as a user runs it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include <nlohmann/json.hpp>

#include "tests/app/tool.h"
#include "tests/support/support.h"

namespace vesica::foot2d_app_test {
namespace {

using test::Outcome;
using test::Workspace;

constexpr const char* kStudy =
    "vesica: 1\ntype: foot2d\nsynthetic: {stances: 3, rate: 100}\nfit: [walk1]\n"
    "search: {seeds: 2, starts: 3, hops: 1}\n";

TEST(Foot2dStudy, TypesStandSideBySide) {
  const Workspace work;
  work.write("foot2d.yaml", kStudy);
  const Outcome outcome = work.run("identify foot2d.yaml --json --out f");
  ASSERT_TRUE(outcome.status == 0 || outcome.status == 1) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  ASSERT_EQ(json["stances"].size(), 1u);
  const auto& stance = json["stances"][0];
  EXPECT_LT(stance["geometry"]["marker_error"]["mean_mm"].get<double>(), 3.7);
  const std::pair<const char*, size_t> expected[] = {{"spring", 24}, {"linear", 21}, {"hyper", 24}};
  ASSERT_EQ(stance["types"].size(), 3u);
  for (size_t k = 0; k < 3; ++k) {
    const auto& type = stance["types"][k];
    EXPECT_EQ(type["element"], expected[k].first);
    EXPECT_EQ(type["parameters"].size(), expected[k].second);
    EXPECT_EQ(type["objective_of_seeds"].size(), 2u);
    EXPECT_EQ(type["unseen"].size(), 2u);
    EXPECT_LT(type["objective"]["total"].get<double>(), type["placebo"]["total"].get<double>());
  }
  EXPECT_EQ(stance["copied"].size(), 2u);
  EXPECT_EQ(nlohmann::json::parse(work.read("f/identify.json"))["stances"], json["stances"]);
  EXPECT_NE(work.read("f/report.html").find("hyper-volumetric"), std::string::npos);
  EXPECT_EQ(work.read("f/stances.csv").substr(0, 20), "stance,element,time,");
  // The same bytes with one thread, but for the time it took.
  auto again = nlohmann::json::parse(work.run("identify foot2d.yaml --json --threads 1").out);
  auto first = json;
  for (auto* j : {&first, &again}) {
    for (auto& type : (*j)["stances"][0]["types"]) type.erase("seconds");
  }
  EXPECT_EQ(first["stances"], again["stances"]);
}

TEST(Foot2dStudy, TheSourcesSearchAndOtherElementsRun) {
  const Workspace work;
  work.write("foot2d.yaml",
             "vesica: 1\ntype: foot2d\nsynthetic: {stances: 1, rate: 60}\n"
             "elements: [ellipsoid]\nfriction: bristle\n"
             "search: {seeds: 1, starts: 2, hops: 1, route: both}\n"
             "pipeline: {seeds: 2, generations: 10, population: 10, gradient: exact, "
             "time_limit: 20 s}\n");
  const Outcome outcome = work.run("identify foot2d.yaml --json");
  ASSERT_TRUE(outcome.status == 0 || outcome.status == 1) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  const auto& type = json["stances"][0]["types"][0];
  EXPECT_EQ(type["friction"], "bristle");
  EXPECT_EQ(type["parameters"].size(), 33u);
  EXPECT_EQ(type["pipeline"]["sqp"].size(), 2u);
  EXPECT_TRUE(type["unseen"].empty());
}

TEST(Foot2dStudy, BadInputIsNamedWithItsPlace) {
  const Workspace work;
  const auto error = [&](const std::string& from, const std::string& to) {
    std::string text = kStudy;
    text.replace(text.find(from), from.size(), to);
    work.write("bad.yaml", text);
    const Outcome outcome = work.run("identify bad.yaml");
    EXPECT_EQ(outcome.status, 2) << outcome.out;
    return outcome.err;
  };
  const auto expect = [](const std::string& message, const std::string& part) {
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  expect(error("fit: [walk1]", "fit: [walk7]"), "bad.yaml:4: fit.0: walk 'walk7' is not known");
  expect(error("fit: [walk1]", "fit: [{walk: walk1, side: left}]"), "no whole stance of the left");
  expect(error("fit: [walk1]", "elements: [sphere]"), "bad.yaml:4");
  expect(error("fit: [walk1]", "pipeline: {seeds: 3}"), "is not run");
  expect(error("fit: [walk1]", "weight: 700 N"), "has no effect on synthetic");
  expect(error("starts: 3", "starts: 0"), "bad.yaml:5");
  expect(error("rate: 100", "rat: 100"), "rate");
  expect(error("rate: 100", "weight: 100000 N"), "bad.yaml:3: synthetic");
  const std::string cop = error("hops: 1", "hops: 1, cop_threshold: 10000 N");
  expect(cop, "bad.yaml:5: search.cop_threshold");
  expect(cop, "lower `cop_threshold`");
  const Outcome checked = work.run("check bad.yaml");
  EXPECT_EQ(checked.status, 2);
  expect(checked.err, "lower `cop_threshold`");
  for (const char* key : {"seeds", "starts", "hops", "iterations"}) {
    work.write("bad.yaml", fmt::format("vesica: 1\ntype: foot2d\nsynthetic: {{stances: 1}}\n"
                                       "search: {{route: source, {}: 3}}\n",
                                       key));
    const Outcome outcome = work.run("identify bad.yaml");
    EXPECT_EQ(outcome.status, 2);
    expect(outcome.err, "bad.yaml:4: search." + std::string(key) + ": has no effect");
  }
  expect(error("synthetic: {stances: 3, rate: 100}\n", ""), "`synthetic`: stances come from");
  expect(error("foot2d", "foot3d"), "did you mean 'foot2d'?");
  work.write("bad.yaml",
             "vesica: 1\ntype: foot2d\nstanding: none.trc\nwalks: [{name: a, markers: b.trc}]\n");
  EXPECT_EQ(work.run("identify bad.yaml").status, 3);
}

TEST(Foot2dStudy, WhatDidNotConvergeIsSaid) {
  const Workspace work;
  std::string text = kStudy;
  text.replace(text.find("hops: 1"), 7, "hops: 0, iterations: 1");
  work.write("foot2d.yaml", text + "elements: [linear]\n");
  const Outcome outcome = work.run("identify foot2d.yaml");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.out.find("note: walk1, linear: the search did not converge in 10 iterations"),
            std::string::npos)
      << outcome.out;
}

TEST(Foot2dStudy, ATimeLimitThatWasReachedIsSaid) {
  const Workspace work;
  for (const char* route : {"source", "both"}) {
    work.write("foot2d.yaml",
               fmt::format("vesica: 1\ntype: foot2d\nsynthetic: {{stances: 1, rate: 60}}\n"
                           "elements: [linear]\nsearch: {{route: {}}}\n"
                           "pipeline: {{seeds: 1, generations: 100000, time_limit: 0.1 s}}\n",
                           route));
    const Outcome outcome = work.run("identify foot2d.yaml");
    EXPECT_EQ(outcome.status, 1) << outcome.out;
    EXPECT_NE(outcome.out.find("did not end within `pipeline.time_limit`"), std::string::npos)
        << outcome.out;
  }
}

// J that is of none of the seeds says of what it is.
TEST(Foot2dStudy, WhatEndedBelowAllSeedsIsNamed) {
  const Workspace work;
  int named = 0;
  for (int seed = 1; seed <= 6; ++seed) {
    work.write("foot2d.yaml",
               fmt::format("vesica: 1\ntype: foot2d\nsynthetic: {{stances: 1, rate: 60}}\n"
                           "elements: [hyper, linear]\n"
                           "search: {{seeds: 1, starts: 1, hops: 0, seed: {}}}\n",
                           seed));
    const nlohmann::json json = work.run("identify foot2d.yaml --json").json();
    for (const auto& type : json["stances"][0]["types"]) {
      const double least = type["objective_of_seeds"][0].get<double>();
      const bool below = type["objective"]["total"].get<double>() < least;
      EXPECT_EQ(type.contains("objective_from"), below) << type["element"];
      named += below ? 1 : 0;
    }
  }
  EXPECT_GT(named, 0);
}

TEST(Foot2dStudy, NamesWithCommasStayOneCell) {
  const auto folder = test::shared_data() / "oxford_foot";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << folder << " is not there";
  const Workspace work;
  work.write(
      "foot2d.yaml",
      "vesica: 1\ntype: foot2d\nstanding: " + (folder / "HC038A01.c3d").string() +
          "\nwalks: [{name: 'slow, \"first\"', markers: " + (folder / "HC038A11.c3d").string() +
          "}]\nsearch: {seeds: 1, starts: 1, hops: 0}\nelements: [linear]\n");
  work.run("identify foot2d.yaml --out f");
  const std::string csv = work.read("f/stances.csv");
  EXPECT_EQ(csv.find("\n\"slow, \"\"first\"\" left"), csv.find('\n')) << csv.substr(0, 200);
}

TEST(Foot2dStudy, PageHasTheSourcesThreeByThreePlots) {
  const Workspace work;
  work.write("foot2d.yaml", kStudy);
  // What a run of another type left in the folder goes.
  work.write("foot.yaml", "vesica: 1\ntype: foot\nsynthetic: {stances: 2}\ncalibrate: [walk1]\n");
  work.run("identify foot.yaml --out f");
  ASSERT_TRUE(std::filesystem::exists(work.path("f/foot_right.osim")));
  work.run("identify foot2d.yaml --out f");
  EXPECT_FALSE(std::filesystem::exists(work.path("f/foot_right.osim")));
  const std::string page = work.read("f/report.html");
  // A row a quantity, a column a type, in this order.
  size_t at = 0;
  for (const char* quantity : {"normal force", "friction force", "centre of pressure"}) {
    for (const char* type : {"spring (point)", "linear volumetric", "hyper-volumetric"}) {
      const size_t next = page.find(std::string(type) + ": " + quantity, at);
      ASSERT_NE(next, std::string::npos) << type << " " << quantity;
      at = next;
    }
  }
  EXPECT_EQ(page.find("source's search"), std::string::npos);  // it was not run: no empty column
}

TEST(Foot2dStudy, ALargerFamilyNeverEndsAboveTheSmaller) {
  const Workspace work;
  for (const char* elements : {"linear, hyper", "ellipsoid, hyper_ellipsoid"}) {
    // Hardly a search: the second alone would end above the first.
    work.write("foot2d.yaml",
               fmt::format("vesica: 1\ntype: foot2d\nsynthetic: {{stances: 1, rate: 60}}\n"
                           "elements: [{}]\nfriction: bristle\n"
                           "search: {{seeds: 1, starts: 1, hops: 0, seed: 3}}\n",
                           elements));
    const auto json = nlohmann::json::parse(work.run("identify foot2d.yaml --json").out);
    const auto& types = json["stances"][0]["types"];
    EXPECT_LE(types[1]["objective"]["total"].get<double>(),
              types[0]["objective"]["total"].get<double>());
  }
}

TEST(Foot2dStudy, TheSourcesRouteAloneGivesItsOwnResult) {
  const Workspace work;
  work.write("foot2d.yaml",
             "vesica: 1\ntype: foot2d\nsynthetic: {stances: 1, rate: 60}\nelements: [linear]\n"
             "search: {route: source}\n"
             "pipeline: {seeds: 2, generations: 10, population: 10, variables: raw}\n");
  const auto once = nlohmann::json::parse(work.run("identify foot2d.yaml --json").out);
  const auto& type = once["stances"][0]["types"][0];
  EXPECT_EQ(type["objective"], type["pipeline"]["objective"]);
  EXPECT_EQ(type["objective_of_seeds"], type["pipeline"]["sqp"]);
  // The seed decides alone.
  auto again = nlohmann::json::parse(work.run("identify foot2d.yaml --json --threads 1").out);
  EXPECT_EQ(type["objective"], again["stances"][0]["types"][0]["objective"]);
  EXPECT_EQ(type["parameters"], again["stances"][0]["types"][0]["parameters"]);
}

TEST(Foot2dStudy, ThreadsAreRefusedWhereTheyWouldDoNothing) {
  const Workspace work;
  work.write("drag.yaml", "vesica: 1\ntype: foot_drag\n");
  const Outcome outcome = work.run("identify drag.yaml --threads 2");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.err.find("--threads"), std::string::npos) << outcome.err;
}

// Recordings that are wrong in ways that a fit alone would swallow.
TEST(Foot2dStudy, WrongRecordingsAreNamed) {
  const auto folder = test::shared_data() / "wbds07";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << folder << " is not there";
  const Workspace work;
  const auto file = [&](const char* name) { return (folder / name).string(); };
  const std::string head = "vesica: 1\ntype: foot2d\nstanding: " + file("WBDS07static1.trc") +
                           "\nelements: [linear]\nsearch: {seeds: 1, starts: 1, hops: 0}\nwalks:\n";
  const auto walk = [&](const char* name, const char* trial, const char* forces) {
    return fmt::format("  - {{name: {}, markers: {}.trc{}}}\n", name, file(trial),
                       *forces == 0 ? "" : fmt::format(", forces: {}.mot", file(forces)));
  };
  const std::string good = walk("slow", "WBDS07walkO04S", "WBDS07walkO04S");
  const auto run = [&](const std::string& text, int status) {
    work.write("foot2d.yaml", head + text);
    const Outcome outcome = work.run("identify foot2d.yaml");
    EXPECT_EQ(outcome.status, status) << outcome.out << outcome.err;
    return outcome.out + outcome.err;
  };
  const auto expect = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  };
  const std::string plain = run(good, 0);
  EXPECT_EQ(plain.find("`weight`"), std::string::npos) << plain;

  expect(plain, "weight not known");
  expect(run(good + walk("slow", "WBDS07walkO04C", "WBDS07walkO04C"), 2), "name of two walks");
  expect(run(good + walk("again", "WBDS07walkO04S", "WBDS07walkO04S"), 2),
         "has the markers of 'slow'");
  std::string said = run(good + walk("bare", "WBDS07walkO04C", "") + "fit: [bare]\n", 2);
  expect(said, "walk 'bare' has no whole stance");
  expect(said, "bare: no plate is loaded in it");
  // Forces of another walk; a walk of the same speed could pass.
  expect(run(walk("mixed", "WBDS07walkO04C", "WBDS07walkO01F"), 0),
         "mixed: forces and standing feet disagree by up to 0.10 s");
  expect(run(good + "weight: 70 N\n", 0), "check `weight`");
  said = run(good + "markers: {right: {heel: [L.Heel]}}\n", 0);
  expect(said, "the distance from ankle to heel is");
  EXPECT_EQ(said.find("slow right"), std::string::npos) << said;
  said = run(good + "markers: {right: {heel: [R.MT1], ball: [R.Heel]}}\n", 0);
  expect(said, "are their markers exchanged");
  // Elements that have nothing to fit: J is said to be none.
  EXPECT_EQ(plain.find("is no fit"), std::string::npos) << plain;
  expect(run(good + "markers: {right: {toe: [R.MT1]}}\n", 0), "stands for ball and toe");
  said = run(good + "filter: 1 Hz\n", 2);
  expect(said, "choose a higher `filter`");
  // The heel's marker is gone.
  std::ifstream stream(folder / "WBDS07walkO04S.trc");
  std::string trc(std::istreambuf_iterator<char>(stream), {});
  trc.replace(trc.find("R.Heel"), 6, "R.Hxxx");
  work.write("noheel.trc", trc);
  said =
      run("  - {name: slow, markers: noheel.trc, forces: " + file("WBDS07walkO04S.mot") + "}\n", 0);
  expect(said, "slow: no marker of the right heel is known by its name");
}

TEST(Foot2dStudy, AChildWithoutAWholeStrideNeedsNoWeight) {
  const auto folder = test::shared_data() / "oxford_foot";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << folder << " is not there";
  const Workspace work;
  work.write("foot2d.yaml",
             "vesica: 1\ntype: foot2d\nstanding: " + (folder / "HC038A01.c3d").string() +
                 "\nwalks: [{name: walk, markers: " + (folder / "HC038A11.c3d").string() +
                 "}]\nsearch: {seeds: 1, starts: 1, hops: 0}\nelements: [linear]\n");
  const Outcome outcome = work.run("identify foot2d.yaml --json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(nlohmann::json::parse(outcome.out)["weight"].is_null());
}

TEST(Foot2dStudy, MarkersOfARealFootAreMetAsTheSourceMetThem) {
  const auto folder = test::shared_data() / "oxford_foot";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << folder << " is not there";
  const Workspace work;
  work.write("foot2d.yaml",
             "vesica: 1\ntype: foot2d\nstanding: " + (folder / "HC038A01.c3d").string() +
                 "\nwalks: [{name: walk, markers: " + (folder / "HC038A11.c3d").string() +
                 "}]\nweight: 557 N\nsearch: {seeds: 1, starts: 2, hops: 1}\n"
                 "elements: [linear]\n");
  const Outcome outcome = work.run("identify foot2d.yaml --json");
  ASSERT_TRUE(outcome.status == 0 || outcome.status == 1) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  ASSERT_EQ(json["stances"].size(), 2u);
  for (const auto& stance : json["stances"]) {
    EXPECT_TRUE(stance["toe_measured"]);
    EXPECT_LE(stance["geometry"]["marker_error"]["mean_mm"].get<double>(), 3.7);
    EXPECT_LE(stance["geometry"]["marker_error"]["sd_mm"].get<double>(), 4.3);
  }
}

}  // namespace
}  // namespace vesica::foot2d_app_test
