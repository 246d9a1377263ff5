#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "apps/vesica/commands.h"
#include "apps/vesica/scene_files.h"
#include "vesica/contact/probe.h"

namespace vesica::app {

void add_check(CLI::App& app, Common& common) {
  CLI::App* command =
      add_command(app, common, "check", "Validate an input file; errors come with line numbers");
  auto file = std::make_shared<std::string>();
  command->add_option("FILE", *file, "a YAML input, or the name of a scene from `vesica list`")
      ->type_name("")
      ->required();
  command->callback([&common, file] {
    const std::string path = find_input(*file);
    read_probe_case(InputFile::load(path));
    if (common.json) {
      print_json({{"file", path}, {"ok", true}, {"kind", "probe"}});
    } else {
      fmt::print("{}: good, a case for `vesica probe`\n", path);
    }
  });
}

}  // namespace vesica::app
