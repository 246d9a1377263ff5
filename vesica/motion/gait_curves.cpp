#include "vesica/motion/gait_curves.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "vesica/io/text_input.h"
#include "vesica/motion/resample.h"

namespace vesica {
namespace {

// The name for the other side, and the name without a side, for every way to read a side.
struct SideReading {
  Foot side;
  std::string mirrored, bare;
};

std::string without_joints(const std::string& name) {
  const auto is_joint = [](char c) { return c == '_' || c == '.' || c == ' ' || c == '-'; };
  std::string result;
  for (const char c : name) {
    if (is_joint(c) && (result.empty() || is_joint(result.back()))) continue;
    result += c;
  }
  while (!result.empty() && is_joint(result.back())) result.pop_back();
  return result;
}

std::vector<SideReading> find_side_readings(const std::string& name) {
  std::vector<SideReading> readings;
  const std::string lower = as_lower(name);
  const auto is_letter = [&](size_t i) {
    return i < lower.size() && std::isalnum(static_cast<unsigned char>(lower[i]));
  };
  const auto add = [&](size_t at, size_t length, const std::string& other, Foot side) {
    std::string mirrored = name, bare = name;
    mirrored.replace(at, length, other);
    bare.erase(at, length);
    bare = without_joints(bare);
    if (!bare.empty()) readings.push_back({side, mirrored, bare});
  };
  for (const Foot side : {Foot::kLeft, Foot::kRight}) {
    const bool left = side == Foot::kLeft;
    // A letter by itself between punctuation, or in front of the name.
    const char letter = left ? 'l' : 'r';
    for (size_t i = 0; i < lower.size(); ++i) {
      if (lower[i] != letter || (i > 0 && is_letter(i - 1))) continue;
      if (is_letter(i + 1) && i > 0 && name[i - 1] != ':') continue;
      const char other = left ? 'r' : 'l';
      const bool upper = name[i] != lower[i];
      add(i, 1,
          std::string(1, upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(other)))
                               : other),
          side);
    }
    const std::string word = left ? "left" : "right", opposite = left ? "right" : "left";
    if (const size_t at = lower.find(word); at != std::string::npos) {
      std::string other = opposite;
      const std::string written = name.substr(at, word.size());
      if (written[0] != lower[at]) other[0] = static_cast<char>(std::toupper(other[0]));
      if (written.back() != lower[at + word.size() - 1]) {
        for (char& c : other) c = static_cast<char>(std::toupper(c));
      }
      add(at, word.size(), other, side);
    }
  }
  return readings;
}

void calc_mean_and_sd(CycleCurve* curve) {
  const auto n = static_cast<double>(curve->values.size());
  for (int i = 0; i < kCyclePoints; ++i) {
    double sum = 0.0, square = 0.0;
    for (const CycleValues& v : curve->values) sum += v[i];
    curve->mean[i] = sum / n;
    for (const CycleValues& v : curve->values)
      square += (v[i] - curve->mean[i]) * (v[i] - curve->mean[i]);
    curve->sd[i] = n > 1.0 ? std::sqrt(square / (n - 1.0)) : kMissing;
  }
}

double calc_cycle_time(const Stride& stride, int point) {
  return stride.start + stride.stride_time() * point / (kCyclePoints - 1);
}

// Sum of the plates of a stance at a time, linear between samples (a spline would swing at the
// strike).
Vec3d calc_force_at(const GaitTrial& trial, const Stance& stance, double time) {
  Vec3d sum = Vec3d::Zero();
  for (const int i : stance.contacts) {
    const PlateForces& plate = trial.analysis.plates[trial.analysis.contacts[i].plate];
    const auto after = std::upper_bound(plate.times.begin(), plate.times.end(), time);
    if (after == plate.times.begin() || after == plate.times.end()) continue;
    const auto k = static_cast<size_t>(after - plate.times.begin());
    const double part = (time - plate.times[k - 1]) / (plate.times[k] - plate.times[k - 1]);
    sum += (1.0 - part) * plate.forces[k - 1] + part * plate.forces[k];
  }
  return sum;
}

}  // namespace

CycleValues normalise_in_time(std::span<const double> times, std::span<const double> values,
                              double start, double end) {
  // A quarter of a second beyond either end is enough for a spline, and spares the rest.
  constexpr double kAround = 0.25;
  const auto begin = std::lower_bound(times.begin(), times.end(), start - kAround);
  const auto stop = std::upper_bound(times.begin(), times.end(), end + kAround);
  const auto first = static_cast<size_t>(begin - times.begin());
  const auto count = static_cast<size_t>(stop - begin);
  std::vector<double> at(kCyclePoints);
  for (int i = 0; i < kCyclePoints; ++i) at[i] = start + (end - start) * i / (kCyclePoints - 1);
  const std::vector<double> resampled =
      resample(times.subspan(first, count), values.subspan(first, count), at);
  CycleValues result{};
  std::copy(resampled.begin(), resampled.end(), result.begin());
  return result;
}

std::vector<SidedColumns> find_sided_columns(const std::vector<TimeTable::Column>& columns) {
  const auto find_column = [&](const std::string& name) {
    const auto at = std::find_if(columns.begin(), columns.end(),
                                 [&](const TimeTable::Column& c) { return c.name == name; });
    return at == columns.end() ? -1 : static_cast<int>(at - columns.begin());
  };
  std::vector<SidedColumns> result;
  std::vector<bool> taken(columns.size(), false);
  for (size_t i = 0; i < columns.size(); ++i) {
    if (taken[i]) continue;
    SidedColumns entry{columns[i].name, static_cast<int>(i), static_cast<int>(i)};
    for (const SideReading& reading : find_side_readings(columns[i].name)) {
      const int partner = find_column(reading.mirrored);
      if (partner < 0 || taken[partner] || partner == static_cast<int>(i)) continue;
      taken[partner] = true;
      const bool left = reading.side == Foot::kLeft;
      entry = {reading.bare, left ? static_cast<int>(i) : partner,
               left ? partner : static_cast<int>(i)};
      break;
    }
    taken[i] = true;
    result.push_back(entry);
  }
  return result;
}

namespace detail {

void CurveCollection::add(const std::string& name, const std::string& unit, Foot foot, int stride,
                          const CycleValues& values) {
  if (!std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); })) {
    ++left_out_;
    return;
  }
  auto at = std::find_if(curves_.begin(), curves_.end(), [&](const CycleCurve& curve) {
    return curve.name == name && curve.foot == foot;
  });
  if (at == curves_.end()) {
    CycleCurve curve;
    curve.name = name;
    curve.unit = unit;
    curve.foot = foot;
    curves_.push_back(curve);
    at = curves_.end() - 1;
  }
  at->strides.push_back(stride);
  at->values.push_back(values);
}

std::vector<CycleCurve> CurveCollection::take() {
  std::vector<std::string> order;
  for (CycleCurve& curve : curves_) {
    calc_mean_and_sd(&curve);
    if (std::find(order.begin(), order.end(), curve.name) == order.end())
      order.push_back(curve.name);
  }
  const auto rank = [&](const CycleCurve& c) {
    return std::pair(std::find(order.begin(), order.end(), c.name) - order.begin(),
                     c.foot == Foot::kLeft ? 0 : 1);
  };
  std::stable_sort(curves_.begin(), curves_.end(),
                   [&](const CycleCurve& a, const CycleCurve& b) { return rank(a) < rank(b); });
  return std::move(curves_);
}

void add_table_curves(const TimeTable& table, const Stride& stride, int index,
                      CurveCollection* curves) {
  for (const SidedColumns& pair : find_sided_columns(table.columns)) {
    const int column = stride.foot == Foot::kLeft ? pair.left : pair.right;
    std::string unit = table.columns[column].unit;
    curves->add(pair.name, unit, stride.foot, index,
                normalise_in_time(table.times, table.column(column), stride.start, stride.end));
  }
}

void add_height_curves(const GaitTrial& trial, const Stride& stride, int index,
                       CurveCollection* curves) {
  const MarkerTracks& markers = trial.motion.markers;
  const GaitMarkers& gait = trial.analysis.gait;
  const FootMarkers& foot = stride.foot == Foot::kLeft ? gait.left : gait.right;
  const auto add = [&](const char* name, int marker) {
    if (marker < 0 || markers.frames() == 0) return;
    std::vector<double> height(markers.frames());
    double lowest = 1e300;
    for (size_t k = 0; k < height.size(); ++k) {
      height[k] = 1e3 * markers.at(k, marker).dot(trial.analysis.up);
      if (std::isfinite(height[k])) lowest = std::min(lowest, height[k]);
    }
    for (double& h : height) h -= lowest;
    curves->add(name, "mm", stride.foot, index,
                normalise_in_time(markers.times, height, stride.start, stride.end));
  };
  add("heel_height", foot.heel);
  add("forefoot_height", foot.toe >= 0 ? foot.toe : foot.inner);
}

void add_force_curves(const GaitTrial& trial, const Stride& stride, int index, double weight,
                      CurveCollection* curves) {
  const auto stance = std::find_if(trial.analysis.stances.begin(), trial.analysis.stances.end(),
                                   [&](const Stance& s) {
                                     return is_whole(s) && s.foot == stride.foot &&
                                            std::abs(s.start - stride.start) < kSameEvent &&
                                            std::abs(s.end - stride.off) < kSameEvent;
                                   });
  if (stance == trial.analysis.stances.end()) return;
  const MarkerEvents& walk = trial.analysis.walk;
  const Vec3d to_the_right = walk.ahead.cross(trial.analysis.up);
  const Vec3d medial = stride.foot == Foot::kLeft ? to_the_right : Vec3d(-to_the_right);
  CycleValues vertical{}, forward{}, inward{};
  for (int i = 0; i < kCyclePoints; ++i) {
    const double t = calc_cycle_time(stride, i);
    if (t > stance->end) continue;  // the foot swings
    const Vec3d force = calc_force_at(trial, *stance, t);
    vertical[i] = force.dot(trial.analysis.up);
    forward[i] = force.dot(walk.ahead);
    inward[i] = force.dot(medial);
  }
  const auto add = [&](const std::string& name, const CycleValues& force) {
    curves->add(name, "N", stride.foot, index, force);
    if (!std::isfinite(weight)) return;
    CycleValues share{};
    for (int i = 0; i < kCyclePoints; ++i) share[i] = 100.0 * force[i] / weight;
    curves->add(name + "_bw", "% body weight", stride.foot, index, share);
  };
  add("force_vertical", vertical);
  if (walk.ahead.norm() == 0.0) return;
  add("force_forward", forward);
  add("force_medial", inward);
}

}  // namespace detail

}  // namespace vesica
