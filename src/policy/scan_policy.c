/* SPDX-License-Identifier: Apache-2.0 */
/* Reads scan policies, by tables of keys; then combines one with the policy that it extends. */
#include "policy/scan_policy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "policy/scan_foreign.h"
#include "policy/yaml_doc.h"
#ifdef FUZZING /* the fuzzer is after this file, not after the rules: reading them all for each 'extends' is \
		  most of its time */
static const char scan_default_yaml[] =
	"version: 1\nany: {broken: [{id: any.broken, severity: low, why: w}]}\n";
#else
#include "scan_default.h"
#endif

#define MAX_LIST  256u /* names or regular expressions of a rule */
#define MAX_NODES 65536u
#define MAX_ID    64u
#define MAX_REGEX 1024u
#define MAX_GROUP 12u   /* parentheses in each other */
#define MAX_SIZE  2000u /* of a regular expression with its counts written out */

/* A rule that is switched off, and where that is said. */
struct off {
	char *id; /* owned */
	yaml_mark_t at;
};

struct loading {
	struct scan_policy policy;
	struct off *off; /* owned */
	size_t n_off;
	bool has_level[SEVERITY_COUNT];
	bool has_version, extends;
	enum scan_lang lang; /* of the section that is being read */
};

static const enum scan_action default_levels[SEVERITY_COUNT] = {
	[SEVERITY_NONE] = ACTION_ALLOW,   [SEVERITY_LOW] = ACTION_ALLOW,    [SEVERITY_MEDIUM] = ACTION_WARN,
	[SEVERITY_HIGH] = ACTION_SANDBOX, [SEVERITY_CRITICAL] = ACTION_ASK,
};

#define X(name, text) text,
static const char *const severities[] = { SCAN_SEVERITIES(X) };
static const char *const actions[] = { SCAN_ACTIONS(X) };
#undef X

static void finish_loading(struct loading *l)
{
	for (size_t i = 0; i < l->n_off; i++)
		free(l->off[i].id);
	free(l->off);
	scan_policy_finish(&l->policy);
}

static int read_text(struct doc *r, const yaml_node_t *n, const char *what, char **ret)
{
	const char *text = doc_text(r, n, what);

	if (!text)
		return r->e->code;
	if (!*text)
		return doc_complain(r, n, "%s is empty", what);
	free(*ret);
	*ret = strdup(text);
	return *ret ? 0 : doc_no_memory(r);
}

/* One text or a list of them; each goes to TAKE. */
static int read_list(struct doc *r, const yaml_node_t *n, const char *what,
		     int (*take)(struct doc *r, const yaml_node_t *n, const char *what, void *into),
		     void *into)
{
	int err = 0;

	if (n->type != YAML_SEQUENCE_NODE)
		return take(r, n, what, into);
	if (n->data.sequence.items.start == n->data.sequence.items.top)
		return doc_complain(r, n, "%s is empty", what);
	if (n->data.sequence.items.top - n->data.sequence.items.start > (long)MAX_LIST)
		return doc_complain(r, n, "%s has more than %u entries", what, MAX_LIST);
	for (yaml_node_item_t *i = n->data.sequence.items.start; err == 0 && i < n->data.sequence.items.top;
	     i++)
		err = take(r, doc_node(r, *i), what, into);
	return err;
}

static int take_word(struct doc *r, const yaml_node_t *n, const char *what, void *into)
{
	const char *text = doc_text(r, n, what);
	struct strlist *l = into;

	if (!text)
		return r->e->code;
	if (!*text)
		return doc_complain(r, n, "%s has an empty entry", what);
	strlist_add(l, text);
	return l->failed ? doc_no_memory(r) : 0;
}

/* How large a regular expression gets when its counts are written out, group by group. */
struct measure {
	unsigned long size[MAX_GROUP + 1]; /* of the groups that are open */
	unsigned long last;                /* of what a count that follows repeats */
	unsigned int depth;
};

/* The number at *AT, which is moved behind it; capped. */
static unsigned long take_count(const char **at)
{
	unsigned long n = 0;

	for (; **at >= '0' && **at <= '9'; ++*at)
		n = n > MAX_SIZE ? n : n * 10 + (unsigned long)(**at - '0');
	return n;
}

/* "{2,5}": how often at most. *AT is moved behind it. */
static void measure_count(struct measure *m, const char **at)
{
	unsigned long first, last;

	++*at;
	first = last = take_count(at);
	if (**at == ',') {
		++*at;
		last = take_count(at);
	}
	*at += **at == '}';
	last = last > first ? last : first;
	if (last > 1) {
		m->size[m->depth] += m->last * (last - 1);
		m->last *= last;
	}
}

/* "[...]"; *AT is moved behind it. */
static void skip_brackets(const char **at)
{
	const char *p = *at + 1;

	p += *p == '^';
	p += *p == ']'; /* first it is a member */
	while (*p && *p != ']') {
		const char *end = p[0] == '[' && p[1] && strchr(".:=", p[1]) ? strchr(p + 2, ']') : NULL;

		p = end ? end + 1 : p + 1; /* "[:alpha:]" is in them */
	}
	*at = *p ? p + 1 : p;
}

static void measure_atom(struct measure *m, unsigned long size)
{
	m->last = size;
	m->size[m->depth] += size;
}

/* One step through the text; what is wrong, or NULL. */
static const char *measure_next(struct measure *m, const char **at)
{
	const char *p = *at;

	if (*p == '{') {
		measure_count(m, at);
	} else if (*p == '*' || *p == '?') {
		++*at;
	} else if (*p == '+') { /* the C library writes it out, once more and as often as one likes */
		++*at;
		m->size[m->depth] += m->last;
		m->last *= 2;
	} else if (*p == '[') {
		skip_brackets(at);
		measure_atom(m, 1);
	} else if (*p == '(') {
		++*at;
		if (m->depth == MAX_GROUP)
			return "has too many nested groups";
		m->size[++m->depth] = 1;
	} else if (*p == ')' && m->depth) {
		++*at;
		m->depth--;
		measure_atom(m, m->size[m->depth + 1]);
	} else {
		if (p[0] == '\\' && p[1] >= '1' && p[1] <= '9')
			return "has a back reference (\\1), which can take forever";
		*at += p[0] == '\\' && p[1] ? 2 : 1;
		measure_atom(m, 1);
	}
	return m->size[m->depth] > MAX_SIZE || m->last > MAX_SIZE ? "repeats too often ({n}, +)" : NULL;
}

/* The C library compiles anything it is given, with memory and stack that grow with it: what is too much is
 * told before. */
static const char *judge_regex(const char *text)
{
	struct measure m = { .last = 1 };
	const char *wrong = strlen(text) > MAX_REGEX ? "is too long" : *text ? NULL : "is empty";

	while (!wrong && *text)
		wrong = measure_next(&m, &text);
	return wrong;
}

static int take_regex(struct doc *r, const yaml_node_t *n, const char *what, void *into)
{
	const char *text = doc_text(r, n, what), *wrong;
	struct scan_regexes *l = into;
	struct scan_regex *grown;
	bool is_loose;
	int err;

	if (!text)
		return r->e->code;
	is_loose = !strncmp(text, "(?i)", 4);
	wrong = judge_regex(text + (is_loose ? 4 : 0));
	if (wrong)
		return doc_complain(r, n, "the regular expression in %s %s", what, wrong);
	grown = reallocarray(l->list, l->n + 1, sizeof(*grown));
	if (!grown)
		return doc_no_memory(r);
	l->list = grown;
	grown += l->n;
	err = regcomp(&grown->compiled, text + (is_loose ? 4 : 0),
		      REG_EXTENDED | REG_NOSUB | (is_loose ? REG_ICASE : 0));
	if (err) {
		char reason[100];

		regerror(err, &grown->compiled, reason, sizeof(reason));
		return doc_complain(r, n, "%s is not an extended regular expression: %s", what, reason);
	}
	grown->text = strdup(text);
	l->n++;
	return grown->text ? 0 : doc_no_memory(r);
}

/* The keys of a rule. */

static int read_id(struct doc *r, const yaml_node_t *n, void *into)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789.-_";
	struct scan_rule *rule = into;
	int err = read_text(r, n, "'id'", &rule->id);

	if (err == 0 && (strlen(rule->id) > MAX_ID || strspn(rule->id, letters) != strlen(rule->id)))
		return doc_complain(
			r, n,
			"'%.40s' is not an id: use lower-case letters, digits, '.', '-' and '_', at most %u",
			rule->id, MAX_ID);
	return err;
}

static int read_names(struct doc *r, const yaml_node_t *n, void *into)
{
	return read_list(r, n, "'name'", take_word, &((struct scan_rule *)into)->names);
}

static int read_from(struct doc *r, const yaml_node_t *n, void *into)
{
	return read_list(r, n, "'from'", take_word, &((struct scan_rule *)into)->from);
}

static int read_wasm(struct doc *r, const yaml_node_t *n, void *into)
{
	return read_text(r, n, "'wasm'", &((struct scan_rule *)into)->wasm);
}

static int read_all(struct doc *r, const yaml_node_t *n, void *into)
{
	return read_list(r, n, "'all'", take_word, &((struct scan_rule *)into)->all);
}

static int read_match(struct doc *r, const yaml_node_t *n, void *into)
{
	return read_list(r, n, "'match'", take_regex, &((struct scan_rule *)into)->match);
}

static int read_args(struct doc *r, const yaml_node_t *n, void *into)
{
	return read_list(r, n, "'args'", take_regex, &((struct scan_rule *)into)->args);
}

static int read_line(struct doc *r, const yaml_node_t *n, void *into)
{
	return read_list(r, n, "'line'", take_regex, &((struct scan_rule *)into)->line);
}

static int read_unless(struct doc *r, const yaml_node_t *n, void *into)
{
	return read_list(r, n, "'unless'", take_regex, &((struct scan_rule *)into)->unless);
}

static int read_flag(struct doc *r, const yaml_node_t *n, const char *what, enum scan_flag *ret)
{
	static const char *const names[] = { "true", "false" };
	size_t i;
	int err = doc_choice(r, n, what, names, 2, &i);

	if (err == 0)
		*ret = i ? SCAN_FLAG_NO : SCAN_FLAG_YES;
	return err;
}

static int read_indirect(struct doc *r, const yaml_node_t *n, void *into)
{
	return read_flag(r, n, "'indirect'", &((struct scan_rule *)into)->indirect);
}

static int read_nested(struct doc *r, const yaml_node_t *n, void *into)
{
	return read_flag(r, n, "'nested'", &((struct scan_rule *)into)->nested);
}

static int read_unknown(struct doc *r, const yaml_node_t *n, void *into)
{
	return read_flag(r, n, "'unknown'", &((struct scan_rule *)into)->unknown);
}

static int read_severity(struct doc *r, const yaml_node_t *n, void *into)
{
	size_t i;
	int err = doc_choice(r, n, "'severity'", severities + 1, SEVERITY_COUNT - 1, &i);

	if (err == 0)
		((struct scan_rule *)into)->severity = (enum scan_severity)(i + 1);
	return err;
}

static int read_why(struct doc *r, const yaml_node_t *n, void *into)
{
	return read_text(r, n, "'why'", &((struct scan_rule *)into)->why);
}

static int read_advice(struct doc *r, const yaml_node_t *n, void *into)
{
	return read_text(r, n, "'advice'", &((struct scan_rule *)into)->advice);
}

#define COMMON_KEYS                                                            \
	{ "id", read_id }, { "severity", read_severity }, { "why", read_why }, \
	{                                                                      \
		"advice", read_advice                                          \
	}
#define FACT_KEYS                                                 \
	{ "indirect", read_indirect }, { "nested", read_nested }, \
	{                                                         \
		"unless", read_unless                             \
	}

static const struct doc_key name_keys[] = {
	COMMON_KEYS,
	FACT_KEYS,
	{ "name", read_names },
	{ "args", read_args },
	{ "line", read_line },
	{ "from", read_from },
	{ "unknown", read_unknown },
	{ NULL, NULL },
};
static const struct doc_key match_keys[] = {
	COMMON_KEYS, FACT_KEYS, { "match", read_match }, { NULL, NULL }
};
static const struct doc_key module_keys[] = { COMMON_KEYS, { "wasm", read_wasm }, { NULL, NULL } };
static const struct doc_key together_keys[] = { COMMON_KEYS, { "all", read_all }, { NULL, NULL } };

static const struct doc_key *keys_of(enum scan_rule_kind kind)
{
	return kind == RULE_PATTERN || kind == RULE_SOURCE ? match_keys
	       : kind == RULE_TOGETHER                     ? together_keys
	       : kind == RULE_MODULE                       ? module_keys
							   : name_keys;
}

static const char *missing_of(const struct scan_rule *rule)
{
	bool is_any = rule->kind == RULE_HIDDEN || rule->kind == RULE_BROKEN || rule->kind == RULE_UNREAD ||
		      rule->kind == RULE_MODULE;

	return !rule->id                                                                     ? "id"
	       : !rule->severity                                                             ? "severity"
	       : !rule->why                                                                  ? "why"
	       : (rule->kind == RULE_PATTERN || rule->kind == RULE_SOURCE) && !rule->match.n ? "match"
	       : rule->kind == RULE_TOGETHER && !rule->all.n                                 ? "all"
	       : rule->kind == RULE_MODULE && !rule->wasm                                    ? "wasm"
	       : rule->kind != RULE_PATTERN && rule->kind != RULE_SOURCE && rule->kind != RULE_TOGETHER &&
			       !is_any && !rule->names.n
		       ? "name"
		       : NULL;
}

static int read_rule(struct doc *r, const yaml_node_t *n, struct loading *l, enum scan_rule_kind kind)
{
	struct scan_policy *p = &l->policy;
	struct scan_rule *grown = reallocarray(p->rules, p->n_rules + 1, sizeof(*grown)), *rule;
	const char *missing;
	int err;

	if (!grown)
		return doc_no_memory(r);
	p->rules = grown;
	rule = &grown[p->n_rules++];
	*rule = (struct scan_rule){ .kind = kind, .lang = l->lang };
	if (p->n_rules > SCAN_POLICY_MAX_RULES)
		return doc_complain(r, n, "more than %u rules", SCAN_POLICY_MAX_RULES);
	err = doc_mapping(r, n, "a rule", keys_of(kind), rule);
	if (err < 0)
		return err;
	missing = missing_of(rule);
	if (missing)
		return doc_complain(r, n, "rule '%.64s' has no '%s'", rule->id ? rule->id : "", missing);
	if (kind == RULE_MODULE) /* what it finds has the name of its rule */
		strlist_add(&rule->names, rule->id);
	if (rule->names.failed)
		return doc_no_memory(r);
	for (size_t i = 0; i + 1 < p->n_rules; i++)
		if (!strcmp(p->rules[i].id, rule->id))
			return doc_complain(r, n, "there already is a rule '%s', in section '%s'", rule->id,
					    scan_lang_name(p->rules[i].lang));
	return 0;
}

static int read_rules(struct doc *r, const yaml_node_t *n, struct loading *l, enum scan_rule_kind kind)
{
	int err = 0;

	if (n->type == YAML_SCALAR_NODE && !n->data.scalar.length)
		return 0; /* the name of a list, and nothing in it */
	if (n->type != YAML_SEQUENCE_NODE)
		return doc_complain(r, n, "'%s' must be a list of rules", scan_rule_kind_name(kind));
	for (yaml_node_item_t *i = n->data.sequence.items.start; err == 0 && i < n->data.sequence.items.top;
	     i++)
		err = read_rule(r, doc_node(r, *i), l, kind);
	return err;
}

#define X(name, text)                                                                 \
	static int read_rules_##name(struct doc *r, const yaml_node_t *n, void *into) \
	{                                                                             \
		return read_rules(r, n, into, RULE_##name);                           \
	}
SCAN_RULE_KINDS(X)
#undef X

static const struct doc_key section_keys[] = {
#define X(name, text) { text, read_rules_##name },
	SCAN_RULE_KINDS(X)
#undef X
		{ NULL, NULL },
};

static int read_section(struct doc *r, const yaml_node_t *n, struct loading *l, enum scan_lang lang)
{
	l->lang = lang;
	if (n->type == YAML_SCALAR_NODE && !n->data.scalar.length)
		return 0;
	return doc_mapping(r, n, "a language", section_keys, l);
}

#define X(name, text)                                                                \
	static int read_lang_##name(struct doc *r, const yaml_node_t *n, void *into) \
	{                                                                            \
		return read_section(r, n, into, SCAN_LANG_##name);                   \
	}
SCAN_LANGUAGES(X)
#undef X

/* The keys of the file. */

static int read_version(struct doc *r, const yaml_node_t *n, void *into)
{
	const char *text = doc_text(r, n, "'version'");

	if (!text)
		return r->e->code;
	((struct loading *)into)->has_version = true;
	return strcmp(text, "1")
		       ? doc_complain(r, n, "unknown version '%.20s'; this aisbx supports version 1", text)
		       : 0;
}

static int read_extends(struct doc *r, const yaml_node_t *n, void *into)
{
	static const char *const names[] = { "default" };
	size_t i;

	((struct loading *)into)->extends = true;
	return doc_choice(r, n, "'extends'", names, 1, &i);
}

static int read_name(struct doc *r, const yaml_node_t *n, void *into)
{
	return read_text(r, n, "'name'", &((struct loading *)into)->policy.name);
}

static int take_off(struct doc *r, const yaml_node_t *n, const char *what, void *into)
{
	struct loading *l = into;
	struct off *grown = reallocarray(l->off, l->n_off + 1, sizeof(*grown));
	int err;

	if (!grown)
		return doc_no_memory(r);
	l->off = grown;
	grown[l->n_off] = (struct off){ .at = n->start_mark };
	err = read_text(r, n, what, &grown[l->n_off].id);
	if (err == 0)
		l->n_off++;
	return err;
}

static int read_off(struct doc *r, const yaml_node_t *n, void *into)
{
	return read_list(r, n, "'off'", take_off, into);
}

static int read_level(struct doc *r, const yaml_node_t *n, struct loading *l, enum scan_severity s)
{
	size_t i;
	int err = doc_choice(r, n, scan_severity_name(s), actions, ACTION_COUNT, &i);

	if (err < 0)
		return err;
	l->policy.levels[s] = (enum scan_action)i;
	l->has_level[s] = true;
	return 0;
}

#define X(name, text)                                                                 \
	static int read_level_##name(struct doc *r, const yaml_node_t *n, void *into) \
	{                                                                             \
		return read_level(r, n, into, SEVERITY_##name);                       \
	}
SCAN_SEVERITIES(X)
#undef X

static int read_levels(struct doc *r, const yaml_node_t *n, void *into)
{
	static const struct doc_key keys[] = {
#define X(name, text) { text, read_level_##name },
		SCAN_SEVERITIES(X)
#undef X
			{ NULL, NULL },
	};

	return doc_mapping(r, n, "'levels'", keys, into);
}

static const struct doc_key file_keys[] = {
	{ "version", read_version },
	{ "name", read_name },
	{ "extends", read_extends },
	{ "off", read_off },
	{ "levels", read_levels },
#define X(name, text) { text, read_lang_##name },
	SCAN_LANGUAGES(X)
#undef X
		{ NULL, NULL },
};

/* Laying one policy over another. */

static bool is_replaced(const struct loading *l, const char *id)
{
	for (size_t i = 0; i < l->policy.n_rules; i++)
		if (!strcmp(l->policy.rules[i].id, id))
			return true;
	for (size_t i = 0; i < l->n_off; i++)
		if (str_matches(id, l->off[i].id))
			return true;
	return false;
}

static int no_such_rule(struct doc *r, const struct off *off, const struct scan_policy *base)
{
	scoped(drop_mem) const char **ids = calloc(base->n_rules + 1, sizeof(*ids));
	const char *near;

	if (!ids)
		return doc_no_memory(r);
	for (size_t i = 0; i < base->n_rules; i++)
		ids[i] = base->rules[i].id;
	near = str_nearest(off->id, ids, base->n_rules);
	aisbx_refuse(r->e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL, "there is no rule '%.64s' to disable",
		     off->id);
	if (near)
		aisbx_hint(r->e, "did you mean '%s'?", near);
	return doc_locate(r, &off->at);
}

static int check_off(struct doc *r, const struct loading *l, const struct scan_policy *base)
{
	for (size_t i = 0; i < l->n_off; i++) {
		size_t k = 0;

		while (k < base->n_rules && !str_matches(base->rules[k].id, l->off[i].id))
			k++;
		if (k == base->n_rules)
			return no_such_rule(r, &l->off[i], base);
	}
	return 0;
}

/* BASE's rules that stay go before L's own. */
static int lay_over(struct doc *r, struct loading *l, struct scan_policy *base)
{
	struct scan_policy *p = &l->policy;
	struct scan_rule *all;
	size_t n = 0;
	int err = check_off(r, l, base);

	if (err < 0)
		return err;
	all = calloc(base->n_rules + p->n_rules + 1, sizeof(*all));
	if (!all)
		return doc_no_memory(r);
	for (size_t i = 0; i < base->n_rules; i++)
		if (is_replaced(l, base->rules[i].id))
			scan_rule_finish(&base->rules[i]);
		else
			all[n++] = base->rules[i];
	base->n_rules = 0; /* moved */
	for (size_t i = 0; i < p->n_rules; i++)
		all[n++] = p->rules[i];
	free(p->rules);
	p->rules = all;
	p->n_rules = n;
	for (size_t s = 0; s < SEVERITY_COUNT; s++)
		if (!l->has_level[s])
			p->levels[s] = base->levels[s];
	return 0;
}

static int complete(struct doc *r, struct loading *l)
{
	scoped(scan_policy_finish) struct scan_policy base = { 0 };
	int err;

	if (!l->has_version)
		return aisbx_refuse(r->e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL,
				    "%s:1:1: 'version: 1' is missing", path_tail(r->file, PATH_TOLD));
	if (!l->policy.name)
		l->policy.name = strdup(r->file);
	if (!l->policy.name)
		return doc_no_memory(r);
	for (size_t s = 0; s < SEVERITY_COUNT; s++)
		if (!l->has_level[s])
			l->policy.levels[s] = default_levels[s];
	if (l->extends) {
		err = scan_policy_default(&base, r->e);
		return err < 0 ? err : lay_over(r, l, &base);
	}
	if (l->n_off) {
		aisbx_refuse(r->e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL,
			     "'off' disables rules of the policy that this one 'extends'");
		return doc_locate(r, &l->off[0].at);
	}
	return 0;
}

/* Of our words only. */
static int parse(const char *text, size_t len, const char *file, struct scan_policy *ret,
		 struct aisbx_error *e)
{
	struct doc r = { .file = file, .e = e, .max_bytes = SCAN_POLICY_MAX_BYTES, .max_nodes = MAX_NODES };
	struct loading l = { 0 };
	int err = doc_read(&r, text, len, file_keys, &l);

	if (err == 0)
		err = complete(&r, &l);
	if (err == 0) {
		*ret = l.policy;
		l.policy = (struct scan_policy){ 0 };
	}
	finish_loading(&l);
	return err;
}

int scan_policy_parse(const char *text, size_t len, const char *file, struct scan_policy *ret,
		      struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist notes = { 0 };
	scoped(buf_finish) struct buf anew = { 0 };
	int r = scan_foreign(text, len, file, &anew, &notes, e);

	if (r < 0)
		return r;
	if (r > 0)
		return parse(text, len, file, ret, e);
	r = parse(anew.data, anew.len, file, ret, e);
	if (r < 0)
		return aisbx_context(e, "rewritten in the words of aisbx");
	ret->notes = notes;
	notes = (struct strlist){ 0 };
	return 0;
}

int scan_policy_default(struct scan_policy *ret, struct aisbx_error *e)
{
	return parse(scan_default_yaml, sizeof(scan_default_yaml) - 1, "default", ret, e);
}
