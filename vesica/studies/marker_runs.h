// A fit of markers as a run of a study: a model, recordings or a synthetic one with known truth,
// and recordings that are only evaluated.
#pragma once

#include <atomic>
#include <nlohmann/json.hpp>
#include <string>

#include "vesica/io/yaml.h"

namespace vesica::studies {

struct MarkerFit {
  // As `vesica markers --json`, without clocks; with `objective`, `evaluated_error_mm` where there
  // is something to evaluate, `truth` and `coverage` where the recording is synthetic.
  nlohmann::ordered_json summary;
  bool converged = false;
  std::string message;
};

// `options`: trials, evaluate, synthetic, lowpass, residuals, max_iterations. `is_probe`: a few
// frames and one iteration, for the shape of the summary. One thread.
MarkerFit fit_markers(const InputFile& model, const InputFile& options, bool is_probe,
                      const std::atomic<bool>* stop);

void check_marker_input(const InputFile& model, const InputFile& options);

}  // namespace vesica::studies
