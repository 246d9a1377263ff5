#include "vesica/io/unknown_word.h"

#include <gtest/gtest.h>

namespace vesica::unknown_word_test {
namespace {

const std::vector<std::string_view> kKnown = {"stiffness", "damping", "law",
                                              "mu_s",      "mu_d",    "step"};

TEST(UnknownWord, NearestIsAMistakeAway) {
  EXPECT_EQ(find_nearest_word("stifness", kKnown), "stiffness");
  EXPECT_EQ(find_nearest_word("stifnes", kKnown), "stiffness");
  EXPECT_EQ(find_nearest_word("damipng", kKnown), "damping");  // letters that changed places
  EXPECT_EQ(find_nearest_word("lwa", kKnown), "law");
  EXPECT_EQ(find_nearest_word("stiff", kKnown), "stiffness");  // its beginning
  EXPECT_EQ(find_nearest_word("mu_x", kKnown), "mu_s");        // the first of equals
}

TEST(UnknownWord, OtherWordsAreNone) {
  EXPECT_EQ(find_nearest_word("xy", kKnown), "");
  EXPECT_EQ(find_nearest_word("cat", kKnown), "");
  EXPECT_EQ(find_nearest_word("restitution", kKnown), "");
  EXPECT_EQ(find_nearest_word("st", kKnown), "");  // begins two of them, and is short
  EXPECT_EQ(find_nearest_word(std::string(100000, 's'), kKnown), "");
  EXPECT_EQ(find_nearest_word("word", {}), "");
}

TEST(UnknownWord, Says) {
  EXPECT_EQ(say_unknown("stifness", kKnown), "'stifness' is not known; did you mean 'stiffness'?");
  EXPECT_EQ(say_unknown("cat", {"dog", "cow"}), "'cat' is not known; known here: dog, cow");
}

}  // namespace
}  // namespace vesica::unknown_word_test
