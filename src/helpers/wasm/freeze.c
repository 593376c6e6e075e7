/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a stopped instance as a module. */
#include "helpers/wasm/freeze.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"

#define PAGE 65536u
/* Two runs of bytes with fewer zeros between them are one. */
#define GAP 64u

enum { TYPE_I32 = 0x7f, TYPE_I64 = 0x7e, TYPE_F32 = 0x7d, TYPE_F64 = 0x7c, TYPE_FUNCTION = 0x60 };
enum { EXPORT_FUNCTION = 0, EXPORT_GLOBAL = 3 };

static int refuse(const char *what, struct aisbx_error *e)
{
	return aisbx_refuse(e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_USAGE, EBADMSG, "freeze the module: %s",
			    what);
}

static int finished(const struct buf *b, struct aisbx_error *e)
{
	return b->failed ? aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "freeze the module") : 0;
}

int freeze_globals(const struct module *m, struct freeze_global *ret, struct aisbx_error *e)
{
	struct module_bytes b = m->sections[SECTION_GLOBAL];
	uint32_t n = b.at ? module_u32(&b) : 0;

	for (uint32_t i = 0; i < n && !b.bad; i++) {
		struct freeze_global *g = &ret[m->imported_globals + i];

		g->type = module_byte(&b);
		g->is_mutable = module_byte(&b) == 1;
		module_pass_expression(&b);
		if (g->is_mutable && (g->type < TYPE_F64 || g->type > TYPE_I32))
			return refuse("it changes a global that is no number", e);
	}
	return b.bad ? refuse("its globals are not as expected", e) : 0;
}

/* Exports as they are, but for those that would prepare it again, and MORE. */
static int copy_exports(const struct module *m, bool all, struct buf *list, uint32_t *n,
			struct aisbx_error *e)
{
	struct module_bytes b = m->sections[SECTION_EXPORT];
	uint32_t count = b.at ? module_u32(&b) : 0;

	for (uint32_t i = 0; i < count && !b.bad; i++) {
		const uint8_t *from = b.at, *name;
		uint32_t len = module_u32(&b);
		bool starts;

		name = module_take(&b, len);
		module_byte(&b);
		module_u32(&b);
		if (b.bad)
			break;
		starts = (len == 6 && !memcmp(name, "_start", 6)) ||
			 (len == 11 && !memcmp(name, "_initialize", 11));
		if (starts && !all)
			continue;
		buf_add(list, from, (size_t)(b.at - from));
		++*n;
	}
	return b.bad ? refuse("its exports are not as expected", e) : 0;
}

static void add_export(struct buf *list, const char *name, uint8_t kind, uint32_t index)
{
	module_add_name(list, name);
	buf_add(list, &kind, 1);
	module_add_u32(list, index);
}

static void add_list(struct buf *to, enum module_section_id id, uint32_t n, const struct buf *items)
{
	scoped(buf_finish) struct buf section = { 0 };

	module_add_u32(&section, n);
	buf_add(&section, items->data ? items->data : "", items->len);
	section.failed |= items->failed;
	module_add_section(to, id, &section);
}

static void copy_section(const struct module *m, enum module_section_id id, struct buf *to)
{
	const struct module_bytes *s = &m->sections[id];
	const uint8_t byte = (uint8_t)id;

	if (!s->at)
		return;
	buf_add(to, &byte, 1);
	module_add_u32(to, (uint32_t)(s->end - s->at));
	buf_add(to, s->at, (size_t)(s->end - s->at));
}

/* Sections in the order in which the format wants them. */
static const enum module_section_id order[] = { SECTION_TYPE,    SECTION_IMPORT,     SECTION_FUNCTION,
						SECTION_TABLE,   SECTION_MEMORY,     SECTION_TAG,
						SECTION_GLOBAL,  SECTION_EXPORT,     SECTION_START,
						SECTION_ELEMENT, SECTION_DATA_COUNT, SECTION_CODE,
						SECTION_DATA };
#define N_ORDER (sizeof(order) / sizeof(*order))

int freeze_open(const struct module *m, struct buf *ret, struct aisbx_error *e)
{
	scoped(buf_finish) struct buf list = { 0 };
	scoped(drop_mem) struct freeze_global *globals = calloc(m->globals + 1, sizeof(*globals));
	uint32_t n = 0;
	int r = globals ? freeze_globals(m, globals, e)
			: aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "open the module");

	if (r == 0)
		r = copy_exports(m, true, &list, &n, e);
	for (uint32_t i = 0; r == 0 && i < m->globals; i++) {
		char name[32];

		if (!globals[i].is_mutable)
			continue;
		snprintf(name, sizeof(name), FREEZE_GLOBAL, i);
		add_export(&list, name, EXPORT_GLOBAL, i);
		n++;
	}
	if (r < 0)
		return r;
	buf_add(ret, "\0asm\1\0\0\0", 8);
	for (size_t i = 0; i < N_ORDER; i++)
		if (order[i] == SECTION_EXPORT)
			add_list(ret, SECTION_EXPORT, n, &list);
		else
			copy_section(m, order[i], ret);
	return finished(ret, e);
}

static void add_value(struct buf *b, const struct freeze_global *g)
{
	static const uint8_t end = 0x0b;
	const uint8_t code = (uint8_t)(g->type == TYPE_I32   ? 0x41
				       : g->type == TYPE_I64 ? 0x42
				       : g->type == TYPE_F32 ? 0x43
							     : 0x44);

	buf_add(b, &code, 1);
	if (g->type == TYPE_I32)
		module_add_s64(b, (int32_t)(uint32_t)g->bits);
	else if (g->type == TYPE_I64)
		module_add_s64(b, (int64_t)g->bits);
	else
		buf_add(b, &g->bits, g->type == TYPE_F32 ? 4 : 8); /* little-endian, as the format */
	buf_add(b, &end, 1);
}

static void write_globals(const struct module *m, const struct freeze_global *globals,
			  const struct freeze_entry *entry, struct buf *to)
{
	scoped(buf_finish) struct buf list = { 0 };
	struct module_bytes b = m->sections[SECTION_GLOBAL];
	uint32_t n = b.at ? module_u32(&b) : 0;

	for (uint32_t i = 0; i < n; i++) {
		const uint8_t *from = b.at;

		module_take(&b, 2);
		if (globals[m->imported_globals + i].is_mutable)
			buf_add(&list, from, 2);
		module_pass_expression(&b);
		if (globals[m->imported_globals + i].is_mutable)
			add_value(&list, &globals[m->imported_globals + i]);
		else
			buf_add(&list, from, (size_t)(b.at - from));
	}
	if (entry) {
		static const uint8_t constant[] = { TYPE_I32, 0 };

		buf_add(&list, constant, sizeof(constant));
		add_value(&list, &(struct freeze_global){ .type = TYPE_I32, .bits = entry->job });
		n++;
	}
	if (n)
		add_list(to, SECTION_GLOBAL, n, &list);
}

/* The length of the zeros at P. */
static size_t zeros(const uint8_t *p, size_t len)
{
	size_t n = 0;

	while (n < len && !p[n])
		n++;
	return n;
}

/* The length of the bytes at P until there are GAP zeros, or no more than zeros. */
static size_t used(const uint8_t *p, size_t len)
{
	size_t n = 0;

	while (n < len) {
		size_t z;

		if (p[n]) {
			n++;
			continue;
		}
		z = zeros(p + n, len - n);
		if (z >= GAP || z == len - n)
			break;
		n += z;
	}
	return n;
}

static uint32_t write_memory(const uint8_t *memory, size_t len, struct buf *list)
{
	uint32_t n = 0;

	for (size_t at = zeros(memory, len); at < len;) {
		size_t run = used(memory + at, len - at);
		const uint8_t active = 0, i32_const = 0x41, end = 0x0b;

		buf_add(list, &active, 1);
		buf_add(list, &i32_const, 1);
		module_add_s64(list, (int32_t)(uint32_t)at);
		buf_add(list, &end, 1);
		module_add_u32(list, (uint32_t)run);
		buf_add(list, memory + at, run);
		n++;
		at += run;
		at += zeros(memory + at, len - at);
	}
	return n;
}

/* Its first size becomes what it has grown to; a greatest size stays. */
static int write_size(const struct module *m, uint64_t len, struct buf *to, struct aisbx_error *e)
{
	scoped(buf_finish) struct buf list = { 0 };
	struct module_bytes b = m->sections[SECTION_MEMORY];
	uint32_t n = b.at ? module_u32(&b) : 0;
	uint8_t flags = module_byte(&b);

	module_u32(&b);
	if (n != 1 || flags > 1 || len % PAGE || b.bad)
		return refuse("it has no memory of its own, or an unusual one", e);
	buf_add(&list, &flags, 1);
	module_add_u32(&list, (uint32_t)(len / PAGE));
	if (flags)
		module_add_u32(&list, module_u32(&b));
	add_list(to, SECTION_MEMORY, 1, &list);
	return 0;
}

/* A list as it is, with one item more. */
static void add_item(const struct module *m, enum module_section_id id, const void *item, size_t len,
		     struct buf *to)
{
	scoped(buf_finish) struct buf list = { 0 };
	struct module_bytes b = m->sections[id];
	uint32_t n = b.at ? module_u32(&b) : 0;

	if (b.at)
		buf_add(&list, b.at, (size_t)(b.end - b.at));
	buf_add(&list, item, len);
	add_list(to, id, n + 1, &list);
}

/* "_start": calls the entry, and forgets what it returns. */
static void add_start(const struct module *m, const struct freeze_entry *entry, struct buf *to)
{
	scoped(buf_finish) struct buf body = { 0 }, sized = { 0 };
	static const uint8_t no_locals = 0, i32_const = 0x41, call = 0x10, drop_end[] = { 0x1a, 0x0b };

	buf_add(&body, &no_locals, 1);
	buf_add(&body, &i32_const, 1);
	module_add_s64(&body, (int32_t)entry->first);
	buf_add(&body, &i32_const, 1);
	module_add_s64(&body, (int32_t)entry->second);
	buf_add(&body, &call, 1);
	module_add_u32(&body, entry->function);
	buf_add(&body, drop_end, sizeof(drop_end));
	module_add_u32(&sized, (uint32_t)body.len);
	buf_add(&sized, body.data, body.len);
	sized.failed |= body.failed;
	add_item(m, SECTION_CODE, sized.data, sized.len, to);
}

/* Segments that code takes memory from later cannot be told from those that were used. */
static int check_data(const struct module *m, struct aisbx_error *e)
{
	struct module_bytes b = m->sections[SECTION_DATA];
	uint32_t n = b.at ? module_u32(&b) : 0;

	for (uint32_t i = 0; i < n && !b.bad; i++) {
		if (module_u32(&b) != 0)
			return refuse("it has data that is not put into its memory at once", e);
		module_pass_expression(&b);
		module_take(&b, module_u32(&b));
	}
	return b.bad ? refuse("its data is not as expected", e) : 0;
}

static int write_sections(const struct module *m, const struct freeze_global *globals, const void *memory,
			  size_t len, const struct freeze_entry *entry, struct buf *to, struct aisbx_error *e)
{
	static const uint8_t nothing_to_nothing[] = { TYPE_FUNCTION, 0, 0 };
	scoped(buf_finish) struct buf exports = { 0 }, data = { 0 }, type = { 0 };
	uint32_t n_exports = 0, n_data = write_memory(memory, len, &data);
	int r = copy_exports(m, false, &exports, &n_exports, e);

	module_add_u32(&type, m->types);
	if (entry) {
		add_export(&exports, "_start", EXPORT_FUNCTION, m->functions);
		add_export(&exports, FREEZE_JOB, EXPORT_GLOBAL, m->globals);
		n_exports += 2;
	}
	for (size_t i = 0; r == 0 && i < N_ORDER; i++) {
		if (order[i] == SECTION_TYPE && entry)
			add_item(m, SECTION_TYPE, nothing_to_nothing, sizeof(nothing_to_nothing), to);
		else if (order[i] == SECTION_FUNCTION && entry)
			add_item(m, SECTION_FUNCTION, type.data, type.len, to);
		else if (order[i] == SECTION_CODE && entry)
			add_start(m, entry, to);
		else if (order[i] == SECTION_MEMORY)
			r = write_size(m, len + (entry ? entry->stack : 0), to, e);
		else if (order[i] == SECTION_GLOBAL)
			write_globals(m, globals, entry, to);
		else if (order[i] == SECTION_EXPORT)
			add_list(to, SECTION_EXPORT, n_exports, &exports);
		else if (order[i] == SECTION_DATA)
			add_list(to, SECTION_DATA, n_data, &data);
		else if (order[i] != SECTION_START && order[i] != SECTION_DATA_COUNT)
			copy_section(m, order[i], to);
	}
	return r;
}

/* So the tools lay out a module: its stack pointer is the first global. Nothing on the old stack is needed.
 */
static int move_stack(const struct module *m, struct freeze_global *globals, uint64_t top,
		      struct aisbx_error *e)
{
	struct freeze_global *first = &globals[m->imported_globals];

	if (m->globals <= m->imported_globals || !first->is_mutable || first->type != TYPE_I32 ||
	    top > UINT32_MAX)
		return refuse("its first global is no stack pointer", e);
	first->bits = top;
	return 0;
}

int freeze_write(const struct module *m, struct freeze_global *globals, const void *memory, size_t len,
		 const struct freeze_entry *entry, struct buf *ret, struct aisbx_error *e)
{
	int r = check_data(m, e);

	if (r == 0 && entry && entry->function >= m->functions)
		r = refuse("it has no such function to begin with", e);
	if (r == 0 && entry && entry->stack)
		r = move_stack(m, globals, (uint64_t)len + entry->stack, e);
	buf_add(ret, "\0asm\1\0\0\0", 8);
	if (r == 0)
		r = write_sections(m, globals, memory, len, entry, ret, e);
	return r == 0 ? finished(ret, e) : r;
}
