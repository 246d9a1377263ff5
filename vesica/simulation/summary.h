// summary.json: what a run found, in figures.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "vesica/simulation/simulate.h"

namespace vesica {

nlohmann::ordered_json make_summary(const System<double>& system, const RunOptions& options,
                                    const RunResult& result);

}  // namespace vesica
