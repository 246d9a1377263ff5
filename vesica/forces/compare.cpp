#include "vesica/forces/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace vesica::forces {
namespace {

void add_mean(const Errors& e, double n, Errors* sum) {
  sum->force += e.force / n;
  sum->pressure += e.pressure / n;
  sum->ahead += e.ahead / n;
  sum->lateral += e.lateral / n;
}

constexpr double kMostTimesExpected = 3;  // 2.6 in a stance of thirteen people who were left out

// Errors that no walk has, whatever a curve that is as wrong has; empty else.
std::string say_nonsense(const Comparison& c, const Predictor& predictor) {
  const PopulationFigures& f = predictor.population->figures;
  if (f.people == 0) return {};
  const Errors& expected = predictor.calibration != nullptr ? f.own : f.stranger;
  const Errors& e = c.delay.clock != 0 ? c.aligned : c.errors;
  std::vector<std::string> far;
  const auto add = [&](const char* what, double error, double usual) {
    if (error <= kMostTimesExpected * usual) return;
    far.push_back(fmt::format("{} {:.0f} times", what, error / usual));
  };
  add("vertical force", e.force, expected.force);
  add("centre of pressure", e.pressure, expected.pressure);
  add("fore-aft force", e.ahead, expected.ahead);
  add("lateral force", e.lateral, expected.lateral);
  if (far.empty()) return {};
  return fmt::format(
      "Far beyond the expected error ({}): are signs, axes and files of the plates right? ",
      fmt::join(far, ", "));
}

std::string say_verdict(const Comparison& c, const Predictor& predictor) {
  if (c.stances.empty()) {
    return fmt::format("No stance of this walk can be used: nothing to judge the prediction by{}.",
                       c.measured.rejected.empty() ? " (" + c.measured.why_none + ")"
                                                   : " (" + c.measured.rejected.front().why + ")");
  }
  const auto say = [&](const char* what, double ours, double theirs) {
    return fmt::format("{} {} ({:.1f} against {:.1f} %)", what,
                       ours < 0.98 * theirs   ? "better"
                       : ours > 1.02 * theirs ? "worse"
                                              : "as good",
                       ours, theirs);
  };
  const char* baseline = predictor.calibration != nullptr
                             ? "the person's own mean curve with the population's change by speed"
                             : "the population's mean curve with its change by speed";
  std::string text = say_nonsense(c, predictor);
  text += fmt::format("Against {}, which is told when the foot is on the plate: {}, {}, {}, {}.",
                      baseline, say("vertical force", c.errors.force, c.fair.force),
                      say("centre of pressure", c.errors.pressure, c.fair.pressure),
                      say("fore-aft force", c.errors.ahead, c.fair.ahead),
                      say("lateral force", c.errors.lateral, c.fair.lateral));
  if (!c.seen.empty()) text += " " + c.seen;
  if (c.delay.clock != 0) {
    text += fmt::format(
        " {} With the plates moved by {:+.0f} ms: vertical force {:.1f} against {:.1f} %, centre "
        "of "
        "pressure {:.1f} against {:.1f} %, fore-aft {:.1f} against {:.1f} %, lateral {:.1f} "
        "against "
        "{:.1f} %.",
        say_delay(c.delay), -1e3 * c.delay.clock, c.aligned.force, c.aligned_fair.force,
        c.aligned.pressure, c.aligned_fair.pressure, c.aligned.ahead, c.aligned_fair.ahead,
        c.aligned.lateral, c.aligned_fair.lateral);
  }
  if (c.plate_weight > 0 && std::abs(c.plate_weight / predictor.weight - 1) > kMostWeightOff) {
    text += fmt::format(
        " The plates carry {:.0f} N, the prediction assumes {:.0f} N: is the mass right?",
        c.plate_weight, predictor.weight);
  }
  return text;
}

// By content: copies under other names are seen through.
std::string say_seen(const Walk& walk, const Body& body, const Predictor& predictor) {
  const auto has = [](const std::vector<std::string>& digests, const std::string& digest) {
    return std::find(digests.begin(), digests.end(), digest) != digests.end();
  };
  if (predictor.calibration != nullptr && has(predictor.calibration->recordings, walk.digest)) {
    return "This walk calibrated: the comparison is not blind.";
  }
  if (has(predictor.population->recordings, walk.digest)) {
    return "The population was trained with this walk: the comparison is not blind.";
  }
  if (has(predictor.population->recordings, body.digest)) {
    return "The population was trained with this person: the comparison is not blind.";
  }
  return {};
}

// Everything but the verdict.
Comparison judge_stances(const Walk& walk, const Body& body, const std::vector<PlateForces>& plates,
                         const Predictor& predictor, const Prediction& prediction) {
  Comparison c;
  std::vector<MeasuredWalk> walks;
  walks.push_back(measure(walk, body, plates));
  c.scales = level_plates(body, predictor.weight / kGravity, &walks);
  c.plate_weight = find_weight(walks).weight;
  c.delay = find_load_delay(walks);
  c.measured = std::move(walks[0]);
  for (const MeasuredStance& m : c.measured.stances) {
    const Contact& contact = walk.contacts[m.contact];
    const FootForces& foot = prediction.feet[static_cast<size_t>(contact.side)];
    ComparedStance s;
    s.side = contact.side;
    s.plate = m.plate;
    s.begin = m.begin;
    s.end = m.end;
    s.predicted_begin = contact.strike;
    s.predicted_end = contact.off;
    s.errors = calc_errors(walk, m, predictor.weight, foot.force, foot.pressure);
    s.mean_curve = calc_curve_errors(walk, body, m, predictor.weight,
                                     make_baseline(predictor, s.side, walk.froude_speed, false));
    s.baseline = make_curve_tracks(walk, body, m, predictor.weight,
                                   make_baseline(predictor, s.side, walk.froude_speed, true));
    s.fair = calc_errors(walk, m, predictor.weight, s.baseline.force, s.baseline.pressure);
    s.coverage = calc_coverage(walk, m, foot);
    s.free_moment = calc_free_moment_errors(walk, m, foot);
    s.moments =
        calc_moment_errors(walk, m, predictor.weight / kGravity, foot, c.measured.pressure_height);
    c.stances.push_back(s);
  }
  const auto n = static_cast<double>(c.stances.size());
  for (const ComparedStance& s : c.stances) {
    add_mean(s.errors, n, &c.errors);
    add_mean(s.mean_curve, n, &c.mean_curve);
    add_mean(s.fair, n, &c.fair);
    for (size_t j = 0; j < kJoints; ++j) c.moments[j] += s.moments[j] / n;
  }
  return c;
}

}  // namespace

Comparison compare(const Walk& walk, const Body& body, const std::vector<PlateForces>& plates,
                   const Predictor& predictor, const Prediction& prediction) {
  Comparison c = judge_stances(walk, body, plates, predictor, prediction);
  if (c.delay.clock != 0) {
    std::vector<PlateForces> moved = plates;
    for (PlateForces& plate : moved) {
      for (double& t : plate.times) t -= c.delay.clock;
    }
    const Comparison aligned = judge_stances(walk, body, moved, predictor, prediction);
    c.aligned = aligned.errors;
    c.aligned_fair = aligned.fair;
    c.aligned_moments = aligned.moments;
  }
  c.seen = say_seen(walk, body, predictor);
  c.verdict = say_verdict(c, predictor);
  return c;
}

}  // namespace vesica::forces
