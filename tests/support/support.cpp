#include "tests/support/support.h"

#include <gtest/gtest.h>

#include "vesica/error.h"

namespace vesica::test {

double random_between(std::mt19937_64& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

double random_log_between(std::mt19937_64& random, double low, double high) {
  return std::exp(random_between(random, std::log(low), std::log(high)));
}

Vec3d random_vector(std::mt19937_64& random, double scale) {
  return Vec3d(random_between(random, -scale, scale), random_between(random, -scale, scale),
               random_between(random, -scale, scale));
}

Mat3d random_rotation(std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  const Quaternion<double> q{normal(random), normal(random), normal(random), normal(random)};
  return as_rotation(q);
}

std::string source_dir() { return VESICA_SOURCE_DIR; }

std::filesystem::path shared_data() {
  return std::filesystem::path(source_dir()) / "../shared/data";
}

std::string input_error_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const InputError& error) {
    return error.what();
  }
  ADD_FAILURE() << "no InputError was thrown";
  return {};
}

}  // namespace vesica::test
