// Population and calibration files. docs/formats/forces.md.
#pragma once

#include <string>

#include "vesica/forces/predict.h"

namespace vesica {
class InputFile;
}

namespace vesica::forces {

std::string make_population_yaml(const Population& population);
Population read_population(const InputFile& file);
Population load_population(const std::string& path);
bool is_population(const InputFile& file);

std::string make_calibration_yaml(const Calibration& calibration);
Calibration read_calibration(const InputFile& file);
Calibration load_calibration(const std::string& path);
bool is_calibration(const InputFile& file);

}  // namespace vesica::forces
