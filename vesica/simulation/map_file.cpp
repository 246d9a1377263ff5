#include "vesica/simulation/map_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "vesica/error.h"
#include "vesica/simulation/hdf5_parts.h"
#include "vesica/simulation/map_recorder.h"

namespace vesica {

using namespace detail;

namespace {

constexpr size_t kMapChunk = 8192;         // 64 KiB
constexpr size_t kMapBuffer = 1024 * 128;  // numbers: 1 MiB

// Grows along its first axis.
hid_t make_set(hid_t file, const char* name, const std::vector<hsize_t>& frame, hsize_t frames) {
  std::vector<hsize_t> dims = {0}, most = {H5S_UNLIMITED}, chunk = {frames};
  for (const hsize_t n : frame) {
    for (auto* list : {&dims, &most, &chunk}) list->push_back(n);
  }
  const int rank = static_cast<int>(dims.size());
  const H5Handle space(H5Screate_simple(rank, dims.data(), most.data()), H5Sclose);
  const H5Handle layout(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_chunk(layout, rank, chunk.data());
  return H5Dcreate2(file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, layout, H5P_DEFAULT);
}

bool write_list(hid_t file, const char* name, const std::vector<double>& values) {
  const hsize_t count[1] = {values.size()};
  const H5Handle space(H5Screate_simple(1, count, nullptr), H5Sclose);
  const H5Handle set(
      H5Dcreate2(file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
      H5Dclose);
  return set >= 0 &&
         H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >= 0 &&
         write_words(set, "units", {"m"});
}

// Frames behind the first `frame` ones. Not compressed: that would cost more than the maps.
bool append(hid_t set, hsize_t frame, hsize_t count, const std::vector<hsize_t>& shape,
            const double* values) {
  std::vector<hsize_t> all = {frame + count}, start = {frame}, size = {count};
  for (const hsize_t n : shape) {
    all.push_back(n);
    start.push_back(0);
    size.push_back(n);
  }
  if (H5Dset_extent(set, all.data()) < 0) return false;
  const H5Handle memory(H5Screate_simple(static_cast<int>(size.size()), size.data(), nullptr),
                        H5Sclose);
  const H5Handle space(H5Dget_space(set), H5Sclose);
  return H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, size.data(), nullptr) >=
             0 &&
         H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values) >= 0;
}

std::vector<double> list_middles(double first, double step, int count) {
  std::vector<double> middles;
  for (int k = 0; k < count; ++k) middles.push_back(first + (k + 0.5) * step);
  return middles;
}

// All numbers of a set; `dims`: its shape.
std::vector<double> read_set(hid_t file, const char* name, std::vector<hsize_t>* dims) {
  const H5Handle set(H5Dopen2(file, name, H5P_DEFAULT), H5Dclose);
  const H5Handle space(set >= 0 ? H5Dget_space(set) : -1, H5Sclose);
  if (space < 0) return {};
  dims->resize(static_cast<size_t>(std::max(0, H5Sget_simple_extent_ndims(space))));
  H5Sget_simple_extent_dims(space, dims->data(), nullptr);
  std::vector<double> values(static_cast<size_t>(H5Sget_simple_extent_npoints(space)));
  if (H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0) return {};
  return values;
}

std::string read_word(hid_t file, const char* key) {
  const auto words = read_words(file, key);
  return words.empty() ? std::string() : words[0];
}

}  // namespace

std::string make_map_file_name(const MapOptions& map) {
  std::string name = "pressure_" + map.title();
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

MapStream::MapStream(const std::string& path, const MapOptions& map) : path_(path) {
  const PressureGrid grid = make_pressure_grid(map);
  const TimeTable table = make_map_table(map);
  nx_ = static_cast<std::uint64_t>(grid.nx);
  ny_ = static_cast<std::uint64_t>(grid.ny);
  width_ = table.columns.size();
  file_ = create_hdf5(path);
  time_ = make_set(file_, "time", {}, 1024);
  pressure_ =
      make_set(file_, "pressure", {ny_, nx_}, std::max<hsize_t>(1, kMapChunk / (nx_ * ny_)));
  sums_ = make_set(file_, "sums", {width_}, 64);
  std::vector<const char*> names, units;
  for (const auto& column : table.columns) {
    names.push_back(column.name.c_str());
    units.push_back(column.unit.c_str());
  }
  if (time_ < 0 || pressure_ < 0 || sums_ < 0 || !write_words(time_, "units", {"s"}) ||
      !write_words(pressure_, "units", {"Pa"}) || !write_words(sums_, "columns", names) ||
      !write_words(sums_, "units", units) ||
      !write_list(file_, "x", list_middles(grid.x_min, grid.dx, grid.nx)) ||
      !write_list(file_, "y", list_middles(grid.y_min, grid.dy, grid.ny)) ||
      !write_words(file_, "contact", {map.contact.c_str()}) ||
      !write_words(file_, "body", {map.body.c_str()})) {
    fail_to_write(path_);
  }
  H5Fstart_swmr_write(file_);  // where the file system cannot, it stays an ordinary file
  flush();
}

MapStream::~MapStream() {
  for (const std::int64_t set : {time_, pressure_, sums_}) {
    if (set >= 0) H5Dclose(set);
  }
  if (file_ >= 0) H5Fclose(file_);
}

void MapStream::add_frame(double t, const std::vector<double>& pressure,
                          const std::vector<double>& sums) {
  times_.push_back(t);
  cells_.insert(cells_.end(), pressure.begin(), pressure.end());
  rows_.insert(rows_.end(), sums.begin(), sums.end());
  if (cells_.size() >= kMapBuffer) write_frames();
}

void MapStream::write_frames() {
  const hsize_t count = times_.size();
  if (count == 0) return;
  if (!append(pressure_, frames_, count, {ny_, nx_}, cells_.data()) ||
      !append(sums_, frames_, count, {width_}, rows_.data()) ||
      !append(time_, frames_, count, {}, times_.data())) {
    fail_to_write(path_);
  }
  frames_ += count;
  for (auto* list : {&times_, &cells_, &rows_}) list->clear();
}

void MapStream::flush() {
  write_frames();
  // The times last: a reader counts them.
  for (const std::int64_t set : {pressure_, sums_, time_}) {
    if (H5Dflush(set) < 0) fail_to_write(path_);
  }
}

void MapStream::close() {
  flush();
  bool closed = true;
  for (std::int64_t* set : {&time_, &pressure_, &sums_}) {
    closed = H5Dclose(std::exchange(*set, -1)) >= 0 && closed;
  }
  if (H5Fclose(std::exchange(file_, -1)) < 0 || !closed) fail_to_write(path_);
}

MapSeries load_pressure_map(const std::string& path) {
  const H5Handle file(open_hdf5(path), H5Fclose);
  if (file < 0) throw FileError(path + ": cannot be opened as an HDF5 file");
  MapSeries series;
  std::vector<hsize_t> frames, cells, table, nx, ny;
  series.sums.times = read_set(file, "time", &frames);
  series.pressure = read_set(file, "pressure", &cells);
  series.sums.values = read_set(file, "sums", &table);
  series.x = read_set(file, "x", &nx);
  series.y = read_set(file, "y", &ny);
  series.contact = read_word(file, "contact");
  series.body = read_word(file, "body");
  const H5Handle set(H5Dopen2(file, "sums", H5P_DEFAULT), H5Dclose);
  const auto names = set >= 0 ? read_words(set, "columns") : std::vector<std::string>();
  const auto units = set >= 0 ? read_words(set, "units") : std::vector<std::string>();
  const bool fits = frames.size() == 1 && cells.size() == 3 && table.size() == 2 &&
                    cells[0] >= frames[0] && table[0] >= frames[0] && !series.x.empty() &&
                    cells[1] == series.y.size() && cells[2] == series.x.size() &&
                    names.size() == table[1] && units.size() == names.size();
  if (!fits) {
    throw InputError(path +
                     ": expected time, pressure, sums, x and y, as vesica simulate writes "
                     "pressure maps");
  }
  // Of a run that was killed the others may be further on than the times.
  series.pressure.resize(frames[0] * series.cells());
  series.sums.values.resize(frames[0] * names.size());
  series.sums.name = "vesica";
  for (size_t k = 0; k < names.size(); ++k) series.sums.columns.push_back({names[k], units[k]});
  return series;
}

}  // namespace vesica
