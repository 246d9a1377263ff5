#include "vesica/studies/table_hdf5.h"

#include <fmt/format.h>
#include <hdf5.h>

#include <charconv>
#include <limits>
#include <vector>

#include "vesica/io/csv.h"
#include "vesica/io/file_error.h"

namespace vesica::studies {
namespace {

class TableHandle {
 public:
  TableHandle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  ~TableHandle() {
    if (id_ >= 0) close_(id_);
  }
  TableHandle(const TableHandle&) = delete;
  TableHandle& operator=(const TableHandle&) = delete;
  operator hid_t() const { return id_; }
  bool good() const { return id_ >= 0; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

hid_t make_word_type() {
  const hid_t text = H5Tcopy(H5T_C_S1);
  H5Tset_size(text, H5T_VARIABLE);
  H5Tset_cset(text, H5T_CSET_UTF8);
  return text;
}

// Of a column; false: a cell is a word. Empty cells are NaN.
bool as_numbers(const CsvText& csv, size_t column, std::vector<double>* numbers) {
  numbers->clear();
  bool any = csv.rows.empty();
  for (const auto& row : csv.rows) {
    const std::string& cell = row[column];
    double x = std::numeric_limits<double>::quiet_NaN();
    if (!cell.empty()) {
      const auto [end, code] = std::from_chars(cell.data(), cell.data() + cell.size(), x);
      if (code != std::errc() || end != cell.data() + cell.size()) return false;
      any = true;
    }
    numbers->push_back(x);
  }
  return any;
}

}  // namespace

void save_table_hdf5(const std::string& csv_path, const std::string& path) {
  const CsvText csv = load_csv_text(csv_path);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  const auto check = [&](bool good) {
    if (!good) throw FileError(fmt::format("{}: cannot be written; is the disk full?", path));
  };
  const TableHandle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT),
                         H5Fclose);
  check(file.good());
  const TableHandle group_options(H5Pcreate(H5P_GROUP_CREATE), H5Pclose),
      set_options(H5Pcreate(H5P_DATASET_CREATE), H5Pclose), words(make_word_type(), H5Tclose);
  H5Pset_obj_track_times(group_options, false);
  H5Pset_obj_track_times(set_options, false);
  const TableHandle group(H5Gcreate2(file, "table", H5P_DEFAULT, group_options, H5P_DEFAULT),
                          H5Gclose);
  check(group.good());
  const hsize_t rows[1] = {csv.rows.size()}, columns[1] = {csv.columns.size()};
  const TableHandle space(H5Screate_simple(1, rows, nullptr), H5Sclose);
  std::vector<double> numbers;
  std::vector<const char*> order;
  for (size_t c = 0; c < csv.columns.size(); ++c) {
    order.push_back(csv.columns[c].c_str());
    // A slash would be a group.
    std::string name = csv.columns[c];
    for (char& letter : name) {
      if (letter == '/') letter = '|';
    }
    const bool is_number = as_numbers(csv, c, &numbers);
    const hid_t type = is_number ? H5T_IEEE_F64LE : static_cast<hid_t>(words);
    const TableHandle set(
        H5Dcreate2(group, name.c_str(), type, space, H5P_DEFAULT, set_options, H5P_DEFAULT),
        H5Dclose);
    check(set.good());
    if (csv.rows.empty()) continue;
    if (is_number) {
      check(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()) >= 0);
      continue;
    }
    std::vector<const char*> cells;
    for (const auto& row : csv.rows) cells.push_back(row[c].c_str());
    check(H5Dwrite(set, words, H5S_ALL, H5S_ALL, H5P_DEFAULT, cells.data()) >= 0);
  }
  const TableHandle list(H5Screate_simple(1, columns, nullptr), H5Sclose);
  const TableHandle attribute(H5Acreate2(group, "order", words, list, H5P_DEFAULT, H5P_DEFAULT),
                              H5Aclose);
  check(attribute.good() && H5Awrite(attribute, words, order.data()) >= 0 &&
        H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0);
}

}  // namespace vesica::studies
