// Curves over a common axis as a stand-alone SVG picture.
//
// Names of curves and marks stand in a legend beside the plot, never on it, so that nothing
// overlaps whatever the numbers are. Panels stand under each other.
#pragma once

#include <string>
#include <vector>

namespace vesica {

struct LinePlot {
  struct Curve {
    std::string name;
    std::vector<double> x, y;  // a point that is not finite (or x <= 0 with log_x) is a gap
    bool dashed = false;
  };
  struct Mark {
    std::string name;
    double x = 0, y = 0;
  };
  std::string title{}, note{}, x_label{}, y_label{};
  bool log_x = false;
  std::vector<Curve> curves{};
  std::vector<Mark> marks{};
};

std::string make_line_plot_svg(const std::vector<LinePlot>& panels);

}  // namespace vesica
