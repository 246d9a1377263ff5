#include "vesica/io/sha256.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>

#include "vesica/io/file_error.h"

namespace vesica {
namespace {

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes, and of the
// square roots of the first eight (FIPS 180-4, 4.2.2 and 5.3.3).
struct ShaConstants {
  std::array<std::uint32_t, 64> k{};
  std::array<std::uint32_t, 8> start{};
};

ShaConstants make_sha_constants() {
  ShaConstants c;
  const auto fraction = [](long double root) {
    return static_cast<std::uint32_t>((root - std::floor(root)) * 4294967296.0L);
  };
  size_t found = 0;
  for (int n = 2; found < c.k.size(); ++n) {
    bool is_prime = true;
    for (int d = 2; d * d <= n; ++d) is_prime = is_prime && n % d != 0;
    if (!is_prime) continue;
    c.k[found] = fraction(std::cbrt(static_cast<long double>(n)));
    if (found < c.start.size()) c.start[found] = fraction(std::sqrt(static_cast<long double>(n)));
    ++found;
  }
  return c;
}

class Sha256 {
 public:
  void add(std::string_view bytes) {
    length_ += bytes.size();
    while (!bytes.empty()) {
      const size_t room = std::min(bytes.size(), block_.size() - filled_);
      std::memcpy(block_.data() + filled_, bytes.data(), room);
      filled_ += room;
      bytes.remove_prefix(room);
      if (filled_ == block_.size()) {
        mix();
        filled_ = 0;
      }
    }
  }
  std::string finish() {
    const std::uint64_t bits = 8 * length_;
    add(std::string_view("\x80", 1));
    while (filled_ != 56) add(std::string_view("\0", 1));
    char tail[8];
    for (int k = 0; k < 8; ++k) tail[k] = static_cast<char>(bits >> (56 - 8 * k));
    add(std::string_view(tail, 8));
    std::string text;
    for (const std::uint32_t word : state_) text += fmt::format("{:08x}", word);
    return text;
  }

 private:
  static const ShaConstants& constants() {
    static const ShaConstants kConstants = make_sha_constants();
    return kConstants;
  }
  void mix() {
    std::array<std::uint32_t, 64> w;
    for (size_t t = 0; t < 16; ++t) {
      const auto byte = [&](size_t k) { return std::uint32_t{block_[4 * t + k]}; };
      w[t] = byte(0) << 24 | byte(1) << 16 | byte(2) << 8 | byte(3);
    }
    const auto turn = [](std::uint32_t x, int n) { return std::rotr(x, n); };
    for (size_t t = 16; t < 64; ++t) {
      const std::uint32_t s0 = turn(w[t - 15], 7) ^ turn(w[t - 15], 18) ^ (w[t - 15] >> 3);
      const std::uint32_t s1 = turn(w[t - 2], 17) ^ turn(w[t - 2], 19) ^ (w[t - 2] >> 10);
      w[t] = w[t - 16] + s0 + w[t - 7] + s1;
    }
    auto [a, b, c, d, e, f, g, h] = state_;
    for (size_t t = 0; t < 64; ++t) {
      const std::uint32_t s1 = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25);
      const std::uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + constants().k[t] + w[t];
      const std::uint32_t s0 = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22);
      const std::uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
      h = g;
      g = f;
      f = e;
      e = d + t1;
      d = c;
      c = b;
      b = a;
      a = t1 + t2;
    }
    const std::array<std::uint32_t, 8> sum = {a, b, c, d, e, f, g, h};
    for (size_t k = 0; k < 8; ++k) state_[k] += sum[k];
  }

  std::array<std::uint32_t, 8> state_ = constants().start;
  std::array<unsigned char, 64> block_{};
  size_t filled_ = 0;
  std::uint64_t length_ = 0;
};

}  // namespace

std::string calc_sha256(std::string_view bytes) {
  Sha256 sha;
  sha.add(bytes);
  return sha.finish();
}

std::string calc_file_sha256(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw FileError(path + ": cannot be opened; does the file exist?");
  Sha256 sha;
  std::string block(size_t{1} << 16, '\0');
  while (stream.read(block.data(), static_cast<std::streamsize>(block.size())) ||
         stream.gcount() > 0) {
    sha.add({block.data(), static_cast<size_t>(stream.gcount())});
  }
  if (stream.bad()) throw FileError(path + ": cannot be read");
  return sha.finish();
}

}  // namespace vesica
