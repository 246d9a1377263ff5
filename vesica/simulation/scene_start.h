// What is done to the start of a scene with joints before it runs.
#pragma once

#include "vesica/model/model.h"
#include "vesica/simulation/scene.h"

namespace vesica {

// `equilibrium: {locked: [...]}`: q0 becomes the pose of rest.
template <class P>
void start_at_rest(const Model& model, Scene<P>* scene);

// Brings scene.q0 and u0 onto the loops, and refuses a tree that nothing holds back: a joint whose
// motion moves no mass.
template <class P>
void prepare_start(const Model& model, Scene<P>* scene);

}  // namespace vesica
