#include "vesica/identification/suggest.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/vesica/commands.h"
#include "apps/vesica/input_kind.h"
#include "vesica/io/output_file.h"

namespace vesica::app {
namespace {

struct SuggestArguments {
  std::string file;
  std::map<std::string, std::string> facts;
};

std::string as_option(std::string key) {
  std::replace(key.begin(), key.end(), '_', '-');
  return "--" + key;
}

InputFile gather_facts(const SuggestArguments& arguments) {
  InputFile file = arguments.file.empty() ? InputFile::parse("vesica: 1\n", "command line")
                                          : InputFile::load(arguments.file);
  expect_input_for({"suggest"}, file);
  for (const auto& [key, value] : arguments.facts) {
    if (!value.empty()) file.set(key, value);
  }
  return file;
}

// What was typed is an option, which the file's reader knows as a setting.
KnownFacts read_typed_facts(const SuggestArguments& arguments) {
  const InputFile file = gather_facts(arguments);
  try {
    return read_facts(file);
  } catch (const InputError& error) {
    const std::string message = error.what(), place = file.name() + " (--set): ";
    if (!message.starts_with(place)) throw;
    const std::string rest = message.substr(place.size());
    const size_t end = std::min(rest.find(':'), rest.size());
    throw InputError(as_option(rest.substr(0, end)) + rest.substr(end));
  }
}

void print_table(const Suggestion& suggestion) {
  fmt::print("{:<18}{:>12} {:<9}{:<44}{}\n", "parameter", "value", "unit", "rule", "source");
  bool assumed = false;
  for (const SuggestedValue& v : suggestion.values) {
    fmt::print("{:<18}{:>12.5g} {:<9}{:<44}{}{}\n", v.name, v.value, v.unit, v.rule, v.source,
               v.assumed ? " *" : "");
    assumed = assumed || v.assumed;
  }
  if (assumed) fmt::print("\n* assumed: nothing that was given bears on it\n");
  for (const std::string& warning : suggestion.warnings) fmt::print("warning: {}\n", warning);
}

nlohmann::ordered_json make_json(const Suggestion& suggestion, const std::string& scene) {
  nlohmann::ordered_json json;
  for (const SuggestedValue& v : suggestion.values) {
    json["parameters"].push_back({{"name", v.name},
                                  {"value", v.value},
                                  {"unit", v.unit},
                                  {"rule", v.rule},
                                  {"source", v.source},
                                  {"assumed", v.assumed}});
  }
  json["warnings"] = suggestion.warnings;
  json["scene"] = scene;
  return json;
}

}  // namespace

void add_suggest(CommandLine& line, Common& common) {
  Command command = add_command(line, common, "suggest",
                                "Contact parameters from what is known, by the sources' rules");
  add_out(command, common);
  auto arguments = std::make_shared<SuggestArguments>();
  command
      .option("FACTS", &arguments->file,
              "a YAML file of what is known; the options below add to it or override it")
      .type_name("");
  for (const FactKey& key : fact_keys()) {
    command.option(as_option(key.key), &arguments->facts[key.key], key.what)
        .type_name(*key.unit ? key.unit : "VALUE");
  }
  command.footer(
      "Numbers are SI or carry a unit: --mass '250 g'. --out DIR writes scene.yaml, which `vesica "
      "simulate` runs.");
  command.run([&common, arguments] {
    const KnownFacts facts = read_typed_facts(*arguments);
    const Suggestion suggestion = suggest_parameters(facts);
    const std::string scene = make_suggested_scene(facts, suggestion);
    if (!common.out.empty()) {
      const std::string path = (std::filesystem::path(common.out) / "scene.yaml").string();
      save_text(path, scene);
      if (!common.quiet) say("wrote {0}; run it: vesica simulate {0}\n", path);
    }
    if (common.json) {
      print_json(make_json(suggestion, scene));
    } else {
      print_table(suggestion);
    }
  });
}

}  // namespace vesica::app
