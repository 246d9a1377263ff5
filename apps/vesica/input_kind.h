// Which command an input file is for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "vesica/io/yaml.h"

namespace vesica::app {

// By the keys at its top; empty where they tell of none.
std::string_view find_reader(const InputFile& file);

// InputError where the file is plainly for another command than these.
void expect_input_for(const std::vector<std::string_view>& commands, const InputFile& file);

}  // namespace vesica::app
