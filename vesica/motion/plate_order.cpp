#include "vesica/motion/plate_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "vesica/motion/gait_events.h"

namespace vesica {
namespace {

using CornerOrder = std::array<int, 4>;
constexpr CornerOrder kTurned[] = {{0, 1, 2, 3}, {1, 2, 3, 0}, {2, 3, 0, 1}, {3, 0, 1, 2}};
constexpr CornerOrder kReversed[] = {{3, 2, 1, 0}, {1, 0, 3, 2}, {0, 3, 2, 1}, {2, 1, 0, 3}};

std::array<Vec3d, 4> reorder(const ForcePlate& plate, const CornerOrder& order) {
  std::array<Vec3d, 4> corners;
  for (int i = 0; i < 4; ++i) corners[i] = plate.corners[order[i]];
  return corners;
}

std::string as_text(const CornerOrder& order) {
  return fmt::format("{} {} {} {}", order[0] + 1, order[1] + 1, order[2] + 1, order[3] + 1);
}

// From the centre of pressure to the nearer foot, mean over the contacts by their time; NaN where
// there is none.
double calc_distance_to_feet(const PlateForces& plate, const MarkerTracks& markers,
                             const GaitMarkers& gait, const Vec3d& up) {
  const std::span<const PlateForces> one(&plate, 1);
  std::vector<PlateContact> contacts = find_contacts(one, {});
  assign_feet(contacts, one, markers, gait, up);
  double sum = 0.0, time = 0.0;
  for (const PlateContact& contact : contacts) {
    if (!std::isfinite(contact.distance)) continue;
    sum += contact.distance * (contact.end - contact.start);
    time += contact.end - contact.start;
  }
  return time > 0.0 ? sum / time : kMissing;
}

}  // namespace

PlateForces calc_upright_plate_forces(const ForcePlate& plate, const std::string& name,
                                      const MarkerTracks& markers, const Vec3d& up,
                                      const PlateOptions& options) {
  PlateForces forces = calc_plate_forces(plate, name, options);
  const bool is_reversed = forces.normal.dot(up) < -0.5;
  const GaitMarkers gait = find_gait_markers(markers.labels);
  const bool has_feet = markers.frames() > 1 && gait.has_feet();
  if (!is_reversed && !has_feet) return forces;
  const double as_listed =
      is_reversed ? kMissing : calc_distance_to_feet(forces, markers, gait, up);
  constexpr double kFarFoot = 0.08, kNearFoot = 0.05;  // m
  if (!is_reversed && !(as_listed > kFarFoot)) return forces;

  // Only the best one is kept: a recording may be a gigabyte.
  struct Candidate {
    CornerOrder order{};
    PlateForces forces;
    double distance = kMissing;
  };
  Candidate best;
  double next_best = kMissing;
  const auto is_nearer = [](double a, double b) { return a < b || (a == a && b != b); };
  bool any = false;
  if (is_reversed) forces = {};
  for (const CornerOrder& order : is_reversed ? kReversed : kTurned) {
    const auto corners = reorder(plate, order);
    PlateForces result = calc_plate_forces(plate, corners, name, options);
    const double distance = has_feet ? calc_distance_to_feet(result, markers, gait, up) : kMissing;
    if (!any || is_nearer(distance, best.distance)) {
      next_best = best.distance;
      best = {order, std::move(result), distance};
    } else if (is_nearer(distance, next_best)) {
      next_best = distance;
    }
    any = true;
  }
  if (!is_reversed) {
    if (best.distance < std::min(kNearFoot, 0.5 * as_listed)) {
      forces.warnings.push_back(fmt::format(
          "Force plate {}: the centre of pressure is {:.0f} mm from the nearest foot; with its "
          "corners in the order {} it would be {:.0f} mm. Are they listed from another corner?",
          name, 1e3 * as_listed, as_text(best.order), 1e3 * best.distance));
    }
    return forces;
  }
  PlateForces result = std::move(best.forces);
  result.warnings.push_back(
      std::isfinite(best.distance)
          ? fmt::format("Force plate {}: its corners are listed the wrong way round; taken in the "
                        "order {}, which puts the centre of pressure {:.0f} mm from the foot (the "
                        "next best order: {:.0f} mm).",
                        name, as_text(best.order), 1e3 * best.distance, 1e3 * next_best)
          : fmt::format("Force plate {}: its corners are listed the wrong way round; taken in the "
                        "order {}. Nothing tells whether another one is meant: its centre of "
                        "pressure may be mirrored.",
                        name, as_text(best.order)));
  return result;
}

}  // namespace vesica
