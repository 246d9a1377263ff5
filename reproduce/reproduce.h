// The systems of the sources, run and measured: their figure, ours, and a verdict.
//
// Every system is one of the scenes (scenes/NAME.yaml) with a few settings changed; what is read
// off is the figure that the source reports, or the nearest number it allows. `source` holds
// numbers that stand in the source's text, `expected` what follows from the inputs; every verdict
// is the result of a comparison, with its tolerance. Nothing is tuned: where the text is silent the
// reading is in the scene's description.
#pragma once

#include <atomic>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vesica/report/html_page.h"

namespace vesica {

struct Figure {
  std::string system, quantity;
  nlohmann::ordered_json where;  // the case: belt speed, law, e, mu ...
  std::optional<double> source;
  double ours = 0;
  std::string unit;
  // "reproduced", "reproduced: ...", "as expected: ...", "differs ...", "no number in the source",
  // "reported: ..."
  std::string verdict;
  std::optional<double> expected = {};
  std::optional<double> tolerance = {};  // of the comparison, in the unit
  std::string place = {};                // of the source's number or words in it
};

struct SystemReport {
  std::vector<Figure> figures;
  std::vector<TimePlot> plots;
  double simulated = 0, seconds = 0;  // of all its runs together, recording included
  std::vector<std::string> failures;  // runs that did not reach their end
};

struct ReproduceOptions {
  std::string scenes;          // the folder
  double tolerance_scale = 1;  // of the adaptive solvers' tolerance and the fixed steps
  const std::atomic<bool>* stop = nullptr;  // set by a signal: Interrupted is thrown
};

// The names that reproduce() knows, in the order of the sources.
const std::vector<std::string_view>& reproduced_systems();
// Whether some of its figures are wall times, so that nothing should run beside it.
bool measures_time(std::string_view system);
SystemReport reproduce(std::string_view system, const ReproduceOptions& options);

}  // namespace vesica
