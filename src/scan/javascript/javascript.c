/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reader of JavaScript and TypeScript. It follows concatenated strings, aliases, and functions with their
 * arguments, in one pass in the order of the text; it runs nothing. See javascript.h for its parts.
 */
#include "scan/javascript/javascript.h"

#include <errno.h>
#include <stdlib.h>

#include "base/scope.h"

#define MIN_DISGUISED 8u

static void reader_finish(struct js_reader *r)
{
	while (r->chunks) {
		struct js_chunk *next = *(struct js_chunk **)r->chunks;

		free(r->chunks);
		r->chunks = next;
	}
	free(r->nodes);
	free(r->lines);
	free(r->names.slots);
	free(r->vars.slots);
	free(r->told.slots);
}

/* Functions nobody called: as if somebody did, with something not known. */
static void read_pending(struct js_reader *r)
{
	while (r->pending && !r->has_stopped) {
		struct js_function *f = r->pending;
		struct js_args none = { 0 };

		r->pending = f->pending;
		if (!r->nodes[f->node].is_walked)
			js_run(r, f, NULL, &none);
	}
}

static void read_program(struct js_reader *r)
{
	r->max_steps = 2000000u + 12u * (uint64_t)r->n_nodes;
	r->max_call_steps = 60000u + 6u * (uint64_t)r->n_nodes;
	r->max_depth = r->tree->outer ? JS_MAX_DEPTH_INSIDE : JS_MAX_DEPTH;
	r->global = r->scope = js_scope_enter(r, NULL, true);
	if (!r->global) {
		r->failed = true;
		return;
	}
	js_walk_block(r, 0);
	read_pending(r);
	if (r->disguised >= MIN_DISGUISED)
		js_tell(r, r->disguised_at, FACT_HIDDEN, "disguised names", JS_DEVIOUS, NULL, NULL);
}

static int read_text(const TSLanguage *language, bool is_typescript, const char *text, size_t len,
		     const struct scan_outer *outer, struct facts *facts)
{
	scoped(tree_finish) struct tree t = { 0 };
	scoped(reader_finish) struct js_reader r = { .tree = &t };
	int e = tree_open(language, text, len, outer, facts, &t);

	if (e < 0)
		return e == -ENOMEM ? e : 0;
	tree_tell_broken(&t);
	e = js_read_tree(&r, is_typescript);
	if (e < 0)
		return e;
	read_program(&r);
	return r.failed ? -ENOMEM : 0;
}

int scan_javascript(const char *text, size_t len, const struct scan_outer *outer, struct facts *facts)
{
	return read_text(tree_sitter_javascript(), false, text, len, outer, facts);
}

int scan_typescript(const char *text, size_t len, const struct scan_outer *outer, struct facts *facts)
{
	return read_text(tree_sitter_typescript(), true, text, len, outer, facts);
}
