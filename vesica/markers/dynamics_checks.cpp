#include "vesica/markers/dynamics_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vesica/markers/frame_marks.h"
#include "vesica/math/median.h"

namespace vesica::markers {
namespace {

constexpr double kWeighedWith = 9.80665;  // m/s^2
// Strides of one person weigh within 2 % of each other (WBDS, whole strides on plates).
constexpr double kMassOff = 0.05;
// A zero-phase low-pass of order 4 answers a single frame for about a third of its period.
constexpr double kSpread = 0.33;

}  // namespace

std::vector<UnknownStretch> find_marked_legs(const Run& run, size_t trial, const BodySegments& body,
                                             double motion_cutoff) {
  std::vector<UnknownStretch> out;
  const FrameMarks& marks = run.marks;
  if (marks.reason.empty()) return out;
  const Trial& source = run.trials[trial];
  int offset = 0;
  for (size_t t = 0; t < trial; ++t) offset += run.trials[t].frame_count();
  const double margin = 1 / source.rate + (motion_cutoff > 0 ? kSpread / motion_cutoff : 0);
  for (const Side leg : {Side::kLeft, Side::kRight}) {
    const auto is_marked = [&](int f) {
      if (f >= source.frame_count() || marks.reason[offset + f] == MarkReason::kNone) return false;
      const Side side = body.sides[static_cast<size_t>(marks.segment[offset + f])];
      return side == Side::kNone || side == leg;
    };
    for (int first = 0, last = 0; first < source.frame_count(); first = last + 1) {
      last = first;
      if (!is_marked(first)) continue;
      while (is_marked(last + 1)) ++last;
      UnknownStretch& u = out.emplace_back();
      u.side = leg;
      u.start = source.time_of(first) - margin;
      u.end = source.time_of(last) + margin;
      u.why = fmt::format("the pose of {} is not to be relied on in frames {} to {} ({})",
                          run.model.segments[marks.segment[offset + first]].name, first + 1,
                          last + 1, name_of(marks.reason[offset + first]));
    }
  }
  return out;
}

std::string compare_mass(double mass, const std::vector<WeightEstimate>& weights) {
  if (weights.empty()) return {};
  std::vector<double> masses;
  for (const WeightEstimate& w : weights) masses.push_back(w.weight / kWeighedWith);
  const double weighed = calc_median(std::move(masses));
  const double off = mass / weighed - 1;
  if (std::abs(off) <= kMassOff) return {};
  return fmt::format(
      "the mass given, {:.1f} kg, is {:.0f} % {} than the {:.1f} kg that {} whole stride{} on "
      "plates "
      "weigh{}: another subject's, or plates that are not calibrated? Without --mass the plates' "
      "is "
      "taken",
      mass, 100 * std::abs(off), off > 0 ? "more" : "less", weighed, weights.size(),
      weights.size() == 1 ? "" : "s", weights.size() == 1 ? "s" : "");
}

std::string doubt_forces(const std::string& trial, const TrialAnalysis& forces) {
  int seen = 0, nowhere = 0;
  for (const PlateContact& c : forces.contacts) {
    if (!std::isfinite(c.distance)) continue;
    ++seen;
    nowhere += c.foot == Foot::kUnknown;
  }
  if (seen > 0 && 2 * nowhere >= seen) {
    return fmt::format(
        "{}: {} of {} loads on plates have no foot under them: are these the forces of this trial, "
        "and do markers and plates share one frame and clock?",
        trial, nowhere, seen);
  }
  const ClockOffset& clock = forces.clock_offset;
  if (clock.is_off()) {
    return fmt::format(
        "{}: the plates are loaded {:.2f} s {} the feet stand still ({} stances): are these the "
        "forces of this trial? If so, shift them (vesica motion --shift-forces)",
        trial, std::abs(clock.seconds), clock.seconds > 0 ? "after" : "before", clock.stances);
  }
  return {};
}

}  // namespace vesica::markers
