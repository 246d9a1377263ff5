// What is done to the start of a scene with joints before it runs.
#pragma once

#include "vesica/io/yaml.h"
#include "vesica/simulation/scene.h"

namespace vesica {

// `equilibrium: {locked: [...]}`: q0 becomes the pose of rest.
template <class P>
void start_at_rest(const InputNode& node, Scene<P>* scene);

// Brings scene.q0 and u0 onto the loops, and refuses a tree that nothing holds back: a joint whose
// motion moves no mass. `root` is for messages.
template <class P>
void prepare_start(const InputNode& root, Scene<P>* scene);

}  // namespace vesica
