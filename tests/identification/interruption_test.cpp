// A study of feet that is told to stop keeps what it has and says so, in its JSON and on its page.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <nlohmann/json.hpp>

#include "tests/support/support.h"
#include "vesica/identification/foot2d_study.h"
#include "vesica/identification/foot_drag.h"
#include "vesica/identification/foot_people.h"
#include "vesica/identification/foot_study.h"
#include "vesica/report/foot2d_page.h"
#include "vesica/report/foot_dynamics_page.h"
#include "vesica/report/foot_page.h"
#include "vesica/report/foot_people_page.h"

namespace vesica {
namespace {

struct Shown {
  bool interrupted;
  nlohmann::ordered_json json;
  std::string page;
};

// Looked at `looks` times, it says no; then yes.
std::function<bool()> stop_after(int looks) {
  const auto left = std::make_shared<std::atomic<int>>(looks);
  return [left] { return --*left < 0; };
}

InputFile study_of(const std::string& name) {
  return InputFile::load(test::source_dir() + "/studies/" + name);
}

Shown run_foot(int looks) {
  const FootStudy study = run_foot_study(study_of("foot.yaml"), {}, stop_after(looks));
  return {study.interrupted, make_foot_json(study), make_foot_page(study, "")};
}

Shown run_drag(int looks) {
  const DragStudy study = run_drag_study(study_of("foot_drag.yaml"), {}, stop_after(looks));
  return {study.interrupted, make_drag_json(study), make_drag_page(study, "")};
}

Shown run_planar(int looks) {
  Foot2dRun run;
  run.threads = 1;
  run.stop = stop_after(looks);
  const Foot2dStudy study = run_foot2d_study(study_of("foot2d.yaml"), run);
  return {study.interrupted, make_foot2d_json(study), make_foot2d_page(study, "")};
}

void expect_said(Shown (*run)(int)) {
  for (const int looks : {0, 1, 3, 20}) {
    const Shown shown = run(looks);
    EXPECT_TRUE(shown.interrupted) << looks;
    EXPECT_TRUE(shown.json.value("interrupted", false)) << looks;
    EXPECT_NE(shown.page.find("Interrupted"), std::string::npos) << looks;
  }
}

TEST(Interruption, OfAFoot) { expect_said(run_foot); }
TEST(Interruption, OfADraggedFoot) { expect_said(run_drag); }
TEST(Interruption, OfAPlanarFoot) { expect_said(run_planar); }

// A placebo that was hardly searched is none, and nothing is concluded from it.
TEST(Interruption, GivesNoPlacebo) {
  const InputFile file = InputFile::parse(
      "vesica: 1\ntype: foot2d\nsynthetic: {stances: 1, rate: 60}\nelements: [linear]\n"
      "search: {seeds: 1, starts: 2, hops: 2}\n",
      "foot2d.yaml");
  const auto look = [&](int looks, Foot2dStudy* study) {
    const auto left = std::make_shared<std::atomic<int>>(looks);
    Foot2dRun run;
    run.threads = 1;
    run.stop = [left] { return --*left < 0; };
    *study = run_foot2d_study(file, run);
    return looks - *left;
  };
  const auto judges = [](const Foot2dStudy& study) {
    return std::any_of(study.verdicts.begin(), study.verdicts.end(),
                       [](const std::string& v) { return v.starts_with("placebo"); });
  };
  Foot2dStudy study;
  const int all = look(1 << 30, &study);
  EXPECT_TRUE(judges(study));
  // The second half of the looks are those of the search on reversed forces.
  for (const double share : {0.3, 0.6, 0.8, 0.95}) {
    look(static_cast<int>(share * all), &study);
    ASSERT_EQ(study.stances.size(), 1u) << share;
    EXPECT_TRUE(study.interrupted);
    EXPECT_FALSE(study.stances[0].types[0].placebo.has_value()) << share;
    EXPECT_FALSE(judges(study)) << share;
  }
}

TEST(Interruption, OfPeopleIsThatOfAnyone) {
  FootPeople people;
  people.people.push_back({"A", {}});
  EXPECT_EQ(make_people_page(people, "").find("Interrupted"), std::string::npos);
  EXPECT_FALSE(make_people_json(people).contains("interrupted"));
  people.interrupted = true;
  EXPECT_NE(make_people_page(people, "").find("Interrupted"), std::string::npos);
  EXPECT_TRUE(make_people_json(people)["interrupted"].get<bool>());
}

}  // namespace
}  // namespace vesica
