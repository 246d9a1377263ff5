#include "vesica/io/text_input.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <sstream>

#include "tests/support/support.h"

namespace vesica::text_input_test {
namespace {

using test::input_error_of;

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  LineReader reader(stream, "f");
  std::vector<std::string> result;
  std::string_view line;
  while (reader.next(&line)) result.emplace_back(line);
  return result;
}

TEST(LineReader, KnowsEveryEndOfLine) {
  const std::vector<std::string> expected = {"a", "", "b c"};
  EXPECT_EQ(lines_of("a\n\nb c\n"), expected);
  EXPECT_EQ(lines_of("a\r\n\r\nb c\r\n"), expected);
  EXPECT_EQ(lines_of("a\r\rb c"), expected);
  EXPECT_EQ(lines_of("\xef\xbb\xbf"
                     "a\n\nb c"),
            expected);
  EXPECT_TRUE(lines_of("").empty());
}

TEST(LineReader, LinesOfAnyLengthCrossTheBuffer) {
  // Lengths around the buffer's 64 KiB, so that ends of line fall on both sides of its edge.
  for (int length : {1000, 65535, 65536, 65537, 200000}) {
    std::string text;
    for (int i = 0; i < 5; ++i)
      text += std::string(static_cast<std::size_t>(length), static_cast<char>('a' + i)) + "\n";
    const std::vector<std::string> lines = lines_of(text);
    ASSERT_EQ(lines.size(), 5u);
    for (int i = 0; i < 5; ++i) {
      EXPECT_EQ(lines[static_cast<std::size_t>(i)],
                std::string(static_cast<std::size_t>(length), static_cast<char>('a' + i)));
    }
  }
}

TEST(LineReader, RefusesWhatIsNotText) {
  EXPECT_NE(input_error_of([] {
              lines_of(
                  "a\nb\n\0c"
                  "x\n" +
                  std::string(1, '\0'));
            }).find("f:"),
            std::string::npos);
  EXPECT_NE(
      input_error_of([] { lines_of(std::string("a\nb\n") + '\0'); }).find("f:3: found a zero byte"),
      std::string::npos);
  EXPECT_NE(input_error_of([] {
              lines_of(
                  "\xff\xfe"
                  "a");
            }).find("UTF-16"),
            std::string::npos);
  EXPECT_NE(input_error_of([] {
              lines_of(std::string(LineReader::kMaxLine + 1, 'a'));
            }).find("f:1: a line is longer than 16 MiB"),
            std::string::npos);
}

TEST(ParseNumber, TakesWholeFiniteNumbersOnly) {
  EXPECT_EQ(parse_number("1.5"), 1.5);
  EXPECT_EQ(parse_number("-1.5e3"), -1500.0);
  EXPECT_EQ(parse_number("+2"), 2.0);
  EXPECT_EQ(parse_number(".5"), 0.5);
  EXPECT_EQ(parse_number("1e-999"), 0.0);
  for (const char* bad :
       {"", "+", "+-1", "1.5x", "1,5", "nan", "inf", "-inf", "1e999", "0x10", " 1"}) {
    EXPECT_FALSE(parse_number(bad)) << bad;
  }
  EXPECT_EQ(parse_integer("451"), 451);
  EXPECT_EQ(parse_integer("451.0"), 451);
  EXPECT_FALSE(parse_integer("451.5"));
  EXPECT_FALSE(parse_integer("1e300"));
}

TEST(ParseNumber, ReadsBackWhatAppendNumberWrites) {
  EXPECT_TRUE(rc::check("shortest text, same double", [](double value) {
    RC_PRE(std::isfinite(value));
    std::string text;
    append_number(value, &text);
    RC_ASSERT(parse_number(text) == value);
  }));
}

TEST(SplitColumns, KeepsEmptyFieldsBetweenTabsOnly) {
  std::vector<std::string_view> fields;
  split_columns("1\t\t 2 \t", &fields);
  EXPECT_EQ(fields, (std::vector<std::string_view>{"1", "", "2", ""}));
  split_columns("  1   2 ", &fields);
  EXPECT_EQ(fields, (std::vector<std::string_view>{"1", "2"}));
  split_at("a, \"b,c\" ,,d", ',', &fields);
  EXPECT_EQ(fields, (std::vector<std::string_view>{"a", "b,c", "", "d"}));
}

TEST(AsReadable, GroupsThousands) {
  EXPECT_EQ(as_readable(1702.4), "1,700");
  EXPECT_EQ(as_readable(-1234567.0, 7), "-1,234,567");
  EXPECT_EQ(as_readable(12.3456), "12.3");
}

}  // namespace
}  // namespace vesica::text_input_test
