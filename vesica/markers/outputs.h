// What a fit leaves behind: joint angles, fitted markers, scales and markers for OpenSim, tables.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>

#include "vesica/io/motion_data.h"
#include "vesica/markers/confidence.h"
#include "vesica/markers/frame_marks.h"
#include "vesica/markers/recording.h"

namespace vesica::markers {

struct TimedEvent {
  std::string trial;
  double time = 0;  // s
  std::string label;
};

struct Run {
  std::vector<Trial> trials;
  Model model;  // must not move once `id` exists
  std::unique_ptr<Identification> id;
  Confidence confidence;
  MarkerErrors errors;
  FrameMarks marks;  // frames whose poses are not to be relied on
  double seconds_read = 0;
  std::vector<TimedEvent> events;  // gait events, for plots
  std::vector<std::string> warnings;

  // Of the problem as eq. 11 counts it: seven coordinates a segment and frame, and d.
  long variable_count() const {
    return static_cast<long>(model.coordinate_count()) * id->frames.frame_count() +
           model.parameter_count();
  }
};

// Values as people read them: mm, deg, or as they are.
double for_people(Unit unit, double value);
const char* unit_for_people(Unit unit);

// Joint coordinates of one trial, deg and m.
TimeTable make_joint_table(const Run& run, size_t trial);
// Where the model's markers are, over one trial.
MarkerTracks make_fitted_tracks(const Run& run, size_t trial);
// Pairs of parameters whose errors go together, |correlation| above `least`, strongest first.
struct CorrelatedPair {
  int a = 0, b = 0;
  double correlation = 0;
};
std::vector<CorrelatedPair> find_correlated_pairs(const Run& run, double least);
// MarkerSet and ScaleSet in OpenSim's XML.
std::string make_opensim_xml(const Run& run);
// The contract of `vesica markers --json`.
nlohmann::ordered_json make_json(const Run& run);
// For people: parameters, errors, what the motion does not determine.
std::string make_table(const Run& run);

}  // namespace vesica::markers
