/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scan policies with lists of what is forbidden per language, written anew in our words. Each entry becomes a
 * rule of its own, of the highest severity, and that severity is refused. A file has either shape: what is of
 * neither is an error, so that nothing that somebody forbade is forgotten.
 */
#include "policy/scan_foreign.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "policy/scan_policy.h"
#include "policy/yaml_doc.h"

#define MAX_NODES 65536u

struct translation {
	struct buf *out;
	struct strlist *notes;
	const char *lang; /* whose section is read */
	size_t rules;
	bool is_ours; /* none of their words is in it */
};

/* Their word, our list of rules, the key that takes the text, and what the rule says. */
static const struct {
	const char *theirs, *ours, *key, *what;
} lists[] = {
	{ "forbidden_imports", "imports", "name", "the module" },
	{ "forbidden_modules", "imports", "name", "the module" },
	{ "forbidden_functions", "functions", "name", "the function" },
	{ "forbidden_calls", "functions", "name", "the function" },
	{ "forbidden_attributes", "attributes", "name", "the attribute" },
	{ "forbidden_patterns", "source", "match", "lines that match" },
	{ "forbidden_commands", "commands", "name", "the command" },
};

static const char *section(const char *name)
{
	return str_is_one_of(name, "python|python3|py")                         ? "python"
	       : str_is_one_of(name, "javascript|js|node|nodejs|typescript|ts") ? "javascript"
	       : str_is_one_of(name, "shell|bash|sh")                           ? "shell"
	       : str_is_one_of(name, "any|all|common|global")                   ? "any"
										: NULL;
}

/* As JSON has it, which YAML reads as well. */
static void quote(struct buf *out, const char *text)
{
	buf_add(out, "\"", 1);
	for (const unsigned char *c = (const unsigned char *)text; *c; c++)
		if (*c < 0x20 || *c == 0x7f)
			buf_addf(out, "\\u%04x", *c);
		else
			buf_addf(out, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
	buf_add(out, "\"", 1);
}

/* What a class such as \\d is in POSIX; INSIDE brackets its content. NULL: it is no class. */
static const char *class_of(char c, bool inside)
{
	static const struct {
		char letter;
		const char *alone, *inside;
	} classes[] = {
		{ 'd', "[0-9]", "0-9" },
		{ 'D', "[^0-9]", NULL },
		{ 's', "[[:space:]]", "[:space:]" },
		{ 'S', "[^[:space:]]", NULL },
		{ 'w', "[[:alnum:]_]", "[:alnum:]_" },
		{ 'W', "[^[:alnum:]_]", NULL },
		{ 't', "\t", "\t" },
	};

	for (size_t i = 0; i < sizeof(classes) / sizeof(*classes); i++)
		if (classes[i].letter == c)
			return inside ? classes[i].inside : classes[i].alone;
	return NULL;
}

/* After a backslash: C in a bracket stands for itself, elsewhere it keeps its backslash. False: no such thing
 * in POSIX. */
static bool put_escape(struct buf *out, char c, bool inside)
{
	const char *class = class_of(c, inside);

	if (class)
		buf_addf(out, "%s", class);
	else if (c == 'b' && !inside)
		buf_addf(out, "\\b");
	else if (!c || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))
		return false;
	else
		buf_addf(out, inside ? "%c" : "\\%c", c);
	return true;
}

/* A regular expression as Python and JavaScript have it, as POSIX has it. False: it cannot be said there. */
static bool put_regex(struct buf *out, const char *text)
{
	bool inside = false;

	for (const char *c = text; *c; c++) {
		if (*c == '\\') {
			if (!put_escape(out, *++c, inside))
				return false;
			continue;
		}
		if (inside ? *c == ']' : *c == '[')
			inside = !inside;
		if (!inside && c[0] == '(' && c[1] == '?') {
			if (c == text && !strncmp(c, "(?i)", 4))
				buf_addf(out, "(?i)");
			else if (c[2] == ':')
				buf_addf(out, "(");
			else
				return false;
			c += c == text && c[2] == 'i' ? 3 : 2;
			continue;
		}
		buf_add(out, c, 1);
		if (!inside && strchr("*+?}", *c) && c[1] == '?')
			c++; /* as few as possible: whether it matches is the same */
	}
	return true;
}

static int read_entry(struct doc *r, const yaml_node_t *n, size_t list, struct translation *t)
{
	const char *text = doc_text(r, n, lists[list].theirs);
	scoped(buf_finish) struct buf regex = { 0 };
	char why[160];

	if (!text)
		return r->e->code;
	if (!*text)
		return doc_complain(r, n, "'%s' has an empty entry", lists[list].theirs);
	if (!strcmp(lists[list].key, "match") && !put_regex(&regex, text))
		return doc_complain(
			r, n,
			"'%.80s' uses what POSIX regular expressions do not have (look-around, groups "
			"with a name, back-references); write it without",
			text);
	if (regex.failed || (regex.len && !buf_str(&regex)))
		return doc_no_memory(r);
	snprintf(why, sizeof(why), "the policy forbids %s '%.80s'", lists[list].what, text);
	buf_addf(t->out, "    - {id: %s.forbidden-%zu, %s: ", t->lang, ++t->rules, lists[list].key);
	quote(t->out, regex.len ? regex.data : text);
	buf_addf(t->out, ", severity: critical, why: ");
	quote(t->out, why);
	buf_addf(t->out, "}\n");
	return 0;
}

static int read_forbidden(struct doc *r, const yaml_node_t *at, const yaml_node_t *n, size_t list,
			  struct translation *t)
{
	char note[400];
	int err = 0;

	if (n->type == YAML_SCALAR_NODE && !n->data.scalar.length)
		return 0; /* the name of a list, and nothing in it */
	if (n->type != YAML_SEQUENCE_NODE)
		return doc_complain(r, n, "'%s' must be a list", lists[list].theirs);
	if (n->data.sequence.items.start == n->data.sequence.items.top)
		return 0;
	buf_addf(t->out, "  %s:\n", lists[list].ours);
	for (yaml_node_item_t *i = n->data.sequence.items.start; err == 0 && i < n->data.sequence.items.top;
	     i++)
		err = read_entry(r, doc_node(r, *i), list, t);
	snprintf(note, sizeof(note), "%.200s:%zu: '%s' is read as rules in '%s: %s' that refuse", r->file,
		 at->start_mark.line + 1, lists[list].theirs, t->lang, lists[list].ours);
	strlist_add(t->notes, note);
	return err;
}

static int unknown(struct doc *r, const yaml_node_t *at, const char *name)
{
	const char *names[sizeof(lists) / sizeof(*lists)];

	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
		names[i] = lists[i].theirs;
	aisbx_refuse(r->e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL,
		     "unknown key '%.40s' beside lists of what is forbidden; allowed here:", name);
	doc_suggest(r, name, names, sizeof(lists) / sizeof(*lists));
	return doc_locate(r, &at->start_mark);
}

static int read_section(struct doc *r, const yaml_node_t *map, struct translation *t)
{
	int err = doc_need_mapping(r, map, t->lang);

	if (err == 0)
		buf_addf(t->out, "%s:\n", t->lang);
	for (yaml_node_pair_t *p = map->data.mapping.pairs.start; err == 0 && p < map->data.mapping.pairs.top;
	     p++) {
		const char *name = doc_name(r, map, p);
		size_t i = 0;

		if (!name)
			return r->e->code;
		while (i < sizeof(lists) / sizeof(*lists) && strcmp(lists[i].theirs, name) != 0)
			i++;
		err = i == sizeof(lists) / sizeof(*lists)
			      ? unknown(r, doc_node(r, p->key), name)
			      : read_forbidden(r, doc_node(r, p->key), doc_node(r, p->value), i, t);
	}
	return err;
}

static int read_pair(struct doc *r, const yaml_node_t *at, const char *name, const yaml_node_t *value,
		     struct translation *t);

static int read_map(struct doc *r, const yaml_node_t *map, struct translation *t)
{
	int err = doc_need_mapping(r, map, "the file");

	for (yaml_node_pair_t *p = map->data.mapping.pairs.start; err == 0 && p < map->data.mapping.pairs.top;
	     p++) {
		const char *name = doc_name(r, map, p);

		err = name ? read_pair(r, doc_node(r, p->key), name, doc_node(r, p->value), t) : r->e->code;
	}
	return err;
}

static int read_pair(struct doc *r, const yaml_node_t *at, const char *name, const yaml_node_t *value,
		     struct translation *t)
{
	char note[400];

	t->lang = section(name);
	if (t->lang)
		return read_section(r, value, t);
	if (str_is_one_of(name, "languages|policies|rules"))
		return read_map(r, value, t);
	if (str_is_one_of(name, "version|name|description|about"))
		return 0;
	if (str_is_one_of(name, "default_limits|language_specific")) {
		snprintf(note, sizeof(note),
			 "%.200s:%zu: '%s' has no meaning in a scan policy; give the file to --profile as "
			 "well",
			 r->file, at->start_mark.line + 1, name);
		strlist_add(t->notes, note);
		return 0;
	}
	return doc_complain(r, at, "unknown key '%.40s'; allowed here: python, javascript, shell, any", name);
}

/* Whether a key of MAP, or of what is DEPTH below it, is one of theirs. */
static bool has_their_words(struct doc *r, const yaml_node_t *map, int depth)
{
	if (map->type != YAML_MAPPING_NODE)
		return false;
	for (yaml_node_pair_t *p = map->data.mapping.pairs.start; p < map->data.mapping.pairs.top; p++) {
		const yaml_node_t *key = doc_node(r, p->key);

		if (key->type == YAML_SCALAR_NODE &&
		    !strncmp((const char *)key->data.scalar.value, "forbidden_", 10))
			return true;
		if (depth && has_their_words(r, doc_node(r, p->value), depth - 1))
			return true;
	}
	return false;
}

static int read_root(struct doc *r, const yaml_node_t *root, void *into)
{
	struct translation *t = into;

	t->is_ours = !has_their_words(r, root, 2);
	return t->is_ours ? 0 : read_map(r, root, t);
}

int scan_foreign(const char *text, size_t len, const char *file, struct buf *ret_text,
		 struct strlist *ret_notes, struct aisbx_error *e)
{
	struct translation t = { .out = ret_text, .notes = ret_notes };
	struct doc r = { .file = file, .e = e, .max_bytes = SCAN_POLICY_MAX_BYTES, .max_nodes = MAX_NODES };
	int err;

	if (!memmem(text, len, "forbidden_", 10))
		return 1;
	buf_addf(ret_text, "version: 1\nextends: default\nlevels: {critical: refuse}\n");
	err = doc_read_root(&r, text, len, read_root, &t);
	if (err == 0 && t.is_ours)
		return 1;
	if (err == 0 && (ret_text->failed || ret_notes->failed || !buf_str(ret_text)))
		return doc_no_memory(&r);
	return err;
}
