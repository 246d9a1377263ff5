// Pressure recordings as grids over time: emed .lst, F-Scan .asf, and CSV.
// docs/formats/pressure.md.
#pragma once

#include <istream>
#include <string>

#include "vesica/io/motion_data.h"

namespace vesica {

// Each gives a trial with one film. Errors name the line.

// novel emed and pedar text export: pages with one picture each, of the cells that were loaded.
// The unit (kPa or N/cm^2) is found from the forces that the file prints beside the pressures.
MotionTrial load_emed_lst(const std::string& path);
MotionTrial read_emed_lst(std::istream& stream, const std::string& name);

// Tekscan F-Scan ASCII movie; B marks places without a sensor. Raw counts are refused.
MotionTrial load_fscan_asf(const std::string& path);
MotionTrial read_fscan_asf(std::istream& stream, const std::string& name);

// The plain form that we write.
MotionTrial load_pressure_csv(const std::string& path);
MotionTrial read_pressure_csv(std::istream& stream, const std::string& name);
void save_pressure_csv(const std::string& path, const PressureFilm& film);

// The first word of such a CSV.
inline constexpr const char* kPressureCsvMark = "pressure film";

namespace detail {
// Cells along a side of a sensor matrix that readers accept; the largest mats have a few hundred.
inline constexpr long long kMaxFilmSide = 4096;
}  // namespace detail

}  // namespace vesica
