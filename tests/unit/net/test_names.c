/* SPDX-License-Identifier: Apache-2.0 */
/* Names and their addresses: asked once, checked, kept; a resolver of the test's own answers. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/scope.h"
#include "net/names.h"

struct fixture {
	struct loop loop;
	struct names names;
	int resolver; /* the other end */
	struct egress_rule rules[4];
};

struct waiter {
	struct name_waiter w;
	unsigned int calls;
	enum name_state state;
	const struct name *name;
};

static void known(struct name_waiter *w)
{
	struct waiter *mine = (struct waiter *)w;

	mine->calls++;
	mine->state = w->name->state;
	mine->name = w->name;
}

static struct egress_address four(uint8_t a, uint8_t b, uint8_t c, uint8_t d)
{
	return (struct egress_address){ .family = 4, .bytes = { a, b, c, d } };
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	int pair[2];

	assert_non_null(f);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
	f->resolver = pair[1];
	assert_int_equal(loop_init(&f->loop), 0);
	assert_int_equal(names_init(&f->names, &f->loop, pair[0]), 0);
	f->names.rules = f->rules;
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	loop_close(&f->loop, &f->names.resolver);
	for (size_t i = 0; i < f->names.n; i++)
		free(f->names.all[i]);
	free(f->names.all);
	free(f->loop.dead);
	close(f->loop.epoll);
	close(f->resolver);
	free(f);
	return 0;
}

static void add_rule(struct fixture *f, const char *text)
{
	struct aisbx_error e = AISBX_ERROR_INIT;

	assert_int_equal(egress_rule_parse(text, &f->rules[f->names.n_rules++], &e), 0);
}

/* Answers one question; false if there is none. */
static bool reply(struct fixture *f, const char *name, const struct egress_address *a, uint16_t n)
{
	struct resolver_question q;
	static struct resolver_answer answer;

	if (recv(f->resolver, &q, sizeof(q), MSG_DONTWAIT) != sizeof(q))
		return false;
	assert_string_equal(q.name, name);
	answer = (struct resolver_answer){ .id = q.id, .record = q.record, .n = n };
	if (n)
		memcpy(answer.addresses, a, n * sizeof(*a));
	assert_int_equal(send(f->resolver, &answer, sizeof(answer), 0), sizeof(answer));
	loop_turn(&f->loop, 1000);
	return true;
}

static void test_asked_once_and_kept(void **state)
{
	const struct egress_address a[] = { four(93, 184, 216, 34), four(93, 184, 216, 35) };
	struct waiter one = { .w.known = known }, two = { .w.known = known };
	struct fixture *f = *state;

	assert_int_equal(names_ask(&f->names, "example.org", &one.w), 0);
	assert_int_equal(names_ask(&f->names, "example.org", &two.w), 0);
	assert_int_equal(one.calls, 0);
	assert_true(reply(f, "example.org", a, 2));
	assert_int_equal(one.calls, 1);
	assert_int_equal(two.calls, 1);
	assert_int_equal(one.state, NAME_KNOWN);
	assert_int_equal(one.name->n, 2);
	assert_ptr_equal(names_at(&f->names, &a[1], 0), one.name);
	assert_null(names_at(&f->names, &a[1], 1));
	assert_int_equal(names_ask(&f->names, "example.org", &one.w), 0);
	assert_int_equal(one.calls, 2);
	assert_false(reply(f, "", NULL, 0));
}

static void test_what_is_not_public_is_forbidden(void **state)
{
	const struct egress_address a[] = { four(169, 254, 169, 254), four(10, 0, 0, 1), four(127, 0, 0, 1) };
	struct waiter w = { .w.known = known };
	struct fixture *f = *state;

	add_rule(f, "net:egress:evil.example:443");
	names_ask(&f->names, "evil.example", &w.w);
	assert_true(reply(f, "evil.example", a, 3));
	assert_int_equal(w.state, NAME_FORBIDDEN);
	assert_int_equal(w.name->n, 0);
	assert_null(names_at(&f->names, &a[1], 0));
}

static void test_private_by_rule_only(void **state)
{
	const struct egress_address a[] = { four(10, 0, 0, 1), four(127, 0, 0, 1) };
	struct waiter w = { .w.known = known };
	struct fixture *f = *state;

	add_rule(f, "net:egress:mirror.example:443 private");
	names_ask(&f->names, "mirror.example", &w.w);
	assert_true(reply(f, "mirror.example", a, 2));
	assert_int_equal(w.state, NAME_KNOWN);
	assert_int_equal(w.name->n, 1);
	assert_true(egress_address_same(&w.name->real[0], &a[0]));
	names_ask(&f->names, "other.example", &w.w);
	assert_true(reply(f, "other.example", a, 1));
	assert_int_equal(w.state, NAME_FORBIDDEN);
}

/* A rule for a range lets a name lead there by the range's own port only, and only while it is a rule. */
static void test_a_range_holds_for_its_port(void **state)
{
	const struct egress_address a = four(10, 0, 0, 1), out = four(93, 184, 216, 34);
	struct waiter w = { .w.known = known };
	struct fixture *f = *state;

	add_rule(f, "net:egress:db.example:443");
	add_rule(f, "net:egress:10.0.0.0/8:5432");
	names_ask(&f->names, "db.example", &w.w);
	assert_true(reply(f, "db.example", &a, 1));
	assert_int_equal(w.state, NAME_KNOWN);
	assert_true(names_may_dial(&f->names, w.name, &a, 5432, false));
	assert_false(names_may_dial(&f->names, w.name, &a, 443, false));
	assert_false(names_may_dial(&f->names, w.name, &a, 5432, true));
	assert_true(names_may_dial(&f->names, w.name, &out, 443, false));
	f->names.n_rules = 1;
	assert_false(names_may_dial(&f->names, w.name, &a, 5432, false));
}

static void test_no_address(void **state)
{
	struct waiter w = { .w.known = known };
	struct fixture *f = *state;

	names_ask(&f->names, "nowhere.example", &w.w);
	assert_true(reply(f, "nowhere.example", NULL, 0));
	assert_int_equal(w.state, NAME_NONE);
	f->names.proxied = true; /* then it may be known where the proxy is */
	names_ask(&f->names, "corp.example", &w.w);
	assert_true(reply(f, "corp.example", NULL, 0));
	assert_int_equal(w.state, NAME_KNOWN);
	assert_int_equal(w.name->shown.bytes[0], 198);
}

/* By TLS and HTTP the first bytes tell two names apart; else one of them gets an address of its own. */
static void test_shared_addresses(void **state)
{
	const struct egress_address a = four(93, 184, 216, 34);
	struct waiter w = { .w.known = known };
	struct fixture *f = *state;
	const struct name *first;

	add_rule(f, "net:egress:*.web.example:443");
	add_rule(f, "net:egress:*.git.example:22");
	names_ask(&f->names, "a.web.example", &w.w);
	assert_true(reply(f, "a.web.example", &a, 1));
	names_ask(&f->names, "b.web.example", &w.w);
	assert_true(reply(f, "b.web.example", &a, 1));
	assert_int_equal(w.name->shown.family, 0);
	assert_non_null(names_at(&f->names, &a, 1));
	names_ask(&f->names, "a.git.example", &w.w);
	assert_true(reply(f, "a.git.example", &a, 1));
	first = w.name;
	assert_int_equal(first->shown.family, 4);
	assert_int_equal(first->shown.bytes[0], 198);
	assert_ptr_equal(names_at(&f->names, &first->shown, 0), first);
}

static void test_made_up_addresses_are_stable(void **state)
{
	struct fixture *f = *state;
	const struct name *a = names_invent(&f->names, "a.example"),
			  *b = names_invent(&f->names, "b.example");

	assert_non_null(a);
	assert_non_null(b);
	assert_false(egress_address_same(&a->shown, &b->shown));
	assert_ptr_equal(names_invent(&f->names, "a.example"), a);
	assert_false(reply(f, "", NULL, 0)); /* nobody was asked */
}

static void test_who_waits_no_more(void **state)
{
	const struct egress_address a = four(93, 184, 216, 34);
	struct waiter one = { .w.known = known }, two = { .w.known = known };
	struct fixture *f = *state;

	names_ask(&f->names, "example.org", &one.w);
	names_ask(&f->names, "example.org", &two.w);
	names_forget(&one.w);
	assert_true(reply(f, "example.org", &a, 1));
	assert_int_equal(one.calls, 0);
	assert_int_equal(two.calls, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_asked_once_and_kept, setup, teardown),
		cmocka_unit_test_setup_teardown(test_what_is_not_public_is_forbidden, setup, teardown),
		cmocka_unit_test_setup_teardown(test_private_by_rule_only, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_range_holds_for_its_port, setup, teardown),
		cmocka_unit_test_setup_teardown(test_no_address, setup, teardown),
		cmocka_unit_test_setup_teardown(test_shared_addresses, setup, teardown),
		cmocka_unit_test_setup_teardown(test_made_up_addresses_are_stable, setup, teardown),
		cmocka_unit_test_setup_teardown(test_who_waits_no_more, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
