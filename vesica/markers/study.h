// Several models of one subject, each fitted to its own recordings, some taking parameters from
// others, all compared on one recording (Andersen's three models: gait; range of motion; gait with
// the foot's axes from range of motion).
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>

#include "vesica/io/yaml.h"
#include "vesica/markers/run.h"

namespace vesica::markers {

struct StudyResult {
  std::string name;
  std::unique_ptr<Run> run;
  std::vector<std::string> fixed;  // parameters that kept a given value
  MarkerErrors evaluated;          // on the study's `evaluate` recording, poses by eq. 4
};
struct Study {
  std::string name;
  std::string evaluate;  // trial
  std::vector<StudyResult> models;
};

// Whether the file is a study and not a model.
bool is_study(const InputFile& file);

// `load` turns a file name of the study into a recording.
Study run_study(const InputFile& file, const std::function<MotionTrial(const std::string&)>& load,
                const RunOptions& options, const MatchOptions& match = {});

// Reads the study and its models, not the recordings, and fits nothing.
void check_study(const InputFile& file);

std::string make_study_table(const Study& study);
nlohmann::ordered_json make_study_json(const Study& study);

}  // namespace vesica::markers
