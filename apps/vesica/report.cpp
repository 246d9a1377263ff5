#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/vesica/commands.h"
#include "vesica/io/output_file.h"
#include "vesica/report/run_page.h"

namespace vesica::app {
namespace {

namespace fs = std::filesystem;

// --out FILE.html, or a folder for report.html; beside the recording without.
std::string page_path(const std::string& folder, const std::string& out) {
  if (out.empty()) return (fs::path(folder) / "report.html").string();
  const std::string extension = fs::path(out).extension().string();
  if (extension == ".html" || extension == ".htm") return out;
  return (fs::path(out) / "report.html").string();
}

}  // namespace

void add_report(CommandLine& line, Common& common) {
  Command command = add_command(line, common, "report",
                                "Make a page of a run: one HTML file that opens anywhere");
  auto folder = std::make_shared<std::string>();
  command.option("RUN", folder.get(), "a folder that `vesica simulate` wrote").required();
  command.option("--out", &common.out, "the page, FILE.html, or a folder for report.html")
      .type_name("FILE");
  command.run([&common, folder] {
    const RunFolder run = load_run_folder(*folder);
    if (!common.quiet) say("{}", explain_partial(*folder, run.folder));
    const std::string path = page_path(*folder, common.out);
    try_file(path);
    save_text(path, make_run_page(run));
    if (common.json) {
      print_json({{"report", path}});
    } else if (!common.quiet) {
      fmt::print("wrote {}: open it in a browser\n", path);
    }
  });
}

}  // namespace vesica::app
