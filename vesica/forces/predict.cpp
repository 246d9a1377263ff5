#include "vesica/forces/predict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vesica/error.h"
#include "vesica/forces/signals.h"

namespace vesica::forces {
namespace {

constexpr double kBandMargin = 0.015;  // s beyond a contact in which force is not excluded
constexpr double kPartialBand = 1.1;   // wider where an end of the contact was guessed: see theory

// While the foot is in the air: where the contact that is nearest in time ends or begins.
void hold_pressure(FootForces* foot) {
  const size_t n = foot->on.size();
  size_t last = n;  // with the foot on the floor
  for (size_t k = 0; k < n; ++k) {
    if (!foot->on[k]) continue;
    for (size_t i = last == n ? 0 : last + 1; i < k; ++i) {
      const bool nearer_to_last = last < n && i - last < k - i;
      foot->pressure[i] = foot->pressure[nearer_to_last ? last : k];
    }
    last = k;
  }
  if (last == n) return;
  for (size_t i = last + 1; i < n; ++i) foot->pressure[i] = foot->pressure[last];
}

// Half-widths along and across the foot as half-widths ahead and to the right: the box that holds
// the turned one would be too wide; independent errors add in squares.
Vec2d turn_band(const Vec2d& toward, double along, double across) {
  return {std::hypot(toward[0] * along, toward[1] * across),
          std::hypot(toward[1] * along, toward[0] * across)};
}

// Signals of a population that has seen trunks are of no use without one.
void require_upper_body(const Walk& walk, const Population& population) {
  if (!population.signals.upper_body || walk.upper.is_seen()) return;
  throw InputError(fmt::format(
      "{}: the population '{}' was trained with trunk and arms; here no trunk is seen throughout "
      "(C7 and clavicle, or both shoulders). Name another population",
      walk.file, population.title));
}

// Every load that was not used, and why.
std::string list_rejected(const Person& person, const std::vector<size_t>& walks) {
  std::string text;
  for (const size_t w : walks) {
    const MeasuredWalk& m = person.walks[w];
    for (const RejectedLoad& r : m.rejected) {
      text += fmt::format("\n  {}: plate {}, {:.3f} to {:.3f} s: {}", m.walk.name, r.plate, r.begin,
                          r.end, r.why);
    }
    if (!m.why_none.empty()) text += fmt::format("\n  {}: {}", m.walk.name, m.why_none);
  }
  return text;
}

}  // namespace

std::vector<std::string> list_sides_without_stances(const Calibration& calibration) {
  std::vector<std::string> notes;
  for (int side = 0; side < 2; ++side) {
    if (calibration.side_stances[static_cast<size_t>(side)] != 0) continue;
    notes.push_back(
        fmt::format("The calibration has no stance of the {} foot: its curves are those of the "
                    "other, mirrored.",
                    name_of(as_foot(side))));
  }
  return notes;
}

double Predictor::speed_distance(double speed) const {
  if (calibration != nullptr) return std::abs(speed - calibration->means.speed);
  return std::max({0.0, population->speed.low - speed, speed - population->speed.high});
}

Calibration calibrate(const Person& person, const std::vector<size_t>& walks,
                      const Population& population) {
  Calibration c;
  c.population_title = population.title;
  c.population_digest = population.digest;
  c.body = person.body;
  c.weight = person.weight;
  c.weight_spread = person.weight_found.spread;
  c.slope_W = person.slope_W;
  for (const size_t w : walks) require_upper_body(person.walks[w].walk, population);
  const std::vector<Sample> samples = make_samples(person, population.signals);
  std::vector<const Sample*> used;
  double height = 0;
  for (const Sample& s : samples) {
    if (std::find(walks.begin(), walks.end(), s.walk) != walks.end()) used.push_back(&s);
  }
  for (const size_t w : walks) {
    c.trials.push_back(person.walks[w].walk.name);
    c.recordings.push_back(person.walks[w].walk.digest);
    height += person.walks[w].pressure_height / static_cast<double>(walks.size());
  }
  c.floor_height = height;
  if (used.empty()) {
    throw InputError("no stance in these trials can be used: nothing to calibrate with" +
                     list_rejected(person, walks));
  }
  c.stances = static_cast<int>(used.size());
  c.side_stances = {0, 0};
  for (const Sample* s : used) ++c.side_stances[static_cast<size_t>(s->side)];
  c.curves = fit_own(population.own, used);
  c.means = calc_means(used);
  return c;
}

Prediction predict(const Walk& walk, const Body& body, const Predictor& predictor) {
  const Population& population = *predictor.population;
  const ModelTable& table = predictor.table();
  require_upper_body(walk, population);
  const size_t n = walk.frames();
  Prediction result;
  for (FootForces& foot : result.feet) {
    foot.on.assign(n, false);
    foot.force.assign(n, Vec3d::Zero());
    foot.pressure.assign(n, Vec2d::Zero());
    foot.free_moment.assign(n, 0.0);
    foot.force_band.assign(n, Vec3d::Zero());
    foot.pressure_band.assign(n, Vec2d::Zero());
    foot.moment_band.assign(n, 0.0);
  }
  const std::vector<ContactSignals> signals = calc_signals(walk, body, population.signals);
  const double speed = walk.froude_speed;
  const double wider = 1 + table.band_growth * predictor.speed_distance(speed) / 0.1;
  for (size_t i = 0; i < walk.contacts.size(); ++i) {
    const Contact& c = walk.contacts[i];
    FootForces& foot = result.feet[static_cast<size_t>(c.side)];
    const double band = wider * (c.is_whole() ? 1.0 : kPartialBand);
    for (size_t k = 0; k < n; ++k) {
      const double t = walk.times[k];
      if (t < c.strike - kBandMargin || t > c.off + kBandMargin) continue;
      const double u = calc_time_phase(c, t);
      const double phase = calc_phase(c, population.signals, t);
      const auto half = [&](int o) {
        return band * at_phase(table.band[static_cast<size_t>(o)], is_pressure(o) ? phase : u);
      };
      for (int a = 0; a < 3; ++a) {
        foot.force_band[k][a] = std::max(foot.force_band[k][a], predictor.weight * half(a));
      }
      if (t < c.strike || t > c.off) continue;
      foot.on[k] = true;
      std::array<double, kOutputs> y{};
      for (int o = 0; o < kOutputs; ++o) {
        const auto out = static_cast<size_t>(o);
        const OutputModel& model = table.outputs[out];
        const double at = is_pressure(o) ? phase : u;
        y[out] = at_phase(predictor.curve(c.side, o), at) + at_phase(model.b, at) * speed;
        const double* s = signals[i].at(k, o);
        for (size_t q = 0; q < model.gains.size(); ++q)
          y[out] += at_phase(model.gains[q], at) * s[q];
      }
      const double mirror = sign_of(c.side);
      foot.force[k] =
          predictor.weight * Vec3d(y[kForceX], std::max(0.0, y[kForceY]), mirror * y[kForceZ]);
      foot.pressure[k] =
          from_local(walk, c.side, k,
                     {y[kPressureX] * body.length_scale(), y[kPressureZ] * body.width_scale()});
      foot.pressure_band[k] =
          turn_band(walk.legs[c.side].toward[k], half(kPressureX) * body.length_scale(),
                    half(kPressureZ) * body.width_scale());
      const double moment = predictor.weight * body.foot_length;
      foot.free_moment[k] = mirror * moment * at_phase(population.free_moment, u);
      foot.moment_band[k] = band * moment * at_phase(population.free_moment_band, u);
    }
  }
  for (FootForces& foot : result.feet) hold_pressure(&foot);
  return result;
}

namespace {

// Sums of squares over frames, and what they are of.
struct ErrorSum {
  Vec3d force = Vec3d::Zero();
  double frames = 0, distance = 0, points = 0;

  void add(const Walk& walk, const MeasuredStance& measured, double weight, const Track& f,
           const std::vector<Vec2d>& pressure, double from, double until) {
    for (size_t k = 0; k < walk.frames(); ++k) {
      if (walk.times[k] < from || walk.times[k] > until) continue;
      force += ((f[k] - measured.force[k]) / weight).cwiseAbs2();
      frames += 1;
      if (measured.force[k].y() <= kPressureForce) continue;
      distance += (pressure[k] - measured.pressure[k]).squaredNorm();
      points += 1;
    }
  }
  Errors percent() const {
    const auto rms = [](double sum, double n) { return n > 0 ? std::sqrt(sum / n) : kMissing; };
    return {100 * rms(force.y(), frames), 100 * rms(distance, points) / 0.2,
            100 * rms(force.x(), frames), 100 * rms(force.z(), frames)};
  }
};

}  // namespace

Errors calc_errors(const Walk& walk, const MeasuredStance& measured, double weight,
                   const Track& force, const std::vector<Vec2d>& pressure) {
  ErrorSum sum;
  sum.add(walk, measured, weight, force, pressure, measured.begin, measured.end);
  return sum.percent();
}

TenthErrors calc_tenth_errors(const Walk& walk, const MeasuredStance& measured, double weight,
                              const Track& force, const std::vector<Vec2d>& pressure) {
  TenthErrors errors;
  for (size_t i = 0; i < kTenths; ++i) {
    const double tenth = (measured.end - measured.begin) / static_cast<double>(kTenths);
    ErrorSum sum;
    sum.add(walk, measured, weight, force, pressure,
            measured.begin + tenth * static_cast<double>(i),
            measured.begin + tenth * static_cast<double>(i + 1));
    errors[i] = sum.percent();
  }
  return errors;
}

std::array<Curve, kOutputs> make_baseline(const Predictor& predictor, int side, double speed,
                                          bool with_slope) {
  std::array<Curve, kOutputs> curves{};
  for (size_t o = 0; o < kOutputs; ++o) {
    const OutputModel& model = predictor.table().outputs[o];
    const Calibration* own = predictor.calibration;
    const Curve& mean = own != nullptr ? own->means.mean[static_cast<size_t>(side)][o] : model.mean;
    const double at = own != nullptr ? own->means.speed : predictor.population->mean_speed;
    for (size_t u = 0; u < kPhases; ++u) {
      curves[o][u] = mean[u] + (with_slope ? model.slope[u] * (speed - at) : 0.0);
    }
  }
  return curves;
}

CurveTracks make_curve_tracks(const Walk& walk, const Body& body, const MeasuredStance& measured,
                              double weight, const std::array<Curve, kOutputs>& curves) {
  const int side = walk.contacts[measured.contact].side;
  CurveTracks tracks{Track(walk.frames(), Vec3d::Zero()),
                     std::vector<Vec2d>(walk.frames(), Vec2d::Zero())};
  for (size_t k = 0; k < walk.frames(); ++k) {
    const double u = (walk.times[k] - measured.begin) / (measured.end - measured.begin);
    if (u < 0 || u > 1) continue;
    tracks.force[k] = weight * Vec3d(at_phase(curves[kForceX], u), at_phase(curves[kForceY], u),
                                     sign_of(side) * at_phase(curves[kForceZ], u));
    tracks.pressure[k] = from_local(walk, side, k,
                                    {at_phase(curves[kPressureX], u) * body.length_scale(),
                                     at_phase(curves[kPressureZ], u) * body.width_scale()});
  }
  return tracks;
}

Errors calc_curve_errors(const Walk& walk, const Body& body, const MeasuredStance& measured,
                         double weight, const std::array<Curve, kOutputs>& curves) {
  const CurveTracks tracks = make_curve_tracks(walk, body, measured, weight, curves);
  return calc_errors(walk, measured, weight, tracks.force, tracks.pressure);
}

std::array<double, kOutputs> calc_coverage(const Walk& walk, const MeasuredStance& measured,
                                           const FootForces& foot) {
  std::array<double, kOutputs> inside{}, counted{};
  for (size_t k = 0; k < walk.frames(); ++k) {
    if (walk.times[k] < measured.begin || walk.times[k] > measured.end) continue;
    for (int a = 0; a < 3; ++a) {
      counted[static_cast<size_t>(a)] += 1;
      if (std::abs(measured.force[k][a] - foot.force[k][a]) <= foot.force_band[k][a]) {
        inside[static_cast<size_t>(a)] += 1;
      }
    }
    // A loaded frame in which the foot was said to be off has no band: a miss.
    if (measured.force[k].y() <= kPressureForce) continue;
    for (int a = 0; a < 2; ++a) {
      const auto o = static_cast<size_t>(kForceOutputs + a);
      counted[o] += 1;
      if (std::abs(measured.pressure[k][a] - foot.pressure[k][a]) <= foot.pressure_band[k][a]) {
        inside[o] += 1;
      }
    }
  }
  std::array<double, kOutputs> share{};
  for (size_t o = 0; o < kOutputs; ++o) {
    share[o] = counted[o] > 0 ? inside[o] / counted[o] : kMissing;
  }
  return share;
}

FreeMomentErrors calc_free_moment_errors(const Walk& walk, const MeasuredStance& measured,
                                         const FootForces& foot) {
  double miss = 0, all = 0, inside = 0, n = 0;
  for (size_t k = 0; k < walk.frames(); ++k) {
    if (walk.times[k] < measured.begin || walk.times[k] > measured.end) continue;
    if (measured.force[k].y() <= kPressureForce) continue;
    const double off = measured.free_moment[k] - foot.free_moment[k];
    miss += off * off;
    all += measured.free_moment[k] * measured.free_moment[k];
    inside += std::abs(off) <= foot.moment_band[k] ? 1 : 0;
    n += 1;
  }
  if (n == 0) return {};
  return {std::sqrt(miss / n), std::sqrt(all / n), inside / n};
}

}  // namespace vesica::forces
