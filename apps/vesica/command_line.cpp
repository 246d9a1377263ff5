#include "apps/vesica/command_line.h"

#include <CLI/CLI.hpp>
#include <utility>

namespace vesica::app {

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
  option_->check(CLI::IsMember(values));
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

int CommandLine::parse_and_run(int argc, char** argv) {
  try {
    app_->parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app_->exit(error) == 0 ? 0 : 2;
  }
  return 0;
}

}  // namespace vesica::app
