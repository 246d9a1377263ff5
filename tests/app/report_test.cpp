// vesica report as a user runs it, and its page in a real browser.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "tests/support/support.h"
#include "vesica/io/output_file.h"

namespace vesica::report_test {
namespace {

namespace fs = std::filesystem;

struct Outcome {
  int status;
  std::string out;
};

Outcome run_command(const std::string& command) {
  Outcome outcome{-1, ""};
  std::FILE* pipe = popen(command.c_str(), "r");
  std::array<char, 4096> buffer;
  for (size_t n; (n = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
    outcome.out.append(buffer.data(), n);
  }
  outcome.status = WEXITSTATUS(pclose(pipe));
  return outcome;
}

Outcome run_tool(const std::string& arguments) {
  return run_command(fmt::format("{} {} 2>&1", VESICA_TOOL, arguments));
}

std::string read_file(const fs::path& path) {
  std::ifstream stream(path);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

size_t count_of(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

class Report : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("vesica_report_test_" + std::to_string(getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string simulated(const std::string& scene) {
    const std::string run = (folder_ / scene).string();
    const Outcome outcome = run_tool("simulate " + scene + " --quiet --out " + run);
    EXPECT_EQ(outcome.status, 0) << outcome.out;
    return run;
  }
  // The page as the browser has it once its script has run; empty without a browser.
  std::string dom_of(const fs::path& page) {
    for (const char* browser : {"chromium", "chromium-browser", "google-chrome"}) {
      if (run_command(std::string("command -v ") + browser).status != 0) continue;
      return run_command(std::string("timeout 120 ") + browser +
                         " --headless --no-sandbox --disable-gpu --disable-quic --no-first-run "
                         "--disable-background-networking --disable-component-update "
                         "--disable-sync --virtual-time-budget=4000 --user-data-dir=" +
                         (folder_ / "browser").string() + " --dump-dom file://" +
                         fs::absolute(page).string() + " 2>/dev/null")
          .out;
    }
    return {};
  }
  fs::path folder_;
};

TEST_F(Report, PageIsSelfContainedAndNamedInJson) {
  const std::string run = simulated("bouncing_ball");
  const Outcome outcome = run_tool("report " + run + " --json");
  ASSERT_EQ(outcome.status, 0) << outcome.out;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json.at("report"), run + "/report.html");
  const std::string page = read_file(run + "/report.html");
  // Nothing is fetched: no address but the names of SVG's namespace.
  const std::string name_space = "http://www.w3.org/2000/svg";
  std::string without = page;
  for (size_t at = 0; (at = without.find(name_space)) != std::string::npos;) {
    without.erase(at, name_space.size());
  }
  EXPECT_EQ(without.find("http:"), std::string::npos);
  EXPECT_EQ(without.find("https:"), std::string::npos);
  EXPECT_EQ(without.find("src="), std::string::npos);
  EXPECT_EQ(without.find("@import"), std::string::npos);
  // Input echoed, all figures there.
  EXPECT_NE(page.find("restitution: 0.7"), std::string::npos);
  const auto summary = nlohmann::json::parse(read_file(run + "/summary.json"));
  const double peak = summary["contacts"]["ball-ground"]["max_normal_force"];
  EXPECT_NE(page.find(fmt::format("<td>{:.5g}</td>", peak)), std::string::npos);
  EXPECT_NE(page.find("No warnings"), std::string::npos);
}

TEST_F(Report, BrowserDrawsEveryPlotWithoutError) {
  for (const char* scene : {"bouncing_ball", "two_spheres"}) {
    const std::string run = simulated(scene);
    ASSERT_EQ(run_tool("report " + run).status, 0);
    const std::string page = read_file(run + "/report.html");
    const std::string dom = dom_of(run + "/report.html");
    if (dom.empty()) GTEST_SKIP() << "no chromium";
    EXPECT_NE(dom.find("data-state=\"done\""), std::string::npos) << scene;
    EXPECT_EQ(dom.find("data-error="), std::string::npos) << scene;
    const size_t mounts = count_of(page, "data-plot=\"");
    EXPECT_GE(mounts, 13u) << scene;  // moving picture, 3 per body, 6 per contact, 3 of energy
    EXPECT_EQ(count_of(dom, "data-drawn=\""), mounts) << scene;
    // Every plot over time has a curve of at least a hundred points.
    // Searched by hand: std::regex recurses per character and a curve has thousands.
    const std::string mark = "class=\"curve\" d=\"";
    size_t curves = 0;
    for (size_t at = dom.find(mark); at != std::string::npos; at = dom.find(mark, at + 1)) {
      const size_t begin = at + mark.size();
      const std::string d = dom.substr(begin, dom.find('"', begin) - begin);
      EXPECT_EQ(d.find("NaN"), std::string::npos) << scene;
      if (count_of(d, "L") > 100) ++curves;
    }
    EXPECT_GE(curves, mounts) << scene;
    // Three pressure maps.
    EXPECT_EQ(count_of(dom, "class=\"picture\""), 3u) << scene;
  }
}

// Twelve ligaments in a plot, eight colours: no two curves look alike.
TEST_F(Report, TwelveCurvesAreTwelveToTheEye) {
  const std::string run = simulated("knee");
  ASSERT_EQ(run_tool("report " + run).status, 0);
  const std::string dom = dom_of(run + "/report.html");
  if (dom.empty()) GTEST_SKIP() << "no chromium";
  const size_t begin = dom.find("aria-label=\"Strain\""), end = dom.find("</svg>", begin);
  ASSERT_NE(end, std::string::npos);
  std::set<std::string> looks;
  size_t curves = 0;
  const std::string mark = "class=\"curve\"", style = "style=\"";
  for (size_t at = dom.find(mark, begin); at < end; at = dom.find(mark, at + 1), ++curves) {
    const size_t from = dom.find(style, at) + style.size();
    looks.insert(dom.substr(from, dom.find('"', from) - from));
  }
  EXPECT_EQ(curves, 12u);
  EXPECT_EQ(looks.size(), curves);
}

// Tables of a run fit a window of 800 pixels, and a sheet of A4 within its margins of 14 mm, as the
// browser lays them out; plots and rows are not cut by the end of a page.
TEST_F(Report, TablesFitNarrowWindowsAndPaper) {
  const std::string run = simulated("bouncing_ball");
  ASSERT_EQ(run_tool("report " + run).status, 0);
  std::string page = read_file(run + "/report.html");
  const size_t end = page.rfind("</body>");
  ASSERT_NE(end, std::string::npos);
  page.insert(end, R"(<script>
const body = document.body, tables = [...document.querySelectorAll(".wide")];
const countCut = () => tables.filter(w => w.scrollWidth > w.clientWidth + 1).length;
body.style.width = "800px";
body.dataset.cut = countCut() + " of " + tables.length;
// What holds on paper, on a screen as wide as A4.
for (const rule of [...document.styleSheets[0].cssRules]) {
  if (!rule.media || rule.media.mediaText !== "print") continue;
  const style = document.createElement("style");
  style.textContent = [...rule.cssRules].map(each => each.cssText).join(" ");
  document.head.append(style);
}
body.style.width = "688px";
body.dataset.printed = countCut() + " of " + tables.length;
const broken = [...document.querySelectorAll("figure, tr")].filter(each => getComputedStyle(each).breakInside !== "avoid");
body.dataset.broken = broken.length;
body.dataset.heads = document.querySelectorAll("table > thead > tr").length;
</script>)");
  std::ofstream(folder_ / "narrow.html") << page;
  const std::string dom = dom_of(folder_ / "narrow.html");
  if (dom.empty()) GTEST_SKIP() << "no chromium";
  const size_t tables = count_of(page, "<div class=\"wide\"");
  EXPECT_GE(tables, 5u);
  EXPECT_NE(dom.find(fmt::format("data-cut=\"0 of {}\"", tables)), std::string::npos);
  EXPECT_NE(dom.find(fmt::format("data-printed=\"0 of {}\"", tables)), std::string::npos);
  EXPECT_NE(dom.find("data-broken=\"0\""), std::string::npos);
  EXPECT_NE(dom.find(fmt::format("data-heads=\"{}\"", tables)), std::string::npos);
}

// Figures of their own kinds: a recording of a walk, a pressure film, a fit of markers.
TEST_F(Report, BrowserDrawsFiguresOfMotionAndMarkers) {
  const auto expect_drawn = [&](const fs::path& path, size_t fewest) {
    const std::string dom = dom_of(path);
    if (dom.empty()) GTEST_SKIP() << "no chromium";
    EXPECT_NE(dom.find("data-state=\"done\""), std::string::npos) << path;
    EXPECT_EQ(dom.find("data-error="), std::string::npos) << path;
    EXPECT_EQ(dom.find("NaN"), std::string::npos) << path;
    const size_t mounts = count_of(read_file(path), "data-plot=\"");
    EXPECT_GE(mounts, fewest) << path;
    EXPECT_EQ(count_of(dom, "data-drawn=\""), mounts) << path;
  };
  const std::string folder = folder_.string();
  ASSERT_EQ(run_tool("markers --quiet --example " + folder).status, 0);
  ASSERT_EQ(
      run_tool("markers --quiet lower_extremity " + folder + "/gait.trc --out " + folder + "/fit")
          .status,
      0);
  expect_drawn(folder_ / "fit" / "report.html", 9);  // view, correlations, error, 6 joints and more
  const fs::path data = test::shared_data();
  if (!fs::exists(data)) GTEST_SKIP() << "no recordings";
  for (const char* file : {"opensim/walking2.c3d", "pressure/emed_test.lst"}) {
    ASSERT_EQ(
        run_tool("motion --quiet --report --out " + folder + " " + (data / file).string()).status,
        0);
  }
  expect_drawn(folder_ / "walking2.html", 9);   // 6 plots of plates, footprint, presence, tracks
  expect_drawn(folder_ / "emed_test.html", 2);  // film, force
}

TEST_F(Report, OutNamesAFileOrAFolder) {
  const std::string run = simulated("two_spheres");
  const std::string file = (folder_ / "a page.html").string();
  EXPECT_EQ(run_tool("report " + run + " --quiet --out '" + file + "'").status, 0);
  EXPECT_TRUE(fs::exists(file));
  EXPECT_EQ(run_tool("report " + run + " --quiet --out " + (folder_ / "pages").string()).status, 0);
  EXPECT_TRUE(fs::exists(folder_ / "pages" / "report.html"));
}

TEST_F(Report, BrokenFoldersAreNamedWithARemedy) {
  const auto expect_error = [&](const std::string& run, const std::string& part, int status) {
    const Outcome outcome = run_tool("report " + run);
    EXPECT_EQ(outcome.status, status) << outcome.out;
    EXPECT_NE(outcome.out.find(part), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find("simulate"), std::string::npos) << outcome.out;
    EXPECT_FALSE(fs::exists(fs::path(run) / "report.html"));
  };
  expect_error((folder_ / "nowhere").string(), "there is no such folder", 3);
  expect_error(folder_.string(), "summary.json: there is no such file", 3);

  const std::string run = simulated("two_spheres");
  const std::string summary = read_file(run + "/summary.json");
  save_text(run + "/summary.json", summary.substr(0, summary.size() / 2));
  expect_error(run, "summary.json:", 2);
  save_text(run + "/summary.json", "[1, 2]");
  expect_error(run, "expected an object 'solver'", 2);
  save_text(run + "/summary.json", summary);

  const std::string recording = read_file(run + "/recording.csv");
  save_text(run + "/recording.csv", recording.substr(0, recording.size() - 30));
  EXPECT_EQ(run_tool("report " + run).status, 2);
  fs::remove(run + "/recording.csv");
  expect_error(run, "recording.csv: there is no such file", 3);
}

TEST_F(Report, ARecordingOfAnotherRunIsNoticed) {
  const std::string run = simulated("two_spheres");
  std::string recording = read_file(run + "/recording.csv");
  const size_t last = recording.find_last_of("0123456789");
  recording[last] = recording[last] == '1' ? '2' : '1';
  save_text(run + "/recording.csv", recording);
  ASSERT_EQ(run_tool("report " + run).status, 0);
  EXPECT_NE(read_file(run + "/report.html").find("their hashes differ"), std::string::npos);
}

}  // namespace
}  // namespace vesica::report_test
