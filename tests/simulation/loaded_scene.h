// A scene from text, with everything that running it takes.
#pragma once

#include <string>

#include "vesica/model/model_file.h"
#include "vesica/simulation/make_scene.h"
#include "vesica/simulation/simulate.h"

namespace vesica::test {

struct LoadedScene {
  InputFile file;
  RunOptions options;
  System<double> system;
};

inline LoadedScene load_scene(const std::string& text) {
  const auto file = InputFile::parse(text, "test.yaml");
  const auto options = make_run_options(read_model(file));
  return {file, options, System<double>(make_scene<double>(read_model(file)), options.ledger)};
}

}  // namespace vesica::test
