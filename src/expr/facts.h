/* SPDX-License-Identifier: Apache-2.0 */
/* The facts that expressions can use: name, type, description. One list, for evaluation and for help. */
#ifndef EXPR_FACTS_H
#define EXPR_FACTS_H

/* clang-format off */
#define EXPR_FACTS(X) \
	X("tests", RESULT, "whether the project's tests pass; none: aisbx found no tests") \
	X("tests.passed", NUMBER, \
	  "tests that passed, from the runner's output; known if it exited with 0") \
	X("tests.failed", NUMBER, "tests that failed") \
	X("tests.skipped", NUMBER, "tests that were skipped") \
	X("build", RESULT, "whether the project builds") \
	X("lint", RESULT, "whether its linter passes") \
	X("format", RESULT, "whether its formatter passes") \
	X("bench", RESULT, "whether its benchmarks pass") \
	X("risk", LEVEL, "the highest risk found by a scan of the changed files") \
	X("risk.findings", NUMBER, "number of findings") \
	X("changes", NUMBER, "changed paths") \
	X("changes.created", NUMBER, "new paths") \
	X("changes.modified", NUMBER, "files with different content") \
	X("changes.deleted", NUMBER, "deleted paths") \
	X("changes.replaced", NUMBER, \
	  "paths that have another type now, or directories that replaced others") \
	X("changes.mode", NUMBER, "paths with changed permissions or owner only") \
	X("changes.lines-added", NUMBER, "added lines of text") \
	X("changes.lines-removed", NUMBER, "removed lines of text") \
	X("changed", PATHS, "changed(\"PATTERN\") holds if a changed path matches") \
	X("traps", NUMBER, \
	  "changes that would make the person's own tools run something: hooks, build files, gates") \
	X("conflicts", NUMBER, "changes that conflict with changes in the person's directory") \
	X("secrets", NUMBER, "changed files that contain a secret that was given to the box") \
	X("stale", NUMBER, "files of which the box has an older version than the person") \
	X("drift", NUMBER, \
	  "files of the person's directory that changed outside since the box was made") \
	X("violations", NUMBER, "what commands tried and a wall refused") \
	X("violations.network", NUMBER, "violations that tried to reach a host without a rule") \
	X("no-violations", BOOL, "there were no violations") \
	X("no-network-violations", BOOL, "no attempt to reach a network that is not allowed") \
	X("net.hosts", PATHS, "net.hosts(\"PATTERN\") holds if a host that was reached matches") \
	X("net.hosts.count", NUMBER, "hosts that were reached") \
	X("net.sent", SIZE, "bytes that were sent to them, of all runs together") \
	X("net.received", SIZE, "bytes that they sent") \
	X("limits", NUMBER, "runs that a limit ended") \
	X("usage.mem_peak", SIZE, "peak memory, of the run with the most") \
	X("usage.disk", SIZE, "bytes written to disk, of the run with the most") \
	X("usage.cpu", TIME, "processor time of all runs together") \
	X("usage.wall", TIME, "clock time of all runs together") \
	X("usage.pids_peak", NUMBER, "processes at once, of the run with the most") \
	X("runs", NUMBER, "commands that were run") \
	X("score", NUMBER, "score that a command prints as JSON: {\"score\": 12.5}")
/* clang-format on */

#endif
