// Events and force plates of a C3D that is to be written (declared in c3d_plan.h).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vesica/io/c3d_plan.h"

namespace vesica::detail {

namespace {

bool are_same(const std::vector<MotionEvent>& a, const std::vector<MotionEvent>& b) {
  return std::equal(
      a.begin(), a.end(), b.begin(), b.end(), [](const MotionEvent& one, const MotionEvent& other) {
        return one.time == other.time && one.label == other.label && one.context == other.context &&
               one.subject == other.subject && one.description == other.description;
      });
}

}  // namespace

void plan_c3d_events(const MotionTrial& trial, C3dPlan* plan) {
  if (trial.c3d != nullptr && plan->shift == 0.0 &&
      are_same(trial.events, read_c3d_events(*trial.c3d))) {
    return;
  }
  if (trial.c3d == nullptr && trial.events.empty()) return;
  plan->keeps_header_events = false;
  C3dParameters& parameters = plan->parameters;
  std::vector<double> times;
  std::vector<std::string> labels, contexts, subjects, descriptions;
  for (const MotionEvent& event : trial.events) {
    const double time = event.time + plan->shift;
    double minutes = std::floor(time / 60.0);
    float seconds = static_cast<float>(time - 60.0 * minutes);
    if (seconds >= 60.0f) {  // rounded up
      minutes += 1.0;
      seconds = 0.0f;
    }
    times.push_back(minutes);
    times.push_back(static_cast<double>(seconds));
    labels.push_back(event.label);
    contexts.push_back(event.context);
    subjects.push_back(event.subject);
    descriptions.push_back(event.description);
  }
  // Icons and flags of events that are no longer the same ones.
  for (const char* list :
       {"ICON_IDS", "GENERIC_FLAGS", "TIMES", "LABELS", "CONTEXTS", "SUBJECTS", "DESCRIPTIONS"}) {
    parameters.remove_list("EVENT", list);
  }
  const std::size_t count = trial.events.size();
  parameters.set_number("EVENT", "USED", 2, static_cast<double>(count));
  if (count == 0) return;
  for (std::size_t i = 0, part = 1; i < count; i += 255, ++part) {
    const std::size_t end = std::min(i + 255, count);
    parameters.set_numbers("EVENT", part == 1 ? "TIMES" : "TIMES" + std::to_string(part), 4,
                           {2, static_cast<int>(end - i)},
                           {times.begin() + static_cast<std::ptrdiff_t>(2 * i),
                            times.begin() + static_cast<std::ptrdiff_t>(2 * end)});
  }
  parameters.set_texts("EVENT", "LABELS", labels);
  parameters.set_texts("EVENT", "CONTEXTS", contexts);
  parameters.set_texts("EVENT", "SUBJECTS", subjects);
  parameters.set_texts("EVENT", "DESCRIPTIONS", descriptions);
}
namespace {

// Plates that did not come from a C3D: their channels are columns of the table.
void plan_new_plates(const MotionTrial& trial, C3dPlan* plan) {
  const std::size_t count = trial.plates.size();
  C3dParameters& parameters = plan->parameters;
  if (count > 255) plan->refuse(fmt::format("there are {} force plates", count));
  std::size_t most = 0;
  for (const ForcePlate& plate : trial.plates) most = std::max(most, plate.channels.size());
  std::vector<double> types, corners, origins, channels, matrices;
  bool calibrated = false;
  for (const ForcePlate& plate : trial.plates) {
    types.push_back(plate.type);
    for (const Vec3d& corner : plate.corners) {
      for (int k = 0; k < 3; ++k) corners.push_back(corner[k] * plan->units_per_metre);
    }
    for (int k = 0; k < 3; ++k) origins.push_back(plate.origin[k] * plan->units_per_metre);
    for (std::size_t c = 0; c < most; ++c) {
      const int channel = c < plate.channels.size() ? plate.channels[c] : -1;
      if (channel >= static_cast<int>(plan->channels)) {
        plan->refuse(
            fmt::format("a force plate uses channel {} of {}", channel + 1, plan->channels));
      }
      channels.push_back(channel + 1.0);
    }
    calibrated = calibrated || plate.type == 4;
    for (int col = 0; col < 6; ++col) {
      for (int row = 0; row < 6; ++row) {
        matrices.push_back(plate.calibration(row, col) * (row < 3 ? 1.0 : plan->units_per_metre));
      }
    }
  }
  const int n = static_cast<int>(count);
  parameters.set_number("FORCE_PLATFORM", "USED", 2, static_cast<double>(count));
  parameters.set_list("FORCE_PLATFORM", "TYPE", 2, types);
  const int zero_first = count > 0 ? trial.plates[0].zero_first : 0;
  const int zero_last = count > 0 ? trial.plates[0].zero_last : 0;
  parameters.set_numbers("FORCE_PLATFORM", "ZERO", 2, {2},
                         {static_cast<double>(zero_first), static_cast<double>(zero_last)});
  parameters.set_numbers("FORCE_PLATFORM", "CORNERS", 4, {3, 4, n}, corners);
  parameters.set_numbers("FORCE_PLATFORM", "ORIGIN", 4, {3, n}, origins);
  parameters.set_numbers("FORCE_PLATFORM", "CHANNEL", 2, {static_cast<int>(most), n}, channels);
  if (calibrated) parameters.set_numbers("FORCE_PLATFORM", "CAL_MATRIX", 4, {6, 6, n}, matrices);
}

}  // namespace

// Plates of the source, which may have been turned with the recording or have lost the frames that
// their baseline was to come from.
void plan_c3d_plates(const MotionTrial& trial, bool turned, C3dPlan* plan) {
  if (trial.c3d == nullptr) {
    if (!trial.plates.empty()) plan_new_plates(trial, plan);
    return;
  }
  C3dParameters& parameters = plan->parameters;
  const auto used = static_cast<std::size_t>(
      C3dParameter::as_count(parameters.find_number("FORCE_PLATFORM", "USED").value_or(0.0)));
  if (used == 0) return;
  if (turned && trial.plates.size() != used) {
    plan->refuse(fmt::format(
        "{} of the file's {} force plates could not be read and would not turn with the markers; "
        "keep the axes (--axes keep)",
        used - std::min(used, trial.plates.size()), used));
  }
  const C3dParameter* old = parameters.find("FORCE_PLATFORM", "CORNERS");
  if (turned && old != nullptr) {
    std::vector<double> corners = old->numbers;
    for (std::size_t i = 0; i < trial.plates.size(); ++i) {
      for (std::size_t k = 0; k < 12 && 12 * i + k < corners.size(); ++k) {
        corners[12 * i + k] =
            trial.plates[i].corners[k / 3][static_cast<int>(k % 3)] * plan->units_per_metre;
      }
    }
    parameters.set_numbers("FORCE_PLATFORM", "CORNERS", 4, old->dimensions, corners);
  }
  const C3dParameter* zero = parameters.find("FORCE_PLATFORM", "ZERO");
  const bool forgotten = std::all_of(trial.plates.begin(), trial.plates.end(),
                                     [](const ForcePlate& p) { return p.zero_last == 0; });
  if (zero != nullptr && zero->numbers.size() >= 2 && zero->numbers[0] >= 1.0 &&
      zero->numbers[1] >= zero->numbers[0] && forgotten && !trial.plates.empty()) {
    parameters.set_numbers("FORCE_PLATFORM", "ZERO", zero->type, zero->dimensions,
                           std::vector<double>(zero->numbers.size(), 0.0));
  }
}

}  // namespace vesica::detail
