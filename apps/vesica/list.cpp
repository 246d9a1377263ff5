#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "apps/vesica/commands.h"
#include "apps/vesica/scene_files.h"

namespace vesica::app {

void add_list(CommandLine& line, Common& common) {
  Command command = add_command(line, common, "list", "Scenes and studies that come with Vesica");
  command.run([&common] {
    const auto entries = list_scenes();
    if (common.json) {
      auto json = nlohmann::ordered_json::array();
      for (const auto& entry : entries) {
        json.push_back({{"name", entry.name}, {"command", entry.kind}, {"title", entry.title}});
      }
      print_json(json);
      return;
    }
    fmt::print("{:<28} {:<10} {}\n", "name", "command", "what it shows");
    for (const auto& entry : entries) {
      fmt::print("{:<28} {:<10} {}\n", entry.name, entry.kind, entry.title);
    }
    if (!common.quiet && !entries.empty()) {
      fmt::print("\nRun one:  vesica {} {}\n", entries.front().kind, entries.front().name);
    }
  });
}

}  // namespace vesica::app
