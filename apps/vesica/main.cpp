#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "apps/vesica/commands.h"
#include "vesica/error.h"

namespace vesica::app {

CLI::App* add_command(CLI::App& app, Common& common, const std::string& name,
                      const std::string& description) {
  CLI::App* command = app.add_subcommand(name, description);
  command->footer("");  // the first look belongs to the tool's own help
  command->add_flag("--json", common.json, "only JSON on standard output");
  command->add_flag("--quiet", common.quiet, "no progress, no notes");
  command->add_option("--threads", common.threads, "how many threads (0: all cores)")
      ->check(CLI::Range(0, 4096))
      ->type_name("N");
  command->add_option("--out", common.out, "folder for the files that are written")
      ->type_name("DIR");
  return command;
}

namespace {

bool is_list_of_numbers(const nlohmann::ordered_json& json) {
  return json.is_array() &&
         std::all_of(json.begin(), json.end(), [](const auto& item) { return item.is_number(); });
}

void append_json(const nlohmann::ordered_json& json, const std::string& indent, std::string* text) {
  if (!json.is_structured() || json.empty() || is_list_of_numbers(json)) {
    std::string value;
    for (const auto& item : json.is_array() ? json : nlohmann::ordered_json()) {
      value += (value.empty() ? "" : ", ") + item.dump();
    }
    *text += json.is_array() ? "[" + value + "]" : json.dump();
    return;
  }
  const std::string deeper = indent + "  ";
  *text += json.is_object() ? "{\n" : "[\n";
  bool first = true;
  for (const auto& [key, value] : json.items()) {
    if (!first) *text += ",\n";
    first = false;
    *text += deeper;
    if (json.is_object()) *text += nlohmann::ordered_json(key).dump() + ": ";
    append_json(value, deeper, text);
  }
  *text += "\n" + indent + (json.is_object() ? "}" : "]");
}

}  // namespace

void print_json(const nlohmann::ordered_json& json) {
  std::string text;
  append_json(json, "", &text);
  fmt::print("{}\n", text);
}

}  // namespace vesica::app

int main(int argc, char** argv) {
  using namespace vesica::app;
  CLI::App app{"Vesica: contact dynamics by volume.", "vesica"};
  app.set_version_flag("--version", "vesica " VESICA_VERSION);
  app.require_subcommand(1);
  app.footer(
      "A first look:\n"
      "  vesica list                                      what comes with it\n"
      "  vesica probe heel_on_ground --table              one contact, every figure\n"
      "  vesica probe heel_on_ground --pressure-map p.svg its pressure, as a picture\n"
      "  vesica simulate bouncing_ball                    run a scene\n"
      "  vesica report out/bouncing_ball                  a page to look at it\n"
      "  vesica check my_case.yaml                        is my file right?\n"
      "  vesica laws                                      contact laws to choose from\n"
      "Exit status: 0 done, 1 ran but did not converge, 2 bad input.");

  Common common;
  add_list(app, common);
  add_check(app, common);
  add_laws(app, common);
  add_probe(app, common);
  add_simulate(app, common);
  add_report(app, common);
  add_export(app, common);
  add_reproduce(app, common);
  add_motion(app, common);
  add_markers(app, common);
  add_suggest(app, common);
  add_identify(app, common);

  if (argc < 2) {
    fmt::print(stderr, "{}", app.help());
    return 2;
  }
  std::string known;
  bool is_command = argv[1][0] == '-';
  for (const CLI::App* command : app.get_subcommands({})) {
    known += " " + command->get_name();
    is_command = is_command || command->get_name() == argv[1];
  }
  if (!is_command) {
    fmt::print(stderr, "error: '{}' is not a command; known:{}; see vesica --help\n", argv[1],
               known);
    return 2;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const vesica::InputError& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
  return common.status;
}
