// What `vesica list` offers, as a user takes it up.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/app/tool.h"
#include "tests/support/support.h"

namespace vesica::list_test {
namespace {

// Every input that comes along is good, and check names the command that list names.
TEST(List, EveryEntryIsGoodAndForTheCommandThatItNames) {
  test::Workspace work;
  const bool has_recordings = std::filesystem::exists(test::shared_data());
  size_t checked = 0;
  for (const auto& entry : work.run("list --json").json()) {
    const std::string name = entry["name"], command = entry["command"];
    if (command == "markers --map") continue;  // a table
    const test::Outcome outcome = work.run("check --json " + name);
    // Studies of recordings that do not come along.
    if (outcome.status == 3 && !has_recordings) continue;
    ASSERT_EQ(outcome.status, 0) << name << ": " << outcome.err;
    EXPECT_EQ(outcome.json()["kind"], command) << name;
    ++checked;
  }
  EXPECT_GE(checked, 50u);
}

}  // namespace
}  // namespace vesica::list_test
