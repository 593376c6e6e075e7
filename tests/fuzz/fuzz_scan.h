/* SPDX-License-Identifier: Apache-2.0 */
/* What holds for every reader of the scan: whatever the text is, facts come out that name a place within it,
 * in bounded time. */
#ifndef FUZZ_SCAN_H
#define FUZZ_SCAN_H

#include <stdint.h>
#include <string.h>

#include "scan/core/fact.h"
#include "scan/core/tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

typedef int fuzz_reader(const char *text, size_t len, const struct scan_outer *outer, struct facts *facts);

static inline void must(bool truth)
{
	if (!truth)
		__builtin_trap();
}

static inline void check_texts(const struct strlist *l)
{
	must(l->n <= FACT_MAX_ARGS);
	for (size_t i = 0; i < l->n; i++)
		must(strlen(l->items[i]) <= FACT_MAX_TEXT);
}

static inline void check_fact(const struct fact *f, size_t lines, size_t len)
{
	must(f->kind < FACT_KINDS_COUNT && f->name && strlen(f->name) <= FACT_MAX_TEXT);
	must(f->line >= 1 && f->line <= lines && f->end_line >= f->line && f->end_line <= lines + 1);
	must(f->column >= 1 && f->column <= len + 1 && f->end_column >= 1);
	check_texts(&f->args);
	check_texts(&f->from);
}

/* MUST_BE_NAMED: only a file or a command may have an empty name. */
static inline int fuzz_read(fuzz_reader *read, const uint8_t *data, size_t len, bool must_be_named)
{
	struct facts facts = { 0 };
	size_t lines = 1;

	for (size_t i = 0; i < len; i++)
		lines += data[i] == '\n';
	tree_allow(2000);
	must(read((const char *)data, len, NULL, &facts) == 0 && !facts.failed);
	for (size_t i = 0; i < facts.n; i++) {
		const struct fact *f = &facts.list[i];

		check_fact(f, lines, len);
		must(!must_be_named || *f->name || f->kind == FACT_WRITE || f->kind == FACT_COMMAND);
	}
	facts_finish(&facts);
	return 0;
}

#endif
