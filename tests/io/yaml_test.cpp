#include "vesica/io/yaml.h"

#include <gtest/gtest.h>

#include "tests/support/support.h"

namespace vesica::yaml_test {
namespace {

const char* const kText =
    "vesica: 1\n"
    "bodies:\n"
    "  ball:\n"
    "    mass: 2 kg\n"
    "    position: [1, 2 mm, 3]\n"
    "    name: heavy\n";

TEST(Yaml, ReadsNumbersVectorsAndWords) {
  const auto file = InputFile::parse(kText, "scene.yaml");
  const auto ball = file.root().at("bodies").at("ball");
  EXPECT_EQ(ball.at("mass").positive(dimension::kMass), 2);
  EXPECT_EQ(ball.at("position").vector(dimension::kLength), Vec3d(1, 0.002, 3));
  EXPECT_EQ(ball.at("name").text(), "heavy");
  EXPECT_FALSE(ball.find("radius").has_value());
}

TEST(Yaml, ErrorsNameFileLinePathAndRemedy) {
  const auto file = InputFile::parse(kText, "scene.yaml");
  const auto ball = file.root().at("bodies").at("ball");
  EXPECT_EQ(test::input_error_of([&] { ball.at("name").number(dimension::kMass); }),
            "scene.yaml:6: bodies.ball.name: expected a number [kg], found 'heavy'");
  EXPECT_EQ(test::input_error_of([&] { ball.at("radius"); }),
            "scene.yaml:4: bodies.ball: the key 'radius' is missing");
  EXPECT_EQ(test::input_error_of([&] {
              ball.allow({"mass", "positions", "name"});
            }),
            "scene.yaml:5: bodies.ball: unknown key 'position'; did you mean 'positions'?");
  EXPECT_EQ(test::input_error_of([&] { ball.at("mass").number(dimension::kLength); }),
            "scene.yaml:4: bodies.ball.mass: '2 kg' has the wrong dimension: expected m");
  EXPECT_EQ(test::input_error_of([&] { ball.at("position").expect_list(4); }),
            "scene.yaml:5: bodies.ball.position: expected a list of 4, found 3");
  EXPECT_EQ(test::input_error_of([&] {
              ball.at("name").choice({"light", "weighty"});
            }),
            "scene.yaml:6: bodies.ball.name: 'heavy' is not known; known here: light, weighty");
}

TEST(Yaml, BrokenTextSaysWhere) {
  EXPECT_NE(
      test::input_error_of([] { InputFile::parse("a: [1, 2\nb: 3\n", "x.yaml"); }).find("x.yaml:"),
      std::string::npos);
  EXPECT_NE(test::input_error_of([] { InputFile::parse("", "x.yaml"); }).find("expected a mapping"),
            std::string::npos);
  EXPECT_NE(
      test::input_error_of([] { InputFile::load("no/such/file.yaml"); }).find("cannot be opened"),
      std::string::npos);
  const auto twice = InputFile::parse("a: 1\na: 2\n", "x.yaml");
  EXPECT_EQ(test::input_error_of([&] { twice.root().allow({"a"}); }),
            "x.yaml:2: (top level): the key 'a' appears twice");
}

TEST(Yaml, AFileHasOneDocument) {
  const auto of = [](const std::string& text) {
    return test::input_error_of([&] { InputFile::parse(text, "x.yaml"); });
  };
  EXPECT_NE(of("a: 1\n---\nb: 2\n").find("x.yaml:3: a second document"), std::string::npos);
  EXPECT_NE(of("").find("x.yaml:1: expected a mapping"), std::string::npos);
  EXPECT_EQ(InputFile::parse("---\na: 1\n...\n", "x.yaml").lines().at("a"), 2);
  EXPECT_EQ(InputFile::parse("a: 1\n---\n# none\n", "x.yaml").lines().at("a"), 1);
}

TEST(Yaml, NumbersAreFiniteAndBounded) {
  const auto file = InputFile::parse("a: .nan\nb: nan\nc: -1\nd: 0\ne: 1.5\n", "x.yaml");
  const auto root = file.root();
  for (const char* key : {"a", "b"}) {
    EXPECT_FALSE(test::input_error_of([&] { root.at(key).number(dimension::kNumber); }).empty());
  }
  EXPECT_FALSE(test::input_error_of([&] { root.at("c").non_negative(dimension::kMass); }).empty());
  EXPECT_FALSE(test::input_error_of([&] { root.at("d").positive(dimension::kMass); }).empty());
  EXPECT_FALSE(test::input_error_of([&] { root.at("e").integer(0, 10); }).empty());
}

TEST(Yaml, SetReplacesAValueByPath) {
  auto file = InputFile::parse(kText, "scene.yaml");
  file.set("bodies.ball.mass", "3 kg");
  file.set("bodies.ball.position.1", "7");
  file.set("bodies.ball.radius", "5 cm");
  const auto ball = file.root().at("bodies").at("ball");
  EXPECT_EQ(ball.at("mass").number(dimension::kMass), 3);
  EXPECT_EQ(ball.at("position").vector(dimension::kLength), Vec3d(1, 7, 3));
  EXPECT_EQ(ball.at("radius").number(dimension::kLength), 0.05);
  EXPECT_FALSE(test::input_error_of([&] { file.set("bodies.cube.mass", "1"); }).empty());
  EXPECT_FALSE(test::input_error_of([&] { file.set("bodies.ball.position.9", "1"); }).empty());
  EXPECT_FALSE(test::input_error_of([&] { file.set("bodies.ball.mass.x", "1"); }).empty());
  // Sections may be left out of a file, bodies may not.
  file.set("output.interval", "0.1");
  EXPECT_EQ(file.root().at("output").at("interval").number(dimension::kTime), 0.1);
  // A setting has no line.
  const auto message =
      test::input_error_of([&] { file.root().at("output").at("interval").fail("x"); });
  EXPECT_NE(message.find(" (--set): output.interval: x"), std::string::npos) << message;
  EXPECT_EQ(file.lines().at("output.interval"), 0);
  file.set("output.intervall", "0.1");
  EXPECT_EQ(test::input_error_of([&] { file.root().at("output").allow({"interval"}); }),
            "scene.yaml (--set): output: unknown key 'intervall'; did you mean 'interval'?");
}

// What stands at a position is not replaced by something of another type; by its name it is.
TEST(Yaml, SetByPositionKeepsTheType) {
  const std::string text = "list:\n  - {type: a, name: x, value: 1}\n  - {type: b}\n  - 3\n";
  const auto error = [&](const std::string& path, const std::string& value) {
    auto file = InputFile::parse(text, "s.yaml");
    return test::input_error_of([&] { file.set(path, value); });
  };
  const auto told = error("list.0", "{type: b}");
  EXPECT_NE(told.find("there is the a 'x' and no b"), std::string::npos) << told;
  EXPECT_NE(told.find("list.x"), std::string::npos) << told;
  EXPECT_NE(error("list.1", "{type: a}").find("there is the b and no a"), std::string::npos);
  const auto accept = [&](const std::string& path, const std::string& value) {
    auto file = InputFile::parse(text, "s.yaml");
    EXPECT_NO_THROW(file.set(path, value)) << path << "=" << value;
  };
  for (const char* path : {"list.x", "list.2"}) accept(path, "{type: b}");
  for (const char* value : {"{type: a, value: 2}", "{value: 2}", "5"}) accept("list.0", value);
}

TEST(Yaml, LinesByPath) {
  const auto lines = InputFile::parse("a: 1\nb:\n  c: [1, 2]\n  d:\n    - e: 3\n", "x").lines();
  EXPECT_EQ(lines.at("a"), 1);
  EXPECT_EQ(lines.at("b.c"), 3);
  EXPECT_EQ(lines.at("b.c.1"), 3);
  EXPECT_EQ(lines.at("b.d.0.e"), 5);
}

TEST(Yaml, ZeroBytesAreAnErrorWithTheLine) {
  // Found by fuzzing: yaml-cpp 0.7 never ends with this one.
  const std::string text(",ormt\0\nf\0kCS", 12);
  EXPECT_EQ(test::input_error_of([&] { InputFile::parse(text, "x.yaml"); }),
            "x.yaml:1: found a zero byte; expected text, saved as UTF-8");
}

}  // namespace
}  // namespace vesica::yaml_test
