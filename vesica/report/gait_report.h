// What `vesica gait` writes: a page, JSON, and tables for other programs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "vesica/motion/gait_cycles.h"
#include "vesica/motion/gait_normative.h"

namespace vesica {

// Fixed digits; what rounds to zero has no sign.
std::string format_fixed(double value, int digits);

// docs/howto/gait.md lists the keys.
nlohmann::ordered_json as_json(const GaitSummary& summary,
                               const std::vector<NormativeCurve>& normatives);

// A self-contained page.
std::string make_gait_page(const GaitSummary& summary,
                           const std::vector<NormativeCurve>& normatives);

// CSV: parameters with intervals; every stride; mean curves (which can serve as a normative file);
// every stride's curves.
std::string make_parameter_csv(const GaitSummary& summary);
std::string make_stride_csv(const GaitSummary& summary);
std::string make_curve_csv(const GaitSummary& summary);
std::string make_cycle_csv(const GaitSummary& summary);

}  // namespace vesica
