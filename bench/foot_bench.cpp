// A foot from gait: how fast it is simulated and identified, and whether its intervals hold.
//
//   foot_bench                     times (processor time of one thread, medians; starts: wall
//                                  clock), each with how many times better it is than was asked
//   foot_bench coverage [COUNT]    share of 95 % intervals that hold the truth, over COUNT (200)
//                                  feet drawn from the prior, each with stances and noise of its
//                                  own
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>

#include "bench/timing.h"
#include "vesica/identification/foot_synthetic.h"
#include "vesica/math/parallel.h"

namespace {

using namespace vesica;

// What the synthetic study has (studies/foot.yaml).
constexpr SyntheticNoise kNoise{
    .force = 3, .cop = 0.0004, .shift = 0.0003, .turn = 0.003, .marker = 0.0003, .pressure = 0.1};

FootStance make_stance(double stride, std::uint64_t seed, const FootModel& foot) {
  SyntheticFootWalk walk;
  walk.stride = stride;
  FootStance stance = make_synthetic_stance(foot, walk);
  add_noise(kNoise, seed, &stance);
  return stance;
}

FootFitSettings make_source_settings(bool pressure) {
  FootFitSettings settings;
  settings.priors.weight = 1e-4;
  settings.pressure_weight = pressure ? 0.1 : 0;
  return settings;
}

void print_simulation() {
  const FootModel foot = make_brown_foot();
  const FootStance stance = make_stance(0.3, 1, foot);
  const std::vector<size_t> pictures = choose_pictures(stance, FootFitSettings{});
  std::vector<double> pressure;
  bench::Rounds rounds;
  constexpr size_t kRepeats = 20;
  rounds.add("loads", kRepeats, [&] {
    for (size_t k = 0; k < kRepeats; ++k) {
      for (const FootFrame& frame : stance.frames) bench::keep(calc_foot_load(foot, frame));
    }
  });
  rounds.add("pictures", kRepeats, [&] {
    for (size_t k = 0; k < kRepeats; ++k) {
      for (const FootFrame& frame : stance.frames) bench::keep(calc_foot_load(foot, frame));
      for (const size_t p : pictures) {
        calc_foot_pressure(foot, stance.frames[stance.pressure[p].frame], stance.grid, &pressure);
        bench::keep(pressure[0]);
      }
    }
  });
  rounds.measure(51);
  const double duration = stance.frames.back().time - stance.frames.front().time;
  const auto print = [&](const char* words, const char* name, double asked) {
    const double seconds = 1e-9 * rounds.time(name), times = duration / seconds;
    fmt::print("  {:<54}{:>8.1f} us{:>10.0f} x real time   asked {:>6}: {:.1f} times that\n", words,
               1e6 * seconds, times, asked, times / asked);
  };
  fmt::print("Inverse simulation of a stance, {} frames at 128 Hz\n", stance.frames.size());
  print("force and centre of pressure", "loads", 10000);
  print(fmt::format("and {} pictures of {} x {} cells", pictures.size(), stance.grid.rows,
                    stance.grid.columns)
            .c_str(),
        "pictures", 1000);
}

void print_identification() {
  fmt::print("\nIdentification of one stance, contact, toe and corrections (99 numbers)\n");
  for (const bool pressure : {false, true}) {
    std::vector<double> seconds;
    FootFit fit;
    for (int k = 0; k < 7; ++k) {
      const FootStance stance = make_stance(std::sin(2.0 * k), 10 + k, make_brown_foot());
      const double begin = bench::thread_nanoseconds();
      fit = fit_foot(make_brown_start(), {stance}, make_source_settings(pressure));
      seconds.push_back(1e-9 * (bench::thread_nanoseconds() - begin));
    }
    const double asked = pressure ? 2 : 0.2, median = bench::median(seconds);
    fmt::print(
        "  {:<40}median {:.3f} s, largest {:.3f} s   asked {} s: {:.1f} times less   ({} steps; "
        "{})\n",
        pressure ? "with 15 pictures" : "without pressure", median,
        *std::max_element(seconds.begin(), seconds.end()), asked, asked / median,
        fit.history.size(), fit.converged ? "converged" : "not converged");
  }
  const FootStance stance = make_stance(0.3, 1, make_brown_foot());
  for (const bool pressure : {false, true}) {
    const auto begin = std::chrono::steady_clock::now();
    const FootFits fits =
        fit_foot(make_brown_start(), {stance}, make_source_settings(pressure), {.count = 100});
    const double wall =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    const double best = *std::min_element(fits.costs.begin(), fits.costs.end());
    const auto near = std::count_if(fits.costs.begin(), fits.costs.end(),
                                    [&](double c) { return c < 1.05 * best; });
    fmt::print(
        "  {:<40}{:.1f} s on {} threads   asked 120 s: {:.1f} times less   ({} within 5 % of the "
        "best)\n",
        pressure ? "100 starts with 15 pictures" : "100 starts", wall, calc_thread_count(0),
        120 / wall, near);
  }
}

// A foot drawn from the prior about `center`.
FootModel draw_foot(const FootModel& center, const FootPriors& priors, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  const auto vector = [&](const Vec3d& size) -> Vec3d {
    const double x = normal(random), y = normal(random), z = normal(random);
    return size.cwiseProduct(Vec3d(x, y, z));
  };
  FootModel foot = center;
  foot.stiffness *= std::exp(priors.log_stiffness * normal(random));
  foot.damping *= std::exp(priors.log_damping * normal(random));
  for (FootEllipsoid& e : foot.ellipsoids) {
    e.radii = (e.radii + vector(priors.radii)).cwiseMax(0.5 * e.radii);
    e.position += vector(priors.position);
    e.angles += vector(priors.angles);
  }
  return foot;
}

struct Coverage {
  int held = 0, all = 0, determined_held = 0, determined = 0;
};

Coverage calc_coverage(int repetition, bool pressure) {
  std::mt19937_64 random(1000 + repetition);
  FootFitSettings settings;
  settings.corrections = false;
  settings.toe = FootFitSettings::Toe::kMeasured;
  settings.pressure_weight = pressure ? 0.1 : 0;
  settings.iterations = 200;
  // Half the usual spreads: feet that still walk.
  settings.priors.log_stiffness = 0.35;
  settings.priors.log_damping = 0.5;
  settings.priors.radii *= 0.5;
  settings.priors.position *= 0.5;
  settings.priors.angles *= 0.5;
  settings.priors.weight = 1e-3;
  const FootModel center = make_brown_foot();
  const FootModel truth = draw_foot(center, settings.priors, random);
  std::vector<FootStance> stances;
  for (int k = 0; k < 4; ++k) {
    stances.push_back(make_stance(std::sin(2.4 * k + 0.3), 100 * repetition + k, truth));
  }
  const FootFit fit = fit_foot(center, stances, settings);
  const std::vector<double> real = list_foot_parameters(truth);
  Coverage c;
  for (size_t k = 0; k < real.size(); ++k) {
    const FootInterval& interval = fit.intervals[k];
    const bool held = interval.low <= real[k] && real[k] <= interval.high;
    ++c.all;
    c.held += held ? 1 : 0;
    if (fit.narrowing[k] >= 0.5) continue;
    ++c.determined;
    c.determined_held += held ? 1 : 0;
  }
  return c;
}

void print_coverage(int count) {
  fmt::print("Share of 95 % intervals that hold the truth, {} feet, 4 stances each\n", count);
  for (const bool pressure : {false, true}) {
    std::vector<Coverage> all(static_cast<size_t>(count));
    std::vector<char> failed(static_cast<size_t>(count), 0);
    for_each_index(count, calc_thread_count(0), [&](int k, int) {
      try {
        all[static_cast<size_t>(k)] = calc_coverage(k, pressure);
      } catch (const std::exception&) {
        failed[static_cast<size_t>(k)] = 1;  // drawn so that it cannot carry the body
      }
    });
    Coverage sum;
    for (const Coverage& c : all) {
      sum.held += c.held;
      sum.all += c.all;
      sum.determined_held += c.determined_held;
      sum.determined += c.determined;
    }
    fmt::print(
        "  {:<24}{:5.1f} % of {} numbers; of the {} that the data determine {:5.1f} %; "
        "{} feet could not walk\n",
        pressure ? "with pressure" : "force and point", 100.0 * sum.held / sum.all, sum.all,
        sum.determined, 100.0 * sum.determined_held / std::max(1, sum.determined),
        std::count(failed.begin(), failed.end(), 1));
  }
}

}  // namespace

int main(int count, char** words) {
  if (count > 1 && std::strcmp(words[1], "coverage") == 0) {
    print_coverage(count > 2 ? std::max(1, std::atoi(words[2])) : 200);
    return 0;
  }
  print_simulation();
  print_identification();
  return 0;
}
