#include "vesica/studies/readings.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "vesica/io/text_input.h"
#include "vesica/studies/distribution.h"

namespace vesica::studies {
namespace {

using Json = nlohmann::ordered_json;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

enum Take {
  kMin,
  kMax,
  kMean,
  kRange,
  kFirst,
  kLast,
  kRms,
  kLargest,
  kIntegral,
  kTimeOfMin,
  kTimeOfMax
};

// Figures that depend on the machine and its load; the table has none.
bool is_clock(const std::string& path) {
  return path == "solver.seconds" || path == "solver.worst_step_seconds" ||
         path == "solver.simulated_seconds_per_second" || path.rfind("seconds", 0) == 0;
}

std::string list_words(std::vector<std::string> words) {
  constexpr size_t kMost = 30;
  const size_t left = words.size() > kMost ? words.size() - kMost : 0;
  if (left > 0) words.resize(kMost);
  return fmt::format("{}{}", fmt::join(words, ", "),
                     left > 0 ? fmt::format(" and {} more", left) : "");
}

std::string say_unknown_of(const std::string& word, const std::vector<std::string>& known) {
  std::vector<std::string_view> views(known.begin(), known.end());
  if (known.empty()) return fmt::format("there is no '{}'", word);
  std::string said = say_unknown(word, views);
  return said.size() < 400
             ? said
             : fmt::format("'{}' is not known; there are {}", word, list_words(known));
}

// Between rows.
double calc_value_at(const TimeTable& table, size_t column, double time) {
  const auto& t = table.times;
  if (t.empty() || time < t.front() - 1e-12 || time > t.back() + 1e-9 * (1 + std::abs(t.back()))) {
    return kNone;
  }
  const auto above = std::lower_bound(t.begin(), t.end(), time);
  if (above == t.end()) return table.at(t.size() - 1, column);
  const auto row = static_cast<size_t>(above - t.begin());
  if (row == 0 || t[row] <= time) return table.at(row, column);
  const double part = (time - t[row - 1]) / (t[row] - t[row - 1]);
  const double y0 = table.at(row - 1, column);
  return y0 + part * (table.at(row, column) - y0);
}

// Time and value of a row, or of a place between rows where a window begins or ends.
struct Sample {
  double time, value;
};

// Rows of a window. One that begins or ends with a crossing or an event has the values there too:
// what is read then does not jump as that moves from row to row.
std::vector<Sample> take_window(const Reading& r, const TimeTable& table, size_t column) {
  std::vector<Sample> samples;
  const bool is_part = r.until > r.from || r.from_when || r.until_when;
  const auto add_between = [&](double time) {
    const double value = calc_value_at(table, column, time);
    if (!std::isnan(value)) samples.push_back({time, value});
  };
  if (r.from_when) add_between(r.from);
  for (size_t k = 0; k < table.rows(); ++k) {
    const double t = table.times[k];
    if (is_part && (t < r.from || t > r.until)) continue;
    if (!samples.empty() && t == samples.back().time) continue;
    samples.push_back({t, table.at(k, column)});
  }
  if (r.until_when && (samples.empty() || samples.back().time < r.until)) add_between(r.until);
  return samples;
}

double take_of_column(const Reading& r, const TimeTable& table, size_t column) {
  const std::vector<Sample> window = take_window(r, table, column);
  if (window.empty()) return kNone;
  const Sample *least = &window[0], *most = &window[0];
  double sum = 0, squares = 0, largest = 0, integral = 0;
  for (size_t k = 0; k < window.size(); ++k) {
    const double y = window[k].value;
    if (y < least->value) least = &window[k];
    if (y > most->value) most = &window[k];
    sum += y;
    squares += y * y;
    largest = std::max(largest, std::abs(y));
    if (k > 0) {
      integral += 0.5 * (y + window[k - 1].value) * (window[k].time - window[k - 1].time);
    }
  }
  const auto count = static_cast<double>(window.size());
  switch (static_cast<Take>(r.take)) {
    case kMin:
      return least->value;
    case kMax:
      return most->value;
    case kMean:
      return sum / count;
    case kRange:
      return most->value - least->value;
    case kFirst:
      return window.front().value;
    case kLast:
      return window.back().value;
    case kRms:
      return std::sqrt(squares / count);
    case kLargest:
      return largest;
    case kIntegral:
      return integral;
    case kTimeOfMin:
      return least->time;
    case kTimeOfMax:
      return most->time;
  }
  return kNone;
}

double take_crossing(const Reading& r, const TimeTable& table, size_t column) {
  int found = 0;
  double last = kNone;
  for (size_t k = 1; k < table.rows(); ++k) {
    const double before = table.at(k - 1, column) - r.level, now = table.at(k, column) - r.level;
    const int way = before < 0 && now >= 0 ? 1 : before > 0 && now <= 0 ? -1 : 0;
    if (way == 0 || (r.direction != 0 && way != r.direction)) continue;
    const double t0 = table.times[k - 1];
    const double time = t0 + before / (before - now) * (table.times[k] - t0);
    if (time < r.from) continue;
    last = time;
    if (++found == r.number) return last;
  }
  return r.number < 0 ? last : kNone;
}

bool is_that(const Reading& r, const ContactEvent& event, const RunLeavings& leavings) {
  return event.touchdown == r.touchdown && event.time >= r.from &&
         (r.contact.empty() || leavings.contacts[static_cast<size_t>(event.contact)] == r.contact);
}

double take_event(const Reading& r, const RunLeavings& leavings) {
  int found = 0;
  double last = kNone;
  for (const ContactEvent& event : *leavings.events) {
    if (!is_that(r, event, leavings)) continue;
    last = r.takes_speed ? event.closing_speed : event.time;
    if (++found == r.number) return last;
  }
  return r.number < 0 ? last : kNone;
}

double count_events(const Reading& r, const RunLeavings& leavings) {
  return static_cast<double>(
      std::count_if(leavings.events->begin(), leavings.events->end(),
                    [&](const ContactEvent& event) { return is_that(r, event, leavings); }));
}

// A time, or when something happens. True: a time.
bool read_time_or_event(const InputNode& node, bool is_zero_allowed, double* time,
                        std::shared_ptr<Reading>* when) {
  if (node.is_scalar()) {
    *time = is_zero_allowed ? node.non_negative(dimension::kTime) : node.positive(dimension::kTime);
    return true;
  }
  if (node.find("unit")) node.at("unit").fail("a time here is in seconds; take it away");
  const Reading read = read_reading("", node);
  if (read.kind != Reading::Kind::kCrossing &&
      (read.kind != Reading::Kind::kEvent || read.takes_speed)) {
    node.fail(
        "expected a time, or what has one: {column: ..., crosses: ...} or {event: ..., contact: "
        "...}");
  }
  *when = std::make_shared<Reading>(read);
  return false;
}

void read_start(const InputNode& node, Reading* r) {
  if (const auto from = node.find("from")) {
    read_time_or_event(*from, true, &r->from, &r->from_when);
  }
}

void read_window(const InputNode& node, Reading* r) {
  read_start(node, r);
  if (const auto until = node.find("until")) {
    const bool is_time = read_time_or_event(*until, false, &r->until, &r->until_when);
    if (is_time && !r->from_when && !(r->until > r->from)) until->fail("must come after 'from'");
  } else if (r->from > 0 || r->from_when) {
    r->until = std::numeric_limits<double>::infinity();
  }
}

int read_occurrence(const InputNode& node) {
  const auto number = node.find("number");
  if (!number) return 1;
  const int n = number->integer(-1, 1000000);
  if (n == 0) number->fail("1 is the first, -1 the last");
  return n;
}

}  // namespace

FoundColumn find_column(const Reading& r, const RunLeavings& leavings) {
  std::vector<const TimeTable*> tables = {leavings.recording};
  if (leavings.map_sums != nullptr) {
    for (const TimeTable& sums : *leavings.map_sums) tables.push_back(&sums);
  }
  std::vector<std::string> names;
  for (const TimeTable* table : tables) {
    const size_t index = table->find(r.column);
    if (index < table->columns.size()) return {table, index};
    for (const auto& c : table->columns) names.push_back(c.name);
  }
  throw InputError(fmt::format("{}: no such column in the recording: {}", r.place,
                               say_unknown_of(r.column, names)));
}

std::string format_cell(double value) { return std::isnan(value) ? "" : fmt::format("{}", value); }

const std::vector<std::string_view>& column_takes() {
  static const std::vector<std::string_view> kTakes = {
      "min", "max",     "mean",     "range",       "first",      "last",
      "rms", "largest", "integral", "time_of_min", "time_of_max"};
  return kTakes;
}

bool needs_recording(const Reading& r) {
  for (const auto& when : {r.from_when, r.until_when, r.at_when}) {
    if (when && needs_recording(*when)) return true;
  }
  return r.kind == Reading::Kind::kColumn || r.kind == Reading::Kind::kAt ||
         r.kind == Reading::Kind::kCrossing || r.kind == Reading::Kind::kCurve;
}

Reading read_reading(const std::string& name, const InputNode& node) {
  Reading r;
  r.name = name;
  r.place = node.place();
  if (node.is_scalar()) {
    r.path = node.text();
  } else {
    node.allow({"summary", "column", "take", "at", "from", "until", "crosses", "direction",
                "number", "event", "contact", "unit"});
    if (const auto unit = node.find("unit")) r.unit = unit->text();
    if (const auto path = node.find("summary")) {
      node.allow({"summary", "unit"});
      r.path = path->text();
      r.place = path->place();
    } else if (const auto column = node.find("column")) {
      r.column = column->text();
      r.place = column->place();
      if (const auto at = node.find("at")) {
        node.allow({"column", "at", "unit"});
        r.kind = Reading::Kind::kAt;
        r.at_end = at->is_scalar() && at->text() == "end";
        if (!r.at_end) read_time_or_event(*at, true, &r.at, &r.at_when);
      } else if (const auto level = node.find("crosses")) {
        node.allow({"column", "crosses", "direction", "number", "from", "unit"});
        read_start(node, &r);
        r.kind = Reading::Kind::kCrossing;
        const NumberWithUnit number = read_number_with_unit(*level);
        r.level = number.value;
        r.level_unit = number.unit;
        if (const auto way = node.find("direction")) {
          r.direction = static_cast<int>(way->choice({"down", "either", "up"})) - 1;
        }
        r.number = read_occurrence(node);
        if (r.unit.empty()) r.unit = "s";
      } else {
        node.allow({"column", "take", "from", "until", "unit"});
        r.kind = Reading::Kind::kColumn;
        r.take = node.at("take").choice(column_takes());
        read_window(node, &r);
      }
    } else if (const auto event = node.find("event")) {
      node.allow({"event", "contact", "number", "take", "from", "unit"});
      read_start(node, &r);
      r.kind = Reading::Kind::kEvent;
      r.touchdown = event->choice({"lift_off", "touchdown"}) == 1;
      r.place = event->place();
      if (const auto contact = node.find("contact")) {
        r.contact = contact->text();
        r.place = contact->place();
      }
      r.number = read_occurrence(node);
      if (const auto take = node.find("take")) {
        const size_t what = take->choice({"time", "closing_speed", "count"});
        r.takes_speed = what == 1;
        if (what == 2) r.kind = Reading::Kind::kCount;
      }
      if (r.unit.empty() && r.kind != Reading::Kind::kCount) r.unit = r.takes_speed ? "m/s" : "s";
    } else {
      node.fail(
          "says nothing to read; give a path of the summary, or a mapping with 'summary', "
          "'column' (with 'take', 'at' or 'crosses') or 'event'");
    }
  }
  if (r.kind == Reading::Kind::kSummary && is_clock(r.path)) {
    throw InputError(
        fmt::format("{}: '{}' depends on the machine and its load, and the table is to be the same "
                    "wherever it is made; timing.csv has the seconds of every run",
                    r.place, r.path));
  }
  return r;
}

Reading read_curve(const std::string& name, const InputNode& node) {
  node.allow({"column", "from", "until", "points", "unit"});
  Reading r;
  r.name = name;
  r.kind = Reading::Kind::kCurve;
  r.column = node.at("column").text();
  r.place = node.at("column").place();
  if (const auto unit = node.find("unit")) r.unit = unit->text();
  if (const auto from = node.find("from")) r.from = from->non_negative(dimension::kTime);
  r.until = node.at("until").positive(dimension::kTime);
  if (!(r.until > r.from)) node.at("until").fail("must come after 'from'");
  const int points = node.find("points") ? node.at("points").integer(2, 10000) : 101;
  for (int k = 0; k < points; ++k) {
    r.times.push_back((r.from * (points - 1 - k) + r.until * k) / (points - 1));
  }
  return r;
}

const Json* find_in_json(const Json& json, const std::string& path, std::vector<std::string>* known,
                         bool* is_open) {
  if (path.empty()) return &json;
  const auto next = [&](const Json& child, size_t used) -> const Json* {
    if (used == path.size()) return &child;
    return path[used] == '.' ? find_in_json(child, path.substr(used + 1), known, is_open) : nullptr;
  };
  if (json.is_object()) {
    // The longest key first: names of markers have dots.
    std::vector<std::string> keys;
    for (const auto& [key, value] : json.items()) {
      if (path.rfind(key, 0) == 0 && (path.size() == key.size() || path[key.size()] == '.')) {
        keys.push_back(key);
      }
    }
    std::sort(keys.begin(), keys.end(),
              [](const std::string& a, const std::string& b) { return a.size() > b.size(); });
    for (const std::string& key : keys) {
      if (const Json* found = next(json.at(key), key.size())) return found;
    }
    if (keys.empty() && known != nullptr) {
      known->clear();
      for (const auto& [key, value] : json.items()) known->push_back(key);
    }
    return nullptr;
  }
  if (!json.is_array()) return nullptr;
  size_t index = 0;
  const auto [end, code] = std::from_chars(path.data(), path.data() + path.size(), index);
  if (code == std::errc()) {
    if (index < json.size()) return next(json[index], static_cast<size_t>(end - path.data()));
    if (is_open != nullptr) *is_open = true;
    return nullptr;
  }
  if (known != nullptr) known->clear();
  for (const Json& item : json) {
    if (!item.is_object() || !item.contains("name") || !item["name"].is_string()) continue;
    const auto name = item["name"].get<std::string>();
    if (path.rfind(name, 0) == 0) {
      if (const Json* found = next(item, name.size())) return found;
    }
    if (known != nullptr) known->push_back(name);
  }
  return nullptr;
}

void check_reading(const Reading& r, const RunLeavings& leavings) {
  for (const auto& when : {r.from_when, r.until_when, r.at_when}) {
    if (when) check_reading(*when, leavings);
  }
  if (r.kind == Reading::Kind::kSummary) {
    std::vector<std::string> known;
    bool is_open = false;
    const Json* found = find_in_json(*leavings.summary, r.path, &known, &is_open);
    if (found == nullptr && is_open) return;  // of a list that grows
    if (found == nullptr) {
      throw InputError(fmt::format("{}: the summary of a run has no '{}'; there it has {}", r.place,
                                   r.path, list_words(known)));
    }
    if (found->is_structured()) {
      std::vector<std::string> below;
      for (const auto& [key, value] : found->items()) below.push_back(key);
      throw InputError(fmt::format("{}: '{}' is not one figure; below it there are {}", r.place,
                                   r.path, list_words(below)));
    }
    return;
  }
  if (leavings.recording == nullptr || leavings.events == nullptr) {
    throw InputError(fmt::format(
        "{}: only runs of `simulate` leave recordings and events; give a path of the summary",
        r.place));
  }
  if (r.kind == Reading::Kind::kEvent || r.kind == Reading::Kind::kCount) {
    const auto& names = leavings.contacts;
    if (!r.contact.empty() && std::find(names.begin(), names.end(), r.contact) == names.end()) {
      throw InputError(
          fmt::format("{}: no such contact: {}", r.place, say_unknown_of(r.contact, names)));
    }
    return;
  }
  find_column(r, leavings);
}

void check_times(const Reading& r, double duration) {
  const auto refuse = [&](const char* key, double time) {
    throw InputError(fmt::format(
        "{}: '{}' is {:.9g} s, and the runs end at {:.9g} s: it would be empty in all of "
        "them; make it earlier, or their 'duration' longer (of: {{set: {{duration: "
        "...}}}})",
        r.place, key, time, duration));
  };
  const double end = duration * (1 + 1e-9);
  if (r.kind == Reading::Kind::kAt && !r.at_end && r.at > end) refuse("at", r.at);
  if (r.kind != Reading::Kind::kCurve && r.from > end) refuse("from", r.from);
  if (r.kind == Reading::Kind::kCurve && r.until > end) refuse("until", r.until);
}

namespace {

// With its times, where those are when something happens; nothing where it did not.
std::optional<Reading> with_times(const Reading& given, const RunLeavings& leavings) {
  Reading r = given;
  const auto settle = [&](const std::shared_ptr<Reading>& when, double* time) {
    if (!when) return true;
    const auto cell = parse_number(take_reading(*when, leavings));
    if (cell) *time = *cell;
    return cell.has_value();
  };
  if (!settle(r.from_when, &r.from) || !settle(r.until_when, &r.until) ||
      !settle(r.at_when, &r.at)) {
    return std::nullopt;
  }
  const bool is_window = r.kind == Reading::Kind::kColumn && (r.from_when || r.until_when);
  if (is_window && r.until < r.from) return std::nullopt;
  return r;
}

}  // namespace

std::string take_reading(const Reading& given, const RunLeavings& leavings) {
  const std::optional<Reading> settled = with_times(given, leavings);
  if (!settled) return "";
  const Reading& r = *settled;
  const auto as_cell = [&](double value) { return format_cell(value * r.scale); };
  switch (r.kind) {
    case Reading::Kind::kSummary: {
      const Json* found = find_in_json(*leavings.summary, r.path, nullptr, nullptr);
      if (found == nullptr || found->is_null() || found->is_structured()) return "";
      if (found->is_string()) return found->get<std::string>();
      if (found->is_boolean()) return found->get<bool>() ? "1" : "0";
      if (found->is_number_float() || r.scale != 1) return as_cell(found->get<double>());
      return found->dump();
    }
    case Reading::Kind::kColumn: {
      const auto [table, column] = find_column(r, leavings);
      return as_cell(take_of_column(r, *table, column));
    }
    case Reading::Kind::kAt: {
      const auto [table, column] = find_column(r, leavings);
      if (!r.at_end) return as_cell(calc_value_at(*table, column, r.at));
      return table->rows() == 0 ? "" : as_cell(table->at(table->rows() - 1, column));
    }
    case Reading::Kind::kCrossing: {
      const auto [table, column] = find_column(r, leavings);
      return as_cell(take_crossing(r, *table, column));
    }
    case Reading::Kind::kEvent:
      return as_cell(take_event(r, leavings));
    case Reading::Kind::kCount:
      return as_cell(count_events(r, leavings));
    case Reading::Kind::kCurve:
      break;
  }
  return "";
}

std::vector<double> take_curve(const Reading& r, const RunLeavings& leavings) {
  const auto [table, column] = find_column(r, leavings);
  std::vector<double> values;
  for (const double t : r.times) values.push_back(r.scale * calc_value_at(*table, column, t));
  return values;
}

}  // namespace vesica::studies
