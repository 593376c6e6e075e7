/* SPDX-License-Identifier: Apache-2.0 */
/* Which profile allows no more than another: what a model may choose. */
#include "support/test.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/scope.h"
#include "box/profiles.h"

/* A profile of its own, over strict. */
static void load(const char *name, const char *text, struct box_profile *ret)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "/tmp/test-within-%d-%s.yaml", (int)getpid(), name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	chmod(path, 0600);
	if (box_profile_load(path, "/", NULL, ret, &e) < 0)
		fail_msg("%s: %s", text, e.text);
	unlink(path);
}

static bool is_within(const char *text, const char *of)
{
	scoped(box_profile_finish) struct box_profile a = { 0 }, b = { 0 };

	load("a", text, &a);
	load("b", of, &b);
	return box_profile_is_within(&a, &b);
}

static void the_same_and_less(void **state)
{
	(void)state;
	assert_true(is_within("", ""));
	assert_true(is_within("", "extends: dev\n"));
	assert_true(is_within("mem: 100m\n", "mem: 200m\n"));
	assert_true(is_within("mounts: [{host: /usr/share, mode: hide}]\n", ""));
	assert_true(is_within("entrypoint: [nice]\n", ""));
	assert_true(is_within("show: [~/.config/x]\n", "show: [~/.config/x, ~/.config/y]\n"));
}

/* Each allows more than strict, or takes something away that holds. */
static void more(void **state)
{
	static const char *const given[] = {
		"extends: dev\n",
		"net: loopback\n",
		"net: allow\negress: [example.org:443]\n",
		"env: {mode: all}\n",
		"env: {pass: [TOKEN]}\n",
		"env: {set: {LD_PRELOAD: /x}}\n",
		"mounts: [{host: /usr/share, guest: /s, mode: rw}]\n",
		"show: [~/.ssh]\n",
		"devices: [/dev/fuse]\n",
		"secrets: {T: 'env:TOKEN'}\n",
		"services: {s: {command: [true]}}\n",
		"caches: true\n",
		"secret-files: plain\n",
		"scan: none\n",
		"mem: 0\n",
		"timeout: 0\n",
		"pids: 100000\n",
		"system: writable\n",
		"caps: [chown]\n",
	};
	static const char *const taken[] = {
		"mounts: [{host: /usr/share, mode: hide}]\n",
		"scan: mine\n",
		"entrypoint: [nice]\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(given) / sizeof(*given); i++)
		if (is_within(given[i], ""))
			fail_msg("allowed: %s", given[i]);
	for (size_t i = 0; i < sizeof(taken) / sizeof(*taken); i++)
		if (is_within("", taken[i]))
			fail_msg("forgotten: %s", taken[i]);
	assert_false(is_within("mem: 0\n", "extends: dev\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(the_same_and_less), cmocka_unit_test(more) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
