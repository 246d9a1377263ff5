// All that a first program needs: build or read a model, run it, look at what it did.
//
// What else is documented for users (docs/howto/use_from_cpp.md): laws and pairs of shapes that are
// composed at compile time (contact/contact_forces.h, interference/), marker models (markers/),
// recordings of people (motion/), pages and pictures (report/).
#pragma once

#include "vesica/error.h"
#include "vesica/model/model.h"
#include "vesica/model/model_file.h"
#include "vesica/model/probe.h"
#include "vesica/report/line_plot_svg.h"
#include "vesica/simulation/make_scene.h"
#include "vesica/simulation/sensitivity.h"
#include "vesica/simulation/simulate.h"
#include "vesica/simulation/simulate_model.h"
#include "vesica/simulation/summary.h"
