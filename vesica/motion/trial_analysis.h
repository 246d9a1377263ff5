// Everything that a look at one trial tells: completeness, faults, forces, steps, weight.
#pragma once

#include <string>
#include <vector>

#include "vesica/io/motion_data.h"
#include "vesica/motion/clock_offset.h"
#include "vesica/motion/gait_events.h"
#include "vesica/motion/gaps.h"
#include "vesica/motion/marker_check.h"
#include "vesica/motion/plate_scale.h"
#include "vesica/motion/plates.h"

namespace vesica {

struct AnalysisOptions {
  PlateOptions plates;
  PlateContactOptions contacts;
  MarkerCheckOptions markers;
  std::string up;  // "x", "y", "z", "-x", ... or empty: from plates and data
};

struct FilmSummary {
  double peak_force = 0.0;     // N, largest sum over cells times area
  double peak_pressure = 0.0;  // Pa
  double contact_area = 0.0;   // m^2, cells that were ever loaded
  int peak_frame = 0;          // frame of the largest force
};

struct TrialAnalysis {
  Vec3d up = Vec3d::UnitY();
  std::string up_name;              // "+y", ...
  bool up_is_certain = false;       // told by the user, by plates or by the data
  std::vector<GapStatistics> gaps;  // of each marker
  std::vector<MarkerFault> faults;
  GaitMarkers gait;
  std::vector<PlateForces> plates;
  std::vector<PlateContact> contacts;
  std::vector<Stance> stances;
  MarkerEvents walk;  // as the markers tell it
  std::vector<WeightEstimate> weights;
  ClockOffset clock_offset;    // of the forces against the markers
  double walking_speed = 0.0;  // m/s, horizontal mean of the pelvis over its floor (a belt, on a
                               // treadmill); NaN where it cannot be told
  std::vector<FilmSummary> films;
  PlateScale plate_scale;             // whether a plate reads a multiple of the others
  std::vector<std::string> warnings;  // plain sentences, of reading and of analysis
  // Those of them that say that forces and motion do not fit each other.
  std::vector<std::string> force_warnings;
};

TrialAnalysis analyse(const MotionTrial& trial, const AnalysisOptions& options);
// The same in less memory: the channels of a C3D's plates are let go of once their forces are known
// (they stand in `analog` too).
TrialAnalysis analyse_and_release(MotionTrial* trial, const AnalysisOptions& options);

}  // namespace vesica
