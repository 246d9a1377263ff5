// How a model is run: solver, steps, what is recorded.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vesica/math/fields.h"
#include "vesica/model/frame.h"

namespace vesica {

enum class Solver {
  kEuler,
  kSemiImplicitEuler,
  kRk3,
  kRk4,
  kRk5,
  kDopri5,
  kRodas5p,
  kCvode,
  kArkode,
};
constexpr bool is_fixed_step(Solver s) { return s <= Solver::kRk5; }
std::string_view solver_name(Solver solver);

// A rectangle of a pressure map; a side that is not given does not bound it.
struct MapRegion {
  std::string name{};
  std::optional<std::array<double, 2>> x{}, y{};

  void describe(Fields<double>& f);
};

// The pressure of a contact over time, on square cells in x and y of a frame that a body carries
// (contact/pressure_sums.h).
struct MapOptions {
  std::string name{};  // that of the contact unless given
  std::string contact{}, body{};
  std::optional<model::Frame<>> frame{};  // its middle; the body's own frame unless given
  std::array<double, 2> size{0.0, 0.0};
  double cell = 1e-3, interval = 1e-2;
  std::vector<MapRegion> regions{};

  const std::string& title() const { return name.empty() ? contact : name; }
  void describe(Fields<double>& f);
};

struct RunOptions {
  double duration = 1;
  Solver solver = Solver::kCvode;
  double step = 1e-4;           // fixed-step methods
  double tolerance = 1e-8;      // adaptive ones, relative to the scale of every state
  double max_step = 0;          // 0: no limit
  bool locates_events = false;  // fixed steps that end where contacts begin and end
  double interval = 1e-3;       // between recorded rows; 0: record nothing
  bool ledger = true;
  // Times in (0, duration), ascending, at which the run leaves a state to go on from. Adaptive
  // solvers stop and restart there; fixed steps do not notice: theirs is the first at or after it.
  std::vector<double> checkpoints{};
  std::vector<MapOptions> maps{};
};

namespace model {

struct Run : RunOptions {
  // Every so many seconds, in place of RunOptions::checkpoints.
  std::optional<double> checkpoint_interval{};

  // The keys duration, solver and output of a scene.
  void describe(Fields<double>& f);
};

// With the times of checkpoints.
RunOptions make_run_options(const Run& run);

}  // namespace model
}  // namespace vesica
