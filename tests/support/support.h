// Helpers that tests of several folders share.
#pragma once

#include <filesystem>
#include <functional>
#include <random>
#include <string>

#include "vesica/math/pose.h"

namespace vesica::test {

// A random rotation (uniform) and random vectors, from a seeded generator.
Mat3d random_rotation(std::mt19937_64& random);
Vec3d random_vector(std::mt19937_64& random, double scale);
double random_between(std::mt19937_64& random, double low, double high);
double random_log_between(std::mt19937_64& random, double low, double high);

// Of this repository, without a slash at its end.
std::string source_dir();
// Real recordings that live beside the repository, not in it; tests that need them say so and skip
// where the folder is absent.
std::filesystem::path shared_data();

// Runs `f`, which must throw InputError, and returns its message.
std::string input_error_of(const std::function<void()>& f);

}  // namespace vesica::test
