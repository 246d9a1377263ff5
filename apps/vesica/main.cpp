#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "apps/vesica/build_id.h"
#include "apps/vesica/commands.h"
#include "apps/vesica/progress.h"
#include "vesica/io/file_error.h"
#include "vesica/io/output_file.h"
#include "vesica/io/unknown_word.h"
#include "vesica/simulation/simulate.h"

namespace vesica::app {

Command add_command(CommandLine& line, Common& common, const std::string& name,
                    const std::string& description) {
  Command command = line.add_command(name, description);
  add_common_options(&command, common);
  return command;
}

void add_common_options(Command* command, Common& common) {
  command->flag("--json", &common.json, "only JSON on standard output");
  command->flag("--quiet", &common.quiet, "no progress, no notes");
}

void add_out(Command& command, Common& common) {
  command.option("--out", &common.out, "folder for the files that are written").type_name("DIR");
}

void add_threads(Command& command, Common& common) {
  command.option("--threads", &common.threads, "how many threads (0: all cores)")
      .range(0, 4096)
      .type_name("N");
}

void expect_files_for_out(const Common& common, bool writes, const std::string& remedy) {
  if (writes || common.out.empty()) return;
  throw InputError(fmt::format("--out {}: nothing is written there; {}", common.out, remedy));
}

namespace {

bool is_list_of_numbers(const nlohmann::ordered_json& json) {
  return json.is_array() &&
         std::all_of(json.begin(), json.end(), [](const auto& item) { return item.is_number(); });
}

void append_json(const nlohmann::ordered_json& json, const std::string& indent, std::string* text) {
  if (!json.is_structured() || json.empty() || is_list_of_numbers(json)) {
    std::string value;
    for (const auto& item : json.is_array() ? json : nlohmann::ordered_json()) {
      value += (value.empty() ? "" : ", ") + item.dump();
    }
    *text += json.is_array() ? "[" + value + "]" : json.dump();
    return;
  }
  const std::string deeper = indent + "  ";
  *text += json.is_object() ? "{\n" : "[\n";
  bool first = true;
  for (const auto& [key, value] : json.items()) {
    if (!first) *text += ",\n";
    first = false;
    *text += deeper;
    if (json.is_object()) *text += nlohmann::ordered_json(key).dump() + ": ";
    append_json(value, deeper, text);
  }
  *text += "\n" + indent + (json.is_object() ? "}" : "]");
}

}  // namespace

void print_json(const nlohmann::ordered_json& json) {
  std::string text;
  append_json(json, "", &text);
  fmt::print("{}\n", text);
}

namespace {

void say_error(const std::string& what) { say("error: {}\n", what); }

// The one place where what went wrong becomes an exit status. Called while it is being handled.
int explain_exception() {
  try {
    throw;
  } catch (const Interrupted& error) {
    say_error(error.what());
    return kInterrupted;
  } catch (const FileError& error) {
    say_error(error.what());
    return kNoFile;
  } catch (const InputError& error) {
    say_error(error.what());
    return kBadInput;
  } catch (const std::filesystem::filesystem_error& error) {
    say_error(fmt::format("{}: {}", error.path1().string(), error.code().message()));
    return kNoFile;
  } catch (const std::system_error& error) {
    if (!std::ferror(stdout)) {  // not of fmt::print
      say_error(error.what());
      return kFailed;
    }
    if (error.code().value() != EPIPE) {
      say_error(fmt::format("standard output: cannot be written: {}", error.code().message()));
    }
    return kNoFile;
  } catch (const std::bad_alloc&) {
    say_error("the machine has not enough memory for this");
    return kFailed;
  } catch (const std::exception& error) {
    say_error(error.what());
    return kFailed;
  }
}

// What is still in the buffer of standard output. A reader that has seen enough (head) is told
// nothing.
int flush_output(int status) {
  if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return status;
  if (errno != EPIPE && status == kDone) {
    say_error(fmt::format("standard output: cannot be written: {}", std::strerror(errno)));
  }
  return status == kDone ? kNoFile : status;
}

// A file that is opened must not take the place of a stream that the caller has closed. What is
// written to a closed standard output is lost, and that is an error as on a full disk; a closed
// standard error is a wish not to hear.
void open_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) >= 0) continue;
    if (open("/dev/null", stream == STDERR_FILENO ? O_WRONLY : O_RDONLY) < 0) return;
  }
}

}  // namespace
}  // namespace vesica::app

int main(int argc, char** argv) {
  using namespace vesica::app;
  open_standard_streams();
  handle_signals();
  vesica::keep_recordings(true);
  CommandLine line("vesica", "Vesica: contact dynamics by volume.", "vesica " + make_version());
  line.footer(
      "A first look:\n"
      "  vesica list                                      what comes with it\n"
      "  vesica probe heel_on_ground --table              one contact, every figure\n"
      "  vesica probe heel_on_ground --pressure-map p.svg its pressure, as a picture\n"
      "  vesica simulate bouncing_ball                    run a scene\n"
      "  vesica report out/bouncing_ball                  a page to look at it\n"
      "  vesica check my_case.yaml                        is my file right?\n"
      "  vesica laws                                      contact laws to choose from\n"
      "Exit status: 0 done, 1 failed or not converged, 2 bad input, 3 cannot read or write, 130\n"
      "interrupted.");

  Common common;
  add_list(line, common);
  add_check(line, common);
  add_knee(line, common);
  add_laws(line, common);
  add_probe(line, common);
  add_simulate(line, common);
  add_report(line, common);
  add_export(line, common);
  add_mass(line, common);
  add_reproduce(line, common);
  add_motion(line, common);
  add_markers(line, common);
  add_gait(line, common);
  add_forces(line, common);
  add_study(line, common);
  add_suggest(line, common);
  add_identify(line, common);

  if (argc < 2) {
    std::fputs(line.help().c_str(), stderr);
    return kBadInput;
  }
  std::vector<std::string> words(argv + 1, argv + argc);
  if (words[0] == "help") {  // vesica help, vesica help COMMAND
    words.erase(words.begin());
    words.emplace_back("--help");
  }
  const std::vector<std::string> names = line.command_names();
  const bool is_command =
      words[0][0] == '-' || std::find(names.begin(), names.end(), words[0]) != names.end();
  if (!is_command) {
    say_error(fmt::format("'{}' is not a command; {}; see vesica --help", words[0],
                          vesica::suggest_word(words[0], {names.begin(), names.end()})));
    return kBadInput;
  }
  int status = kDone;
  try {
    status = line.parse_and_run(std::move(words));
    if (status == kDone) status = common.status;
  } catch (...) {
    status = explain_exception();
  }
  vesica::remove_empty_folders();
  return flush_output(status);
}
