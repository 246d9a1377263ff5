// Friction, forward dynamics and export of a foot, for its page; the page of a foot-drag study.
#pragma once

#include <string>

#include "vesica/identification/foot_drag.h"
#include "vesica/identification/foot_dynamics.h"
#include "vesica/report/html_page.h"

namespace vesica {

void add_foot_dynamics(const FootDynamics& dynamics, HtmlPage* page);

std::string make_drag_page(const DragStudy& study, const std::string& subtitle);

}  // namespace vesica
