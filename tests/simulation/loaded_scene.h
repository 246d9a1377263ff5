// A scene from text, with everything that running it takes.
#pragma once

#include <string>

#include "vesica/simulation/simulate.h"

namespace vesica::test {

struct LoadedScene {
  InputFile file;
  RunOptions options;
  System<double> system;
};

inline LoadedScene load_scene(const std::string& text) {
  const auto file = InputFile::parse(text, "test.yaml");
  const auto options = read_run_options(file);
  return {file, options, System<double>(read_scene<double>(file), options.ledger)};
}

}  // namespace vesica::test
