// Gait cycles: strides from strike to strike, their times, lengths and signals from 0 to 100 %,
// over several trials of one person.
//
// A stride of a foot goes from its strike to its next one. Inside it lie, in this order, the other
// foot's off and strike and this foot's off; a stride in which they do not is left out. Its step is
// the last part: from the other foot's strike to this foot's next one.
//   stance, swing            this foot, % of the stride
//   single support           the other foot's swing, % of the stride
//   double support           both feet on the floor, both times together, % of the stride
//   cadence                  120 / stride time, steps a minute
//   stride length, step length, step width
//       between footprints, along and across the walk; on a treadmill over the belt. A footprint is
//       the mean of the heel marker, in a frame that moves with the belt, from 15 to 40 % of
//       stance: the foot is flat there.
//   speed                    stride length / stride time
//
// What it cannot know: a belt that changes its speed during a recording (one speed is used), and
// where the heel itself is (its marker stands for it).
#pragma once

#include <array>
#include <string>
#include <vector>

#include "vesica/io/motion_data.h"
#include "vesica/motion/stride_statistics.h"
#include "vesica/motion/trial_analysis.h"

namespace vesica {

struct GaitTrial {
  std::string name;
  MotionTrial motion;
  TrialAnalysis analysis;
  std::vector<TimeTable> tables;  // further signals, on the clock of the markers
};

enum class EventSource {
  kAuto,     // markers, moved to the plates' times where a plate saw the same event within 60 ms;
             // the file's where markers tell none
  kMarkers,  // markers alone
  kPlates,   // stances on plates alone
  kFile,     // those that the file lists
};

// Events of a trial by time; doubtful ones are kept and marked. `notes` gets sentences.
std::vector<GaitEvent> choose_events(const GaitTrial& trial, EventSource source,
                                     std::vector<std::string>* notes);

struct Stride {
  int trial = 0;
  Foot foot = Foot::kUnknown;
  double start = 0.0, other_off = 0.0, other_strike = 0.0, off = 0.0, end = 0.0;  // s
  // m; NaN where a footprint cannot be seen or there is no heading.
  double stride_length = kMissing, step_length = kMissing, step_width = kMissing;

  double stride_time() const { return end - start; }
};

// Whole strides of both feet, by time. What is left out is counted in a note.
std::vector<Stride> find_strides(const std::vector<GaitEvent>& events, int trial,
                                 std::vector<std::string>* notes);

// Fills in the lengths.
void measure_lengths(const GaitTrial& trial, std::vector<Stride>* strides);

// --- parameters

inline constexpr int kParameters = 11;
struct ParameterKind {
  const char* name;
  const char* unit;
};
// stride_time, step_time, cadence, stance, swing, single_support, double_support, stride_length,
// step_length, step_width, speed.
const std::array<ParameterKind, kParameters>& get_parameter_kinds();
std::array<double, kParameters> calc_parameters(const Stride& stride);

struct GaitParameter {
  std::string name, unit;
  MeanInterval left, right, both;
  SymmetryIndex symmetry;
};
std::vector<GaitParameter> summarise_parameters(const std::vector<Stride>& strides);

// --- signals over the cycle

inline constexpr int kCyclePoints = 101;  // 0, 1, ... 100 %
using CycleValues = std::array<double, kCyclePoints>;

// Values of a signal over one stride, by a cubic spline through its samples; NaN in gaps and
// outside of the recording.
CycleValues normalise_in_time(std::span<const double> times, std::span<const double> values,
                              double start, double end);

// Left and right of one quantity.
struct SidedColumns {
  std::string name;           // without the side
  int left = -1, right = -1;  // the same column where the name has no side
};
// hip_flexion_l with hip_flexion_r, L_Knee with R_Knee, LeftAnkle with RightAnkle, LAnkleAngles_x
// with RAnkleAngles_x; a column without a partner belongs to both sides.
std::vector<SidedColumns> find_sided_columns(const std::vector<TimeTable::Column>& columns);

struct CycleCurve {
  std::string name, unit;
  Foot foot = Foot::kUnknown;
  std::vector<int> strides;         // indices into GaitSummary::strides
  std::vector<CycleValues> values;  // one each
  CycleValues mean{}, sd{};         // over strides; sd is NaN for one
};

struct BodyWeight {
  double weight = kMissing;               // N
  std::string source;                     // a sentence; empty where it is not known
  std::vector<double> standing, strides;  // N, each estimate
};

struct GaitOptions {
  EventSource events = EventSource::kAuto;
  double weight = kMissing;  // N, told by the user
};

struct GaitSummary {
  std::vector<std::string> trials;   // names
  std::vector<std::string> no_walk;  // name and reason of trials without strides
  std::vector<Stride> strides;
  std::vector<GaitParameter> parameters;
  std::vector<CycleCurve> curves;  // left and right of a signal follow each other
  BodyWeight weight;
  std::vector<std::string> notes;  // sentences: events replaced, strides left out, ...
  bool on_treadmill = false;       // any of them

  std::vector<std::string> signal_names() const;  // each once, in order
};

// Signals: every column of the tables, heights of heels and balls of the feet above their lowest,
// and the force of plates under strides whose stance lies wholly on plates: vertical, forward and
// medial (towards the other foot), in N, and in % of body weight where that is known.
GaitSummary analyse_gait(const std::vector<GaitTrial>& trials, const GaitOptions& options);

}  // namespace vesica
