// 95 % bands from people who were left out, and the range that a population covers.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vesica/error.h"
#include "vesica/forces/judge.h"
#include "vesica/forces/train.h"
#include "vesica/math/median.h"

namespace vesica::forces {
namespace {

constexpr int kBandSmoothing = 2;  // phases on either side that share their quantile
constexpr double kCoverage = 0.95;

// What a prediction misses, over phase, and how far its speed was off.
struct Miss {
  std::array<Curve, kOutputs> curves{};
  double distance = 0;
};

double calc_quantile(std::vector<double> values, double p) {
  if (values.empty()) return 0;
  const double x = p * static_cast<double>(values.size() - 1);
  const auto low = static_cast<std::ptrdiff_t>(x);
  std::nth_element(values.begin(), values.begin() + low, values.end());
  const double a = values[static_cast<size_t>(low)];
  const auto above = std::min_element(values.begin() + low + 1, values.end());
  return above == values.end() ? a : a + (x - static_cast<double>(low)) * (*above - a);
}

std::array<Curve, kOutputs> calc_bands(const std::vector<Miss>& misses, double growth) {
  std::array<Curve, kOutputs> bands{};
  std::vector<double> values;
  for (size_t o = 0; o < kOutputs; ++o) {
    for (int u = 0; u < kPhases; ++u) {
      values.clear();
      for (int i = std::max(0, u - kBandSmoothing); i <= std::min(kPhases - 1, u + kBandSmoothing);
           ++i) {
        for (const Miss& m : misses) {
          values.push_back(std::abs(m.curves[o][static_cast<size_t>(i)]) /
                           (1 + growth * m.distance / 0.1));
        }
      }
      bands[o][static_cast<size_t>(u)] = calc_quantile(values, kCoverage);
    }
  }
  return bands;
}

// By how much of itself a miss grows for 0.1 of Froude speed: the line through the misses of all
// stances, each over the band.
double fit_growth(const std::vector<Miss>& misses) {
  const std::array<Curve, kOutputs> bands = calc_bands(misses, 0.0);
  double n = 0, sx = 0, sxx = 0, sy = 0, sxy = 0;
  for (const Miss& m : misses) {
    double y = 0;
    for (size_t o = 0; o < kOutputs; ++o) {
      for (size_t u = 0; u < kPhases; ++u) {
        y += std::abs(m.curves[o][u]) / std::max(bands[o][u], 1e-9) / (kOutputs * kPhases);
      }
    }
    const double x = m.distance / 0.1;
    n += 1;
    sx += x;
    sxx += x * x;
    sy += y;
    sxy += x * y;
  }
  const double spread = n * sxx - sx * sx;
  if (!(spread > 1e-9 * n * n)) return 0;
  const double slope = (n * sxy - sx * sy) / spread, start = (sy - slope * sx) / n;
  return start > 0 ? std::clamp(slope / start, 0.0, 2.0) : 0.0;
}

Miss calc_miss(const ModelTable& table, const Sample& sample,
               const std::array<Curve, kOutputs>& curves, double distance) {
  Miss miss;
  miss.distance = distance;
  for (int o = 0; o < kOutputs; ++o) {
    const auto out = static_cast<size_t>(o);
    const Curve y = predict_curve(table.outputs[out], curves[out], sample, o);
    for (size_t u = 0; u < kPhases; ++u) miss.curves[out][u] = y[u] - sample.y[out][u];
  }
  return miss;
}

}  // namespace

std::vector<size_t> choose_calibration(const Person& person, size_t count) {
  std::vector<size_t> walks;
  std::vector<double> speeds;
  for (size_t w = 0; w < person.walks.size(); ++w) {
    if (person.walks[w].stances.empty()) continue;
    walks.push_back(w);
    speeds.push_back(person.walks[w].walk.froude_speed);
  }
  const double middle = calc_median(speeds);
  std::stable_sort(walks.begin(), walks.end(), [&](size_t a, size_t b) {
    return std::abs(person.walks[a].walk.froude_speed - middle) <
           std::abs(person.walks[b].walk.froude_speed - middle);
  });
  walks.resize(std::min(walks.size(), count));
  return walks;
}

void fit_bands(const std::vector<const Person*>& people, Population* population) {
  std::vector<Miss> own, stranger;
  std::array<std::vector<double>, kPhases> moments;
  for (const Person* left_out : people) {
    std::vector<const Person*> others;
    for (const Person* p : people) {
      if (p != left_out) others.push_back(p);
    }
    const Population model = fit_population(others);
    const std::vector<Sample> samples = make_samples(*left_out, model.signals);
    std::array<Curve, kOutputs> curves{};
    for (size_t o = 0; o < kOutputs; ++o) curves[o] = model.stranger.outputs[o].a;
    for (const Sample& s : samples) {
      stranger.push_back(calc_miss(model.stranger, s, curves, 0.0));
      for (size_t u = 0; u < kPhases; ++u) {
        moments[u].push_back(std::abs(s.free_moment[u] - model.free_moment[u]));
      }
    }
    // Calibrated with two of the three walks at usual speed, in turn.
    const std::vector<size_t> usual = choose_calibration(*left_out, 3);
    for (const size_t spare : usual) {
      std::vector<const Sample*> used;
      const auto calibrates = [&](const Sample& s) {
        return s.walk != spare && std::find(usual.begin(), usual.end(), s.walk) != usual.end();
      };
      for (const Sample& s : samples) {
        if (calibrates(s)) used.push_back(&s);
      }
      if (used.empty()) continue;
      const OwnCurves own_curves = fit_own(model.own, used);
      const double speed = calc_means(used).speed;
      for (const Sample& s : samples) {
        if (calibrates(s)) continue;
        own.push_back(calc_miss(model.own, s, own_curves[static_cast<size_t>(s.side)],
                                std::abs(s.speed - speed)));
      }
    }
  }
  if (own.empty()) {
    throw InputError(
        "nobody has two walks with stances on plates: how far calibrated people are missed cannot "
        "be "
        "told from one walk each; record somebody twice");
  }
  population->own.band_growth = fit_growth(own);
  population->own.band = calc_bands(own, population->own.band_growth);
  // Beyond the trained speeds nobody was measured: what a person's own curves lose there is the
  // best guess.
  population->stranger.band_growth = population->own.band_growth;
  population->stranger.band = calc_bands(stranger, 0.0);
  for (size_t u = 0; u < kPhases; ++u) {
    population->free_moment_band[u] = calc_quantile(moments[u], kCoverage);
  }
}

Population train(const std::vector<Person>& people) {
  std::vector<const Person*> all;
  for (const Person& p : people) {
    if (p.stances() > 0) all.push_back(&p);
  }
  if (all.size() < 3) {
    std::string why;
    for (const Person& p : people) {
      if (p.stances() > 0) continue;
      why += fmt::format("\n  {}: {}", p.name,
                         p.notes.empty() ? "no load is a whole stance" : p.notes.front());
    }
    throw InputError(fmt::format(
        "{} of {} people have stances that can be used; a population needs at least three, and its "
        "bands are worth something from about eight on{}",
        all.size(), people.size(), why));
  }
  Population population = fit_population(all);
  fit_bands(all, &population);
  std::vector<WalkFigures> figures;
  population.leg_length = {1e9, -1e9};
  for (const Person* p : all) {
    population.people.push_back(p->name);
    population.recordings.push_back(p->body.digest);
    population.leg_length.low = std::min(population.leg_length.low, p->body.leg_length);
    population.leg_length.high = std::max(population.leg_length.high, p->body.leg_length);
    for (const MeasuredWalk& m : p->walks) {
      if (m.stances.empty()) continue;
      if (population.walks == 0) population.markers = m.walk.markers;
      std::erase_if(population.markers, [&](const std::string& role) {
        return !std::binary_search(m.walk.markers.begin(), m.walk.markers.end(), role);
      });
      population.walks += 1;
      population.recordings.push_back(m.walk.digest);
      figures.push_back(calc_figures(m.walk, p->body));
    }
  }
  const auto range = [&](double WalkFigures::*member) {
    Range r{1e9, -1e9};
    for (const WalkFigures& f : figures) {
      if (!std::isfinite(f.*member)) continue;
      r.low = std::min(r.low, f.*member);
      r.high = std::max(r.high, f.*member);
    }
    return r;
  };
  population.speed = range(&WalkFigures::speed);
  population.step_length = range(&WalkFigures::step_length);
  population.asymmetry = range(&WalkFigures::asymmetry);
  population.double_support = range(&WalkFigures::double_support);
  return population;
}

}  // namespace vesica::forces
