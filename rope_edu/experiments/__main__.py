"""Run experiments and store what they found in the package.

python -m rope_edu.experiments             list them
python -m rope_edu.experiments order base  run these two, store the results
python -m rope_edu.experiments all         run all of them: half an hour
"""

import argparse
import sys
from pathlib import Path

from rope_edu.experiments.runs import RUNS, run, run_slice, save


def _listed():
    for name, (experiment, _) in RUNS.items():
        yield f"{name:18}{experiment.__doc__.splitlines()[0]}"


def _show(name):
    return lambda text: print(
        f"\r{name}: {text:50}", end="", file=sys.stderr, flush=True
    )


def main(arguments=None):
    """Run the command line.

    Parameters
    ----------
    arguments : list of str, optional
        By default those of the process.

    Examples
    --------
    >>> main([])
    order             Learn ``CLS A verb B -> A`` with each encoding.
    ...
    """
    parser = argparse.ArgumentParser("python -m rope_edu.experiments")
    parser.add_argument("names", nargs="*", help="without one, list them")
    parser.add_argument("--folder", help="where the results are stored")
    given = parser.parse_args(arguments)
    for name in {*given.names} - {*RUNS, "all"}:
        parser.error(f"a name must be all or {', '.join(RUNS)}, got {name}")
    # Told now, not after the half hour that it takes to have results.
    if given.folder is not None and not Path(given.folder).is_dir():
        parser.error(f"--folder must be there, got {given.folder!r}")
    if not given.names:
        print(*_listed(), sep="\n")
    for name in RUNS if "all" in given.names else given.names:
        whole, small = run(name, _show(name)), run_slice(name)
        print(f"\r{name}: {save(whole, small, given.folder)}" + " " * 40)


if __name__ == "__main__":
    main()
