/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a learned profile as YAML, each value with its reason. */
#include "flow/learned.h"

#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "base/str.h"
#include "net/control.h"
#include "policy/seccomp.h"

#define WHY_COLUMN 30

/* Text in double quotes, as YAML and JSON both have it. */
static void add_quoted(struct buf *b, const char *text)
{
	json_t *s = json_string(text);
	char *quoted = s ? json_dumps(s, JSON_ENCODE_ANY) : NULL;

	buf_addf(b, "%s", quoted ? quoted : "\"?\"");
	free(quoted);
	json_decref(s);
}

/* Behind a '#': it must not end the line. */
static void add_comment(struct buf *b, const char *text)
{
	for (; *text; text++)
		buf_addf(b, "%c", (unsigned char)*text < ' ' || *text == 0x7f ? '?' : *text);
}

static void add_value(struct learned *p, const char *key, const char *value, const char *why)
{
	struct learned_value *more = realloc(p->values, (p->n + 1) * sizeof(*more));

	if (!more) {
		p->failed = true;
		return;
	}
	p->values = more;
	more[p->n] = (struct learned_value){ key, strdup(value), strdup(why) };
	p->failed = p->failed || !more[p->n].value || !more[p->n].why;
	p->n++;
}

static void say(struct learned *p, const char *key, const char *value, const char *why, ...)
	__attribute__((format(printf, 4, 5)));

/* One value; "a.b" is b below a. */
static void say(struct learned *p, const char *key, const char *value, const char *why, ...)
{
	const char *dot = strchr(key, '.');
	scoped(drop_mem) char *because = NULL;
	size_t began = p->text.len;
	va_list args;

	va_start(args, why);
	if (vasprintf(&because, why, args) < 0)
		because = NULL;
	va_end(args);
	buf_addf(&p->text, "%s%s: %s", dot ? "  " : "", dot ? dot + 1 : key, value);
	buf_addf(&p->text, "%*s # ",
		 (int)(p->text.len - began < WHY_COLUMN ? WHY_COLUMN - (p->text.len - began) : 0), "");
	add_comment(&p->text, because ? because : "");
	buf_addf(&p->text, "\n");
	add_value(p, key, value, because ? because : "");
}

/* A whole number of the largest unit that holds it. */
static const char *size_text(uint64_t n, char *ret, size_t cap)
{
	if (n && !(n % (1u << 20)))
		snprintf(ret, cap, "%llum", (unsigned long long)(n >> 20));
	else if (n && !(n % 1024))
		snprintf(ret, cap, "%lluk", (unsigned long long)(n >> 10));
	else
		snprintf(ret, cap, "%llu", (unsigned long long)n);
	return ret;
}

static void say_walls(struct learned *p, const struct profile *c)
{
	char caps[256] = "[";

	for (unsigned int cap = 0; cap_name(cap); cap++)
		if (c->root_caps & (1ULL << cap))
			snprintf(caps + strlen(caps), sizeof(caps) - strlen(caps), "%s%s",
				 caps[1] ? ", " : "", cap_name(cap));
	say(p, "system", c->system_writable ? "writable" : "read-only",
	    c->system_writable ? "the command does not work if the system is read-only"
			       : "the command works if the system is read-only");
	say(p, "caps", strcat(caps, "]"),
	    c->root_caps ? "the command does not work without any of them" : "the command needs none");
	say(p, "net", net_mode_name(c->net),
	    c->net == NET_NONE       ? "the command works without network"
	    : c->net == NET_LOOPBACK ? "the command does not work without a loopback interface of its own"
				     : "the command does not work without what egress lists");
	say(p, "seccomp", seccomp_preset_names[c->seccomp], "the smallest preset that refused nothing new");
}

/* The narrowest rule for what a connection used; false: it used none. */
static bool write_used(const struct net_row *row, char ret[EGRESS_RULE_MAX])
{
	struct egress_rule rule;
	struct aisbx_error ignored = AISBX_ERROR_INIT;

	if (row->verdict != NET_ALLOWED || (row->act != NET_TCP && row->act != NET_UDP))
		return false;
	if (row->name[0] && (!row->rule[0] || egress_rule_parse(row->rule, &rule, &ignored) < 0 ||
			     (rule.kind == EGRESS_NAMES && !egress_rule_ends_tls(&rule))))
		snprintf(ret, EGRESS_RULE_MAX, "net:egress:%s:%u%s", row->name, row->port,
			 row->act == NET_UDP ? "/udp" : "");
	else
		snprintf(ret, EGRESS_RULE_MAX, "%s", row->rule);
	return ret[0] != '\0';
}

static void say_egress(struct learned *p, const struct run_outcome *o)
{
	scoped(strlist_finish) struct strlist used = { 0 };
	char rule[EGRESS_RULE_MAX];

	for (size_t i = 0; i < o->n_net; i++)
		if (write_used(&o->net[i], rule) && !strlist_has(&used, rule))
			strlist_add(&used, rule);
	p->failed = p->failed || used.failed;
	buf_addf(&p->text, "egress:%s\n", used.n ? "" : " []");
	for (size_t i = 0; i < used.n; i++) {
		buf_addf(&p->text, "  - ");
		add_quoted(&p->text, used.items[i]);
		buf_addf(&p->text, "  # the command connected there\n");
		add_value(p, "egress", used.items[i], "the command connected there");
	}
}

static void say_limits(struct learned *p, const struct trial *t, const struct profile *c)
{
	const uint64_t *l = c->limits;
	char value[32], used[32];

	snprintf(value, sizeof(value), "%llus", (unsigned long long)l[LIMIT_WALL_TIME] / 1000);
	say(p, "timeout", value,
	    "it took %s at most; time depends on the machine, so this is several times as much",
	    str_ms(t->wall_us / 1000, used, sizeof(used)));
	snprintf(value, sizeof(value), "%llus", (unsigned long long)l[LIMIT_CPU_TIME] / 1000);
	say(p, "cpu-time", value, "it used %s of processor time at most; multiplied for the same reason",
	    str_ms(t->peak.cpu_us / 1000, used, sizeof(used)));
	snprintf(value, sizeof(value), "%llu", (unsigned long long)l[LIMIT_CPU] / 1000);
	say(p, "cpu", value, "processor time divided by time, rounded up");
	say(p, "mem", size_text(l[LIMIT_MEMORY], value, sizeof(value)),
	    "it used %s at most; a quarter more, or what was sufficient",
	    str_size(t->peak.mem_peak, used, sizeof(used)));
	snprintf(value, sizeof(value), "%llu", (unsigned long long)l[LIMIT_PROCESSES]);
	say(p, "pids", value, "the lowest value with which it worked, not below what was counted");
	snprintf(value, sizeof(value), "%llu", (unsigned long long)l[LIMIT_FILES]);
	say(p, "files", value, "16 open files per process, doubled until it worked");
	say(p, "disk", size_text(l[LIMIT_DISK], value, sizeof(value)),
	    "it left %s at the end; a quarter more, or what was sufficient",
	    str_size(t->peak.disk, used, sizeof(used)));
	say(p, "file-size", size_text(l[LIMIT_FILE_SIZE], value, sizeof(value)),
	    "one file may fill the disk");
	snprintf(value, sizeof(value), "%llu", (unsigned long long)l[LIMIT_INODES]);
	say(p, "inodes", value, "it left %llu at the end; a quarter more, or what was sufficient",
	    (unsigned long long)t->peak.inodes);
	say(p, "output", size_text(l[LIMIT_OUTPUT], value, sizeof(value)),
	    "it printed %s at most; a quarter more", str_size(t->output, used, sizeof(used)));
}

/* NAME of "NAME=VALUE", or all of it. */
static void add_name(struct buf *b, const char *text)
{
	buf_addf(b, "%.*s", (int)strcspn(text, "="), text);
}

static void say_variables(struct learned *p, const struct trial_case *c, const struct strlist *env)
{
	scoped(buf_finish) struct buf pass = { 0 };
	bool any = false;

	buf_addf(&p->text, "env:\n");
	say(p, "env.mode", c->profile.env == ENV_MINIMAL ? "minimal" : "all",
	    c->profile.env == ENV_MINIMAL ? "the command works with PATH, HOME, the language and the terminal"
					  : "the command does not work with fewer");
	buf_addf(&pass, "[");
	for (size_t i = 0; c->pass && i < c->pass->n; i++) {
		buf_addf(&pass, "%s", pass.len > 1 ? ", " : "");
		add_name(&pass, c->pass->items[i]);
	}
	for (size_t i = 0; i < env->n; i++)
		if (!strchr(env->items[i], '='))
			buf_addf(&pass, "%s%s", pass.len > 1 ? ", " : "", env->items[i]);
	buf_addf(&pass, "]");
	if (pass.len > 2 && buf_str(&pass))
		say(p, "env.pass", pass.data, "the command does not work without them, or --env named them");
	for (size_t i = 0; i < env->n; i++) {
		const char *text = env->items[i], *equals = strchr(text, '=');

		if (!equals)
			continue;
		buf_addf(&p->text, "%s    ", any ? "" : "  set:\n");
		add_name(&p->text, text);
		buf_addf(&p->text, ": ");
		add_quoted(&p->text, equals + 1);
		buf_addf(&p->text, "\n");
		any = true;
	}
}

/* HOST or HOST:GUEST, as the option has it; "\:" is a colon. */
static void say_mount(struct learned *p, const char *cwd, const char *text)
{
	scoped(buf_finish) struct buf host = { 0 };
	scoped(drop_mem) char *full = NULL;
	const char *in = text;

	for (; *in && *in != ':'; in++) {
		if (in[0] == '\\' && in[1] == ':')
			in++;
		buf_addf(&host, "%c", *in);
	}
	full = buf_str(&host) ? path_resolve(cwd, host.data) : NULL;
	buf_addf(&p->text, "  - { host: ");
	add_quoted(&p->text, full ? full : "?");
	if (*in) {
		buf_addf(&p->text, ", guest: ");
		add_quoted(&p->text, in + 1);
	}
	buf_addf(&p->text, ", mode: ro }  # as requested\n");
}

static void say_mounts(struct learned *p, const struct trial *t)
{
	if (t->run->ro.n)
		buf_addf(&p->text, "mounts:\n");
	for (size_t i = 0; i < t->run->ro.n; i++)
		say_mount(p, t->by.cwd, t->run->ro.items[i]);
}

static void say_head(struct learned *p, const struct trial *t, const char *name)
{
	buf_addf(&p->text, "# Learned in %u runs from:", t->runs);
	for (size_t i = 0; i < t->run->command.n; i++) {
		buf_addf(&p->text, " ");
		add_comment(&p->text, t->run->command.items[i]);
	}
	buf_addf(&p->text,
		 "\n# It is sufficient for what was run, with the files of that time, on that machine.\n");
	for (size_t i = 0; i < t->first.n_violations; i++) {
		buf_addf(&p->text, "# Refused, but not needed: ");
		add_comment(&p->text, t->first.violations[i].what);
		if (!strncmp(t->first.violations[i].allow_with, "net:", 4)) {
			buf_addf(&p->text, "; egress would allow it with ");
			add_comment(&p->text, t->first.violations[i].allow_with);
		}
		buf_addf(&p->text, "\n");
	}
	buf_addf(&p->text, "name: ");
	add_quoted(&p->text, name ? name : "learned");
	buf_addf(&p->text, "\nextends: strict\n\n");
}

int learned_write(const struct trial *t, const struct trial_case *c, const char *name, struct learned *ret,
		  struct aisbx_error *e)
{
	say_head(ret, t, name);
	say_walls(ret, &c->profile);
	if (net_mode_has_rules(c->profile.net))
		say_egress(ret, &t->first.outcome);
	buf_addf(&ret->text, "\n");
	say_limits(ret, t, &c->profile);
	buf_addf(&ret->text, "\n");
	say_variables(ret, c, &t->run->env);
	say_mounts(ret, t);
	return buf_str(&ret->text) && !ret->failed
		       ? 0
		       : aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "write the profile");
}

void learned_finish(struct learned *l)
{
	buf_finish(&l->text);
	for (size_t i = 0; i < l->n; i++) {
		free(l->values[i].value);
		free(l->values[i].why);
	}
	free(l->values);
	*l = (struct learned){ 0 };
}
