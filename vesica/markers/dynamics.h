// Joint moments and powers of a recording: the fitted motion, the subject's mass and force plates.
//
// Moments are internal: what the muscles and ligaments of a joint do to the segment below it,
// positive in the direction in which the joint's angle is. The force under a foot is the plates'
// where one foot alone stands on them and wholly so (foot_assignment). While a foot is on the floor
// without such a plate, its leg's moments are not known and are left out (NaN).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "vesica/markers/body_segments.h"
#include "vesica/markers/outputs.h"
#include "vesica/motion/trial_analysis.h"

namespace vesica::markers {

struct DynamicsOptions {
  double mass = 0;  // kg; 0: from a whole stride on plates
  Sex sex = Sex::kUnstated;
  double motion_cutoff = 6;  // Hz, of the model's coordinates; 0: none
  double force_cutoff = 6;   // Hz, of the plates' forces and moments; 0: none
  JointAngles::Axes axes = JointAngles::Axes::kProximal;
};

struct UnknownStretch {
  Side side = Side::kNone;
  double start = 0, end = 0;  // s
  std::string why;
};

struct Dynamics {
  std::string trial;
  double mass = 0;
  bool mass_is_from_plates = false;
  DynamicsOptions options;
  BodySegments body;
  TimeTable moments;   // N m
  TimeTable powers;    // W, one a joint
  TimeTable residual;  // at the root: force N, moment N m about its centre of mass
  std::vector<UnknownStretch> unknown;
  // What is left of the root's force when the rest of the body rides on the root's centre of mass.
  double residual_rms = 0;  // N, where both legs are known; NaN where that is never
  int known_frames = 0;     // with both legs
  std::vector<std::string> warnings;
};

// `forces` is the analysis of the plates with the markers of the same recording, as vesica motion
// has it. Throws InputError: no mass, no plates, forces that do not cover any of the motion's time,
// no foot's contact that can be used, models that inverse dynamics cannot take.
Dynamics calc_dynamics(const Run& run, size_t trial, const TrialAnalysis& forces,
                       const DynamicsOptions& options);

// The moments over the mass, N m/kg; same columns.
TimeTable make_moments_per_kg(const Dynamics& dynamics);
nlohmann::ordered_json make_dynamics_json(const Dynamics& dynamics);
std::string make_dynamics_table(const Dynamics& dynamics);

}  // namespace vesica::markers
