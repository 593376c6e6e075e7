/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes and checks a plan. Pure: runs in the jail, in the tests and in the fuzzer. */
#include "jail/plan.h"

#include <errno.h>
#include <linux/filter.h>
#include <string.h>

#include "base/error.h"
#include "base/path.h"
#include "sys/subids.h"

static const char *const wall_names[] = {
#define X(id, name, what) name,
	WALLS(X)
#undef X
};

static const char *const wall_whats[] = {
#define X(id, name, what) what,
	WALLS(X)
#undef X
};

const char *wall_name(enum wall w)
{
	return wall_names[w];
}

const char *wall_what(enum wall w)
{
	return wall_whats[w];
}

enum wall wall_by_name(const char *name)
{
	enum wall w = 0;

	while (w < WALL_COUNT && strcmp(wall_names[w], name) != 0)
		w++;
	return w;
}

static const struct {
	const char *name, *option;
	bool of_box;
} limits[] = {
#define X(id, name, option, of_box, what) { name, option, of_box },
	LIMITS(X)
#undef X
};

const char *limit_name(enum limit l)
{
	return limits[l].name;
}

const char *limit_option(enum limit l)
{
	return limits[l].option;
}

bool limit_of_box(enum limit l)
{
	return limits[l].of_box;
}

enum limit limit_of_time(const uint64_t *values)
{
	uint64_t run = values[LIMIT_WALL_TIME], box = values[LIMIT_LIFETIME];

	return box && (!run || box < run) ? LIMIT_LIFETIME : LIMIT_WALL_TIME;
}

static int bad(struct aisbx_error *e, const char *what)
{
	return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_PLAN, EBADMSG, "malformed plan: %s", what);
}

/* A section of N items of SIZE bytes at AT lies inside the plan, behind its head, aligned. */
static bool section_fits(const struct jail_plan_head *h, uint32_t at, uint32_t n, size_t size, uint32_t max)
{
	uint64_t end = (uint64_t)at + (uint64_t)n * size;

	return n <= max && at >= sizeof(*h) && at % 8 == 0 && end <= h->size;
}

static bool string_fits(const struct jail_plan *p, uint32_t at)
{
	return at < p->head->strings_len; /* the section ends in NUL, so every string in it ends */
}

static bool path_fits(const struct jail_plan *p, uint32_t at)
{
	return string_fits(p, at) && path_is_clean(jail_plan_string(p, at));
}

/* It never stands alone, and the kernel takes neither of them if it is longer. */
static bool second_filter_fits(const struct jail_plan_head *h)
{
	if (!h->n_more)
		return h->n_filter <= JAIL_PLAN_MAX_FILTER;
	return h->n_more < h->n_filter && h->n_more <= JAIL_PLAN_MAX_FILTER &&
	       h->n_filter - h->n_more <= JAIL_PLAN_MAX_FILTER;
}

static int check_sections(const struct jail_plan_head *h, struct aisbx_error *e)
{
	if (!section_fits(h, h->ops_at, h->n_ops, sizeof(struct jail_plan_op), JAIL_PLAN_MAX_OPS))
		return bad(e, "operations");
	if (!section_fits(h, h->rules_at, h->n_rules, sizeof(struct jail_plan_rule), JAIL_PLAN_MAX_RULES))
		return bad(e, "rules");
	if (!h->n_args || !section_fits(h, h->args_at, h->n_args, sizeof(uint32_t), JAIL_PLAN_MAX_STRINGS))
		return bad(e, "arguments");
	if (!section_fits(h, h->env_at, h->n_env, sizeof(uint32_t), JAIL_PLAN_MAX_STRINGS))
		return bad(e, "environment");
	if (!section_fits(h, h->filter_at, h->n_filter, sizeof(struct sock_filter), 2 * JAIL_PLAN_MAX_FILTER))
		return bad(e, "filter");
	if (!second_filter_fits(h))
		return bad(e, "second filter");
	if (!h->strings_len || !section_fits(h, h->strings_at, h->strings_len, 1, JAIL_PLAN_MAX_SIZE))
		return bad(e, "strings");
	return 0;
}

/* The caller is the box's root, and none of the others: whose they are is for newuidmap to say. */
static bool has_good_subordinates(const struct jail_plan_order *o)
{
	uint32_t n = o->id_count - 1;

	return !(o->flags & (JAIL_PLAN_SHIFT | JAIL_PLAN_RUNTIME)) && !o->uid && !o->gid &&
	       (o->walls & WALL_BIT(USERNS)) && o->id_count == SYS_SUBIDS_COUNT && o->uid_host != 0 &&
	       o->sub_uid && o->sub_gid && o->sub_uid <= UINT32_MAX - n && o->sub_gid <= UINT32_MAX - n &&
	       o->uid_host - o->sub_uid >= n && o->gid_host - o->sub_gid >= n;
}

/* One id where they are not shifted, else a range of the host's that does not begin with root. */
static bool has_good_ids(const struct jail_plan_order *o)
{
	if (!o->id_count || (uint64_t)o->uid_host + o->id_count > UINT32_MAX ||
	    (uint64_t)o->gid_host + o->id_count > UINT32_MAX)
		return false;
	if (o->flags & JAIL_PLAN_SUB)
		return has_good_subordinates(o);
	if (o->sub_uid || o->sub_gid)
		return false;
	if (!(o->flags & JAIL_PLAN_SHIFT))
		return o->id_count == 1;
	return o->uid < o->id_count && o->gid < o->id_count && o->uid_host != 0 && o->gid_host != 0;
}

/* Without a user namespace it is the machine's root, who keeps none of his rights. */
static bool has_good_walls(const struct jail_plan_order *o)
{
	uint32_t needed = WALL_ALWAYS;

	if (!(o->walls & WALL_BIT(USERNS))) {
		needed = (WALL_ALWAYS & ~WALL_BIT(USERNS)) | WALL_BIT(CAPS) | WALL_BIT(NNP);
		if (o->flags & (JAIL_PLAN_SHIFT | JAIL_PLAN_SUB | JAIL_PLAN_RUNTIME) || o->uid || o->gid ||
		    o->uid_host || o->gid_host || o->group)
			return false;
	}
	return !(o->walls & ~WALL_ALL) && (o->walls & needed) == needed;
}

int jail_plan_check_order(const struct jail_plan_order *o, struct aisbx_error *e)
{
	if (o->flags & ~(uint32_t)(JAIL_PLAN_TTY | JAIL_PLAN_LOOPBACK | JAIL_PLAN_SHIFT | JAIL_PLAN_RUNTIME |
				   JAIL_PLAN_SUB | JAIL_PLAN_GUEST | JAIL_PLAN_IMAGE) ||
	    (o->flags & (JAIL_PLAN_GUEST | JAIL_PLAN_IMAGE) && !(o->flags & JAIL_PLAN_RUNTIME)))
		return bad(e, "flags");
	if (!has_good_walls(o))
		return bad(e, "walls");
	if (!has_good_ids(o))
		return bad(e, "ids");
	if (o->group && (o->group == o->gid || o->group == UINT32_MAX || jail_plan_many_ids(o)))
		return bad(e, "group");
	return 0;
}

static bool has_good_user(const struct jail_plan_head *h)
{
	const struct jail_plan_user *u = &h->user;

	if (!u->set)
		return !u->uid && !u->gid && !u->n_groups;
	if (u->set != 1 || !jail_plan_many_ids(&h->order) || u->uid >= h->order.id_count ||
	    u->gid >= h->order.id_count || u->n_groups > JAIL_PLAN_MAX_GROUPS)
		return false;
	for (uint32_t i = 0; i < u->n_groups; i++)
		if (u->groups[i] >= h->order.id_count)
			return false;
	return true;
}

static int check_head(const struct jail_plan_head *h, size_t len, struct aisbx_error *e)
{
	if (h->magic != JAIL_PLAN_MAGIC)
		return bad(e, "magic");
	if (h->version != JAIL_PLAN_VERSION)
		return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_PLAN, EPROTO,
				    "aisbx and aisbx-jail have different versions (plan %u, jail %u); "
				    "install both from the same release",
				    h->version, JAIL_PLAN_VERSION);
	if (h->size != len)
		return bad(e, "size");
	if (jail_plan_check_order(&h->order, e) < 0)
		return e->code;
	if (!has_good_user(h))
		return bad(e, "user");
	if (((h->order.walls & WALL_BIT(SECCOMP)) != 0) != (h->n_filter != 0))
		return bad(e, "filter");
	return check_sections(h, e);
}

static int check_layers(const struct jail_plan *p, const struct jail_plan_op *op, struct aisbx_error *e)
{
	const char *at = p->strings + op->data, *end = at + op->data_len;
	uint32_t n = 0;

	if (end[-1] != '\0' || !(op->flags & JAIL_PLAN_WRITABLE) || !*jail_plan_string(p, p->head->layers))
		return bad(e, "layers");
	for (; at < end; at += strlen(at) + 1)
		if (++n > JAIL_PLAN_MAX_LAYERS || !path_is_clean(at))
			return bad(e, "layers");
	return n >= 2 ? 0 : bad(e, "layers");
}

static bool is_in_dev(const struct jail_plan *p, uint32_t path)
{
	return !strncmp(jail_plan_string(p, path), "/dev/", 5);
}

/* What is wrong with what an operation is made from; NULL: nothing. */
static const char *wrong_source(const struct jail_plan *p, const struct jail_plan_op *op)
{
	if ((op->kind == JAIL_PLAN_CLONE || op->kind == JAIL_PLAN_BIND || op->kind == JAIL_PLAN_DEVICE) &&
	    !path_fits(p, op->src))
		return "operation's source";
	if (op->kind == JAIL_PLAN_LINK && (!string_fits(p, op->src) || !*jail_plan_string(p, op->src)))
		return "link";
	if ((op->kind == JAIL_PLAN_FILE || op->kind == JAIL_PLAN_CLONE || op->kind == JAIL_PLAN_DEVICE) &&
	    (op->data_len >= p->head->strings_len || op->data > p->head->strings_len - op->data_len))
		return "data";
	if (op->kind == JAIL_PLAN_DEVICE && (op->data_len != sizeof(struct jail_plan_device) ||
					     !is_in_dev(p, op->src) || !is_in_dev(p, op->dst)))
		return "device";
	return NULL;
}

/* The process outside makes and sends one mount for each of these, pid 1 takes one for each. */
static bool may_shift(const struct jail_plan *p, const struct jail_plan_op *op)
{
	return (p->head->order.flags & JAIL_PLAN_SHIFT) &&
	       (op->kind == JAIL_PLAN_CLONE || op->kind == JAIL_PLAN_BIND);
}

static int check_op(const struct jail_plan *p, const struct jail_plan_op *op, struct aisbx_error *e)
{
	const char *wrong;

	if (op->kind == 0 || op->kind >= JAIL_PLAN_OP_KINDS || (op->flags & ~JAIL_PLAN_OP_FLAGS) ||
	    op->mode > 07777)
		return bad(e, "operation");
	if ((op->flags & JAIL_PLAN_IDMAP) && !may_shift(p, op))
		return bad(e, "operation with shifted ids");
	if ((op->flags & JAIL_PLAN_HERE) &&
	    (op->kind != JAIL_PLAN_CLONE || !op->data_len || (op->flags & JAIL_PLAN_IDMAP)))
		return bad(e, "operation on what is there");
	if (!path_fits(p, op->dst))
		return bad(e, "operation's path");
	/* Only a clone may become the root itself, and then it must come first. */
	if (!strcmp(jail_plan_string(p, op->dst), "/") && !(op->kind == JAIL_PLAN_CLONE && op == p->ops))
		return bad(e, "operation on the root");
	wrong = wrong_source(p, op);
	if (wrong)
		return bad(e, wrong);
	return op->kind == JAIL_PLAN_CLONE && op->data_len ? check_layers(p, op, e) : 0;
}

/* What is wrong with the lists of the plan; NULL: nothing. */
static const char *wrong_list(const struct jail_plan *p)
{
	for (uint32_t i = 0; i < p->head->n_args; i++)
		if (!string_fits(p, p->args[i]))
			return "arguments";
	if (!*jail_plan_string(p, p->args[0]))
		return "empty command";
	for (uint32_t i = 0; i < p->head->n_env; i++)
		if (!string_fits(p, p->env[i]) || !strchr(jail_plan_string(p, p->env[i]), '='))
			return "environment";
	for (uint32_t i = 0; i < p->head->n_rules; i++)
		if (p->rules[i].kind == 0 || p->rules[i].kind >= JAIL_PLAN_RULE_KINDS ||
		    !path_fits(p, p->rules[i].path))
			return "rule";
	return NULL;
}

static bool data_fits(const struct jail_plan *p, uint32_t at, uint32_t len)
{
	return len < p->head->strings_len && at <= p->head->strings_len - len;
}

/* There are arguments and a configuration if, and only if, there is a runtime. A command that joins has none.
 */
static bool runtime_fits(const struct jail_plan *p)
{
	const struct jail_plan_head *h = p->head;

	if (!h->runtime_len && !h->config_len)
		return true;
	return (h->order.flags & JAIL_PLAN_RUNTIME) && h->runtime_len && h->config_len &&
	       data_fits(p, h->runtime, h->runtime_len) && data_fits(p, h->config, h->config_len) &&
	       p->strings[h->runtime + h->runtime_len - 1] == '\0';
}

static int check_strings(const struct jail_plan *p, struct aisbx_error *e)
{
	const struct jail_plan_head *h = p->head;
	const char *wrong;

	if (p->strings[h->strings_len - 1] != '\0')
		return bad(e, "strings");
	if (!string_fits(p, h->hostname) || strlen(jail_plan_string(p, h->hostname)) > 64)
		return bad(e, "host name");
	if (!path_fits(p, h->cwd))
		return bad(e, "working directory");
	if (!string_fits(p, h->layers) || (*jail_plan_string(p, h->layers) && !path_fits(p, h->layers)))
		return bad(e, "directory of layers");
	if (!runtime_fits(p))
		return bad(e, "runtime");
	wrong = wrong_list(p);
	return wrong ? bad(e, wrong) : 0;
}

int jail_plan_decode(const void *data, size_t len, struct jail_plan *ret_plan, struct aisbx_error *e)
{
	const struct jail_plan_head *h = data;
	const char *base = data;
	struct jail_plan p = { .head = h };
	uint32_t watched = 0;
	int r;

	if (len < sizeof(*h) || len > JAIL_PLAN_MAX_SIZE)
		return bad(e, "size");
	r = check_head(h, len, e);
	if (r < 0)
		return r;
	p.ops = (const void *)(base + h->ops_at);
	p.rules = (const void *)(base + h->rules_at);
	p.args = (const void *)(base + h->args_at);
	p.env = (const void *)(base + h->env_at);
	p.filter = (const void *)(base + h->filter_at);
	p.strings = base + h->strings_at;
	r = check_strings(&p, e);
	for (uint32_t i = 0; r == 0 && i < h->n_ops; i++) {
		r = check_op(&p, &p.ops[i], e);
		if (r == 0 && (p.ops[i].flags & JAIL_PLAN_WATCH) && ++watched > JAIL_PLAN_MAX_WATCHED)
			r = bad(e, "too many decoys");
	}
	if (r < 0)
		return r;
	*ret_plan = p;
	return 0;
}
