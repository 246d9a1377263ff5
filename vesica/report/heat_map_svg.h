// A map of values on a grid as a stand-alone SVG picture.
#pragma once

#include <string>
#include <vector>

namespace vesica {

struct HeatMap {
  std::string title, x_label, y_label, value_label;
  double x0 = 0, y0 = 0, dx = 1, dy = 1;  // lower corner and size of a cell
  int nx = 0, ny = 0;
  std::vector<double> values;  // x fastest; zero or less is left blank
  struct Mark {
    double x = 0, y = 0;
    std::string label;
  };
  std::vector<Mark> marks;
  std::vector<std::string> notes;
};

std::string make_heat_map_svg(const HeatMap& map);

}  // namespace vesica
