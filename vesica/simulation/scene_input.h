// From a YAML file to a scene and to how it is run. docs/formats/scene.md is the user's side of it.
#pragma once

#include "vesica/io/yaml.h"
#include "vesica/simulation/scene.h"

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
  std::vector<double> checkpoints;
};

template <class P>
Scene<P> read_scene(const InputFile& file);
RunOptions read_run_options(const InputFile& file);

// Is this a scene (and not, say, a case for probe)?
bool is_scene(const InputFile& file);

extern template Scene<double> read_scene(const InputFile&);
extern template Scene<Dual<4>> read_scene(const InputFile&);
extern template Scene<Dual<12>> read_scene(const InputFile&);

}  // namespace vesica
