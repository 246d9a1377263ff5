// Pressure over a contact patch as a picture and as a table.
#pragma once

#include <string>

#include "vesica/contact/pressure_map.h"

namespace vesica {

// Colour map with scale bar and the centre of pressure.
std::string make_pressure_svg(const PressureMap& map, const ContactForces<double>& forces,
                              const std::string& title);
void save_pressure_svg(const PressureMap& map, const ContactForces<double>& forces,
                       const std::string& title, const std::string& path);

// u [m], v [m], x y z [m], depth [m], pressure [Pa]: one row per cell.
void save_pressure_csv(const PressureMap& map, const std::string& path);

}  // namespace vesica
