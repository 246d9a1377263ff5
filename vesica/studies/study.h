// A study: one input run many times with some of its entries changed. docs/formats/study.md.
//
//   const Study study = load_study("studies/bounce.yaml", options);
//   const StudyOutcome outcome = run_study(study, runner_options);   // studies/runner.h
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "vesica/io/yaml.h"
#include "vesica/studies/design.h"
#include "vesica/studies/distribution.h"
#include "vesica/studies/readings.h"

namespace vesica::studies {

enum class Command { kSimulate, kIdentify, kMarkers, kFunction };
std::string_view name_of(Command command);

struct Factor {
  std::string name;
  std::vector<std::string> paths;  // what it sets in the input
  std::string unit;                // of its numbers, as in the study
  std::optional<Distribution> distribution;
  std::vector<std::string> values;  // YAML, in place of a distribution
  bool is_number = true;            // all values are
  bool is_seed = false;             // takes the seed of the run
  std::string nominal;              // YAML; empty: what the input has
  std::string nominal_cell;         // in the unit of the column
  std::string place;                // for messages
};

// Recordings that are left out in turn.
struct Fold {
  std::string name;
  std::vector<std::string> train, test;
};

// A file that runs depend on.
struct StudyInput {
  std::string name, path, sha256;
};

// What the page looks at.
struct Goal {
  std::string output;
  bool most = false;  // else the least is best
  int count = 10;
};

struct Study {
  std::string title, description;
  InputFile file;
  Command command = Command::kSimulate;
  std::string input_path, input_text;                           // the scene, study or model
  std::vector<std::pair<std::string, std::string>> settings{};  // of all runs
  std::string options_text{};                                   // of markers: what is not the model
  std::vector<Factor> factors{};
  std::vector<Fold> folds{};
  Design design{};
  std::vector<Reading> outputs{}, curves{};
  double time_limit = 3600;  // of processor time for a run [s]
  bool keeps_folders = false;
  bool writes_hdf5 = false;
  std::optional<Goal> goal{};
  std::vector<StudyInput> inputs{};

  std::uint64_t runs() const { return design.runs(); }
};

struct LoadOptions {
  // From a name in the study to a file, for scenes and models that come along; the name as it is
  // without.
  std::function<std::string(const std::string&)> find_input;
};

// Is this such a study (and not a scene, a fit or a marker study)?
bool is_study(const InputFile& file);

// Reads and checks it: paths, designs, bounds, outputs; one input is made and read with every
// factor at its ends, and probed for the outputs. InputError with file, line and remedy.
Study load_study(const std::string& path, const LoadOptions& options);
Study read_study(const InputFile& file, const LoadOptions& options);

// Throws InputError where a file that runs depend on has other bytes than when the study was read.
// Files whose size and times are as they were are not read again.
void check_inputs(const Study& study);

// What a run has for each factor: the text that goes into the input, and the cell of the table.
struct RunPoint {
  std::uint64_t run = 0, seed = 0;
  std::vector<std::pair<std::string, std::string>> settings;
  std::vector<std::string> cells;  // one for each factor, or the fold's name
};
RunPoint make_run_point(const Study& study, std::uint64_t run);

// Columns of the table between status and outputs: names with units.
std::vector<std::string> make_factor_columns(const Study& study);

// The same as numbers: of a list of words the level, NaN where there is none.
std::vector<double> calc_factor_numbers(const Study& study, std::uint64_t run);

}  // namespace vesica::studies
