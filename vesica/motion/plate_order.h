// The order in which a file lists a plate's corners, which fixes the plate's axes.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "vesica/io/motion_data.h"
#include "vesica/motion/plates.h"

namespace vesica {

// Forces of a plate with its normal up. Corners listed the other way round (their normal points
// into the floor) would hang the subject from the ceiling and mirror its steps; they are taken in
// that one of the four upright orders that brings the centre of pressure nearest to the feet, and
// that is told. Where nothing tells, x of the plate stays as it is. An upright order that another
// one beats clearly (the feet more than 80 mm off, less than half of that and 50 mm otherwise) is
// told and kept.
PlateForces calc_upright_plate_forces(const ForcePlate& plate, const std::string& name,
                                      const MarkerTracks& markers, const Vec3d& up,
                                      const PlateOptions& options);

}  // namespace vesica
