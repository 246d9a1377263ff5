#include "vesica/io/motion_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_set>
#include <utility>

#include "vesica/error.h"
#include "vesica/io/text_input.h"
#include "vesica/math/median.h"

namespace vesica {

namespace {

constexpr double kSmallestSpan = 0.01;  // m: three markers on a fingertip
constexpr double kLargestSpan = 30.0;   // m: a large capture hall

// Frames looked at by the checks: enough for a median, few enough for an hour's recording.
constexpr std::size_t kSampledFrames = 2000;

std::size_t frame_stride(const MarkerTracks& markers) {
  return std::max<std::size_t>(1, markers.frames() / kSampledFrames);
}

}  // namespace

std::optional<double> find_units_per_metre(std::string_view unit) {
  const std::string word = as_lower(trim(unit));
  const auto is_one_of = [&](std::initializer_list<const char*> names) {
    return std::any_of(names.begin(), names.end(), [&](const char* name) { return word == name; });
  };
  if (is_one_of({"mm", "millimeter", "millimeters", "millimetre", "millimetres"})) return 1000.0;
  if (is_one_of({"cm", "centimeter", "centimeters", "centimetre", "centimetres"})) return 100.0;
  if (is_one_of({"m", "meter", "meters", "metre", "metres"})) return 1.0;
  if (is_one_of({"in", "inch", "inches"})) return 1.0 / 0.0254;
  if (is_one_of({"ft", "foot", "feet"})) return 1.0 / 0.3048;
  return std::nullopt;
}

std::optional<double> find_si_per_plate_unit(std::string_view unit) {
  std::string word;
  for (char c : as_lower(trim(unit))) {
    if (c != '.' && c != '*' && c != ' ' && c != '-') word += c;
  }
  if (word == "n" || word == "newton" || word == "newtons" || word == "nm" || word == "m")
    return 1.0;
  if (word == "kn") return 1e3;
  if (word == "nmm" || word == "mm") return 1e-3;
  if (word == "ncm" || word == "cm") return 1e-2;
  return std::nullopt;
}

double find_median_span(const MarkerTracks& markers) {
  std::vector<double> spans;
  const std::size_t stride = frame_stride(markers);
  for (std::size_t f = 0; f < markers.frames(); f += stride) {
    Vec3d low = Vec3d::Constant(std::numeric_limits<double>::infinity());
    Vec3d high = -low;
    int present = 0;
    for (std::size_t m = 0; m < markers.markers(); ++m) {
      if (!markers.has(f, m)) continue;
      low = low.cwiseMin(markers.at(f, m));
      high = high.cwiseMax(markers.at(f, m));
      ++present;
    }
    if (present >= 2) spans.push_back((high - low).maxCoeff());
  }
  return calc_median(std::move(spans));
}

void check_marker_scale(const MarkerTracks& markers, const std::string& name) {
  const double span = find_median_span(markers);
  if (span == 0.0) return;  // one marker, or none present: nothing to judge by
  const double units_per_metre = find_units_per_metre(markers.unit_in_file).value_or(1.0);
  if (span >= kSmallestSpan && span <= kLargestSpan) return;
  std::string guess = "is the unit right?";
  if (span > kLargestSpan && span * 1e-3 <= kLargestSpan && units_per_metre == 1.0) {
    guess = "millimetres labelled as metres?";
  } else if (span < kSmallestSpan && span * 1e3 >= kSmallestSpan && units_per_metre == 1000.0) {
    guess = "metres labelled as millimetres?";
  }
  const std::string in_metres = units_per_metre == 1.0 ? "" : " (" + as_readable(span) + " m)";
  throw InputError(fmt::format(
      "{}: markers span {} {}{}: {} Expected 10 mm to 30 m; correct the unit in the file", name,
      as_readable(span * units_per_metre), markers.unit_in_file, in_metres, guess));
}

std::string find_up_axis(const MarkerTracks& markers) {
  const std::size_t stride = frame_stride(markers);
  const std::size_t count = markers.markers();
  if (count < 3) return {};
  std::vector<Vec3d> sums(count, Vec3d::Zero());
  std::vector<std::size_t> seen(count, 0);
  std::size_t total = 0;
  Eigen::Matrix<std::size_t, 3, 2> below = Eigen::Matrix<std::size_t, 3, 2>::Zero();
  for (std::size_t f = 0; f < markers.frames(); f += stride) {
    for (std::size_t m = 0; m < count; ++m) {
      if (!markers.has(f, m)) continue;
      const Vec3d& p = markers.at(f, m);
      sums[m] += p;
      ++seen[m];
      ++total;
      for (int a = 0; a < 3; ++a) {
        below(a, 0) += p[a] < -0.05;
        below(a, 1) += -p[a] < -0.05;
      }
    }
  }
  Vec3d low = Vec3d::Constant(std::numeric_limits<double>::infinity());
  Vec3d high = -low;
  for (std::size_t m = 0; m < count; ++m) {
    if (seen[m] == 0) continue;
    const Vec3d mean = sums[m] / static_cast<double>(seen[m]);
    low = low.cwiseMin(mean);
    high = high.cwiseMax(mean);
  }
  if (total == 0) return {};
  double best = 0.0, second = 0.0;
  std::string axis;
  for (int a = 0; a < 3; ++a) {
    for (int negative = 0; negative < 2; ++negative) {
      if (static_cast<double>(below(a, negative)) > 0.01 * static_cast<double>(total)) continue;
      const double spread = high[a] - low[a];
      if (spread > best) {
        second = best;
        best = spread;
        axis = std::string(negative ? "-" : "+") + "xyz"[a];
      } else {
        second = std::max(second, spread);
      }
    }
  }
  return best > 1.3 * second ? axis : std::string();
}

void require_up_axis(const MarkerTracks& markers, const std::string& axis,
                     const std::string& name) {
  const std::string seen = find_up_axis(markers);
  if (seen.empty() || seen == axis) return;
  throw InputError(fmt::format(
      "{}: the markers stand on the ground along {}, but {} was expected to be up: rotate the "
      "recording or name the axis that is up",
      name, seen, axis));
}

namespace {

struct PlateSides {
  double shortest = std::numeric_limits<double>::infinity(), longest = 0.0;  // m
  double diagonal_1 = 0.0, diagonal_2 = 0.0;
  bool is_rectangle = false;
};

PlateSides calc_plate_sides(const Vec3d* corners) {
  const auto side = [&](int i) { return (corners[(i + 1) % 4] - corners[i]).norm(); };
  PlateSides sides;
  for (int i = 0; i < 4; ++i) {
    sides.shortest = std::min(sides.shortest, side(i));
    sides.longest = std::max(sides.longest, side(i));
  }
  sides.diagonal_1 = (corners[2] - corners[0]).norm();
  sides.diagonal_2 = (corners[3] - corners[1]).norm();
  sides.is_rectangle = std::abs(sides.diagonal_1 - sides.diagonal_2) <= 0.05 * sides.diagonal_1 &&
                       std::abs(side(0) - side(2)) <= 0.05 * sides.longest &&
                       std::abs(side(1) - side(3)) <= 0.05 * sides.longest &&
                       // Crossed corners have two diagonals among their sides.
                       sides.longest < 0.999 * sides.diagonal_1;
  return sides;
}

}  // namespace

bool uncross_plate_corners(ForcePlate* plate) {
  if (calc_plate_sides(plate->corners).is_rectangle) return false;
  for (const int i : {2, 1}) {  // the two other ways round: 1 2 4 3 and 1 3 2 4
    Vec3d corners[4] = {plate->corners[0], plate->corners[1], plate->corners[2], plate->corners[3]};
    std::swap(corners[i], corners[i + 1]);
    if (!calc_plate_sides(corners).is_rectangle) continue;
    std::copy(corners, corners + 4, plate->corners);
    return true;
  }
  return false;
}

void check_plate_corners(const ForcePlate& plate, int number, const std::string& name) {
  const auto [shortest, longest, diagonal_1, diagonal_2, is_rectangle] =
      calc_plate_sides(plate.corners);
  if (shortest >= 0.05 && longest <= 20.0 && is_rectangle) return;
  throw InputError(fmt::format(
      "{}: force platform {} has corners with sides of {} to {} m and diagonals of {} and {} m; "
      "expected a rectangle with sides from 0.05 to 20 m in the file's length unit",
      name, number, as_readable(shortest), as_readable(longest), as_readable(diagonal_1),
      as_readable(diagonal_2)));
}

void make_labels_unique(std::vector<std::string>* labels, std::vector<std::string>* warnings) {
  std::unordered_set<std::string> used;
  for (std::size_t i = 0; i < labels->size(); ++i) {
    std::string& label = (*labels)[i];
    const std::string original = label;
    if (label.empty()) label = "unnamed_" + std::to_string(i + 1);
    // The suffix starts at the column so that thousands of equal labels do not search from 2 anew.
    std::size_t suffix = 2;
    while (!used.insert(label).second) {
      label = original + "_" + std::to_string(suffix);
      suffix = suffix == 2 ? std::max<std::size_t>(3, i + 1) : suffix + 1;
    }
    if (label != original && warnings->size() < 100) {
      warnings->push_back("label " + quote(original) + " of column " + std::to_string(i + 1) +
                          " is empty or was used before; renamed to " + quote(label));
    }
  }
}

}  // namespace vesica
