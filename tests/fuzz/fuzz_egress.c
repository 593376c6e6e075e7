/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes what reads rules, names, addresses and paths. The first byte says which. What is accepted is in its
 * one true form, is read as the same again, and opens nothing that must stay closed.
 */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "policy/egress.h"
#include "policy/egress_presets.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(bool truth)
{
	if (!truth)
		__builtin_trap();
}

/* What no rule has, whatever it says. */
static void must_be_closed(const struct egress_rule *r)
{
	static const char *const never[] = { "127.0.0.1",
					     "0.0.0.0",
					     "::",
					     "::1",
					     "::ffff:127.0.0.1",
					     "169.254.169.254",
					     "fd00:ec2::254",
					     "100.100.100.200",
					     "224.0.0.1",
					     "ff02::1",
					     "64:ff9b::10.0.0.1",
					     "2002:7f00:1::",
					     "2a00::5efe:10.0.0.1" };

	for (size_t i = 0; i < sizeof(never) / sizeof(*never); i++) {
		struct egress_address a;

		must(egress_address_read(never[i], strlen(never[i]), &a));
		must(egress_classify(&a) != EGRESS_PUBLIC);
		must(!egress_match_address(r, 1, &a, r->port ? r->port : 80, r->udp));
	}
	must(r->kind == EGRESS_LOCAL || !egress_match_lookup(r, 1, EGRESS_HOST_NAME));
	must(!egress_match_lookup(r, 1, ""));
}

static bool same(const struct egress_rule *a, const struct egress_rule *b)
{
	return a->kind == b->kind && a->any == b->any && a->below == b->below && a->udp == b->udp &&
	       a->records == b->records && a->private == b->private && a->port == b->port &&
	       a->prefix == b->prefix && a->from.family == b->from.family &&
	       !memcmp(a->from.bytes, b->from.bytes, 16) && a->bytes == b->bytes && a->rate == b->rate &&
	       a->methods == b->methods && !strcmp(a->name, b->name) && !strcmp(a->path, b->path) &&
	       !strcmp(a->text, b->text);
}

static void check_rule(const struct egress_rule *r)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct egress_rule again;
	char name[EGRESS_NAME_MAX], path[EGRESS_PATH_MAX];

	must(egress_rule_parse(r->text, &again, &e) == 0 && same(&again, r));
	must(strspn(r->text, "\n\t\r") == 0 && strlen(r->text) < sizeof(r->text));
	if (r->kind == EGRESS_NAMES && !r->any) {
		must(egress_name(r->name, strlen(r->name), name) && !strcmp(name, r->name));
		must(r->below == !egress_match_name(r, 1, r->name, r->port ? r->port : 1, r->udp));
	}
	must(!egress_rule_ends_tls(r) || (r->kind == EGRESS_NAMES && !r->udp && r->port));
	must(!r->path[0] || egress_path(r->path, strlen(r->path), path, sizeof(path)));
	must(r->kind == EGRESS_RANGE || !r->from.family);
	must_be_closed(r);
}

static void check_text(const char *text)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct strlist rules = { 0 };
	struct egress_rule r;

	if (egress_rule_parse(text, &r, &e) == 0)
		check_rule(&r);
	else
		must(e.code < 0 && e.text[0]);
	if (egress_expand(text, &rules, &e) == 0)
		must(rules.n > 0 && rules.n <= EGRESS_MAX_RULES);
	for (size_t i = 0; i < rules.n; i++)
		must(egress_rule_parse(rules.items[i], &r, &e) == 0 && !strcmp(r.text, rules.items[i]));
	strlist_finish(&rules);
}

/* No name is also an address to the C library. */
static void check_name(const char *text, size_t len)
{
	char name[EGRESS_NAME_MAX], again[EGRESS_NAME_MAX];
	struct egress_address a;
	struct in_addr in;

	if (!egress_name(text, len, name))
		return;
	must(egress_name(name, strlen(name), again) && !strcmp(name, again));
	must(!inet_aton(name, &in) && !egress_address_read(name, strlen(name), &a));
	must(!memchr(text, '\0', len));
}

static void check_address(const char *text, size_t len)
{
	struct egress_address a, again;
	char out[46];

	if (!egress_address_read(text, len, &a))
		return;
	egress_address_text(&a, out, sizeof(out));
	must(egress_address_read(out, strlen(out), &again) && egress_address_same(&a, &again));
	must(egress_classify(&a) == egress_classify(&again) && egress_class_name(egress_classify(&a)));
}

static void check_path(const char *text, size_t len)
{
	char path[1024], again[1024];

	if (!egress_path(text, len, path, sizeof(path)))
		return;
	must(path[0] == '/' && !strstr(path, "/../") && !strstr(path, "//") && !strpbrk(path, "?#\\"));
	must(egress_path(path, strlen(path), again, sizeof(again)) && !strcmp(path, again));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	size_t n = len ? len - 1 : 0;
	char *text;

	if (!len || len > 4096)
		return 0;
	text = malloc(n + 1); /* of its exact size, so that a byte too far is seen */
	must(text != NULL);
	memcpy(text, data + 1, n);
	text[n] = '\0';
	switch (data[0]) {
	case 'n':
		check_name(text, n);
		break;
	case 'a':
		check_address(text, n);
		break;
	case 'p':
		check_path(text, n);
		break;
	default:
		check_text(text);
	}
	free(text);
	return 0;
}
