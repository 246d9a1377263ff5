#include "vesica/studies/answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>

#include "vesica/math/quantiles.h"
#include "vesica/studies/execute.h"
#include "vesica/studies/random.h"

namespace vesica::studies {
namespace {

using AnswerJson = nlohmann::ordered_json;
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr int kResamples = 1000;

// Of what was resampled; the value is that of the sample itself.
Interval make_interval(double value, std::vector<double> resampled) {
  std::sort(resampled.begin(), resampled.end());
  return {value, calc_percentile(resampled, 2.5), calc_percentile(resampled, 97.5)};
}

// Consecutive points of Sobol's sequence are nets themselves, each nearly as even as the whole of
// them: how far their means scatter says how sure the mean over all is. Resampled rows would say
// less, as if the points were independent (docs/theory/studies.md).
constexpr size_t kBlocks = 8;

// The mean of `above` over the mean of `below`, with an interval by the scatter of blocks, in which
// the ratio is linear to first order.
Interval calc_ratio(const std::vector<double>& above, const std::vector<double>& below) {
  const size_t rows = above.size(), blocks = std::min(kBlocks, rows / 2);
  const double top = std::accumulate(above.begin(), above.end(), 0.0);
  const double bottom = std::accumulate(below.begin(), below.end(), 0.0);
  if (!(bottom > 0)) return {kUnknown, kUnknown, kUnknown};
  const double ratio = top / bottom, mean = bottom / static_cast<double>(rows);
  double squares = 0;
  for (size_t k = 0; k < blocks; ++k) {
    const size_t first = k * rows / blocks, end = (k + 1) * rows / blocks;
    double off = 0;
    for (size_t r = first; r < end; ++r) off += above[r] - ratio * below[r];
    off /= mean * static_cast<double>(end - first);
    squares += off * off;  // their mean is 0
  }
  const auto free = static_cast<double>(blocks - 1);
  const double half = calc_student_t_quantile(0.975, free) *
                      std::sqrt(squares / (free * static_cast<double>(blocks)));
  return {ratio, ratio - half, ratio + half};
}

// Ranks from 1, equal values share their mean.
std::vector<double> make_ranks(const std::vector<double>& x) {
  std::vector<size_t> order(x.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return x[a] < x[b]; });
  std::vector<double> ranks(x.size());
  for (size_t k = 0; k < order.size();) {
    size_t end = k;
    while (end < order.size() && x[order[end]] == x[order[k]]) ++end;
    for (size_t i = k; i < end; ++i) ranks[order[i]] = 0.5 * static_cast<double>(k + end + 1);
    k = end;
  }
  return ranks;
}

// Values of the factors in all rows, by factor.
std::vector<std::vector<double>> make_factor_values(const Study& study, const ResultTable& table) {
  std::vector<std::vector<double>> values(study.factors.size());
  if (study.design.method == Method::kCrossValidation) return {};
  for (const std::uint64_t run : table.runs) {
    const auto numbers = calc_factor_numbers(study, run);
    for (size_t f = 0; f < values.size(); ++f) values[f].push_back(numbers[f]);
  }
  return values;
}

struct Pairs {
  std::vector<double> x, y;
};

// Rows that are done and have both.
Pairs pick_pairs(const ResultTable& table, const std::vector<double>& x,
                 const std::vector<double>& y) {
  Pairs pairs;
  for (size_t r = 0; r < y.size(); ++r) {
    if (table.status[r] != 0 || !std::isfinite(x[r]) || !std::isfinite(y[r])) continue;
    pairs.x.push_back(x[r]);
    pairs.y.push_back(y[r]);
  }
  return pairs;
}

// Mean output in the lowest and the highest tenth of a factor; of few levels, at its ends.
void fill_ends(const Pairs& pairs, Effect* effect) {
  effect->at_low = effect->at_high = kUnknown;
  if (pairs.x.empty()) return;
  auto sorted = pairs.x;
  std::sort(sorted.begin(), sorted.end());
  const double low = calc_percentile(sorted, 10), high = calc_percentile(sorted, 90);
  double sums[2] = {0, 0}, counts[2] = {0, 0};
  for (size_t k = 0; k < pairs.x.size(); ++k) {
    if (pairs.x[k] <= low) sums[0] += pairs.y[k], ++counts[0];
    if (pairs.x[k] >= high) sums[1] += pairs.y[k], ++counts[1];
  }
  effect->at_low = sums[0] / counts[0];
  effect->at_high = sums[1] / counts[1];
}

// One factor at a time: the output at the least and the greatest value of the factor itself, over
// repeats their mean.
void fill_sweep(const Study& study, const ResultTable& table, size_t varied,
                const std::vector<double>& x, const std::vector<double>& y, Effect* effect) {
  double least = std::numeric_limits<double>::infinity(), most = -least;
  double sums[2] = {0, 0}, counts[2] = {0, 0};
  for (size_t r = 0; r < y.size(); ++r) {
    if (table.status[r] != 0 || !std::isfinite(y[r])) continue;
    const auto places = calc_point(study.design, table.runs[r] / study.design.repeats);
    const bool is_base = table.runs[r] < study.design.repeats;
    if (places[varied].is_nominal && !is_base) continue;
    if (x[r] < least) least = x[r], sums[0] = counts[0] = 0;
    if (x[r] > most) most = x[r], sums[1] = counts[1] = 0;
    if (x[r] == least) sums[0] += y[r], ++counts[0];
    if (x[r] == most) sums[1] += y[r], ++counts[1];
  }
  effect->at_low = counts[0] > 0 ? sums[0] / counts[0] : kUnknown;
  effect->at_high = counts[1] > 0 ? sums[1] / counts[1] : kUnknown;
}

// By run; NaN where it is not done.
std::vector<double> by_run(const Study& study, const ResultTable& table,
                           const std::vector<double>& y) {
  std::vector<double> values(study.runs(), kUnknown);
  for (size_t r = 0; r < y.size(); ++r) {
    if (table.status[r] == 0) values[table.runs[r]] = y[r];
  }
  return values;
}

// Why an output has no number in some runs.
struct Gaps {
  std::uint64_t not_done = 0, empty = 0;
};
Gaps count_gaps(const Study& study, const ResultTable& table, const std::vector<double>& y) {
  Gaps gaps;
  std::uint64_t done = 0;
  for (size_t r = 0; r < y.size(); ++r) {
    if (table.status[r] != 0) continue;
    ++done;
    if (!std::isfinite(y[r])) ++gaps.empty;
  }
  gaps.not_done = study.runs() - done;
  return gaps;
}

// `what`: rows or trajectories, of which one gap takes out all.
std::string say_left_out(const std::string& name, const char* what, std::uint64_t left_out,
                         std::uint64_t all, const Gaps& gaps) {
  std::vector<std::string> causes;
  if (gaps.empty > 0) {
    causes.push_back(
        fmt::format("in {} runs the output is empty (what it reads did not happen)", gaps.empty));
  }
  if (gaps.not_done > 0) causes.push_back(fmt::format("{} runs are not done", gaps.not_done));
  return fmt::format(
      "{}: {} of {} {} are left out: {}{}", name, left_out, all, what, fmt::join(causes, ", "),
      2 * (all - left_out) < all ? "; fewer than half are left: its ranking is not to be relied on"
                                 : "");
}

void add_morris(const Study& study, const std::vector<double>& y, const Gaps& gaps,
                OutputAnswer* answer, std::vector<std::string>* notes) {
  const Design& d = study.design;
  const std::uint64_t length = d.factors() + 1;
  std::vector<std::vector<double>> effects(d.factors());
  std::uint64_t left_out = 0;
  for (std::uint64_t t = 0; t < d.samples; ++t) {
    const double* at = y.data() + t * length * d.repeats;
    bool whole = true;
    for (std::uint64_t k = 0; k < length; ++k) whole = whole && std::isfinite(at[k * d.repeats]);
    if (!whole) {
      ++left_out;
      continue;
    }
    const auto steps = calc_morris_steps(d, t);
    for (std::uint64_t k = 0; k < steps.size(); ++k) {
      effects[steps[k].factor].push_back((at[(k + 1) * d.repeats] - at[k * d.repeats]) /
                                         steps[k].change);
    }
  }
  if (left_out > 0) {
    notes->push_back(say_left_out(answer->name, "trajectories", left_out, d.samples, gaps));
  }
  for (size_t f = 0; f < effects.size(); ++f) {
    const auto& e = effects[f];
    const auto n = static_cast<double>(e.size());
    if (e.size() < 2) continue;
    Effect& effect = answer->effects[f];
    double sum = 0, size = 0, squares = 0;
    for (const double x : e) sum += x, size += std::abs(x);
    effect.mu = sum / n;
    for (const double x : e) squares += (x - effect.mu) * (x - effect.mu);
    effect.sigma = std::sqrt(squares / (n - 1));
    std::vector<double> resampled;
    for (int b = 0; b < kResamples; ++b) {
      double total = 0;
      for (size_t k = 0; k < e.size(); ++k) {
        total += std::abs(e[calc_random_bits(d.seed, static_cast<std::uint64_t>(b), k) % e.size()]);
      }
      resampled.push_back(total / n);
    }
    effect.mu_star = make_interval(size / n, std::move(resampled));
  }
}

void add_indices(const Study& study, const std::vector<double>& y, const Gaps& gaps,
                 OutputAnswer* answer, std::vector<std::string>* notes) {
  const Design& d = study.design;
  const std::uint64_t length = calc_row_length(d);
  std::vector<double> A, B;
  std::vector<std::vector<double>> AB(d.factors());
  for (std::uint64_t row = 0; row < d.samples; ++row) {
    const double* at = y.data() + row * length * d.repeats;
    bool whole = true;
    for (std::uint64_t k = 0; k < length; ++k) whole = whole && std::isfinite(at[k * d.repeats]);
    if (!whole) continue;
    A.push_back(at[0]);
    B.push_back(at[d.repeats]);
    for (size_t f = 0; f < AB.size(); ++f) AB[f].push_back(at[(f + 2) * d.repeats]);
  }
  if (A.size() < d.samples) {
    notes->push_back(say_left_out(answer->name, "rows", d.samples - A.size(), d.samples, gaps));
  }
  if (A.size() < 4) return;
  const SobolIndices indices = calc_sobol_indices(A, B, AB);
  for (size_t f = 0; f < AB.size(); ++f) {
    answer->effects[f].first = indices.first[f];
    answer->effects[f].total = indices.total[f];
  }
}

OutputAnswer make_output_answer(const Study& study, const ResultTable& table, size_t output,
                                const std::vector<std::vector<double>>& factors,
                                std::vector<std::string>* notes) {
  const std::vector<double>& y = table.outputs[output];
  OutputAnswer answer;
  answer.name = study.outputs[output].name;
  answer.unit = study.outputs[output].unit;
  std::vector<double> sorted;
  for (size_t r = 0; r < y.size(); ++r) {
    if (table.status[r] == 0 && std::isfinite(y[r])) sorted.push_back(y[r]);
  }
  std::sort(sorted.begin(), sorted.end());
  answer.count = sorted.size();
  const auto n = static_cast<double>(sorted.size());
  answer.mean = answer.sd = answer.least = answer.greatest = kUnknown;
  answer.percentiles.fill(kUnknown);
  if (sorted.empty()) return answer;
  answer.mean = std::accumulate(sorted.begin(), sorted.end(), 0.0) / n;
  double squares = 0;
  for (const double x : sorted) squares += (x - answer.mean) * (x - answer.mean);
  if (sorted.size() > 1) answer.sd = std::sqrt(squares / (n - 1));
  answer.least = sorted.front();
  answer.greatest = sorted.back();
  for (size_t k = 0; k < kPercentiles.size(); ++k) {
    answer.percentiles[k] = calc_percentile(sorted, kPercentiles[k]);
  }
  size_t varied = 0;
  for (size_t f = 0; f < factors.size(); ++f) {
    if (study.factors[f].is_seed) continue;
    Effect& effect = answer.effects.emplace_back();
    effect.factor = study.factors[f].name;
    const Pairs pairs = pick_pairs(table, factors[f], y);
    effect.rank_correlation =
        study.factors[f].is_number ? calc_rank_correlation(pairs.x, pairs.y) : kUnknown;
    if (study.design.method == Method::kSweep) {
      fill_sweep(study, table, varied, factors[f], y, &effect);
    } else {
      fill_ends(pairs, &effect);
    }
    ++varied;
  }
  if (study.design.method == Method::kMorris) {
    add_morris(study, by_run(study, table, y), count_gaps(study, table, y), &answer, notes);
  }
  if (study.design.method == Method::kSobolIndices) {
    add_indices(study, by_run(study, table, y), count_gaps(study, table, y), &answer, notes);
  }
  return answer;
}

void add_best(const Study& study, const ResultTable& table, Answers* answers) {
  if (!study.goal) return;
  size_t output = 0;
  while (study.outputs[output].name != study.goal->output) ++output;
  const auto& y = table.outputs[output];
  std::vector<size_t> order;
  for (size_t r = 0; r < y.size(); ++r) {
    if (table.status[r] == 0 && std::isfinite(y[r])) order.push_back(r);
  }
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return study.goal->most ? y[a] > y[b] : y[a] < y[b];
  });
  for (const size_t r : order) {
    // Of fits without noise the best value is rounding, of which no digits agree.
    if (std::abs(y[r] - y[order.front()]) <= 1e-6 * std::abs(y[order.front()]) + 1e-12) {
      ++answers->same_as_best;
    }
  }
  order.resize(std::min(order.size(), static_cast<size_t>(study.goal->count)));
  for (const size_t r : order) {
    answers->best.push_back({table.runs[r], make_run_point(study, table.runs[r]).cells, y[r]});
  }
}

// Values of a curve that are in memory at once.
constexpr std::uint64_t kMostValues = 8u << 20;

CurveBand make_band(const Study& study, const std::string& folder, size_t curve,
                    std::uint64_t rows) {
  const Reading& reading = study.curves[curve];
  CurveBand band{reading.name, reading.unit, reading.times, {}, 0};
  const size_t at_once = std::max<std::uint64_t>(1, kMostValues / std::max<std::uint64_t>(1, rows));
  for (size_t first = 0; first < band.times.size(); first += at_once) {
    const size_t times = std::min(at_once, band.times.size() - first);
    for (auto& values : load_curve(study, folder, curve, first, times)) {
      band.count = values.size();
      std::erase_if(values, [](double y) { return !std::isfinite(y); });
      std::sort(values.begin(), values.end());
      for (size_t k = 0; k < kPercentiles.size(); ++k) {
        band.percentiles[k].push_back(calc_percentile(values, kPercentiles[k]));
      }
    }
  }
  return band;
}

// What did not happen leaves an empty cell, and is not to go unnoticed.
void add_notes_of_empty_cells(const ResultTable& table, Answers* answers) {
  const auto done =
      static_cast<std::uint64_t>(std::count(table.status.begin(), table.status.end(), 0));
  for (const OutputAnswer& o : answers->outputs) {
    if (o.count == done) continue;
    answers->notes.push_back(
        o.count == 0
            ? fmt::format("{} has no number in any run: it did not happen, or it is a word", o.name)
            : fmt::format("{} has no number in {} of the {} runs that are done: it did not happen "
                          "there; the figures are of the others",
                          o.name, done - o.count, done));
  }
}

void add_notes_of_warnings(const ResultTable& table, Answers* answers) {
  constexpr size_t kMostKinds = 10;
  answers->warnings = table.warnings;
  const size_t kinds = answers->warnings.size(), told = std::min(kinds, kMostKinds);
  for (size_t k = 0; k < told; ++k) {
    const WarningKind& w = answers->warnings[k];
    answers->notes.push_back(fmt::format("{} of {} runs warn: {} (run {}{})", w.runs,
                                         table.runs.size(), w.text, w.first_run,
                                         w.runs > 1 ? ", the first of them" : ""));
  }
  if (told < kinds) {
    answers->notes.push_back(
        fmt::format("{} more kinds of warnings are in warnings.csv", kinds - told));
  }
}

AnswerJson number_or_null(double x) { return std::isfinite(x) ? AnswerJson(x) : AnswerJson(); }

AnswerJson as_json(const Interval& i) {
  return {{"value", number_or_null(i.value)},
          {"low", number_or_null(i.low)},
          {"high", number_or_null(i.high)}};
}

}  // namespace

double calc_percentile(const std::vector<double>& sorted, double percent) {
  if (sorted.empty()) return kUnknown;
  const double at = percent / 100 * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(at);
  if (below + 1 >= sorted.size()) return sorted.back();
  const double part = at - static_cast<double>(below);
  return sorted[below] + part * (sorted[below + 1] - sorted[below]);
}

double calc_rank_correlation(const std::vector<double>& x, const std::vector<double>& y) {
  if (x.size() < 3) return kUnknown;
  const auto a = make_ranks(x), b = make_ranks(y);
  const double mean = 0.5 * (static_cast<double>(x.size()) + 1);
  double ab = 0, aa = 0, bb = 0;
  for (size_t k = 0; k < a.size(); ++k) {
    ab += (a[k] - mean) * (b[k] - mean);
    aa += (a[k] - mean) * (a[k] - mean);
    bb += (b[k] - mean) * (b[k] - mean);
  }
  return aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : kUnknown;
}

SobolIndices calc_sobol_indices(const std::vector<double>& A, const std::vector<double>& B,
                                const std::vector<std::vector<double>>& AB) {
  const size_t rows = A.size();
  const auto n = static_cast<double>(rows);
  // About the mean, which leaves the estimators as they are and keeps digits.
  double center = 0;
  for (size_t r = 0; r < rows; ++r) center += (A[r] + B[r]) / (2 * n);
  std::vector<double> squares;  // of each row: their mean is the variance
  for (size_t r = 0; r < rows; ++r) {
    squares.push_back(0.5 * (std::pow(A[r] - center, 2) + std::pow(B[r] - center, 2)));
  }
  SobolIndices indices;
  for (const auto& mixed : AB) {
    std::vector<double> to_a, to_b;
    for (size_t r = 0; r < rows; ++r) {
      to_b.push_back(0.5 * std::pow(B[r] - mixed[r], 2));
      to_a.push_back(0.5 * std::pow(A[r] - mixed[r], 2));
    }
    const Interval rest = calc_ratio(to_b, squares);
    indices.first.push_back({1 - rest.value, 1 - rest.high, 1 - rest.low});
    indices.total.push_back(calc_ratio(to_a, squares));
  }
  return indices;
}

Answers calc_answers(const Study& study, const std::string& folder, const ResultTable& table) {
  Answers answers;
  const auto factors = make_factor_values(study, table);
  for (size_t k = 0; k < study.outputs.size(); ++k) {
    answers.outputs.push_back(make_output_answer(study, table, k, factors, &answers.notes));
  }
  add_best(study, table, &answers);
  for (size_t k = 0; k < study.curves.size(); ++k) {
    answers.bands.push_back(make_band(study, folder, k, table.runs.size()));
  }
  add_notes_of_empty_cells(table, &answers);
  if (table.runs.size() < study.runs()) {
    answers.notes.push_back(fmt::format("{} of {} runs are not finished yet",
                                        study.runs() - table.runs.size(), study.runs()));
  }
  const auto failed = std::count_if(table.status.begin(), table.status.end(),
                                    [](int status) { return status != 0; });
  if (failed > 0) {
    answers.notes.push_back(fmt::format(
        "{} of {} runs are not done, and not in these figures; the table has their reasons", failed,
        table.runs.size()));
  }
  add_notes_of_warnings(table, &answers);
  if (study.design.repeats > 1 &&
      (study.design.method == Method::kMorris || study.design.method == Method::kSobolIndices)) {
    answers.notes.emplace_back("effects and indices are those of the first repeat");
  }
  return answers;
}

AnswerJson make_answers_json(const Study& study, const Answers& answers) {
  AnswerJson json;
  json["study"] = study.title;
  json["method"] = name_of(study.design.method);
  json["runs"] = study.runs();
  for (const OutputAnswer& o : answers.outputs) {
    AnswerJson out = {{"unit", o.unit},
                      {"count", o.count},
                      {"mean", number_or_null(o.mean)},
                      {"sd", number_or_null(o.sd)},
                      {"least", number_or_null(o.least)},
                      {"greatest", number_or_null(o.greatest)}};
    for (size_t k = 0; k < kPercentiles.size(); ++k) {
      out["percentiles"][fmt::format("{:g}", kPercentiles[k])] = number_or_null(o.percentiles[k]);
    }
    for (const Effect& e : o.effects) {
      AnswerJson effect = {{"rank_correlation", number_or_null(e.rank_correlation)},
                           {"at_low", number_or_null(e.at_low)},
                           {"at_high", number_or_null(e.at_high)}};
      if (e.first) effect["first_order"] = as_json(*e.first);
      if (e.total) effect["total"] = as_json(*e.total);
      if (e.mu_star) {
        effect["mu_star"] = as_json(*e.mu_star);
        effect["mu"] = number_or_null(e.mu);
        effect["sigma"] = number_or_null(e.sigma);
      }
      out["effects"][e.factor] = effect;
    }
    json["outputs"][o.name] = out;
  }
  if (study.goal) {
    json["best"] = {{"output", study.goal->output},
                    {"goal", study.goal->most ? "most" : "least"},
                    {"same_as_best", answers.same_as_best},
                    {"runs", AnswerJson::array()}};
    for (const BestRun& b : answers.best) {
      json["best"]["runs"].push_back({{"run", b.run}, {"value", b.value}, {"factors", b.factors}});
    }
  }
  json["warnings"] = AnswerJson::array();
  for (const WarningKind& w : answers.warnings) {
    json["warnings"].push_back({{"warning", w.text}, {"runs", w.runs}, {"first_run", w.first_run}});
  }
  json["notes"] = answers.notes;
  return json;
}

}  // namespace vesica::studies
