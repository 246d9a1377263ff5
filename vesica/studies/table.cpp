#include "vesica/studies/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "vesica/io/file_error.h"
#include "vesica/io/file_writer.h"
#include "vesica/studies/journal.h"
#include "vesica/studies/manifest.h"
#include "vesica/studies/table_hdf5.h"
#include "vesica/studies/table_rows.h"

namespace vesica::studies {
namespace {

namespace fs = std::filesystem;

// As RFC 4180.
std::string quote(const std::string& cell) {
  if (cell.find_first_of(",\"\n\r#;") == std::string::npos) return cell;
  std::string text = "\"";
  for (const char c : cell) text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + "\"";
}

void append_cells(const std::vector<std::string>& cells, std::string* text) {
  for (size_t k = 0; k < cells.size(); ++k) *text += (k > 0 ? "," : "") + quote(cells[k]);
  *text += '\n';
}

// Under a name of this worker's until it is whole, then in its place.
class TableFile {
 public:
  TableFile(const std::string& folder, const std::string& name, const std::string& aside)
      : path_((fs::path(folder) / name).string()),
        aside_(fmt::format("{}.{}", path_, aside)),
        writer_(aside_) {}
  std::string& text() {
    writer_.flush_if_large();
    return writer_.text();
  }
  void finish() {
    writer_.commit();
    std::error_code code;
    fs::rename(aside_, path_, code);
    if (code) throw FileError(fmt::format("{}: cannot be written: {}", path_, code.message()));
  }

 private:
  std::string path_, aside_;
  FileWriter writer_;
};

// The last attempt of every run: 16 bytes for each, more for the few that are not at their first.
class LastLines {
 public:
  LastLines(JournalReader& reader, std::uint64_t runs) : lines_(runs) {
    reader.read_new([this](const JournalEntry& entry, const JournalReader::Where& where) {
      if (entry.kind == JournalEntry::Kind::kFinished) see(entry, where);
    });
  }
  std::uint64_t runs() const { return lines_.size(); }
  // Null: it is in no journal.
  const JournalReader::Where* find(std::uint64_t run) const {
    return lines_[run].length > 0 ? &lines_[run] : nullptr;
  }

 private:
  void see(const JournalEntry& entry, const JournalReader::Where& where) {
    const std::uint64_t run = entry.row.run;
    if (run >= lines_.size()) return;
    const auto later = attempts_.find(run);
    const int known = find(run) == nullptr ? -1 : later == attempts_.end() ? 0 : later->second;
    if (entry.attempt <= known) return;
    lines_[run] = where;
    if (entry.attempt > 0) attempts_[run] = entry.attempt;
  }

  std::vector<JournalReader::Where> lines_;
  std::unordered_map<std::uint64_t, int> attempts_;
};

class WarningCounts {
 public:
  void add(const RunRow& row) {
    std::set<std::string> seen;
    for (const std::string& warning : row.warnings) {
      const std::string kind = find_warning_kind(warning);
      if (!seen.insert(kind).second) continue;
      const auto [place, is_new] = index_.try_emplace(kind, kinds_.size());
      if (is_new) kinds_.push_back({warning, 0, row.run});
      ++kinds_[place->second].runs;
    }
  }
  void write(std::string* text) const {
    append_cells({"runs", "first_run", "warning"}, text);
    for (const WarningKind& kind : kinds_) {
      append_cells({fmt::format("{}", kind.runs), fmt::format("{}", kind.first_run), kind.text},
                   text);
    }
  }

 private:
  std::vector<WarningKind> kinds_;
  std::unordered_map<std::string, size_t> index_;
};

}  // namespace

std::string find_warning_kind(const std::string& warning) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto is_word = [&](char c) {
    return is_digit(c) || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  std::string kind;
  for (size_t k = 0; k < warning.size();) {
    // Digits within a word are part of a name.
    if (!is_digit(warning[k]) || (k > 0 && is_word(warning[k - 1]))) {
      kind += warning[k++];
      continue;
    }
    const char* begin = warning.c_str() + k;
    char* end = nullptr;
    std::strtod(begin, &end);
    k += std::max<size_t>(1, static_cast<size_t>(end - begin));
    kind += '#';
  }
  return kind;
}

std::vector<std::string> make_table_columns(const Study& study) {
  std::vector<std::string> columns = {"run", "status", "reason"};
  for (const std::string& name : make_factor_columns(study)) columns.push_back(name);
  for (const Reading& r : study.outputs) {
    columns.push_back(r.unit.empty() ? r.name : fmt::format("{} [{}]", r.name, r.unit));
  }
  columns.insert(columns.end(), {"vesica", "inputs"});
  return columns;
}

TableCounts write_table(const Study& study, const std::string& version, const std::string& folder,
                        const std::string& aside) {
  JournalReader reader((fs::path(folder) / "journals").string());
  const LastLines lines(reader, study.runs());
  TableCounts counts;
  counts.torn = reader.torn_lines();
  TableFile table(folder, "table.csv", aside), timing(folder, "timing.csv", aside);
  TableFile warnings(folder, "warnings.csv", aside);
  WarningCounts warned;
  std::vector<std::unique_ptr<TableFile>> curves;
  for (const Reading& r : study.curves) {
    curves.push_back(
        std::make_unique<TableFile>(folder, fmt::format("curve_{}.csv", r.name), aside));
    std::vector<std::string> header = {"run"};
    for (const double t : r.times) header.push_back(fmt::format("{:.9g} s", t));
    append_cells(header, &curves.back()->text());
  }
  const std::string hash = calc_study_hash(study, version);
  append_cells(make_table_columns(study), &table.text());
  timing.text() += "run,processor_seconds\n";
  for (std::uint64_t run = 0; run < lines.runs(); ++run) {
    const JournalReader::Where* where = lines.find(run);
    if (where == nullptr) continue;
    const RunRow row = reader.read_again(*where).row;
    std::vector<std::string> cells = {fmt::format("{}", run), std::string(name_of(row.status)),
                                      row.reason};
    for (std::string& cell : make_run_point(study, run).cells) cells.push_back(std::move(cell));
    cells.insert(cells.end(), row.cells.begin(), row.cells.end());
    cells.insert(cells.end(), {version, hash});
    append_cells(cells, &table.text());
    timing.text() += fmt::format("{},{:.6g}\n", run, row.seconds);
    warned.add(row);
    for (size_t k = 0; k < curves.size() && k < row.curves.size(); ++k) {
      if (row.status != Status::kDone) continue;
      std::string& text = curves[k]->text();
      text += fmt::format("{}", run);
      for (const double y : row.curves[k]) text += "," + format_cell(y);
      text += '\n';
    }
    ++counts.rows;
    ++counts.of_status[static_cast<size_t>(row.status)];
  }
  warned.write(&warnings.text());
  table.finish();
  timing.finish();
  warnings.finish();
  for (auto& curve : curves) curve->finish();
  if (study.writes_hdf5) {
    const std::string path = (fs::path(folder) / "table.h5").string();
    const std::string part = fmt::format("{}.{}", path, aside);
    save_table_hdf5((fs::path(folder) / "table.csv").string(), part);
    fs::rename(part, path);
  }
  return counts;
}

ResultTable load_results(const Study& study, const std::string& folder) {
  const size_t width = make_table_columns(study).size(), outputs = study.outputs.size();
  TableRows rows((fs::path(folder) / "table.csv").string());
  ResultTable table;
  table.outputs.resize(outputs);
  std::vector<std::string> row;
  rows.next(&row);  // names
  while (rows.next(&row)) {
    if (row.size() != width)
      throw InputError(folder + "/table.csv: a row is not as wide as the first");
    const auto status = find_status(row[1]).value_or(Status::kFailed);
    table.runs.push_back(std::stoull(row[0]));
    table.status.push_back(static_cast<int>(status));
    if (status != Status::kDone) table.reasons[table.runs.back()] = row[2];
    for (size_t k = 0; k < outputs; ++k) {
      table.outputs[k].push_back(read_number_cell(row[width - 2 - outputs + k]));
    }
  }
  TableRows warnings((fs::path(folder) / "warnings.csv").string());
  warnings.next(&row);  // names
  while (warnings.next(&row)) {
    if (row.size() != 3) throw InputError(folder + "/warnings.csv: a row has not three cells");
    table.warnings.push_back({row[2], std::stoull(row[0]), std::stoull(row[1])});
  }
  return table;
}

std::vector<std::vector<double>> load_curve(const Study& study, const std::string& folder,
                                            size_t curve, size_t first_time, size_t times) {
  TableRows rows(
      (fs::path(folder) / fmt::format("curve_{}.csv", study.curves[curve].name)).string());
  std::vector<std::vector<double>> values(times);
  std::vector<std::string> row;
  rows.next(&row);  // times
  while (rows.next(&row)) {
    for (size_t k = 0; k < times && first_time + k + 1 < row.size(); ++k) {
      values[k].push_back(read_number_cell(row[first_time + k + 1]));
    }
  }
  return values;
}

}  // namespace vesica::studies
