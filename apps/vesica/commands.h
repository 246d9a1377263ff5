// The commands of the tool, one file each. A command adds itself to the command line and returns
// nothing: what it does runs from its callback, which sets `status` if it is not 0.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>

#include "apps/vesica/command_line.h"

namespace vesica::app {

// How a command ends, for whoever calls it. main.cpp decides from what was thrown; a command that
// ends by itself sets Common::status.
enum ExitStatus {
  kDone = 0,
  kFailed = 1,         // it ran, but failed, or did not converge
  kBadInput = 2,       // of a file or of the command line
  kNoFile = 3,         // something cannot be read or written
  kInterrupted = 130,  // by Ctrl-C, SIGTERM or SIGHUP
};

// Options that commands share.
struct Common {
  bool json = false;   // only JSON on standard output, everything else on standard error
  bool quiet = false;  // no progress, no notes
  int threads = 0;     // 0: all cores
  std::string out;     // where files go
  int status = kDone;
};

void add_check(CommandLine& line, Common& common);
void add_export(CommandLine& line, Common& common);
void add_forces(CommandLine& line, Common& common);
void add_gait(CommandLine& line, Common& common);
void add_identify(CommandLine& line, Common& common);
void add_knee(CommandLine& line, Common& common);
void add_laws(CommandLine& line, Common& common);
void add_list(CommandLine& line, Common& common);
void add_mass(CommandLine& line, Common& common);
void add_motion(CommandLine& line, Common& common);
void add_markers(CommandLine& line, Common& common);
void add_probe(CommandLine& line, Common& common);
void add_report(CommandLine& line, Common& common);
void add_reproduce(CommandLine& line, Common& common);
void add_simulate(CommandLine& line, Common& common);
void add_study(CommandLine& line, Common& common);
void add_suggest(CommandLine& line, Common& common);

// A sub-command with the options that all have: --json, --quiet.
Command add_command(CommandLine& line, Common& common, const std::string& name,
                    const std::string& description);
// For those that write files, and for those that run on several threads: an option that would do
// nothing is not taken.
void add_out(Command& command, Common& common);
void add_threads(Command& command, Common& common);
// Where --out was given to a command that, asked in this way, writes nothing: InputError with what
// would write something.
void expect_files_for_out(const Common& common, bool writes, const std::string& remedy);

// The same options for a command of a command.
void add_common_options(Command* command, Common& common);

// On standard error, which may be closed or full: that is no reason to end otherwise.
template <class... Args>
void say(fmt::format_string<Args...> text, Args&&... args) {
  std::fputs(fmt::format(text, std::forward<Args>(args)...).c_str(), stderr);
}

// Where the files of a fit go: what was interrupted replaces nothing that is whole.
inline std::string choose_results_folder(const Common& common, bool interrupted) {
  return interrupted && !common.out.empty() ? common.out + "/partial" : common.out;
}

// For a command that was told to stop and kept what it had.
inline void tell_interruption(Common& common) {
  common.status = kInterrupted;
  say("interrupted: this is what was done until then\n");
}

// JSON on standard output; a list of numbers stays on one line, so that a matrix reads as one.
void print_json(const nlohmann::ordered_json& json);

}  // namespace vesica::app
