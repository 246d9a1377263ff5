// OpenSim models (.osim, and .xml files with a set of markers or contacts) as a neutral model.
// docs/formats/osim.md.
#pragma once

#include <string>
#include <string_view>

#include "vesica/io/motion_data.h"

namespace vesica {

// Reads bodies, joints (weld, pin, universal, ball, free, custom), coordinates, markers and contact
// spheres of OpenSim 3 and 4 documents. What has no place in the neutral model (muscles, wrapping,
// visuals, constraints) is passed over; joints that it cannot express are kept as kOther with a
// warning. Errors name the line.
NeutralModel load_osim(const std::string& path);
NeutralModel read_osim(std::string_view text, const std::string& name);

}  // namespace vesica
