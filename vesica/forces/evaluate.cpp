#include "vesica/forces/evaluate.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

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

// Ways to take `count` of the walks, in turn; fewer where one could not be left out.
std::vector<std::vector<size_t>> list_folds(const std::vector<size_t>& walks, size_t count) {
  std::vector<std::vector<size_t>> folds;
  if (walks.size() < 2) return folds;
  count = std::min(count, walks.size() - 1);
  for (size_t i = 0; i < walks.size(); ++i) {
    std::vector<size_t> fold;
    for (size_t k = 0; k < count; ++k) fold.push_back(walks[(i + k) % walks.size()]);
    folds.push_back(fold);
  }
  return folds;
}

// Of a stance that every calibration has seen.
const Errors kNotJudged = {kMissing, kMissing, kMissing, kMissing};

// A stance of one way of predicting.
struct JudgedStance {
  size_t walk = 0, stance = 0;
  Errors errors, mean, fair;
  TenthErrors tenths{};
  std::array<double, kOutputs> coverage{};
  std::array<double, kJoints> moments{};
  FreeMomentErrors free_moment;
};

// All stances but those of the walks that calibrated, each walk predicted as `vesica forces
// predict` does: nothing but this walk tells the floor.
std::vector<JudgedStance> judge_walks(const Person& person, const Predictor& predictor,
                                      const std::vector<size_t>& excluded, bool with_bands) {
  std::vector<JudgedStance> judged;
  for (size_t w = 0; w < person.walks.size(); ++w) {
    if (std::find(excluded.begin(), excluded.end(), w) != excluded.end()) continue;
    const MeasuredWalk& m = person.walks[w];
    if (m.stances.empty()) continue;
    Walk walk = m.walk;
    level_floor(person.body, {&walk});
    const Prediction prediction = predict(walk, person.body, predictor);
    for (size_t s = 0; s < m.stances.size(); ++s) {
      const MeasuredStance& stance = m.stances[s];
      const int side = walk.contacts[stance.contact].side;
      const FootForces& foot = prediction.feet[static_cast<size_t>(side)];
      const auto curve_errors = [&](bool slope) {
        return calc_curve_errors(walk, person.body, stance, person.weight,
                                 make_baseline(predictor, side, walk.froude_speed, slope));
      };
      JudgedStance& one = judged.emplace_back();
      one.walk = w;
      one.stance = s;
      one.errors = calc_errors(walk, stance, person.weight, foot.force, foot.pressure);
      one.tenths = calc_tenth_errors(walk, stance, person.weight, foot.force, foot.pressure);
      one.mean = curve_errors(false);
      one.fair = curve_errors(true);
      one.free_moment = calc_free_moment_errors(walk, stance, foot);
      if (with_bands) one.coverage = calc_coverage(walk, stance, foot);
      one.moments =
          calc_moment_errors(walk, stance, person.weight / kGravity, foot, m.pressure_height);
    }
  }
  return judged;
}

// The person as somebody who was recorded in these walks only: weight and floor come from them.
Person keep_walks(const Person& person, const std::vector<size_t>& walks) {
  Person part = person;
  part.walks.clear();
  std::vector<Walk*> pointers;
  for (const size_t w : walks) part.walks.push_back(person.walks[w]);
  for (MeasuredWalk& m : part.walks) pointers.push_back(&m.walk);
  part.slope_W = level_floor(part.body, pointers);
  part.weight_found = find_weight(part.walks);
  if (part.weight_found.weight > 0) part.weight = part.weight_found.weight;
  return part;
}

PersonScore score_person(const Person& person, const Population& population,
                         const EvaluationOptions& options) {
  PersonScore score;
  score.name = person.name;
  const bool with_bands = options.with_bands || options.bands != nullptr;
  std::map<std::pair<size_t, size_t>, size_t> index;  // of a stance, by walk and stance
  const Predictor stranger{&population, nullptr, person.weight};
  for (const JudgedStance& j : judge_walks(person, stranger, {}, with_bands)) {
    index[{j.walk, j.stance}] = score.stances.size();
    StanceScore& stance = score.stances.emplace_back();
    stance.walk = j.walk;
    stance.stance = j.stance;
    stance.stranger = j.errors;
    stance.stranger_tenths = j.tenths;
    stance.stranger_mean = j.mean;
    stance.stranger_fair = j.fair;
    stance.stranger_coverage = j.coverage;
    stance.stranger_moments = j.moments;
    stance.free_moment = j.free_moment;
  }
  const std::vector<size_t> usual =
      options.usual_walks ? options.usual_walks(person) : choose_calibration(person, 3);
  std::vector<std::vector<JudgedStance>> judged(score.stances.size());
  for (const std::vector<size_t>& fold : list_folds(usual, options.calibration_walks)) {
    const Person part = keep_walks(person, fold);
    std::vector<size_t> all(fold.size());
    std::iota(all.begin(), all.end(), size_t{0});
    const Calibration calibration = calibrate(part, all, population);
    const Predictor own{&population, &calibration, part.weight};
    for (const JudgedStance& j : judge_walks(person, own, fold, with_bands)) {
      judged[index[{j.walk, j.stance}]].push_back(j);
    }
  }
  // Means over the calibrations that did not see the stance.
  for (size_t i = 0; i < judged.size(); ++i) {
    StanceScore& stance = score.stances[i];
    if (judged[i].empty()) {
      stance.own = stance.own_mean = stance.own_fair = kNotJudged;
      stance.own_tenths.fill(kNotJudged);
      stance.own_coverage.fill(kMissing);
      stance.own_moments.fill(kMissing);
      continue;
    }
    const double weight = 1 / static_cast<double>(judged[i].size());
    for (const JudgedStance& j : judged[i]) {
      add(j.errors, weight, &stance.own);
      add(j.mean, weight, &stance.own_mean);
      add(j.fair, weight, &stance.own_fair);
      for (size_t t = 0; t < kTenths; ++t) add(j.tenths[t], weight, &stance.own_tenths[t]);
      for (size_t o = 0; o < kOutputs; ++o) stance.own_coverage[o] += weight * j.coverage[o];
      for (size_t k = 0; k < kJoints; ++k) stance.own_moments[k] += weight * j.moments[k];
    }
  }
  return score;
}

// Forces of stances that follow each other in speed change places.
void exchange_neighbours(std::vector<Sample>* samples) {
  std::sort(samples->begin(), samples->end(),
            [](const Sample& a, const Sample& b) { return a.speed < b.speed; });
  for (size_t i = 0; i + 1 < samples->size(); i += 2) {
    std::swap((*samples)[i].y, (*samples)[i + 1].y);
  }
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

namespace {

// Mean of `get` over a person's stances, then over people; what is not finite does not count.
template <class Get>
Errors average_errors(const std::vector<PersonScore>& scores, const Get& get) {
  Errors result;
  for (double Errors::*figure :
       {&Errors::force, &Errors::pressure, &Errors::ahead, &Errors::lateral}) {
    double sum = 0, people = 0;
    for (const PersonScore& p : scores) {
      double own = 0, n = 0;
      for (const StanceScore& s : p.stances) {
        const double e = get(s).*figure;
        if (!std::isfinite(e)) continue;
        own += e;
        n += 1;
      }
      if (n == 0) continue;
      sum += own / n;
      people += 1;
    }
    result.*figure = people > 0 ? sum / people : kMissing;
  }
  return result;
}

}  // namespace

Errors average(const std::vector<PersonScore>& scores, Errors StanceScore::*member) {
  return average_errors(scores, [&](const StanceScore& s) { return s.*member; });
}

TenthErrors average_tenths(const std::vector<PersonScore>& scores,
                           TenthErrors StanceScore::*member) {
  TenthErrors result;
  for (size_t t = 0; t < kTenths; ++t) {
    result[t] = average_errors(scores, [&](const StanceScore& s) { return (s.*member)[t]; });
  }
  return result;
}

PhysicsGain calc_physics_gain(const std::vector<const Person*>& people, Placebo placebo) {
  double own_model = 0, own_curve = 0, model_sum = 0, curve_sum = 0;
  for (const Person* left_out : people) {
    const std::vector<const Person*> others = list_others(people, left_out);
    const SignalModel signals = fit_signals(others);
    const auto sample = [&](const Person& p) {
      std::vector<Sample> samples = make_samples(p, signals);
      for (Sample& s : samples) {
        if (placebo == Placebo::kNone) break;
        for (Curve& y : s.y) std::reverse(y.begin(), y.end());
      }
      if (placebo == Placebo::kExchanged) exchange_neighbours(&samples);
      // Here curves are judged over the motion's contact, as the model is.
      for (Sample& s : samples) s.measured = s.y;
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
  const PhysicsGain truth = calc_physics_gain(people, Placebo::kNone);
  const PhysicsGain placebo = calc_physics_gain(people, Placebo::kReversed);
  f.gain_own = truth.own;
  f.gain_own_placebo = placebo.own;
  f.gain_stranger = truth.stranger;
  f.gain_stranger_placebo = placebo.stranger;
  f.people = static_cast<int>(people.size());
  return f;
}

}  // namespace vesica::forces
