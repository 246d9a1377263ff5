#include "vesica/simulation/simulate_model.h"

#include "vesica/model/seeds.h"
#include "vesica/simulation/make_scene.h"
#include "vesica/simulation/run_checks.h"

namespace vesica {

RunResult simulate(const Model& model, const RunControl& control) {
  check_model(model);
  const RunOptions options = make_run_options(model);
  const System<double> system(make_scene<double>(model), options.ledger);
  if (control.from == nullptr) check_start(model, system);
  return simulate(system, options, control);
}

}  // namespace vesica
