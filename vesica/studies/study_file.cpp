// From YAML to a study, with every check that can be made before a run.
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <mutex>
#include <set>
#include <sstream>

#include "vesica/io/file_error.h"
#include "vesica/io/output_file.h"
#include "vesica/io/sha256.h"
#include "vesica/io/units.h"
#include "vesica/studies/execute.h"
#include "vesica/studies/functions.h"
#include "vesica/studies/sobol_sequence.h"
#include "vesica/studies/study.h"

namespace vesica::studies {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostRuns = 1000000000;  // what 32 bits of Sobol's sequence and a disk take

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

std::uint64_t read_count(const InputNode& node, std::uint64_t least) {
  const double x = node.number(dimension::kNumber);
  if (x != std::floor(x) || x < static_cast<double>(least) || x > static_cast<double>(kMostRuns)) {
    node.fail(fmt::format("must be a whole number from {} to {}", least, kMostRuns));
  }
  return static_cast<std::uint64_t>(x);
}

// The levels of a factor: a list, or a range in equal steps.
void read_values(const InputNode& node, Factor* factor) {
  bool has_unit = false;
  const auto note_unit = [&](const InputNode& item, const std::string& unit) {
    if (has_unit && unit != factor->unit) {
      item.fail(
          fmt::format("has the unit '{}', another value of this factor '{}'; give all of them "
                      "in one unit",
                      unit, factor->unit));
    }
    has_unit = true;
    factor->unit = unit;
  };
  if (const auto values = node.find("values")) {
    if (node.find("from") || node.find("to")) values->fail("goes without 'from' and 'to'");
    const auto items = values->items();
    if (items.empty()) values->fail("is empty: give at least one value");
    for (const InputNode& item : items) factor->values.push_back(item.dump());
    // Numbers as such only where all of them are.
    try {
      for (const InputNode& item : items) read_number_with_unit(item);
    } catch (const InputError&) {
      factor->is_number = false;
      return;
    }
    for (size_t k = 0; k < items.size(); ++k) {
      const NumberWithUnit number = read_number_with_unit(items[k]);
      note_unit(items[k], number.unit);
      factor->values[k] =
          format_cell(number.value) + (number.unit.empty() ? "" : " " + number.unit);
    }
    return;
  }
  if (!node.find("from") && !node.find("to")) return;
  const NumberWithUnit from = read_number_with_unit(node.at("from"));
  const NumberWithUnit to = read_number_with_unit(node.at("to"));
  note_unit(node.at("from"), from.unit);
  note_unit(node.at("to"), to.unit);
  const int steps = node.at("steps").integer(2, 1000000);
  const auto spacing = node.find("spacing");
  const bool is_log = spacing && spacing->choice({"linear", "log"}) == 1;
  if (is_log && !(from.value > 0 && to.value > 0)) {
    spacing->fail("steps of equal ratio need 'from' and 'to' above 0");
  }
  for (int k = 0; k < steps; ++k) {
    const double part = static_cast<double>(k) / (steps - 1);
    const double x = k == 0           ? from.value
                     : k == steps - 1 ? to.value
                     : is_log         ? from.value * std::pow(to.value / from.value, part)
                                      : from.value + part * (to.value - from.value);
    factor->values.push_back(format_cell(x) + (from.unit.empty() ? "" : " " + from.unit));
  }
}

Factor read_factor(const std::string& name, const InputNode& node) {
  node.allow({"path", "paths", "values", "from", "to", "steps", "spacing", "distribution", "low",
              "high", "mean", "sd", "median", "sigma", "mode", "alpha", "beta", "nominal", "seed"});
  Factor factor;
  factor.name = name;
  factor.place = node.place();
  if (const auto paths = node.find("paths")) {
    if (node.find("path")) paths->fail("goes without 'path'");
    for (const InputNode& path : paths->items()) factor.paths.push_back(path.text());
    if (factor.paths.empty()) paths->fail("is empty: name at least one entry of the input");
  } else {
    factor.paths.push_back(node.find("path") ? node.at("path").text() : name);
  }
  if (const auto seed = node.find("seed")) {
    if (!seed->flag()) seed->fail("is true, or left out");
    node.allow({"path", "paths", "seed"});
    factor.is_seed = true;
    return factor;
  }
  factor.distribution = read_distribution(node, &factor.unit);
  read_values(node, &factor);
  if (factor.distribution && !factor.values.empty()) {
    node.fail("has both values and a distribution; give one of them");
  }
  if (!factor.distribution && factor.values.empty()) {
    node.fail(
        "takes no values: give 'values', 'from', 'to' and 'steps', or a distribution ('low' and "
        "'high', or 'distribution' with its parameters)");
  }
  if (const auto nominal = node.find("nominal")) {
    factor.nominal = nominal->dump();
    const std::string unit = factor.is_number ? read_number_with_unit(*nominal).unit : factor.unit;
    if (unit != factor.unit) {
      nominal->fail(
          fmt::format("has the unit '{}', other numbers of this factor '{}'; give all of them in "
                      "one unit",
                      unit, factor.unit));
    }
  }
  return factor;
}

// A scalar of the input, as the study would write it; empty: there is none.
std::string find_in_input(const InputNode& root, const std::string& path) {
  std::optional<InputNode> node = root;
  std::string_view rest = path;
  while (!rest.empty()) {
    const size_t dot = rest.find('.');
    const std::string key(rest.substr(0, dot));
    if (node->is_list()) {
      const auto items = node->items();
      const size_t index = static_cast<size_t>(std::strtoul(key.c_str(), nullptr, 10));
      if (index >= items.size()) return "";
      node = items[index];
    } else if (node->is_map()) {
      if (node->find(std::string(rest))) {
        node = node->find(std::string(rest));
        break;
      }
      node = node->find(key);
      if (!node) return "";
    } else {
      return "";
    }
    rest = dot == std::string_view::npos ? std::string_view() : rest.substr(dot + 1);
  }
  return node->dump();
}

// The nominal value as the factor's column has it: the input may be in another unit, or in none.
std::string make_nominal_cell(const Factor& factor) {
  if (factor.nominal.empty() || !factor.is_number) return factor.nominal;
  NumberWithUnit number;
  try {
    number = read_number_with_unit(InputFile::parse("x: " + factor.nominal, "x").root().at("x"));
  } catch (const InputError&) {
    return "";  // a word or a list, in place of which the factor puts numbers
  }
  if (number.unit == factor.unit) return format_cell(number.value);
  try {
    // Fifteen digits: 0.3 m is 300 mm, not 300.00000000000006.
    const double x = convert_units(number.value, number.unit, factor.unit);
    return format_cell(std::stod(fmt::format("{:.15g}", x)));
  } catch (const InputError& error) {
    throw InputError(fmt::format(
        "{}: the input has {} at {}, which is not in the unit of this factor: {}; give 'nominal'{}",
        factor.place, factor.nominal, factor.paths.front(), error.what(),
        factor.unit.empty() ? "" : " in " + factor.unit));
  }
}

// What a factor is where the design leaves it alone, for the table and the tornado.
void fill_nominal_values(Study* study) {
  const RunInput input = make_run_input(*study, {});
  for (Factor& factor : study->factors) {
    if (factor.is_seed) continue;
    if (factor.nominal.empty()) {
      factor.nominal = find_in_input(input.file.root(), factor.paths.front());
    }
    if (factor.nominal.empty() && input.options) {
      factor.nominal = find_in_input(input.options->root(), factor.paths.front());
    }
    factor.nominal_cell = make_nominal_cell(factor);
  }
}

void read_correlations(const InputNode& node, Study* study) {
  const Method method = study->design.method;
  if (method != Method::kLatinHypercube && method != Method::kSobol &&
      method != Method::kMonteCarlo) {
    node.fail(fmt::format(
        "a {} design takes its factors as independent; correlations go with latin_hypercube, sobol "
        "and monte_carlo",
        name_of(method)));
  }
  std::vector<std::string> names;
  for (const Factor& f : study->factors) {
    if (!f.is_seed) names.push_back(f.name);
  }
  const size_t n = names.size();
  std::vector<double> matrix(n * n, 0.0);
  for (size_t k = 0; k < n; ++k) matrix[k * n + k] = 1;
  std::set<std::pair<size_t, size_t>> seen;
  for (const InputNode& item : node.items()) {
    item.expect_list(3);
    size_t at[2];
    for (size_t k = 0; k < 2; ++k) {
      const std::string word = item.at(k).text();
      at[k] = static_cast<size_t>(std::find(names.begin(), names.end(), word) - names.begin());
      if (at[k] == n) {
        item.at(k).fail(say_unknown(word, {names.begin(), names.end()}));
      }
    }
    if (at[0] == at[1]) item.fail("names a factor twice");
    if (!seen.insert(std::minmax(at[0], at[1])).second) item.fail("this pair comes twice");
    const double r = item.at(2).number(dimension::kNumber);
    if (!(std::abs(r) < 1)) item.at(2).fail("a correlation lies between -1 and 1");
    matrix[at[0] * n + at[1]] = matrix[at[1] * n + at[0]] = r;
  }
  study->design.copula = factor_correlations(matrix, n);
  if (study->design.copula.empty()) {
    node.fail(
        "these correlations contradict each other: their matrix is not positive definite; make "
        "some of them smaller");
  }
}

void read_folds(const InputNode& root, const InputNode& design, Study* study) {
  const InputNode trials = root.at("trials");
  struct Item {
    std::string subject, file;
  };
  std::vector<Item> items;
  std::vector<std::string> subjects;
  if (trials.is_map()) {
    for (const auto& [subject, list] : trials.entries()) {
      subjects.push_back(subject);
      for (const InputNode& item : list.items()) items.push_back({subject, item.text()});
    }
  } else {
    for (const InputNode& item : trials.items()) items.push_back({"", item.text()});
  }
  std::error_code code;
  for (const Item& item : items) {
    const std::string path = resolve_path(study->file.folder(), item.file);
    if (!fs::is_regular_file(path, code)) trials.fail(fmt::format("there is no file {}", path));
  }
  const auto leave = design.find("leave_out");
  const bool by_subject = leave && leave->choice({"trial", "subject"}) == 1;
  if (by_subject && subjects.size() < 2) {
    leave->fail("needs at least two subjects: give 'trials' as a mapping from subjects to lists");
  }
  const auto absolute = [&](const std::string& name) {
    return fs::absolute(resolve_path(study->file.folder(), name)).lexically_normal().string();
  };
  const auto folds = design.find("folds");
  const size_t groups = by_subject ? subjects.size() : items.size();
  size_t count = groups;
  if (folds) {
    count = read_count(*folds, 2);
    if (count > groups) {
      folds->fail(
          fmt::format("there are {} {} to leave out", groups, by_subject ? "subjects" : "trials"));
    }
    if (!by_subject && !subjects.empty()) {
      folds->fail("trials of several subjects are left out one at a time, within each subject");
    }
  }
  for (size_t k = 0; k < count; ++k) {
    Fold fold;
    for (size_t i = 0; i < items.size(); ++i) {
      const size_t group =
          by_subject
              ? static_cast<size_t>(std::find(subjects.begin(), subjects.end(), items[i].subject) -
                                    subjects.begin())
              : i;
      const bool left_out = group % count == k;
      const bool same = by_subject || items[i].subject == items[k].subject;
      if (left_out) {
        const std::string name =
            by_subject ? items[i].subject
            : items[i].subject.empty()
                ? fs::path(items[i].file).stem().string()
                : items[i].subject + "/" + fs::path(items[i].file).stem().string();
        if (fold.name.find(name) == std::string::npos) {
          fold.name += (fold.name.empty() ? "" : "+") + name;
        }
        fold.test.push_back(absolute(items[i].file));
      } else if (same) {
        fold.train.push_back(absolute(items[i].file));
      }
    }
    if (fold.train.empty()) {
      trials.fail(
          fmt::format("leaving out {} leaves nothing to fit; give at least two recordings{}",
                      fold.name, subjects.empty() ? "" : " of every subject"));
    }
    study->folds.push_back(std::move(fold));
  }
  study->design.samples = study->folds.size();
}

void check_sizes(const InputNode& node, const Study& study) {
  const Design& d = study.design;
  const bool by_levels =
      d.method == Method::kList || d.method == Method::kSweep || d.method == Method::kGrid;
  for (const Factor& f : study.factors) {
    if (f.is_seed) continue;
    if (by_levels && f.distribution) {
      throw InputError(
          fmt::format("{}: a {} takes values, this is a distribution; give 'values', or 'from', "
                      "'to' and 'steps'",
                      f.place, name_of(d.method)));
    }
    if (d.method == Method::kSweep && f.nominal.empty()) {
      throw InputError(
          fmt::format("{}: the input has nothing at {}; say what it is while others "
                      "change ('nominal')",
                      f.place, f.paths.front()));
    }
    if (d.method == Method::kMorris &&
        (!f.distribution || !f.distribution->has_low() || !f.distribution->has_high())) {
      throw InputError(fmt::format(
          "{}: Morris' screening steps through the whole range of a factor, and this one has {}; "
          "give 'low' and 'high'",
          f.place, f.distribution ? "no bounds" : "a list of values"));
    }
    if (d.method == Method::kList && f.values.size() != d.points()) {
      throw InputError(
          fmt::format("{}: {} values, another factor has {}; a list takes the k-th value "
                      "of every factor together (every combination is a grid)",
                      f.place, f.values.size(), d.points()));
    }
  }
  const std::uint64_t dimensions =
      d.method == Method::kSobolIndices ? 2 * d.factors() : d.factors();
  if ((d.method == Method::kSobol || d.method == Method::kSobolIndices) &&
      dimensions > kSobolDimensions) {
    node.fail(
        fmt::format("takes {} dimensions of Sobol's sequence for {} factors; there are {}: "
                    "screen with morris first, or take latin_hypercube",
                    dimensions, d.factors(), kSobolDimensions));
  }
}

void read_design(const InputNode& root, Study* study) {
  const InputNode node = root.at("design");
  node.allow(
      {"method", "runs", "samples", "trajectories", "levels", "repeats", "leave_out", "folds"});
  Design& d = study->design;
  d.method = static_cast<Method>(node.at("method").choice(method_names()));
  if (const auto seed = root.find("seed")) d.seed = read_count(*seed, 0);
  if (const auto repeats = node.find("repeats")) d.repeats = read_count(*repeats, 1);
  const auto only = [&](std::initializer_list<std::string_view> keys) {
    std::vector<std::string_view> all(keys);
    all.insert(all.end(), {"method", "repeats"});
    node.allow(all);
  };
  if (d.method == Method::kCrossValidation) {
    only({"leave_out", "folds"});
    if (root.find("vary")) root.at("vary").fail("a cross-validation varies what is left out alone");
    if (study->command != Command::kMarkers && study->command != Command::kIdentify) {
      node.at("method").fail("only fits are cross-validated: `identify` and `markers`");
    }
    read_folds(root, node, study);
    return;
  }
  if (const auto trials = root.find("trials"))
    trials->fail("goes with the method cross_validation");
  const InputNode vary = root.at("vary");
  for (const auto& [name, factor] : vary.entries())
    study->factors.push_back(read_factor(name, factor));
  for (const Factor& f : study->factors) {
    if (!f.is_seed) d.sizes.push_back(f.values.size());
  }
  fill_nominal_values(study);
  switch (d.method) {
    case Method::kList:
    case Method::kSweep:
    case Method::kGrid:
      only({});
      break;
    case Method::kMorris:
      only({"trajectories", "levels"});
      d.samples = read_count(node.at("trajectories"), 2);
      if (const auto levels = node.find("levels")) {
        d.levels = read_count(*levels, 2);
        if (d.levels % 2 != 0) levels->fail("must be even: steps are of p / (2 (p - 1))");
      }
      break;
    case Method::kSobolIndices:
      only({"samples"});
      d.samples = read_count(node.at("samples"), 2);
      if ((d.samples & (d.samples - 1)) != 0) {
        node.at("samples").fail(
            "must be a power of 2: so many points of the sequence fill it evenly");
      }
      break;
    default:
      only({"runs"});
      d.samples = read_count(node.at("runs"), d.method == Method::kMultiStart ? 2 : 1);
      break;
  }
  if (d.sizes.empty() && (d.method != Method::kList || study->factors.empty())) {
    if (study->factors.empty()) vary.fail("is empty: name at least one factor");
    if (d.method != Method::kMonteCarlo) {
      vary.fail("has seeds only; draws of a seed alone are a monte_carlo design");
    }
  }
  // Before points() multiplies.
  double most = static_cast<double>(d.repeats);
  if (d.method == Method::kGrid) {
    for (const std::uint64_t size : d.sizes)
      most *= static_cast<double>(std::max<std::uint64_t>(size, 1));
  }
  if (most > static_cast<double>(kMostRuns)) {
    node.fail(fmt::format("makes {:.3g} runs; at most {} are possible", most, kMostRuns));
  }
  check_sizes(node.at("method"), *study);
  if (const auto correlations = root.find("correlations")) read_correlations(*correlations, study);
  if (d.runs() == 0) node.fail("makes no run");
  if (d.runs() > kMostRuns) {
    node.fail(fmt::format("makes {} runs; at most {} are possible", d.runs(), kMostRuns));
  }
}

void read_outputs(const InputNode& root, Study* study) {
  const InputNode outputs = root.at("outputs");
  std::set<std::string> names;
  for (const Factor& f : study->factors) names.insert(f.name);
  for (const auto& [name, node] : outputs.entries()) {
    if (!names.insert(name).second)
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

// Without the words of --set, which nobody typed here.
std::string strip_setting(std::string message, const std::string& path) {
  const std::string prefix = fmt::format("--set {}", path);
  if (message.rfind(prefix, 0) == 0) {
    message = message.substr(prefix.size());
    const size_t colon = message.find(": ");
    if (colon != std::string::npos) message = message.substr(colon + 2);
  }
  return message;
}

void check_paths(const Study& study) {
  const RunInput base = make_run_input(study, {});
  for (const Factor& factor : study.factors) {
    for (const std::string& path : factor.paths) {
      try {
        make_run_input(study, {{path, "0"}});
      } catch (const InputError& error) {
        throw InputError(
            fmt::format("{}: {}: {}", factor.place, path, strip_setting(error.what(), path)));
      }
    }
  }
}

// One end of a factor, with the others as they are in the first run. What is refused because of
// another entry is a matter of the single run.
void check_end(const Study& study, const Factor& factor, const std::string& text, bool is_bound,
               const char* key) {
  auto settings = make_run_point(study, 0).settings;
  for (const std::string& path : factor.paths) settings.emplace_back(path, text);
  try {
    check_run_input(study, make_run_input(study, settings));
  } catch (const FileError& error) {
    throw FileError(fmt::format("{}: {}", factor.place, error.what()));
  } catch (const InputError& error) {
    const std::string said = error.what();
    const bool is_about =
        std::any_of(factor.paths.begin(), factor.paths.end(), [&](const auto& path) {
          const std::string last = path.substr(path.rfind('.') + 1);
          return said.find(path) != std::string::npos ||
                 said.find("'" + last + "'") != std::string::npos;
        });
    if (!is_about) return;
    if (is_bound) {
      throw InputError(fmt::format("{}: its input does not take {}: {}", factor.place, text, said));
    }
    throw InputError(fmt::format(
        "{}: a {} distribution without '{}' goes as far as {}, which its input does not "
        "take: {}; give '{}'",
        factor.place, name_of(factor.distribution->kind), key, text, said, key));
  }
}

void check_ends(const Study& study) {
  for (const Factor& factor : study.factors) {
    if (factor.is_seed) {
      check_end(study, factor, "1", true, "");
      continue;
    }
    const std::string unit = factor.unit.empty() ? "" : " " + factor.unit;
    if (factor.distribution) {
      const Distribution& d = *factor.distribution;
      check_end(study, factor, format_cell(d.least()) + unit, d.has_low(), "low");
      check_end(study, factor, format_cell(d.greatest()) + unit, d.has_high(), "high");
      continue;
    }
    constexpr size_t kMostValues = 100;
    const size_t stride = factor.values.size() / kMostValues + 1;
    for (size_t k = 0; k < factor.values.size(); k += stride) {
      check_end(study, factor, factor.values[k], true, "");
    }
  }
}

// The first run that can start says what there is to read.
void check_outputs(const Study& study) {
  const std::uint64_t tries = std::min<std::uint64_t>(study.runs(), 10);
  std::string first;
  for (std::uint64_t run = 0; run < tries; ++run) {
    bool looked = false;
    try {
      probe_run(study, run, [&](const RunLeavings& leavings) {
        looked = true;
        for (const Reading& r : study.outputs) check_reading(r, leavings);
        for (const Reading& r : study.curves) check_reading(r, leavings);
      });
      return;
    } catch (const std::exception& error) {
      if (looked) throw;
      if (first.empty()) first = error.what();
    }
  }
  throw InputError(fmt::format("{}: none of the first {} runs can start; the first: {}",
                               study.file.name(), tries, first));
}

// Every word of the input that is the name of a file there.
void list_files(const InputNode& node, const std::string& folder, std::set<std::string>* paths) {
  if (node.is_map()) {
    for (const auto& [key, value] : node.entries()) list_files(value, folder, paths);
  } else if (node.is_list()) {
    for (const InputNode& item : node.items()) list_files(item, folder, paths);
  } else if (node.is_scalar()) {
    const std::string text = node.text();
    if (text.empty() || text.size() > 4096 || text.find('\n') != std::string::npos) return;
    const std::string path = resolve_path(folder, text);
    std::error_code code;
    if (fs::is_regular_file(path, code)) paths->insert(path);
  }
}

// When and how long: of a file that has not been written to since, all of it is the same.
struct FileStamp {
  std::int64_t modified = 0, modified_ns = 0, changed = 0, changed_ns = 0, size = -1;
  bool operator==(const FileStamp&) const = default;
};

FileStamp read_stamp(const std::string& path) {
  struct stat s = {};
  if (stat(path.c_str(), &s) != 0) return {};
  return {s.st_mtim.tv_sec, s.st_mtim.tv_nsec, s.st_ctim.tv_sec, s.st_ctim.tv_nsec, s.st_size};
}

// As it is now; read only where its stamp is another than the last time.
std::string find_sha256(const std::string& path) {
  struct Known {
    FileStamp stamp;
    std::string sha256;
  };
  static std::mutex guard;
  static std::map<std::string, Known> all;
  const std::lock_guard lock(guard);
  const FileStamp stamp = read_stamp(path);  // first, so that what is written meanwhile is seen
  Known& known = all[path];
  if (known.sha256.empty() || stamp != known.stamp) known = {stamp, calc_file_sha256(path)};
  return known.sha256;
}

void hash_inputs(Study* study) {
  std::set<std::string> paths;
  if (study->command != Command::kFunction) {
    paths.insert(study->input_path);
    const RunInput input = make_run_input(*study, {});
    if (fs::path(study->input_path).extension() != ".osim") {
      list_files(input.file.root(), input.file.folder(), &paths);
    }
    if (input.options) list_files(input.options->root(), input.options->folder(), &paths);
    // Files that factors name are beside the input, recordings of markers beside the study.
    if (const auto vary = study->file.root().find("vary")) {
      list_files(*vary, input.file.folder(), &paths);
      if (input.options) list_files(*vary, input.options->folder(), &paths);
    }
  }
  for (const Fold& fold : study->folds) {
    paths.insert(fold.train.begin(), fold.train.end());
    paths.insert(fold.test.begin(), fold.test.end());
  }
  for (const std::string& path : paths) {
    study->inputs.push_back({fs::path(path).filename().string(), path, find_sha256(path)});
  }
}

}  // namespace

void check_inputs(const Study& study) {
  for (const StudyInput& input : study.inputs) {
    std::string now;
    try {
      now = find_sha256(input.path);
    } catch (const FileError& error) {
      throw FileError(
          fmt::format("{}; it was there when the study began: put it back, and the same "
                      "command goes on",
                      error.what()));
    }
    if (now == input.sha256) continue;
    throw InputError(fmt::format(
        "{}: has changed while the study ran (sha256 {} when it began, {} now); its rows would not "
        "belong together: take back the change, and the same command goes on, or give another "
        "folder with --out",
        input.path, input.sha256.substr(0, 16), now.substr(0, 16)));
  }
}

bool is_study(const InputFile& file) {
  const InputNode root = file.root();
  return root.is_map() && root.find("of") && root.find("design");
}

Study read_study(const InputFile& file, const LoadOptions& options) {
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
  check_paths(study);
  check_ends(study);
  check_outputs(study);
  hash_inputs(&study);
  return study;
}

Study load_study(const std::string& path, const LoadOptions& options) {
  return read_study(InputFile::load(path), options);
}

}  // namespace vesica::studies
