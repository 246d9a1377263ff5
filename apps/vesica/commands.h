// The commands of the tool, one file each. A command adds itself to the command line and returns
// nothing: what it does runs from its callback, which sets `status` if it is not 0.
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace vesica::app {

// Options that every command takes.
struct Common {
  bool json = false;   // only JSON on standard output, everything else on standard error
  bool quiet = false;  // no progress, no notes
  int threads = 0;     // 0: all cores
  std::string out;     // where files go
  int status = 0;      // 0 done, 1 ran but did not converge, 2 bad input
};

void add_check(CLI::App& app, Common& common);
void add_export(CLI::App& app, Common& common);
void add_identify(CLI::App& app, Common& common);
void add_laws(CLI::App& app, Common& common);
void add_list(CLI::App& app, Common& common);
void add_motion(CLI::App& app, Common& common);
void add_markers(CLI::App& app, Common& common);
void add_probe(CLI::App& app, Common& common);
void add_report(CLI::App& app, Common& common);
void add_reproduce(CLI::App& app, Common& common);
void add_simulate(CLI::App& app, Common& common);
void add_suggest(CLI::App& app, Common& common);

// A sub-command with the common options.
CLI::App* add_command(CLI::App& app, Common& common, const std::string& name,
                      const std::string& description);

// JSON on standard output; a list of numbers stays on one line, so that a matrix reads as one.
void print_json(const nlohmann::ordered_json& json);

}  // namespace vesica::app
