// What a fit leaves behind: joint angles, fitted markers, scales and markers for OpenSim, tables.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "vesica/io/motion_data.h"
#include "vesica/markers/confidence.h"
#include "vesica/markers/frame_marks.h"
#include "vesica/markers/joint_angles.h"
#include "vesica/markers/marker_weights.h"
#include "vesica/markers/recording.h"
#include "vesica/markers/thinning.h"

namespace vesica::markers {

struct TimedEvent {
  std::string trial;
  double time = 0;  // s
  std::string label;
};

// Where up and forwards are in a recording; zero: as the markers tell (find_walking_frame).
struct LabAxes {
  Vec3d up = Vec3d::Zero(), forward = Vec3d::Zero();
  // About where the subject's right is (find_right): tells which way the subject faces where the
  // model itself has no left and right. Zero: not known.
  Vec3d right = Vec3d::Zero();
};
// The mean way from left to right markers of the same name, over all frames; zero without any.
Vec3d find_right(const MarkerTracks& tracks);

// The standing trial that angles are counted from, solved with the constants that were found.
struct NeutralPose {
  std::string name;
  std::vector<SegmentPose> poses;  // frame * segments + segment
  Mat3d R_WB = Mat3d::Identity();
};

struct Run {
  std::vector<Trial> trials;
  Model model;  // must not move once `id` exists
  std::unique_ptr<Identification> id;
  Confidence confidence;
  MarkerErrors errors;
  std::optional<MarkerNoiseEstimate> noise;  // where weights were estimated
  std::optional<Thinning> thinning;          // where only some frames were fitted
  FrameMarks marks;                          // frames whose poses are not to be relied on
  double seconds_read = 0;
  std::vector<TimedEvent> events;  // gait events, for plots
  std::vector<std::string> warnings;
  std::vector<LabAxes> lab;  // of every trial, or none
  std::optional<NeutralPose> neutral;

  // Of the problem as eq. 11 counts it: seven coordinates a segment and frame, and d.
  long variable_count() const {
    return static_cast<long>(model.coordinate_count()) * id->frames.frame_count() +
           model.parameter_count();
  }
};

// Values as people read them: mm, deg, or as they are.
double for_people(Unit unit, double value);
const char* unit_for_people(Unit unit);

// Forward, up and right of the subject in one trial, as columns. Up: the laboratory's axis nearest
// to the mean Y of the first free segment; where its frame is technical, what the markers' heights
// suggest. Forwards: the horizontal way of that segment from the first to the last frame, or
// against it where the subject faces the other way; where it stays within half a metre (treadmill,
// standing), the way that the subject faces: the segment's mean X, or with a technical frame what
// left and right markers, then heels and toes tell. Without any of that the laboratory's first
// horizontal axis.
Mat3d find_walking_frame(const Run& run, size_t trial);
// Solves the standing trial with the run's constants.
NeutralPose find_neutral_pose(const Run& run, const Trial& standing, const LabAxes& lab,
                              int threads);
// Names and meaning of all angles; from the neutral pose if the run has one.
JointAngles make_joint_angles(const Run& run);

// Joint angles of one trial and the position of free segments, deg and m (joint_angles.h).
TimeTable make_joint_table(const Run& run, size_t trial);
// Where the joints' centres are, over one trial.
MarkerTracks make_joint_centers(const Run& run, size_t trial);
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
