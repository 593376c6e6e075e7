/* SPDX-License-Identifier: Apache-2.0 */
/* aisbx.yaml: what is right is read as it is meant, what is wrong is refused with its place and a way out. */
#include "support/test.h"

#include "project/project.h"

static void good(const char *text, struct project *ret)
{
	struct aisbx_error e = AISBX_ERROR_INIT;

	*ret = (struct project){ 0 };
	if (project_parse(text, strlen(text), "aisbx.yaml", ret, &e) < 0)
		fail_msg("refused: %s", e.text);
}

/* Each of WORDS (separated by '|') is in the error. */
static void bad(const char *text, const char *words)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct project p = { 0 };
	char copy[400], *word, *rest = copy;

	snprintf(copy, sizeof(copy), "%s", words);
	if (project_parse(text, strlen(text), "aisbx.yaml", &p, &e) == 0)
		fail_msg("taken: %s", text);
	assert_null(p.services.items);
	while ((word = strsep(&rest, "|")))
		if (!strstr(e.text, word))
			fail_msg("'%s' is not in '%s'", word, e.text);
}

static void everything(void **state)
{
	struct project p;
	const struct service_spec *s;

	(void)state;
	good("version: 1\n"
	     "services:\n"
	     "  db:\n"
	     "    command: [postgres, -D, '/tmp/p g']\n"
	     "    ready: {command: [pg_isready, -q], timeout: 1m}\n"
	     "    restart: on-failure\n"
	     "    env: {PGPORT: 5433, EMPTY: , QUOTED: 'a b'}\n"
	     "  cache:\n"
	     "    command: redis-server --port 6379\n"
	     "    ready: {port: 6379}\n"
	     "    restart: no\n"
	     "  web:\n"
	     "    command: [serve]\n"
	     "    after: [cache, db]\n"
	     "    ready: {file: 'here it is', timeout: 500ms}\n"
	     "    restart: always\n",
	     &p);
	assert_int_equal(p.services.n, 3);
	s = &p.services.items[0];
	assert_string_equal(s->name, "db");
	assert_int_equal(s->argv.n, 3);
	assert_string_equal(s->argv.items[2], "/tmp/p g");
	assert_int_equal(s->ready, READY_COMMAND);
	assert_int_equal(s->ready_argv.n, 2);
	assert_int_equal(s->ready_ms, 60000);
	assert_int_equal(s->restart, RESTART_ON_FAILURE);
	assert_int_equal(s->env.n, 3);
	assert_string_equal(s->env.items[0], "PGPORT=5433");
	assert_string_equal(s->env.items[1], "EMPTY=");
	assert_string_equal(s->env.items[2], "QUOTED=a b");
	s = &p.services.items[1];
	assert_int_equal(s->argv.n, 3); /* one text is for a shell */
	assert_string_equal(s->argv.items[0], "sh");
	assert_string_equal(s->argv.items[2], "redis-server --port 6379");
	assert_int_equal(s->ready, READY_PORT);
	assert_int_equal(s->port, 6379);
	assert_int_equal(s->ready_ms, 10000);
	assert_int_equal(s->restart, RESTART_NO);
	s = &p.services.items[2];
	assert_int_equal(s->n_after, 2);
	assert_int_equal(s->after[0], 1);
	assert_int_equal(s->after[1], 0);
	assert_int_equal(s->ready, READY_FILE);
	assert_string_equal(s->ready_argv.items[s->ready_argv.n - 1], "here it is");
	assert_int_equal(s->restart, RESTART_ALWAYS);
	project_finish(&p);
}

static void nothing(void **state)
{
	static const char *const texts[] = { "", "# words\n", "---\n", "version: 1\n", "services: {}\n" };
	struct project p;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		good(texts[i], &p);
		assert_int_equal(p.services.n, 0);
		project_finish(&p);
	}
}

static void aliases(void **state)
{
	struct project p;

	(void)state;
	good("services: {a: {command: &c [x, y], env: &e {A: b}}, b: {command: *c, env: *e, after: [a]}}\n",
	     &p);
	assert_int_equal(p.services.items[1].argv.n, 2);
	assert_string_equal(p.services.items[1].env.items[0], "A=b");
	project_finish(&p);
}

static void keys(void **state)
{
	(void)state;
	bad("servises: {}\n",
	    "aisbx.yaml:1:1:|unknown key 'servises'|version, services|did you mean 'services'?");
	bad("services:\n  db:\n    comand: x\n", "aisbx.yaml:3:5:|unknown key 'comand'|command, after, "
						 "ready, restart, env|did you mean 'command'?");
	bad("services:\n  db:\n    command: x\n    ready:\n      prot: 5\n",
	    "aisbx.yaml:5:7:|unknown key 'prot'|port, file, command, timeout|did you mean 'port'?");
	bad("services:\n  db:\n    command: x\n    ready:\n      port: 5\n      timout: 5s\n",
	    "aisbx.yaml:6:7:|unknown key 'timout'|did you mean 'timeout'?");
	bad("services: {a: {command: x}, a: {command: y}}\n", "1:29:|'a' is repeated");
	bad("services: {a: {command: x, command: y}}\n", "'command' is repeated; it is also in line 1");
	bad("services: {a: &a {command: x}, b: {<<: *a}}\n", "unknown key '<<'");
	bad("? [a]\n: b\n", "a key must be a string, not a list");
	bad("services: {a: {command: x, env: {? {b: c} : d}}}\n", "a key must be a string, not a mapping");
	bad("[a, b]\n", "1:1:|must be a mapping");
	bad("services: [a]\n", "'services' must be a mapping");
	bad("services:\n", "'services' must be a mapping");
	bad("services: {a: x}\n", "a service must be a mapping");
}

static void values(void **state)
{
	(void)state;
	bad("version: 2\n", "1:10:|unknown version '2'");
	bad("services: {a: {}}\n", "service 'a' has no command");
	bad("services: {a: {command: }}\n", "a command is empty");
	bad("services: {a: {command: []}}\n", "a command is empty");
	bad("services: {a: {command: ['']}}\n", "a command is empty");
	bad("services: {a: {command: {x: y}}}\n", "must be a list of words");
	bad("services: {a: {command: [[x]]}}\n", "a word of a command must be a string");
	bad("services: {a: {command: [\"x\\0y\"]}}\n", "contains a NUL");
	bad("services: {a: {command: x, restart: allways}}\n",
	    "'allways'|no, on-failure, always|did you mean 'always'?");
	bad("services: {a: {command: x, env: [A]}}\n", "'env' must be a mapping");
	bad("services: {a: {command: x, env: {1A: b}}}\n", "'1A' is not a variable name");
	bad("services: {a: {command: x, env: {'A=B': b}}}\n", "is not a variable name");
	bad("services: {a: {command: x, env: {A: [b]}}}\n", "a variable must be a string");
	bad("services: {a: {command: x, ready: 5432}}\n", "'ready' must be a mapping");
	bad("services: {a: {command: x, ready: {timeout: 5s}}}\n", "needs one of port, file, command");
	bad("services: {a: {command: x, ready: {port: 1, file: y}}}\n", "only one of port, file, command");
	bad("services: {a: {command: x, ready: {port: 0}}}\n", "'0' is not a port|1 to 65535");
	bad("services: {a: {command: x, ready: {port: 65536}}}\n", "'65536' is not a port");
	bad("services: {a: {command: x, ready: {file: ''}}}\n", "'file' is empty");
	bad("services: {a: {command: x, ready: {port: 1, timeout: soon}}}\n", "'soon' is not a time");
	bad("services: {a: {command: x, ready: {port: 1, timeout: 0}}}\n", "'0' is not a time");
	bad("services: {a: {command: x, ready: {port: 1, timeout: 2h}}}\n", "'2h' is not a time");
	bad("services: {'../a': {command: x}}\n", "'../a' is not a valid name of a service");
	bad("services: {'': {command: x}}\n", "is not a valid name of a service");
	bad("services: {-a: {command: x}}\n", "is not a valid name of a service");
	bad("services: {abcdefghijklmnopqrstuvwxyz0123456: {command: x}}\n",
	    "is not a valid name of a service");
}

static void order(void **state)
{
	(void)state;
	bad("services: {db: {command: x}, web: {command: x, after: [ba]}}\n",
	    "1:56:|there is no service 'ba'|db, web");
	bad("services: {db: {command: x}, web: {command: x, after: [dbs]}}\n", "did you mean 'db'?");
	bad("services: {a: {command: x, after: b}}\n", "'after' must be a list");
	bad("services: {a: {command: x, after: [b, b]}, b: {command: x}}\n", "'b' is repeated");
	bad("services:\n  a: {command: x, after: [a]}\n", "2:3:|wait for each other in a circle: a after a");
	bad("services:\n  z: {command: x}\n  a: {command: x, after: [z, b]}\n  b: {command: x, after: [c]}\n"
	    "  c: {command: x, after: [a]}\n",
	    "3:3:|a after b after c after a");
}

static void syntax(void **state)
{
	(void)state;
	bad("services: {a: {command: x}\n", "aisbx.yaml:2:1: invalid YAML");
	bad("services:\n\t- x\n", "2:1: invalid YAML");
	bad("a: *b\n", "1:4: invalid YAML");
	bad("version: 1\n---\nversion: 1\n", "2:1:|a second document");
	bad("services: !!map {}\n", "tags");
	bad("version: ! 1\n", "tags");
	bad("a: \xff\n", "invalid YAML");
}

static void repeat(char *to, size_t cap, const char *head, const char *unit, size_t n, const char *tail)
{
	size_t at = (size_t)snprintf(to, cap, "%s", head);

	for (size_t i = 0; i < n; i++)
		at += (size_t)snprintf(to + at, cap - at, "%s", unit);
	snprintf(to + at, cap - at, "%s", tail);
	assert_true(strlen(to) < cap - 1);
}

/* None of these takes memory or time worth speaking of. */
static void bombs(void **state)
{
	static char room[PROJECT_MAX_BYTES + 100], inner[50000];

	(void)state;
	repeat(room, sizeof(room), "", "[", 60000, "");
	bad(room, "nested too deep");
	repeat(room, sizeof(room), "services: {a: {command: [", "x,", 5000, "]}}\n");
	bad(room, "too many values");
	repeat(room, sizeof(room), "services: {a: {command: [&x x", ",*x", 300, "]}}\n");
	bad(room, "too many aliases");
	repeat(inner, sizeof(inner), "services: {a: {command: [&x ", "x", 20000, "");
	repeat(room, sizeof(room), inner, ", *x", 200, "]}}\n");
	bad(room, "with all its aliases");
	repeat(room, sizeof(room), "#", "x", PROJECT_MAX_BYTES, "");
	bad(room, "aisbx.yaml: is too long; at most 65536");
	repeat(room, sizeof(room), "services: {a: {command: [", "x,", 1025, "]}}\n");
	bad(room, "more than 1024 words");
	bad("services: &s {a: {command: *s}}\n",
	    "must be a list of words"); /* a circle ends where the tables do */
	bad("a: &a [x,x]\nb: &b [*a,*a]\nservices: *b\n", "unknown key 'a'");
	inner[0] = '\0';
	for (int i = 0; i < 33; i++)
		snprintf(inner + strlen(inner), 40, "%s s%d: {command: x}", i ? "," : "services: {", i);
	strcat(inner, "}\n");
	bad(inner, "33 services; at most 32");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(everything), cmocka_unit_test(nothing), cmocka_unit_test(aliases),
		cmocka_unit_test(keys),       cmocka_unit_test(values),  cmocka_unit_test(order),
		cmocka_unit_test(syntax),     cmocka_unit_test(bombs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
