#include "vesica/motion/gait_normative.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "vesica/error.h"
#include "vesica/io/csv.h"

namespace vesica {
namespace {

double parse_cell(const std::string& path, const CsvText& table, size_t row, size_t column) {
  std::string text = table.rows[row].size() > column ? table.rows[row][column] : "";
  // Spreadsheets that separate by semicolons write decimal commas.
  if (table.delimiter == ';') std::replace(text.begin(), text.end(), ',', '.');
  double value = 0.0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc() || result.ptr != text.data() + text.size() ||
      !std::isfinite(value)) {
    throw InputError(fmt::format("{}:{}: '{}' in column '{}' is no number", path, table.lines[row],
                                 text, table.columns[column]));
  }
  return value;
}

struct ColumnName {
  std::string signal;
  Foot foot = Foot::kBoth;
  bool is_sd = false;
};

bool strip_end(std::string* text, const std::string& end) {
  if (!text->ends_with(end) || text->size() == end.size()) return false;
  text->resize(text->size() - end.size());
  return true;
}

ColumnName parse_name(const std::string& path, const std::string& text) {
  ColumnName name{text};
  name.is_sd = strip_end(&name.signal, "_sd");
  if (!name.is_sd && !strip_end(&name.signal, "_mean")) {
    throw InputError(fmt::format(
        "{}: column '{}' is neither 'percent' nor ends in _mean or _sd (NAME_mean, NAME_sd)", path,
        text));
  }
  if (strip_end(&name.signal, "_left")) name.foot = Foot::kLeft;
  if (name.foot == Foot::kBoth && strip_end(&name.signal, "_right")) name.foot = Foot::kRight;
  return name;
}

void check_signal(const std::string& path, const ColumnName& name, const std::string& unit,
                  const GaitSummary& summary) {
  const auto curve = std::find_if(summary.curves.begin(), summary.curves.end(),
                                  [&](const CycleCurve& c) { return c.name == name.signal; });
  if (curve == summary.curves.end()) {
    throw InputError(fmt::format("{}: there is no signal '{}' in these trials; there are: {}", path,
                                 name.signal, fmt::join(summary.signal_names(), ", ")));
  }
  if (!unit.empty() && !curve->unit.empty() && unit != curve->unit) {
    throw InputError(fmt::format("{}: '{}' is in {} there, and in {} here", path, name.signal, unit,
                                 curve->unit));
  }
}

// Linear between rows, at 0 to 100 %.
CycleValues interpolate(const std::vector<double>& percent, const std::vector<double>& values) {
  CycleValues result{};
  for (int i = 0; i < kCyclePoints; ++i) {
    const auto after = std::upper_bound(percent.begin() + 1, percent.end() - 1, double(i));
    const auto k = static_cast<size_t>(after - percent.begin());
    const double part = (i - percent[k - 1]) / (percent[k] - percent[k - 1]);
    result[i] = (1.0 - part) * values[k - 1] + part * values[k];
  }
  return result;
}

}  // namespace

std::vector<NormativeCurve> load_normative(const std::string& path, const GaitSummary& summary) {
  const CsvText table = load_csv_text(path);
  std::vector<double> percent;
  struct Parts {
    bool has_mean = false, has_sd = false;
    NormativeCurve curve;
  };
  std::map<std::pair<std::string, Foot>, Parts> found;
  if (table.columns.empty() || parse_csv_column(table.columns[0]).name != "percent") {
    throw InputError(path + ": the first column must be 'percent', 0 to 100");
  }
  for (size_t row = 0; row < table.rows.size(); ++row) {
    percent.push_back(parse_cell(path, table, row, 0));
    if (row > 0 && !(percent[row] > percent[row - 1])) {
      throw InputError(fmt::format("{}:{}: percent does not increase", path, table.lines[row]));
    }
  }
  if (percent.size() < 2 || percent.front() != 0.0 || percent.back() != 100.0) {
    throw InputError(path + ": percent must go from 0 to 100 in at least two rows");
  }
  for (size_t column = 1; column < table.columns.size(); ++column) {
    const TimeTable::Column head = parse_csv_column(table.columns[column]);
    const ColumnName name = parse_name(path, head.name);
    check_signal(path, name, head.unit, summary);
    std::vector<double> values;
    for (size_t row = 0; row < table.rows.size(); ++row) {
      values.push_back(parse_cell(path, table, row, column));
      if (name.is_sd && values.back() < 0.0) {
        throw InputError(fmt::format("{}:{}: a standard deviation of '{}' is negative", path,
                                     table.lines[row], name.signal));
      }
    }
    Parts& parts = found[{name.signal, name.foot}];
    bool& has = name.is_sd ? parts.has_sd : parts.has_mean;
    if (has) throw InputError(fmt::format("{}: column '{}' occurs twice", path, head.name));
    has = true;
    parts.curve.name = name.signal;
    parts.curve.foot = name.foot;
    (name.is_sd ? parts.curve.sd : parts.curve.mean) = interpolate(percent, values);
  }
  std::vector<NormativeCurve> curves;
  for (const auto& [key, parts] : found) {
    if (!parts.has_mean || !parts.has_sd) {
      throw InputError(fmt::format("{}: '{}' has no {} column", path, key.first,
                                   parts.has_mean ? "_sd" : "_mean"));
    }
    curves.push_back(parts.curve);
  }
  if (curves.empty()) throw InputError(path + ": has no curves beside 'percent'");
  return curves;
}

NormativeDeviation calc_deviation(const CycleCurve& curve, const NormativeCurve& normative) {
  NormativeDeviation deviation;
  for (int i = 0; i < kCyclePoints; ++i) {
    const double away = curve.mean[i] - normative.mean[i];
    deviation.rms += away * away / kCyclePoints;
    if (std::abs(away) > 2.0 * normative.sd[i]) deviation.outside += 100.0 / kCyclePoints;
  }
  deviation.rms = std::sqrt(deviation.rms);
  return deviation;
}

const NormativeCurve* find_normative(const std::vector<NormativeCurve>& normatives,
                                     const CycleCurve& curve) {
  const NormativeCurve* best = nullptr;
  for (const NormativeCurve& normative : normatives) {
    if (normative.name != curve.name) continue;
    if (normative.foot == curve.foot) return &normative;
    if (normative.foot == Foot::kBoth) best = &normative;
  }
  return best;
}

}  // namespace vesica
