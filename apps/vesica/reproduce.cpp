#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "apps/vesica/commands.h"
#include "apps/vesica/progress.h"
#include "apps/vesica/scene_files.h"
#include "reproduce/outputs.h"
#include "vesica/error.h"
#include "vesica/io/output_file.h"
#include "vesica/io/unknown_word.h"
#include "vesica/math/parallel.h"
#include "vesica/simulation/simulate.h"

namespace vesica::app {
namespace {

namespace fs = std::filesystem;

struct ReproduceArguments {
  std::vector<std::string> systems;
  bool once = false;
  std::string svg;
};

void expect_system(const std::string& name) {
  const auto& known = reproduced_systems();
  if (std::find(known.begin(), known.end(), name) != known.end()) return;
  throw InputError(fmt::format("reproduce: {}", say_unknown(name, {known.begin(), known.end()})));
}

// Side by side, but for those whose figures are times: they come last, one after the other. In the
// order of the names; those that an interruption came before are missing.
std::vector<Reproduced> run_systems(const std::vector<std::string>& names,
                                    const ReproduceOptions& options, bool once, int threads,
                                    const std::function<void(double)>& progress) {
  std::vector<std::optional<Reproduced>> done(names.size());
  std::vector<size_t> together, alone;
  for (size_t k = 0; k < names.size(); ++k) {
    (measures_time(names[k]) ? alone : together).push_back(k);
  }
  std::mutex counting;
  size_t count = 0;
  const auto run = [&](size_t k) {
    try {
      done[k] = reproduce_twice(names[k], options, once);
    } catch (const Interrupted&) {
      return;
    }
    const std::lock_guard lock(counting);
    progress(static_cast<double>(++count) / static_cast<double>(names.size()));
  };
  for_each_index(static_cast<int>(together.size()), threads,
                 [&](int k, int) { run(together[static_cast<size_t>(k)]); });
  for (const size_t k : alone) run(k);
  std::vector<Reproduced> all;
  for (auto& system : done) {
    if (system) all.push_back(std::move(*system));
  }
  return all;
}

}  // namespace

void add_reproduce(CommandLine& line, Common& common) {
  Command command = add_command(line, common, "reproduce",
                                "The systems of the sources: their figure, ours, a verdict");
  add_out(command, common);
  add_threads(command, common);
  auto arguments = std::make_shared<ReproduceArguments>();
  command.option("SYSTEM", &arguments->systems, "which of them; all without");
  command.flag("--once", &arguments->once,
               "do not run again with tolerances halved to see what the figures move by");
  command.option("--svg", &arguments->svg, "the plots of the one SYSTEM as a picture")
      .type_name("FILE");
  command.run([&common, arguments] {
    std::vector<std::string> names = arguments->systems;
    if (!arguments->svg.empty() && names.size() != 1) {
      throw InputError(
          fmt::format("--svg {}: draws one system; name it, for instance `vesica "
                      "reproduce ball_on_table --svg {}`",
                      arguments->svg, arguments->svg));
    }
    if (names.empty()) {
      for (const auto name : reproduced_systems()) names.emplace_back(name);
    }
    for (const std::string& name : names) {
      expect_system(name);
      if (std::count(names.begin(), names.end(), name) > 1) {
        throw InputError(fmt::format("{} is named twice", name));
      }
    }
    const std::string folder = common.out.empty() ? "out/reproduce" : common.out;
    try_folder(folder);
    if (!arguments->svg.empty()) try_file(arguments->svg);
    keep_on_stop();
    const ReproduceOptions options{.scenes = scenes_folder().string(), .stop = &stop_requested()};
    std::vector<Reproduced> all;
    {
      Progress progress("reproduce", common.quiet || common.json);
      all = run_systems(names, options, arguments->once, calc_thread_count(common.threads),
                        [&](double done) { progress.update(done); });
    }
    if (all.size() < names.size()) {  // the systems that are done are kept
      common.status = kInterrupted;
      say("interrupted: {} of {} systems are done\n", all.size(), names.size());
      if (all.empty()) return;
    }
    const auto json = as_json(all);
    save_text((fs::path(folder) / "reproduce.json").string(), json.dump(2) + "\n");
    save_text((fs::path(folder) / "reproduce.html").string(),
              make_reproduce_page(all, common.status == kInterrupted));
    if (!arguments->svg.empty() && all.size() == 1)
      save_text(arguments->svg, make_reproduce_picture(all[0].plots));
    if (common.json) {
      fmt::print("{}\n", json.dump(2));
    } else if (!common.quiet) {
      for (const Reproduced& system : all) fmt::print("{}", make_reproduce_table(system));
      fmt::print("{}the same with plots: {}/reproduce.html\n", make_counts_text(all), folder);
    }
    for (const Reproduced& system : all) {
      const bool failed = !system.failures.empty() && system.system != "solver_study";
      if (failed && common.status == kDone) common.status = kFailed;
    }
  });
}

}  // namespace vesica::app
