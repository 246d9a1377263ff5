#include "vesica/studies/table_hdf5.h"

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "vesica/io/file_error.h"
#include "vesica/studies/table_rows.h"

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

// Rows that are in memory at once.
constexpr size_t kBatch = 65536;

struct TableShape {
  std::vector<std::string> columns;
  std::vector<bool> has_word, has_number;
  hsize_t rows = 0;

  // Numbers, empty cells NaN; words where any cell is one, or all are empty.
  bool is_number(size_t column) const {
    return !has_word[column] && (has_number[column] || rows == 0);
  }
};

TableShape look_at_table(const std::string& path) {
  TableRows rows(path);
  TableShape shape;
  rows.next(&shape.columns);
  shape.has_word.resize(shape.columns.size());
  shape.has_number.resize(shape.columns.size());
  std::vector<std::string> row;
  while (rows.next(&row)) {
    row.resize(shape.columns.size());
    for (size_t c = 0; c < row.size(); ++c) {
      bool is_word = false;
      read_number_cell(row[c], &is_word);
      if (is_word) shape.has_word[c] = true;
      if (!is_word && !row[c].empty()) shape.has_number[c] = true;
    }
    ++shape.rows;
  }
  return shape;
}

// Some rows of a column, from `first` on. False: it cannot be written.
bool write_part(hid_t set, bool is_number, hid_t words, hsize_t first,
                const std::vector<std::string>& cells) {
  const hsize_t count[1] = {cells.size()};
  const TableHandle here(H5Screate_simple(1, count, nullptr), H5Sclose),
      there(H5Dget_space(set), H5Sclose);
  if (H5Sselect_hyperslab(there, H5S_SELECT_SET, &first, nullptr, count, nullptr) < 0) return false;
  if (is_number) {
    std::vector<double> numbers;
    for (const std::string& cell : cells) numbers.push_back(read_number_cell(cell));
    return H5Dwrite(set, H5T_NATIVE_DOUBLE, here, there, H5P_DEFAULT, numbers.data()) >= 0;
  }
  std::vector<const char*> texts;
  for (const std::string& cell : cells) texts.push_back(cell.c_str());
  return H5Dwrite(set, words, here, there, H5P_DEFAULT, texts.data()) >= 0;
}

}  // namespace

void save_table_hdf5(const std::string& csv_path, const std::string& path) {
  const TableShape shape = look_at_table(csv_path);
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
  const hsize_t length[1] = {shape.rows}, width[1] = {shape.columns.size()};
  const TableHandle space(H5Screate_simple(1, length, nullptr), H5Sclose);
  std::vector<std::unique_ptr<TableHandle>> sets;
  std::vector<const char*> order;
  for (size_t c = 0; c < shape.columns.size(); ++c) {
    order.push_back(shape.columns[c].c_str());
    std::string name = shape.columns[c];
    std::replace(name.begin(), name.end(), '/', '|');  // a slash would be a group
    const hid_t type = shape.is_number(c) ? H5T_IEEE_F64LE : static_cast<hid_t>(words);
    sets.push_back(std::make_unique<TableHandle>(
        H5Dcreate2(group, name.c_str(), type, space, H5P_DEFAULT, set_options, H5P_DEFAULT),
        H5Dclose));
    check(sets.back()->good());
  }
  TableRows rows(csv_path);
  std::vector<std::string> row;
  rows.next(&row);  // names
  std::vector<std::vector<std::string>> cells(shape.columns.size());
  for (hsize_t first = 0; first < shape.rows; first += cells[0].size()) {
    for (auto& column : cells) column.clear();
    while (cells[0].size() < kBatch && rows.next(&row)) {
      row.resize(cells.size());
      for (size_t c = 0; c < cells.size(); ++c) cells[c].push_back(row[c]);
    }
    check(!cells[0].empty());
    for (size_t c = 0; c < cells.size(); ++c) {
      check(write_part(*sets[c], shape.is_number(c), words, first, cells[c]));
    }
  }
  const TableHandle list(H5Screate_simple(1, width, nullptr), H5Sclose);
  const TableHandle attribute(H5Acreate2(group, "order", words, list, H5P_DEFAULT, H5P_DEFAULT),
                              H5Aclose);
  check(attribute.good() && H5Awrite(attribute, words, order.data()) >= 0 &&
        H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0);
}

}  // namespace vesica::studies
