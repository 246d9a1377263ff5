#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/vesica/commands.h"
#include "vesica/identification/bench_examples.h"
#include "vesica/identification/bench_study.h"
#include "vesica/io/output_file.h"

namespace vesica::app {
namespace {

namespace fs = std::filesystem;

struct IdentifyArguments {
  std::string study;
  std::string examples;  // folder for synthetic studies
};

void print_table(const BenchStudy& study) {
  if (!study.title.empty()) fmt::print("{}\n\n", study.title);
  fmt::print("  {:<20}{:>13}{:>28}  {}\n", "parameter", "value", "95 % interval", "unit");
  for (const Estimate& e : study.fit.parameters) {
    const std::string interval =
        e.determined ? fmt::format("{:.5g} to {:.5g}", e.low, e.high) : "not determined";
    fmt::print("  {:<20}{:>13.5g}{:>28}{}{}\n", e.name, e.value, interval,
               e.unit.empty() ? "" : "  ", e.unit);
  }
  fmt::print("\n");
  for (const FittedCurve& c : study.fit.curves) {
    fmt::print("  {}: {} rows, residual rms {:.3g} of {} ({:.2g} % of the largest)\n", c.name,
               c.x.size(), c.rms, c.y_name, 100 * c.rms_share);
  }
  fmt::print("  in a scene: {}\n", study.fit.scene);
  for (const std::string& note : study.fit.notes) fmt::print("  note: {}\n", note);
  for (const std::string& warning : study.fit.warnings) fmt::print("  warning: {}\n", warning);
}

std::string make_csv(const FittedCurve& curve) {
  std::string text = fmt::format("{},{},fitted\n", curve.x_name, curve.y_name);
  for (size_t r = 0; r < curve.x.size(); ++r) {
    text += fmt::format("{:.9g},{:.9g},{:.9g}\n", curve.x[r], curve.measured[r], curve.fitted[r]);
  }
  return text;
}

void save_results(const BenchStudy& study, const Common& common) {
  const fs::path folder(common.out);
  for (const FittedCurve& curve : study.fit.curves) {
    save_text(path_within(common.out, curve.name + "_fit.csv", "the curve's name"),
              make_csv(curve));
  }
  save_text((folder / "identify.json").string(), make_bench_json(study).dump(2) + "\n");
  if (!common.quiet) {
    say("wrote {}: identify.json, and measured beside fitted values as CSV\n", common.out);
  }
}

}  // namespace

void add_identify(CommandLine& line, Common& common) {
  Command command = add_command(line, common, "identify",
                                "Fit contact parameters to measurements, with intervals");
  add_out(command, common);
  auto arguments = std::make_shared<IdentifyArguments>();
  const Option study = command.option("STUDY", &arguments->study, "a YAML study").type_name("");
  command
      .option("--examples", &arguments->examples,
              "write a synthetic study of every type into DIR, and nothing else")
      .type_name("DIR")
      .excludes(study);
  command.run([&common, arguments, command] {
    if (!arguments->examples.empty()) {
      command.refuse({"--out", "--json"}, "--examples DIR says where, and writes nothing else");
      for (const std::string& path : save_bench_examples(arguments->examples)) {
        if (!common.quiet) say("wrote {0}; run it: vesica identify {0}\n", path);
      }
      return;
    }
    if (arguments->study.empty()) {
      throw InputError("give a STUDY, or --examples DIR for one of every type to start from");
    }
    const InputFile file = InputFile::load(arguments->study);
    if (!common.out.empty()) try_folder(common.out);
    const BenchStudy result = run_bench_study(file);
    if (!common.out.empty()) save_results(result, common);
    if (common.json) {
      print_json(make_bench_json(result));
    } else {
      print_table(result);
    }
    if (!result.fit.converged) common.status = kFailed;
  });
}

}  // namespace vesica::app
