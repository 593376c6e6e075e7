/* SPDX-License-Identifier: Apache-2.0 */
/* Asks the supervisor of a live box about its network, and has it changed. */
#include "box/net_live.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "box/box.h"
#include "box/live_box.h"
#include "box/net_kept.h"
#include "box/owner.h"
#include "policy/egress_presets.h"
#include "run/run.h"

/* "65535:65535" */
#define PUBLISH_TEXT 16

void net_live_finish(struct net_live *n)
{
	strlist_finish(&n->rules);
	strlist_finish(&n->changed);
	free(n->ports);
	*n = (struct net_live){ 0 };
}

static int no_memory(struct aisbx_error *e)
{
	return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "ask the box about its network");
}

static bool read_port(const char *text, size_t len, uint64_t least, uint16_t *ret)
{
	char digits[8];
	uint64_t n;

	if (!len || len >= sizeof(digits))
		return false;
	memcpy(digits, text, len);
	digits[len] = '\0';
	if (!str_to_u64(digits, &n) || n < least || n > UINT16_MAX)
		return false;
	*ret = (uint16_t)n;
	return true;
}

int net_publish_read(const char *text, struct net_port *ret, struct aisbx_error *e)
{
	size_t n = strcspn(text, ":");
	const char *box = text[n] ? text + n + 1 : text;
	struct net_port p;

	if (!read_port(text, n, text[n] ? 0 : 1, &p.host) || !read_port(box, strlen(box), 1, &p.box))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "'%s' is not a port to publish; write 8080, 8080:80 for port 80 of the "
				    "box at port 8080 of this machine, or 0:80 for any port that is free",
				    text);
	*ret = p;
	return 0;
}

/* One question per connection. */
static int ask(const char *key, enum run_net_ask what, const char *text, char **ret_text,
	       struct aisbx_error *e)
{
	scoped(drop_fd) int fd = -1;
	int r = live_box_supervisor(key, &fd, e);

	return r < 0 ? r : run_ask_net(fd, what, text, ret_text, e);
}

static void add_port(struct net_live *ret, uint16_t host, uint16_t box)
{
	struct net_port *more = realloc(ret->ports, (ret->n_ports + 1) * sizeof(*more));

	ret->rules.failed = ret->rules.failed || !more;
	if (!more)
		return;
	ret->ports = more;
	more[ret->n_ports++] = (struct net_port){ host, box };
}

/* Lines "rule TEXT" and "port HOSTPORT PORT"; others are of a later version. */
static void read_line(char *line, struct net_live *ret)
{
	struct net_port p;
	char *box;

	if (!strncmp(line, "rule ", 5)) {
		strlist_add(&ret->rules, line + 5);
		return;
	}
	box = strncmp(line, "port ", 5) ? NULL : strchr(line + 5, ' ');
	if (box && read_port(line + 5, (size_t)(box - line - 5), 1, &p.host) &&
	    read_port(box + 1, strlen(box + 1), 1, &p.box))
		add_port(ret, p.host, p.box);
}

static int list(const char *key, struct net_live *ret, struct aisbx_error *e)
{
	scoped(drop_mem) char *text = NULL;
	int r = ask(key, RUN_NET_LIST, NULL, &text, e);
	char *rest = text;

	strlist_finish(&ret->rules);
	free(ret->ports);
	ret->ports = NULL;
	ret->n_ports = 0;
	for (char *line = rest ? strsep(&rest, "\n") : NULL; r == 0 && line; line = strsep(&rest, "\n"))
		read_line(line, ret);
	return r < 0 ? r : ret->rules.failed ? no_memory(e) : 0;
}

/* In their one true form, by which the box knows them; a preset is all of its rules. */
static int read_rules(const struct strlist *rules, struct strlist *ret, struct aisbx_error *e)
{
	for (size_t i = 0; i < rules->n; i++) {
		int r = egress_expand(rules->items[i], ret, e);

		if (r < 0)
			return r;
	}
	return rules->failed || ret->failed ? no_memory(e) : 0;
}

static int change_live(const char *key, bool on, struct net_live *ret, struct aisbx_error *e)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < ret->changed.n; i++) {
		r = ask(key, on ? RUN_NET_ALLOW : RUN_NET_DENY, ret->changed.items[i], NULL, e);
		if (r < 0 && i)
			aisbx_hint(e, "the rules before it were changed");
	}
	return r < 0 ? r : list(key, ret, e);
}

/* LIVE: what the live box said is the answer. */
static int change_kept(const char *key, const struct strlist *rules, bool on, bool live, struct net_live *ret,
		       struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist kept = { 0 };
	bool changed = false;
	int r = net_kept_change(key, rules, on, &kept, &changed, e);

	if (r < 0 || live)
		return r;
	if (!on && !changed)
		return aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_BOX, ENOENT,
				    "box '%s' has no such rule; 'aisbx allow --box %s' lists its rules", key,
				    key);
	strlist_finish(&ret->rules);
	ret->rules = kept;
	kept = (struct strlist){ 0 };
	return 0;
}

/* A run whose box goes with it keeps nothing; a box may be called like a run. */
static bool may_keep(const char *key)
{
	scoped(box_state_close) struct box_state state = { 0 };
	scoped(store_box_finish) struct store_box box = { 0 };
	struct aisbx_error ignored = AISBX_ERROR_INIT;

	return box_state_open(&state, &ignored) == 0 && box_find(&state, key, &box, &ignored) == 0;
}

int net_live_rules(const char *key, const struct strlist *rules, bool on, struct net_live *ret,
		   struct aisbx_error *e)
{
	bool keeps = may_keep(key);
	int r = read_rules(rules, &ret->changed, e);
	int live = r < 0 ? r : change_live(key, on, ret, e);

	if (r < 0 || (live < 0 && !(live == -ESRCH && keeps)))
		return r < 0 ? r : live;
	if (live < 0)
		*e = (struct aisbx_error)AISBX_ERROR_INIT;
	return keeps ? change_kept(key, rules, on, live == 0, ret, e) : 0;
}

static bool is_published(const struct net_live *n, uint16_t box)
{
	for (size_t i = 0; i < n->n_ports; i++)
		if (n->ports[i].box == box)
			return true;
	return false;
}

/* Anywhere, and it is somewhere: nothing is to be done. */
static int publish(const char *key, const struct net_port *p, const struct net_live *now,
		   struct aisbx_error *e)
{
	char text[PUBLISH_TEXT];

	if (!p->host && is_published(now, p->box))
		return 0;
	snprintf(text, sizeof(text), "%u:%u", p->host, p->box);
	return ask(key, RUN_NET_PUBLISH, text, NULL, e);
}

int net_live_ports(const char *key, const struct strlist *wanted, struct net_live *ret, struct aisbx_error *e)
{
	scoped(drop_mem) struct net_port *ports = calloc(wanted->n + 1, sizeof(*ports));
	int r = ports && !wanted->failed ? 0 : no_memory(e);

	for (size_t i = 0; r == 0 && i < wanted->n; i++)
		r = net_publish_read(wanted->items[i], &ports[i], e);
	if (r == 0)
		r = list(key, ret, e);
	for (size_t i = 0; r == 0 && i < wanted->n; i++)
		r = publish(key, &ports[i], ret, e);
	return r == 0 && wanted->n ? list(key, ret, e) : r;
}
