#include "vesica/report/law_plots.h"

#include <fmt/format.h>

#include "vesica/contact/probe.h"

namespace vesica {

Contact<double> make_drawn_contact(const std::string& normal, const std::string& friction,
                                   const std::string& more) {
  const std::string text = fmt::format(
      "vesica: 1\n"
      "bodies:\n"
      "  i: {{shape: {{type: sphere, radius: {}}}}}\n"
      "  j: {{shape: {{type: half_space}}}}\n"
      "contact:\n"
      "  normal: {}\n"
      "  friction: {}\n{}",
      kBallRadius, normal, friction, more);
  return read_probe_case(InputFile::parse(text, "law sheet")).contact;
}

Motion<double> place_ball(double depth, double closing_speed) {
  Motion<double> ball;
  ball.X_WB.p_WB = {0, 0, kBallRadius - depth};
  ball.V_WB.v_WB = {0, 0, -closing_speed};
  return ball;
}

std::vector<LinePlot> make_law_plots(const LawSheet& sheet) {
  if (sheet.name == "restitution") return {make_restitution_plot()};
  if (sheet.name == "relaxation") return {make_relaxation_plot()};
  return sheet.kind == LawSheet::Kind::kNormal ? make_normal_plots(sheet)
                                               : make_friction_plots(sheet);
}

}  // namespace vesica
