#include "vesica/simulation/run_checks.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "vesica/simulation/energy.h"

namespace vesica {
namespace {

double count_all_rows(const RunOptions& options) {
  return options.interval > 0 ? std::floor(options.duration / options.interval) + 1 : 0;
}

// The key that says how many rows there are: the interval where the file has one.
[[noreturn]] void fail_at_rows(const Model& model, const RunOptions& options, double bytes,
                               double there, const char* where, const char* remedy) {
  const bool has_interval = options.interval != RunOptions{}.interval;
  model.fail(
      has_interval ? "output.interval" : "duration",
      fmt::format(
          "{:.3g} s with a row every {:.3g} s make {:.2g} rows, {:.2g} GB, of which {} has {:.2g} "
          "GB; choose a longer output.interval, or a shorter duration{}",
          options.duration, options.interval, count_all_rows(options), bytes / 1e9, where,
          there / 1e9, remedy));
}

}  // namespace

void check_memory(const Model& model, const RunOptions& options, double numbers) {
  const double bytes = count_all_rows(options) * numbers * sizeof(double);
  const double there =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  if (bytes > there) {
    fail_at_rows(model, options, bytes, there, "the memory",
                 "; recordings as csv and h5 are not kept in memory");
  }
}

void check_disk(const Model& model, const RunOptions& options, double bytes,
                const std::string& folder) {
  std::error_code code;
  const auto space = std::filesystem::space(folder, code);
  if (code || count_all_rows(options) * bytes <= static_cast<double>(space.available)) return;
  fail_at_rows(model, options, count_all_rows(options) * bytes,
               static_cast<double>(space.available), "the disk", "");
}

void check_map_disk(const Model& model, const RunOptions& options, const std::string& folder) {
  double bytes = 0;
  for (const MapOptions& map : options.maps) {
    const double cells = map.size[0] * map.size[1] / (map.cell * map.cell);
    bytes += (std::floor(options.duration / map.interval) + 1) * cells * sizeof(double);
  }
  std::error_code code;
  const auto space = std::filesystem::space(folder, code);
  if (code || bytes <= static_cast<double>(space.available)) return;
  model.fail("output.pressure_maps",
             fmt::format("the maps take up to {:.2g} GB, of which the disk has {:.2g} GB; choose "
                         "larger cells, a longer interval, or a shorter duration",
                         bytes / 1e9, static_cast<double>(space.available) / 1e9));
}

void check_start(const Model& model, const System<double>& system) {
  State<double> start = system.make_initial_state();
  std::vector<double> rates(start.y.size());
  auto data = system.make_evaluation<double>();
  std::vector<ContactChange> unused;
  try {
    system.find_parts(&start, &data, &unused);
  } catch (const RunError&) {
    return;  // crowded: the run says so
  }
  system.calc_rates(start.t, start.y.data(), start.memory, rates.data(), &data);
  constexpr const char* kRemedy =
      "; sizes, speeds, masses or stiffnesses are too large or too small to compute with (check "
      "their units)";
  const StateLayout& layout = system.layout();
  for (size_t b = 0; b < system.scene().bodies.size(); ++b) {
    const auto& link = system.scene().tree.bodies()[b];
    const auto is_finite = [](double x) { return std::isfinite(x); };
    const double* place = start.y.data() + layout.position(b);
    const double* speed = start.y.data() + layout.velocity(b);
    const double* acceleration = rates.data() + layout.velocity(b);
    const std::string& name = system.scene().bodies[b].name;
    if (!std::all_of(place, place + link.nq, is_finite) ||
        !std::all_of(speed, speed + link.nu, is_finite)) {
      model.fail(join_path("bodies", name),
                 std::string("its place or speed at the start is not finite") + kRemedy);
    }
    if (!std::all_of(acceleration, acceleration + link.nu, is_finite)) {
      model.fail(join_path("bodies", name),
                 std::string("its acceleration at the start is not finite") + kRemedy);
    }
  }
  if (!std::all_of(rates.begin(), rates.end(), [](double x) { return std::isfinite(x); }) ||
      !std::isfinite(calc_energies(system, start.y.data(), data).mechanical())) {
    model.fail("bodies", std::string("energy or power at the start is not finite") + kRemedy);
  }
}

}  // namespace vesica
