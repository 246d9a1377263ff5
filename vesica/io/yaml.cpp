#include "vesica/io/yaml.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "vesica/io/file_error.h"

namespace vesica {

struct InputFile::Content {
  std::string name;
  std::string text;
  std::vector<std::string> settings;  // paths of set()
  YAML::Node root;

  bool is_setting(std::string_view path) const {
    return std::any_of(settings.begin(), settings.end(), [&](const std::string& set) {
      return path.starts_with(set) && (path.size() == set.size() || path[set.size()] == '.');
    });
  }
};

namespace {

constexpr std::uintmax_t kMaxBytes = 64u << 20;  // a scene is kilobytes; more is a mistake

int line_of(const YAML::Node& node, int fallback) {
  const int line = node.Mark().line;
  return line >= 0 ? line + 1 : fallback;
}

// The line of the first byte that is not UTF-8, or 0. Overlong forms and surrogates count as bad.
int find_line_not_utf8(std::string_view text) {
  int line = 1;
  for (size_t k = 0; k < text.size();) {
    const auto byte = [&](size_t at) {
      return at < text.size() ? static_cast<unsigned char>(text[at]) : 0u;
    };
    const unsigned first = byte(k);
    if (first == '\n') ++line;
    const size_t length = first < 0x80                     ? 1
                          : first >= 0xC2 && first < 0xE0  ? 2
                          : first >= 0xE0 && first < 0xF0  ? 3
                          : first >= 0xF0 && first <= 0xF4 ? 4
                                                           : 0;
    if (length == 0) return line;
    for (size_t j = 1; j < length; ++j) {
      if ((byte(k + j) & 0xC0) != 0x80) return line;
    }
    const unsigned second = byte(k + 1);
    if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
        (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F)) {
      return line;
    }
    k += length;
  }
  return 0;
}

// The first line with a tab before its first other sign, or 0.
int find_tab_indent(std::string_view text) {
  int line = 1;
  for (size_t begin = 0; begin < text.size(); ++line) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view indent =
        text.substr(begin, std::min(text.find_first_not_of(" \t", begin), end) - begin);
    if (indent.find('\t') != std::string_view::npos) return line;
    begin = end + 1;
  }
  return 0;
}

// A value stands in the line of its key where it has none of its own.
void add_lines(const YAML::Node& node, const std::string& path, int line,
               std::map<std::string, int, std::less<>>* lines, int depth = 0) {
  // Aliases may make a small text endless: what lies deeper or comes later is known by its whole.
  constexpr int kDeepest = 32;
  constexpr size_t kMost = 200000;
  if (depth > kDeepest || lines->size() > kMost) return;
  line = line_of(node, line);
  lines->emplace(path, line);
  const auto below = [&](const std::string& key) { return path.empty() ? key : path + "." + key; };
  if (node.IsSequence()) {
    for (size_t k = 0; k < node.size(); ++k)
      add_lines(node[k], below(fmt::format("{}", k)), line, lines, depth + 1);
  } else if (node.IsMap()) {
    for (const auto& entry : node) {
      if (!entry.first.IsScalar()) continue;
      add_lines(entry.second, below(entry.first.Scalar()), line_of(entry.first, line), lines,
                depth + 1);
    }
  }
}

std::string kind_of(const YAML::Node& node) {
  if (node.IsMap()) return "a mapping";
  if (node.IsSequence()) return "a list";
  if (node.IsScalar()) return fmt::format("'{}'", node.Scalar().substr(0, 60));
  return "nothing";
}

}  // namespace

InputFile InputFile::load(const std::string& path) {
  std::error_code code;
  if (std::filesystem::is_directory(path, code)) {
    throw FileError(fmt::format("{}: is a folder, not a YAML file", path));
  }
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw FileError(fmt::format("{}: cannot be opened; does the file exist?", path));
  if (const auto size = std::filesystem::file_size(path, code); !code && size > kMaxBytes) {
    throw InputError(
        fmt::format("{}: {} bytes; a YAML input is at most {}", path, size, kMaxBytes));
  }
  std::string text, block(std::size_t{1} << 16, '\0');
  while (stream.read(block.data(), static_cast<std::streamsize>(block.size())) ||
         stream.gcount() > 0) {
    text.append(block, 0, static_cast<std::size_t>(stream.gcount()));
  }
  if (stream.bad()) throw FileError(fmt::format("{}: reading failed", path));
  return parse(text, path);
}

namespace {

// Where documents begin. yaml-cpp takes a comma at the beginning for a document of no length, and
// then the next, without end.
class DocumentStarts : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark& mark) override {
    is_stuck_ = mark.pos == last_.pos && !is_first_;
    is_first_ = false;
    last_ = mark;
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t,
                const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}

  bool is_stuck() const { return is_stuck_; }
  int line() const { return last_.line + 1; }

 private:
  YAML::Mark last_;
  bool is_first_ = true, is_stuck_ = false;
};

void check_that_documents_end(const std::string& text, const std::string& name) {
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  DocumentStarts starts;
  while (parser.HandleNextDocument(starts)) {
    if (!starts.is_stuck()) continue;
    throw InputError(
        fmt::format("{}:{}: not valid YAML: found a ',' or another sign that no value "
                    "begins with",
                    name, starts.line()));
  }
}

}  // namespace

InputFile InputFile::parse(const std::string& text, const std::string& name) {
  // yaml-cpp does not come back from some texts with zero bytes in them.
  if (const std::size_t zero = text.find('\0'); zero != std::string::npos) {
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(zero);
    throw InputError(fmt::format("{}:{}: found a zero byte; expected text, saved as UTF-8", name,
                                 1 + std::count(text.begin(), end, '\n')));
  }
  auto content = std::make_shared<Content>();
  content->name = name;
  content->text = text;
  if (const int line = find_line_not_utf8(text)) {
    throw InputError(
        fmt::format("{}:{}: not a text in UTF-8; save the file in that encoding (or is it another "
                    "kind of file?)",
                    name, line));
  }
  try {
    check_that_documents_end(text, name);
    const std::vector<YAML::Node> documents = YAML::LoadAll(text);
    for (size_t k = 1; k < documents.size(); ++k) {
      if (documents[k].IsNull()) continue;  // a line --- at the end
      throw InputError(fmt::format(
          "{}:{}: a second document begins here; a file has one: take away what follows '---'",
          name, line_of(documents[k], 1)));
    }
    if (!documents.empty()) content->root = documents[0];
  } catch (const YAML::Exception& error) {
    if (const int line = find_tab_indent(text)) {
      throw InputError(fmt::format(
          "{}:{}: not valid YAML: the line begins with a tab; YAML is indented with blanks only",
          name, line));
    }
    throw InputError(
        fmt::format("{}:{}: not valid YAML: {}", name, error.mark.line + 1, error.msg));
  }
  if (!content->root.IsMap()) {
    throw InputError(fmt::format("{}:1: expected a mapping that starts with 'vesica: 1', found {}",
                                 name, kind_of(content->root)));
  }
  return InputFile(std::move(content));
}

InputNode InputFile::root() const { return InputNode(content_, content_->root, "", 1); }
const std::string& InputFile::name() const { return content_->name; }
std::string InputFile::dump() const {
  return !content_->settings.empty() ? YAML::Dump(content_->root) + "\n" : content_->text;
}
std::string InputFile::folder() const {
  return std::filesystem::path(content_->name).parent_path().string();
}

namespace {

// Where the next key of a path ends: at its first dot, unless a longer part of the path is a key of
// the mapping (names of markers have dots).
size_t find_end_of_key(const YAML::Node& node, std::string_view path) {
  const size_t first = path.find('.');
  if (!node.IsMap() || first == std::string_view::npos) return first;
  if (node[std::string(path)]) return std::string_view::npos;
  for (size_t dot = path.rfind('.'); dot > first; dot = path.rfind('.', dot - 1)) {
    if (node[std::string(path.substr(0, dot))]) return dot;
  }
  return first;
}

// The item of a list by its index, or by its name.
size_t find_item(const YAML::Node& list, const std::string& path, const std::string& key) {
  size_t index = 0;
  const auto [end, code] = std::from_chars(key.data(), key.data() + key.size(), index);
  if (code == std::errc() && end == key.data() + key.size() && index < list.size()) return index;
  std::vector<std::string> names;
  for (size_t k = 0; k < list.size(); ++k) {
    const YAML::Node item = list[k];
    if (!item.IsMap() || !item["name"] || !item["name"].IsScalar()) continue;
    names.push_back(item["name"].Scalar());
    if (names.back() == key) return k;
  }
  const std::string message =
      fmt::format("--set {}: '{}' is not an index of a list with {} items", path, key, list.size());
  if (names.empty()) throw InputError(message);
  throw InputError(fmt::format("{}, nor the name of one: {}", message,
                               suggest_word(key, {names.begin(), names.end()})));
}

// A misspelt name must not begin something new. Names of one's own (bodies) are given whole: half
// of a body is none.
void check_new_section(const YAML::Node& node, const std::string& path, const std::string& above,
                       const std::string& key, const std::string& file) {
  std::vector<std::string> keys;
  for (const auto& entry : node) {
    if (entry.first.IsScalar()) keys.push_back(entry.first.Scalar());
  }
  const std::vector<std::string_view> known(keys.begin(), keys.end());
  const std::string where = above.empty() ? file : fmt::format("{} of {}", above, file);
  if (above == "bodies" || above == "segments" || above == "markers") {
    throw InputError(
        fmt::format("--set {}: there is no '{}' in {}; {}; a new one is given whole, '{}.{}="
                    "{{...}}'",
                    path, key, where, suggest_word(key, known), above, key));
  }
  if (!find_nearest_word(key, known).empty()) {
    throw InputError(fmt::format("--set {}: there is no '{}' in {}; {}", path, key, where,
                                 suggest_word(key, known)));
  }
}

// Of a key that the file leaves out, which ends at `end` of the path: an item of it stands nowhere.
void expect_no_index(const std::string& path, size_t end, const std::string& file) {
  const std::string next = path.substr(end + 1, path.find('.', end + 1) - end - 1);
  if (next.empty() || next.find_first_not_of("0123456789") != std::string::npos) return;
  throw InputError(
      fmt::format("--set {0}: {1} has no {2}, so that there is no item {3} to change; "
                  "give the whole list: --set '{2}=[...]'",
                  path, file, path.substr(0, end), next));
}

// What stands at a place differs from file to file: another type there is a mistaken place.
void check_same_type(const YAML::Node& item, const YAML::Node& value, const std::string& path) {
  const auto read = [](const YAML::Node& node, const char* key) {
    return node.IsMap() && node[key] && node[key].IsScalar() ? node[key].Scalar() : std::string();
  };
  const std::string was = read(item, "type"), type = read(value, "type"), name = read(item, "name");
  if (was.empty() || type.empty() || was == type) return;
  throw InputError(
      fmt::format("--set {}: there is the {}{} and no {}; items that have a name are found by it, "
                  "wherever they "
                  "stand{}",
                  path, was, name.empty() ? "" : fmt::format(" '{}'", name), type,
                  name.empty() ? ""
                               : fmt::format(": to replace this one write {}.{}",
                                             path.substr(0, path.rfind('.')), name)));
}

}  // namespace

void InputFile::set(const std::string& path, const std::string& value) {
  YAML::Node new_value;
  try {
    new_value = YAML::Load(value);
  } catch (const YAML::Exception& error) {
    throw InputError(fmt::format("--set {}={}: not valid YAML: {}", path, value, error.msg));
  }
  std::string plain;  // with indices of items where the path has their names
  YAML::Node node = content_->root;
  std::string_view rest = path;
  while (true) {
    const size_t dot = find_end_of_key(node, rest);
    std::string key(rest.substr(0, dot));
    if (key.empty()) throw InputError(fmt::format("--set {}: a part of the path is empty", path));
    const bool is_list = node.IsSequence();
    const size_t index = is_list ? find_item(node, path, key) : 0;
    const bool is_by_position = is_list && key == std::to_string(index);
    if (is_list) key = std::to_string(index);
    plain += (plain.empty() ? "" : ".") + key;
    if (!is_list && !node.IsMap() && !node.IsNull()) {
      throw InputError(fmt::format("--set {}: '{}' lies below a plain value", path, key));
    }
    if (dot == std::string_view::npos) {
      if (is_list) {
        if (is_by_position) check_same_type(node[index], new_value, path);
        node[index] = new_value;
      } else {
        node[key] = new_value;
      }
      content_->settings.push_back(plain);
      return;
    }
    if (node.IsMap() && !node[key]) {
      // A section that the file leaves out begins here: its reader knows which there are.
      const std::string above = path.substr(0, path.size() - rest.size());
      expect_no_index(path, path.size() - rest.size() + key.size(), content_->name);
      check_new_section(node, path, above.substr(0, above.find_last_not_of('.') + 1), key,
                        content_->name);
      node[key] = YAML::Node(YAML::NodeType::Map);
    }
    if (is_list) {
      node.reset(node[index]);
    } else {
      node.reset(node[key]);
    }
    rest.remove_prefix(dot + 1);
  }
}

std::map<std::string, int, std::less<>> InputFile::lines() const {
  std::map<std::string, int, std::less<>> lines;
  add_lines(content_->root, "", 1, &lines);
  for (auto& [path, line] : lines) {
    if (content_->is_setting(path)) line = 0;
  }
  return lines;
}

InputNode::InputNode(std::shared_ptr<InputFile::Content> content, const YAML::Node& node,
                     std::string path, int line)
    : content_(std::move(content)),
      node_(std::make_shared<YAML::Node>(node)),
      path_(std::move(path)),
      line_(line_of(node, line)) {}

bool InputNode::is_map() const { return node_->IsMap(); }
bool InputNode::is_list() const { return node_->IsSequence(); }
bool InputNode::is_scalar() const { return node_->IsScalar(); }

std::string InputNode::place() const {
  if (content_->is_setting(path_)) return fmt::format("{} (--set): {}", content_->name, path_);
  return fmt::format("{}:{}: {}", content_->name, line_, path_.empty() ? "(top level)" : path_);
}

void InputNode::fail(const std::string& message) const {
  throw InputError(fmt::format("{}: {}", place(), message));
}

void InputNode::expect_map() const {
  if (!node_->IsMap())
    fail(fmt::format("expected a mapping (key: value), found {}", kind_of(*node_)));
}

InputNode InputNode::at(const std::string& key) const {
  if (auto child = find(key)) return *child;
  fail(fmt::format("the key '{}' is missing", key));
}

std::optional<InputNode> InputNode::find(const std::string& key) const {
  expect_map();
  const YAML::Node child = std::as_const(*node_)[key];
  if (!child.IsDefined()) return std::nullopt;
  return InputNode(content_, child, path_.empty() ? key : path_ + "." + key, line_);
}

void InputNode::allow(std::initializer_list<std::string_view> keys) const {
  allow(std::vector<std::string_view>(keys));
}

void InputNode::allow(const std::vector<std::string_view>& keys) const {
  expect_map();
  std::set<std::string> seen;
  for (const auto& entry : *node_) {
    const int line = line_of(entry.first, line_);
    const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : "";
    const bool is_set = content_->is_setting(path_.empty() ? key : path_ + "." + key);
    const std::string where =
        fmt::format("{}{}: {}", content_->name, is_set ? " (--set)" : fmt::format(":{}", line),
                    path_.empty() ? "(top level)" : path_);
    if (!entry.first.IsScalar()) throw InputError(where + ": a key must be a word");
    if (!seen.insert(key).second) {
      throw InputError(fmt::format("{}: the key '{}' appears twice", where, key));
    }
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
      throw InputError(fmt::format("{}: unknown key '{}'; {}", where, key.substr(0, 60),
                                   suggest_word(key, keys)));
    }
  }
}

std::vector<std::pair<std::string, InputNode>> InputNode::entries() const {
  expect_map();
  std::vector<std::pair<std::string, InputNode>> result;
  std::set<std::string> seen;
  for (const auto& entry : *node_) {
    if (!entry.first.IsScalar()) fail("a key must be a word");
    const std::string key = entry.first.Scalar();
    if (!seen.insert(key).second) fail(fmt::format("the key '{}' appears twice", key));
    result.emplace_back(key,
                        InputNode(content_, entry.second, path_.empty() ? key : path_ + "." + key,
                                  line_of(entry.first, line_)));
  }
  return result;
}

size_t InputNode::size() const {
  if (!node_->IsSequence()) fail(fmt::format("expected a list, found {}", kind_of(*node_)));
  return node_->size();
}

void InputNode::expect_list(size_t length) const {
  if (size() != length) fail(fmt::format("expected a list of {}, found {}", length, size()));
}

InputNode InputNode::at(size_t index) const {
  return InputNode(content_, std::as_const(*node_)[index], fmt::format("{}.{}", path_, index),
                   line_);
}

std::vector<InputNode> InputNode::items() const {
  std::vector<InputNode> result;
  const size_t count = size();
  for (size_t k = 0; k < count; ++k) result.push_back(at(k));
  return result;
}

double InputNode::number(const Dimension& dimension) const {
  if (!node_->IsScalar()) {
    fail(fmt::format("expected a number [{}], found {}", dimension.unit, kind_of(*node_)));
  }
  try {
    return parse_quantity(node_->Scalar(), dimension);
  } catch (const InputError& error) {
    fail(error.what());
  }
}

double InputNode::positive(const Dimension& dimension) const {
  const double value = number(dimension);
  if (!(value > 0)) fail(fmt::format("must be greater than zero, found {}", value));
  return value;
}

double InputNode::non_negative(const Dimension& dimension) const {
  const double value = number(dimension);
  if (!(value >= 0)) fail(fmt::format("must not be negative, found {}", value));
  return value;
}

int InputNode::integer(int low, int high) const {
  const double value = number(dimension::kNumber);
  if (value != std::floor(value) || value < low || value > high) {
    fail(fmt::format("expected a whole number from {} to {}, found {}", low, high, value));
  }
  return static_cast<int>(value);
}

bool InputNode::flag() const { return choice({"false", "true"}) == 1; }

std::string InputNode::text() const {
  if (!node_->IsScalar()) fail(fmt::format("expected a word, found {}", kind_of(*node_)));
  return node_->Scalar();
}

size_t InputNode::choice(const std::vector<std::string_view>& words) const {
  const std::string word = text();
  const auto found = std::find(words.begin(), words.end(), word);
  if (found == words.end()) {
    fail(say_unknown(word, words));
  }
  return static_cast<size_t>(found - words.begin());
}

Vec3d InputNode::vector(const Dimension& dimension) const {
  expect_list(3);
  return {at(size_t{0}).number(dimension), at(1).number(dimension), at(2).number(dimension)};
}

std::string InputNode::dump() const {
  YAML::Emitter out;
  out.SetMapFormat(YAML::Flow);
  out.SetSeqFormat(YAML::Flow);
  out << *node_;
  return out.c_str();
}

}  // namespace vesica
