// A foot dragged over a force plate: the experiment that Brown (5.3.3, chapter 6) recommends for
// friction, on synthetic data (`vesica identify` with `type: foot_drag`).
//
// A flat foot, pressed down by a load, is drawn back and forth over the plate by a hand that gives
// way (springs in six directions), with pauses in which it sticks. What the foot really does comes
// from forward dynamics with a friction law that is known; markers and plate add noise. Then both
// laws are fitted to it, in the inverse simulation and in forward dynamics: what each identifies,
// whether intervals cover the truth, and what a walk's stance says with the same methods.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "vesica/identification/foot_friction.h"
#include "vesica/io/yaml.h"

namespace vesica {

struct DragExperiment {
  double load = 200;                           // N
  std::vector<double> speeds{0.02, 0.1, 0.3};  // m/s, one stroke forth and back each
  double stroke = 0.08;                        // m
  double pause = 0.25;                         // s between strokes
  double rate = 128;                           // Hz
  double hand_stiffness = 2e4;                 // N/m along the plate
  double marker_noise = 0.0002;                // m, of the foot's place, before the filter
  double cutoff = 15;                          // Hz of the markers' filter
  double force_noise = 2;                      // N, each component
};

// As a stance: motion, normal force, centre of pressure, shear; `weight` is the load. Throws
// InputError where numbers make no sense, RunError where it cannot be integrated.
FootStance make_drag(const FootModel& foot, const DragExperiment& experiment,
                     const FrictionLaw<double>& friction, std::uint64_t seed);

// The laws that made the data: what the candidates of foot_friction.h take.
std::vector<double> true_parameters(const std::string& law);

struct DragFit {
  std::string truth;  // the law that made the data
  FrictionFit fit;
  std::vector<double> true_values;  // of its parameters; empty where another law made the data
  bool on_walk = false;             // of a stance of walking in which the same law acts
};

struct DragStudy {
  std::string title;
  DragExperiment experiment;
  std::vector<DragFit> fits;
  struct Curve {
    std::string truth;
    std::vector<double> times, speed, measured;
    std::vector<std::pair<std::string, std::vector<double>>> fitted;  // by law, inverse
  };
  std::vector<Curve> curves;
  std::vector<std::string> verdicts;
  bool interrupted = false;  // told to stop: what is here was done until then
  double seconds = 0;
};

bool is_drag_study(const InputFile& file);
DragStudy run_drag_study(const InputFile& file,
                         const std::function<void(double, const std::string&)>& progress,
                         const std::function<bool()>& stop);
nlohmann::ordered_json make_drag_json(const DragStudy& study);

}  // namespace vesica
