/* SPDX-License-Identifier: Apache-2.0 */
/* What a model can do over a fleet: what jobs may do, and what is answered here. Nothing is done on this
 * machine instead. */
#include "server/mcp/offer.h"

#include <string.h>

#include "base/str.h"
#include "fleet/agent/allowed.h"

/* The history of whichever node is free tells a model nothing. */
#define NOT_OFFERED "run.history"
/* Beside those that jobs may use: forward_here.c. */
static const struct allowed_operation answered_here[] = {
	{ "ps", "run.ls", "" },
	{ "wait", "run.wait", "run|timeout|output" },
	{ NULL, NULL, NULL },
};

static const struct allowed_operation *find_in(const struct allowed_operation *row, const struct op *op)
{
	while (row->name && strcmp(row->name, op->name) != 0)
		row++;
	return row->name ? row : NULL;
}

static const struct allowed_operation *find(const struct op *op)
{
	const struct allowed_operation *row = find_in(answered_here, op);

	return row ? row : find_in(allowed_operations, op);
}

bool offer_op(const struct op *op)
{
	return op->method && !str_is_one_of(op->method, NOT_OFFERED) && find(op);
}

bool offer_param(const struct op *op, const struct op_param *p)
{
	const struct allowed_operation *row = find(op);

	/* The values of a secret are given by the command line of 'run' alone. */
	return row && strcmp(p->name, "secret") != 0 && str_is_one_of(p->name, row->arguments);
}

const char *offer_brief(const struct op *op)
{
	static const struct {
		const struct op *op;
		const char *brief;
	} briefs[] = {
		{ &op_create, "Make a box on a node: a clone of that machine that keeps its changes. Its "
			      "project is an empty "
			      "directory. Write and run in it with the other tools. Returns its name." },
		{ &op_run, "Run a command in a sandbox on a node: a clone of that machine with an empty "
			   "project, without "
			   "network. With 'box' the changes stay in that box for later calls; without, they "
			   "are discarded. "
			   "A long run is answered with status \"running\" and goes on: see sandbox_wait." },
		{ &op_diff, "Show what a box changed, or how two boxes or snapshots of one node differ." },
		{ &op_rm, "Remove boxes of one node with all their changes and snapshots." },
		{ &op_try,
		  "Try several shell commands at once on a node, each in its own copy of the box; keep the "
		  "one whose "
		  "tests pass (the fastest of several). Returns the result of each and the winner's box." },
		{ &op_wait,
		  "Wait for a run that goes on (its status was \"running\") and get its output and exit "
		  "code. "
		  "Returns after 40 s at most: if it is still running, do something else or call again." },
	};

	for (size_t i = 0; i < sizeof(briefs) / sizeof(briefs[0]); i++)
		if (briefs[i].op == op)
			return briefs[i].brief;
	return op->brief ? op->brief : op->summary;
}

const char offer_instructions[] = "Boxes are clones of other machines, the nodes of a fleet, with walls "
				  "around them: a command in a box cannot "
				  "change, delete or leak anything outside. They have no files of the "
				  "person's machine: write or fetch what is "
				  "needed. A box stays on the node where it was made, and calls for it go "
				  "there; 'node' of a result names it. If "
				  "two nodes have a box of that name, write node=NODE/BOX. Make a box, write "
				  "files and run commands in it, take "
				  "snapshots, roll back, fork it to try several ideas.";
