#include "vesica/forces/train.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vesica/error.h"
#include "vesica/forces/signals.h"
#include "vesica/math/linear_algebra.h"

namespace vesica::forces {
namespace {

constexpr double kSignalRidge = 1e-3;  // of the mean diagonal
constexpr double kGainRidge = 0.05;    // of each signal's own diagonal
constexpr int kSmoothing = 5;          // phases on either side

// The time at which a contact has a phase.
double find_time(const Contact& c, const SignalModel& model, double phase) {
  double low = c.strike, high = c.off;
  for (int i = 0; i < 40; ++i) {
    const double middle = 0.5 * (low + high);
    (calc_phase(c, model, middle) < phase ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

// A value at a time, linear between frames; `value(frame)`.
template <class Value>
double at_time(const Walk& walk, size_t first, size_t last, double time, const Value& value) {
  const double x = std::clamp((time - walk.times[0]) * walk.rate, static_cast<double>(first),
                              static_cast<double>(last - 1));
  const auto k = std::min(static_cast<size_t>(x), last - 2);
  const double part = x - static_cast<double>(k);
  return (1 - part) * value(k) + part * value(k + 1);
}

// Where all feet that touch the floor stand on plates: total force and its centre, both in body
// weights and metres.
struct MeasuredTotal {
  std::vector<bool> known;
  Track force;
  std::vector<Vec2d> center;
};
MeasuredTotal sum_feet(const Person& person, const MeasuredWalk& m) {
  const Walk& w = m.walk;
  MeasuredTotal total;
  total.known.assign(w.frames(), false);
  total.force.assign(w.frames(), Vec3d::Zero());
  total.center.assign(w.frames(), Vec2d::Zero());
  std::array<double, 2> from = {1e9, 1e9}, until = {-1e9, -1e9};
  for (const Contact& c : w.contacts) {
    from[static_cast<size_t>(c.side)] = std::min(from[static_cast<size_t>(c.side)], c.strike - 0.3);
    until[static_cast<size_t>(c.side)] = std::max(until[static_cast<size_t>(c.side)], c.off + 0.3);
  }
  for (size_t k = 0; k < w.frames(); ++k) {
    const double t = w.times[k];
    int needed = 0, had = 0;
    const auto is_on = [&](const Contact& c) { return t >= c.strike - 0.02 && t <= c.off + 0.03; };
    for (const Contact& c : w.contacts) needed += is_on(c) ? 1 : 0;
    for (const MeasuredStance& s : m.stances) {
      had += is_on(w.contacts[s.contact]) ? 1 : 0;
      total.force[k] += s.force[k] / person.weight;
      total.center[k] += s.force[k].y() / person.weight * s.pressure[k];
    }
    total.known[k] = needed == had && had > 0 && t > std::max(from[0], from[1]) &&
                     t < std::min(until[0], until[1]);
    if (total.force[k].y() > 0) total.center[k] /= total.force[k].y();
  }
  return total;
}

void fit_total(const std::vector<const Person*>& people, SignalModel* model) {
  constexpr auto n = static_cast<Eigen::Index>(kBands.size());
  double legs = 0;
  for (const SegmentMass& s : kSegments) legs += 2 * s.fraction;
  const double untrained = model->upper_body ? 0.0 : (1 - legs) / static_cast<double>(n);
  std::array<Eigen::MatrixXd, 3> A;
  std::array<Eigen::VectorXd, 3> b;
  for (size_t a = 0; a < 3; ++a) {
    A[a] = Eigen::MatrixXd::Zero(n, n);
    b[a] = Eigen::VectorXd::Zero(n);
  }
  Eigen::VectorXd x(n);
  for (const Person* person : people) {
    for (const MeasuredWalk& m : person->walks) {
      if (m.stances.empty()) continue;
      const MeasuredTotal total = sum_feet(*person, m);
      for (size_t k = 0; k < m.walk.frames(); ++k) {
        if (!total.known[k]) continue;
        for (int a = 0; a < 3; ++a) {
          for (Eigen::Index f = 0; f < n; ++f) {
            x[f] = m.walk.pelvis_acceleration[static_cast<size_t>(f)][k][a];
          }
          double y = total.force[k][a] - (a == 1 ? 1.0 : 0.0) - m.walk.legs_acceleration[k][a];
          if (model->upper_body) y -= m.walk.upper.acceleration[k][a];
          A[static_cast<size_t>(a)] += x * x.transpose();
          b[static_cast<size_t>(a)] += y * x;
        }
      }
    }
  }
  for (size_t a = 0; a < 3; ++a) {
    const double ridge = kSignalRidge * A[a].trace() / static_cast<double>(n);
    A[a].diagonal().array() += ridge;
    b[a].array() += ridge * untrained;
    const Eigen::VectorXd found = solve_symmetric(A[a], b[a]);
    for (Eigen::Index f = 0; f < n; ++f) model->total[a][static_cast<size_t>(f)] = found[f];
  }
}

void fit_moment(const std::vector<const Person*>& people, SignalModel* model) {
  constexpr auto n = static_cast<Eigen::Index>(kBands.size()) + 1;
  for (size_t i = 0; i < 2; ++i) {
    const int a = kPlane[i];
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n);
    Eigen::VectorXd b = Eigen::VectorXd::Zero(n), x(n);
    for (const Person* person : people) {
      for (const MeasuredWalk& m : person->walks) {
        if (m.stances.empty()) continue;
        const MeasuredTotal measured = sum_feet(*person, m);
        const Track total = calc_total(m.walk, *model);
        for (size_t k = 0; k < m.walk.frames(); ++k) {
          if (!measured.known[k] || measured.force[k].y() < 0.3) continue;
          for (Eigen::Index f = 0; f + 1 < n; ++f) {
            x[f] = m.walk.pelvis_acceleration[static_cast<size_t>(f)][k][a] *
                   person->body.pelvis_height;
          }
          // No constant to one side: in a mirror the walk is another person's.
          x[n - 1] = i == 0 ? 0.05 : 0.0;
          double y = (measured.center[k][static_cast<Eigen::Index>(i)] - m.walk.slow_pelvis[k][a]) *
                         std::max(total[k].y(), 0.3) -
                     m.walk.legs_moment[k][a];
          if (model->upper_body) y -= m.walk.upper.moment[k][a];
          A += x * x.transpose();
          b += y * x;
        }
      }
    }
    A.diagonal().array() += kSignalRidge * A.trace() / static_cast<double>(n);
    const Eigen::VectorXd found = solve_symmetric(A, b);
    for (Eigen::Index f = 0; f < n; ++f) model->moment[i][static_cast<size_t>(f)] = found[f];
  }
}

void fit_phases(const std::vector<const Person*>& people, SignalModel* model) {
  double off = 0, strike = 0, n = 0;
  for (const Person* person : people) {
    for (const MeasuredWalk& m : person->walks) {
      for (const MeasuredStance& s : m.stances) {
        const Contact& c = m.walk.contacts[s.contact];
        if (!std::isfinite(c.other_off) || !std::isfinite(c.other_strike)) continue;
        off += (c.other_off - c.strike) / c.duration();
        strike += (c.other_strike - c.strike) / c.duration();
        n += 1;
      }
    }
  }
  if (n == 0) return;
  model->phase_off = off / n;
  model->phase_strike = strike / n;
}

// Centre of pressure of a stance over its phase, of a foot of usual size; held where the force is
// too small to trust it.
std::array<Curve, 2> calc_pressure_curves(const Person& person, const MeasuredWalk& m,
                                          const MeasuredStance& s, const SignalModel& model) {
  const Contact& c = m.walk.contacts[s.contact];
  size_t first = m.walk.frames(), last = 0;
  for (size_t k = 0; k < m.walk.frames(); ++k) {
    if (s.force[k].y() <= kPressureForce) continue;
    first = std::min(first, k);
    last = k + 1;
  }
  std::array<Curve, 2> curves{};
  if (last < first + 2) return curves;
  const Vec2d scale(person.body.length_scale(), person.body.width_scale());
  for (int i = 0; i < kPhases; ++i) {
    const double t = find_time(c, model, 0.01 * i);
    for (Eigen::Index a = 0; a < 2; ++a) {
      curves[static_cast<size_t>(a)][static_cast<size_t>(i)] = at_time(
          m.walk, first, last, t,
          [&](size_t k) { return as_local(m.walk, c.side, k, s.pressure[k])[a] / scale[a]; });
    }
  }
  return curves;
}

// What the plate measured, over its own stance.
std::array<Curve, kOutputs> calc_measured_curves(const Person& person, const MeasuredWalk& m,
                                                 const MeasuredStance& s) {
  const int side = m.walk.contacts[s.contact].side;
  size_t first = m.walk.frames(), last = 0;
  for (size_t k = 0; k < m.walk.frames(); ++k) {
    if (s.force[k].y() <= kPressureForce) continue;
    first = std::min(first, k);
    last = k + 1;
  }
  std::array<Curve, kOutputs> curves{};
  if (last < first + 2) return curves;
  const Vec2d scale(person.body.length_scale(), person.body.width_scale());
  for (size_t u = 0; u < kPhases; ++u) {
    const double t = s.begin + 0.01 * static_cast<double>(u) * (s.end - s.begin);
    for (int a = 0; a < kForceOutputs; ++a) {
      curves[static_cast<size_t>(a)][u] =
          at_time(m.walk, 0, m.walk.frames(), t, [&](size_t k) { return s.force[k][a]; }) /
          person.weight * (a == kForceZ ? sign_of(side) : 1.0);
    }
    for (Eigen::Index a = 0; a < 2; ++a) {
      curves[static_cast<size_t>(kForceOutputs + a)][u] =
          at_time(m.walk, first, last, t,
                  [&](size_t k) { return as_local(m.walk, side, k, s.pressure[k])[a] / scale[a]; });
    }
  }
  return curves;
}

void fit_mean_pressure(const std::vector<const Person*>& people, SignalModel* model) {
  std::array<Curve, 2> sum{};
  double n = 0;
  for (const Person* person : people) {
    for (const MeasuredWalk& m : person->walks) {
      for (const MeasuredStance& s : m.stances) {
        const std::array<Curve, 2> curves = calc_pressure_curves(*person, m, s, *model);
        for (size_t a = 0; a < 2; ++a) {
          for (size_t i = 0; i < kPhases; ++i) sum[a][i] += curves[a][i];
        }
        n += 1;
      }
    }
  }
  for (Curve& curve : sum) {
    for (double& v : curve) v /= n;
  }
  model->pressure = sum;
}

// How the two feet share force in double support, where plates saw both.
void fit_shares(const std::vector<const Person*>& people, SignalModel* model) {
  std::array<SupportCurve, 3> lead{}, trail{};  // mean forces, outward
  SupportCurve share{}, balance{};
  double n = 0;
  for (const Person* person : people) {
    for (const MeasuredWalk& m : person->walks) {
      const Walk& w = m.walk;
      const std::vector<Vec2d> center = calc_center(w, person->body, *model, calc_total(w, *model));
      for (const MeasuredStance& q : m.stances) {
        for (const MeasuredStance& p : m.stances) {
          const Contact& cq = w.contacts[q.contact];
          const Contact& cp = w.contacts[p.contact];
          if (cq.side == cp.side || !(p.begin < q.begin && q.begin < p.end)) continue;
          const std::vector<Vec2d> xq = calc_mean_pressure(w, person->body, *model, cq);
          const std::vector<Vec2d> xp = calc_mean_pressure(w, person->body, *model, cp);
          for (size_t i = 0; i < kSupportPhases; ++i) {
            const double tau = static_cast<double>(i) / (kSupportPhases - 1);
            const double t = cq.strike + tau * (cp.off - cq.strike);
            const auto at = [&](const auto& value) { return at_time(w, 0, w.frames(), t, value); };
            share[i] += at([&](size_t k) {
              return q.force[k].y() /
                     std::max(q.force[k].y() + p.force[k].y(), 0.1 * person->weight);
            });
            balance[i] +=
                at([&](size_t k) { return calc_share(center[k][0], xq[k][0], xp[k][0]); });
            for (int a = 0; a < 3; ++a) {
              const auto j = static_cast<size_t>(a);
              lead[j][i] += at([&](size_t k) { return q.force[k][a]; }) / person->weight *
                            (a == 2 ? sign_of(cq.side) : 1.0);
              trail[j][i] += at([&](size_t k) { return p.force[k][a]; }) / person->weight *
                             (a == 2 ? sign_of(cp.side) : 1.0);
            }
          }
          n += 1;
        }
      }
    }
  }
  if (n == 0) {
    throw InputError("no double support with both feet on plates in all of these recordings");
  }
  for (size_t i = 0; i < kSupportPhases; ++i) {
    model->share[i] = share[i] / n;
    for (size_t a = 0; a < 2; ++a) {
      const size_t axis = a == 0 ? 0 : 2;
      model->lead_ratio[a][i] = lead[axis][i] / std::max(lead[1][i], 0.02 * n);
      model->trail_ratio[a][i] = trail[axis][i] / std::max(trail[1][i], 0.02 * n);
    }
  }
  model->share.front() = 0;
  model->share.back() = 1;
  for (size_t i = 0; i < kSupportPhases; ++i)
    model->share_bias[i] = balance[i] / n - model->share[i];
}

}  // namespace

size_t Person::stances() const {
  size_t n = 0;
  for (const MeasuredWalk& m : walks) n += m.stances.size();
  return n;
}

SignalModel fit_signals(const std::vector<const Person*>& people) {
  SignalModel model;
  model.upper_body = true;
  for (const Person* person : people) {
    for (const MeasuredWalk& m : person->walks) {
      if (!m.stances.empty() && !m.walk.upper.is_seen()) model.upper_body = false;
    }
  }
  fit_phases(people, &model);
  fit_total(people, &model);
  fit_moment(people, &model);
  fit_mean_pressure(people, &model);
  fit_shares(people, &model);
  return model;
}

std::vector<Sample> make_samples(const Person& person, const SignalModel& model) {
  std::vector<Sample> samples;
  for (size_t j = 0; j < person.walks.size(); ++j) {
    const MeasuredWalk& m = person.walks[j];
    const Walk& w = m.walk;
    const std::vector<ContactSignals> signals = calc_signals(w, person.body, model);
    for (size_t s = 0; s < m.stances.size(); ++s) {
      const MeasuredStance& stance = m.stances[s];
      const Contact& c = w.contacts[stance.contact];
      const ContactSignals& contact = signals[stance.contact];
      Sample sample;
      sample.walk = j;
      sample.stance = s;
      sample.side = c.side;
      sample.speed = w.froude_speed;
      sample.measured = calc_measured_curves(person, m, stance);
      const std::array<Curve, 2> pressure = calc_pressure_curves(person, m, stance, model);
      for (int o = 0; o < kOutputs; ++o) {
        const auto out = static_cast<size_t>(o);
        sample.signals[out].resize(static_cast<size_t>(signals_of(o)));
        for (int i = 0; i < kPhases; ++i) {
          const auto u = static_cast<size_t>(i);
          const double t =
              is_pressure(o) ? find_time(c, model, 0.01 * i) : c.strike + 0.01 * i * c.duration();
          for (size_t q = 0; q < sample.signals[out].size(); ++q) {
            sample.signals[out][q][u] = at_time(w, contact.first, contact.last, t,
                                                [&](size_t k) { return contact.at(k, o)[q]; });
          }
          if (is_pressure(o)) {
            sample.y[out][u] = pressure[out - kForceOutputs][u];
          } else {
            sample.y[out][u] = at_time(w, 0, w.frames(), t, [&](size_t k) {
              return stance.force[k][o] / person.weight * (o == kForceZ ? sign_of(c.side) : 1.0);
            });
          }
        }
      }
      for (int i = 0; i < kPhases; ++i) {
        const double t = c.strike + 0.01 * i * c.duration();
        sample.free_moment[static_cast<size_t>(i)] =
            at_time(w, 0, w.frames(), t, [&](size_t k) { return stance.free_moment[k]; }) *
            sign_of(c.side) / (person.weight * person.body.foot_length);
      }
      samples.push_back(std::move(sample));
    }
  }
  return samples;
}

namespace {

// Means over all samples, slopes on speed within people.
struct Centered {
  double mean_speed = 0, spread = 0;        // sum of squares of speed within people
  std::vector<double> speed, speed_within;  // of each sample
  std::vector<size_t> person;
};
Centered center_speeds(const std::vector<std::vector<Sample>>& people) {
  Centered c;
  for (size_t p = 0; p < people.size(); ++p) {
    double mean = 0;
    for (const Sample& s : people[p]) mean += s.speed / static_cast<double>(people[p].size());
    for (const Sample& s : people[p]) {
      c.speed.push_back(s.speed);
      c.speed_within.push_back(s.speed - mean);
      c.person.push_back(p);
      c.spread += std::pow(s.speed - mean, 2);
      c.mean_speed += s.speed;
    }
  }
  c.mean_speed /= static_cast<double>(c.speed.size());
  return c;
}

// One quantity over all samples at one phase: its mean, slope and remainders.
struct Remainders {
  double mean = 0, slope = 0;
  Eigen::VectorXd rest;
};
template <class Value>
Remainders remove_speed(const Centered& c, bool within, size_t people, const Value& value) {
  const size_t n = c.speed.size();
  Eigen::VectorXd v(static_cast<Eigen::Index>(n));
  std::vector<double> sum(people, 0.0), count(people, 0.0);
  Remainders r;
  for (size_t i = 0; i < n; ++i) {
    v[static_cast<Eigen::Index>(i)] = value(i);
    r.mean += value(i) / static_cast<double>(n);
    sum[c.person[i]] += value(i);
    count[c.person[i]] += 1;
  }
  for (size_t i = 0; i < n; ++i) {
    r.slope += c.speed_within[i] *
               (v[static_cast<Eigen::Index>(i)] - sum[c.person[i]] / count[c.person[i]]);
  }
  r.slope = c.spread > 0 ? r.slope / c.spread : 0.0;
  r.rest.resize(static_cast<Eigen::Index>(n));
  for (size_t i = 0; i < n; ++i) {
    const double center = within ? sum[c.person[i]] / count[c.person[i]] : r.mean;
    const double speed = within ? c.speed_within[i] : c.speed[i] - c.mean_speed;
    r.rest[static_cast<Eigen::Index>(i)] =
        v[static_cast<Eigen::Index>(i)] - center - r.slope * speed;
  }
  return r;
}

}  // namespace

ModelTable fit_table(const std::vector<std::vector<Sample>>& people, bool within) {
  const Centered c = center_speeds(people);
  std::vector<const Sample*> all;
  for (const auto& person : people) {
    for (const Sample& s : person) all.push_back(&s);
  }
  ModelTable table;
  for (int o = 0; o < kOutputs; ++o) {
    const auto out = static_cast<size_t>(o);
    const auto m = static_cast<size_t>(signals_of(o));
    OutputModel& model = table.outputs[out];
    model.gains.resize(m);
    std::vector<Eigen::MatrixXd> N(kPhases);
    std::vector<Eigen::VectorXd> B(kPhases);
    std::vector<std::vector<Remainders>> signals(kPhases);
    Curve mean{}, speed_slope{};
    for (size_t u = 0; u < kPhases; ++u) {
      const Remainders y =
          remove_speed(c, within, people.size(), [&](size_t i) { return all[i]->y[out][u]; });
      mean[u] = y.mean;
      speed_slope[u] = y.slope;
      const Remainders measured = remove_speed(c, within, people.size(),
                                               [&](size_t i) { return all[i]->measured[out][u]; });
      model.mean[u] = measured.mean;
      model.slope[u] = measured.slope;
      Eigen::MatrixXd S(y.rest.size(), static_cast<Eigen::Index>(m));
      for (size_t q = 0; q < m; ++q) {
        signals[u].push_back(remove_speed(c, within, people.size(),
                                          [&](size_t i) { return all[i]->signals[out][q][u]; }));
        S.col(static_cast<Eigen::Index>(q)) = signals[u].back().rest;
      }
      N[u] = multiply_transposed(S, S);
      B[u] = multiply_transposed(S, y.rest);
    }
    for (int u = 0; u < kPhases; ++u) {
      Eigen::MatrixXd A =
          Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(m), static_cast<Eigen::Index>(m));
      Eigen::VectorXd b = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(m));
      const int from = std::max(0, u - kSmoothing), until = std::min(kPhases - 1, u + kSmoothing);
      for (int i = from; i <= until; ++i) {
        A += N[static_cast<size_t>(i)] / (until - from + 1);
        b += B[static_cast<size_t>(i)] / (until - from + 1);
      }
      A.diagonal() *= 1 + kGainRidge;
      const Eigen::VectorXd k = solve_symmetric(A, b);
      const auto phase = static_cast<size_t>(u);
      double a = mean[phase] - speed_slope[phase] * c.mean_speed;
      double slope = speed_slope[phase];
      for (size_t q = 0; q < m; ++q) {
        const double gain = k[static_cast<Eigen::Index>(q)];
        const Remainders& s = signals[phase][q];
        model.gains[q][phase] = gain;
        a -= gain * (s.mean - s.slope * c.mean_speed);
        slope -= gain * s.slope;
      }
      model.a[phase] = a;
      model.b[phase] = slope;
    }
  }
  return table;
}

Population fit_population(const std::vector<const Person*>& people) {
  Population population;
  population.signals = fit_signals(people);
  std::vector<std::vector<Sample>> samples;
  for (const Person* person : people) {
    samples.push_back(make_samples(*person, population.signals));
  }
  population.own = fit_table(samples, true);
  population.stranger = fit_table(samples, false);
  double n = 0;
  for (const auto& person : samples) {
    for (const Sample& s : person) {
      population.mean_speed += s.speed;
      for (size_t i = 0; i < kPhases; ++i) population.free_moment[i] += s.free_moment[i];
      n += 1;
    }
  }
  population.mean_speed /= n;
  for (double& v : population.free_moment) v /= n;
  population.stances = static_cast<int>(n);
  return population;
}

Curve predict_curve(const OutputModel& model, const Curve& a, const Sample& sample, int output) {
  Curve y{};
  for (size_t u = 0; u < kPhases; ++u) {
    y[u] = a[u] + model.b[u] * sample.speed;
    for (size_t q = 0; q < model.gains.size(); ++q) {
      y[u] += model.gains[q][u] * sample.signals[static_cast<size_t>(output)][q][u];
    }
  }
  return y;
}

OwnCurves fit_own(const ModelTable& table, const std::vector<const Sample*>& stances) {
  OwnCurves own;
  for (int o = 0; o < kOutputs; ++o) {
    const auto out = static_cast<size_t>(o);
    const OutputModel& model = table.outputs[out];
    std::array<Curve, 2> sum{};
    std::array<double, 2> count{};
    for (const Sample* s : stances) {
      const Curve rest = predict_curve(model, {}, *s, o);
      const auto side = static_cast<size_t>(s->side);
      for (size_t u = 0; u < kPhases; ++u) sum[side][u] += s->y[out][u] - rest[u];
      count[side] += 1;
    }
    const double n = count[0] + count[1];
    for (size_t u = 0; u < kPhases; ++u) {
      const double a = model.a[u];
      const double both = n > 0 ? a + n / (n + 1) * ((sum[0][u] + sum[1][u]) / n - a) : a;
      for (size_t side = 0; side < 2; ++side) {
        const double m = count[side];
        own[side][out][u] = m > 0 ? both + m / (m + 1) * (sum[side][u] / m - both) : both;
      }
    }
  }
  return own;
}

MeanCurves calc_means(const std::vector<const Sample*>& stances) {
  MeanCurves result;
  std::array<double, 2> count{};
  for (const Sample* s : stances) count[static_cast<size_t>(s->side)] += 1;
  const double n = count[0] + count[1];
  for (const Sample* s : stances) {
    result.speed += s->speed / n;
    for (size_t side = 0; side < 2; ++side) {
      // A side without stances has the other's.
      if (count[side] > 0 && static_cast<size_t>(s->side) != side) continue;
      const double weight = 1 / (count[side] > 0 ? count[side] : n);
      for (size_t o = 0; o < kOutputs; ++o) {
        for (size_t u = 0; u < kPhases; ++u) result.mean[side][o][u] += weight * s->measured[o][u];
      }
    }
  }
  return result;
}

}  // namespace vesica::forces
