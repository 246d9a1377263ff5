// Which markers are feet, and which foot a plate saw (declared in gait_events.h).
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <optional>

#include "vesica/motion/gait_events.h"
#include "vesica/motion/marker_names.h"

namespace vesica {
namespace {

bool is_one_of(const std::string& name, std::initializer_list<const char*> list) {
  return std::any_of(list.begin(), list.end(), [&](const char* entry) { return name == entry; });
}

// Position of a marker at a time, linear between frames; nothing where either frame lacks it.
std::optional<Vec3d> find_position(const MarkerTracks& markers, int marker, double time) {
  const auto& times = markers.times;
  if (marker < 0 || times.size() < 2 || time < times.front() || time > times.back()) return {};
  const auto after = std::upper_bound(times.begin() + 1, times.end() - 1, time);
  const auto k = static_cast<size_t>(after - times.begin()) - 1;
  const double part = (time - times[k]) / (times[k + 1] - times[k]);
  const Vec3d p = (1.0 - part) * markers.at(k, marker) + part * markers.at(k + 1, marker);
  if (!p.allFinite()) return {};
  return p;
}

// Heel and toe end of a foot at a time.
struct FootLine {
  Vec3d heel, toe;
};
std::optional<FootLine> find_foot_line(const MarkerTracks& markers, const FootMarkers& foot,
                                       double time) {
  const auto heel = find_position(markers, foot.heel, time);
  Vec3d toe = Vec3d::Zero();
  int count = 0;
  // Both sides of the ball where they exist; the middle of the foot lies between them.
  for (const int marker : {foot.inner, foot.outer}) {
    if (const auto p = find_position(markers, marker, time)) {
      toe += *p;
      ++count;
    }
  }
  if (count < 2) {
    if (const auto p = find_position(markers, foot.toe, time)) {
      toe = *p;
      count = 1;
    }
  }
  if (!heel || count == 0) return {};
  return FootLine{*heel, toe / count};
}

double distance_to_line(const Vec3d& point, const FootLine& line, const Vec3d& up) {
  const auto flat = [&](const Vec3d& v) -> Vec3d { return v - v.dot(up) * up; };
  const Vec3d along = flat(line.toe - line.heel);
  const Vec3d to_point = flat(point - line.heel);
  const double length2 = along.squaredNorm();
  const double part = length2 > 0.0 ? std::clamp(to_point.dot(along) / length2, 0.0, 1.0) : 0.0;
  return (to_point - part * along).norm();
}

// How far a point lies outside of a plate, seen from above; negative inside.
double distance_outside(const Vec3d& point, const PlateForces& plate) {
  double most = -1e9;
  for (int i = 0; i < 4; ++i) {
    const Vec3d edge = plate.corners[(i + 1) % 4] - plate.corners[i];
    Vec3d outward = edge.cross(plate.normal).normalized();
    const Vec3d middle =
        0.25 * (plate.corners[0] + plate.corners[1] + plate.corners[2] + plate.corners[3]);
    if (outward.dot(plate.corners[i] - middle) < 0.0) outward = -outward;
    most = std::max(most, outward.dot(point - plate.corners[i]));
  }
  return most;
}

constexpr double kSlow = 0.3;           // m/s: the foot stands
constexpr double kLow = 0.03;           // m above the lowest it ever is
constexpr double kFurthestFoot = 0.15;  // m from the centre of pressure to be the foot at all
constexpr double kShare = 0.2;          // of the loaded time
// The other foot has loaded the plate too where the centre of pressure is under it. On 89 walks of
// thirteen people that takes 36 ms at least where it happens, and 6 ms at most where it does not.
constexpr double kUnderFoot = 0.1;   // m from the foot's line, and not so near to the other's
constexpr double kFirmLoad = 40.0;   // N: below it the centre of pressure is noise
constexpr double kOtherFoot = 0.02;  // s

struct FootEvidence {
  double distance = kMissing;  // m, force-weighted
  double standing_on = 0.0;    // share of the loaded time in which it stands on the plate
  double reaching_out = 0.0;   // share in which it stands with heel or toe beyond the edge
};

double find_lowest(const MarkerTracks& markers, const FootMarkers& foot, const Vec3d& up) {
  double lowest = 1e9;
  for (size_t k = 0; k < markers.frames(); ++k) {
    if (const auto line = find_foot_line(markers, foot, markers.times[k])) {
      lowest = std::min(lowest, 0.5 * (line->heel + line->toe).dot(up));
    }
  }
  return lowest;
}

FootEvidence calc_evidence(const PlateContact& contact, const PlateForces& plate,
                           const MarkerTracks& markers, const FootMarkers& foot, double lowest,
                           const Vec3d& up) {
  FootEvidence evidence;
  const double dt = 1.0 / std::max(1.0, markers.rate);
  double weight = 0.0, sum = 0.0;
  int samples = 0, standing = 0, reaching = 0;
  for (size_t k = plate.find_sample(contact.start); k < plate.size(); ++k) {
    const double t = plate.times[k];
    if (t > contact.end) break;
    if (!plate.is_loaded(k)) continue;
    const auto line = find_foot_line(markers, foot, t);
    if (!line) continue;
    ++samples;
    const double load = plate.normal_force(k);
    sum += load * distance_to_line(plate.centers_of_pressure[k], *line, up);
    weight += load;
    const auto before = find_foot_line(markers, foot, t - dt);
    const auto after = find_foot_line(markers, foot, t + dt);
    if (!before || !after || plate.corners.size() != 4) continue;
    const Vec3d middle = 0.5 * (line->heel + line->toe);
    const Vec3d velocity = (after->heel + after->toe - before->heel - before->toe) / (4.0 * dt);
    const bool stands = velocity.norm() < kSlow && middle.dot(up) < lowest + kLow;
    if (stands && distance_outside(middle, plate) < 0.0) ++standing;
    if (stands &&
        std::max(distance_outside(line->heel, plate), distance_outside(line->toe, plate)) > 0.01) {
      ++reaching;
    }
  }
  if (weight > 0.0) evidence.distance = sum / weight;
  if (samples > 0) {
    evidence.standing_on = static_cast<double>(standing) / samples;
    evidence.reaching_out = static_cast<double>(reaching) / samples;
  }
  return evidence;
}

// The stretch in which the centre of pressure is under `other` and not under `foot`.
struct UnderOther {
  double seconds = 0.0;                   // of load, in all
  double from = kMissing, to = kMissing;  // s, first and last
};
UnderOther find_under_other(const PlateContact& contact, const PlateForces& plate,
                            const MarkerTracks& markers, const FootMarkers& foot,
                            const FootMarkers& other, const Vec3d& up) {
  UnderOther found;
  for (size_t k = plate.find_sample(contact.start); k + 1 < plate.size(); ++k) {
    const double t = plate.times[k];
    if (t > contact.end) break;
    if (!plate.is_loaded(k) || plate.normal_force(k) < kFirmLoad) continue;
    const auto own = find_foot_line(markers, foot, t), others = find_foot_line(markers, other, t);
    if (!own || !others) continue;
    const Vec3d& center = plate.centers_of_pressure[k];
    if (distance_to_line(center, *own, up) < kUnderFoot ||
        distance_to_line(center, *others, up) > kUnderFoot) {
      continue;
    }
    found.seconds += plate.times[k + 1] - t;
    if (std::isnan(found.from)) found.from = t;
    found.to = t;
  }
  return found;
}

}  // namespace

std::vector<int> FootMarkers::all() const {
  std::vector<int> result;
  for (const int marker : {heel, toe, inner, outer}) {
    if (marker >= 0) result.push_back(marker);
  }
  return result;
}

GaitMarkers find_gait_markers(std::span<const std::string> labels) {
  GaitMarkers gait;
  const auto set_first = [](int* slot, int value) {
    if (*slot < 0) *slot = value;
  };
  for (size_t i = 0; i < labels.size(); ++i) {
    const int index = static_cast<int>(i);
    for (const auto& [side, rest] : as_sided_names(labels[i])) {
      if (is_one_of(rest, {"sacr", "sac", "sacrum", "vsacral", "s2"}) ||
          (side != ' ' && is_one_of(rest, {"asis", "asi", "psis", "psi"}))) {
        gait.pelvis.push_back(index);
        break;
      }
      if (side == ' ') continue;
      FootMarkers& foot = side == 'r' ? gait.right : gait.left;
      if (is_one_of(rest, {"heel", "hee", "cal", "calc", "cal1", "calcaneus"})) {
        set_first(&foot.heel, index);
      } else if (is_one_of(rest, {"toe", "toetip", "mt2", "mth2", "mtp2", "hlx", "tt2", "met2"})) {
        set_first(&foot.toe, index);
      } else if (is_one_of(rest, {"mt1", "mth1", "mfh1", "mtp1", "met1", "d1m", "p1m", "toemed"})) {
        set_first(&foot.inner, index);
      } else if (is_one_of(rest, {"mt5", "mth5", "mfh5", "mtp5", "met5", "d5m", "toelat"})) {
        set_first(&foot.outer, index);
      }
    }
  }
  return gait;
}

void assign_feet(std::span<PlateContact> contacts, std::span<const PlateForces> plates,
                 const MarkerTracks& markers, const GaitMarkers& gait, const Vec3d& up) {
  if (contacts.empty()) return;
  const double lowest_left = find_lowest(markers, gait.left, up);
  const double lowest_right = find_lowest(markers, gait.right, up);
  for (PlateContact& contact : contacts) {
    const PlateForces& plate = plates[contact.plate];
    const FootEvidence left = calc_evidence(contact, plate, markers, gait.left, lowest_left, up);
    const FootEvidence right = calc_evidence(contact, plate, markers, gait.right, lowest_right, up);
    const bool is_left = std::isfinite(left.distance) &&
                         (!std::isfinite(right.distance) || left.distance <= right.distance);
    const FootEvidence& near = is_left ? left : right;
    const FootEvidence& far = is_left ? right : left;
    contact.distance = near.distance;
    contact.other_distance = far.distance;
    contact.partial = near.reaching_out > kShare;
    contact.foot = is_left ? Foot::kLeft : Foot::kRight;
    const UnderOther under_other =
        find_under_other(contact, plate, markers, is_left ? gait.left : gait.right,
                         is_left ? gait.right : gait.left, up);
    if (under_other.seconds > kOtherFoot) {
      contact.other_foot = is_left ? Foot::kRight : Foot::kLeft;
      contact.other_from = under_other.from;
      contact.other_to = under_other.to;
    }
    if ((near.standing_on > kShare && far.standing_on > kShare) ||
        contact.other_foot != Foot::kUnknown) {
      contact.foot = Foot::kBoth;
    } else if (!(near.distance < kFurthestFoot)) {
      contact.foot = Foot::kUnknown;
      contact.partial = false;
    }
  }
}

}  // namespace vesica
