// Commands and options of the tool. CLI11 stands behind it, seen by command_line.cpp alone: every
// file that includes it pays for its templates.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace vesica::app {

// A handle on one option; calls chain.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option& required();
  Option& description(const std::string& text);
  Option& type_name(const std::string& text);  // instead of TEXT, INT, ... in the help
  Option& show_default();
  Option& one_of(const std::vector<std::string>& values);
  Option& range(int low, int high);  // both allowed
  Option& positive();
  Option& delimiter(char between);  // several values in one word
  Option& single_value();           // of a list: a value a time, so that a positional may follow it
  Option& excludes(const Option& other);

 private:
  CLI::Option* option_;
};

// Where the value of an option goes. It must live until the command has run; what it holds before
// is the default.
using OptionValue =
    std::variant<int*, double*, std::optional<double>*, std::string*, std::vector<std::string>*>;

// A handle on one command.
class Command {
 public:
  explicit Command(CLI::App* command) : command_(command) {}

  Option flag(const std::string& name, bool* value, const std::string& what);
  // A name without dashes is a positional.
  Option option(const std::string& name, OptionValue value, const std::string& what);
  Option get_option(const std::string& name);  // one that was added before
  // Where one of `options` stands on the line though it has nothing to do there: InputError, "--x:
  // reason". Asked for from what run() runs.
  void refuse(const std::vector<std::string>& options, const std::string& reason) const;
  // The same for all but those that `mode` ("--example") has use for.
  void refuse_others(const std::string& mode, std::vector<std::string> useful,
                     const std::string& reason) const;
  void footer(const std::string& text);
  // A command of this one (`forces train`): exactly one of them is then taken.
  Command add_command(const std::string& name, const std::string& description);
  void run(std::function<void()> action);  // once the whole line is read and found good

 private:
  CLI::App* command_;
};

// The line as a whole: takes exactly one command.
class CommandLine {
 public:
  CommandLine(const std::string& name, const std::string& description, const std::string& version);
  ~CommandLine();

  Command add_command(const std::string& name, const std::string& description);
  void footer(const std::string& text);
  std::string help() const;
  std::vector<std::string> command_names() const;
  // Runs the command that is asked for, and lets through what it throws. 0, also after --help and
  // --version; 2 if the line is wrong, which standard error then explains.
  int parse_and_run(std::vector<std::string> words);  // after the name of the tool

 private:
  std::unique_ptr<CLI::App> app_;
};

}  // namespace vesica::app
