/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nodes and fields of the grammar by number: comparing their names at every node would take most of the time.
 */
#include "scan/python/python.h"

static unsigned char nodes[1024]; /* by the grammar's symbol */
static TSFieldId fields[F_COUNT];

void py_node_init(void)
{
	static const char *const node_names[N_COUNT] = { "",
#define X(name) #name,
							 PY_NODES(X)
#undef X
	};
	static const char *const field_names[F_COUNT] = {
#define X(name) #name,
		PY_FIELDS(X)
#undef X
	};
	const TSLanguage *language = tree_sitter_python();
	uint32_t n = ts_language_symbol_count(language);

	if (fields[0])
		return;
	for (uint32_t i = 0; i < n && i < sizeof(nodes); i++)
		for (unsigned int k = 1; k < N_COUNT; k++)
			if (ts_language_symbol_type(language, (TSSymbol)i) == TSSymbolTypeRegular &&
			    !strcmp(ts_language_symbol_name(language, (TSSymbol)i), node_names[k]))
				nodes[i] = (unsigned char)k;
	for (unsigned int k = 0; k < F_COUNT; k++)
		fields[k] = ts_language_field_id_for_name(language, field_names[k],
							  (uint32_t)strlen(field_names[k]));
}

enum py_node py_node(TSNode n)
{
	TSSymbol s = ts_node_is_null(n) ? sizeof(nodes) - 1 : ts_node_symbol(n);

	return s < sizeof(nodes) ? nodes[s] : N_other;
}

TSNode py_field(TSNode n, enum py_field f)
{
	return ts_node_child_by_field_id(n, fields[f]);
}

static bool counts(TSNode n)
{
	enum py_node kind = py_node(n);

	return ts_node_is_named(n) && kind != N_comment && kind != N_line_continuation;
}

TSNode py_first(TSNode n)
{
	uint32_t all = ts_node_named_child_count(n);

	for (uint32_t i = 0; i < all; i++) {
		TSNode child = ts_node_named_child(n, i);

		if (counts(child))
			return child;
	}
	return (TSNode){ 0 };
}

TSNode *py_children(struct py *p, TSNode n, size_t *ret_n)
{
	uint32_t all = ts_node_named_child_count(n);
	TSNode *list = all ? py_alloc(p, all * sizeof(*list)) : NULL;
	TSTreeCursor *c = &p->cursor;

	*ret_n = 0;
	if (!list)
		return NULL;
	ts_tree_cursor_reset(c, n); /* children by index are searched from the first one, each time */
	for (bool more = ts_tree_cursor_goto_first_child(c); more && *ret_n < all;
	     more = ts_tree_cursor_goto_next_sibling(c)) {
		TSNode child = ts_tree_cursor_current_node(c);

		if (counts(child))
			list[(*ret_n)++] = child;
	}
	return list;
}
