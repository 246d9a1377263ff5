#include "vesica/io/text_input.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "vesica/io/file_error.h"

namespace vesica {

namespace {

constexpr std::size_t kBufferSize = std::size_t{64} << 10;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

}  // namespace

LineReader::LineReader(std::istream& stream, std::string name)
    : stream_(stream), name_(std::move(name)), buffer_(kBufferSize) {
  fill();
  const auto starts = [&](std::string_view mark) {
    return end_ >= mark.size() && std::memcmp(buffer_.data(), mark.data(), mark.size()) == 0;
  };
  if (starts("\xff\xfe") || starts("\xfe\xff")) {
    throw InputError(name_ + ":1: the text is encoded as UTF-16; save it as UTF-8 or ASCII");
  }
  if (starts("\xef\xbb\xbf")) begin_ = 3;
  const bool has_lf = std::memchr(buffer_.data(), '\n', end_) != nullptr;
  if (!has_lf && std::memchr(buffer_.data(), '\r', end_) != nullptr) end_of_line_ = '\r';
}

bool LineReader::fill() {
  if (at_end_) return false;
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == buffer_.size()) {
    if (buffer_.size() >= kMaxLine) {
      ++line_number_;
      fail("a line is longer than 16 MiB; this is not a text file of this format");
    }
    buffer_.resize(buffer_.size() * 2);
  }
  stream_.read(buffer_.data() + end_, static_cast<std::streamsize>(buffer_.size() - end_));
  if (stream_.bad()) throw FileError(name_ + ": reading failed");
  const auto count = static_cast<std::size_t>(stream_.gcount());
  if (count == 0) at_end_ = true;
  if (const void* zero = std::memchr(buffer_.data() + end_, '\0', count)) {
    const auto offset = static_cast<const char*>(zero) - buffer_.data();
    std::size_t line = line_number_ + 1;
    for (std::ptrdiff_t i = 0; i < offset; ++i)
      line += buffer_[static_cast<std::size_t>(i)] == '\n';
    throw InputError(
        fmt::format("{}:{}: found a zero byte; this is a binary file, not text", name_, line));
  }
  end_ += count;
  return count > 0;
}

bool LineReader::next(std::string_view* line) {
  std::size_t searched = 0;
  for (;;) {
    const char* start = buffer_.data() + begin_;
    const auto* found = static_cast<const char*>(
        std::memchr(start + searched, end_of_line_, end_ - begin_ - searched));
    if (found != nullptr) {
      auto length = static_cast<std::size_t>(found - start);
      begin_ += length + 1;
      if (length > 0 && start[length - 1] == '\r') --length;
      *line = std::string_view(start, length);
      ended_ = true;
      ++line_number_;
      return true;
    }
    searched = end_ - begin_;
    if (fill()) continue;
    if (begin_ == end_) return false;
    *line = std::string_view(buffer_.data() + begin_, end_ - begin_);
    begin_ = end_;
    ended_ = false;
    ++line_number_;
    return true;
  }
}

void LineReader::fail(const std::string& message) const {
  throw InputError(fmt::format("{}:{}: {}", name_, line_number_, message));
}

std::ifstream open_input(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    throw FileError(path + ": is a folder; give a file");
  }
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw FileError(path + ": cannot be opened; check that it exists and is readable");
  return stream;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string as_lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

bool starts_with_ignoring_case(std::string_view text, std::string_view prefix) {
  return text.size() >= prefix.size() &&
         as_lower(text.substr(0, prefix.size())) == as_lower(prefix);
}

void split_at_whitespace(std::string_view line, std::vector<std::string_view>* fields) {
  fields->clear();
  std::size_t i = 0;
  while (i < line.size()) {
    while (i < line.size() && is_blank(line[i])) ++i;
    const std::size_t start = i;
    while (i < line.size() && !is_blank(line[i])) ++i;
    if (i > start) fields->push_back(line.substr(start, i - start));
  }
}

void split_at(std::string_view line, char delimiter, std::vector<std::string_view>* fields) {
  fields->clear();
  std::size_t start = 0;
  bool quoted = false;
  for (std::size_t i = 0; i <= line.size(); ++i) {
    if (i < line.size() && line[i] == '"') quoted = !quoted;
    if (i < line.size() && (line[i] != delimiter || quoted)) continue;
    std::string_view field = trim(line.substr(start, i - start));
    if (field.size() >= 2 && field.front() == '"' && field.back() == '"') {
      field = field.substr(1, field.size() - 2);
    }
    fields->push_back(field);
    start = i + 1;
  }
}

void split_columns(std::string_view line, std::vector<std::string_view>* fields) {
  if (line.find('\t') == std::string_view::npos) return split_at_whitespace(line, fields);
  fields->clear();
  std::size_t start = 0;
  for (;;) {
    const std::size_t tab = line.find('\t', start);
    if (tab == std::string_view::npos) break;
    fields->push_back(trim(line.substr(start, tab - start)));
    start = tab + 1;
  }
  fields->push_back(trim(line.substr(start)));
}

std::optional<double> parse_number(std::string_view field) {
  const char* first = field.data();
  const char* last = first + field.size();
  if (first != last && *first == '+') {
    ++first;
    if (first != last && *first == '-') return std::nullopt;
  }
  double value = 0.0;
  const auto [end, error] = std::from_chars(first, last, value);
  if (error == std::errc::result_out_of_range && end == last) {
    // A number too small for double is zero for our purpose; one too large is not a measurement.
    const std::size_t e = field.find_first_of("eE");
    if (e != std::string_view::npos && e + 1 < field.size() && field[e + 1] == '-') return 0.0;
    return std::nullopt;
  }
  if (error != std::errc() || end != last || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<long long> parse_integer(std::string_view field) {
  long long value = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (error == std::errc() && end == field.data() + field.size()) return value;
  // "451.0" is an integer too.
  const std::optional<double> number = parse_number(field);
  if (!number || std::abs(*number) > 9e15 || *number != std::floor(*number)) return std::nullopt;
  return static_cast<long long>(*number);
}

bool is_nan_text(std::string_view field) {
  if (!field.empty() && (field.front() == '-' || field.front() == '+')) field.remove_prefix(1);
  return starts_with_ignoring_case(field, "nan") || starts_with_ignoring_case(field, "1.#QNAN") ||
         starts_with_ignoring_case(field, "1.#IND");
}

void append_number(double value, std::string* text) {
  if (std::isnan(value)) {
    *text += "nan";
    return;
  }
  char buffer[32];
  const auto result = std::to_chars(buffer, buffer + sizeof(buffer), value);
  text->append(buffer, result.ptr);
}

void append_number(double value, int digits, std::string* text) {
  if (std::isnan(value)) {
    *text += "nan";
    return;
  }
  char buffer[64];
  const auto result =
      std::to_chars(buffer, buffer + sizeof(buffer), value, std::chars_format::general, digits);
  text->append(buffer, result.ptr);
}

std::string quote(std::string_view field) {
  constexpr std::size_t kShown = 40;
  std::string result = "'";
  for (char c : field.substr(0, kShown)) result += c >= 32 && c < 127 ? c : '?';
  if (field.size() > kShown) result += "...";
  return result + "'";
}

std::string as_readable(double value, int digits) {
  if (!(std::abs(value) >= 1000.0) || std::abs(value) >= 1e15) {
    return fmt::format("{:.{}g}", value, digits);
  }
  const double unit = std::pow(10.0, std::floor(std::log10(std::abs(value))) - (digits - 1));
  std::string text = fmt::format("{:.0f}", unit >= 1.0 ? std::round(value / unit) * unit : value);
  const std::size_t sign = text.front() == '-' ? 1 : 0;
  for (std::size_t i = text.size(); i > sign + 3;) {
    i -= 3;
    text.insert(i, 1, ',');
  }
  return text;
}

}  // namespace vesica
