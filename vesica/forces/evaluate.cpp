#include "vesica/forces/evaluate.h"

#include <algorithm>
#include <cmath>

namespace vesica::forces {
namespace {

std::vector<const Person*> list_others(const std::vector<const Person*>& people,
                                       const Person* left_out) {
  std::vector<const Person*> others;
  for (const Person* p : people) {
    if (p != left_out) others.push_back(p);
  }
  return others;
}

void add(const Errors& e, double weight, Errors* sum) {
  sum->force += weight * e.force;
  sum->pressure += weight * e.pressure;
  sum->ahead += weight * e.ahead;
  sum->lateral += weight * e.lateral;
}

// All ways to take `count` of the walks, in turn: each leaves out its neighbours in the list.
std::vector<std::vector<size_t>> list_folds(const std::vector<size_t>& walks, size_t count) {
  if (walks.size() <= count) return {walks};
  std::vector<std::vector<size_t>> folds;
  for (size_t i = 0; i < walks.size(); ++i) {
    std::vector<size_t> fold;
    for (size_t k = 0; k < count; ++k) fold.push_back(walks[(i + k) % walks.size()]);
    folds.push_back(fold);
  }
  return folds;
}

// Scores of one way of predicting, added to each stance that the calibration did not see.
void score_walks(
    const Person& person, const Predictor& predictor, const std::vector<size_t>& excluded,
    bool with_bands,
    const std::function<void(size_t walk, size_t stance, const Errors& errors, const Errors& mean,
                             const Errors& fair, const std::array<double, kOutputs>& coverage,
                             const std::array<double, kJoints>& moments)>& take) {
  for (size_t w = 0; w < person.walks.size(); ++w) {
    if (std::find(excluded.begin(), excluded.end(), w) != excluded.end()) continue;
    const MeasuredWalk& m = person.walks[w];
    if (m.stances.empty()) continue;
    const Prediction prediction = predict(m.walk, person.body, predictor);
    for (size_t s = 0; s < m.stances.size(); ++s) {
      const MeasuredStance& stance = m.stances[s];
      const int side = m.walk.contacts[stance.contact].side;
      const FootForces& foot = prediction.feet[static_cast<size_t>(side)];
      const auto curve_errors = [&](bool slope) {
        return calc_curve_errors(m.walk, person.body, stance, person.weight,
                                 make_baseline(predictor, side, m.walk.froude_speed, slope));
      };
      std::array<double, kOutputs> coverage{};
      if (with_bands) coverage = calc_coverage(m.walk, stance, foot);
      take(w, s, calc_errors(m.walk, stance, person.weight, foot.force, foot.pressure),
           curve_errors(false), curve_errors(true), coverage,
           calc_moment_errors(m.walk, stance, person.weight / kGravity, foot, m.pressure_height));
    }
  }
}

PersonScore score_person(const Person& person, const Population& population,
                         const EvaluationOptions& options) {
  PersonScore score;
  score.name = person.name;
  std::vector<std::vector<size_t>> index(person.walks.size());
  std::vector<double> counts;
  for (size_t w = 0; w < person.walks.size(); ++w) {
    for (size_t s = 0; s < person.walks[w].stances.size(); ++s) {
      index[w].push_back(score.stances.size());
      score.stances.emplace_back();
      score.stances.back().walk = w;
      score.stances.back().stance = s;
      counts.push_back(0);
    }
  }
  const Predictor stranger{&population, nullptr, person.weight};
  score_walks(person, stranger, {}, options.with_bands || options.bands != nullptr,
              [&](size_t w, size_t s, const Errors& e, const Errors& mean, const Errors& fair,
                  const std::array<double, kOutputs>& coverage,
                  const std::array<double, kJoints>& moments) {
                StanceScore& stance = score.stances[index[w][s]];
                stance.stranger = e;
                stance.stranger_mean = mean;
                stance.stranger_fair = fair;
                stance.stranger_coverage = coverage;
                stance.stranger_moments = moments;
              });
  const std::vector<size_t> usual =
      options.usual_walks ? options.usual_walks(person) : choose_calibration(person, 3);
  const auto folds = list_folds(usual, options.calibration_walks);
  std::vector<Calibration> calibrations;
  for (const auto& fold : folds) calibrations.push_back(calibrate(person, fold, population));
  for (const bool counting : {true, false}) {
    for (size_t f = 0; f < folds.size(); ++f) {
      const Predictor own{&population, &calibrations[f], person.weight};
      if (counting) {
        for (size_t w = 0; w < person.walks.size(); ++w) {
          if (std::find(folds[f].begin(), folds[f].end(), w) != folds[f].end()) continue;
          for (const size_t i : index[w]) counts[i] += 1;
        }
        continue;
      }
      score_walks(person, own, folds[f], options.with_bands || options.bands != nullptr,
                  [&](size_t w, size_t s, const Errors& e, const Errors& mean, const Errors& fair,
                      const std::array<double, kOutputs>& coverage,
                      const std::array<double, kJoints>& moments) {
                    StanceScore& stance = score.stances[index[w][s]];
                    const double weight = 1 / counts[index[w][s]];
                    add(e, weight, &stance.own);
                    add(mean, weight, &stance.own_mean);
                    add(fair, weight, &stance.own_fair);
                    for (size_t o = 0; o < kOutputs; ++o) {
                      stance.own_coverage[o] += weight * coverage[o];
                    }
                    for (size_t j = 0; j < kJoints; ++j) {
                      stance.own_moments[j] += weight * moments[j];
                    }
                  });
    }
  }
  return score;
}

double calc_rms(const Curve& a, const Curve& b) {
  double sum = 0;
  for (size_t u = 0; u < kPhases; ++u) sum += std::pow(a[u] - b[u], 2) / kPhases;
  return std::sqrt(sum);
}

}  // namespace

std::vector<PersonScore> leave_one_out(const std::vector<const Person*>& people,
                                       const EvaluationOptions& options) {
  std::vector<PersonScore> scores;
  for (const Person* person : people) {
    const std::vector<const Person*> others = list_others(people, person);
    Population population = fit_population(others);
    population.speed = {1e9, -1e9};
    for (const Person* p : others) {
      for (const MeasuredWalk& m : p->walks) {
        if (m.stances.empty()) continue;
        population.speed.low = std::min(population.speed.low, m.walk.froude_speed);
        population.speed.high = std::max(population.speed.high, m.walk.froude_speed);
      }
    }
    if (options.with_bands) fit_bands(others, &population);
    if (options.bands != nullptr) {
      for (const auto member : {&Population::own, &Population::stranger}) {
        (population.*member).band = (options.bands->*member).band;
        (population.*member).band_growth = (options.bands->*member).band_growth;
      }
    }
    scores.push_back(score_person(*person, population, options));
  }
  return scores;
}

Errors average(const std::vector<PersonScore>& scores, Errors StanceScore::*member) {
  Errors sum;
  double people = 0;
  for (const PersonScore& p : scores) people += p.stances.empty() ? 0 : 1;
  for (const PersonScore& p : scores) {
    for (const StanceScore& s : p.stances) {
      add(s.*member, 1 / (people * static_cast<double>(p.stances.size())), &sum);
    }
  }
  return sum;
}

PhysicsGain calc_physics_gain(const std::vector<const Person*>& people, bool reversed) {
  double own_model = 0, own_curve = 0, model_sum = 0, curve_sum = 0;
  for (const Person* left_out : people) {
    const std::vector<const Person*> others = list_others(people, left_out);
    const SignalModel signals = fit_signals(others);
    const auto sample = [&](const Person& p) {
      std::vector<Sample> samples = make_samples(p, signals);
      if (!reversed) return samples;
      for (Sample& s : samples) {
        for (Curve& y : s.y) std::reverse(y.begin(), y.end());
      }
      return samples;
    };
    std::vector<std::vector<Sample>> samples;
    double speed = 0, n = 0;
    for (const Person* p : others) {
      samples.push_back(sample(*p));
      for (const Sample& s : samples.back()) {
        speed += s.speed;
        n += 1;
      }
    }
    const ModelTable own = fit_table(samples, true), stranger = fit_table(samples, false);
    const std::vector<Sample> mine = sample(*left_out);
    const OutputModel& m = stranger.outputs[kForceY];
    const auto with_slope = [&](const Curve& mean, double change) {
      Curve y{};
      for (size_t u = 0; u < kPhases; ++u) y[u] = mean[u] + m.slope[u] * change;
      return y;
    };
    for (const Sample& s : mine) {
      const double weight = 1 / static_cast<double>(mine.size());
      model_sum += weight * calc_rms(predict_curve(m, m.a, s, kForceY), s.y[kForceY]);
      curve_sum += weight * calc_rms(with_slope(m.mean, s.speed - speed / n), s.y[kForceY]);
    }
    const std::vector<size_t> usual = choose_calibration(*left_out, 2);
    const auto calibrates = [&](const Sample& s) {
      return std::find(usual.begin(), usual.end(), s.walk) != usual.end();
    };
    std::vector<const Sample*> used;
    for (const Sample& s : mine) {
      if (calibrates(s)) used.push_back(&s);
    }
    const OwnCurves curves = fit_own(own, used);
    const MeanCurves means = calc_means(used);
    const double rest = static_cast<double>(mine.size() - used.size());
    for (const Sample& s : mine) {
      if (calibrates(s)) continue;
      const auto side = static_cast<size_t>(s.side);
      own_model += calc_rms(predict_curve(own.outputs[kForceY], curves[side][kForceY], s, kForceY),
                            s.y[kForceY]) /
                   rest;
      own_curve +=
          calc_rms(with_slope(means.mean[side][kForceY], s.speed - means.speed), s.y[kForceY]) /
          rest;
    }
  }
  return {100 * (1 - own_model / own_curve), 100 * (1 - model_sum / curve_sum)};
}

PopulationFigures calc_figures(const std::vector<const Person*>& people) {
  const std::vector<PersonScore> scores = leave_one_out(people, {});
  PopulationFigures f;
  f.own = average(scores, &StanceScore::own);
  f.own_fair = average(scores, &StanceScore::own_fair);
  f.own_mean = average(scores, &StanceScore::own_mean);
  f.stranger = average(scores, &StanceScore::stranger);
  f.stranger_fair = average(scores, &StanceScore::stranger_fair);
  f.stranger_mean = average(scores, &StanceScore::stranger_mean);
  const PhysicsGain truth = calc_physics_gain(people, false);
  const PhysicsGain placebo = calc_physics_gain(people, true);
  f.gain_own = truth.own;
  f.gain_own_placebo = placebo.own;
  f.gain_stranger = truth.stranger;
  f.gain_stranger_placebo = placebo.stranger;
  f.people = static_cast<int>(people.size());
  return f;
}

}  // namespace vesica::forces
