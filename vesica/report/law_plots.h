// The pictures of `vesica laws`: what a law does, drawn with the example of its sheet.
#pragma once

#include <vector>

#include "vesica/contact/contact.h"
#include "vesica/report/law_sheets.h"
#include "vesica/report/line_plot_svg.h"

namespace vesica {

// Empty for a law that has nothing to draw.
std::vector<LinePlot> make_law_plots(const LawSheet& sheet);
// All laws of the slip velocity with the same coefficients.
std::vector<LinePlot> make_overview_plots();

// The contact that the pictures are drawn with: a ball of kBallRadius on the ground.
inline constexpr double kBallRadius = 0.03;  // [m]
Contact<double> make_drawn_contact(const std::string& normal, const std::string& friction,
                                   const std::string& more = "");
// The ball `depth` into the ground, at `closing_speed` [m/s].
Motion<double> place_ball(double depth, double closing_speed);

std::vector<LinePlot> make_normal_plots(const LawSheet& sheet);
LinePlot make_restitution_plot();
LinePlot make_relaxation_plot();
std::vector<LinePlot> make_friction_plots(const LawSheet& sheet);

}  // namespace vesica
