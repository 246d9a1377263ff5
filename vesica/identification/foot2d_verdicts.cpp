// What a study of planar feet says in words.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "vesica/identification/foot2d_study.h"
#include "vesica/math/median.h"

namespace vesica {
namespace {

// Of J of constants: a fit that explains less than half is none.
constexpr double kNoFit = 0.5;

const Foot2dTypeResult* find_type(const Foot2dStanceResult& stance, Foot2dElement element) {
  for (const Foot2dTypeResult& r : stance.types) {
    if (r.type.element == element) return &r;
  }
  return nullptr;
}

std::string describe_geometry(const std::vector<Foot2dStanceResult>& stances) {
  double mean = 0, sd = 0;
  size_t toes = 0;
  for (const Foot2dStanceResult& s : stances) {
    mean += s.geometry.all.mean;
    sd += s.geometry.all.sd;
    toes += s.stance.toe_measured ? 1 : 0;
  }
  const auto count = double(stances.size());
  return fmt::format(
      "geometry: markers of {} met to {:.1f} +- {:.1f} mm, mean of {} stance{} (source 3.7 +- 4.3)",
      toes == stances.size() ? "heel, ball and toe"
      : toes > 0             ? "heel, ball and, where there is one, toe"
                             : "heel and ball",
      1e3 * mean / count, 1e3 * sd / count, stances.size(), stances.size() == 1 ? "" : "s");
}

// Whether the source's order holds, in a number of each stance. Empty where it was not asked for.
std::string describe_order(const char* what, double (*J)(const Foot2dTypeResult&),
                           const std::vector<Foot2dStanceResult>& stances) {
  constexpr double kTie = 1.001;  // both end within a thousandth of a minimum
  int holds = 0, no_fits = 0, ties = 0;
  std::vector<double> spring, linear, hyper;
  for (const Foot2dStanceResult& s : stances) {
    const Foot2dTypeResult* a = find_type(s, Foot2dElement::kSpring);
    const Foot2dTypeResult* b = find_type(s, Foot2dElement::kLinear);
    const Foot2dTypeResult* c = find_type(s, Foot2dElement::kHyper);
    if (a == nullptr || b == nullptr || c == nullptr || !std::isfinite(J(*a))) continue;
    if (!(std::max({J(*a), J(*b), J(*c)}) < kNoFit * s.constants.total())) {
      ++no_fits;
      continue;
    }
    spring.push_back(J(*a));
    linear.push_back(J(*b));
    hyper.push_back(J(*c));
    const auto is_tie = [](double x, double y) { return std::max(x, y) <= kTie * std::min(x, y); };
    if (is_tie(J(*a), J(*b)) || is_tie(J(*b), J(*c))) {
      ++ties;
    } else if (J(*a) > J(*b) && J(*b) > J(*c)) {
      ++holds;
    }
  }
  const std::string others =
      no_fits > 0
          ? fmt::format("no fit by all three in {} (J of half that of constants, or more)", no_fits)
          : "";
  if (spring.empty()) {
    return no_fits > 0 ? fmt::format("{}: {}: nothing to put in order", what, others) : "";
  }
  return fmt::format(
      "{}: spring > linear > hyper holds in {} of {} stances; medians {:.3f}, "
      "{:.3f}, {:.3f}{}{}",
      what, holds, spring.size(), calc_median(spring), calc_median(linear), calc_median(hyper),
      ties > 0 ? fmt::format("; a tie within a thousandth in {}", ties) : "",
      no_fits > 0 ? "; " + others : "");
}

// How far a search on reversed forces ends above that on the measured ones, by part of J: a low
// total may be told from its placebo by one of them alone.
std::string describe_placebo(const std::vector<Foot2dStanceResult>& stances) {
  struct Part {
    const char* words;
    double (*of)(const Foot2dObjective&);
    std::vector<double> ratios;
  };
  Part total{"", [](const Foot2dObjective& J) { return J.total(); }, {}};
  Part parts[] = {{"normal force", [](const Foot2dObjective& J) { return J.normal; }, {}},
                  {"friction", [](const Foot2dObjective& J) { return J.friction; }, {}},
                  {"point", [](const Foot2dObjective& J) { return J.cop; }, {}}};
  for (const Foot2dStanceResult& s : stances) {
    for (const Foot2dTypeResult& r : s.types) {
      if (!r.placebo) continue;
      const auto add = [&](Part* p) {
        p->ratios.push_back(p->of(*r.placebo) / std::max(1e-12, p->of(r.fit.objective)));
      };
      add(&total);
      for (Part& p : parts) add(&p);
    }
  }
  if (total.ratios.empty()) return "";
  const auto least = [](const Part& p) {
    return *std::min_element(p.ratios.begin(), p.ratios.end());
  };
  std::vector<std::string> by_part, always, mostly, hardly;
  for (const Part& p : parts) {
    by_part.push_back(fmt::format("{} {:.1f} ({:.2f})", p.words, calc_median(p.ratios), least(p)));
    (least(p) > 2 ? always : calc_median(p.ratios) > 2 ? mostly : hardly).push_back(p.words);
  }
  std::vector<std::string> words;
  if (!always.empty()) words.push_back(fmt::format("told by {}", fmt::join(always, ", ")));
  if (!mostly.empty()) words.push_back(fmt::format("mostly by {}", fmt::join(mostly, ", ")));
  if (!hardly.empty()) {
    words.push_back(
        fmt::format("hardly by {}, where a low objective says little", fmt::join(hardly, ", ")));
  }
  const auto lower = std::count_if(total.ratios.begin(), total.ratios.end(),
                                   [](double ratio) { return ratio < 1; });
  if (lower > 0) {
    words.push_back(
        fmt::format("reversed forces fit better in {} of {}", lower, total.ratios.size()));
  }
  return fmt::format(
      "placebo: forces reversed in time end at {:.1f} times J of the measured ones (median; least "
      "{:.2f}), by part {}: {}",
      calc_median(total.ratios), least(total), fmt::join(by_part, ", "), fmt::join(words, "; "));
}

// `only_bad`: empty where the models are better.
std::string describe_unseen(const std::vector<Foot2dStanceResult>& stances, bool only_bad) {
  std::vector<double> model, copied;
  for (const Foot2dStanceResult& s : stances) {
    if (s.copied.empty()) continue;
    copied.push_back(s.median_copied());
    for (const Foot2dTypeResult& r : s.types) model.push_back(r.median_unseen());
  }
  if (model.empty()) return "";
  constexpr double kConstants = 2;  // J of them, at least
  const double a = calc_median(model), b = calc_median(copied);
  if (only_bad && a < b && std::min(a, b) <= kConstants) return "";
  return fmt::format(
      "unseen stances: objective {:.2f} (median), the fitted stance's own curves laid over them "
      "{:.2f}: {}",
      a, b,
      std::min(a, b) > kConstants ? "neither is better than constants at their means"
      : a < b                     ? "the models are better"
                                  : "the models are not better");
}

// Of one type: what is determined in every stance, and in none.
std::string describe_parameters(Foot2dElement element,
                                const std::vector<Foot2dStanceResult>& stances) {
  std::vector<std::string> names;
  std::map<std::string, size_t> determined;
  size_t count = 0;
  for (const Foot2dStanceResult& s : stances) {
    const Foot2dTypeResult* r = find_type(s, element);
    if (r == nullptr) continue;
    ++count;
    names.clear();
    for (const Foot2dEstimate& e : r->intervals.parameters) {
      names.push_back(e.name);
      determined[e.name] += e.determined ? 1 : 0;
    }
  }
  if (count < 2) return "";
  const auto list = [&](size_t times) {
    std::vector<std::string> found;
    for (const std::string& name : names) {
      if (determined[name] == times) found.push_back(name);
    }
    return found.empty() ? std::string("none") : fmt::format("{}", fmt::join(found, " "));
  };
  return fmt::format("{}: determined in all {} stances: {}; in none: {}", name_of(element), count,
                     list(count), list(0));
}

// Of all fits of one type.
std::string describe_openness(Foot2dElement element,
                              const std::vector<Foot2dStanceResult>& stances) {
  int least = 1 << 30, most = 0;
  size_t parameters = 0, on_bound = 0, all = 0;
  for (const Foot2dStanceResult& s : stances) {
    const Foot2dTypeResult* r = find_type(s, element);
    if (r == nullptr) continue;
    least = std::min(least, r->intervals.undetermined_directions);
    most = std::max(most, r->intervals.undetermined_directions);
    parameters = r->intervals.parameters.size();
    all += parameters;
    for (const Foot2dEstimate& e : r->intervals.parameters) on_bound += e.at_bound ? 1 : 0;
  }
  if (most == 0 && on_bound == 0) return "";
  return fmt::format(
      "{}: the data leave {} of {} directions open and {} of {} parameters end on a bound: these "
      "are no properties of the foot",
      name_of(element),
      least < most ? fmt::format("{} to {}", least, most) : fmt::format("{}", most), parameters,
      on_bound, all);
}

}  // namespace

std::vector<std::string> list_unconverged(const Foot2dStanceResult& s) {
  std::vector<std::string> words;
  if (!s.geometry.converged) {
    words.push_back(s.stance.name +
                    ": the fit of its geometry did not converge: lengths and toe angle are what it "
                    "had reached");
  }
  for (const Foot2dUnseen& u : s.copied) {
    if (u.toe_converged) continue;
    words.push_back(fmt::format("{}: the toe angle of {} with its lengths did not converge",
                                s.stance.name, u.stance));
  }
  for (const Foot2dTypeResult& r : s.types) {
    for (const std::string& why : r.unconverged) {
      words.push_back(fmt::format("{}, {}: {}", s.stance.name, name_of(r.type.element), why));
    }
  }
  return words;
}

std::vector<std::string> list_poor_fits(const Foot2dStanceResult& s) {
  std::vector<std::string> words;
  for (const Foot2dTypeResult& r : s.types) {
    const Foot2dObjective &J = r.fit.objective, &none = s.constants;
    const std::pair<const char*, bool> parts[] = {{"normal force", J.normal >= none.normal},
                                                  {"friction", J.friction >= none.friction},
                                                  {"centre of pressure", J.cop >= none.cop}};
    std::vector<std::string> poor;
    for (const auto& [what, is_poor] : parts) {
      if (is_poor) poor.emplace_back(what);
    }
    const std::string name = fmt::format("{}, {}", s.stance.name, name_of(r.type.element));
    if (J.total() >= kNoFit * none.total()) {
      words.push_back(fmt::format("{}: J {:.2f} is no fit: constants at the means give {:.2f}",
                                  name, J.total(), none.total()));
    }
    if (!poor.empty()) {
      words.push_back(
          fmt::format("{}: a constant meets the {} as well", name, fmt::join(poor, ", the ")));
    }
    double worst = 0;
    size_t useless = 0;
    for (const Foot2dUnseen& u : r.unseen) {
      worst = std::max(worst, u.objective.total());
      useless += u.objective.total() >= none.total() ? 1 : 0;
    }
    if (useless > 0) {
      words.push_back(fmt::format(
          "{}: of {} of {} unseen stances it foretells less than constants do (J up to {:.3g}, of "
          "constants {:.2f}): there elements press where they carried nothing, or do not reach",
          name, useless, r.unseen.size(), worst, none.total()));
    }
  }
  return words;
}

std::vector<std::string> find_foot2d_doubts(const std::vector<Foot2dStanceResult>& stances) {
  if (stances.empty()) return {};
  std::vector<std::string> all = {describe_unseen(stances, true)};
  for (const Foot2dTypeResult& r : stances.front().types) {
    all.push_back(describe_openness(r.type.element, stances));
  }
  std::erase(all, "");
  return all;
}

std::vector<std::string> find_foot2d_verdicts(const std::vector<Foot2dStanceResult>& stances) {
  if (stances.empty()) return {};
  std::vector<std::string> all = {
      describe_geometry(stances),
      describe_order(
          "fitted", [](const Foot2dTypeResult& r) { return r.fit.objective.total(); }, stances),
      describe_order(
          "unseen", [](const Foot2dTypeResult& r) { return r.median_unseen(); }, stances),
      describe_placebo(stances), describe_unseen(stances, false)};
  for (const Foot2dTypeResult& r : stances.front().types) {
    all.push_back(describe_parameters(r.type.element, stances));
  }
  std::erase(all, "");
  return all;
}

}  // namespace vesica
