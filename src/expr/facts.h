/* SPDX-License-Identifier: Apache-2.0 */
/* The facts that expressions can ask for: name, type, what it is. One list, for those who judge
 * and for help. */
#ifndef EXPR_FACTS_H
#define EXPR_FACTS_H

/* clang-format off */
#define EXPR_FACTS(X) \
	X("tests", RESULT, "whether the project's tests pass; none: it has none that aisbx knows") \
	X("tests.passed", NUMBER, \
	  "tests that passed, by what their runner wrote; known if it exited with 0") \
	X("tests.failed", NUMBER, "tests that failed") \
	X("tests.skipped", NUMBER, "tests that were skipped") \
	X("build", RESULT, "whether the project builds") \
	X("lint", RESULT, "whether its linter is content") \
	X("format", RESULT, "whether its formatter ends well") \
	X("bench", RESULT, "whether its benchmarks end well") \
	X("risk", LEVEL, "the worst that a scan of the changed files finds") \
	X("risk.findings", NUMBER, "how much it finds") \
	X("changes", NUMBER, "changed paths, all of them") \
	X("changes.created", NUMBER, "paths that are new") \
	X("changes.modified", NUMBER, "files with another content") \
	X("changes.deleted", NUMBER, "paths that are gone") \
	X("changes.replaced", NUMBER, \
	  "paths that are of another kind now, or directories put in the place of others") \
	X("changes.mode", NUMBER, "paths of which only permissions or owner changed") \
	X("changes.lines-added", NUMBER, "lines of text that are new") \
	X("changes.lines-removed", NUMBER, "lines of text that are gone") \
	X("changed", PATHS, "changed(\"PATTERN\") holds when a changed path fits") \
	X("traps", NUMBER, \
	  "changes that would make the person's own tools run something: hooks, build files, gates") \
	X("conflicts", NUMBER, "changes that meet others in the person's directory") \
	X("secrets", NUMBER, "changed files that hold a secret the box was given") \
	X("stale", NUMBER, "files the box has from an earlier time than the person") \
	X("drift", NUMBER, \
	  "files of the person's directory that changed outside since the box was made") \
	X("violations", NUMBER, "what commands tried and a wall refused") \
	X("violations.network", NUMBER, "those that tried to reach a network") \
	X("no-violations", BOOL, "there was none") \
	X("no-network-violations", BOOL, "nobody tried to reach a network") \
	X("limits", NUMBER, "runs that a limit stopped") \
	X("usage.mem_peak", SIZE, "memory, of the run with the most") \
	X("usage.disk", SIZE, "what was written to disk, of the run with the most") \
	X("usage.cpu", TIME, "time of processors, of all runs together") \
	X("usage.wall", TIME, "time on the clock, of all runs together") \
	X("usage.pids_peak", NUMBER, "processes at once, of the run with the most") \
	X("runs", NUMBER, "commands that were run") \
	X("score", NUMBER, "what a command says as JSON: {\"score\": 12.5}")
/* clang-format on */

#endif
