/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the sections of a WebAssembly module; writes numbers, names and sections. */
#include "helpers/wasm/module.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"

#define MAGIC     "\0asm\1\0\0"
#define MAGIC_LEN 8

uint8_t module_byte(struct module_bytes *b)
{
	if (b->at == b->end) {
		b->bad = true;
		return 0;
	}
	return *b->at++;
}

uint32_t module_u32(struct module_bytes *b)
{
	uint64_t n = 0;

	for (unsigned int shift = 0; shift < 35; shift += 7) {
		uint8_t byte = module_byte(b);

		n |= (uint64_t)(byte & 0x7f) << shift;
		if (byte & 0x80)
			continue;
		b->bad |= n > UINT32_MAX;
		return (uint32_t)n;
	}
	b->bad = true;
	return 0;
}

const uint8_t *module_take(struct module_bytes *b, size_t n)
{
	const uint8_t *taken = b->at;

	if (n > (size_t)(b->end - b->at)) {
		b->bad = true;
		b->at = b->end;
		return NULL;
	}
	b->at += n;
	return taken;
}

/* One that has no other use here than to be passed over. */
static void pass_number(struct module_bytes *b)
{
	for (int i = 0; i < 10; i++)
		if (!(module_byte(b) & 0x80))
			return;
	b->bad = true;
}

void module_pass_expression(struct module_bytes *b)
{
	while (!b->bad) {
		switch (module_byte(b)) {
		case 0x0b: /* end */
			return;
		case 0x41: /* i32.const */
		case 0x42: /* i64.const */
		case 0x23: /* global.get */
		case 0xd0: /* ref.null */
		case 0xd2: /* ref.func */
			pass_number(b);
			break;
		case 0x43: /* f32.const */
			module_take(b, 4);
			break;
		case 0x44: /* f64.const */
			module_take(b, 8);
			break;
		case 0x6a: /* i32.add and its kin, without operands of their own */
		case 0x6b:
		case 0x6c:
		case 0x7c:
		case 0x7d:
		case 0x7e:
			break;
		default:
			b->bad = true;
		}
	}
}

static void pass_limits(struct module_bytes *b)
{
	uint8_t flags = module_byte(b);

	pass_number(b);
	if (flags & 1)
		pass_number(b);
}

static void read_imports(struct module *m)
{
	struct module_bytes b = m->sections[SECTION_IMPORT];
	uint32_t n = b.at ? module_u32(&b) : 0;

	for (uint32_t i = 0; i < n && !b.bad; i++) {
		module_take(&b, module_u32(&b));
		module_take(&b, module_u32(&b));
		switch (module_byte(&b)) {
		case 0: /* function */
			module_u32(&b);
			m->imported_functions++;
			break;
		case 1: /* table */
			module_byte(&b);
			pass_limits(&b);
			break;
		case 2: /* memory */
			pass_limits(&b);
			break;
		case 3: /* global */
			module_byte(&b);
			module_byte(&b);
			m->imported_globals++;
			break;
		default:
			b.bad = true;
		}
	}
	m->sections[SECTION_IMPORT].bad |= b.bad;
}

/* None has less than a byte: so whatever is added to such a number, or multiplied with it, is no surprise. */
static uint32_t count_of(struct module *m, enum module_section_id id)
{
	struct module_bytes b = m->sections[id];
	uint32_t n = b.at ? module_u32(&b) : 0;

	m->sections[id].bad |= b.bad || n > (size_t)(b.end - b.at);
	return n;
}

static int bad(const char *what, struct aisbx_error *e)
{
	return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EBADMSG, "read the module: %s", what);
}

int module_read(const void *data, size_t len, struct module *ret, struct aisbx_error *e)
{
	struct module_bytes b = { .at = data, .end = (const uint8_t *)data + len };
	const uint8_t *magic = module_take(&b, MAGIC_LEN);

	*ret = (struct module){ 0 };
	if (!magic || memcmp(magic, MAGIC, MAGIC_LEN) != 0)
		return bad("it does not begin as a WebAssembly module does", e);
	while (b.at < b.end && !b.bad) {
		uint8_t id = module_byte(&b);
		uint32_t size = module_u32(&b);
		const uint8_t *at = module_take(&b, size);

		if (b.bad)
			break;
		if (id >= SECTION_IDS || (id != SECTION_CUSTOM && ret->sections[id].at))
			return bad("a section has an unknown kind, or stands there twice", e);
		if (id != SECTION_CUSTOM)
			ret->sections[id] = (struct module_bytes){ .at = at, .end = at + size };
	}
	if (!b.bad)
		read_imports(ret);
	ret->types = count_of(ret, SECTION_TYPE);
	ret->functions = ret->imported_functions + count_of(ret, SECTION_FUNCTION);
	ret->globals = ret->imported_globals + count_of(ret, SECTION_GLOBAL);
	if (b.bad || ret->sections[SECTION_IMPORT].bad || ret->sections[SECTION_TYPE].bad ||
	    ret->sections[SECTION_FUNCTION].bad || ret->sections[SECTION_GLOBAL].bad)
		return bad("it is cut off, or a number in it is wrong", e);
	return 0;
}

void module_add_u32(struct buf *b, uint32_t n)
{
	uint8_t byte;

	do {
		byte = n & 0x7f;
		n >>= 7;
		byte |= n ? 0x80 : 0;
		buf_add(b, &byte, 1);
	} while (n);
}

void module_add_s64(struct buf *b, int64_t n)
{
	bool more = true;

	while (more) {
		uint8_t byte = n & 0x7f;

		n >>= 7;
		more = !((n == 0 && !(byte & 0x40)) || (n == -1 && byte & 0x40));
		byte |= more ? 0x80 : 0;
		buf_add(b, &byte, 1);
	}
}

void module_add_name(struct buf *b, const char *name)
{
	module_add_u32(b, (uint32_t)strlen(name));
	buf_add(b, name, strlen(name));
}

void module_add_section(struct buf *b, enum module_section_id id, const struct buf *in)
{
	const uint8_t byte = (uint8_t)id;

	buf_add(b, &byte, 1);
	module_add_u32(b, (uint32_t)in->len);
	buf_add(b, in->data ? in->data : "", in->len);
	b->failed |= in->failed;
}
