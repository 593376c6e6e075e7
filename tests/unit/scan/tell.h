/* SPDX-License-Identifier: Apache-2.0 */
/* What a reader of the scan finds in a program, as text for tests. */
#ifndef TEST_SCAN_TELL_H
#define TEST_SCAN_TELL_H

#include "base/buf.h"
#include "scan/core/fact.h"
#include "scan/core/tree.h"

#define TELL_MS                                                                                              \
	60000 /* the readers stop by themselves long before; a build with sanitizers, on a busy machine, too \
	       */

typedef int tell_reader(const char *text, size_t len, const struct scan_outer *outer, struct facts *facts);

/* All facts, a line each: "LINE kind[~][+] NAME|ARG|ARG <FROM <FROM"; '~' indirect, '+' nested, '?' not
 * known. */
static inline char *tell(tell_reader *read, const char *text, size_t len)
{
	struct facts facts = { 0 };
	struct buf b = { 0 };
	char *all;

	tree_allow(TELL_MS);
	assert_int_equal(read(text, len, NULL, &facts), 0);
	assert_false(facts.failed);
	for (size_t i = 0; i < facts.n; i++) {
		const struct fact *f = &facts.list[i];

		buf_addf(&b, "%u %s%s%s %s", f->line, fact_kind_name(f->kind),
			 f->flags & FACT_INDIRECT ? "~" : "", f->flags & FACT_NESTED ? "+" : "", f->name);
		for (size_t k = 0; k < f->args.n; k++)
			buf_addf(&b, "|%s", f->args.items[k]);
		for (size_t k = 0; k < f->from.n; k++)
			buf_addf(&b, " <%s", f->from.items[k]);
		buf_add(&b, "\n", 1);
	}
	facts_finish(&facts);
	all = buf_str(&b);
	assert_non_null(all);
	for (char *p = all; *p; p++)
		if (*p == *FACT_NOT_KNOWN)
			*p = '?';
	return all;
}

#endif
