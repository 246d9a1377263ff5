// Forces that came as a table (MOT) as a force platform of a C3D.
#pragma once

#include <vector>

#include "vesica/io/motion_data.h"
#include "vesica/motion/plates.h"

namespace vesica {

// Replaces the table's columns of forces, points and torques by the six channels of platforms of
// type 1 (Fx Fy Fz Px Py Mz: the force on the plate, its point on the surface, the free moment, in
// plate axes with z into the floor) and adds the plates. A table does not know the plates' edges:
// without corners each gets a level rectangle 5 cm around its centres of pressure, at their mean
// height. Other columns stay. Nothing is done where the trial has plates or the table no forces.
void make_plate_channels(const std::vector<PlateForces>& plates, const Vec3d& up,
                         MotionTrial* trial);

}  // namespace vesica
