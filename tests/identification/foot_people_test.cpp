// What studies of several people say together.
#include "vesica/identification/foot_people.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/support/support.h"

namespace vesica::foot_people_test {
namespace {

FootPerson make_person(const char* name, double blind, double curve, int left, int right) {
  FootPerson p{name, {}};
  const auto add = [&](const char* kind, const char* side, int stances, double force) {
    FootErrors e;
    e.force = force;
    e.cop = 0.5 * force;
    p.study.groups.push_back({kind, side, "same", stances, e});
  };
  // The right foot errs by twice as much.
  add("blind", "left", left, blind);
  add("blind", "right", right, 2 * blind);
  add("mean_curve", "left", left, curve);
  add("mean_curve", "right", right, 2 * curve);
  return p;
}

TEST(FootPeople, MeansAreOverStancesThenOverPeople) {
  const std::vector<FootPooled> pooled =
      pool({make_person("A", 0.03, 0.02, 1, 3), make_person("B", 0.06, 0.07, 2, 2)});
  for (const FootPooled& p : pooled) {
    if (p.kind != "blind") continue;
    EXPECT_EQ(p.people, 2);
    EXPECT_EQ(p.stances, 8);
    // A: (1 * 3 + 3 * 6)/4 = 5.25 %, B: 9 %.
    EXPECT_NEAR(p.force, 0.5 * (0.0525 + 0.09), 1e-12);
    EXPECT_NEAR(p.worst_force, 0.09, 1e-12);
    EXPECT_NEAR(p.cop, 0.25 * (0.0525 + 0.09), 1e-12);
    EXPECT_EQ(p.better_force, 1);
  }
  ASSERT_EQ(pooled.size(), 4u);  // two kinds; at that speed, and all
}

// One person's calibrating walk has no stance: the others are kept, and it is told.
TEST(FootPeople, WhoeverHasNoStanceIsLeftOut) {
  const auto folder = test::shared_data() / "wbds07";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no recordings at " << folder;
  const auto person = [&](const char* name, bool forces) {
    const auto walk = [](const char* stem, bool with) {
      return fmt::format("      - {{name: {0}, markers: WBDS07walk{0}.trc{1}}}\n", stem,
                         with ? fmt::format(", forces: WBDS07walk{}.mot", stem) : "");
    };
    return fmt::format("  - name: {}\n    folder: {}\n    standing: WBDS07static1.trc\n"
                       "    weight: 697 N\n    walks:\n{}{}    calibrate: [O04C]\n",
                       name, folder.string(), walk("O04C", forces), walk("O05C", true));
  };
  const auto run = [&](const std::string& people) {
    return run_foot_people(InputFile::parse("vesica: 1\ntype: foot_people\nfit: {iterations: 3, "
                                            "six_spheres: false}\npeople:\n" + people,
                                            "people.yaml"),
                           {}, {});
  };
  const FootPeople both = run(person("bad", false) + person("good", true));
  ASSERT_EQ(both.people.size(), 1u);
  EXPECT_EQ(both.people[0].name, "good");
  EXPECT_FALSE(both.people[0].study.blind.empty());
  ASSERT_EQ(both.remarks.size(), 1u);
  EXPECT_NE(both.remarks[0].find("bad is left out"), std::string::npos);
  EXPECT_NE(make_people_json(both)["remarks"][0].get<std::string>().find("bad"),
            std::string::npos);
  const std::string error = test::input_error_of([&] { run(person("bad", false)); });
  EXPECT_NE(error.find("nobody is left"), std::string::npos) << error;
}

std::string read_error(const std::string& people) {
  const InputFile file =
      InputFile::parse("vesica: 1\ntype: foot_people\npeople:\n" + people, "people.yaml");
  return test::input_error_of([&] { run_foot_people(file, {}, {}); });
}

TEST(FootPeople, WrongInputIsNamedWithItsPlace) {
  const std::string one = "  - {name: A, standing: s.trc, walks: [], calibrate: [w]}\n";
  EXPECT_NE(read_error(one + one).find("people.yaml:5"), std::string::npos);
  EXPECT_NE(read_error(one + one).find("another person"), std::string::npos);
  EXPECT_NE(read_error("  - {name: ../A, standing: s, walks: [], calibrate: [w]}\n").find("slash"),
            std::string::npos);
  EXPECT_NE(read_error("  - {nome: A}\n").find("name"), std::string::npos);
  EXPECT_NE(read_error("  []\n").find("at least one person"), std::string::npos);
  EXPECT_NE(read_error(one).find("A: "), std::string::npos);  // whose recordings are wrong
}

}  // namespace
}  // namespace vesica::foot_people_test
