// What is read off a run, against motions that are known.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/support/support.h"
#include "vesica/studies/readings.h"

namespace vesica::studies::readings_test {
namespace {

struct Leavings {
  nlohmann::ordered_json summary = {
      {"solver", {{"steps", 12}}},
      {"contacts",
       {{"ball-ground", {{"impulse", 0.5}, {"events", nlohmann::ordered_json::array()}}}}},
      {"parameters", {{{"name", "mu.C"}, {"value", 0.4}}, {{"name", "k"}, {"value", 7}}}},
      {"converged", true},
      {"hash", "abc"}};
  TimeTable recording;
  std::vector<ContactEvent> events = {{0.1, 0, true, 2}, {0.2, 0, false, 0}, {0.5, 0, true, 1}};

  // y = sin(2 pi t) over two seconds, rows of 1 ms.
  Leavings() {
    recording.columns = {{"y", "m"}};
    for (int k = 0; k <= 2000; ++k) {
      recording.times.push_back(k * 1e-3);
      recording.values.push_back(std::sin(2 * M_PI * k * 1e-3));
    }
  }
  RunLeavings all() const { return {&summary, &recording, &events, {"ball-ground"}}; }
};

double take(const Leavings& leavings, const std::string& text) {
  const Reading r = read_reading("r", InputFile::parse("r: " + text, "s.yaml").root().at("r"));
  check_reading(r, leavings.all());
  const std::string cell = take_reading(r, leavings.all());
  return cell.empty() ? NAN : std::stod(cell);
}

// Columns of a pressure map have rows and units of their own.
TEST(Readings, OfPressureMaps) {
  Leavings l;
  l.summary["pressure_maps"]["heel"]["max_area"] = 2e-4;
  TimeTable sums;
  sums.columns = {{"heel.map.force", "N"}, {"heel.map.peak_pressure", "Pa"}};
  sums.times = {0, 0.5, 1};
  sums.values = {0, 0, 30, 3e5, 10, 1e5};
  const std::vector<TimeTable> maps = {sums};
  RunLeavings all = l.all();
  all.map_sums = &maps;
  const auto take_scaled = [&](const std::string& text) {
    Reading r = read_reading("r", InputFile::parse("r: " + text, "s.yaml").root().at("r"));
    check_reading(r, all);
    settle_unit(all, &r);
    return std::stod(take_reading(r, all));
  };
  EXPECT_NEAR(take_scaled("{column: heel.map.peak_pressure, take: max, unit: kPa}"), 300, 1e-9);
  EXPECT_NEAR(take_scaled("{column: heel.map.force, at: 0.25 s}"), 15, 1e-12);
  EXPECT_NEAR(take_scaled("{column: heel.map.force, at: end}"), 10, 1e-12);
  EXPECT_NEAR(take_scaled("{column: heel.map.peak_pressure, crosses: 150 kPa}"), 0.25, 1e-12);
  EXPECT_NEAR(take_scaled("{summary: pressure_maps.heel.max_area, unit: mm^2}"), 200, 1e-9);
  EXPECT_NEAR(take_scaled("{column: y, take: max}"), 1, 1e-12);
}

TEST(Readings, OfASine) {
  const Leavings l;
  EXPECT_NEAR(take(l, "{column: y, take: max}"), 1, 1e-12);
  EXPECT_NEAR(take(l, "{column: y, take: min}"), -1, 1e-12);
  EXPECT_NEAR(take(l, "{column: y, take: range}"), 2, 1e-12);
  EXPECT_NEAR(take(l, "{column: y, take: largest}"), 1, 1e-12);
  EXPECT_NEAR(take(l, "{column: y, take: time_of_max}"), 0.25, 1e-12);
  EXPECT_NEAR(take(l, "{column: y, take: time_of_min, from: 1 s}"), 1.75, 1e-12);
  EXPECT_NEAR(take(l, "{column: y, take: mean}"), 0, 1e-12);
  EXPECT_NEAR(take(l, "{column: y, take: rms}"), std::sqrt(0.5), 2e-4);  // 2001 rows of two periods
  EXPECT_NEAR(take(l, "{column: y, take: integral, from: 0 s, until: 0.5 s}"), 1 / M_PI, 3e-6);
  EXPECT_NEAR(take(l, "{column: y, at: 125.5 ms}"), std::sin(2 * M_PI * 0.1255), 5e-6);
  EXPECT_NEAR(take(l, "{column: y, at: end}"), 0, 1e-12);
  EXPECT_NEAR(take(l, "{column: y, crosses: 0.5, direction: up}"), 1.0 / 12, 1e-6);
  EXPECT_NEAR(take(l, "{column: y, crosses: 0.5, direction: down}"), 5.0 / 12, 1e-6);
  EXPECT_NEAR(take(l, "{column: y, crosses: 0.5, number: 3}"), 1 + 1.0 / 12, 1e-6);
  EXPECT_NEAR(take(l, "{column: y, crosses: 0.5, number: -1}"), 1 + 5.0 / 12, 1e-6);
  EXPECT_TRUE(std::isnan(take(l, "{column: y, crosses: 2}")));
  EXPECT_TRUE(std::isnan(take(l, "{column: y, at: 3 s}")));
}

// A time may be when a column crosses a level, or an event: of y = sin(2 pi t).
TEST(Readings, TimesMayBeCrossingsAndEvents) {
  const Leavings l;
  // Rising until 0.5 is crossed at 1/12 s: the largest value is that level, between rows.
  EXPECT_NEAR(take(l, "{column: y, take: max, until: {column: y, crosses: 0.5}}"), 0.5, 1e-12);
  EXPECT_NEAR(take(l,
                   "{column: y, take: integral, from: {column: y, crosses: 0.5, direction: up}, "
                   "until: {column: y, crosses: 0.5, direction: down}}"),
              std::cos(kPi / 6) / kPi, 3e-6);
  EXPECT_NEAR(take(l, "{column: y, at: {event: lift_off}}"), std::sin(0.4 * kPi), 1e-12);
  // From a time on, or from when something happened.
  EXPECT_NEAR(take(l, "{column: y, crosses: 0.5, from: 0.2 s}"), 5.0 / 12, 1e-6);
  EXPECT_EQ(take(l, "{event: touchdown, from: {event: lift_off}}"), 0.5);
  EXPECT_EQ(take(l, "{event: touchdown, take: count, from: 0.3 s}"), 1);
  // What did not happen leaves nothing to read, and so does an end before the beginning.
  EXPECT_TRUE(std::isnan(take(l, "{column: y, take: max, until: {column: y, crosses: 2}}")));
  EXPECT_TRUE(std::isnan(
      take(l, "{column: y, take: max, from: {column: y, crosses: 0.5}, until: 0.05 s}")));
  EXPECT_TRUE(std::isnan(take(l, "{column: y, at: {event: touchdown, number: 3}}")));
  const auto error = [&](const std::string& text) {
    return test::input_error_of([&] { take(l, text); });
  };
  EXPECT_NE(error("{column: y, at: {column: y, take: max}}").find("expected a time"),
            std::string::npos);
  EXPECT_NE(error("{column: y, at: {column: x, crosses: 1}}").find("no such column"),
            std::string::npos);
  EXPECT_NE(error("{column: y, at: {event: lift_off, unit: ms}}").find("in seconds"),
            std::string::npos);
}

TEST(Readings, OfEventsAndSummaries) {
  const Leavings l;
  EXPECT_EQ(take(l, "{event: touchdown, number: 2}"), 0.5);
  EXPECT_EQ(take(l, "{event: touchdown, number: -1, take: closing_speed}"), 1);
  EXPECT_EQ(take(l, "{event: lift_off, contact: ball-ground}"), 0.2);
  EXPECT_EQ(take(l, "{event: touchdown, take: count}"), 2);
  EXPECT_TRUE(std::isnan(take(l, "{event: touchdown, number: 3}")));
  EXPECT_EQ(take(l, "contacts.ball-ground.impulse"), 0.5);
  EXPECT_EQ(take(l, "solver.steps"), 12);
  EXPECT_EQ(take(l, "converged"), 1);
  EXPECT_EQ(take(l, "parameters.mu.C.value"), 0.4);  // by a name that has a dot
  EXPECT_EQ(take(l, "parameters.1.value"), 7);
  EXPECT_TRUE(std::isnan(take(l, "contacts.ball-ground.events.0.time")));  // none happened
}

TEST(Readings, SayWhatThereIs) {
  const Leavings l;
  const auto error = [&](const std::string& text) {
    return test::input_error_of([&] { take(l, text); });
  };
  EXPECT_NE(error("{column: x, take: max}").find("s.yaml:1"), std::string::npos);
  EXPECT_NE(error("{column: x, take: max}").find("y"), std::string::npos);
  EXPECT_NE(error("contacts.ball.impulse").find("ball-ground"), std::string::npos);
  EXPECT_NE(error("contacts.ball-ground").find("impulse"), std::string::npos);
  EXPECT_NE(error("{event: touchdown, contact: ball}").find("ball-ground"), std::string::npos);
  EXPECT_NE(error("solver.seconds").find("timing.csv"), std::string::npos);
  EXPECT_NE(error("{at: 1 s}").find("column"), std::string::npos);
}

}  // namespace
}  // namespace vesica::studies::readings_test
