/* SPDX-License-Identifier: Apache-2.0 */
/* Judges facts by rules. Pure: the same facts and rules make the same report. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/scope.h"
#include "scan/core/scan.h"

#define MAX_LINE 16384u /* bytes of "NAME ARG ARG ..." that are looked at */
#define OVERLAP  1024u  /* of the pieces of a longer line */
#define MAX_CALL 400u   /* and that are shown */
#define LEAD     80u    /* bytes before the place that are shown of a long line */

/* A rule that a fact fulfils. */
struct match {
	const struct scan_rule *rule;
	const struct fact *fact;
	char *name; /* owned, or NULL: the fact's */
};

struct judging {
	enum scan_lang lang;
	const struct facts *facts;
	const struct scan_policy *policy;
	const struct scan_rule *
		*by_kind[FACT_KINDS_COUNT]; /* owned; NULL-terminated: those that can match such a fact */
	struct match *matches;              /* owned */
	size_t n, cap;
	struct facts lines; /* those that rules for the source fit, as if each were a text */
	bool failed;
};

static void finish_judging(struct judging *j)
{
	for (size_t i = 0; i < j->n; i++)
		free(j->matches[i].name);
	free(j->matches);
	facts_finish(&j->lines);
	for (size_t k = 0; k < FACT_KINDS_COUNT; k++)
		free(j->by_kind[k]);
}

static enum scan_lang lang_of(const char *name)
{
	return !strcmp(name, "python")  ? SCAN_LANG_PYTHON
	       : !strcmp(name, "shell") ? SCAN_LANG_SHELL
					: SCAN_LANG_JAVASCRIPT;
}

bool scan_rule_is_for(const struct scan_rule *r, const char *lang)
{
	return r->lang == SCAN_LANG_ANY || r->lang == lang_of(lang);
}

static bool asks_for_arguments(const struct scan_rule *r)
{
	return r->args.n || r->line.n || r->from.n || r->unknown;
}

static bool suits_kind(const struct scan_rule *r, enum fact_kind kind)
{
#define KIND(id) (1u << FACT_##id)
	static const unsigned int suits[RULE_KIND_COUNT] = {
		[RULE_IMPORT] = KIND(IMPORT),
		[RULE_FUNCTION] = KIND(CALL) | KIND(USE),
		[RULE_ATTRIBUTE] = KIND(USE) | KIND(CALL),
		[RULE_COMMAND] = KIND(COMMAND),
		[RULE_WRITE] = KIND(WRITE),
		[RULE_PATTERN] = KIND(TEXT) | KIND(COMMAND) | KIND(WRITE),
		[RULE_HIDDEN] = KIND(HIDDEN),
		[RULE_BROKEN] = KIND(BROKEN),
		[RULE_UNREAD] = KIND(UNREAD),
		[RULE_MODULE] = KIND(MODULE),
	};
#undef KIND

	if (r->kind == RULE_FUNCTION && kind == FACT_USE && asks_for_arguments(r))
		return false;
	return suits[r->kind] >> kind & 1;
}

/* Programs are started from every language, and what is inside a text may be in another one. */
static bool suits_language(const struct judging *j, const struct scan_rule *r, const struct fact *f)
{
	return r->lang == SCAN_LANG_ANY || r->lang == j->lang || (f->flags & FACT_NESTED) ||
	       (r->lang == SCAN_LANG_SHELL && f->kind == FACT_COMMAND);
}

static bool suits_flag(enum scan_flag asked, bool is_so)
{
	return asked == SCAN_FLAG_ANY || (asked == SCAN_FLAG_YES) == is_so;
}

static bool is_unknown(const struct fact *f)
{
	for (size_t i = 0; i < f->args.n; i++)
		if (strstr(f->args.items[i], FACT_NOT_KNOWN))
			return true;
	return false;
}

static bool matches_glob(const struct strlist *globs, const char *text)
{
	for (size_t i = 0; i < globs->n; i++)
		if (str_matches(text, globs->items[i]))
			return true;
	return false;
}

static bool suits_name(const struct scan_rule *r, const struct fact *f)
{
	const char *slash = f->kind == FACT_COMMAND ? strrchr(f->name, '/') : NULL;

	return !r->names.n || matches_glob(&r->names, f->name) ||
	       (slash && slash[1] && matches_glob(&r->names, slash + 1));
}

static bool suits_from(const struct scan_rule *r, const struct fact *f)
{
	for (size_t i = 0; i < f->from.n; i++)
		if (matches_glob(&r->from, f->from.items[i]))
			return true;
	return !r->from.n;
}

static bool is_in(const struct scan_regex *re, const char *text)
{
	return regexec(&re->compiled, text, 0, NULL, 0) == 0;
}

/* Whether each of L is in TEXT. */
static bool are_in(const struct scan_regexes *l, const char *text)
{
	for (size_t i = 0; i < l->n; i++)
		if (!is_in(&l->list[i], text))
			return false;
	return true;
}

static bool suits_args(const struct scan_rule *r, const struct fact *f)
{
	for (size_t i = 0; i < r->args.n; i++) {
		size_t k = 0;

		while (k < f->args.n && !is_in(&r->args.list[i], f->args.items[k]))
			k++;
		if (k == f->args.n)
			return false;
	}
	return true;
}

/* "NAME ARG ARG ..." */
static void put_line(struct buf *b, const struct fact *f, size_t most)
{
	buf_add(b, f->name, strlen(f->name));
	for (size_t i = 0; i < f->args.n && b->len < most; i++) {
		buf_add(b, " ", 1);
		buf_add(b, f->args.items[i], strlen(f->args.items[i]));
	}
	if (b->len > most)
		b->len = most;
}

/* LINE is made when the first rule asks for it. */
static const char *line_of(struct judging *j, const struct fact *f, struct buf *line)
{
	const char *text = f->name;

	if (f->args.n) {
		if (!line->len)
			put_line(line, f, MAX_LINE);
		text = buf_str(line);
	}
	j->failed |= !text;
	return text ? text : "";
}

static bool suits(struct judging *j, const struct scan_rule *r, const struct fact *f, struct buf *line)
{
	if (!suits_language(j, r, f) || !suits_flag(r->indirect, f->flags & FACT_INDIRECT) ||
	    !suits_flag(r->nested, f->flags & FACT_NESTED) || !suits_name(r, f) || !suits_from(r, f) ||
	    (r->unknown && !suits_flag(r->unknown, is_unknown(f))) || !suits_args(r, f))
		return false;
	if ((r->match.n && !are_in(&r->match, line_of(j, f, line))) ||
	    (r->line.n && !are_in(&r->line, line_of(j, f, line))))
		return false;
	for (size_t i = 0; i < r->unless.n; i++)
		if (is_in(&r->unless.list[i], line_of(j, f, line)))
			return false;
	return true;
}

static void add_match(struct judging *j, const struct scan_rule *r, const struct fact *f, char *name)
{
	if (j->n == j->cap) {
		size_t cap = j->cap ? j->cap * 2 : 64;
		struct match *grown = reallocarray(j->matches, cap, sizeof(*grown));

		if (!grown) {
			j->failed = true;
			free(name);
			return;
		}
		j->matches = grown;
		j->cap = cap;
	}
	j->matches[j->n++] = (struct match){ r, f, name };
}

static void sort_rules(struct judging *j)
{
	for (enum fact_kind k = 0; k < FACT_KINDS_COUNT; k++) {
		size_t n = 0;

		j->by_kind[k] = calloc(j->policy->n_rules + 1, sizeof(*j->by_kind[k]));
		j->failed |= !j->by_kind[k];
		for (size_t i = 0; !j->failed && i < j->policy->n_rules; i++)
			if (suits_kind(&j->policy->rules[i], k))
				j->by_kind[k][n++] = &j->policy->rules[i];
	}
}

static void judge_facts(struct judging *j)
{
	for (size_t i = 0; !j->failed && i < j->facts->n; i++) {
		const struct fact *f = &j->facts->list[i];
		scoped(buf_finish) struct buf line = { 0 };

		for (const struct scan_rule **r = j->by_kind[f->kind]; *r; r++)
			if (suits(j, *r, f, &line))
				add_match(j, *r, f, NULL);
	}
}

/* Line N of the program, which is TEXT: it is kept if a rule for the source fits it. */
static void judge_line(struct judging *j, const char *text, size_t len, uint32_t n)
{
	char line[MAX_LINE + 1];
	struct fact f = { .kind = FACT_TEXT, .line = n, .column = 1, .end_line = n };

	len = len < MAX_LINE ? len : MAX_LINE;
	memcpy(line, text, len);
	line[len] = '\0';
	for (char *c = line; (c = memchr(c, '\0', (size_t)(line + len - c)));)
		*c = ' ';
	f.name = line;
	f.end_column = (uint32_t)len + 1;
	for (size_t i = 0; i < j->policy->n_rules; i++) {
		const struct scan_rule *r = &j->policy->rules[i];

		if (r->kind == RULE_SOURCE && (r->lang == SCAN_LANG_ANY || r->lang == j->lang) &&
		    are_in(&r->match, line)) {
			facts_add(&j->lines, &f);
			return;
		}
	}
}

/* Rules that look at the program as it is written, whatever it means. */
static void judge_source(struct judging *j, const struct scan_text *t)
{
	bool any = false;
	uint32_t n = 1;

	for (size_t i = 0; i < j->policy->n_rules; i++)
		any |= j->policy->rules[i].kind == RULE_SOURCE;
	for (size_t at = 0; any && at < t->len; n++) {
		const char *end = memchr(t->text + at, '\n', t->len - at);
		size_t len = (end ? (size_t)(end - t->text) : t->len) - at;

		for (size_t done = 0; done < len || !done;
		     done += MAX_LINE - OVERLAP) /* long ones in pieces */
			judge_line(j, t->text + at + done, len - done, n);
		at += len + 1;
	}
	j->failed |= j->lines.failed != 0;
	for (size_t k = 0; !j->failed && k < j->lines.n; k++)
		for (size_t i = 0; i < j->policy->n_rules; i++) {
			const struct scan_rule *r = &j->policy->rules[i];

			if (r->kind == RULE_SOURCE && (r->lang == SCAN_LANG_ANY || r->lang == j->lang) &&
			    are_in(&r->match, j->lines.list[k].name))
				add_match(j, r, &j->lines.list[k], NULL);
		}
}

static const struct match *find_match(const struct judging *j, size_t n, const char *glob)
{
	for (size_t i = 0; i < n; i++)
		if (str_matches(j->matches[i].rule->id, glob))
			return &j->matches[i];
	return NULL;
}

/* The finding stands where the last of those it is made of stands. */
static void judge_together(struct judging *j)
{
	size_t n = j->n;

	for (size_t i = 0; !j->failed && i < j->policy->n_rules; i++) {
		const struct scan_rule *r = &j->policy->rules[i];
		const struct match *m = NULL;
		scoped(buf_finish) struct buf name = { 0 };

		if (r->kind != RULE_TOGETHER || (r->lang != SCAN_LANG_ANY && r->lang != j->lang))
			continue;
		for (size_t k = 0; k < r->all.n; k++) {
			m = find_match(j, n, r->all.items[k]);
			if (!m)
				break;
			buf_addf(&name, "%s%s", k ? " + " : "", m->rule->id);
		}
		j->failed |= m && !buf_str(&name);
		if (m && !j->failed)
			add_match(j, r, m->fact, take_mem(&name.data));
	}
}

static int by_place(const void *a, const void *b)
{
	const struct match *x = a, *y = b;

	if (x->fact->line != y->fact->line)
		return x->fact->line < y->fact->line ? -1 : 1;
	if (x->fact->column != y->fact->column)
		return x->fact->column < y->fact->column ? -1 : 1;
	if (x->rule->severity != y->rule->severity)
		return x->rule->severity > y->rule->severity ? -1 : 1;
	if (x->rule != y->rule)
		return x->rule < y->rule ? -1 : 1;
	return x->fact < y->fact ? -1 : x->fact > y->fact;
}

static int by_severity(const void *a, const void *b)
{
	const struct match *x = a, *y = b;

	if (x->rule->severity != y->rule->severity)
		return x->rule->severity > y->rule->severity ? -1 : 1;
	return by_place(a, b);
}

/* One finding for a rule and a place; the worst when there are too many. */
static void choose(struct judging *j, size_t *ret_more)
{
	size_t n = 0;

	*ret_more = 0;
	if (!j->n)
		return;
	qsort(j->matches, j->n, sizeof(*j->matches), by_place);
	for (size_t i = 0; i < j->n; i++) {
		const struct match *last = n ? &j->matches[n - 1] : NULL, *m = &j->matches[i];

		if (last && last->rule == m->rule && last->fact->line == m->fact->line &&
		    last->fact->column == m->fact->column)
			free(m->name);
		else
			j->matches[n++] = *m;
	}
	j->n = n;
	if (n <= SCAN_MAX_FINDINGS)
		return;
	qsort(j->matches, n, sizeof(*j->matches), by_severity);
	for (; j->n > SCAN_MAX_FINDINGS; j->n--)
		free(j->matches[j->n - 1].name);
	*ret_more = n - j->n;
	qsort(j->matches, j->n, sizeof(*j->matches), by_place);
}

/* Bytes as UTF-8 without NULs and of the same length: what is none becomes '?'. */
static char *clean_text(const char *text, size_t len)
{
	scoped(buf_finish) struct buf checked = { 0 };
	char *copy = malloc(len + 1);

	buf_add_utf8(&checked, text, len);
	if (!copy || checked.failed) {
		free(copy);
		return NULL;
	}
	for (size_t i = 0; i < len; i++)
		copy[i] = !text[i]                                              ? ' '
			  : checked.len != len && (unsigned char)text[i] > 0x7f ? '?'
										: text[i];
	copy[len] = '\0';
	return copy;
}

static bool is_inside(char c) /* a character of UTF-8 */
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* The line that begins at *AT, or a part of it with column COLUMN in it. */
static char *source_text(const struct scan_text *t, size_t at, uint32_t column, uint32_t *ret_offset)
{
	const char *line = t->text + at, *end = at < t->len ? memchr(line, '\n', t->len - at) : NULL;
	size_t len = end ? (size_t)(end - line) : t->len - at, first = 0;

	if (len && line[len - 1] == '\r')
		len--;
	if (len > SCAN_MAX_TEXT) {
		first = column - 1 > LEAD ? column - 1 - LEAD : 0;
		first = first < len - SCAN_MAX_TEXT ? first : len - SCAN_MAX_TEXT;
		while (first && is_inside(line[first]))
			first--;
		len = SCAN_MAX_TEXT;
		while (len && is_inside(line[first + len]))
			len--;
	}
	*ret_offset = (uint32_t)first;
	return clean_text(line + first, len);
}

/* Where column COLUMN of a line at AT is in characters. */
static uint32_t count_chars(const struct scan_text *t, size_t at, uint32_t column)
{
	uint32_t n = 1;

	for (size_t i = at; i < t->len && i - at + 1 < column; i++)
		n += !is_inside(t->text[i]);
	return n;
}

static char *call_text(const struct match *m)
{
	scoped(buf_finish) struct buf b = { 0 };
	size_t len;

	if (m->name)
		return strdup(m->name);
	put_line(&b, m->fact, MAX_CALL + 4);
	if (!buf_str(&b))
		return NULL;
	for (len = b.len; len > MAX_CALL || (len && len == MAX_CALL && is_inside(b.data[len])); len--)
		;
	for (size_t i = 0; i < len; i++)
		if (b.data[i] == *FACT_NOT_KNOWN)
			b.data[i] = '?';
	return clean_text(b.data, len);
}

static bool fill(struct scan_finding *f, const struct match *m, const struct scan_text *text, size_t at)
{
	const char *name = m->name ? m->name : m->fact->name;

	*f = (struct scan_finding){ .rule = m->rule,
				    .kind = m->fact->kind,
				    .flags = m->fact->flags,
				    .line = m->fact->line,
				    .column = m->fact->column,
				    .end_line = m->fact->end_line,
				    .end_column = m->fact->end_column };
	f->char_column = count_chars(text, at, f->column);
	f->char_end_column = f->line == f->end_line ? count_chars(text, at, f->end_column) : f->end_column;
	f->name = clean_text(name, strlen(name));
	f->call = call_text(m);
	f->text = source_text(text, at, m->fact->column, &f->text_offset);
	return f->name && f->call && f->text;
}

/* The findings are in the order of their lines, so one pass over the text finds them all. */
static bool fill_all(const struct judging *j, const struct scan_text *text, struct scan_report *r)
{
	size_t at = 0;
	uint32_t line = 1;

	r->findings = calloc(j->n + 1, sizeof(*r->findings));
	if (!r->findings)
		return false;
	for (size_t i = 0; i < j->n; i++) {
		while (line < j->matches[i].fact->line) {
			const char *end =
				at < text->len ? memchr(text->text + at, '\n', text->len - at) : NULL;

			if (!end)
				break;
			at = (size_t)(end + 1 - text->text);
			line++;
		}
		r->n_findings++;
		if (!fill(&r->findings[i], &j->matches[i], text, at))
			return false;
	}
	return true;
}

int scan_judge(const struct scan_text *text, const struct facts *facts, const struct scan_policy *policy,
	       struct scan_report *ret, struct aisbx_error *e)
{
	scoped(finish_judging) struct judging j = { .lang = lang_of(text->lang),
						    .facts = facts,
						    .policy = policy };
	struct scan_report r = { .language = scan_language_name(text->lang), .bytes = text->len };

	sort_rules(&j);
	judge_facts(&j);
	judge_source(&j, text);
	judge_together(&j);
	for (size_t i = 0; i < j.n; i++)
		if (j.matches[i].rule->severity > r.risk)
			r.risk = j.matches[i].rule->severity;
	r.action = policy->levels[r.risk];
	if (!j.failed)
		choose(&j, &r.more);
	if (j.failed || !fill_all(&j, text, &r)) {
		scan_report_finish(&r);
		return aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "scan the program");
	}
	*ret = r;
	return 0;
}

void scan_report_finish(struct scan_report *r)
{
	for (size_t i = 0; i < r->n_findings; i++) {
		free(r->findings[i].name);
		free(r->findings[i].call);
		free(r->findings[i].text);
	}
	free(r->findings);
	*r = (struct scan_report){ 0 };
}
