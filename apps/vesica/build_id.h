#pragma once

#include <string>

namespace vesica::app {

// Which build this is: the first 12 digits of the hash over its code that the linker has put into
// the program (the same sources, compiler and options give the same). Empty where there is none.
std::string find_build_id();

// "0.1.0+3fa2b1c9d0e1"
std::string make_version();

}  // namespace vesica::app
