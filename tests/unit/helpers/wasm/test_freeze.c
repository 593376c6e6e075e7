/* SPDX-License-Identifier: Apache-2.0 */
/* Modules are read in parts and written frozen: what they mean stays, what prepares them goes. */
#include "support/test.h"

#include "helpers/wasm/freeze.h"

/* Types () and (i32 i32) to i32; functions 0 and 1; memory; two globals; exports; a start function; data. */
static const uint8_t plain[] = {
	0,    'a', 's',  'm',  1, 0,    0,    0,    1,    10,   2,    0x60, 0,    0,
	0x60, 2,   0x7f, 0x7f, 1, 0x7f, /* types */
	3,    3,   2,    0,    1,       /* functions */
	5,    4,   1,    1,    1, 4,    /* one page, four at most */
	6,    12,  2,    0x7f, 1, 0x41, 0x80, 0x80, 0x04, 0x0b, 0x7e, 0,    0x42, 7, /* globals */
	0x0b,
};

/* The same, whole: with exports, start, code, data and a custom section. */
static size_t make(uint8_t *to)
{
	static const uint8_t types[] = { 1, 10, 2, 0x60, 0, 0, 0x60, 2, 0x7f, 0x7f, 1, 0x7f },
			     functions[] = { 3, 3, 2, 0, 1 }, memory[] = { 5, 4, 1, 1, 1, 4 },
			     globals[] = { 6,    13,   2,    0x7f, 1,    0x41, 0x80, 0x80,
					   0x04, 0x0b, 0x7e, 0,    0x42, 7,    0x0b },
			     exports[] = { 7, 19, 2,   6,   'm', 'e', 'm', 'o', 'r', 'y', 2,
					   0, 6,  '_', 's', 't', 'a', 'r', 't', 0,   0 },
			     start[] = { 8, 1, 0 }, code[] = { 10, 9, 2, 2, 0, 0x0b, 4, 0, 0x20, 0, 0x0b },
			     data[] = { 11, 8, 1, 0, 0x41, 8, 0x0b, 2, 'h', 'i' },
			     custom[] = { 0, 3, 1, 'x', 9 };
	static const struct {
		const uint8_t *at;
		size_t len;
	} parts[] = { { plain, 8 },
		      { custom, sizeof(custom) },
		      { types, sizeof(types) },
		      { functions, sizeof(functions) },
		      { memory, sizeof(memory) },
		      { globals, sizeof(globals) },
		      { exports, sizeof(exports) },
		      { start, sizeof(start) },
		      { code, sizeof(code) },
		      { data, sizeof(data) } };
	size_t n = 0;

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		memcpy(to + n, parts[i].at, parts[i].len);
		n += parts[i].len;
	}
	return n;
}

static struct module read_whole(uint8_t *bytes, size_t *ret_len)
{
	struct module m;
	struct aisbx_error e = AISBX_ERROR_INIT;

	*ret_len = make(bytes);
	assert_int_equal(module_read(bytes, *ret_len, &m, &e), 0);
	return m;
}

static void counts_what_is_there(void **state)
{
	uint8_t bytes[256];
	size_t len;
	struct module m = read_whole(bytes, &len);

	(void)state;
	assert_int_equal(m.types, 2);
	assert_int_equal(m.functions, 2);
	assert_int_equal(m.globals, 2);
	assert_int_equal(m.imported_functions, 0);
}

static void every_cut_is_refused_or_a_module(void **state)
{
	uint8_t bytes[256];
	size_t len = make(bytes), refused = 0;

	(void)state;
	for (size_t n = 0; n < len; n++) {
		uint8_t *copy = malloc(n ? n : 1); /* behind its end nothing may be read */
		struct module m;
		struct aisbx_error e = AISBX_ERROR_INIT;

		memcpy(copy, bytes, n);
		if (module_read(copy, n, &m, &e) < 0) {
			assert_failed(e.code, EBADMSG, e, "read the module");
			refused++;
		}
		free(copy);
	}
	assert_true(refused > len / 2);
}

/* One that said it has 2^32 - 1 globals had room for none of them. */
static void more_is_said_than_there_is(void **state)
{
	static const struct {
		uint8_t bytes[24], len;
	} cases[] = {
		{ { 6, 10, 0xff, 0xff, 0xff, 0xff, 0x0f, 0x7f, 1, 0x41, 0, 0x0b }, 12 }, /* globals */
		{ { 6, 6, 2, 0x7f, 1, 0x41, 0, 0x0b }, 8 },                              /* fine */
		{ { 6, 6, 6, 0x7f, 1, 0x41, 0, 0x0b }, 8 },
		{ { 3, 2, 2, 0 }, 4 },                             /* functions */
		{ { 1, 4, 4, 0x60, 0, 0 }, 6 },                    /* types */
		{ { 2, 7, 1, 0, 0, 3, 0x7f, 0, 0, 3, 1, 7 }, 12 }, /* with an imported global */
		{ { 1, 0 }, 2 },                                   /* without a number */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		uint8_t bytes[32] = { 0, 'a', 's', 'm', 1 };
		struct module m;
		struct aisbx_error e = AISBX_ERROR_INIT;

		memcpy(bytes + 8, cases[i].bytes, cases[i].len);
		if (i == 1)
			assert_int_equal(module_read(bytes, 8u + cases[i].len, &m, &e), 0);
		else
			assert_failed(module_read(bytes, 8u + cases[i].len, &m, &e), EBADMSG, e,
				      "a number in it is wrong");
	}
}

static bool has(const struct module_bytes *section, const char *text)
{
	return section->at && memmem(section->at, (size_t)(section->end - section->at), text, strlen(text));
}

static void opening_exports_what_changes(void **state)
{
	uint8_t bytes[256];
	size_t len;
	struct module m = read_whole(bytes, &len), opened;
	struct buf out = { 0 };
	struct aisbx_error e = AISBX_ERROR_INIT;

	(void)state;
	assert_int_equal(freeze_open(&m, &out, &e), 0);
	assert_int_equal(module_read(out.data, out.len, &opened, &e), 0);
	assert_true(has(&opened.sections[SECTION_EXPORT], "aisbx.global.0"));
	assert_false(has(&opened.sections[SECTION_EXPORT], "aisbx.global.1")); /* a constant */
	assert_true(has(&opened.sections[SECTION_EXPORT], "_start"));
	assert_non_null(opened.sections[SECTION_START].at);
	buf_finish(&out);
}

static void a_frozen_one_begins_where_it_was(void **state)
{
	static uint8_t memory[2 * 65536];
	const struct freeze_entry entry = { .function = 1, .first = 100, .second = 0, .job = 4096 };
	uint8_t bytes[256];
	size_t len;
	struct module m = read_whole(bytes, &len), frozen;
	struct freeze_global globals[2] = { 0 };
	struct buf out = { 0 };
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct module_bytes b;

	(void)state;
	memcpy(memory + 70000, "state of a run", 14);
	assert_int_equal(freeze_globals(&m, globals, &e), 0);
	assert_true(globals[0].is_mutable && !globals[1].is_mutable);
	globals[0].bits = 0xffffff00; /* negative, as a number with a sign */
	assert_int_equal(freeze_write(&m, globals, memory, sizeof(memory), &entry, &out, &e), 0);
	assert_int_equal(module_read(out.data, out.len, &frozen, &e), 0);
	assert_int_equal(frozen.types, 3);
	assert_int_equal(frozen.functions, 3);
	assert_int_equal(frozen.globals, 3);
	assert_null(frozen.sections[SECTION_START].at); /* it is prepared */
	b = frozen.sections[SECTION_MEMORY];
	assert_int_equal(module_u32(&b), 1);
	assert_int_equal(module_byte(&b), 1);
	assert_int_equal(module_u32(&b), 2); /* as it has grown */
	assert_int_equal(module_u32(&b), 4);
	b = frozen.sections[SECTION_GLOBAL];
	module_u32(&b);
	assert_memory_equal(b.at, "\x7f\x01\x41\x80\x7e\x0b", 6); /* -256 */
	assert_true(has(&frozen.sections[SECTION_DATA], "state of a run"));
	assert_false(has(&frozen.sections[SECTION_DATA], "hi")); /* it is not in that memory */
	assert_true(has(&frozen.sections[SECTION_EXPORT], "aisbx.job"));
	buf_finish(&out);
}

static void what_cannot_be_frozen_is_refused(void **state)
{
	static uint8_t memory[65536];
	const struct freeze_entry far = { .function = 77 };
	uint8_t bytes[256];
	size_t len;
	struct module m = read_whole(bytes, &len);
	struct freeze_global globals[2] = { 0 };
	struct buf out = { 0 };
	struct aisbx_error e = AISBX_ERROR_INIT;

	(void)state;
	freeze_globals(&m, globals, &e);
	assert_failed(freeze_write(&m, globals, memory, 100, NULL, &out, &e), EBADMSG, e, "memory");
	assert_failed(freeze_write(&m, globals, memory, sizeof(memory), &far, &out, &e), EBADMSG, e,
		      "no such function");
	bytes[len - 7] = 1; /* data that code puts into memory later */
	assert_failed(freeze_write(&m, globals, memory, sizeof(memory), NULL, &out, &e), EBADMSG, e, "data");
	buf_finish(&out);
}

static void numbers_are_written_as_they_are_read(void **state)
{
	static const uint32_t numbers[] = { 0, 1, 127, 128, 300, 65535, 1u << 31, UINT32_MAX };

	(void)state;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		struct buf out = { 0 };
		struct module_bytes b;

		module_add_u32(&out, numbers[i]);
		b = (struct module_bytes){ .at = (const uint8_t *)out.data,
					   .end = (const uint8_t *)out.data + out.len };
		assert_int_equal(module_u32(&b), numbers[i]);
		assert_false(b.bad);
		assert_ptr_equal(b.at, b.end);
		buf_finish(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_what_is_there),
		cmocka_unit_test(every_cut_is_refused_or_a_module),
		cmocka_unit_test(more_is_said_than_there_is),
		cmocka_unit_test(opening_exports_what_changes),
		cmocka_unit_test(a_frozen_one_begins_where_it_was),
		cmocka_unit_test(what_cannot_be_frozen_is_refused),
		cmocka_unit_test(numbers_are_written_as_they_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
