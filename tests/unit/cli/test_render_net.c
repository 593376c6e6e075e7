/* SPDX-License-Identifier: Apache-2.0 */
/* Rules, ports and connections as text. */
#include "support/test.h"

#include <fcntl.h>
#include <unistd.h>

#include "cli/cli.h"

/* What SHOW says of RESULT on standard output. */
static char *shown(void (*show)(const json_t *), const char *result)
{
	char path[] = "/tmp/test-render-XXXXXX";
	int file = mkstemp(path), saved = dup(STDOUT_FILENO);
	json_t *j = json_loads(result, 0, NULL);
	char *seen = calloc(1, 4096);

	assert_true(file >= 0 && saved >= 0 && j && seen);
	fflush(stdout);
	dup2(file, STDOUT_FILENO);
	show(j);
	fflush(stdout);
	dup2(saved, STDOUT_FILENO);
	assert_true(pread(file, seen, 4095, 0) >= 0);
	close(file);
	close(saved);
	unlink(path);
	json_decref(j);
	return seen;
}

static const struct {
	void (*show)(const json_t *result);
	const char *result, *text;
} cases[] = {
	{ cli_render_net,
	  "{\"connections\":[{\"act\":\"tcp\",\"name\":\"pypi.org\",\"address\":\"1.2.3.4\",\"port\":443,"
	  "\"verdict\":\"allowed\",\"reason\":null,\"count\":2,\"sent\":2048,\"received\":1048576},"
	  "{\"act\":\"lookup\",\"name\":\"ev\\u001bil\",\"address\":null,\"port\":null,\"verdict\":"
	  "\"refused\","
	  "\"reason\":\"no-rule\",\"count\":1,\"sent\":0,\"received\":0},"
	  "{\"act\":\"tcp\",\"name\":null,\"address\":\"2a00::1\",\"port\":25,\"verdict\":\"refused\","
	  "\"reason\":\"no-rule\",\"count\":1}],\"not_kept\":3}",
	  "  net allowed  tcp    pypi.org:443 (1.2.3.4), 2 times, 2 KiB sent, 1 MiB received\n"
	  "  net refused  lookup ev?il, no-rule\n"
	  "  net refused  tcp    [2a00::1]:25, no-rule\n"
	  "  net and 3 more kinds\n" },
	{ cli_render_ports, "{\"ports\":[{\"port\":80,\"host_port\":4001,\"address\":\"127.0.0.1:4001\"}]}",
	  "127.0.0.1:4001 -> 80\n" },
	{ cli_render_net_rules, "{\"rules\":[\"net:egress:a.example:443\"],\"changed\":[]}",
	  "net:egress:a.example:443\n" },
	{ cli_render_net_rules, "{\"rules\":[\"a\"],\"changed\":[\"a\"]}", "" },
};

static void what_is_shown(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *seen = shown(cases[i].show, cases[i].result);

		assert_string_equal(seen, cases[i].text);
		free(seen);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(what_is_shown) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
