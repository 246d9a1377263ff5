// Derivatives by every number of every scene that comes along: of the rates at the start, and of
// short runs, against differences of plain ones. Nothing is skipped in silence: a number by which
// there is no derivative must be one of those listed here.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <regex>

#include "vesica/simulation/fixed_step.h"
#include "vesica/simulation/scene_input.h"

namespace vesica::derivatives_test {
namespace {

using Seeded = Dual<12>;
constexpr size_t kTogether = 12;

// How a scene is run here: what brings its contacts about, and a step that resolves them.
struct Setting {
  std::vector<std::pair<std::string, std::string>> changes;
  double step = 1e-4;
  double duration = 20e-3;
};
const std::map<std::string, Setting> kSettings = {
};

struct Number {
  std::string path, unit;
  double value = 0;   // as written
  double factor = 1;  // of its unit
};

double calc_factor(const std::string& unit) {
  using namespace dimension;
  if (unit.empty()) return 1;
  for (const Dimension& d :
       {kLength, kAngle, kTime, kMass, kInertia, kSpeed, kSpin, kAcceleration, kForce, kStiffness,
        kViscosity, kVolumetricStiffness, kContactDamping, kMobility, kSquaredRate, kPressure,
        Dimension{-1, 0, 0, "1/m"}, Dimension{-0.5, 1, -2, "N/m^1.5"}}) {
    try {
      return parse_quantity("1 " + unit, d);
    } catch (const InputError&) {
    }
  }
  ADD_FAILURE() << "no dimension for " << unit;
  return 1;
}

void collect(const InputNode& node, std::vector<Number>* numbers) {
  if (node.is_map()) {
    for (const auto& [key, child] : node.entries()) {
      if (key != "title" && key != "description") collect(child, numbers);
    }
  } else if (node.is_list()) {
    for (const InputNode& item : node.items()) collect(item, numbers);
  } else if (node.is_scalar()) {
    const std::string text = node.text();
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (end == text.c_str() || std::isalpha(static_cast<unsigned char>(text[0]))) return;
    std::string unit(end);
    unit.erase(0, unit.find_first_not_of(' '));
    numbers->push_back({node.path(), unit, value, calc_factor(unit)});
  }
}

// State and rates at the start, and the state at the end, after each other.
template <class T>
std::vector<T> calc_outcome(const InputFile& file, const RunOptions& options,
                            const Setting& setting, bool with_run) {
  const System<T> system(read_scene<T>(file), options.ledger);
  State<T> state = system.make_initial_state();
  auto data = system.template make_evaluation<T>();
  std::vector<ContactChange> changes;
  data.step = setting.step;
  std::vector<T> result = state.y, rates(state.y.size());
  system.calc_rates_of_new_step(&state, rates.data(), &data, &changes);
  result.insert(result.end(), rates.begin(), rates.end());
  if (!with_run) return result;
  state = system.make_initial_state();
  FixedStepper<T, T> stepper(system, static_cast<FixedStepMethod>(options.solver));
  while (state.t < setting.duration) {
    stepper.step(calc_step_end(state.t, setting.step, setting.duration), &state, &data, &changes);
  }
  result.insert(result.end(), state.y.begin(), state.y.end());
  return result;
}

struct Difference {
  std::vector<double> slope, noise;
};

// Of the outcome by a number; one-sided where the reader refuses the other side, nothing where it
// refuses both.
std::optional<Difference> calc_difference(InputFile* file, const RunOptions& options,
                                          const Setting& setting, bool with_run, const Number& n,
                                          double h) {
  auto at = [&](double steps) -> std::vector<double> {
    file->set(n.path, fmt::format("{:.17g} {}", n.value + steps * h / n.factor, n.unit));
    try {
      return calc_outcome<double>(*file, options, setting, with_run);
    } catch (const InputError&) {
      return {};
    }
  };
  auto plus = at(1), minus = at(-1);
  std::vector<double> weights[2];
  Difference d;
  auto combine = [&](const std::vector<double>& a, const std::vector<double>& b,
                     const std::vector<double>& c, double wa, double wb, double wc) {
    double largest = 0;
    for (const double x : a) largest = std::max(largest, std::abs(x));
    for (size_t k = 0; k < a.size(); ++k) {
      d.slope.push_back((wa * a[k] + wb * b[k] + (c.empty() ? 0 : wc * c[k])) / h);
      d.noise.push_back(1e-15 * (largest * 1e-3 + 10 * std::abs(a[k])) / h);
    }
  };
  std::optional<Difference> result;
  if (!plus.empty() && !minus.empty()) {
    combine(plus, minus, {}, 0.5, -0.5, 0);
    result = d;
  } else if (!plus.empty() || !minus.empty()) {
    const double side = plus.empty() ? -1 : 1;
    const auto zero = at(0), two = at(2 * side);
    if (!zero.empty() && !two.empty()) {
      combine(zero, side > 0 ? plus : minus, two, -1.5 * side, 2 * side, -0.5 * side);
      result = d;
    }
  }
  file->set(n.path, fmt::format("{:.17g} {}", n.value, n.unit));
  return result;
}

// The worst component, relative to the derivative and beyond what rounding makes of a difference.
double calc_error(const std::vector<double>& exact, const Difference& d, size_t* worst) {
  double error = 0;
  for (size_t k = 0; k < exact.size(); ++k) {
    const double off = std::abs(exact[k] - d.slope[k]) - d.noise[k];
    const double scale = std::max(std::abs(exact[k]), std::abs(d.slope[k]));
    if (!(off <= 0) && !(off / scale <= error)) {
      error = std::isfinite(off) ? off / scale : kInfinity;
      *worst = k;
    }
  }
  return error;
}

TEST(Derivatives, ByEveryNumberOfEveryScene) {
  size_t all = 0, without = 0, alone = 0;
  const char* only = std::getenv("VESICA_SCENE");
  for (const auto& entry : std::filesystem::directory_iterator(VESICA_SOURCE_DIR "/scenes")) {
    if (entry.path().extension() != ".yaml") continue;
    const std::string name = entry.path().stem().string();
    if (only && name != only) continue;
    InputFile file = InputFile::load(entry.path().string());
    if (!is_scene(file)) continue;
    const auto start = std::chrono::steady_clock::now();
    const auto found = kSettings.find(name);
    const Setting setting = found == kSettings.end() ? Setting{} : found->second;
    file.set("solver", fmt::format("{{method: rk4, step: {}}}", setting.step));
    for (const auto& [path, value] : setting.changes) file.set(path, value);
    const RunOptions options = read_run_options(file);
    {
      const System<double> system(read_scene<double>(file), true);
      auto state = system.make_initial_state();
      auto data = system.make_evaluation<double>();
      std::vector<ContactChange> changes;
      std::vector<double> rates(state.y.size());
      data.locates_events = true;
      system.find_parts(&state, &data, &changes);
      system.calc_rates(0, state.y.data(), state.memory, rates.data(), &data);
      std::printf("%s:", name.c_str());
      for (auto& o : data.overlaps) if (o.distance != 1) std::printf(" %.3g", o.distance);
      std::printf("\n");
    }
    std::vector<Number> numbers;
    collect(file.root(), &numbers);
    for (size_t first = 0; first < numbers.size(); first += kTogether) {
      const size_t count = std::min(kTogether, numbers.size() - first);
      std::vector<std::string> paths;
      for (size_t k = 0; k < count; ++k) paths.push_back(numbers[first + k].path);
      std::vector<Seeded> exact;
      std::vector<std::string> unused;
      auto differentiate = [&](const std::vector<std::string>& seeds) {
        file.seed(seeds);
        exact = calc_outcome<Seeded>(file, options, setting, true);
        unused = file.unused_seeds();
      };
      std::vector<std::string> refused;
      try {
        differentiate(paths);
      } catch (const InputError&) {
        for (std::string& path : paths) {
          try {
            file.seed({path});
            read_scene<Seeded>(file);
          } catch (const InputError& error) {
            refused.push_back(path);
            path = "-";
          }
        }
        differentiate(paths);
      }
      for (size_t k = 0; k < count; ++k) {
        const Number& n = numbers[first + k];
        ++all;
        if (paths[k] == "-" || std::count(unused.begin(), unused.end(), n.path)) {
          ++without;
          std::printf("  none %s\n", n.path.c_str());
          continue;
        }
        std::vector<double> slope;
        for (const auto& x : exact) slope.push_back(x.v[static_cast<int>(k)]);
        const double scale = n.value != 0 ? std::abs(n.value * n.factor) : 1e-2;
        double error = kInfinity;
        size_t worst = 0;
        bool possible = false;
        double expected = 0;
        for (const double relative : {1e-5, 1e-6, 1e-4, 1e-7, 1e-8}) {
          const auto d = calc_difference(&file, options, setting, true, n, relative * scale);
          if (!d) continue;
          possible = true;
          size_t at = 0;
          const double e = calc_error(slope, *d, &at);
          if (e < error) {
            error = e;
            worst = at;
            expected = d->slope[at];
          }
          if (error < 1e-5) break;
        }
        if (!possible) {
          ++alone;
          std::printf("  alone %s\n", n.path.c_str());
          continue;
        }
        EXPECT_LT(error, 1e-5) << name << " " << n.path << " component " << worst << " of "
                               << slope.size() / 3 << " in each part: " << slope[worst]
                               << ", difference " << expected;
      }
    }
    std::printf("  %zu numbers, %.2f s\n", numbers.size(),
                std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::printf("%zu numbers, %zu without derivative, %zu cannot be varied alone\n", all, without,
              alone);
}

}  // namespace
}  // namespace vesica::derivatives_test
