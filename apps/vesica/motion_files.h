// The files that `vesica motion --to` writes.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "vesica/report/motion_trial.h"

namespace vesica::app {

// What --to takes.
const std::vector<std::string>& motion_targets();

struct MotionOutput {
  Mat3d R = Mat3d::Identity();                       // into the axes of the files
  const std::vector<PlateForces>* plates = nullptr;  // in those axes
  bool turned_c3d = false;                           // a C3D is to have those axes too
  bool c3d_as_it_was = false;
  bool forces_differ = false;  // filtered or without their baseline, which channels do not show
  std::string foot_bodies;     // "right,left"
};

// Writes `targets`, the trial turned in place for those that want it and turned back (a recording
// may be as large as half of the memory), and lists the files in view->written; `path_of` gives the
// path for an ending, as
// ".trc" or "_analog.csv".
void write_motion_files(const std::vector<std::string>& targets, const MotionOutput& output,
                        TrialView* view,
                        const std::function<std::string(const std::string&)>& path_of);

}  // namespace vesica::app
