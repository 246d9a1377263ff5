// From a model to equations: names become indices, files are loaded, laws and shapes meet.
#pragma once

#include <string>
#include <vector>

#include "vesica/model/model.h"
#include "vesica/simulation/scene.h"

namespace vesica {

// The whole way: builds the scene, closes its loops, and lets it come to rest where the model asks
// for that. `seeds`: paths of the numbers that carry derivative 0, 1, ... Throws InputError with
// the place of what cannot be.
template <class P>
Scene<P> make_scene(const Model& model, const std::vector<std::string>& seeds = {});

// Its bodies, joints, contacts and forces, with the start as the model gives it.
template <class P>
Scene<P> build_scene(const ModelOf<P>& model);

inline RunOptions make_run_options(const Model& model) { return make_run_options(model.run); }

extern template Scene<double> make_scene(const Model&, const std::vector<std::string>&);
extern template Scene<Dual<4>> make_scene(const Model&, const std::vector<std::string>&);
extern template Scene<Dual<12>> make_scene(const Model&, const std::vector<std::string>&);

}  // namespace vesica
