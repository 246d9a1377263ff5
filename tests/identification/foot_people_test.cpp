// What studies of several people say together.
#include "vesica/identification/foot_people.h"

#include <gtest/gtest.h>

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
