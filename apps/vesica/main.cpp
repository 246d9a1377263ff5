#include <fmt/format.h>

#include <cstdio>

#include "apps/vesica/commands.h"
#include "vesica/error.h"

namespace vesica::app {

CLI::App* add_command(CLI::App& app, Common& common, const std::string& name,
                      const std::string& description) {
  CLI::App* command = app.add_subcommand(name, description);
  command->add_flag("--json", common.json, "only JSON on standard output");
  command->add_flag("--quiet", common.quiet, "no progress, no notes");
  command->add_option("--threads", common.threads, "how many threads (0: all cores)")
      ->check(CLI::Range(0, 4096));
  command->add_option("--out", common.out, "folder for the files that are written");
  return command;
}

}  // namespace vesica::app

int main(int argc, char** argv) {
  using namespace vesica::app;
  CLI::App app{"Vesica: contact dynamics by volume."};
  app.set_version_flag("--version", "vesica " VESICA_VERSION);
  app.require_subcommand(1);
  app.footer(
      "A first look:\n"
      "  vesica list                                      what comes with it\n"
      "  vesica probe heel_on_ground --table              one contact, every figure\n"
      "  vesica probe heel_on_ground --pressure-map p.svg its pressure, as a picture\n"
      "  vesica simulate bouncing_ball                    run a scene\n"
      "  vesica report out/bouncing_ball                  a page to look at it\n"
      "  vesica check my_case.yaml                        is my file right?\n"
      "Exit status: 0 done, 1 ran but did not converge, 2 bad input.");

  Common common;
  add_list(app, common);
  add_check(app, common);
  add_probe(app, common);
  add_simulate(app, common);
  add_report(app, common);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const vesica::InputError& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
  }
  return common.status;
}
