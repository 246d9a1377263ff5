// Segments whose frames, markers and joint centres come from a standing trial with extra markers on
// bony points (Cappozzo et al. 1995): the laboratory's calibration, as part of the model.
#pragma once

#include "vesica/io/motion_data.h"
#include "vesica/markers/model.h"

namespace vesica::markers {

// Whether the model asks for a standing trial.
bool needs_standing(const Model& model);

// Sets frames, positions of markers and joint centres of all segments with `frame: standing` from
// the mean marker positions of the trial. Throws InputError where a marker that defines a frame or
// a centre is missing, or directions are parallel.
void calibrate(const MotionTrial& standing, Model& model);

}  // namespace vesica::markers
