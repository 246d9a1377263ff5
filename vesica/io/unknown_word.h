// What to say about a word that is not known: the one that was probably meant, or all there are.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace vesica {

// The known word that a typing mistake away from `word` stands, or of which it is the beginning;
// empty where none is near. Letters that changed places count as one mistake.
std::string_view find_nearest_word(std::string_view word,
                                   const std::vector<std::string_view>& known);

// "did you mean 'stiffness'?", or "known here: damping, stiffness".
std::string suggest_word(std::string_view word, const std::vector<std::string_view>& known);

// "'stifness' is not known; did you mean 'stiffness'?", or all that are known.
std::string say_unknown(std::string_view word, const std::vector<std::string_view>& known);

}  // namespace vesica
