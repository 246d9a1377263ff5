#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/vesica/commands.h"
#include "vesica/error.h"
#include "vesica/io/output_file.h"
#include "vesica/report/law_plots.h"
#include "vesica/report/law_sheets.h"

namespace vesica::app {
namespace {

using Json = nlohmann::ordered_json;
using Kind = LawSheet::Kind;

struct LawsOptions {
  std::string name, svg;
};

// The example as it stands in a file.
std::string make_example(const LawSheet& sheet) {
  const char* key = sheet.kind == Kind::kFriction ? "friction" : "normal";
  return fmt::format("{}: {}", sheet.name == "relaxation" ? "relaxation" : key, sheet.example);
}

std::string page_of(const LawSheet& sheet) {
  return fmt::format("docs/theory/laws/{}.md", sheet.name);
}

Json as_json(const LawSheet& sheet) {
  Json json = {{"name", sheet.name},
               {"kind", kind_name(sheet.kind)},
               {"summary", sheet.summary},
               {"equation", sheet.equation},
               {"source", sheet.source},
               {"parameters", Json::array()},
               {"takes_restitution", sheet.damped},
               {"smoothness", sheet.smoothness},
               {"cannot", sheet.cannot},
               {"example", make_example(sheet)},
               {"page", page_of(sheet)}};
  for (const auto& p : sheet.parameters) {
    json["parameters"].push_back({{"key", p.key}, {"unit", p.unit}, {"meaning", p.meaning}});
  }
  return json;
}

// What the picture shows, as numbers.
Json as_json(const std::vector<LinePlot>& plots) {
  Json json = Json::array();
  for (const LinePlot& plot : plots) {
    Json panel = {{"title", plot.title}, {"x", plot.x_label}, {"y", plot.y_label}};
    for (const auto& curve : plot.curves) {
      panel["curves"].push_back({{"name", curve.name}, {"x", curve.x}, {"y", curve.y}});
    }
    for (const auto& mark : plot.marks) {
      panel["marks"].push_back({{"name", mark.name}, {"x", mark.x}, {"y", mark.y}});
    }
    json.push_back(std::move(panel));
  }
  return json;
}

void print_list() {
  const std::pair<Kind, const char*> groups[] = {{Kind::kNormal, "normal laws"},
                                                 {Kind::kFriction, "friction laws"},
                                                 {Kind::kOption, "with them"}};
  for (const auto& [kind, title] : groups) {
    fmt::print("{}\n", title);
    for (const LawSheet& sheet : law_sheets()) {
      if (sheet.kind == kind) fmt::print("  {:<22}{}\n", sheet.name, sheet.summary);
    }
  }
}

void print_sheet(const LawSheet& sheet) {
  fmt::print("{}: {}\n\n", sheet.name, sheet.summary);
  for (const std::string& line : sheet.equation) fmt::print("  {}\n", line);
  if (!sheet.source.empty()) fmt::print("\nsource      {}\n", sheet.source);
  if (!sheet.parameters.empty() || sheet.damped) {
    fmt::print("\nparameters\n");
    for (const auto& p : sheet.parameters) {
      fmt::print("  {:<18}{:<14}{}\n", p.key, p.unit, p.meaning);
    }
    if (sheet.damped) fmt::print("  and those of damping: vesica laws restitution\n");
  }
  fmt::print("\nsmoothness  {}\ncannot      {}\nexample     {}\n", sheet.smoothness, sheet.cannot,
             make_example(sheet));
}

void save_picture(const std::vector<LinePlot>& plots, const LawsOptions& options,
                  const Common& common) {
  if (std::filesystem::path(options.svg).extension() != ".svg") {
    throw InputError(fmt::format("--svg {}: the name must end in .svg", options.svg));
  }
  if (plots.empty()) throw InputError(fmt::format("'{}' has nothing to draw", options.name));
  const std::string path = resolve_path(common.out, options.svg);
  save_text(path, make_line_plot_svg(plots));
  if (!common.quiet) say("wrote {}\n", path);
}

void run_laws(const LawsOptions& options, const Common& common) {
  expect_files_for_out(common, !options.svg.empty(), "--svg FILE writes a picture");
  const bool all = options.name.empty();
  const LawSheet* sheet = all ? nullptr : &law_sheet(options.name);
  std::vector<LinePlot> plots;
  if (!options.svg.empty() || (common.json && sheet)) {
    plots = sheet ? make_law_plots(*sheet) : make_overview_plots();
  }
  if (!options.svg.empty()) save_picture(plots, options, common);
  if (common.json) {
    Json json = Json::array();
    if (sheet) {
      json = as_json(*sheet);
      json["plots"] = as_json(plots);
    } else {
      for (const LawSheet& each : law_sheets()) json.push_back(as_json(each));
    }
    print_json(json);
  } else if (sheet) {
    print_sheet(*sheet);
  } else {
    print_list();
    if (!common.quiet) fmt::print("\nOne of them:  vesica laws bristle --svg bristle.svg\n");
  }
}

}  // namespace

void add_laws(CommandLine& line, Common& common) {
  Command command =
      add_command(line, common, "laws", "Contact laws: equation, parameters, limits, a picture");
  add_out(command, common);
  auto options = std::make_shared<LawsOptions>();
  command.option("NAME", &options->name, "one law; all of them, a line each, without")
      .type_name("");
  command
      .option("--svg", &options->svg,
              "draw it with the example's parameters; without NAME: friction laws compared")
      .type_name("FILE");
  command.run([&common, options] { run_laws(*options, common); });
}

}  // namespace vesica::app
