/* SPDX-License-Identifier: Apache-2.0 */
/* Injected secrets: the box gets a placeholder, the value is nowhere in what the box is made of. */
#include "support/test.h"

#include "base/scope.h"
#include "box/box.h"
#include "box/injected.h"
#include "box/net_options.h"
#include "net/placeholder.h"

#define TOKEN "ghp_abcdEFGH0123456789abcdEFGH0123456789"
#define KEYS  "AKIAABCDEFGHIJ234567:abcdefghij/1234567890abcdefghij1234567890"
#define WEB   "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6Ikpv.SflKxwRJSMeKKF2QT4fwpM"

static const char *const variables[] = {
	"T=" TOKEN, "K=" KEYS, "W=" WEB, "S=12345-$$$", "URL=https://" TOKEN "@a.example", "PLAIN=kept", NULL
};
static const struct caller by = { .cwd = "/", .env = variables };

static int fill(struct run_spec *spec, const char *text, struct aisbx_error *e)
{
	int r;

	strlist_add(&spec->secrets.specs, text);
	spec->command.env = variables;
	r = box_secrets_read(&spec->secrets, by.cwd, by.env, NULL, e);
	return r == 0 ? box_injected_fill(&by, spec, e) : r;
}

static void must_fill(struct run_spec *spec, const char *text)
{
	struct aisbx_error e = AISBX_ERROR_INIT;

	if (fill(spec, text, &e) < 0)
		fail_msg("%s: %s", text, e.text);
	assert_int_equal(spec->net.n_injected, 1);
}

static bool has(const struct strlist *l, const char *text)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->items[i], text))
			return true;
	return false;
}

static void the_box_gets_a_placeholder(void **state)
{
	scoped(box_spec_finish) struct run_spec spec = { 0 };
	const struct run_injected *i;
	char want[128];

	(void)state;
	must_fill(&spec, "X=env:T,inject=API.example.org X-Key: {}");
	i = spec.net.injected;
	assert_string_equal(i->name, "X");
	assert_string_equal(i->host, "api.example.org");
	assert_int_equal(i->port, 443);
	assert_string_equal(i->how, "header");
	assert_string_equal(i->header, "X-Key: {}");
	assert_string_equal(i->value, TOKEN);
	assert_false(i->as_file);
	assert_true(placeholder_fits(TOKEN, i->placeholder));
	snprintf(want, sizeof(want), "X=%s", i->placeholder);
	assert_int_equal(spec.command.set_env.n, 1);
	assert_string_equal(spec.command.set_env.items[0], want);
	/* It is known, and goes nowhere; variables that have it are not passed on. */
	assert_int_equal(spec.secrets.n, 1);
	assert_string_equal(spec.secrets.items[0].value, TOKEN);
	assert_false(spec.secrets.items[0].as_env || spec.secrets.items[0].as_file);
	assert_true(has(&spec.secrets.sources, "T") && has(&spec.secrets.sources, "URL"));
	assert_false(has(&spec.secrets.sources, "PLAIN"));
}

static void a_pair_of_keys_has_its_usual_variables(void **state)
{
	scoped(box_spec_finish) struct run_spec spec = { 0 };
	const char *placeholder;
	char want[128];

	(void)state;
	must_fill(&spec, "X=env:K,as=both,inject=*.amazonaws.com aws-sigv4");
	placeholder = spec.net.injected->placeholder;
	assert_string_equal(spec.net.injected->host, "*.amazonaws.com");
	assert_string_equal(spec.net.injected->header, "");
	assert_true(spec.net.injected->as_file);
	assert_true(placeholder[20] == ':' && !strncmp(placeholder, "AKIA", 4));
	assert_true(placeholder_fits(KEYS, placeholder));
	snprintf(want, sizeof(want), "AWS_ACCESS_KEY_ID=%.20s", placeholder);
	assert_true(has(&spec.command.set_env, want));
	snprintf(want, sizeof(want), "AWS_SECRET_ACCESS_KEY=%s", placeholder + 21);
	assert_true(has(&spec.command.set_env, want));
	assert_int_equal(spec.command.set_env.n, 3);
}

/* All but the end of a JSON web token is in its placeholder, too: output with that is left as it is. */
static void a_placeholder_is_no_secret(void **state)
{
	static const char *const specs[] = { "X=env:T,inject=a.example", "X=env:W,inject=a.example",
					     "X=env:K,inject=a.example aws-sigv4" };

	(void)state;
	for (size_t i = 0; i < sizeof(specs) / sizeof(*specs); i++) {
		scoped(box_spec_finish) struct run_spec spec = { 0 };
		scoped(buf_finish) struct buf told = { 0 }, hidden = { 0 };
		scoped(drop_redactor) struct redactor *redactor = NULL;
		const struct run_injected *in;

		must_fill(&spec, specs[i]);
		in = spec.net.injected;
		redactor = redactor_create(spec.secrets.items, spec.secrets.n);
		assert_non_null(redactor);
		assert_true(redact_bytes(redactor, in->placeholder, strlen(in->placeholder), &told));
		assert_string_equal(buf_str(&told), in->placeholder);
		assert_true(redact_bytes(redactor, in->value, strlen(in->value), &hidden));
		assert_non_null(strstr(buf_str(&hidden), "[secret X]"));
	}
}

static void what_cannot_be_is_refused(void **state)
{
	static const struct {
		const char *secret, *argument, *variable, *told;
	} rows[] = {
		{ "X=env:T,inject=a.example", "-H" TOKEN, NULL, "the command line has its value" },
		{ "X=env:T,inject=a.example", NULL, "A=b" TOKEN "c", "the variable 'A'" },
		{ "X=env:K,inject=a.example aws-sigv4", "abcdefghij/1234567890abcdefghij1234567890", NULL,
		  "the command line has its value" },
		{ "X=env:T,inject=a.example aws-sigv4", NULL, NULL, "is not KEY-ID:SECRET" },
		{ "X=env:S,inject=a.example", NULL, NULL, "at least 8 letters and digits" },
		{ "X=env:T,inject=127.1", NULL, NULL, "secret 'X'" },
		{ "X=env:T,inject=host.aisbx.internal", NULL, NULL, "secret 'X'" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		scoped(box_spec_finish) struct run_spec spec = { 0 };
		struct aisbx_error e = AISBX_ERROR_INIT;

		if (rows[i].argument)
			strlist_add(&spec.command.argv, rows[i].argument);
		if (rows[i].variable)
			strlist_add(&spec.command.set_env, rows[i].variable);
		assert_failed(fill(&spec, rows[i].secret, &e), EINVAL, e, rows[i].told);
		assert_null(strstr(e.text, TOKEN));
	}
}

static void a_secret_has_a_rule(void **state)
{
	static const struct {
		const char *before, *secret, *after[3];
	} rows[] = {
		{ NULL, "X=env:T,inject=a.example", { "net:egress:a.example:443" } },
		{ "net:egress:a.example:*", "X=env:T,inject=a.example", { "net:egress:a.example:*" } },
		{ "net:egress:*.example:443", "X=env:T,inject=a.example", { "net:egress:*.example:443" } },
		{ "net:egress:a.example:443",
		  "X=env:T,inject=*.a.example",
		  { "net:egress:a.example:443", "net:egress:*.a.example:443" } },
		{ "net:egress:a.example:443",
		  "X=env:T,inject=a.example:8443",
		  { "net:egress:a.example:443", "net:egress:a.example:8443" } },
		{ "https://a.example/v1/* GET",
		  "X=env:T,inject=a.example",
		  { "https://a.example/v1/* GET" } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		scoped(strlist_finish) struct strlist specs = { 0 }, rules = { 0 };
		scoped(box_spec_finish) struct run_spec spec = { 0 };
		struct aisbx_error e = AISBX_ERROR_INIT;

		if (rows[i].before)
			strlist_add(&spec.net.rules, rows[i].before);
		strlist_add(&specs, rows[i].secret);
		assert_int_equal(box_injected_rules(&specs, &rules, &e), 0);
		assert_int_equal(rules.n, 1);
		assert_int_equal(net_options_need(&spec, rules.items[0], &e), 0);
		for (size_t k = 0; k < 3 && rows[i].after[k]; k++)
			assert_string_equal(spec.net.rules.items[k], rows[i].after[k]);
		assert_true(spec.net.rules.n == 3 || !rows[i].after[spec.net.rules.n]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_box_gets_a_placeholder),
		cmocka_unit_test(a_pair_of_keys_has_its_usual_variables),
		cmocka_unit_test(a_placeholder_is_no_secret),
		cmocka_unit_test(what_cannot_be_is_refused),
		cmocka_unit_test(a_secret_has_a_rule),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
