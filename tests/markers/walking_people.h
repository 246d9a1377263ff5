// The people whose standing and walking trials lie beside the repository. Two of them serve plain
// runs of the tests; VESICA_WALKS=people takes one comfortable walk of each, VESICA_WALKS=all every
// walk.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/support.h"

namespace vesica::markers::test {

enum class Walks { kTwoPeople, kOneEach, kAll };
inline Walks choose_walks() {
  const char* text = std::getenv("VESICA_WALKS");
  const std::string which = text ? text : "";
  if (which == "all") return Walks::kAll;
  return which == "people" ? Walks::kOneEach : Walks::kTwoPeople;
}
inline void print_choice() {
  const Walks walks = choose_walks();
  fmt::print("  {}\n", walks == Walks::kAll       ? "every walk of thirteen people"
                       : walks == Walks::kOneEach ? "one walk of each of thirteen people"
                                                  : "one walk of two people; VESICA_WALKS=people "
                                                    "takes thirteen, VESICA_WALKS=all every walk");
}

struct Person {
  std::string name;  // of the folder
  std::string standing;
  std::vector<std::string> walks;  // .trc; comfortable ones, or all
};
inline Person read_person(const std::filesystem::path& folder, bool all_walks) {
  Person person;
  person.name = folder.filename().string();
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(".trc")) continue;
    if (name.find("static") != std::string::npos) person.standing = entry.path().string();
    // Left and right are exchanged in this file; it is refused for that.
    if (name == "WBDS16walkO01C.trc" || name.find("walk") == std::string::npos) continue;
    if (all_walks || name.ends_with("C.trc")) person.walks.push_back(entry.path().string());
  }
  std::sort(person.walks.begin(), person.walks.end());
  return person;
}
// Those that VESICA_WALKS chooses; otherwise those of these folders.
inline std::vector<Person> list_people(const std::vector<std::string>& two) {
  namespace fs = std::filesystem;
  const Walks walks = choose_walks();
  std::vector<fs::path> folders{vesica::test::shared_data() / "wbds07"};
  for (const auto& entry : fs::directory_iterator(vesica::test::shared_data() / "wbds")) {
    if (entry.is_directory()) folders.push_back(entry.path());
  }
  std::sort(folders.begin(), folders.end());
  std::vector<Person> people;
  for (const fs::path& folder : folders) {
    const bool named = std::find(two.begin(), two.end(), folder.filename()) != two.end();
    if (walks == Walks::kTwoPeople && !named) continue;
    people.push_back(read_person(folder, walks == Walks::kAll));
  }
  return people;
}

}  // namespace vesica::markers::test
