/* SPDX-License-Identifier: Apache-2.0 */
/* Metadata and variables of boxes: what is taken, what is too much, and what a filter finds. */
#include "box/metadata.h"
#include "box/variables.h"
#include "support/test.h"

#include <ftw.h>
#include <unistd.h>

static struct strlist list_of(const char *const *texts)
{
	struct strlist l = { 0 };

	for (; *texts; texts++)
		strlist_add(&l, *texts);
	return l;
}

#define LIST(...) list_of((const char *const[]){ __VA_ARGS__, NULL })

static void settles(struct strlist given, const char *want)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	char *text = NULL;

	if (box_metadata_settle(&given, &text, &e) < 0)
		fail_msg("%s", e.text);
	assert_string_equal(text, want);
	free(text);
	strlist_finish(&given);
}

static void refuses(struct strlist given, int code, const char *why)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	char *text = NULL;

	assert_int_equal(box_metadata_settle(&given, &text, &e), -code);
	assert_non_null(strstr(e.text, why));
	assert_null(text);
	strlist_finish(&given);
}

static void maps(void **state)
{
	struct strlist none = { 0 };

	(void)state;
	settles(none, "");
	settles(LIST("b=2", "a=1"), "{\"a\":\"1\",\"b\":\"2\"}");
	settles(LIST("a=1", "a=x=y"), "{\"a\":\"x=y\"}"); /* the last counts; the first '=' divides */
	settles(LIST("a="), "{\"a\":\"\"}");
	settles(LIST("\xc3\xa4=\"\n"), "{\"\xc3\xa4\":\"\\\"\\n\"}");
	refuses(LIST("a"), EINVAL, "KEY=VALUE");
	refuses(LIST("=1"), EINVAL, "KEY=VALUE");
	refuses(LIST("a=\xff"), EILSEQ, "UTF-8");
}

static void bounded(void **state)
{
	char text[BOX_METADATA_BYTES + 64];
	struct strlist many = { 0 }, most = { 0 }, key = { 0 }, fits = { 0 }, value = { 0 };

	(void)state;
	for (unsigned int i = 0; i <= BOX_METADATA_MOST; i++)
		strlist_addf(&many, "k%u=1", i);
	refuses(many, E2BIG, "at most 64 keys, not 65");
	for (unsigned int i = 0; i < 2 * BOX_METADATA_MOST; i++)
		strlist_addf(&most, "k%u=1", i % BOX_METADATA_MOST);
	memset(text, 'k', sizeof(text));
	snprintf(text + BOX_METADATA_KEY + 1, 8, "=1");
	strlist_add(&key, text);
	strlist_add(&fits, text + 1);
	refuses(key, E2BIG, "128");
	memset(text, 'v', sizeof(text));
	memcpy(text, "k=", 2);
	text[sizeof(text) - 1] = '\0';
	strlist_add(&value, text);
	refuses(value, E2BIG, "16384 bytes");
	{
		struct aisbx_error e = AISBX_ERROR_INIT;
		char *map = NULL;

		assert_int_equal(box_metadata_settle(&most, &map, &e), 0);
		free(map);
		assert_int_equal(box_metadata_settle(&fits, &map, &e), 0);
		free(map);
	}
	strlist_finish(&most);
	strlist_finish(&fits);
}

static void finds(const char *metadata, struct strlist wanted, bool want)
{
	json_t *map = metadata ? json_loads(metadata, 0, NULL) : NULL;

	assert_int_equal(box_metadata_has(map, &wanted), want);
	json_decref(map);
	strlist_finish(&wanted);
}

static void filtered(void **state)
{
	static const char map[] = "{\"a\":\"1\",\"b\":\"x=y\"}";
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct strlist none = { 0 }, wrong = LIST("a=1", "b");

	(void)state;
	finds(map, none, true);
	finds(NULL, none, true);
	finds(NULL, LIST("a=1"), false);
	finds(map, LIST("a=1"), true);
	finds(map, LIST("b=x=y", "a=1"), true);
	finds(map, LIST("a=1", "b=x"), false);
	finds(map, LIST("a="), false);
	finds(map, LIST("c=1"), false);
	assert_int_equal(box_metadata_check(&none, &e), 0);
	assert_int_equal(box_metadata_check(&wrong, &e), -EINVAL);
	strlist_finish(&wrong);
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st;
	(void)kind;
	(void)at;
	return remove(path);
}

static void check_list(const struct strlist *l, struct strlist want)
{
	assert_int_equal(l->n, want.n);
	for (size_t i = 0; i < want.n; i++)
		assert_string_equal(l->items[i], want.items[i]);
	strlist_finish(&want);
}

static void variables_are_kept(void **state)
{
	static const char *const env[] = { "HOME=/h", "WHO=me", NULL };
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct strlist given = LIST("A=1", "WHO", "NOT_THERE", "A=2", "EMPTY=", "B=x=y"), kept = { 0 };
	struct strlist read = { 0 }, names = { 0 }, none = { 0 };
	char dir[] = "/tmp/test-variables-XXXXXX";

	(void)state;
	assert_non_null(mkdtemp(dir));
	assert_int_equal(box_variables_settle(&given, env, &kept, &e), 0);
	assert_int_equal(box_variables_keep(dir, "b-1", &kept, &e), 0);
	assert_int_equal(box_variables_read(dir, "b-1", &read, &e), 0);
	check_list(&read, LIST("WHO=me", "A=2", "EMPTY=", "B=x=y"));
	assert_int_equal(box_variables_names(dir, "b-1", &names, &e), 0);
	check_list(&names, LIST("WHO", "A", "EMPTY", "B"));
	assert_int_equal(box_variables_read(dir, "b-2", &none, &e), 0);
	assert_int_equal(none.n, 0);
	box_variables_drop(dir, "b-1");
	assert_int_equal(box_variables_read(dir, "b-1", &none, &e), 0);
	assert_int_equal(none.n, 0);
	strlist_finish(&given);
	strlist_finish(&kept);
	strlist_finish(&read);
	strlist_finish(&names);
	assert_int_equal(nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}

static void refuses_variables(struct strlist given, int code, const char *why, const char *never)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct strlist kept = { 0 };

	assert_int_equal(box_variables_settle(&given, NULL, &kept, &e), -code);
	assert_non_null(strstr(e.text, why));
	assert_null(strstr(e.text, never));
	strlist_finish(&given);
	strlist_finish(&kept);
}

/* And no error tells a value. */
static void variables_are_bounded(void **state)
{
	char *text = malloc(BOX_VARIABLES_BYTES + 1);
	struct strlist many = { 0 }, large = { 0 };

	(void)state;
	assert_non_null(text);
	for (unsigned int i = 0; i <= BOX_VARIABLES_MOST; i++)
		strlist_addf(&many, "V%u=hidden", i);
	refuses_variables(many, E2BIG, "at most 256", "hidden");
	memset(text, 'h', BOX_VARIABLES_BYTES);
	text[1] = '=';
	text[BOX_VARIABLES_BYTES] = '\0';
	strlist_add(&large, text);
	free(text);
	refuses_variables(large, E2BIG, "65536 bytes", "hhhh");
	refuses_variables(LIST("=hidden"), EINVAL, "without a name", "hidden");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(maps),
		cmocka_unit_test(bounded),
		cmocka_unit_test(filtered),
		cmocka_unit_test(variables_are_kept),
		cmocka_unit_test(variables_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
