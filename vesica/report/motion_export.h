// What a recording holds besides markers and forces, for other programs.
#pragma once

#include <string>

#include "vesica/report/motion_trial.h"

namespace vesica {

// time, foot or context, label, where it is from (file, plates, markers), subject, description; in
// order of time. A header line alone where there is none.
std::string make_events_csv(const TrialView& view);

// Groups and parameters of the C3D that the recording came from, as JSON: values in the shape that
// the file gives them as one list, first index fastest, with their dimensions. InputError where it
// came from no C3D.
std::string make_parameters_json(const MotionTrial& trial);

}  // namespace vesica
