// The figures of the page of a study, in the page's script. Internal to report/.
#pragma once

#include <string_view>

namespace vesica::detail {

extern const std::string_view kStudyScript;

}  // namespace vesica::detail
