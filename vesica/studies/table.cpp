#include "vesica/studies/table.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <limits>

#include "vesica/io/csv.h"
#include "vesica/io/file_error.h"
#include "vesica/io/file_writer.h"
#include "vesica/studies/journal.h"
#include "vesica/studies/manifest.h"
#include "vesica/studies/table_hdf5.h"

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

double number_in(const std::string& cell) {
  double x = 0;
  const auto [end, code] = std::from_chars(cell.data(), cell.data() + cell.size(), x);
  return code == std::errc() && end == cell.data() + cell.size() && !cell.empty()
             ? x
             : std::numeric_limits<double>::quiet_NaN();
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

struct Found {
  JournalReader::Where where;
  int attempt = -1;
};

}  // namespace

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
  std::vector<Found> found(study.runs());
  reader.read_new([&](const JournalEntry& entry, const JournalReader::Where& where) {
    if (entry.row.run >= found.size()) return;
    Found& at = found[entry.row.run];
    if (entry.attempt > at.attempt) at = {where, entry.attempt};
  });

  TableCounts counts;
  counts.torn = reader.torn_lines();
  TableFile table(folder, "table.csv", aside), timing(folder, "timing.csv", aside);
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
  for (std::uint64_t run = 0; run < found.size(); ++run) {
    if (found[run].attempt < 0) continue;
    const RunRow row = reader.read_again(found[run].where).row;
    std::vector<std::string> cells = {fmt::format("{}", run), std::string(name_of(row.status)),
                                      row.reason};
    for (std::string& cell : make_run_point(study, run).cells) cells.push_back(std::move(cell));
    cells.insert(cells.end(), row.cells.begin(), row.cells.end());
    cells.insert(cells.end(), {version, hash});
    append_cells(cells, &table.text());
    timing.text() += fmt::format("{},{:.6g}\n", run, row.seconds);
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
  table.finish();
  timing.finish();
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
  const CsvText csv = load_csv_text((fs::path(folder) / "table.csv").string());
  const size_t width = make_table_columns(study).size(), outputs = study.outputs.size();
  ResultTable table;
  table.outputs.resize(outputs);
  for (const auto& row : csv.rows) {
    if (row.size() != width)
      throw InputError(folder + "/table.csv: a row is not as wide as the first");
    const auto status = find_status(row[1]);
    table.runs.push_back(std::stoull(row[0]));
    table.status.push_back(status ? static_cast<int>(*status) : 1);
    table.reasons.push_back(row[2]);
    for (size_t k = 0; k < outputs; ++k) {
      table.outputs[k].push_back(number_in(row[width - 2 - outputs + k]));
    }
  }
  return table;
}

std::vector<std::vector<double>> load_curve(const Study& study, const std::string& folder,
                                            size_t curve) {
  const CsvText csv = load_csv_text(
      (fs::path(folder) / fmt::format("curve_{}.csv", study.curves[curve].name)).string());
  std::vector<std::vector<double>> rows;
  for (const auto& row : csv.rows) {
    auto& values = rows.emplace_back();
    for (size_t k = 1; k < row.size(); ++k) values.push_back(number_in(row[k]));
  }
  return rows;
}

}  // namespace vesica::studies
