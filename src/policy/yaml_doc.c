/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads YAML. Two passes: the first counts, event by event, and stops at what is too deep, too much or not
 * allowed; the second reads keys by tables. The depth of the second is that of the tables, so no alias can
 * lead it in a circle.
 */
#include "policy/yaml_doc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"

#define MAX_WORDS 1024u /* of a command, or variables */

int doc_locate(const struct doc *r, const yaml_mark_t *at)
{
	aisbx_context(r->e, "%s:%zu:%zu", path_tail(r->file, PATH_TOLD), at->line + 1, at->column + 1);
	if (r->all)
		strlist_add(r->all, r->e->text);
	return r->e->code;
}

bool doc_goes_on(const struct doc *r, int err)
{
	return err == 0 || (r->all && err != -ENOMEM && r->all->n < DOC_MAX_ERRORS);
}

int doc_no_memory(const struct doc *r)
{
	return aisbx_fail(r->e, AISBX_AREA_POLICY, ENOMEM, "read '%s'", r->file);
}

yaml_node_t *doc_node(struct doc *r, int id)
{
	return yaml_document_get_node(&r->doc, id);
}

/* The text of a scalar, borrowed; NULL and an error if it is not a text, or contains NUL. */
const char *doc_text(struct doc *r, const yaml_node_t *n, const char *what)
{
	const char *text;

	if (n->type != YAML_SCALAR_NODE) {
		doc_complain(r, n, "%s must be a string, not a %s", what,
			     n->type == YAML_SEQUENCE_NODE ? "list" : "mapping");
		return NULL;
	}
	text = (const char *)n->data.scalar.value;
	if (strlen(text) != n->data.scalar.length) {
		doc_complain(r, n, "%s contains a NUL byte", what);
		return NULL;
	}
	r->expanded += n->data.scalar.length + 1;
	if (r->expanded > DOC_MAX_EXPANDED) {
		doc_complain(r, n, "with all its aliases the file has more than %u bytes", DOC_MAX_EXPANDED);
		return NULL;
	}
	return text;
}

void doc_add_words(struct aisbx_error *e, const char *text)
{
	strncat(e->text, text, sizeof(e->text) - strlen(e->text) - 1);
}

/* What is allowed, and what is most similar to what was written. */
void doc_suggest(const struct doc *r, const char *got, const char *const *names, size_t n)
{
	const char *near = str_nearest(got, names, n);

	for (size_t i = 0; i < n; i++) {
		doc_add_words(r->e, i ? ", " : " ");
		doc_add_words(r->e, names[i]);
	}
	if (near)
		aisbx_hint(r->e, "did you mean '%s'?", near);
}

#define MAX_CHOICES 40

static int unknown_key(struct doc *r, const yaml_node_t *at, const char *got, const struct doc_key *keys)
{
	const char *names[MAX_CHOICES];
	size_t n = 0;

	for (; keys[n].name; n++)
		names[n] = keys[n].name;
	aisbx_refuse(r->e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL,
		     "unknown key '%.40s'; allowed here:", got);
	doc_suggest(r, got, names, n);
	return doc_locate(r, &at->start_mark);
}

int doc_need_mapping(struct doc *r, const yaml_node_t *n, const char *what)
{
	return n->type == YAML_MAPPING_NODE
		       ? 0
		       : doc_complain(r, n, "%s must be a mapping: 'key: value', one per line", what);
}

/* The key of pair I; NULL and an error when it was there before. */
const char *doc_name(struct doc *r, const yaml_node_t *map, const yaml_node_pair_t *pair)
{
	const yaml_node_t *k = doc_node(r, pair->key);
	const char *text = doc_text(r, k, "a key");

	for (const yaml_node_pair_t *p = map->data.mapping.pairs.start; text && p < pair; p++) {
		const yaml_node_t *earlier = doc_node(r, p->key);

		if (earlier->type == YAML_SCALAR_NODE &&
		    !strcmp((const char *)earlier->data.scalar.value, text)) {
			doc_complain(r, k, "key '%.40s' is repeated; it is also in line %zu", text,
				     earlier->start_mark.line + 1);
			return NULL;
		}
	}
	return text;
}

/* What is there because of something else, or must be there. */
static int check_keys(struct doc *r, const yaml_node_t *map, const char *what, const struct doc_key *keys)
{
	for (const struct doc_key *k = keys; k->name; k++) {
		bool there = doc_has(r, map, k->name);

		if (k->need && !there)
			return doc_complain(r, map, "%s has no %s", what, k->name);
		if (k->with && there && !doc_has(r, map, k->with))
			return doc_complain(r, map, "%s has '%s', but not '%s', which it needs", what,
					    k->name, k->with);
	}
	return 0;
}

int doc_pair(struct doc *r, const yaml_node_t *map, const yaml_node_pair_t *pair, const struct doc_key *keys,
	     void *into)
{
	const char *name = doc_name(r, map, pair);
	const struct doc_key *k = keys;

	while (name && k->name && strcmp(k->name, name) != 0)
		k++;
	return !name      ? r->e->code
	       : !k->name ? unknown_key(r, doc_node(r, pair->key), name, keys)
			  : k->read(r, doc_node(r, pair->value), into);
}

int doc_mapping(struct doc *r, const yaml_node_t *map, const char *what, const struct doc_key *keys,
		void *into)
{
	int err = doc_need_mapping(r, map, what), first = err;

	if (err < 0)
		return err;
	for (yaml_node_pair_t *p = map->data.mapping.pairs.start; p < map->data.mapping.pairs.top; p++) {
		err = doc_pair(r, map, p, keys, into);
		first = first ? first : err;
		if (!doc_goes_on(r, err))
			return err;
	}
	return first ? first : check_keys(r, map, what, keys);
}

static size_t count_keys(struct doc *r, const yaml_node_t *map, const char *const *names, char *list,
			 size_t cap)
{
	size_t n = 0;

	*list = '\0';
	for (size_t i = 0; names && names[i]; i++) {
		n += doc_has(r, map, names[i]);
		snprintf(list + strlen(list), cap - strlen(list), "%s%s", i ? ", " : "", names[i]);
	}
	return n;
}

static int need_some(struct doc *r, const yaml_node_t *map, const char *what, const char *const *names)
{
	char list[160];

	return !names || count_keys(r, map, names, list, sizeof(list))
		       ? 0
		       : doc_complain(r, map, "%s needs one of %s", what, list);
}

/* Several are told of before one is read, so that none has to expect another; none at all when the names of
 * all are known. */
int doc_keys(struct doc *r, const yaml_node_t *map, const char *what, const struct doc_shape *shape,
	     void *into)
{
	char list[160];
	int err;

	if (count_keys(r, map, shape->one_of, list, sizeof(list)) > 1)
		return doc_complain(r, map, "%s takes only one of %s", what, list);
	err = doc_mapping(r, map, what, shape->keys, into);
	if (err == 0)
		err = need_some(r, map, what, shape->one_of);
	return err == 0 ? need_some(r, map, what, shape->some_of) : err;
}

size_t doc_count(const yaml_node_t *n)
{
	return n->type == YAML_SEQUENCE_NODE
		       ? (size_t)(n->data.sequence.items.top - n->data.sequence.items.start)
	       : n->type == YAML_MAPPING_NODE
		       ? (size_t)(n->data.mapping.pairs.top - n->data.mapping.pairs.start)
		       : 0;
}

static int check_count(struct doc *r, const yaml_node_t *n, const char *plural, const struct doc_shape *shape)
{
	size_t there = doc_count(n);

	if (shape->most && there > shape->most)
		return doc_complain(r, n, "%zu %s; at most %llu are allowed", there, plural,
				    (unsigned long long)shape->most);
	return there >= shape->least ? 0 : doc_complain(r, n, "no %s; there must be at least one", plural);
}

int doc_list(struct doc *r, const yaml_node_t *n, const char *plural, const struct doc_shape *shape,
	     doc_item_fn *read, void *into)
{
	int first = 0, err = n->type == YAML_SEQUENCE_NODE
				     ? check_count(r, n, plural, shape)
				     : doc_complain(r, n, "'%s' must be a list: [a, b]", plural);

	if (err < 0)
		return err;
	for (size_t i = 0; doc_goes_on(r, err) && i < doc_count(n); i++) {
		err = read(r, doc_node(r, n->data.sequence.items.start[i]), i, into);
		first = first ? first : err;
	}
	return first;
}

int doc_named(struct doc *r, const yaml_node_t *map, const char *plural, const struct doc_shape *shape,
	      doc_named_fn *read, void *into)
{
	int first = 0,
	    err = map->type == YAML_MAPPING_NODE
			  ? check_count(r, map, plural, shape)
			  : doc_complain(r, map, "'%s' must be a mapping: 'name: value', one per line",
					 plural);

	if (err < 0)
		return err;
	for (size_t i = 0; doc_goes_on(r, err) && i < doc_count(map); i++) {
		const yaml_node_pair_t *pair = map->data.mapping.pairs.start + i;
		const char *name = doc_name(r, map, pair);

		err = name ? read(r, pair, name, i, into) : r->e->code;
		first = first ? first : err;
	}
	return first;
}

const yaml_node_t *doc_find(struct doc *r, const yaml_node_t *map, const char *name)
{
	if (map->type != YAML_MAPPING_NODE)
		return NULL;
	for (yaml_node_pair_t *p = map->data.mapping.pairs.start; p < map->data.mapping.pairs.top; p++) {
		const yaml_node_t *k = doc_node(r, p->key);

		if (k->type == YAML_SCALAR_NODE && !strcmp((const char *)k->data.scalar.value, name))
			return doc_node(r, p->value);
	}
	return NULL;
}

bool doc_has(struct doc *r, const yaml_node_t *map, const char *name)
{
	return doc_find(r, map, name) != NULL;
}

int doc_choice(struct doc *r, const yaml_node_t *n, const char *what, const char *const *names,
	       size_t n_names, size_t *ret)
{
	const char *text = doc_text(r, n, what);

	if (!text)
		return r->e->code;
	for (size_t i = 0; i < n_names; i++)
		if (!strcmp(names[i], text)) {
			*ret = i;
			return 0;
		}
	aisbx_refuse(r->e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL,
		     "'%.40s' is not a value of %s; allowed:", text, what);
	doc_suggest(r, text, names, n_names);
	return doc_locate(r, &n->start_mark);
}

int doc_one_of(struct doc *r, const yaml_node_t *n, const char *what, const char *const *choices, size_t *ret)
{
	size_t count = 0;

	while (choices[count])
		count++;
	return doc_choice(r, n, what, choices, count, ret);
}

int doc_number(struct doc *r, const yaml_node_t *n, const char *what, const struct doc_shape *shape,
	       uint64_t *ret)
{
	const char *text = doc_text(r, n, what);
	uint64_t value;

	if (!text)
		return r->e->code;
	if (!str_to_u64(text, &value) || value < shape->least || value > shape->most)
		return doc_complain(r, n,
				    "'%.40s' is not a value of %s; it must be a number from %llu to %llu",
				    text, what, (unsigned long long)shape->least,
				    (unsigned long long)shape->most);
	*ret = value;
	return 0;
}

int doc_time(struct doc *r, const yaml_node_t *n, const char *what, uint64_t most_ms, uint64_t *ret_ms)
{
	const char *text = doc_text(r, n, what);
	uint64_t ms, hours = most_ms / 3600000u;

	if (!text)
		return r->e->code;
	if (!str_to_ms(text, &ms) || !ms || ms > most_ms)
		return doc_complain(r, n,
				    "'%.40s' is not a time from 1ms to %llu%c, such as 500ms, 30s or 10m",
				    text, (unsigned long long)(hours < 24 ? hours : hours / 24),
				    hours < 24 ? 'h' : 'd');
	*ret_ms = ms;
	return 0;
}

int doc_copy(struct doc *r, const yaml_node_t *n, const char *what, size_t most, char **ret)
{
	const char *text = doc_text(r, n, what);

	if (!text)
		return r->e->code;
	if (!*text || strlen(text) > most)
		return doc_complain(r, n, "%s must have 1 to %zu bytes", what, most);
	*ret = strdup(text);
	return *ret ? 0 : doc_no_memory(r);
}

/* [word, word], or one shell command. */
int doc_command(struct doc *r, const yaml_node_t *n, const char *what, struct strlist *ret)
{
	if (n->type == YAML_SCALAR_NODE) {
		const char *text = doc_text(r, n, what);

		if (!text)
			return r->e->code;
		strlist_add(ret, "sh");
		strlist_add(ret, "-c");
		strlist_add(ret, text);
		if (!*text)
			return doc_complain(r, n, "%s is empty", what);
		return ret->failed ? doc_no_memory(r) : 0;
	}
	if (n->type != YAML_SEQUENCE_NODE)
		return doc_complain(r, n, "%s must be a list of words, or one shell command", what);
	for (yaml_node_item_t *i = n->data.sequence.items.start; i < n->data.sequence.items.top; i++) {
		const char *word = doc_text(r, doc_node(r, *i), "a word of a command");

		if (!word)
			return r->e->code;
		if (ret->n == MAX_WORDS)
			return doc_complain(r, doc_node(r, *i), "%s has more than %u words", what, MAX_WORDS);
		strlist_add(ret, word);
	}
	if (!ret->failed && (!ret->n || !*ret->items[0]))
		return doc_complain(r, n, "%s is empty", what);
	return ret->failed ? doc_no_memory(r) : 0;
}

static bool is_variable(const char *name)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";

	return *name && strspn(name, letters) == strlen(name) && !strchr("0123456789", *name);
}

int doc_variables(struct doc *r, const yaml_node_t *n, struct strlist *env)
{
	int err = doc_need_mapping(r, n, "'env'");

	if (err < 0)
		return err;
	for (yaml_node_pair_t *p = n->data.mapping.pairs.start; p < n->data.mapping.pairs.top; p++) {
		const char *name = doc_name(r, n, p),
			   *value = name ? doc_text(r, doc_node(r, p->value), "a variable") : NULL;

		if (!value)
			return r->e->code;
		if (!is_variable(name))
			return doc_complain(r, doc_node(r, p->key), "'%.40s' is not a variable name", name);
		if (env->n == MAX_WORDS)
			return doc_complain(r, doc_node(r, p->key), "more than %u variables", MAX_WORDS);
		strlist_addf(env, "%s=%s", name, value);
	}
	return env->failed ? doc_no_memory(r) : 0;
}

/* What libyaml says, with its own idea of where; "did not find expected key" and the like. */
static int tell_syntax(const struct doc *r, const yaml_parser_t *parser)
{
	yaml_mark_t at = parser->problem_mark;

	if (parser->error == YAML_MEMORY_ERROR)
		return doc_no_memory(r);
	aisbx_refuse(r->e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL, "invalid YAML: %s",
		     parser->problem ? parser->problem : "unreadable");
	if (parser->problem && strstr(parser->problem, "cannot start any token"))
		aisbx_hint(r->e, "indent with spaces, not with tabs, and put quotes around texts that begin "
				 "with '%%', '@' or "
				 "'`'");
	if (parser->error == YAML_READER_ERROR)
		return aisbx_context(r->e, "%s: byte %zu", path_tail(r->file, PATH_TOLD),
				     parser->problem_offset);
	return doc_locate(r, &at);
}

struct survey {
	size_t depth, nodes, aliases, documents, max_nodes;
};

static const char *judge_event(struct survey *s, const yaml_event_t *v)
{
	static const struct {
		unsigned int nodes, aliases, documents;
		int depth;
	} counts[] = {
		[YAML_ALIAS_EVENT] = { .nodes = 1, .aliases = 1 },
		[YAML_SCALAR_EVENT] = { .nodes = 1 },
		[YAML_SEQUENCE_START_EVENT] = { .nodes = 1, .depth = 1 },
		[YAML_MAPPING_START_EVENT] = { .nodes = 1, .depth = 1 },
		[YAML_SEQUENCE_END_EVENT] = { .depth = -1 },
		[YAML_MAPPING_END_EVENT] = { .depth = -1 },
		[YAML_DOCUMENT_START_EVENT] = { .documents = 1 },
	};
	const yaml_char_t *tag = v->type == YAML_SCALAR_EVENT           ? v->data.scalar.tag
				 : v->type == YAML_SEQUENCE_START_EVENT ? v->data.sequence_start.tag
				 : v->type == YAML_MAPPING_START_EVENT  ? v->data.mapping_start.tag
									: NULL;

	if (v->type < sizeof(counts) / sizeof(*counts)) {
		s->nodes += counts[v->type].nodes;
		s->aliases += counts[v->type].aliases;
		s->documents += counts[v->type].documents;
		s->depth += counts[v->type].depth;
	}
	return tag                            ? "tags ('!...') are not allowed"
	       : s->depth > DOC_MAX_DEPTH     ? "nested too deeply"
	       : s->nodes > s->max_nodes      ? "too many values"
	       : s->aliases > DOC_MAX_ALIASES ? "too many aliases"
	       : s->documents > 1             ? "a second document ('---'); only one is allowed"
					      : NULL;
}

static void start_parser(yaml_parser_t *parser, const char *text, size_t len)
{
	yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(parser, (const unsigned char *)text, len);
}

/* Nothing is kept here, so nothing can grow. */
static int survey(const struct doc *r, const char *text, size_t len)
{
	struct survey s = { .max_nodes = r->max_nodes ? r->max_nodes : DOC_MAX_NODES };
	yaml_parser_t parser;
	bool more = true;
	int err = 0;

	if (!yaml_parser_initialize(&parser))
		return doc_no_memory(r);
	start_parser(&parser, text, len);
	while (err == 0 && more) {
		const char *wrong;
		yaml_event_t v;

		if (!yaml_parser_parse(&parser, &v)) {
			err = tell_syntax(r, &parser);
			break;
		}
		wrong = judge_event(&s, &v);
		if (wrong)
			err = doc_complain(r, &v, "%s", wrong);
		more = v.type != YAML_STREAM_END_EVENT;
		yaml_event_delete(&v);
	}
	yaml_parser_delete(&parser);
	return err;
}

static int read_document(struct doc *r, const char *text, size_t len, doc_root_fn *read, void *into)
{
	yaml_node_t *root;
	yaml_parser_t parser;
	int err = 0;

	if (!yaml_parser_initialize(&parser))
		return doc_no_memory(r);
	start_parser(&parser, text, len);
	if (!yaml_parser_load(&parser, &r->doc)) {
		err = tell_syntax(r, &parser);
		yaml_parser_delete(&parser);
		return err;
	}
	root = yaml_document_get_root_node(&r->doc);
	if (root && root->type == YAML_SCALAR_NODE && !root->data.scalar.length)
		root = NULL; /* "---" and nothing */
	if (root)
		err = read(r, root, into);
	yaml_document_delete(&r->doc);
	yaml_parser_delete(&parser);
	return err;
}

int doc_read_root(struct doc *r, const char *text, size_t len, doc_root_fn *read, void *into)
{
	size_t most = r->max_bytes ? r->max_bytes : DOC_MAX_BYTES;
	int err;

	if (len > most)
		return aisbx_refuse(r->e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EFBIG,
				    "%s: is too long; at most %zu bytes are allowed",
				    path_tail(r->file, PATH_TOLD), most);
	err = survey(r, text, len);
	return err == 0 ? read_document(r, text, len, read, into) : err;
}

struct by_keys {
	const struct doc_key *keys;
	void *into;
};

static int read_by_keys(struct doc *r, const yaml_node_t *root, void *into)
{
	const struct by_keys *by = into;

	return doc_mapping(r, root, "the file", by->keys, by->into);
}

int doc_read(struct doc *r, const char *text, size_t len, const struct doc_key *keys, void *into)
{
	struct by_keys by = { keys, into };

	return doc_read_root(r, text, len, read_by_keys, &by);
}

/* It becomes the name of a log or a box, and is shown to people. */
bool doc_is_name(const char *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";

	return strlen(name) <= DOC_MAX_NAME && strspn(name, letters) == strlen(name) && *name &&
	       !strchr("-_.", *name);
}

int doc_refuse_name(struct doc *r, const yaml_node_t *at, const char *name, const char *what)
{
	return doc_complain(r, at,
			    "'%.40s' is not a valid name of %s: at most %u letters, digits, '-', '_', '.'",
			    name, what, DOC_MAX_NAME);
}
