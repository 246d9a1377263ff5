#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "apps/vesica/commands.h"
#include "apps/vesica/input_kind.h"
#include "apps/vesica/scene_files.h"
#include "vesica/biomechanics/foot_file.h"
#include "vesica/forces/files.h"
#include "vesica/identification/bench_study.h"
#include "vesica/identification/foot2d_study.h"
#include "vesica/identification/foot_drag.h"
#include "vesica/identification/foot_people.h"
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
namespace {

// Fits are read, and stopped before they begin.
void check_identification(const InputFile& input) {
  const auto stop = [] { return true; };
  if (is_foot_study(input)) {
    run_foot_study(input, {}, stop);
  } else if (is_foot_people(input)) {
    run_foot_people(input, {}, stop, true);
  } else if (is_foot2d_study(input)) {
    run_foot2d_study(input, {.threads = 1, .progress = {}, .stop = stop});
  } else if (is_drag_study(input)) {
    run_drag_study(input, {}, stop);
  } else if (studies::is_scene_fit(input)) {
    studies::check_scene_fit(input, find_input);
  } else {
    run_bench_study(input);
  }
}

}  // namespace

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
    const auto tell = [&](std::string_view kind) {
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
    // What `vesica identify` writes and a program of one's own may read.
    if (is_foot_model(input)) {
      read_foot(input);
      if (common.json) {
        print_json({{"file", path}, {"ok", true}, {"kind", "foot_model"}});
      } else {
        fmt::print("{}: good, a foot's contact\n", path);
      }
      return;
    }
    const std::string_view reader = find_reader(input);
    if (reader == "study") {
      studies::read_study(input, {[](const std::string& name) { return find_input(name); }});
    } else if (reader == "simulate") {
      const Model model = read_model(input);
      const System<double> system(make_scene<double>(model), model.run.ledger);
      check_start(model, system);
      if (!common.quiet) {
        for (const std::string& note : system.scene().notes) say("note: {}\n", note);
      }
    } else if (reader == "forces") {
      forces::read_population(input);
    } else if (reader == "forces predict") {
      forces::read_calibration(input);
    } else if (reader == "markers --map") {
      read_marker_map(input);
    } else if (markers::is_study(input)) {
      markers::check_study(input);
    } else if (reader == "markers") {
      markers::read_model(input);
    } else if (reader == "identify") {
      check_identification(input);
    } else {
      read_probe_case(input);
      return tell("probe");
    }
    tell(reader);
  });
}

}  // namespace vesica::app
