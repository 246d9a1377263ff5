// `vesica identify` for scenes: numbers of a scene such that figures of its run meet their targets.
//
//   vesica: 1
//   type: scene
//   of: {simulate: knee, set: {solver.tolerance: 1.0e-7}}
//   fit:
//     stiffness: {paths: [contacts.0.normal.stiffness, contacts.1.normal.stiffness],
//                 low: 1.0e8 N/m^3, high: 1.0e10 N/m^3}
//   targets:
//     medial_peak: {read: {column: medial.normal_force, take: max}, value: 300, tolerance: 0.1}
//
// Gauss-Newton with Levenberg's damping on (figure - value)/tolerance, derivatives by central
// differences; a parameter is scaled by its bounds, logarithmically where both are positive and far
// apart (high > 10 low), and never leaves them. It has met the targets where every figure is within
// its tolerance; where it stops without, the nearest is reported, as not converged. It starts from
// 'start' and from up to three other places in the bounds: a figure that rises and falls over a
// parameter meets a target at several places, or has its best where the first start does not lead.
// The first that meets the targets is reported, else the nearest of all; other places that meet
// them too are in `others`, and a warning names them.
#pragma once

#include <atomic>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "vesica/studies/readings.h"

namespace vesica::studies {

bool is_scene_fit(const InputFile& file);

struct FitParameter {
  std::string name, unit;
  std::vector<std::string> paths;
  double low = 0, high = 0, start = 0;
  bool is_log = false;
  double value = 0;
};
struct FitTarget {
  Reading reading;
  double value = 0, tolerance = 0;
  double reached = 0;
};

struct SceneFit {
  std::string title;
  std::vector<FitParameter> parameters;
  std::vector<FitTarget> targets;
  int iterations = 0, runs = 0;
  bool converged = false;
  std::string message;  // why not, and what to do; or that the targets are met elsewhere too
  // Values of the parameters at other places that meet the targets, by more than a hundredth of a
  // parameter's range.
  std::vector<std::vector<double>> others;
};

// Throws InputError with file and line where the fit is not described well, or the scene cannot be
// run at the start; Interrupted where it is told to stop. `find_input`: from the name of a scene to
// its file.
SceneFit fit_scene(const InputFile& file,
                   const std::function<std::string(const std::string&)>& find_input,
                   const std::atomic<bool>* stop = nullptr);

// The same errors as far as they show before the scene is run.
void check_scene_fit(const InputFile& file,
                     const std::function<std::string(const std::string&)>& find_input);

nlohmann::ordered_json make_scene_fit_json(const SceneFit& fit);

}  // namespace vesica::studies
