// Functions with known answers, run like any other input: to try a design, a cluster or the answers
// without a model. docs/formats/study.md lists them.
#pragma once

#include <atomic>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "vesica/io/yaml.h"

namespace vesica::studies {

const std::vector<std::string_view>& function_names();
// Its arguments with their default values, as YAML.
std::string make_function_input(size_t function);
// The figures it gives. Throws InputError on arguments that it does not take. `work` ends where
// `stop` is set.
nlohmann::ordered_json evaluate_function(size_t function, const InputFile& input,
                                         const std::atomic<bool>* stop);

}  // namespace vesica::studies
