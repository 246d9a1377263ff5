// MOT and STO: tables over time as text (OpenSim versions 1 to 3, SIMM motion files).
// docs/formats/mot_sto.md.
#pragma once

#include <functional>
#include <istream>
#include <span>
#include <string>
#include <vector>

#include "vesica/io/motion_data.h"

namespace vesica {

struct TableSink {
  // The table without its rows.
  std::function<void(const TimeTable&)> header;
  // Time in s and one value per column; valid during the call.
  std::function<void(double, std::span<const double>)> row;
};

// Reads through a fixed buffer: header once, then every row; returns warnings. Headers may be
// `key=value` (OpenSim) or `key value` (SIMM: name, datacolumns, datarows, range), mixed, with
// comments (#), in any order up to `endheader`. A table without a time column takes its times from
// the SIMM range. Columns of DataType Vec3, Quaternion and the like become one column per component
// (name_1, name_2, ...). Cells that are empty or say nan become NaN. Refuses, with the line: rows
// of other width, text for numbers, infinities, times that decrease, fewer rows than the header
// says.
std::vector<std::string> stream_sto(std::istream& stream, const std::string& name,
                                    const TableSink& sink);

// Into MotionTrial::analog.
MotionTrial load_sto(const std::string& path);
MotionTrial read_sto(std::istream& stream, const std::string& name);

// OpenSim's own header. Version 1 is what every OpenSim reads and what a .mot has; version 3 names
// the data type, for .sto files of OpenSim 4. Values are printed so that they read back as the same
// double. Refuses column names that are empty, doubled or hold tabs or line ends, times that do not
// increase, and no rows.
enum class StoVersion { kOne = 1, kThree = 3 };
void save_sto(const std::string& path, const TimeTable& table,
              StoVersion version = StoVersion::kOne);
void save_sto(const std::string& path, const TableRows& rows, StoVersion version);

}  // namespace vesica
