#!/usr/bin/env bash
# sbatch studies/slurm_array.sh STUDY.yaml [OUT]
# A study as a job array: tasks share nothing but the folder, each takes what is left. Tasks that are
# killed, or never start, cost nothing but time: submit it again, and it goes on.
#SBATCH --job-name=vesica-study
#SBATCH --array=1-32
#SBATCH --cpus-per-task=4
#SBATCH --time=04:00:00
#SBATCH --signal=TERM@30
set -euo pipefail
study=$1
out=${2:-out/$(basename "$study" .yaml)}
exec vesica study "$study" --out "$out" --threads "${SLURM_CPUS_PER_TASK:-1}" --leave --quiet
