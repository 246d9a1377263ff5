// SHA-256 (FIPS 180-4), for saying which bytes an input had: the same as `sha256sum` prints.
#pragma once

#include <string>
#include <string_view>

namespace vesica {

// 64 hexadecimal digits.
std::string calc_sha256(std::string_view bytes);
// Of a file; FileError where it cannot be read.
std::string calc_file_sha256(const std::string& path);

}  // namespace vesica
