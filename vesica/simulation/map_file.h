// Pressure maps as HDF5: datasets "time" (frames), "pressure" (frames x ny x nx), "sums" (frames x
// columns, with the attributes "columns" and "units"), "x" and "y" (middles of the cells);
// attributes "contact" and "body". docs/formats/run.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vesica/io/motion_data.h"
#include "vesica/model/run.h"

namespace vesica {

// The name of a map's files, without the ending.
std::string make_map_file_name(const MapOptions& map);

// Frames as they come: memory does not grow. See Hdf5Stream. Throws FileError.
class MapStream {
 public:
  MapStream(const std::string& path, const MapOptions& map);
  ~MapStream();
  MapStream(const MapStream&) = delete;
  MapStream& operator=(const MapStream&) = delete;

  void add_frame(double t, const std::vector<double>& pressure, const std::vector<double>& sums);
  void flush();
  void close();

 private:
  void write_frames();

  std::string path_;
  std::vector<double> times_, cells_, rows_;  // frames that wait
  std::uint64_t nx_ = 0, ny_ = 0, width_ = 0, frames_ = 0;
  std::int64_t file_ = -1, time_ = -1, pressure_ = -1, sums_ = -1;
};

struct MapSeries {
  std::string contact, body;
  std::vector<double> x, y;  // middles of the cells
  TimeTable sums;
  std::vector<double> pressure;  // frame by frame, x fastest

  size_t frames() const { return sums.rows(); }
  size_t cells() const { return x.size() * y.size(); }
};
// Throws FileError, or InputError for another file.
MapSeries load_pressure_map(const std::string& path);

}  // namespace vesica
