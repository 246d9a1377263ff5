// What is done to the start of a scene with joints before it runs.
#pragma once

#include <string>
#include <vector>

#include "vesica/model/model.h"
#include "vesica/simulation/scene.h"
#include "vesica/simulation/system.h"

namespace vesica {

// `equilibrium`: q0 becomes the pose of rest. With derivatives it answers to the scene's numbers:
// dq = -J^-1 dr. `seeds`: for messages.
template <class P>
void start_at_rest(const Model& model, const std::vector<std::string>& seeds, Scene<P>* scene);

// The largest force [N] or torque [N m] that is left where the scene starts at rest, but for what
// holds measures; of a model with `equilibrium`, computed anew from the start.
double calc_rest_residual(const Model& model, const System<double>& system);

// Where all bodies are at q0.
template <class P>
std::vector<Motion<P>> calc_start_motions(const Scene<P>& scene);

// Brings scene.q0 and u0 onto the loops, and refuses a tree that nothing holds back: a joint whose
// motion moves no mass.
template <class P>
void prepare_start(const Model& model, Scene<P>* scene);

}  // namespace vesica
