// Pages as text; tests/app/report_test.cpp draws them in a browser.
#include "vesica/report/html_page.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace vesica::html_page_test {
namespace {

size_t count_of(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

nlohmann::json specs_of(const std::string& html) {
  const std::string open = "<script id=\"plots\" type=\"application/json\">";
  const size_t begin = html.find(open) + open.size();
  return nlohmann::json::parse(html.substr(begin, html.find("</script>", begin) - begin));
}

TEST(HtmlPage, TextCannotBecomeMarkup) {
  HtmlPage page("a < b & \"c\"", "</title><script>alert(1)</script>");
  TimePlot plot;
  plot.title = "</script><script>alert(2)</script>";
  plot.times = {0, 1};
  plot.series = {{"<!-- \xff", {0, std::numeric_limits<double>::quiet_NaN()}}};
  page.add_plot(plot);
  page.add_preformatted("</pre><b>");
  const std::string html = page.as_html();
  EXPECT_EQ(html.find("<script>alert"), std::string::npos);
  EXPECT_EQ(html.find("<!--"), std::string::npos);
  EXPECT_EQ(html.find("</pre><b>"), std::string::npos);
  const auto json = specs_of(html);
  EXPECT_EQ(json[0]["label"], plot.title);
  EXPECT_TRUE(json[0]["series"][0]["y"][1].is_null());
}

TEST(HtmlPage, ThinningKeepsEveryExtreme) {
  // A spike of one row in each of two curves among 100,000 rows, and a gap.
  const size_t rows = 100000;
  std::vector<double> a(rows), b(rows);
  for (size_t r = 0; r < rows; ++r) {
    a[r] = std::sin(1e-3 * static_cast<double>(r));
    b[r] = r < 5000 ? std::numeric_limits<double>::quiet_NaN() : 1.0;
  }
  a[31234] = 7;
  b[77777] = -3;
  const auto chosen = choose_rows({&a, &b}, rows, 1200);
  EXPECT_LE(chosen.size(), 2 * 2 * 1200 + 2u);
  EXPECT_TRUE(std::is_sorted(chosen.begin(), chosen.end()));
  for (size_t must : {size_t{0}, size_t{31234}, size_t{77777}, rows - 1}) {
    EXPECT_TRUE(std::binary_search(chosen.begin(), chosen.end(), must)) << must;
  }
  EXPECT_EQ(choose_rows({&a}, 2400, 1200).size(), 2400u);
  EXPECT_TRUE(choose_rows({}, 0, 1200).empty());
}

TEST(HtmlPage, CurvesKeepTheirOwnTimes) {
  HtmlPage page("a", "b");
  TimePlot plot;
  plot.times = {0, 1, 2};
  plot.series = {{"shared", {1, 2, 3}}, {"own", {4, 5}, {0.5, 1.5}, "left", "a foot"}};
  plot.range = {0, 4};
  page.add_plot(plot);
  const auto spec = specs_of(page.as_html())[0];
  EXPECT_FALSE(spec["series"][0].contains("t"));
  EXPECT_EQ(spec["series"][1]["t"], nlohmann::json({0.5, 1.5}));
  EXPECT_EQ(spec["series"][1]["color"], "left");
  EXPECT_EQ(spec["range"], nlohmann::json({0, 4}));
}

TEST(HtmlPage, FiguresBringTheirScriptOnceAndCannotEndIt) {
  static constexpr std::string_view kScript = "kinds.mine = (host, spec) => () => {};\n";
  HtmlPage page("a", "b");
  page.add_figure("one", "", {{"kind", "mine"}, {"text", "</script><script>alert(1)"}}, kScript);
  page.add_figure("two", "", {{"kind", "mine"}}, kScript);
  const std::string html = page.as_html();
  EXPECT_EQ(count_of(html, std::string(kScript)), 1u);
  EXPECT_EQ(html.find("<script>alert"), std::string::npos);
  EXPECT_EQ(specs_of(html)[0]["text"], "</script><script>alert(1)");
  // What the figures are drawn with stands before them, what draws them after.
  EXPECT_LT(html.find("const kinds"), html.find(kScript));
  EXPECT_LT(html.find(kScript), html.find("kinds[specs[index].kind]"));
}

// Heads that a printer repeats; columns of sentences keep a width.
TEST(HtmlPage, TablesHaveAHead) {
  HtmlPage page("t", "");
  const std::string sentence = "a verdict that says at some length what was found here";
  page.add_table({"name", "value", "verdict"}, {{"a", "1", "fine"}, {"b", "2", sentence}}, {2});
  const std::string html = page.as_html();
  EXPECT_NE(html.find("<thead>\n<tr><th>name</th><th>value</th><th class=\"text long\">verdict</th>"
                      "</tr>\n</thead>\n<tbody>"),
            std::string::npos);
  EXPECT_NE(html.find("@media print"), std::string::npos);
}

}  // namespace
}  // namespace vesica::html_page_test
