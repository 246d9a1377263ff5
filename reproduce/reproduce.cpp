#include "reproduce/reproduce.h"

#include <fmt/format.h>

#include "reproduce/run.h"

namespace vesica {
namespace {

using Runner = SystemReport (*)(const ReproduceOptions&);
constexpr std::pair<std::string_view, Runner> kSystems[] = {
    {"restitution", detail::reproduce_restitution},
    {"bowden_leben", detail::reproduce_bowden_leben},
    {"brown_stick_slip", detail::reproduce_brown_stick_slip},
    {"brown_impact", detail::reproduce_brown_impact},
    {"inclined_plane", detail::reproduce_inclined_plane},
    {"cylinder_point", detail::reproduce_cylinder_point},
    {"pendulum_settling", detail::reproduce_pendulum_settling},
    {"pendulum_ahmed", detail::reproduce_pendulum_ahmed},
    {"arm_on_plate", detail::reproduce_arm_on_plate},
    {"solver_study", detail::reproduce_solver_study},
    {"cylinder_volumetric", detail::reproduce_cylinder_volumetric},
    {"ball_on_table", detail::reproduce_ball_on_table},
    {"tippe_top", detail::reproduce_tippe_top},
    {"battery_box", detail::reproduce_battery_box},
    {"box_on_slope", detail::reproduce_box_on_slope},
    {"ten_boxes", detail::reproduce_ten_boxes},
    {"block_over_step", detail::reproduce_block_over_step},
    {"peg_in_hole", detail::reproduce_peg_in_hole},
    {"knee", detail::reproduce_knee},
};

}  // namespace

const std::vector<std::string_view>& reproduced_systems() {
  static const std::vector<std::string_view> kNames = [] {
    std::vector<std::string_view> names;
    for (const auto& [name, run] : kSystems) names.push_back(name);
    return names;
  }();
  return kNames;
}

bool measures_time(std::string_view system) {
  return system == "arm_on_plate" || system == "solver_study" || system == "battery_box" ||
         system == "knee";
}

SystemReport reproduce(std::string_view system, const ReproduceOptions& options) {
  for (const auto& [name, run] : kSystems) {
    if (name == system) return run(options);
  }
  throw InputError(fmt::format("reproduce: no system '{}'; there are {}", system,
                               fmt::join(reproduced_systems(), ", ")));
}

}  // namespace vesica
