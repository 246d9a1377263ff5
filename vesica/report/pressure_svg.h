// Pressure over a contact patch as a picture.
#pragma once

#include <string>

#include "vesica/contact/pressure_map.h"

namespace vesica {

// Colour map with scale bar and the centre of pressure.
std::string make_pressure_svg(const PressureMap& map, const ContactForces<double>& forces,
                              const std::string& title);
void save_pressure_svg(const PressureMap& map, const ContactForces<double>& forces,
                       const std::string& title, const std::string& path);

}  // namespace vesica
