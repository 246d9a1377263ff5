// Recordings as HDF5, for long runs: one dataset "data" (rows x columns, time first) with the
// attributes "columns" and "units". CSV and OpenSim storage are written by io/csv.h and io/sto.h.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "vesica/io/motion_data.h"

namespace vesica {

// Rows as they come: memory does not grow. What was flushed can be read while more follows, and
// after the program was killed: the file is in HDF5's single-writer-multiple-reader mode until it
// is closed, whose order of writing keeps it whole (readers of an unclosed file ask for that mode:
// h5py.File(path, "r", swmr=True), or `h5clear -s path` first; load_hdf5 does by itself). It writes
// to `path` itself: where nobody is to see an unfinished file, that is a place aside. Throws
// FileError.
class Hdf5Stream {
 public:
  Hdf5Stream(const std::string& path, const std::vector<TimeTable::Column>& columns);
  ~Hdf5Stream();
  Hdf5Stream(const Hdf5Stream&) = delete;
  Hdf5Stream& operator=(const Hdf5Stream&) = delete;

  void add_row(double time, const double* values);
  void flush();
  void close();

 private:
  void write_rows();

  std::string path_;
  size_t width_;  // with the time
  std::int64_t file_ = -1, set_ = -1;
  std::uint64_t written_ = 0;  // rows
  std::vector<double> buffer_;
};

void save_hdf5(const std::string& path, const TimeTable& recording);
TimeTable load_hdf5(const std::string& path);

// Calls row(time, values) for the first `count` rows of a recording as this or CsvStream writes it
// (by the end of its name), in memory that does not grow with the file. InputError where its
// columns are others or its rows fewer.
void for_each_row(const std::string& path, const std::vector<TimeTable::Column>& columns,
                  size_t count, const std::function<void(double, const double*)>& row);

}  // namespace vesica
