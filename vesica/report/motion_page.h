#pragma once

#include <string_view>

namespace vesica {

// The trial overview page; "/*DATA*/" stands where its data go.
extern const std::string_view kMotionPage;

}  // namespace vesica
