#include "vesica/model/seeds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <utility>

namespace vesica {
namespace {

// What a model says, field by field: the same `describe` that wrote it down reads it into a model
// on another scalar, in the same order.
struct Tape {
  std::deque<double> numbers;  // also flags, words and counts
  std::deque<int> directions;  // of the derivative of each number that can carry one; -1: none
  std::deque<std::string> texts;
};

class TapeWriter final : public Fields<double> {
 public:
  TapeWriter(const Places& places, std::vector<std::string> seeds)
      : places_(places), seeds_(std::move(seeds)), found_(seeds_.size(), false) {}

  Tape& tape() { return tape_; }
  std::vector<PathOfNumber>& numbers_seen() { return seen_; }

  // Items of lists that have a name go by it too: "forces.LCL.slack_length".
  void find_named_seeds() {
    for (size_t k = 0; k < seeds_.size(); ++k) {
      for (const auto& [name, index] : named_) {
        if (found_[k] || !seeds_[k].starts_with(name + ".")) continue;
        const std::string path = index + seeds_[k].substr(name.size());
        const auto at = std::find_if(seen_.begin(), seen_.end(),
                                     [&](const PathOfNumber& n) { return n.path == path; });
        if (at == seen_.end()) continue;
        // Directions are in the order of the numbers.
        int& direction = tape_.directions[static_cast<size_t>(at - seen_.begin())];
        if (direction >= 0) {
          throw InputError(fmt::format("--sensitivity {}: is the number that {} names too",
                                       seeds_[k], seeds_[static_cast<size_t>(direction)]));
        }
        direction = static_cast<int>(k);
        found_[k] = true;
      }
    }
  }

  // A number that is there, but by which nothing can be differentiated, or one that is not there.
  void check_seeds() const {
    for (size_t k = 0; k < seeds_.size(); ++k) {
      if (found_[k]) continue;
      const std::string file = places_.file().empty() ? "the model" : places_.file();
      if (std::find(plain_.begin(), plain_.end(), seeds_[k]) != plain_.end()) {
        throw InputError(fmt::format(
            "--sensitivity {}: {} has this number, but derivatives by it are not available: the "
            "motion does not depend on it, or it is one of the sizes of solids, vertices, times of "
            "switching, values that an equilibrium holds, settings of solver and output; use "
            "differences of runs",
            seeds_[k], file));
      }
      throw InputError(
          fmt::format("--sensitivity {}: {} has no number at that path (lists count from 0: "
                      "bodies.ball.pose.position.2)",
                      seeds_[k], file));
    }
  }

  using Fields<double>::number;
  void number(const Field& field, double* x) override { put(field, path(field.key), *x); }
  void list(const Field& field, double* first, size_t count) override {
    for (size_t k = 0; k < count; ++k) {
      put(field, join_path(path(field.key), std::to_string(k)), first[k]);
    }
  }
  void numbers(const Field& field, std::vector<double>* x) override {
    tape_.numbers.push_back(static_cast<double>(x->size()));
    list(field, x->data(), x->size());
  }
  void flag(const Field&, bool* x) override { tape_.numbers.push_back(*x ? 1 : 0); }
  void integer(const Field& field, int low, int high, int* x) override {
    if (*x < low || *x > high) {
      fail(field.key,
           fmt::format("expected a whole number from {} to {}, found {}", low, high, *x));
    }
    tape_.numbers.push_back(*x);
    if (!seeds_.empty()) plain_.push_back(path(field.key));
  }
  void word(const Field& field, const Words& words, size_t* index) override {
    if (*index >= words.size()) fail(field.key, "is none of the words that are known here");
    tape_.numbers.push_back(static_cast<double>(*index));
  }
  void text(const Field& field, std::string* x) override {
    if (field.key == "name" && !seeds_.empty()) name_item(*x);
    tape_.texts.push_back(*x);
  }
  void texts(const Field&, std::vector<std::string>* x) override {
    tape_.numbers.push_back(static_cast<double>(x->size()));
    tape_.texts.insert(tape_.texts.end(), x->begin(), x->end());
  }
  bool has(std::string_view, bool now) override { return put_answer(now); }
  bool is_list(std::string_view, bool now) override { return put_answer(now); }
  bool is_map(std::string_view, bool now) override { return put_answer(now); }
  void below(std::string_view key, const Content& content) override {
    paths_.push_back(path(key));
    content();
    paths_.pop_back();
  }
  void items(std::string_view key, size_t* count, const Item& item) override {
    tape_.numbers.push_back(static_cast<double>(*count));
    for (size_t k = 0; k < *count; ++k) {
      paths_.push_back(join_path(path(key), std::to_string(k)));
      item(k);
      paths_.pop_back();
    }
  }
  void entries(std::string_view key, std::vector<std::string>* names, const Item& item) override {
    texts({}, names);
    for (size_t k = 0; k < names->size(); ++k) {
      const auto begin = names->begin(), here = begin + static_cast<std::ptrdiff_t>(k);
      if (std::find(begin, here, *here) != here) {
        fail(key, fmt::format("the name '{}' is given twice", *here));
      }
      paths_.push_back(join_path(path(key), *here));
      item(k);
      paths_.pop_back();
    }
  }
  void plain(const std::function<void(Fields<double>&)>& content) override {
    const bool outside = is_plain_;
    is_plain_ = true;
    content(*this);
    is_plain_ = outside;
  }
  void fail(std::string_view key, const std::string& message) override {
    places_.fail(path(key), message);
  }

 private:
  std::string path(std::string_view key) const { return join_path(paths_.back(), key); }

  // The item of a list that is being written has a name.
  void name_item(const std::string& name) {
    const std::string& here = paths_.back();
    const size_t dot = here.rfind('.');
    if (dot == std::string::npos ||
        here.find_first_not_of("0123456789", dot + 1) != std::string::npos) {
      return;
    }
    named_.emplace_back(here.substr(0, dot + 1) + name, here);
  }

  bool put_answer(bool now) {
    tape_.numbers.push_back(now ? 1 : 0);
    return now;
  }

  void put(const Field& field, const std::string& path, double x) {
    if (!std::isfinite(x)) places_.fail(path, fmt::format("must be finite, found {}", x));
    if (field.rule == Rule::kPositive && !(x > 0)) {
      places_.fail(path, fmt::format("must be greater than zero, found {}", x));
    }
    if (field.rule == Rule::kNonNegative && !(x >= 0)) {
      places_.fail(path, fmt::format("must not be negative, found {}", x));
    }
    tape_.numbers.push_back(x);
    if (is_plain_) {
      if (!seeds_.empty()) plain_.push_back(path);
      return;
    }
    int direction = -1;
    for (size_t k = 0; k < seeds_.size(); ++k) {
      if (seeds_[k] != path) continue;
      found_[k] = true;
      direction = static_cast<int>(k);
    }
    tape_.directions.push_back(direction);
    seen_.push_back({path, x, field.dimension});
  }

  const Places& places_;
  std::vector<std::string> seeds_;
  std::vector<bool> found_;
  std::vector<std::string> plain_;
  std::vector<PathOfNumber> seen_;
  std::vector<std::string> paths_{""};
  std::vector<std::pair<std::string, std::string>> named_;  // items by name, by index
  bool is_plain_ = false;
  Tape tape_;
};

template <class T>
class TapeReader final : public Fields<T> {
 public:
  using Content = typename Fields<T>::Content;
  using Item = typename Fields<T>::Item;

  TapeReader(Tape* tape, bool is_plain) : tape_(tape), is_plain_(is_plain) {}

  using Fields<T>::number;
  void number(const Field&, T* x) override { *x = take(); }
  void list(const Field&, T* first, size_t count) override {
    for (size_t k = 0; k < count; ++k) first[k] = take();
  }
  void numbers(const Field&, std::vector<T>* x) override {
    x->resize(take_count());
    for (T& v : *x) v = take();
  }
  void flag(const Field&, bool* x) override { *x = take_count() != 0; }
  void integer(const Field&, int, int, int* x) override { *x = static_cast<int>(take_plain()); }
  void word(const Field&, const Words&, size_t* index) override { *index = take_count(); }
  void text(const Field&, std::string* x) override { *x = take_text(); }
  void texts(const Field&, std::vector<std::string>* x) override {
    x->resize(take_count());
    for (std::string& text : *x) text = take_text();
  }
  bool has(std::string_view, bool) override { return take_count() != 0; }
  bool is_list(std::string_view, bool) override { return take_count() != 0; }
  bool is_map(std::string_view, bool) override { return take_count() != 0; }
  void below(std::string_view, const Content& content) override { content(); }
  void items(std::string_view, size_t* count, const Item& item) override {
    *count = take_count();
    for (size_t k = 0; k < *count; ++k) item(k);
  }
  void entries(std::string_view, std::vector<std::string>* names, const Item& item) override {
    texts({}, names);
    for (size_t k = 0; k < names->size(); ++k) item(k);
  }
  void plain(const std::function<void(Fields<double>&)>& content) override {
    TapeReader<double> reader(tape_, true);
    content(reader);
  }
  void fail(std::string_view, const std::string& message) override {
    throw InputError(message);  // the plain model has passed this
  }

 private:
  double take_plain() {
    const double x = tape_->numbers.front();
    tape_->numbers.pop_front();
    return x;
  }
  size_t take_count() { return static_cast<size_t>(take_plain()); }
  std::string take_text() {
    std::string text = std::move(tape_->texts.front());
    tape_->texts.pop_front();
    return text;
  }
  T take() {
    T x(take_plain());
    if (is_plain_) return x;
    const int direction = tape_->directions.front();
    tape_->directions.pop_front();
    if constexpr (ScalarTraits<T>::kDerivatives > 0) {
      if (direction >= 0 && direction < ScalarTraits<T>::kDerivatives) x.v[direction] = 1.0;
    }
    return x;
  }

  Tape* tape_;
  bool is_plain_;
};

template <class T, class Plain, class Seeded>
Seeded seed(const Plain& model, const std::vector<std::string>& seeds) {
  for (size_t k = 0; k < seeds.size(); ++k) {
    const auto here = seeds.begin() + static_cast<std::ptrdiff_t>(k);
    if (std::find(seeds.begin(), here, *here) != here) {
      throw InputError(fmt::format("--sensitivity {} is given twice", *here));
    }
  }
  if (seeds.size() > static_cast<size_t>(ScalarTraits<T>::kDerivatives)) {
    throw InputError(fmt::format("{} numbers are to carry derivatives, where there is room for {}",
                                 seeds.size(), ScalarTraits<T>::kDerivatives));
  }
  TapeWriter writer(*model.places, seeds);
  Plain copy = model;  // describe() sees every field as one that may be set
  copy.describe(writer);
  writer.find_named_seeds();
  writer.check_seeds();
  Seeded seeded;
  TapeReader<T> reader(&writer.tape(), false);
  seeded.describe(reader);
  seeded.places = model.places;
  return seeded;
}

}  // namespace

void check_model(const Model& model) { with_seeds<double>(model, {}); }
void check_model(const Case& model) { with_seeds<double>(model, {}); }

std::vector<PathOfNumber> list_numbers(const Model& model) {
  TapeWriter writer(*model.places, {});
  Model copy = model;
  copy.describe(writer);
  return std::move(writer.numbers_seen());
}

template <class T>
ModelOf<T> with_seeds(const Model& model, const std::vector<std::string>& seeds) {
  return seed<T, Model, ModelOf<T>>(model, seeds);
}
template <class T>
CaseOf<T> with_seeds(const Case& model, const std::vector<std::string>& seeds) {
  return seed<T, Case, CaseOf<T>>(model, seeds);
}

#define VESICA_INSTANTIATE(T)                                                       \
  template ModelOf<T> with_seeds<T>(const Model&, const std::vector<std::string>&); \
  template CaseOf<T> with_seeds<T>(const Case&, const std::vector<std::string>&);
VESICA_INSTANTIATE(double)
VESICA_INSTANTIATE(Dual<4>)
VESICA_INSTANTIATE(Dual<12>)
#undef VESICA_INSTANTIATE

}  // namespace vesica
