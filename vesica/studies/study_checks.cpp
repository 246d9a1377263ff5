// What can be known of a study before a run: names, paths, ends of factors, outputs.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "vesica/io/file_error.h"
#include "vesica/studies/execute.h"
#include "vesica/studies/study_parts.h"

namespace vesica::studies {
namespace {

// Columns that every table has.
constexpr std::string_view kReserved[] = {"run",      "status", "reason",
                                          "left_out", "vesica", "inputs"};

// As table.h5 has it.
std::string as_dataset(std::string column) {
  std::replace(column.begin(), column.end(), '/', '|');
  return column;
}

void check_name(const std::string& name, const std::string& place) {
  if (std::find(std::begin(kReserved), std::end(kReserved), name) != std::end(kReserved)) {
    throw InputError(fmt::format("{}: '{}' is a column of every table ({}); call it otherwise",
                                 place, name, fmt::join(kReserved, ", ")));
  }
  const bool is_plain =
      std::all_of(name.begin(), name.end(), [](unsigned char c) { return c >= ' ' && c != 127; });
  if (name.empty() || name.size() > 200 || !is_plain || name.front() == ' ' || name.back() == ' ' ||
      name == "." || name == ".." || name.find_first_of("[]\"") != std::string::npos) {
    throw InputError(fmt::format(
        "{}: '{}' cannot be the name of a column; take letters, digits and _, without brackets "
        "(units are added by themselves), quotes and blanks at the ends",
        place, name.substr(0, 60)));
  }
}

// It becomes the name of a file.
void check_curve_name(const Reading& curve) {
  const bool is_plain = !curve.name.empty() && curve.name.size() <= 100 &&
                        curve.name.front() != '.' &&
                        std::all_of(curve.name.begin(), curve.name.end(), [](unsigned char c) {
                          return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.';
                        });
  if (is_plain) return;
  throw InputError(
      fmt::format("{}: a curve '{}' would be the file curve_{}.csv; take letters, digits, _ and -",
                  curve.place, curve.name.substr(0, 60), curve.name.substr(0, 60)));
}

}  // namespace

void check_names(const Study& study) {
  std::set<std::string> columns;
  const auto add = [&](const std::string& name, const std::string& unit, const std::string& place) {
    check_name(name, place);
    // With and without the unit: 'x' is one thing in a page.
    const std::string column = unit.empty() ? name : fmt::format("{} [{}]", name, unit);
    if (!columns.insert(as_dataset(name)).second ||
        (column != name && !columns.insert(as_dataset(column)).second)) {
      throw InputError(
          fmt::format("{}: '{}' is the name of two columns; call one otherwise", place, name));
    }
  };
  for (const Factor& f : study.factors) add(f.name, f.unit, f.place);
  for (const Reading& r : study.outputs) add(r.name, r.unit, r.place);
  std::set<std::string> curves;
  for (const Reading& r : study.curves) {
    check_curve_name(r);
    if (!curves.insert(r.name).second) {
      throw InputError(fmt::format("{}: a curve '{}' comes twice", r.place, r.name));
    }
  }
}

namespace {

// Without the words of --set, which nobody typed here.
std::string strip_setting(std::string message, const std::string& path) {
  const std::string prefix = fmt::format("--set {}", path);
  if (message.rfind(prefix, 0) == 0) {
    message = message.substr(prefix.size());
    const size_t colon = message.find(": ");
    if (colon != std::string::npos) message = message.substr(colon + 2);
  }
  return without_setting(message);
}

// Where two settings meet: equal, or one is a part of the other. Leading zeros of an index are
// none.
std::string as_plain_path(const std::string& path) {
  std::string plain;
  for (size_t at = 0; at <= path.size();) {
    const size_t dot = std::min(path.find('.', at), path.size());
    std::string part = path.substr(at, dot - at);
    if (!part.empty() && part.find_first_not_of("0123456789") == std::string::npos) {
      part.erase(0, std::min(part.find_first_not_of('0'), part.size() - 1));
    }
    plain += part + ".";
    at = dot + 1;
  }
  return plain;
}

// `as_plain`: how a path is compared, with a dot at its end.
template <class F>
void check_owners(const Study& study, const F& as_plain) {
  struct Owner {
    std::string plain, path, factor;
  };
  std::vector<Owner> known;
  for (const Factor& factor : study.factors) {
    for (const std::string& path : factor.paths) {
      const std::string plain = as_plain(path);
      for (const Owner& other : known) {
        if (!plain.starts_with(other.plain) && !other.plain.starts_with(plain)) continue;
        throw InputError(
            other.factor == factor.name
                ? fmt::format("{}: names the entry {} twice ({})", factor.place, path, other.path)
                : fmt::format("{}: sets {}, and the factor '{}' sets {}: one of them would have no "
                              "effect; an entry belongs to one factor",
                              factor.place, path, other.factor, other.path));
      }
      known.push_back({plain, path, factor.name});
    }
  }
}

// The same where items of lists go by name.
std::string as_plain_path(const RunInput& input, const std::string& path) {
  for (const InputFile* file : {&input.file, input.options ? &*input.options : nullptr}) {
    std::string plain;
    if (file != nullptr && find_entry(file->root(), path, &plain)) return plain;
  }
  return as_plain_path(path);  // what the input does not have yet
}

void check_owners_by_name(const Study& study) {
  const RunInput input = make_run_input(study, {});
  check_owners(study, [&](const std::string& path) { return as_plain_path(input, path); });
}

}  // namespace

void check_that_paths_differ(const Study& study) {
  check_owners(study, [](const std::string& path) { return as_plain_path(path); });
}

void check_paths(const Study& study) {
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
  check_owners_by_name(study);
}

namespace {

// One end of a factor, with the others as they are in the first run. What is refused because of
// another entry is a matter of the single run.
void check_end(const Study& study, const Factor& factor, const std::string& text, bool is_bound,
               const char* key) {
  auto settings = make_run_point(study, 0).settings;
  for (const std::string& path : factor.paths) settings.emplace_back(path, text);
  const RunInput input = make_run_input(study, settings);
  try {
    check_run_input(study, input);
  } catch (const FileError& error) {
    throw FileError(fmt::format("{}: {}", factor.place, error.what()));
  } catch (const InputError& error) {
    const std::string said = without_setting(error.what());
    const bool is_about =
        std::any_of(factor.paths.begin(), factor.paths.end(), [&](const auto& path) {
          const std::string last = path.substr(path.rfind('.') + 1);
          std::string plain = as_plain_path(input, path);
          plain.pop_back();
          return said.find(path) != std::string::npos || said.find(plain) != std::string::npos ||
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

}  // namespace

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

namespace {

bool is_varied(const Study& study, const std::string& path) {
  return std::any_of(study.factors.begin(), study.factors.end(), [&](const Factor& f) {
    return std::find(f.paths.begin(), f.paths.end(), path) != f.paths.end();
  });
}

void settle_reading(const RunLeavings& leavings, bool has_one_duration, Reading* reading) {
  check_reading(*reading, leavings);
  if (has_one_duration) check_times(*reading, leavings.duration);
  settle_unit(leavings, reading);
}

}  // namespace

// The first run that can start says what there is to read.
void settle_outputs(Study* study) {
  const std::uint64_t tries = std::min<std::uint64_t>(study->runs(), 10);
  const bool has_one_duration =
      study->command == Command::kSimulate && !is_varied(*study, "duration");
  std::string first;
  for (std::uint64_t run = 0; run < tries; ++run) {
    bool looked = false;
    try {
      probe_run(*study, run, [&](const RunLeavings& leavings) {
        looked = true;
        for (Reading& r : study->outputs) settle_reading(leavings, has_one_duration, &r);
        for (Reading& r : study->curves) settle_reading(leavings, has_one_duration, &r);
      });
      return;
    } catch (const std::exception& error) {
      if (looked) throw;
      if (first.empty()) first = without_setting(error.what());
    }
  }
  throw InputError(fmt::format("{}: none of the first {} runs can start; the first: {}",
                               study->file.name(), tries, first));
}

}  // namespace vesica::studies
