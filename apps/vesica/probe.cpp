#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/vesica/commands.h"
#include "apps/vesica/input_kind.h"
#include "apps/vesica/scene_files.h"
#include "vesica/contact/pressure_sums.h"
#include "vesica/io/output_file.h"
#include "vesica/model/probe.h"
#include "vesica/report/pressure_svg.h"

namespace vesica::app {
namespace {

struct ProbeOptions {
  std::string file;
  bool derivatives = false;
  bool table = false;
  std::string pressure_map;
  int cells = 160;
};

// What a row of the table shows: a key of the JSON, in a unit that suits a contact.
struct ProbeRow {
  const char* key;
  const char* label;
  const char* unit;
  double per_si;
};

constexpr ProbeRow kProbeRows[] = {
    {"distance", "signed distance", "mm", 1e3},
    {"volume", "shared volume", "mm^3", 1e9},
    {"centroid", "its centroid", "mm", 1e3},
    {"normal", "normal, j to i", "", 1},
    {"area", "shadow area along n", "mm^2", 1e6},
    {"section_area", "section on the contact plane", "mm^2", 1e6},
    {"max_depth", "greatest depth", "mm", 1e3},
    {"radius_of_gyration", "radius of gyration", "mm", 1e3},
    {"closing_speed", "closing speed", "m/s", 1},
    {"normal_force", "normal force", "N", 1},
    {"center_of_pressure", "centre of pressure", "mm", 1e3},
    {"force_on_i", "force on i", "N", 1},
    {"moment_on_i_at_centroid", "moment on i at the centroid", "N mm", 1e3},
    {"elastic_energy", "elastic energy", "mJ", 1e3},
};

// A part of a vector that is rounding beside the whole, or beside the contact, is zero.
std::vector<double> round_off(const nlohmann::ordered_json& vector, const ProbeRow& row,
                              const nlohmann::ordered_json& json) {
  constexpr double kRounding = 1e-13;  // of the numbers that were added up
  auto parts = vector.get<std::vector<double>>();
  double scale = 0;
  for (const double x : parts) scale = std::max(scale, std::abs(x));
  if (row.unit == std::string("mm")) scale += json["radius_of_gyration"].get<double>();
  for (double& x : parts) x = std::abs(x) < kRounding * scale ? 0 : x;
  return parts;
}

// Adding 0.0 turns a negative zero into zero.
void print_probe_table(const nlohmann::ordered_json& json) {
  if (json.contains("title")) fmt::print("{}\n\n", json["title"].get<std::string>());
  for (const ProbeRow& row : kProbeRows) {
    const auto& value = json[row.key];
    std::string text;
    if (value.is_null()) {
      text = fmt::format("{:>12}", "none");
    } else if (value.is_array()) {
      for (const double part : round_off(value, row, json)) {
        text += fmt::format("{:>12.5g}", part * row.per_si + 0.0);
      }
    } else {
      text = fmt::format("{:>12.5g}", value.get<double>() * row.per_si + 0.0);
    }
    fmt::print("  {:<30}{}{}{}\n", row.label, text, *row.unit ? " " : "", row.unit);
  }
  fmt::print("  {:<30}{:>12}, relative error about {:.1g}\n", "method",
             json["method"].get<std::string>(), json["error_estimate"].get<double>());
  for (const auto& warning : json["warnings"]) {
    fmt::print("  warning: {}\n", warning.get<std::string>());
  }
}

// Numbers of a case may each be fine and their products too large for a double: JSON has no word
// for that (it would print null), and a table of infinities helps nobody.
void expect_finite(const nlohmann::ordered_json& json, const std::string& file,
                   const std::string& key) {
  if (json.is_number_float() && !std::isfinite(json.get<double>())) {
    throw InputError(
        fmt::format("{}: '{}' overflows; sizes, speeds or stiffnesses of the case are too large or "
                    "too small to compute with (check their units)",
                    file, key));
  }
  if (!json.is_structured()) return;
  for (const auto& [name, value] : json.items()) {
    expect_finite(value, file, json.is_object() ? name : key);
  }
}

void write_pressure_map(const ProbeCase& probe, const ProbeOptions& options, const Common& common) {
  const std::string path = resolve_path(common.out, options.pressure_map);
  const auto map = calc_pressure_map(probe.contact, probe.i, probe.j, probe.memory, options.cells);
  if (std::filesystem::path(path).extension() == ".csv") {
    save_pressure_csv(map, path);
  } else {
    const auto forces = calc_contact(probe.contact, probe.i, probe.j, probe.memory);
    save_pressure_svg(map, forces, probe.title.empty() ? "Contact pressure" : probe.title, path);
  }
  if (!common.quiet) {
    say("wrote {} ({} x {} cells, sum of pressure {:.5g} N)\n", path, map.grid.nu, map.grid.nv,
        map.total_force);
  }
}

}  // namespace

void add_probe(CommandLine& line, Common& common) {
  Command command =
      add_command(line, common, "probe", "One contact, one instant: everything about it, as JSON");
  add_out(command, common);
  auto options = std::make_shared<ProbeOptions>();
  command.option("CASE", &options->file, "a YAML case, or the name of one from `vesica list`")
      .type_name("")
      .required();
  command.flag("--derivatives", &options->derivatives,
               "add Jacobians of force and moment by pose and velocity of i");
  command.flag("--table", &options->table, "a table to read instead of JSON");
  command
      .option("--pressure-map", &options->pressure_map,
              "write the pressure over the patch: FILE.svg (picture) or FILE.csv")
      .type_name("FILE");
  command.option("--cells", &options->cells, "cells along the longer side of the pressure map")
      .range(2, 2000)
      .type_name("N")
      .show_default();
  command.run([&common, options, command] {
    if (options->pressure_map.empty()) {
      command.refuse({"--cells"}, "is for --pressure-map, which is not given");
      expect_files_for_out(common, false, "--pressure-map FILE writes a map");
    } else {
      const auto extension = std::filesystem::path(options->pressure_map).extension();
      if (extension != ".svg" && extension != ".csv") {
        throw InputError(fmt::format("--pressure-map {}: the name must end in .svg or .csv",
                                     options->pressure_map));
      }
    }
    if (options->table && common.json) throw InputError("--table and --json exclude each other");
    if (options->table) {
      command.refuse({"--derivatives"}, "the table has none; leave --table out");
    }
    const std::string path = find_input(options->file);
    const InputFile file = InputFile::load(path);
    expect_input_for({"probe", "simulate"}, file);  // of a scene it says more itself
    const ProbeCase probe = read_probe_case(file);
    if (!options->pressure_map.empty()) {
      const std::string reason = explain_no_pressure(probe.contact, probe.contact);
      if (!reason.empty()) throw InputError(fmt::format("--pressure-map: the contact {}", reason));
      try_file(resolve_path(common.out, options->pressure_map));
    }
    const auto json = make_probe_json(probe, options->derivatives);
    expect_finite(json, path, "");
    if (!options->pressure_map.empty()) write_pressure_map(probe, *options, common);
    if (options->table) {
      print_probe_table(json);
    } else {
      print_json(json);
    }
  });
}

}  // namespace vesica::app
