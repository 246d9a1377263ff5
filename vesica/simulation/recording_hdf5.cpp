#include "vesica/simulation/recording_hdf5.h"

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <utility>

#include "vesica/io/csv.h"
#include "vesica/io/file_error.h"
#include "vesica/io/output_file.h"
#include "vesica/io/text_input.h"
#include "vesica/simulation/hdf5_parts.h"

namespace vesica {

using namespace detail;

namespace {

constexpr size_t kChunkNumbers = 8192;  // 64 KiB

// A file that is open for reading, whether it was closed well or not.
class Hdf5Recording {
 public:
  explicit Hdf5Recording(const std::string& path) : path_(path), file_(open_hdf5(path), H5Fclose) {
    if (file_ < 0) throw FileError(path + ": cannot be opened as an HDF5 file");
    set_ = H5Dopen2(file_, "data", H5P_DEFAULT);
    const H5Handle space(set_ >= 0 ? H5Dget_space(set_) : -1, H5Sclose);
    hsize_t dims[2] = {0, 0};
    const auto names = set_ >= 0 ? read_words(set_, "columns") : std::vector<std::string>();
    const auto units = set_ >= 0 ? read_words(set_, "units") : std::vector<std::string>();
    if (space < 0 || H5Sget_simple_extent_ndims(space) != 2 ||
        H5Sget_simple_extent_dims(space, dims, nullptr) != 2 || names.size() != dims[1] ||
        units.size() != dims[1] || names.empty()) {
      if (set_ >= 0) H5Dclose(set_);
      throw InputError(path +
                       ": expected a dataset 'data' with columns and units, as vesica "
                       "simulate writes it");
    }
    rows = dims[0];
    for (size_t k = 1; k < names.size(); ++k) columns.push_back({names[k], units[k]});
  }
  ~Hdf5Recording() { H5Dclose(set_); }
  Hdf5Recording(const Hdf5Recording&) = delete;
  Hdf5Recording& operator=(const Hdf5Recording&) = delete;

  // Time first.
  void read(size_t first, size_t count, double* into) const {
    const hsize_t start[2] = {first, 0}, size[2] = {count, columns.size() + 1};
    const H5Handle memory(H5Screate_simple(2, size, nullptr), H5Sclose);
    const H5Handle space(H5Dget_space(set_), H5Sclose);
    if (H5Sselect_hyperslab(space, H5S_SELECT_SET, start, nullptr, size, nullptr) < 0 ||
        H5Dread(set_, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, into) < 0) {
      throw FileError(
          fmt::format("{}: rows {} to {} cannot be read", path_, first, first + count - 1));
    }
  }

  size_t rows = 0;
  std::vector<TimeTable::Column> columns;

 private:
  std::string path_;
  H5Handle file_;
  hid_t set_ = -1;
};

void expect_columns(const std::string& path, const std::vector<TimeTable::Column>& found,
                    const std::vector<TimeTable::Column>& expected) {
  const bool same = std::equal(found.begin(), found.end(), expected.begin(), expected.end(),
                               [](const auto& a, const auto& b) { return a.name == b.name; });
  if (!same) throw InputError(path + ": its columns are not those of the scene");
}

[[noreturn]] void fail_short(const std::string& path, size_t rows, size_t count) {
  throw InputError(fmt::format("{}: has {} rows; {} were expected", path, rows, count));
}

void for_each_csv_row(const std::string& path, const std::vector<TimeTable::Column>& columns,
                      size_t count, const std::function<void(double, const double*)>& row) {
  std::ifstream stream = open_input(path);
  LineReader reader(stream, path);
  std::string_view line;
  std::vector<std::string_view> fields;
  std::vector<TimeTable::Column> found;
  if (reader.next(&line)) {
    split_at(line, ',', &fields);
    for (size_t k = 1; k < fields.size(); ++k) found.push_back(parse_csv_column(fields[k]));
  }
  expect_columns(path, found, columns);
  std::vector<double> values(columns.size() + 1);
  for (size_t r = 0; r < count; ++r) {
    if (!reader.next(&line)) fail_short(path, r, count);
    split_at(line, ',', &fields);
    if (fields.size() != values.size()) fail_short(path, r, count);
    for (size_t k = 0; k < values.size(); ++k) {
      const auto value = parse_number(fields[k]);
      if (!value && !is_nan_text(fields[k]))
        reader.fail("expected a number, found " + quote(fields[k]));
      values[k] = value.value_or(kMissing);
    }
    row(values[0], values.data() + 1);
  }
}

}  // namespace

Hdf5Stream::Hdf5Stream(const std::string& path, const std::vector<TimeTable::Column>& columns)
    : path_(path), width_(columns.size() + 1) {
  file_ = create_hdf5(path);
  const hsize_t dims[2] = {0, width_}, most[2] = {H5S_UNLIMITED, width_};
  const hsize_t chunk[2] = {std::max<hsize_t>(1, kChunkNumbers / width_), width_};
  const H5Handle space(H5Screate_simple(2, dims, most), H5Sclose);
  const H5Handle layout(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_chunk(layout, 2, chunk);
  set_ = H5Dcreate2(file_, "data", H5T_IEEE_F64LE, space, H5P_DEFAULT, layout, H5P_DEFAULT);
  std::vector<const char*> names = {"time"}, units = {"s"};
  for (const auto& column : columns) {
    names.push_back(column.name.c_str());
    units.push_back(column.unit.c_str());
  }
  if (set_ < 0 || !write_words(set_, "columns", names) || !write_words(set_, "units", units)) {
    fail_to_write(path_);
  }
  H5Fstart_swmr_write(file_);  // where the file system cannot, it stays an ordinary file
  flush();
}

Hdf5Stream::~Hdf5Stream() {
  if (set_ >= 0) H5Dclose(set_);
  if (file_ >= 0) H5Fclose(file_);
}

void Hdf5Stream::add_row(double time, const double* values) {
  buffer_.push_back(time);
  buffer_.insert(buffer_.end(), values, values + width_ - 1);
  if (buffer_.size() >= 16 * kChunkNumbers) write_rows();
}

void Hdf5Stream::write_rows() {
  const hsize_t rows = buffer_.size() / width_;
  if (rows == 0) return;
  const hsize_t start[2] = {written_, 0}, size[2] = {rows, width_};
  const hsize_t all[2] = {written_ + rows, width_};
  if (H5Dset_extent(set_, all) < 0) fail_to_write(path_);
  const H5Handle memory(H5Screate_simple(2, size, nullptr), H5Sclose);
  const H5Handle space(H5Dget_space(set_), H5Sclose);
  if (H5Sselect_hyperslab(space, H5S_SELECT_SET, start, nullptr, size, nullptr) < 0 ||
      H5Dwrite(set_, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, buffer_.data()) < 0) {
    fail_to_write(path_);
  }
  written_ += rows;
  buffer_.clear();
}

void Hdf5Stream::flush() {
  write_rows();
  if (H5Dflush(set_) < 0) fail_to_write(path_);
}

void Hdf5Stream::close() {
  flush();
  const bool set_closed = H5Dclose(std::exchange(set_, -1)) >= 0;
  if (H5Fclose(std::exchange(file_, -1)) < 0 || !set_closed) fail_to_write(path_);
}

void save_hdf5(const std::string& path, const TimeTable& recording) {
  AsideFile target(path);
  Hdf5Stream stream(target.aside(), recording.columns);
  for (size_t r = 0; r < recording.rows(); ++r) {
    stream.add_row(recording.times[r], recording.values.data() + r * recording.columns.size());
  }
  stream.close();
  target.commit();
}

TimeTable load_hdf5(const std::string& path) {
  const Hdf5Recording file(path);
  TimeTable table;
  table.name = "vesica";
  table.columns = file.columns;
  for_each_row(path, file.columns, file.rows, [&](double t, const double* values) {
    table.times.push_back(t);
    table.values.insert(table.values.end(), values, values + file.columns.size());
  });
  return table;
}

void for_each_row(const std::string& path, const std::vector<TimeTable::Column>& columns,
                  size_t count, const std::function<void(double, const double*)>& row) {
  if (!path.ends_with(".h5")) return for_each_csv_row(path, columns, count, row);
  const Hdf5Recording file(path);
  expect_columns(path, file.columns, columns);
  if (file.rows < count) fail_short(path, file.rows, count);
  const size_t width = columns.size() + 1, block = std::max<size_t>(1, kChunkNumbers / width);
  std::vector<double> rows(block * width);
  for (size_t first = 0; first < count; first += block) {
    const size_t some = std::min(block, count - first);
    file.read(first, some, rows.data());
    for (size_t k = 0; k < some; ++k) row(rows[k * width], rows.data() + k * width + 1);
  }
}

}  // namespace vesica
