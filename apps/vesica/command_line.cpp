#include "apps/vesica/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <utility>

#include "vesica/error.h"
#include "vesica/io/unknown_word.h"

namespace vesica::app {
namespace {

std::vector<std::string_view> as_views(const std::vector<std::string>& words) {
  return {words.begin(), words.end()};
}

// What to say about words of the line that belong nowhere.
std::string explain_extra(const CLI::App& command, const std::string& names,
                          const std::string& word) {
  const std::string name = "vesica " + names.substr(0, names.size() - 1);
  if (!word.starts_with("-")) {
    return fmt::format("'{}' is one word too many for {}", word, name);
  }
  std::vector<std::string> known;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& each : option->get_lnames()) known.push_back("--" + each);
  }
  const std::string option = word.substr(0, word.find('='));
  const std::string_view nearest = find_nearest_word(option, as_views(known));
  return fmt::format("{} takes no {}{}", name, option,
                     nearest.empty() ? "" : fmt::format("; did you mean {}?", nearest));
}

}  // namespace

Option& Option::required() {
  option_->required();
  return *this;
}

Option& Option::description(const std::string& text) {
  option_->description(text);
  return *this;
}

Option& Option::type_name(const std::string& text) {
  option_->type_name(text);
  return *this;
}

Option& Option::show_default() {
  option_->capture_default_str();
  return *this;
}

Option& Option::one_of(const std::vector<std::string>& values) {
  option_->check(CLI::Validator(
      [values](std::string& word) {
        if (std::find(values.begin(), values.end(), word) != values.end()) return std::string();
        return say_unknown(word, as_views(values));
      },
      fmt::format("{{{}}}", fmt::join(values, ",")), "one of"));
  return *this;
}

Option& Option::range(int low, int high) {
  option_->check(CLI::Range(low, high));
  return *this;
}

Option& Option::positive() {
  option_->check(CLI::PositiveNumber);
  return *this;
}

Option& Option::delimiter(char between) {
  option_->delimiter(between);
  return *this;
}

Option& Option::single_value() {
  option_->allow_extra_args(false);
  return *this;
}

Option& Option::excludes(const Option& other) {
  option_->excludes(other.option_);
  return *this;
}

Option Command::flag(const std::string& name, bool* value, const std::string& what) {
  return Option(command_->add_flag(name, *value, what));
}

Option Command::option(const std::string& name, OptionValue value, const std::string& what) {
  return Option(
      std::visit([&](auto* target) { return command_->add_option(name, *target, what); }, value));
}

Option Command::get_option(const std::string& name) { return Option(command_->get_option(name)); }

void Command::refuse(const std::vector<std::string>& options, const std::string& reason) const {
  for (const std::string& name : options) {
    if (command_->get_option(name)->count() > 0) {
      throw InputError(fmt::format("{}: {}", name, reason));
    }
  }
}

void Command::refuse_others(const std::string& mode, std::vector<std::string> useful,
                            const std::string& reason) const {
  useful.insert(useful.end(), {mode, "--quiet", "--help"});
  for (const CLI::Option* option : command_->get_options()) {
    const std::string name = option->get_name();
    const bool is_useful = std::find(useful.begin(), useful.end(), name) != useful.end();
    if (option->count() > 0 && !is_useful) throw InputError(fmt::format("{}: {}", name, reason));
  }
}

void Command::footer(const std::string& text) { command_->footer(text); }

Command Command::add_command(const std::string& name, const std::string& description) {
  command_->require_subcommand(1);
  CLI::App* command = command_->add_subcommand(name, description);
  command->footer("");
  return Command(command);
}

void Command::run(std::function<void()> action) { command_->callback(std::move(action)); }

CommandLine::CommandLine(const std::string& name, const std::string& description,
                         const std::string& version)
    : app_(std::make_unique<CLI::App>(description, name)) {
  app_->set_version_flag("--version", version);
  app_->require_subcommand(1);
}

CommandLine::~CommandLine() = default;

Command CommandLine::add_command(const std::string& name, const std::string& description) {
  CLI::App* command = app_->add_subcommand(name, description);
  command->footer("");  // CLI11 hands down the one of the line, which belongs to its own help
  return Command(command);
}

void CommandLine::footer(const std::string& text) { app_->footer(text); }

std::string CommandLine::help() const { return app_->help(); }

std::vector<std::string> CommandLine::command_names() const {
  std::vector<std::string> names;
  for (const CLI::App* command : app_->get_subcommands({})) names.push_back(command->get_name());
  return names;
}

int CommandLine::parse_and_run(std::vector<std::string> words) {
  std::reverse(words.begin(), words.end());  // CLI11 takes them from the end
  try {
    app_->parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app_->exit(error);  // --help, --version
    const CLI::App* chosen = app_.get();                       // the innermost that was named
    std::string names;
    while (!chosen->get_subcommands().empty()) {
      chosen = chosen->get_subcommands().front();
      names += chosen->get_name() + " ";
    }
    const CLI::App& command = *chosen;
    const auto extra = command.remaining();
    const bool is_extra = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError) &&
                          !names.empty() && !extra.empty();
    std::cerr << fmt::format("error: {}; see vesica {}--help\n",
                             is_extra ? explain_extra(command, names, extra.front()) : error.what(),
                             names);
    return 2;
  }
  return 0;
}

}  // namespace vesica::app
