#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "apps/vesica/commands.h"
#include "vesica/error.h"

namespace vesica::app {

Command add_command(CommandLine& line, Common& common, const std::string& name,
                    const std::string& description) {
  Command command = line.add_command(name, description);
  command.flag("--json", &common.json, "only JSON on standard output");
  command.flag("--quiet", &common.quiet, "no progress, no notes");
  command.option("--threads", &common.threads, "how many threads (0: all cores)")
      .range(0, 4096)
      .type_name("N");
  command.option("--out", &common.out, "folder for the files that are written").type_name("DIR");
  return command;
}

void make_out_folder(const std::string& folder) {
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  if (code) throw InputError(fmt::format("--out {}: {}", folder, code.message()));
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
  CommandLine line("vesica", "Vesica: contact dynamics by volume.", "vesica " VESICA_VERSION);
  line.footer(
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
  add_list(line, common);
  add_check(line, common);
  add_laws(line, common);
  add_probe(line, common);
  add_simulate(line, common);
  add_report(line, common);
  add_export(line, common);
  add_reproduce(line, common);
  add_motion(line, common);
  add_markers(line, common);
  add_suggest(line, common);
  add_identify(line, common);

  if (argc < 2) {
    fmt::print(stderr, "{}", line.help());
    return 2;
  }
  std::string known;
  bool is_command = argv[1][0] == '-';
  for (const std::string& name : line.command_names()) {
    known += " " + name;
    is_command = is_command || name == argv[1];
  }
  if (!is_command) {
    fmt::print(stderr, "error: '{}' is not a command; known:{}; see vesica --help\n", argv[1],
               known);
    return 2;
  }
  try {
    const int status = line.parse_and_run(argc, argv);
    return status != 0 ? status : common.status;
  } catch (const vesica::InputError& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
}
