// vesica reproduce as a user sees it.
#include <gtest/gtest.h>

#include <sstream>

#include "tests/app/tool.h"

namespace vesica::test::reproduce_test {
namespace {

TEST(Reproduce, TableFitsAHundredColumnsAndKeepsEveryVerdict) {
  const Workspace workspace;
  const Outcome outcome = workspace.run("reproduce restitution brown_impact --once");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  std::istringstream lines(outcome.out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
  // Cases in short numbers: 1 - 0.2 * 3 and 3.4e10.
  EXPECT_NE(outcome.out.find("e 0.4"), std::string::npos);
  EXPECT_NE(outcome.out.find("stiffness 3.4e+10"), std::string::npos);
  EXPECT_EQ(outcome.out.find("0.39999"), std::string::npos);
  // A long verdict is a note under the table.
  EXPECT_NE(outcome.out.find("[1]"), std::string::npos);
  EXPECT_NE(outcome.out.find("further off than at the speed before"), std::string::npos);
}

TEST(Reproduce, JsonHasTheContractsKeys) {
  const Workspace workspace;
  const Outcome outcome = workspace.run("reproduce block_over_step --once --json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto rows = outcome.json();
  ASSERT_FALSE(rows.empty());
  for (const auto& row : rows) {
    for (const char* key : {"system", "quantity", "case", "source", "ours", "unit", "verdict"}) {
      EXPECT_TRUE(row.contains(key)) << row.dump();
    }
    EXPECT_TRUE(row["case"].contains("preset")) << row.dump();
  }
}

TEST(Reproduce, DrawsOneSystem) {
  const Workspace workspace;
  EXPECT_EQ(workspace.run("reproduce block_over_step --once --quiet --svg step.svg").status, 0);
  EXPECT_NE(workspace.read("step.svg").find("Block over a step"), std::string::npos);
  const Outcome two = workspace.run("reproduce restitution brown_impact --svg two.svg");
  EXPECT_EQ(two.status, 2);
  EXPECT_NE(two.err.find("one system"), std::string::npos) << two.err;
}

}  // namespace
}  // namespace vesica::test::reproduce_test
