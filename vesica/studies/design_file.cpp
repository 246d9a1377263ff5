// The design of a study: which runs there are.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "vesica/io/output_file.h"
#include "vesica/studies/sobol_sequence.h"
#include "vesica/studies/study_parts.h"

namespace vesica::studies {

std::uint64_t read_count(const InputNode& node, std::uint64_t least, std::uint64_t most) {
  const double x = node.number(dimension::kNumber);
  if (x != std::floor(x) || x < static_cast<double>(least) || x > static_cast<double>(most)) {
    node.fail(fmt::format("must be a whole number from {} to {}", least, most));
  }
  return static_cast<std::uint64_t>(x);
}

namespace {

namespace fs = std::filesystem;

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

}  // namespace

void read_design(const InputNode& root, Study* study) {
  const InputNode node = root.at("design");
  node.allow(
      {"method", "runs", "samples", "trajectories", "levels", "repeats", "leave_out", "folds"});
  Design& d = study->design;
  d.method = static_cast<Method>(node.at("method").choice(method_names()));
  if (const auto seed = root.find("seed")) d.seed = read_count(*seed, 0, 1ull << 53);
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
  check_that_paths_differ(*study);
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

}  // namespace vesica::studies
