// summary.json: what a run found, in figures.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "vesica/simulation/simulate.h"

namespace vesica {

nlohmann::ordered_json make_summary(const System<double>& system, const RunOptions& options,
                                    const RunResult& result);

// The ledger of a summary as a table that adds up, for terminal and page. Every row: start + change
// = end. The parts add up to the sum, the causes (no start, no end) to its change. Rows that are
// zero are left out, but for kinetic, sum and residual. NaN where the summary has no number.
struct LedgerRow {
  std::string name;
  double start = 0, change = 0, end = 0;
};
struct LedgerTable {
  std::vector<LedgerRow> parts;
  LedgerRow sum;
  std::vector<LedgerRow> causes;  // none without a ledger
};
LedgerTable make_ledger_table(const nlohmann::ordered_json& energy);

}  // namespace vesica
