#include "vesica/io/marker_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <unordered_map>

#include "vesica/error.h"
#include "vesica/io/csv.h"
#include "vesica/io/text_input.h"
#include "vesica/io/yaml.h"

namespace vesica {

namespace {

// "Anna:LASI" without the subject.
std::string without_subject(const std::string& label) {
  const std::size_t colon = label.rfind(':');
  return colon == std::string::npos ? label : label.substr(colon + 1);
}

void check_map(const MarkerMap& map) {
  std::unordered_map<std::string, std::string> seen;
  for (const MarkerMap::Entry& entry : map.entries) {
    if (trim(entry.from).empty() || trim(entry.to).empty()) {
      throw InputError(entry.place +
                       ": a name is empty; expected the name in the recording and "
                       "the name that it is to get");
    }
    const auto [before, is_new] = seen.emplace(entry.from, entry.place);
    if (is_new) continue;
    throw InputError(fmt::format("{}: {} has a new name already, in {}", entry.place,
                                 quote(entry.from), before->second));
  }
  if (map.entries.empty()) throw InputError(map.file + ": there are no names in the map");
}

std::string list_some(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(kShown, names.size()); ++i) {
    text += (i == 0 ? "" : ", ") + names[i];
  }
  return names.size() > kShown ? text + fmt::format(" and {} more", names.size() - kShown) : text;
}

}  // namespace

bool is_marker_map(const InputFile& file) {
  return file.root().is_map() && file.root().find("marker_map").has_value();
}

MarkerMap read_marker_map(const InputFile& file) {
  const InputNode root = file.root();
  root.allow({"vesica", "marker_map", "description", "partial", "names"});
  MarkerMap map;
  map.file = file.name();
  map.title = root.at("marker_map").text();
  if (const auto partial = root.find("partial")) map.partial = partial->flag();
  for (const auto& [from, to] : root.at("names").entries()) {
    map.entries.push_back({from, to.text(), to.place()});
  }
  check_map(map);
  return map;
}

MarkerMap read_marker_map_csv(std::istream& stream, const std::string& name) {
  const CsvText table = read_csv_text(stream, name);
  const auto column = [&](const char* wanted) {
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      if (as_lower(table.columns[c]) == wanted) return c;
    }
    throw InputError(fmt::format(
        "{}:1: there is no column '{}'; expected a map of marker names with 'from' and 'to'", name,
        wanted));
  };
  const std::size_t from = column("from"), to = column("to");
  MarkerMap map;
  map.file = name;
  map.title = std::filesystem::path(name).stem().string();
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    map.entries.push_back(
        {table.rows[r][from], table.rows[r][to], fmt::format("{}:{}", name, table.lines[r])});
  }
  check_map(map);
  return map;
}

MarkerMap load_marker_map(const std::string& path) {
  const std::string extension = as_lower(std::filesystem::path(path).extension().string());
  if (extension == ".csv") {
    std::ifstream stream = open_input(path);
    return read_marker_map_csv(stream, path);
  }
  const InputFile file = InputFile::load(path);
  if (!is_marker_map(file)) {
    throw InputError(path + ": has no key 'marker_map'; expected a map of marker names");
  }
  return read_marker_map(file);
}

RenamedMarkers rename_markers(const MarkerMap& map, MarkerTracks* markers) {
  RenamedMarkers result;
  std::vector<std::string> labels = markers->labels;
  std::vector<const MarkerMap::Entry*> by(labels.size(), nullptr);
  for (const MarkerMap::Entry& entry : map.entries) {
    // The name as it stands first: a subject before it is only looked behind where none has it.
    std::vector<std::size_t> found;
    for (const bool exact : {true, false}) {
      for (std::size_t i = 0; i < labels.size(); ++i) {
        const std::string& label = markers->labels[i];
        if ((exact ? label : without_subject(label)) == entry.from) found.push_back(i);
      }
      if (!found.empty()) break;
    }
    if (found.size() > 1) {
      throw InputError(fmt::format("{}: {} stands for both {} and {}; name the subject too",
                                   entry.place, quote(entry.from), quote(markers->labels[found[0]]),
                                   quote(markers->labels[found[1]])));
    }
    if (found.empty()) {
      result.not_present.push_back(entry.from);
      continue;
    }
    labels[found[0]] = entry.to;
    by[found[0]] = &entry;
    ++result.count;
  }
  if (result.count == 0) {
    throw InputError(fmt::format("{}: none of its {} names ({}) is in the recording, which has {}",
                                 map.file, map.entries.size(), list_some(result.not_present),
                                 list_some(markers->labels)));
  }
  std::map<std::string, std::size_t> taken;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto [before, is_new] = taken.emplace(labels[i], i);
    if (is_new) continue;
    const std::size_t other = before->second;
    const MarkerMap::Entry* entry = by[i] != nullptr ? by[i] : by[other];
    throw InputError(fmt::format(
        "{}: {} and {} would both be called {}; drop one of them (--drop) or change the map",
        entry != nullptr ? entry->place : map.file, quote(markers->labels[other]),
        quote(markers->labels[i]), quote(labels[i])));
  }
  markers->labels = std::move(labels);
  return result;
}

std::string describe(const RenamedMarkers& renamed, const MarkerMap& map) {
  std::string text = fmt::format("Renamed {} marker{} by the map '{}'", renamed.count,
                                 renamed.count == 1 ? "" : "s", map.title);
  if (!renamed.not_present.empty()) {
    text += "; not in the recording: " + list_some(renamed.not_present);
  }
  return text + ".";
}

bool matches_pattern(std::string_view text, std::string_view pattern) {
  // The last star seen, and where the text stood then: a failure later goes on from there.
  std::size_t t = 0, p = 0, star = std::string_view::npos, from = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      from = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++t;
      ++p;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++from;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

void select_markers(const std::vector<std::string>& keep, const std::vector<std::string>& drop,
                    MotionTrial* trial) {
  MarkerTracks& markers = trial->markers;
  const auto matched = [&](const std::vector<std::string>& patterns, const char* option) {
    std::vector<char> hits(markers.markers(), 0);
    for (const std::string& pattern : patterns) {
      bool any = false;
      for (std::size_t m = 0; m < markers.markers(); ++m) {
        if (!matches_pattern(markers.labels[m], pattern)) continue;
        hits[m] = any = true;
      }
      if (any) continue;
      throw InputError(fmt::format("{}: {} '{}' matches no marker; there are {}", trial->file,
                                   option, pattern, list_some(markers.labels)));
    }
    return hits;
  };
  const std::vector<char> wanted = matched(keep, "--markers"), unwanted = matched(drop, "--drop");
  std::vector<std::size_t> left;
  for (std::size_t m = 0; m < markers.markers(); ++m) {
    if ((keep.empty() || wanted[m]) && !unwanted[m]) left.push_back(m);
  }
  if (left.empty()) {
    throw InputError(trial->file + ": --markers and --drop leave no marker");
  }
  const auto select = [&](auto* values) {
    if (values->empty()) return;
    std::size_t next = 0;
    for (std::size_t f = 0; f < markers.frames(); ++f) {
      for (const std::size_t m : left) (*values)[next++] = (*values)[f * markers.markers() + m];
    }
    values->resize(next);
  };
  select(&markers.positions);
  select(&markers.residuals);
  select(&markers.words);
  std::vector<std::string> labels;
  for (const std::size_t m : left) labels.push_back(markers.labels[m]);
  markers.labels = std::move(labels);
}

}  // namespace vesica
