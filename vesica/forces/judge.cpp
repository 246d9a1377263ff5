#include "vesica/forces/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>

namespace vesica::forces {
namespace {

constexpr double kMostTurn = 15.0;         // degrees
constexpr double kMostSpeedChange = 0.25;  // of the mean
constexpr double kMostMisfit = 0.007;      // m
constexpr double kFarOutside = 1.0;        // of the trained range, beyond which it is refused
constexpr double kLeastWalkingIndex = 10,
                 kMostWalkingIndex = 60;  // kg/m^2, beyond which nobody walks

// Velocity of the pelvis from one frame to another.
Vec2d calc_velocity(const Walk& walk, size_t from, size_t until) {
  const Vec3d way = walk.slow_pelvis[until] - walk.slow_pelvis[from];
  return Vec2d(way.x(), way.z()) / (walk.times[until] - walk.times[from]);
}

double calc_mean(const std::vector<double>& values) {
  if (values.empty()) return kMissing;
  double sum = 0;
  for (const double v : values) sum += v;
  return sum / static_cast<double>(values.size());
}

// How far outside of a range, as a part of it.
double calc_excess(double value, const Range& range) {
  const double width = std::max(range.high - range.low, 1e-9);
  return std::max({0.0, range.low - value, value - range.high}) / width;
}

}  // namespace

WalkFigures calc_figures(const Walk& walk, const Body& body) {
  WalkFigures f;
  f.speed = walk.froude_speed;
  std::array<std::vector<double>, 2> durations;
  std::vector<double> steps, supports;
  for (size_t i = 0; i < walk.contacts.size(); ++i) {
    const Contact& c = walk.contacts[i];
    if (c.is_whole()) durations[static_cast<size_t>(c.side)].push_back(c.duration());
    if (c.is_whole() && std::isfinite(c.other_off) && std::isfinite(c.other_strike)) {
      supports.push_back((c.other_off - c.strike + c.off - c.other_strike) / c.duration());
    }
    if (i == 0 || walk.contacts[i - 1].side == c.side) continue;
    // Between footprints at mid-stance, where the foot is flat.
    const auto print = [&](const Contact& contact) {
      const double t = contact.strike + 0.3 * contact.duration();
      const double k = (t - walk.times[0]) * walk.rate;
      if (k < 0 || k >= static_cast<double>(walk.frames())) return kMissing;
      return walk.legs[contact.side].origin[static_cast<size_t>(k)].x();
    };
    const double step = print(c) - print(walk.contacts[i - 1]);
    if (std::isfinite(step)) steps.push_back(step / body.leg_length);
  }
  f.step_length = calc_mean(steps);
  f.double_support = calc_mean(supports);
  const double right = calc_mean(durations[0]), left = calc_mean(durations[1]);
  f.asymmetry = std::abs(right - left) / (0.5 * (right + left));
  const size_t n = walk.frames(), third = n / 3;
  const Vec2d begin = calc_velocity(walk, 0, third),
              end = calc_velocity(walk, n - 1 - third, n - 1);
  f.turn = std::abs(std::atan2(begin[0] * end[1] - begin[1] * end[0], begin.dot(end))) * 180.0 /
           std::numbers::pi;
  f.speed_change = (end.norm() - begin.norm()) / (0.5 * (end.norm() + begin.norm()));
  return f;
}

std::string say_misfit(const Walk& walk) {
  if (walk.misfit <= kMostMisfit) return {};
  return fmt::format(
      "Markers are {:.0f} mm (rms) farther from each other, or nearer, than in the standing trial "
      "({}): is it another person's, or were markers moved?",
      1e3 * walk.misfit, walk.misfit_pair);
}

Judgement judge(const WalkFigures& f, const Walk& walk, const Body& body,
                const Population& population, double weight) {
  Judgement result;
  const auto check = [&](const char* what, double value, const Range& range, double unit,
                         const char* unit_name) {
    if (!std::isfinite(value)) return;
    const double excess = calc_excess(value, range);
    if (excess <= 0.05) return;
    result.outside.push_back(fmt::format("The {} is {:.2f}{}; {:.2f} to {:.2f} were trained.", what,
                                         unit * value, unit_name, unit * range.low,
                                         unit * range.high));
    if (excess > kFarOutside && result.refused.empty()) result.refused = result.outside.back();
  };
  check("speed over sqrt(g x leg length)", f.speed, population.speed, 1, "");
  check("step length over leg length", f.step_length, population.step_length, 1, "");
  check("double support", f.double_support, population.double_support, 100, " % of stance");
  if (std::isfinite(f.asymmetry) && f.asymmetry > std::max(0.1, 1.5 * population.asymmetry.high)) {
    result.outside.push_back(
        fmt::format("Right and left contacts differ by {:.0f} % of their mean; up to {:.0f} % were "
                    "trained.",
                    100 * f.asymmetry, 100 * population.asymmetry.high));
  }
  if (f.turn > kMostTurn) {
    result.outside.push_back(
        fmt::format("The walk turns by {:.0f} degrees; straight walking was trained.", f.turn));
  }
  if (std::abs(f.speed_change) > kMostSpeedChange) {
    result.outside.push_back(fmt::format(
        "The walk gets {:.0f} % {} from its first to its last third: starting or stopping; steady "
        "walking was trained.",
        100 * std::abs(f.speed_change), f.speed_change > 0 ? "faster" : "slower"));
  }
  check("leg length", body.leg_length, population.leg_length, 1, " m");
  std::vector<std::string> missing;
  std::set_difference(population.markers.begin(), population.markers.end(), walk.markers.begin(),
                      walk.markers.end(), std::back_inserter(missing));
  if (!missing.empty()) {
    result.outside.push_back(
        fmt::format("It is another marker set than was trained with: there is no {}.",
                    fmt::join(missing, ", ")));
  }
  if (const std::string text = say_misfit(walk); !text.empty()) result.outside.push_back(text);
  if (const std::string text = say_mass_index(body, weight); !text.empty()) {
    result.outside.push_back(text);
    const double index = calc_mass_index(body, weight);
    if (!(index > kLeastWalkingIndex && index < kMostWalkingIndex)) result.refused = text;
  }
  if (walk.belt_W.norm() > 0) {
    result.outside.push_back("The walk is on a treadmill; walking over a floor was trained.");
  }
  return result;
}

}  // namespace vesica::forces
