#include "vesica/io/marker_map.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "tests/support/support.h"
#include "vesica/io/yaml.h"

namespace vesica::marker_map_test {
namespace {

using test::input_error_of;

MarkerMap from_yaml(const std::string& text) {
  return read_marker_map(InputFile::parse(text, "m.yaml"));
}
MarkerMap from_csv(const std::string& text) {
  std::istringstream stream(text);
  return read_marker_map_csv(stream, "m.csv");
}
MarkerTracks tracks(const std::vector<std::string>& labels) {
  MarkerTracks markers;
  markers.labels = labels;
  markers.rate = 100.0;
  for (int f = 0; f < 3; ++f) {
    markers.times.push_back(0.01 * f);
    for (std::size_t m = 0; m < labels.size(); ++m) {
      markers.positions.emplace_back(f, m, 0.0);
      markers.residuals.push_back(static_cast<float>(10 * f) + static_cast<float>(m));
      markers.words.push_back(static_cast<float>(100 * f) + static_cast<float>(m));
    }
  }
  return markers;
}
bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(MarkerMap, RenamesWithAndWithoutTheSubject) {
  const MarkerMap map =
      from_yaml("vesica: 1\nmarker_map: t\nnames: {LASI: L.ASIS, RASI: R.ASIS, X: Y}\n");
  MarkerTracks markers = tracks({"Anna:LASI", "RASI", "OTHER"});
  const RenamedMarkers renamed = rename_markers(map, &markers);
  EXPECT_EQ(markers.labels, (std::vector<std::string>{"L.ASIS", "R.ASIS", "OTHER"}));
  EXPECT_EQ(renamed.count, 2u);
  EXPECT_EQ(renamed.not_present, std::vector<std::string>{"X"});
  MarkerTracks exchanged = tracks({"A", "B"});
  rename_markers(from_csv("from;to\nA;B\nB;A\n"), &exchanged);
  EXPECT_EQ(exchanged.labels, (std::vector<std::string>{"B", "A"}));
}

TEST(MarkerMap, ErrorsNameTheLineAndBothNames) {
  const auto rename = [](const MarkerMap& map, const std::vector<std::string>& labels) {
    return input_error_of([&] {
      MarkerTracks markers = tracks(labels);
      rename_markers(map, &markers);
    });
  };
  const MarkerMap map = from_csv("from,to\nLASI,L.ASIS\nLASIS,L.ASIS\n");
  EXPECT_EQ(
      rename(map, {"LASI", "LASIS"}),
      "m.csv:3: 'LASI' and 'LASIS' would both be called 'L.ASIS'; drop one of them (--drop) or "
      "change the map");
  EXPECT_TRUE(contains(rename(map, {"LASI", "L.ASIS"}), "would both be called 'L.ASIS'"));
  EXPECT_TRUE(
      contains(rename(map, {"RASI"}), "none of its 2 names (LASI, LASIS) is in the recording"));
  EXPECT_TRUE(contains(rename(map, {"Anna:LASI", "Ben:LASI"}), "m.csv:2: 'LASI' stands for both"));
  EXPECT_TRUE(contains(input_error_of([] { from_csv("from,to\nA,B\nA,C\n"); }),
                       "m.csv:3: 'A' has a new name already"));
  EXPECT_TRUE(
      contains(input_error_of([] { from_csv("from,to\nA,\n"); }), "m.csv:2: a name is empty"));
  EXPECT_TRUE(contains(input_error_of([] { from_csv("old,new\nA,B\n"); }),
                       "m.csv:1: there is no column 'from'"));
  EXPECT_TRUE(contains(input_error_of([] { from_csv("from,to\n"); }), "no names in the map"));
  EXPECT_TRUE(
      contains(input_error_of([] { from_yaml("marker_map: t\nname: {A: B}\n"); }), "m.yaml:2"));
}

TEST(MarkerMap, MapsThatComeAlongAreGood) {
  int count = 0;
  for (const auto& file :
       std::filesystem::directory_iterator(test::source_dir() + "/studies/markers/maps")) {
    const MarkerMap map = load_marker_map(file.path().string());
    EXPECT_TRUE(map.partial);
    EXPECT_GT(map.entries.size(), 10u);
    // Left stays left, right stays right.
    for (const MarkerMap::Entry& entry : map.entries) EXPECT_EQ(entry.from[0], entry.to[0]);
    ++count;
  }
  EXPECT_EQ(count, 3);
}

TEST(SelectMarkers, PatternsKeepAndDropWithTheirNumbers) {
  EXPECT_TRUE(matches_pattern("R.Heel", "R*"));
  EXPECT_TRUE(matches_pattern("R.Heel", "*H??l"));
  EXPECT_TRUE(matches_pattern("", "*"));
  EXPECT_TRUE(matches_pattern("aXbXc", "a*X?"));
  EXPECT_FALSE(matches_pattern("L.Heel", "R*"));
  EXPECT_FALSE(matches_pattern("R.Heel", "R.Hee"));
  MotionTrial trial;
  trial.file = "w.trc";
  trial.markers = tracks({"R.Heel", "L.Heel", "R.Toe", "C7"});
  select_markers({"R*", "C7"}, {"*Toe"}, &trial);
  EXPECT_EQ(trial.markers.labels, (std::vector<std::string>{"R.Heel", "C7"}));
  ASSERT_EQ(trial.markers.positions.size(), 6u);
  EXPECT_EQ(trial.markers.at(2, 1), Vec3d(2, 3, 0));
  EXPECT_EQ(trial.markers.residuals, (std::vector<float>{0, 3, 10, 13, 20, 23}));
  EXPECT_EQ(trial.markers.words[5], 203.0f);
  EXPECT_TRUE(contains(input_error_of([&] { select_markers({"Q*"}, {}, &trial); }),
                       "--markers 'Q*' matches no marker; there are R.Heel, C7"));
  EXPECT_TRUE(
      contains(input_error_of([&] { select_markers({}, {"*"}, &trial); }), "leave no marker"));
}

}  // namespace
}  // namespace vesica::marker_map_test
