// Gait events on plots over time.
#pragma once

#include <string>

#include "vesica/report/html_page.h"

namespace vesica {

// A triangle, down for what a foot begins (strike) and up for what it ends (off), in the colour of
// the foot, both as the label says: "left foot strike", "Right Foot Off".
PlotEvent make_gait_mark(double time, const std::string& label, bool filled,
                         const std::string& note = {});

}  // namespace vesica
