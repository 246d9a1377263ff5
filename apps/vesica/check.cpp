#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "apps/vesica/commands.h"
#include "apps/vesica/scene_files.h"
#include "vesica/forces/files.h"
#include "vesica/identification/bench_study.h"
#include "vesica/identification/foot2d_study.h"
#include "vesica/identification/foot_drag.h"
#include "vesica/identification/foot_study.h"
#include "vesica/io/marker_map.h"
#include "vesica/markers/model_file.h"
#include "vesica/markers/study.h"
#include "vesica/model/model_file.h"
#include "vesica/model/probe.h"
#include "vesica/simulation/make_scene.h"
#include "vesica/simulation/run_checks.h"
#include "vesica/studies/scene_fit.h"
#include "vesica/studies/study.h"

namespace vesica::app {

void add_check(CommandLine& line, Common& common) {
  Command command =
      add_command(line, common, "check", "Validate an input file; errors come with line numbers");
  auto file = std::make_shared<std::string>();
  command
      .option("FILE", file.get(),
              "a YAML input, a map of marker names (.csv), or a name from `vesica list`")
      .type_name("")
      .required();
  command.run([&common, file] {
    const std::string path = find_input(*file);
    const auto tell = [&](const char* kind) {
      if (common.json) {
        print_json({{"file", path}, {"ok", true}, {"kind", kind}});
      } else {
        fmt::print("{}: good, an input for `vesica {}`\n", path, kind);
      }
    };
    // The only input that may be a table.
    if (path.ends_with(".csv") || path.ends_with(".CSV")) {
      load_marker_map(path);
      return tell("markers --map");
    }
    const InputFile input = InputFile::load(path);
    const char* kind = "probe";
    if (studies::is_study(input)) {
      kind = "study";
      studies::read_study(input, {[](const std::string& name) { return find_input(name); }});
    } else if (is_scene(input)) {
      kind = "simulate";
      const Model model = read_model(input);
      const System<double> system(make_scene<double>(model), model.run.ledger);
      check_start(model, system);
      if (!common.quiet) {
        for (const std::string& note : system.scene().notes) say("note: {}\n", note);
      }
    } else if (forces::is_population(input)) {
      kind = "forces";
      forces::read_population(input);
    } else if (forces::is_calibration(input)) {
      kind = "forces predict";
      forces::read_calibration(input);
    } else if (is_marker_map(input)) {
      kind = "markers --map";
      read_marker_map(input);
    } else if (markers::is_study(input)) {
      kind = "markers";
      markers::check_study(input);
    } else if (input.root().find("segments")) {
      kind = "markers";
      markers::read_model(input);
    } else if (is_foot_study(input)) {
      kind = "identify";
      // Read and stopped before it fits.
      run_foot_study(
          input, [](double, const std::string&) {}, [] { return true; });
    } else if (is_foot2d_study(input)) {
      kind = "identify";
      run_foot2d_study(input, {.threads = 1, .progress = {}, .stop = [] { return true; }});
    } else if (is_drag_study(input)) {
      kind = "identify";
      run_drag_study(
          input, [](double, const std::string&) {}, [] { return true; });
    } else if (studies::is_scene_fit(input)) {
      kind = "identify";
      studies::check_scene_fit(input, find_input);
    } else if (is_bench_study(input)) {
      kind = "identify";
      run_bench_study(input);
    } else {
      read_probe_case(input);
    }
    tell(kind);
  });
}

}  // namespace vesica::app
