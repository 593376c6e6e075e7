/* SPDX-License-Identifier: Apache-2.0 */
/* On this machine every operation can be done. */
#include "server/mcp/offer.h"

bool offer_op(const struct op *op)
{
	(void)op;
	return true;
}

bool offer_param(const struct op *op, const struct op_param *p)
{
	(void)op, (void)p;
	return true;
}

const char *offer_brief(const struct op *op)
{
	return op->brief ? op->brief : op->summary;
}

const char offer_instructions[] =
	"Boxes are clones of this machine with walls around them: a command in a box cannot change, delete "
	"or leak "
	"anything outside. Make a box, write files and run commands in it, take snapshots, roll back, fork "
	"it to try "
	"several ideas; look at the diff, and promote only what should really change the person's files.";
