#include "vesica/simulation/reproduce.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "apps/vesica/commands.h"
#include "apps/vesica/progress.h"
#include "apps/vesica/scene_files.h"
#include "vesica/error.h"
#include "vesica/io/output_file.h"

namespace vesica::app {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct Options {
  std::vector<std::string> systems;
  bool once = false;
};

// A figure, and the same with tolerances and steps halved.
struct Row {
  Figure figure;
  std::optional<double> halved;
};
struct Reproduced {
  std::string system;
  std::vector<Row> rows;
  std::vector<TimePlot> plots;
  double simulated = 0, seconds = 0;
  std::vector<std::string> failures;
};

Reproduced run_system(const std::string& name, const std::string& scenes, bool once) {
  const SystemReport report = reproduce(name, {.scenes = scenes});
  Reproduced out{name, {}, report.plots, report.simulated, report.seconds, report.failures};
  for (const Figure& f : report.figures) out.rows.push_back({f, std::nullopt});
  if (once || name == "solver_study") return out;
  const SystemReport halved = reproduce(name, {.scenes = scenes, .tolerance_scale = 0.5});
  for (Row& row : out.rows) {
    for (const Figure& f : halved.figures) {
      if (f.quantity == row.figure.quantity && f.where == row.figure.where) row.halved = f.ours;
    }
  }
  return out;
}

std::string describe(const Json& where) {
  std::string text;
  for (const auto& [key, value] : where.items()) {
    if (!text.empty()) text += ", ";
    text += fmt::format("{} {}", key, value.is_string() ? value.get<std::string>() : value.dump());
  }
  return text;
}
std::string number(double x) { return std::isfinite(x) ? fmt::format("{:.5g}", x) : "none"; }
std::string change(const Row& row) {
  return row.halved ? fmt::format("{:.1e}", *row.halved - row.figure.ours) : "";
}

Json as_json(const std::vector<Reproduced>& all) {
  Json list = Json::array();
  for (const Reproduced& system : all) {
    for (const Row& row : system.rows) {
      const Figure& f = row.figure;
      Json entry{{"system", f.system}, {"quantity", f.quantity}, {"case", f.where}};
      entry["source"] = f.source ? Json(*f.source) : Json();
      entry["ours"] = f.ours;
      entry["unit"] = f.unit;
      entry["verdict"] = f.verdict;
      if (row.halved) entry["ours_at_half_tolerance"] = *row.halved;
      list.push_back(entry);
    }
  }
  return list;
}

void print_table(const std::vector<Reproduced>& all) {
  for (const Reproduced& system : all) {
    fmt::print("{} ({:.3g} s simulated in {:.3g} s)\n\n", system.system, system.simulated,
               system.seconds);
    fmt::print("  {:<28}{:<46}{:>11}{:>13} {:<7}  {}\n", "quantity", "case", "source", "ours", "",
               "verdict");
    for (const Row& row : system.rows) {
      const Figure& f = row.figure;
      fmt::print("  {:<28}{:<46}{:>11}{:>13} {:<7}  {}\n", f.quantity, describe(f.where),
                 f.source ? number(*f.source) : "", number(f.ours), f.unit, f.verdict);
    }
    for (const auto& failure : system.failures) fmt::print("  failed: {}\n", failure);
    fmt::print("\n");
  }
}

std::string make_page(const std::vector<Reproduced>& all) {
  HtmlPage page("The systems of the sources", "vesica reproduce");
  page.add_text(
      "Every system of the sources that has been rebuilt: the source's figure where its text has a "
      "number, ours, how much ours moves when tolerances and steps are halved, and a verdict. "
      "Nothing is tuned.");
  for (const Reproduced& system : all) {
    page.add_heading(system.system,
                     fmt::format("{:.3g} s simulated in {:.3g} s, recording included",
                                 system.simulated, system.seconds));
    std::vector<std::vector<std::string>> rows;
    for (const Row& row : system.rows) {
      const Figure& f = row.figure;
      rows.push_back({f.quantity, describe(f.where), f.source ? number(*f.source) : "",
                      number(f.ours), f.unit, change(row), f.verdict});
    }
    page.add_table({"quantity", "case", "source", "ours", "unit", "change when halved", "verdict"},
                   rows);
    if (!system.failures.empty()) {
      page.add_notes("Runs that did not finish", system.failures, HtmlPage::Mood::kBad);
    }
    page.begin_grid();
    for (const TimePlot& plot : system.plots) page.add_plot(plot);
    page.end_grid();
  }
  return page.as_html();
}

}  // namespace

void add_reproduce(CLI::App& app, Common& common) {
  CLI::App* command = add_command(app, common, "reproduce",
                                  "The systems of the sources: their figure, ours, a verdict");
  auto options = std::make_shared<Options>();
  command->add_option("SYSTEM", options->systems, "which of them; all without");
  command->add_flag("--once", options->once,
                    "do not run again with tolerances halved to see what the figures move by");
  command->callback([&common, options] {
    std::vector<std::string> names = options->systems;
    if (names.empty()) {
      for (const auto name : reproduced_systems()) names.emplace_back(name);
    }
    std::vector<Reproduced> all;
    {
      Progress progress("reproduce", common.quiet || common.json);
      for (size_t k = 0; k < names.size(); ++k) {
        progress.update(static_cast<double>(k) / static_cast<double>(names.size()));
        all.push_back(run_system(names[k], scenes_folder().string(), options->once));
      }
    }
    const std::string folder = common.out.empty() ? "out/reproduce" : common.out;
    std::error_code code;
    fs::create_directories(folder, code);
    if (code) throw InputError(fmt::format("--out {}: {}", folder, code.message()));
    const Json json = as_json(all);
    save_text((fs::path(folder) / "reproduce.json").string(), json.dump(2) + "\n");
    save_text((fs::path(folder) / "reproduce.html").string(), make_page(all));
    if (common.json) {
      fmt::print("{}\n", json.dump(2));
    } else if (!common.quiet) {
      print_table(all);
      fmt::print("the same with plots: {}/reproduce.html\n", folder);
    }
    for (const Reproduced& system : all) {
      if (!system.failures.empty() && system.system != "solver_study") common.status = 1;
    }
  });
}

}  // namespace vesica::app
