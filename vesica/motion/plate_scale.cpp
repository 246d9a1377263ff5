#include "vesica/motion/plate_scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "vesica/error.h"
#include "vesica/math/median.h"

namespace vesica {
namespace {

constexpr double kGravity = 9.80665;    // m/s^2
constexpr double kPelvisHeight = 0.56;  // of the stature
constexpr double kMidStance = 0.93;     // of the weight, mean from 25 to 75 % of a stance
constexpr double kThinnest = 16.0, kStoutest = 35.0;  // kg/m^2
constexpr double kSameLevel = 0.08;     // readings of one group, and factors of whole numbers
constexpr double kLeastCarried = 0.85;  // of the others
constexpr double kShortestStance = 0.35, kLongestStance = 1.6;  // s

double calc_mass_index(double force, double stature) {
  return force / kMidStance / kGravity / (stature * stature);
}

// Mean from 25 to 75 % of a contact.
double calc_middle_force(const PlateContact& contact, const PlateForces& plate) {
  const double duration = contact.end - contact.start;
  double sum = 0.0, count = 0.0;
  for (size_t k = plate.find_sample(contact.start + 0.25 * duration); k < plate.size(); ++k) {
    if (plate.times[k] > contact.start + 0.75 * duration) break;
    if (!std::isfinite(plate.normal_force(k))) continue;
    sum += plate.normal_force(k);
    count += 1.0;
  }
  return count > 0.0 ? sum / count : kMissing;
}

// Whether a stance is one step of one foot, on one plate.
bool is_one_step(const Stance& stance) {
  const bool one_foot = stance.foot == Foot::kLeft || stance.foot == Foot::kRight;
  const double duration = stance.end - stance.start;
  return one_foot && !stance.starts_before && !stance.ends_after && stance.contacts.size() == 1 &&
         duration > kShortestStance && duration < kLongestStance;
}

// The median over a plate's whole stances; plates that have none are not there.
std::map<int, double> find_levels(std::span<const Stance> stances,
                                  std::span<const PlateContact> contacts,
                                  std::span<const PlateForces> plates) {
  std::map<int, std::vector<double>> seen;
  for (const Stance& stance : stances) {
    if (!is_one_step(stance) || stance.partial) continue;
    const PlateContact& contact = contacts[static_cast<size_t>(stance.contacts[0])];
    const double force = calc_middle_force(contact, plates[static_cast<size_t>(contact.plate)]);
    if (force > 0.0) seen[contact.plate].push_back(force);
  }
  std::map<int, double> levels;
  for (const auto& [plate, forces] : seen) levels[plate] = calc_median(forces);
  return levels;
}

std::string list_plates(const std::vector<int>& group, std::span<const PlateForces> plates) {
  std::string text;
  for (size_t i = 0; i < group.size(); ++i) {
    text += (i == 0                  ? ""
             : i + 1 == group.size() ? " and "
                                     : ", ") +
            plates[static_cast<size_t>(group[i])].name;
  }
  return (group.size() == 1 ? "plate " : "plates ") + text;
}

bool is_near(double value, double target) { return std::abs(value / target - 1.0) < kSameLevel; }

}  // namespace

bool PlateScale::high_is_wrong() const {
  return std::isfinite(stature) && calc_mass_index(high_force, stature) > kStoutest;
}

PlateScale find_plate_scale(std::span<const Stance> stances, std::span<const PlateContact> contacts,
                            std::span<const PlateForces> plates, double stature) {
  const std::map<int, double> levels = find_levels(stances, contacts, plates);
  PlateScale scale;
  scale.stature = stature;
  if (levels.size() < 2) return scale;
  double highest = 0.0;
  for (const auto& [plate, force] : levels) highest = std::max(highest, force);
  // The group of the highest, and the plates that read it over a whole number.
  std::vector<double> high;
  std::map<int, std::vector<int>> below;  // by that number
  for (const auto& [plate, force] : levels) {
    const double ratio = highest / force;
    const int whole = static_cast<int>(std::lround(ratio));
    if (is_near(force, highest)) {
      scale.high.push_back(plate);
      high.push_back(force);
    } else if (whole >= 2 && is_near(ratio, whole)) {
      below[whole].push_back(plate);
    }
  }
  if (below.empty()) return scale;
  const auto most = std::max_element(below.begin(), below.end(), [](const auto& a, const auto& b) {
    return a.second.size() < b.second.size();
  });
  scale.low = most->second;
  std::vector<double> low;
  for (const int plate : scale.low) low.push_back(levels.at(plate));
  scale.low_force = calc_median(low);
  scale.high_force = calc_median(high);
  const bool low_is_a_body =
      !std::isfinite(stature) || calc_mass_index(scale.low_force, stature) >= kThinnest;
  const bool many = scale.low.size() >= 2 && scale.high.size() >= 2;
  if (low_is_a_body && (many || scale.high_is_wrong())) scale.factor = most->first;
  return scale;
}

void mark_partial_steps(const PlateScale& scale, std::span<const PlateForces> plates,
                        std::span<PlateContact> contacts, std::span<Stance> stances) {
  const auto is_high = [&](int plate) {
    return scale.is_off() &&
           std::find(scale.high.begin(), scale.high.end(), plate) != scale.high.end();
  };
  std::vector<double> forces(stances.size(), kMissing);
  double most[2] = {0.0, 0.0};  // of low or all plates, and of high ones
  std::map<std::pair<Foot, bool>, std::vector<double>> of_foot;
  for (size_t i = 0; i < stances.size(); ++i) {
    if (!is_one_step(stances[i])) continue;
    const PlateContact& contact = contacts[static_cast<size_t>(stances[i].contacts[0])];
    forces[i] = calc_middle_force(contact, plates[static_cast<size_t>(contact.plate)]);
    double& highest = most[is_high(contact.plate)];
    if (forces[i] > highest) highest = forces[i];
    of_foot[{stances[i].foot, is_high(contact.plate)}].push_back(forces[i]);
  }
  for (size_t i = 0; i < stances.size(); ++i) {
    if (!std::isfinite(forces[i])) continue;
    PlateContact& contact = contacts[static_cast<size_t>(stances[i].contacts[0])];
    contact.carried = forces[i] / most[is_high(contact.plate)];
    if (contact.carried >= kLeastCarried) continue;
    // A leg that is spared carries as little in every step.
    const std::vector<double>& own = of_foot[{stances[i].foot, is_high(contact.plate)}];
    const auto [low, high] = std::minmax_element(own.begin(), own.end());
    if (own.size() >= 2 && is_near(*low, *high)) continue;
    contact.partial = true;
    stances[i].partial = true;
  }
}

double estimate_stature(const MarkerTracks& markers, const GaitMarkers& gait, const Vec3d& up) {
  std::vector<double> heights;
  double floor = 1e300;
  for (size_t k = 0; k < markers.frames(); ++k) {
    double sum = 0.0, count = 0.0;
    for (const int i : gait.pelvis) {
      if (!markers.has(k, static_cast<size_t>(i))) continue;
      sum += markers.at(k, static_cast<size_t>(i)).dot(up);
      count += 1.0;
    }
    if (count > 0.0) heights.push_back(sum / count);
    for (const FootMarkers* foot : {&gait.left, &gait.right}) {
      for (const int i : foot->all()) {
        const double height = markers.at(k, static_cast<size_t>(i)).dot(up);
        if (height < floor) floor = height;
      }
    }
  }
  if (heights.empty() || floor > 1e299) return kMissing;
  const double stature = (calc_median(heights) - floor) / kPelvisHeight;
  return stature > 0.5 && stature < 2.5 ? stature : kMissing;
}

std::string describe(const PlateScale& scale, std::span<const PlateForces> plates) {
  const std::string high = list_plates(scale.high, plates), low = list_plates(scale.low, plates);
  std::string text = fmt::format(
      "Force {} read{} {:.2f} times what {} do{} in the middle of a stance ({:.0f} against {:.0f} "
      "N): their scales differ.",
      high, scale.high.size() == 1 ? "s" : "", scale.high_force / scale.low_force, low,
      scale.low.size() == 1 ? "es" : "", scale.high_force, scale.low_force);
  if (std::isfinite(scale.stature)) {
    text += fmt::format(
        " For a stature of about {:.2f} m, by the height of the pelvis, that is a body mass index "
        "of {:.0f} or of {:.0f}.",
        scale.stature, calc_mass_index(scale.high_force, scale.stature),
        calc_mass_index(scale.low_force, scale.stature));
  }
  const bool high_wrong = scale.high_is_wrong();
  std::string remedy;
  for (const int plate : high_wrong ? scale.high : scale.low) {
    remedy +=
        fmt::format("{}{}:{:g}", remedy.empty() ? "" : ",", plates[static_cast<size_t>(plate)].name,
                    high_wrong ? 1.0 / scale.factor : scale.factor);
  }
  return text + fmt::format(" If {} {} wrong, vesica motion --plate-scale {} mends that.",
                            high_wrong ? high : low,
                            (high_wrong ? scale.high : scale.low).size() == 1 ? "is" : "are",
                            remedy);
}

void scale_plate(MotionTrial* trial, int plate, double factor) {
  const auto refuse = [&](size_t count) {
    throw InputError(
        fmt::format("{}: there is no force plate {}; there are {}", trial->file, plate, count));
  };
  const auto index = static_cast<size_t>(plate - 1);
  if (!trial->plates.empty()) {
    if (index >= trial->plates.size()) refuse(trial->plates.size());
    ForcePlate& source = trial->plates[index];
    for (size_t c = 0; c < source.channels.size(); ++c) {
      if (source.type == 1 && (c == 3 || c == 4)) continue;  // points, not forces
      const auto column = static_cast<size_t>(source.channels[c]);
      for (size_t k = 0; k < source.rows(); ++k) {
        source.samples[k * source.channels.size() + c] *= factor;
      }
      if (column >= trial->analog.columns.size()) continue;
      for (size_t k = 0; k < trial->analog.rows(); ++k) trial->analog.at(k, column) *= factor;
    }
    return;
  }
  const std::vector<PlateColumns> all = find_plate_columns(trial->analog);
  if (index >= all.size()) refuse(all.size());
  for (const auto& columns : {all[index].v, all[index].m}) {
    for (const size_t column : columns) {
      if (column >= trial->analog.columns.size()) continue;
      for (size_t k = 0; k < trial->analog.rows(); ++k) trial->analog.at(k, column) *= factor;
    }
  }
}

}  // namespace vesica
