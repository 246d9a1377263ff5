// `vesica identify STUDY` for bench experiments: from a YAML study and its CSV files to parameters.
// docs/howto/identify.md is the user's side of it.
#pragma once

#include <atomic>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vesica/identification/bench_experiments.h"
#include "vesica/io/yaml.h"

namespace vesica {

// The values of `type` that are bench experiments.
const std::vector<std::string_view>& bench_types();

// Is this a study (and not, say, a scene)?
bool is_bench_study(const InputFile& file);

// How the fit does on rows that it has not seen (`evaluate`).
struct BenchEvaluation {
  size_t rows = 0;
  double rms = 0, rms_share = 0;  // of the residuals; over the largest measured value
};

struct BenchStudy {
  std::string type, title;
  std::vector<std::string> files;
  BenchFit fit;
  std::optional<BenchEvaluation> evaluated;
};

// Reads the study and its data and fits. Wrong input is an InputError with file and line: too few
// rows, gaps, units of another kind, signs that the quantity cannot have. `stop`: RunError soon
// after it is set.
BenchStudy run_bench_study(const InputFile& file, const std::atomic<bool>* stop = nullptr);

nlohmann::ordered_json make_bench_json(const BenchStudy& study);

}  // namespace vesica
