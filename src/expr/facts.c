/* SPDX-License-Identifier: Apache-2.0 */
/* The table of facts, and finding one by its name. */
#include <string.h>

#include "expr/facts.h"
#include "expr/tree.h"

const struct expr_fact expr_facts[] = {
#define X(name, type, help) { name, EXPR_##type, help },
	EXPR_FACTS(X)
#undef X
		{ NULL, EXPR_BOOL, NULL },
};

static char fold(char c)
{
	return c == '_' ? '-' : c;
}

int expr_fact_find(const char *name, size_t len)
{
	for (int i = 0; expr_facts[i].name; i++) {
		size_t n = 0;

		while (n < len && expr_facts[i].name[n] && fold(expr_facts[i].name[n]) == fold(name[n]))
			n++;
		if (n == len && !expr_facts[i].name[n])
			return i;
	}
	return -1;
}
