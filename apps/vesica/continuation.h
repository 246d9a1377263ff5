// Going on with a run from a state that it left. docs/howto/simulate.md.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "vesica/io/yaml.h"
#include "vesica/report/run_writer.h"
#include "vesica/simulation/simulate.h"

namespace vesica::app {

struct Continuation {
  std::string run;     // as it was named
  std::string folder;  // where its files are (find_run_folder)
  Checkpoint checkpoint;
  InputFile scene;  // its own, with settings
};

// `from`: RUN or RUN@TIME, the last state, or the last at or before a time. `scene`: empty, or one
// that must be the run's own; settings may change how long it runs and what it leaves. Throws
// InputError where they are others, or nothing is left to run.
Continuation find_continuation(const std::string& from, const std::string& scene,
                               const std::vector<std::string>& settings);

// The rows of the run before, so that the recording is whole. Returns the time that it then begins
// at: 0, or later where not all of them can be had (recorded with another interval, or not at all);
// none without a recording.
std::optional<double> copy_rows(const Continuation& from, const RunOptions& run,
                                const System<double>& system, RunWriter* writer);

// The frames of pressure maps from before, of those that the run before had too.
void copy_maps(const Continuation& from, const RunOptions& run, RunWriter* writer);

// --out, or beside the run that it goes on from; never into it: what was recorded stays.
std::string choose_folder(const Continuation& from, const std::string& out);

}  // namespace vesica::app
