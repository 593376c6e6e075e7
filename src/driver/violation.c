/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns what a run was refused into violations: what was tried, by whom, which rule refused it, what would
 * allow it.
 */
#include "driver/violation.h"

#include <arpa/inet.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/error.h"
#include "base/str.h"
#include "policy/seccomp.h"

#define DNS_PORT 53

static int describe_call(const struct run_refusal *t, const struct run_spec *spec, struct violation *v)
{
	const unsigned int preset = spec->profile.seccomp;
	bool fixed = spec->walls.image && spec->walls.image->preset;

	v->kind = "syscall";
	if (asprintf(&v->what, "%s", seccomp_call_name(t->number)) < 0 ||
	    asprintf(&v->rule, "seccomp=%s: %s", seccomp_preset_name(preset),
		     seccomp_call_reason(preset, t->number)) < 0)
		return -ENOMEM;
	return asprintf(&v->allow_with, seccomp_preset_is_why(preset, t->number) && !fixed
						? "--seccomp default"
						: "--without seccomp");
}

static int describe_decoy(const struct run_refusal *t, const struct strlist *watched, struct violation *v)
{
	const char *path = (size_t)t->number <= watched->n ? watched->items[t->number - 1] : "?";

	v->kind = "decoy";
	if (asprintf(&v->what, "open %s", path) < 0 || asprintf(&v->rule, "secrets=hidden") < 0)
		return -ENOMEM;
	return asprintf(&v->allow_with, "--ro %s", path);
}

/* "192.0.2.1:80", "[2001:db8::1]:80" */
static void write_address(const struct run_address *a, char *ret, size_t cap)
{
	char text[INET6_ADDRSTRLEN] = "?";

	inet_ntop(a->family, a->bytes, text, sizeof(text));
	snprintf(ret, cap, a->family == AF_INET6 ? "[%s]:%u" : "%s:%u", text, a->port);
}

/*
 * Not the wall away, but one rule. Which name a packet to a resolver asks for nobody has read: then the words
 * say what is missing.
 */
static int advise_net(const struct run_address *to, bool udp, char **ret)
{
	struct egress_address a = { .family = to->family == AF_INET6 ? 6 : 4 };
	char text[INET6_ADDRSTRLEN];

	if (to->port == DNS_PORT)
		return asprintf(ret, "--net NAME:443, with the name that it looked up, which is not known");
	if (run_address_is_loopback(to))
		return asprintf(ret, "--net loopback");
	/* ::ffff:192.0.2.1 is 192.0.2.1 */
	if (!inet_ntop(to->family, to->bytes, text, sizeof(text)) ||
	    !egress_address_read(text, strlen(text), &a))
		return asprintf(ret, "%s", "");
	return violation_address_rule(&a, to->port, udp, ret);
}

static int describe_net(const struct run_refusal *t, const struct run_spec *spec, struct violation *v)
{
	char address[INET6_ADDRSTRLEN + 16];

	write_address(&t->to, address, sizeof(address));
	v->kind = "net";
	if (asprintf(&v->what, "%s %s%s", seccomp_call_name(t->number), address,
		     t->to.port == DNS_PORT ? " (to look up a name)" : "") < 0 ||
	    asprintf(&v->rule, "net=%s: no route to that address", net_mode_name(spec->profile.net)) < 0)
		return -ENOMEM;
	if (spec->net.no_rules && !(run_address_is_loopback(&t->to) && !spec->net.no_ports))
		return asprintf(&v->allow_with, "%s", ""); /* the policy of its image leaves nothing */
	return advise_net(&t->to, !strcmp(seccomp_call_name(t->number), "sendto"), &v->allow_with);
}

static int describe_refusal(const struct run_refusal *t, const struct run_spec *spec,
			    const struct strlist *watched, struct violation *v)
{
	v->count = t->count;
	v->pid = t->pid;
	if (t->comm[0] && asprintf(&v->by, "%s", t->comm) < 0)
		return -ENOMEM;
	switch (t->kind) {
	case RUN_REFUSAL_SYSCALL:
		return describe_call(t, spec, v);
	case RUN_REFUSAL_DECOY:
		return describe_decoy(t, watched, v);
	case RUN_REFUSAL_NET:
		return describe_net(t, spec, v);
	}
	return -EINVAL;
}

/* Only calls of another architecture are killed, and what a seccomp file says; by that nobody is told of
 * them. */
static bool killed_by_filter(const struct run_outcome *o)
{
	return o->end == RUN_EXITED && WIFSIGNALED(o->status) && WTERMSIG(o->status) == SIGSYS;
}

static int describe_kill(const struct profile *p, struct violation *v)
{
	*v = (struct violation){ .kind = "syscall", .count = 1 };
	if (p->seccomp_file) {
		if (asprintf(&v->what, "a system call that ends its process") < 0 ||
		    asprintf(&v->rule, "seccomp=%s: its action for the call, or one of another architecture",
			     p->seccomp_file) < 0)
			return -ENOMEM;
	} else if (asprintf(&v->what, "a system call of another architecture (int 0x80, x32)") < 0 ||
		   asprintf(&v->rule, "seccomp=%s: its numbers mean other calls than those the filter checks",
			    seccomp_preset_name(p->seccomp)) < 0) {
		return -ENOMEM;
	}
	return asprintf(&v->allow_with, "--without seccomp");
}

/* What a command that came to its limit wanted: a pattern for the value. */
static const struct {
	enum { AMOUNT, MS, BYTES } unit;
	const char *wanted;
} wants[LIMIT_COUNT] = {
	[LIMIT_WALL_TIME] = { MS, "run longer than %s" },
	[LIMIT_CPU_TIME] = { MS, "use more than %s of processor time" },
	[LIMIT_MEMORY] = { BYTES, "use more than %s of memory" },
	[LIMIT_PROCESSES] = { AMOUNT, "have more than %s processes at once" },
	[LIMIT_FILES] = { AMOUNT, "have more than %s files open in one process" },
	[LIMIT_FILE_SIZE] = { BYTES, "write more than %s to one file" },
	[LIMIT_DISK] = { BYTES, "keep more than %s on disk" },
	[LIMIT_INODES] = { AMOUNT, "keep more than %s files" },
	[LIMIT_LIFETIME] = { MS, "run longer than its box, which had %s left" },
	[LIMIT_FUEL] = { AMOUNT, "execute more than %s instructions" },
};

/* For people. */
static const char *write_amount(enum limit l, uint64_t value, char *ret, size_t cap)
{
	if (wants[l].unit == MS)
		return str_ms(value, ret, cap);
	if (wants[l].unit == BYTES)
		return str_size(value, ret, cap);
	snprintf(ret, cap, "%llu", (unsigned long long)value);
	return ret;
}

/* As an option or a profile has it; exactly. */
static const char *write_value(enum limit l, uint64_t value, char *ret, size_t cap)
{
	static const char suffixes[] = { 0, 'k', 'm', 'g', 't' };
	size_t n = 0;

	if (wants[l].unit == MS) {
		snprintf(ret, cap, value % 1000 ? "%llums" : "%llus",
			 (unsigned long long)(value % 1000 ? value : value / 1000));
		return ret;
	}
	while (wants[l].unit == BYTES && value && !(value % 1024) && n + 1 < sizeof(suffixes)) {
		value /= 1024;
		n++;
	}
	snprintf(ret, cap, "%llu%.1s", (unsigned long long)value, &suffixes[n]);
	return ret;
}

/* No option gives more than who starts a box may have himself. */
static bool is_the_callers(const struct driver_result *r, const struct run_spec *spec, enum limit l)
{
	return (l == LIMIT_FILES || l == LIMIT_PROCESSES || l == LIMIT_FILE_SIZE) &&
	       spec->profile.limits[l] > r->limits[l] && driver_limit_met(r, l) == r->limits[l];
}

static int describe_limit(const struct driver_result *r, const struct run_spec *spec, enum limit l,
			  struct violation *v)
{
	bool of_caller = is_the_callers(r, spec, l);
	uint64_t value = driver_limit_met(r, l);
	char amount[32], now[32], more[32];

	*v = (struct violation){ .kind = "limit", .count = 1 };
	write_amount(l, value, amount, sizeof(amount));
	write_value(l, value, now, sizeof(now));
	write_value(l, value * 2, more, sizeof(more));
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" /* each of the table takes one text */
	if (asprintf(&v->what, wants[l].wanted ? wants[l].wanted : "use more than %s", amount) < 0 ||
	    asprintf(&v->rule, "%s=%s%s", limit_option(l), now,
		     of_caller ? ": who started the box may not have more itself (ulimit -H)" : "") < 0)
		return -ENOMEM;
#pragma GCC diagnostic pop
	if (of_caller)
		return asprintf(&v->allow_with, "%s", "");
	if (l == LIMIT_LIFETIME)
		return asprintf(&v->allow_with, "--ttl");
	return asprintf(&v->allow_with, "--%s %s", limit_option(l), more);
}

/* Room for one more. */
static struct violation *add_one(struct driver_result *result)
{
	struct violation *more = realloc(result->violations, (result->n_violations + 1) * sizeof(*more));

	if (!more)
		return NULL;
	result->violations = more;
	more[result->n_violations] = (struct violation){ 0 };
	return &more[result->n_violations++];
}

int violation_add_limit(struct driver_result *result, const struct run_spec *spec, enum limit l)
{
	struct violation *v = add_one(result);

	return v && describe_limit(result, spec, l, v) >= 0 ? 0 : -ENOMEM;
}

int violation_add_import(struct driver_result *result, const char *module, const char *name)
{
	struct violation *v = add_one(result);

	if (!v)
		return -ENOMEM;
	*v = (struct violation){ .kind = "import", .count = 1 };
	return asprintf(&v->what, "import '%s' of '%s'", name, module) >= 0 &&
			       asprintf(&v->rule, "driver=wasm: a program has what WASI has, and no "
						  "functions of its host") >= 0 &&
			       asprintf(&v->allow_with, "%s", "") >= 0
		       ? 0
		       : -ENOMEM;
}

int violations_describe(struct driver_result *result, const struct run_spec *spec,
			const struct strlist *watched, struct aisbx_error *e)
{
	struct run_outcome *o = &result->outcome;
	enum limit met = o->limit;
	int r = 0;

	if (met == LIMIT_COUNT && o->usage.refused_forks && result->limits[LIMIT_PROCESSES])
		met = LIMIT_PROCESSES; /* refused, and the command went on */

	result->violations = calloc(o->n_refusals + RUN_MAX_NET_REFUSALS + 3, sizeof(*result->violations));
	for (size_t i = 0; result->violations && r >= 0 && i < o->n_refusals; i++)
		r = describe_refusal(&o->refusals[i], spec, watched,
				     &result->violations[result->n_violations++]);
	if (result->violations && r >= 0)
		r = violations_of_net(o, result->violations, &result->n_violations, &o->refusals_not_kept);
	if (result->violations && r >= 0 && killed_by_filter(o))
		r = describe_kill(&spec->profile, &result->violations[result->n_violations++]);
	if (result->violations && r >= 0 && met != LIMIT_COUNT)
		r = describe_limit(result, spec, met, &result->violations[result->n_violations++]);
	if (result->violations && r >= 0)
		return 0;
	driver_result_finish(result);
	return aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "describe the violations");
}
