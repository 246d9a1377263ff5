// `vesica identify` with `type: foot2d`, as a user runs it.
#include <gtest/gtest.h>

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
  work.write("bad.yaml",
             "vesica: 1\ntype: foot2d\nstanding: none.trc\nwalks: [{name: a, markers: b.trc}]\n");
  EXPECT_EQ(work.run("identify bad.yaml").status, 3);
}

TEST(Foot2dStudy, ThreadsAreRefusedWhereTheyWouldDoNothing) {
  const Workspace work;
  work.write("foot.yaml", "vesica: 1\ntype: foot\nsynthetic: {stances: 2}\ncalibrate: [walk1]\n");
  EXPECT_EQ(work.run("identify foot.yaml --threads 2").status, 2);
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
