// From YAML to a study, with every check that can be made before a run.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "vesica/identification/bench_study.h"
#include "vesica/io/file_error.h"
#include "vesica/io/output_file.h"
#include "vesica/model/model_file.h"
#include "vesica/studies/execute.h"
#include "vesica/studies/functions.h"
#include "vesica/studies/study_parts.h"

namespace vesica::studies {
namespace {

namespace fs = std::filesystem;

std::string read_text(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw FileError(fmt::format("{}: cannot be opened; does the file exist?", path));
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

// Beside the study, or what comes along under that name.
std::string find_file(const InputNode& node, const InputFile& file, const LoadOptions& options) {
  const std::string beside = resolve_path(file.folder(), node.text());
  std::error_code code;
  if (fs::is_regular_file(beside, code)) return beside;
  try {
    if (options.find_input) return options.find_input(node.text());
  } catch (const InputError& error) {
    node.fail(error.what());
  }
  node.fail(fmt::format("there is no file {}", beside));
}

void read_of(const InputNode& of, const LoadOptions& options, Study* study) {
  of.allow({"simulate", "identify", "markers", "function", "set"});
  int count = 0;
  for (size_t k = 0; k < 4; ++k) {
    const auto command = static_cast<Command>(k);
    const auto node = of.find(std::string(name_of(command)));
    if (!node) continue;
    ++count;
    study->command = command;
    if (command == Command::kFunction) {
      const size_t function = node->choice(function_names());
      study->input_path = function_names()[function];
      study->input_text = make_function_input(function);
    } else if (command == Command::kMarkers) {
      node->at("model");
      std::string rest;
      std::vector<std::string_view> keys = marker_option_keys();
      keys.push_back("model");
      node->allow(keys);
      for (const auto& [key, value] : node->entries()) {
        if (key != "model")
          rest += fmt::format("{}{}: {}", rest.empty() ? "" : ", ", key, value.dump());
      }
      study->options_text = "{" + rest + "}";
      study->input_path = find_file(node->at("model"), study->file, options);
    } else {
      study->input_path = find_file(*node, study->file, options);
    }
  }
  if (count != 1) {
    of.fail("names what is run, exactly one of: simulate, identify, markers, function");
  }
  if (study->command != Command::kFunction) study->input_text = read_text(study->input_path);
  if (const auto set = of.find("set")) {
    for (const auto& [path, value] : set->entries()) {
      study->settings.emplace_back(path, value.dump());
    }
  }
}

void read_outputs(const InputNode& root, Study* study) {
  const InputNode outputs = root.at("outputs");
  std::set<std::string> names;
  for (const Factor& f : study->factors) names.insert(f.name);
  for (const auto& [name, node] : outputs.entries()) {
    if (names.contains(name))
      node.fail(fmt::format("'{}' is a factor too; call it otherwise", name));
    study->outputs.push_back(read_reading(name, node));
  }
  if (study->outputs.empty()) outputs.fail("is empty: name at least one");
  if (const auto curves = root.find("curves")) {
    for (const auto& [name, node] : curves->entries()) {
      study->curves.push_back(read_curve(name, node));
    }
  }
}

void read_rest(const InputNode& root, Study* study) {
  if (const auto limit = root.find("time_limit"))
    study->time_limit = limit->positive(dimension::kTime);
  if (const auto keep = root.find("keep")) {
    keep->allow({"folders", "hdf5"});
    if (const auto folders = keep->find("folders")) study->keeps_folders = folders->flag();
    if (const auto hdf5 = keep->find("hdf5")) study->writes_hdf5 = hdf5->flag();
  }
  if (const auto best = root.find("best")) {
    best->allow({"output", "goal", "count"});
    Goal goal;
    goal.output = best->at("output").text();
    std::vector<std::string_view> names;
    for (const Reading& r : study->outputs) names.push_back(r.name);
    if (std::find(names.begin(), names.end(), goal.output) == names.end()) {
      best->at("output").fail(say_unknown(goal.output, names));
    }
    if (const auto which = best->find("goal")) goal.most = which->choice({"least", "most"}) == 1;
    if (const auto count = best->find("count")) goal.count = count->integer(1, 1000);
    study->goal = goal;
  }
}

}  // namespace

bool is_study(const InputFile& file) {
  const InputNode root = file.root();
  return root.is_map() && root.find("of") && root.find("design");
}

namespace {

// Another kind of input, given in place of a study.
void check_kind(const InputFile& file) {
  const InputNode root = file.root();
  if (root.find("of")) return;
  const char* what = is_scene(file)          ? "simulate"
                     : root.find("segments") ? "markers"
                     : is_bench_study(file)  ? "identify"
                     : root.find("contact")  ? "probe"
                                             : nullptr;
  if (what == nullptr) return;
  const std::string name = fs::path(file.name()).filename().string();
  if (std::string_view(what) == "probe") {
    root.fail("is an input for `vesica probe`, which studies do not run; give a study, with 'of'");
  }
  root.fail(fmt::format(
      "is an input for `vesica {0}`, not a study; a study is a file that names it, 'of: {{{0}: "
      "{1}}}', with 'design', 'vary' and 'outputs' (docs/formats/study.md; `vesica list` names "
      "some)",
      what, what == std::string_view("markers") ? "{model: " + name + ", trials: [...]}" : name));
}

}  // namespace

Study read_study(const InputFile& file, const LoadOptions& options) {
  check_kind(file);
  Study study{.title = "", .description = "", .file = file, .input_path = "", .input_text = ""};
  const InputNode root = file.root();
  root.allow({"vesica", "title", "description", "of", "design", "seed", "vary", "correlations",
              "trials", "outputs", "curves", "time_limit", "keep", "best"});
  root.at("vesica").integer(1, 1);
  if (const auto title = root.find("title")) study.title = title->text();
  if (const auto description = root.find("description")) study.description = description->text();
  read_of(root.at("of"), options, &study);
  read_design(root, &study);
  read_outputs(root, &study);
  read_rest(root, &study);
  check_names(study);
  check_paths(study);
  check_ends(study);
  settle_outputs(&study);
  hash_inputs(&study);
  return study;
}

Study load_study(const std::string& path, const LoadOptions& options) {
  return read_study(InputFile::load(path), options);
}

}  // namespace vesica::studies
