// The page of a study shows all of a design, however many runs there are.
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "vesica/report/study_page.h"
#include "vesica/studies/answers.h"

namespace vesica::studies::page_test {
namespace {

// A design repeats a pattern of runs (rows of Sobol indices, trajectories, repeats); points that
// are drawn keep step with none of them.
TEST(StudyPage, ScatterPlotsShowEveryPartOfADesign) {
  for (const int factors : {2, 3, 4, 5}) {
    std::string text =
        "vesica: 1\nof: {function: ishigami}\ndesign: {method: sobol_indices, samples: 8192}\n"
        "vary:\n";
    const char* names[] = {"x1", "x2", "x3", "a", "b"};
    for (int k = 0; k < factors; ++k)
      text += std::string("  ") + names[k] + ": {low: 0, high: 1}\n";
    text += "outputs: {y: y}\n";
    const Study study = read_study(InputFile::parse(text, "s.yaml"), {});
    const auto length = static_cast<std::uint64_t>(factors + 2);
    ResultTable table;
    table.outputs.resize(1);
    for (std::uint64_t run = 0; run < study.runs(); ++run) {
      table.runs.push_back(run);
      table.status.push_back(0);
      table.outputs[0].push_back(static_cast<double>(run % length));
    }
    Answers answers = calc_answers(study, "", table);
    const std::string page = make_study_page(study, table, answers);
    const size_t begin = page.find("\"points\":[["), end = page.find("]]", begin);
    ASSERT_NE(begin, std::string::npos);
    std::array<int, 8> count{};
    int all = 0;
    for (size_t at = page.find(']', begin); at <= end; at = page.find(']', at + 1)) {
      const size_t comma = page.rfind(',', at);
      ++count.at(static_cast<size_t>(std::stod(page.substr(comma + 1, at - comma - 1))));
      ++all;
    }
    EXPECT_NEAR(all, 1500, 200);
    for (std::uint64_t part = 0; part < length; ++part) {
      EXPECT_NEAR(count[part], all / static_cast<double>(length), 80) << factors << " " << part;
    }
  }
}

}  // namespace
}  // namespace vesica::studies::page_test
