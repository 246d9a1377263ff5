#include "vesica/motion/exchanged_labels.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "vesica/math/parallel.h"

namespace vesica {
namespace {

constexpr int kBridge = 3;  // frames

std::vector<int> make_identity(int markers) {
  std::vector<int> order(markers);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

MarkerFault make_exchange(const std::vector<int>& order, int frame, double misfit) {
  MarkerFault fault;
  for (int i = 0; i < static_cast<int>(order.size()); ++i) {
    if (order[i] != i) fault.markers.push_back(i);
  }
  fault.kind = fault.markers.size() == 2 ? MarkerFaultKind::kSwap : MarkerFaultKind::kFlip;
  fault.first_frame = frame;
  fault.size = misfit;
  return fault;
}

}  // namespace

std::vector<std::vector<int>> list_permutations(int markers) {
  std::vector<std::vector<int>> orders;
  std::vector<int> order = make_identity(markers);
  while (std::next_permutation(order.begin(), order.end())) orders.push_back(order);
  return orders;
}

std::vector<std::vector<int>> list_exchanges(int markers) {
  std::vector<std::vector<int>> orders;
  for (int a = 0; a < markers; ++a) {
    for (int b = 0; b < a; ++b) {
      std::vector<int>& order = orders.emplace_back(make_identity(markers));
      std::swap(order[a], order[b]);
    }
  }
  return orders;
}

std::vector<MarkerFault> find_exchanged_labels(const LabelFit& fit,
                                               std::span<const std::vector<int>> orders,
                                               const ExchangeOptions& options) {
  std::vector<MarkerFault> faults;
  std::vector<int> open;           // the exchange that goes on; empty if none
  int last = 0, right_again = -1;  // its last frame so far, and the first one after that
  int searches = 0;
  const auto close = [&](int end) {
    if (open.empty()) return;
    if (right_again >= 0) end = right_again;
    faults.back().frames = end - faults.back().first_frame;
    faults.back().comes_back = end < fit.frames;
    open.clear();
  };
  std::vector<double> misfits(orders.size());
  const auto find_order = [&](int k, double wanted) {
    for_each_index(static_cast<int>(orders.size()), options.threads,
                   [&](int i, int worker) { misfits[i] = fit.relabelled(k, orders[i], worker); });
    std::vector<int> best;
    for (size_t i = 0; i < orders.size(); ++i) {
      if (!(misfits[i] < wanted)) continue;
      wanted = misfits[i];
      best = orders[i];
    }
    return best;
  };
  for (int k = 0; k < fit.frames; ++k) {
    const double misfit = fit.as_labelled(k);
    if (std::isnan(misfit)) continue;
    std::vector<int> order;
    if (misfit > options.limit) {
      const double wanted = options.share * misfit;
      if (!open.empty() && fit.relabelled(k, open, 0) < wanted) {
        order = open;
      } else if (++searches > options.most_searches) {
        close(k);
        return faults;
      } else {
        order = find_order(k, wanted);
      }
    }
    if (!open.empty() && order == open) {
      last = k;
      right_again = -1;
      continue;
    }
    if (!open.empty() && right_again < 0) right_again = k;
    if (order.empty() && k - last < kBridge) continue;
    close(k);
    if (order.empty()) continue;
    faults.push_back(make_exchange(order, k, misfit));
    open = order;
    last = k;
    right_again = -1;
  }
  close(fit.frames);
  return faults;
}

}  // namespace vesica
