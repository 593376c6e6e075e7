/* SPDX-License-Identifier: Apache-2.0 */
/* Which programs WebAssembly is offered, by what they import and call; the table of languages. */
#include "support/test.h"

#include "wasm/language.h"
#include "wasm/offer.h"

static void what_works_is_there(void **state)
{
	static const char *const python[] = { "json",    "os.path",       "collections.abc", "re",
					      "asyncio", "unittest.mock", "sqlite3" },
				 *const javascript[] = { "fs",   "node:path", "fs/promises",
							 "util", "./local",   "../lib/x.js" };

	(void)state;
	for (size_t i = 0; i < sizeof(python) / sizeof(*python); i++)
		if (wasm_lacks_module("python", python[i]))
			fail_msg("%s: %s", python[i], wasm_lacks_module("python", python[i]));
	for (size_t i = 0; i < sizeof(javascript) / sizeof(*javascript); i++)
		if (wasm_lacks_module("javascript", javascript[i]))
			fail_msg("%s: %s", javascript[i], wasm_lacks_module("javascript", javascript[i]));
}

static void what_is_missing_has_a_reason(void **state)
{
	(void)state;
	assert_string_equal(wasm_lacks_module("python", "subprocess"), "needs processes");
	assert_string_equal(wasm_lacks_module("python", "concurrent.futures"), "needs threads");
	assert_string_equal(wasm_lacks_module("python", "numpy.linalg"), "is no module of WebAssembly's");
	assert_string_equal(wasm_lacks_module("javascript", "node:http"), "needs sockets");
	assert_string_equal(wasm_lacks_module("javascript", "express"), "is no module of WebAssembly's");
	assert_string_equal(wasm_lacks_function("python", "os.fork"), "needs processes");
	assert_string_equal(wasm_lacks_function("python", "threading.Thread"), "needs threads");
	assert_null(wasm_lacks_function("python", "os.getcwd"));
	assert_string_equal(wasm_lacks_function("javascript", "fetch"), "needs sockets");
	assert_non_null(wasm_lacks_module("shell", "anything"));
}

static void languages_are_found_by_all_their_names(void **state)
{
	(void)state;
	for (size_t i = 0; i < wasm_n_languages; i++) {
		const struct wasm_language *l = &wasm_languages[i];

		assert_ptr_equal(wasm_language_by_name(l->name), l);
		assert_ptr_equal(wasm_language_of(l->language), l);
		assert_non_null(l->commands[0]);
		for (const char *const *c = l->commands; *c; c++)
			assert_ptr_equal(wasm_language_by_command(*c), l);
		for (size_t k = 0; k < WASM_PACKAGES && l->packages[k].name; k++)
			assert_int_equal(strspn(l->packages[k].sha256, "0123456789abcdef"), 64);
	}
	assert_null(wasm_language_by_command("bash"));
	assert_null(wasm_language_by_name("python"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_works_is_there),
		cmocka_unit_test(what_is_missing_has_a_reason),
		cmocka_unit_test(languages_are_found_by_all_their_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
