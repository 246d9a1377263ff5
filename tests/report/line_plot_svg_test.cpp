#include "vesica/report/line_plot_svg.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <regex>
#include <set>

namespace vesica::line_plot_svg_test {
namespace {

// Where the points of the n-th drawn curve lie, in pixels.
std::vector<std::pair<double, double>> points_of(const std::string& svg, int curve) {
  static const std::regex kPath("<path d=\"([^\"]*)\" fill=\"none\"");
  auto it = std::sregex_iterator(svg.begin(), svg.end(), kPath);
  std::advance(it, curve);
  const std::string path = (*it)[1];
  static const std::regex kPoint("[ML]([-0-9.]+) ([-0-9.]+)");
  std::vector<std::pair<double, double>> points;
  for (auto p = std::sregex_iterator(path.begin(), path.end(), kPoint); p != std::sregex_iterator();
       ++p) {
    points.emplace_back(std::stod((*p)[1]), std::stod((*p)[2]));
  }
  return points;
}

LinePlot straight_line() {
  LinePlot plot;
  plot.title = "a < b";
  plot.curves.push_back({"line", {0, 1, 2}, {0, 10, 20}});
  return plot;
}

TEST(LinePlotSvg, IsLinearInBothAxes) {
  const auto points = points_of(make_line_plot_svg({straight_line()}), 0);
  ASSERT_EQ(points.size(), 3u);
  EXPECT_NEAR(points[1].first, 0.5 * (points[0].first + points[2].first), 0.11);
  EXPECT_NEAR(points[1].second, 0.5 * (points[0].second + points[2].second), 0.11);
  EXPECT_GT(points[0].second, points[2].second);  // up is up
}

TEST(LinePlotSvg, DecadesAreEqualOnALogarithmicAxis) {
  LinePlot plot;
  plot.log_x = true;
  plot.curves.push_back({"", {0.01, 0.1, 1, 10}, {1, 2, 3, 4}});
  const auto points = points_of(make_line_plot_svg({plot}), 0);
  const double decade = points[1].first - points[0].first;
  for (size_t k = 1; k < points.size(); ++k) {
    EXPECT_NEAR(points[k].first - points[k - 1].first, decade, 0.21);
  }
}

TEST(LinePlotSvg, GapsSplitACurve) {
  LinePlot plot = straight_line();
  plot.curves[0] = {"", {0, 1, 2, 3}, {1, std::numeric_limits<double>::quiet_NaN(), 3, 4}};
  const std::string svg = make_line_plot_svg({plot});
  EXPECT_EQ(points_of(svg, 0).size(), 3u);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
}

TEST(LinePlotSvg, HoldsForNothingAndForOneValue) {
  LinePlot flat;
  flat.curves.push_back({"flat", {1, 1}, {0, 0}});
  for (const auto& plots :
       {std::vector<LinePlot>{}, std::vector<LinePlot>{LinePlot()}, std::vector<LinePlot>{flat}}) {
    const std::string svg = make_line_plot_svg(plots);
    EXPECT_EQ(svg.find("nan"), std::string::npos);
    EXPECT_EQ(svg.find("inf"), std::string::npos);
    EXPECT_NE(svg.find("</svg>"), std::string::npos);
  }
}

TEST(LinePlotSvg, NamesAreEscapedAndStandBesideThePlot) {
  LinePlot plot = straight_line();
  plot.curves[0].name = "F & v";
  plot.marks.push_back({"peak <1>", 1, 10});
  const std::string svg = make_line_plot_svg({plot});
  EXPECT_NE(svg.find("a &lt; b"), std::string::npos);
  EXPECT_NE(svg.find("F &amp; v"), std::string::npos);
  EXPECT_NE(svg.find("peak &lt;1&gt;"), std::string::npos);
  // Every legend entry lies right of the frame.
  std::smatch match;
  ASSERT_TRUE(std::regex_search(svg, match, std::regex("<text x=\"(\\d+)\"[^>]*>F &amp; v")));
  EXPECT_GT(std::stod(match[1]), points_of(svg, 0).back().first);
}

// There are eight colours: what has the same one has other dashes.
TEST(LinePlotSvg, TwelveCurvesAreTwelveToTheEye) {
  LinePlot plot;
  for (int k = 0; k < 12; ++k) plot.curves.push_back({"", {0, 1}, {0, 1.0 * k}});
  const std::string svg = make_line_plot_svg({plot});
  static const std::regex kLook("fill=\"none\" (stroke=\"#[^/]*)/>");
  std::set<std::string> looks;
  for (auto it = std::sregex_iterator(svg.begin(), svg.end(), kLook); it != std::sregex_iterator();
       ++it) {
    looks.insert((*it)[1]);
  }
  EXPECT_EQ(looks.size(), 13u);  // and the frame
}

}  // namespace
}  // namespace vesica::line_plot_svg_test
