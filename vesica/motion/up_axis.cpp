#include "vesica/motion/up_axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "vesica/error.h"
#include "vesica/io/motion_checks.h"

namespace vesica {
namespace {

UpAxis make_up_axis(const std::string& text, bool is_certain) {
  const bool minus = !text.empty() && text.front() == '-';
  const char letter = text.empty() ? ' ' : text.back();
  const size_t letters = minus || (!text.empty() && text.front() == '+') ? 2 : 1;
  if (text.size() != letters || letter < 'x' || letter > 'z') {
    throw InputError(
        fmt::format("the axis that points up is '{}'; expected x, y or z, or -x, -y, -z", text));
  }
  UpAxis up;
  up.axis = (minus ? -1.0 : 1.0) * Vec3d::Unit(letter - 'x');
  up.name = std::string(minus ? "-" : "+") + letter;
  up.is_certain = is_certain;
  return up;
}

std::string name_axis(int line, double sense) {
  return std::string(sense < 0.0 ? "-" : "+") + "xyz"[line];
}

// The axis nearest to a direction and its sense; nothing where it lies between axes.
struct AxisSense {
  int line = 0;
  double sense = 1.0;
};
std::optional<AxisSense> find_axis(const Vec3d& direction, double least) {
  const double norm = direction.norm();
  if (!(norm > 0.0)) return {};
  for (int i = 0; i < 3; ++i) {
    if (std::abs(direction[i]) > least * norm) return AxisSense{i, direction[i] < 0.0 ? -1.0 : 1.0};
  }
  return {};
}

std::optional<AxisSense> parse_axis(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (text.size() == 1) text = "+" + text;
  if (text.size() != 2 || (text[0] != '+' && text[0] != '-') || text[1] < 'x' || text[1] > 'z') {
    return {};
  }
  return AxisSense{text[1] - 'x', text[0] == '-' ? -1.0 : 1.0};
}

Vec3d calc_normal(const ForcePlate& plate) {
  const Vec3d* c = plate.corners;
  return -(c[0] - c[1]).cross(c[0] - c[3]);
}

// From the feet to the pelvis, on average; zero where the markers' names do not tell.
Vec3d calc_way_to_pelvis(const MarkerTracks& markers, const GaitMarkers& gait) {
  Vec3d way = Vec3d::Zero();
  const std::vector<int> left = gait.left.all(), right = gait.right.all();
  if (gait.pelvis.empty() || left.empty() || right.empty()) return way;
  const auto mean_of = [&](size_t k, const std::vector<int>& list) {
    Vec3d sum = Vec3d::Zero();
    for (const int i : list) sum += markers.at(k, static_cast<size_t>(i));
    return Vec3d(sum / static_cast<double>(list.size()));
  };
  double count = 0.0;
  for (size_t k = 0; k < markers.frames(); ++k) {
    const Vec3d one = mean_of(k, gait.pelvis) - 0.5 * (mean_of(k, left) + mean_of(k, right));
    if (!one.allFinite()) continue;
    way += one;
    ++count;
  }
  return count > 0.0 ? Vec3d(way / count) : way;
}

// The side of a plate on which markers are: their share above it along an axis, less that below it.
double calc_side(const MarkerTracks& markers, const Vec3d& center, int line) {
  constexpr double kNear = 0.05;  // m: a heel on the ground is neither
  double above = 0.0, below = 0.0;
  for (const Vec3d& p : markers.positions) {
    above += p[line] - center[line] > kNear;
    below += p[line] - center[line] < -kNear;
  }
  return above + below > 0.0 ? (above - below) / (above + below) : 0.0;
}

constexpr const char* kYScreen = "POINT:Y_SCREEN";

struct UpWitness {
  std::string says;  // "the pelvis is above the feet along +z"
  double sense = 1.0, weight = 0.0;
};

std::vector<UpWitness> list_witnesses(const MotionTrial& trial, const GaitMarkers& gait, int line) {
  std::vector<UpWitness> witnesses;
  const auto add = [&](const std::string& text, double sense, double weight) {
    witnesses.push_back(
        {fmt::format("{} {}", text, name_axis(line, sense)), sense < 0.0 ? -1.0 : 1.0, weight});
  };
  std::string plates[2];
  Vec3d center = Vec3d::Zero();
  double usable = 0.0, counts[2] = {0.0, 0.0};
  for (size_t i = 0; i < trial.plates.size(); ++i) {
    const auto axis = find_axis(calc_normal(trial.plates[i]), 0.99);
    if (!axis || axis->line != line) continue;
    const int side = axis->sense < 0.0 ? 1 : 0;
    plates[side] += fmt::format("{}{}", plates[side].empty() ? "" : ", ", i + 1);
    ++counts[side];
    ++usable;
    for (const Vec3d& corner : trial.plates[i].corners) center += 0.25 * corner;
  }
  for (int side = 0; side < 2; ++side) {
    if (plates[side].empty()) continue;
    add(fmt::format("the corners of force plate {} say", plates[side]), side == 0 ? 1.0 : -1.0,
        1.5 * counts[side] / usable);
  }
  const double on_side = usable > 0.0 ? calc_side(trial.markers, center / usable, line) : 0.0;
  if (std::abs(on_side) > 0.9) add("the markers lie above the plates along", on_side, 3.0);
  const Vec3d way = calc_way_to_pelvis(trial.markers, gait);
  if (way.norm() > 0.2 && std::abs(way[line]) > 0.7 * way.norm()) {
    add("the pelvis is above the feet along", way[line], 2.0);
  }
  const auto spread = parse_axis(find_up_axis(trial.markers));
  if (spread && spread->line == line) add("the heights of the markers suggest", spread->sense, 1.0);
  const auto stated = parse_axis(trial.up_stated);
  if (stated && stated->line == line) add(std::string(kYScreen) + " says", stated->sense, 1.0);
  return witnesses;
}

void tell_conflict(const std::vector<UpWitness>& witnesses, double sense,
                   const std::vector<std::string>& told, UpAxis* up) {
  // Of Y_SCREEN the reader has told, where the markers alone contradict it.
  const bool screen_told = std::any_of(told.begin(), told.end(), [](const std::string& w) {
    return w.find(kYScreen) != std::string::npos;
  });
  std::string against, in_favour;
  for (const UpWitness& w : witnesses) {
    if (w.sense != sense && screen_told && w.says.starts_with(kYScreen)) continue;
    std::string& list = w.sense == sense ? in_favour : against;
    list += (list.empty() ? "" : ", ") + w.says;
  }
  if (against.empty()) return;
  against[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(against[0])));
  up->warnings.push_back(fmt::format("Which way is up is in conflict: {}{}{}; {} up is taken.",
                                     against, in_favour.empty() ? "" : ", but ", in_favour,
                                     up->name));
}

}  // namespace

UpAxis find_up(const MotionTrial& trial, const GaitMarkers& gait, const std::string& told) {
  if (!told.empty()) {
    UpAxis up = make_up_axis(told, true);
    const AxisSense axis = *parse_axis(up.name);
    const auto witnesses = list_witnesses(trial, gait, axis.line);
    double sum = 0.0;
    for (const UpWitness& w : witnesses) sum += w.sense * w.weight;
    // The user has a reason; that everything else says the opposite is worth a sentence.
    if (sum * axis.sense < 0.0) tell_conflict(witnesses, axis.sense, trial.warnings, &up);
    return up;
  }
  for (const ForcePlate& plate : trial.plates) {
    const auto axis = find_axis(calc_normal(plate), 0.99);
    if (!axis) continue;
    const auto witnesses = list_witnesses(trial, gait, axis->line);
    double sum = 0.0;
    for (const UpWitness& w : witnesses) sum += w.sense * w.weight;
    const double sense = sum != 0.0 ? (sum < 0.0 ? -1.0 : 1.0) : axis->sense;
    UpAxis up = make_up_axis(name_axis(axis->line, sense), true);
    tell_conflict(witnesses, sense, trial.warnings, &up);
    return up;
  }
  const std::string suggested = find_up_axis(trial.markers);
  if (!suggested.empty()) return make_up_axis(suggested, true);
  const Vec3d way = calc_way_to_pelvis(trial.markers, gait);
  if (const auto axis = find_axis(way, 0.9); axis && way.norm() > 0.2) {
    return make_up_axis(name_axis(axis->line, axis->sense), true);
  }
  if (const auto stated = parse_axis(trial.up_stated)) {
    return make_up_axis(name_axis(stated->line, stated->sense), false);
  }
  return make_up_axis(trial.format == "C3D" ? "z" : "y", false);
}

}  // namespace vesica
