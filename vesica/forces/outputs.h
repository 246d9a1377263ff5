// Tables, documents and JSON of predicted forces.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "vesica/forces/compare.h"
#include "vesica/io/motion_data.h"

namespace vesica::forces {

// What a prediction of one recording knows, for files, JSON and page.
struct PredictedTrial {
  Walk walk;
  Body body;
  Prediction prediction;
  double weight = 0, floor_height = 0;  // N; m, of the plates above the floor of the feet
  WalkFigures figures;
  Judgement judgement;
  bool calibrated = false;
  std::string calibration;  // its file, or "population"
  const Population* population = nullptr;
  std::optional<Comparison> comparison;
};

// Sentences: contacts of which an event was guessed or is doubtful.
std::vector<std::string> list_guesses(const Walk& walk);

// r_ground_force_vx .. vz, _px .. pz, r_ground_torque_x .. z, the same with l_, in the recording's
// axes, at the frames that are predicted: what is not known is no zero. Zero while the foot is off,
// the point that of the nearest contact.
TimeTable make_force_table(const PredictedTrial& trial);
// Half-widths of the 95 % bands, with the same names and "_band".
TimeTable make_band_table(const PredictedTrial& trial);
// Sagittal joint moments, N m, from predicted forces; with "_measured" where plates saw the stance.
TimeTable make_moment_table(const PredictedTrial& trial);
// OpenSim's ExternalLoads for the force table.
std::string make_external_loads(const PredictedTrial& trial, const std::string& data_file,
                                const std::string& right_body, const std::string& left_body);
nlohmann::ordered_json make_json(const PredictedTrial& trial);

}  // namespace vesica::forces
