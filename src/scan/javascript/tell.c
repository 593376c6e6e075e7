/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Facts of calls: which functions of the host load modules, run code, start programs or write files, and in
 * which argument. Code that they run is read by the reader of its language.
 */
#include <stdio.h>
#include <string.h>

#include "base/scope.h"
#include "base/str.h"
#include "scan/javascript/javascript.h"

#define MAX_TEXTS 20000u /* facts of texts alone */
#define MIN_TEXT  4u
#define MAX_PARTS 64u /* of an object or a list among the arguments */

enum action {
	CODE,       /* the argument is a program of this language */
	CODE_MAYBE, /* when it is a text */
	CODE_ASKED, /* when an option says so */
	SHELL,      /* a line for the shell */
	WORDS,      /* a program and a list of words */
	MODULE,     /* a file that node runs */
	WRITE,      /* the name of a file */
	WRITE_OPEN, /* when the next argument says that it is written */
};

struct known {
	const char *name;
	enum action action;
	int arg; /* -1: the last */
};

static const struct known known[] = {
	{ "eval", CODE, 0 },
	{ "execScript", CODE, 0 },
	{ "Function", CODE, -1 },
	{ "module._compile", CODE, 0 },
	{ "document.createElement(script).innerHTML", CODE_MAYBE, 0 },
	{ "document.createElement(script).text", CODE_MAYBE, 0 },
	{ "document.createElement(script).textContent", CODE_MAYBE, 0 },
	{ "setImmediate", CODE_MAYBE, 0 },
	{ "setInterval", CODE_MAYBE, 0 },
	{ "setTimeout", CODE_MAYBE, 0 },
	{ "vm.Script", CODE, 0 },
	{ "vm.SourceTextModule", CODE, 0 },
	{ "vm.compileFunction", CODE, 0 },
	{ "vm.runInContext", CODE, 0 },
	{ "vm.runInNewContext", CODE, 0 },
	{ "vm.runInThisContext", CODE, 0 },
	{ "worker_threads.Worker", CODE_ASKED, 0 },
	{ "child_process.exec", SHELL, 0 },
	{ "child_process.execSync", SHELL, 0 },
	{ "execa.command", SHELL, 0 },
	{ "execa.commandSync", SHELL, 0 },
	{ "execa.execaCommand", SHELL, 0 },
	{ "execa.execaCommandSync", SHELL, 0 },
	{ "shelljs.exec", SHELL, 0 },
	{ "bun.$", SHELL, 0 },
	{ "Bun.$", SHELL, 0 },
	{ "zx.$", SHELL, 0 },
	{ "execa.$", SHELL, 0 },
	{ "child_process.execFile", WORDS, 0 },
	{ "child_process.execFileSync", WORDS, 0 },
	{ "child_process.spawn", WORDS, 0 },
	{ "child_process.spawnSync", WORDS, 0 },
	{ "cross-spawn", WORDS, 0 },
	{ "cross-spawn.spawn", WORDS, 0 },
	{ "cross-spawn.sync", WORDS, 0 },
	{ "execa", WORDS, 0 },
	{ "execa.execa", WORDS, 0 },
	{ "execa.execaSync", WORDS, 0 },
	{ "execa.sync", WORDS, 0 },
	{ "node-pty.spawn", WORDS, 0 },
	{ "Bun.spawn", WORDS, 0 },
	{ "Bun.spawnSync", WORDS, 0 },
	{ "Deno.Command", WORDS, 0 },
	{ "Deno.run", WORDS, 0 },
	{ "child_process.fork", MODULE, 0 },
	{ "fs.appendFile", WRITE, 0 },
	{ "fs.appendFileSync", WRITE, 0 },
	{ "fs.copyFile", WRITE, 1 },
	{ "fs.copyFileSync", WRITE, 1 },
	{ "fs.cp", WRITE, 1 },
	{ "fs.cpSync", WRITE, 1 },
	{ "fs.createWriteStream", WRITE, 0 },
	{ "fs.link", WRITE, 1 },
	{ "fs.linkSync", WRITE, 1 },
	{ "fs.open", WRITE_OPEN, 0 },
	{ "fs.openSync", WRITE_OPEN, 0 },
	{ "fs.outputFile", WRITE, 0 },
	{ "fs.outputFileSync", WRITE, 0 },
	{ "fs.outputJson", WRITE, 0 },
	{ "fs.rename", WRITE, 1 },
	{ "fs.renameSync", WRITE, 1 },
	{ "fs.symlink", WRITE, 1 },
	{ "fs.symlinkSync", WRITE, 1 },
	{ "fs.truncate", WRITE, 0 },
	{ "fs.truncateSync", WRITE, 0 },
	{ "fs.writeFile", WRITE, 0 },
	{ "fs.writeFileSync", WRITE, 0 },
	{ "fs.writeJson", WRITE, 0 },
	{ "fs.writeJsonSync", WRITE, 0 },
	{ "Bun.write", WRITE, 0 },
	{ "Deno.copyFile", WRITE, 1 },
	{ "Deno.rename", WRITE, 1 },
	{ "Deno.symlink", WRITE, 1 },
	{ "Deno.writeFile", WRITE, 0 },
	{ "Deno.writeFileSync", WRITE, 0 },
	{ "Deno.writeTextFile", WRITE, 0 },
	{ "Deno.writeTextFileSync", WRITE, 0 },
};

static const struct known *find_known(const char *name)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (known[i].name[0] == name[0] && !strcmp(known[i].name, name))
			return &known[i];
	return NULL;
}

bool js_runs_code(const char *name)
{
	const struct known *k = find_known(name);

	return k && (k->action == CODE || k->action == SHELL);
}

static void place(const struct js_reader *r, uint32_t offset, uint32_t *ret_line, uint32_t *ret_column)
{
	uint32_t low = 0, high = r->n_lines;

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (r->lines[middle] <= offset)
			low = middle;
		else
			high = middle;
	}
	*ret_line = low + 1;
	*ret_column = offset - r->lines[low] + 1;
}

static struct fact fact_at(const struct js_reader *r, uint32_t at, enum fact_kind kind, const char *name,
			   bool is_indirect)
{
	const struct scan_outer *outer = r->tree->outer;
	struct fact f = { .kind = kind, .name = name, .flags = is_indirect ? FACT_INDIRECT : 0 };

	if (outer) {
		f.line = outer->at->line;
		f.column = outer->at->column;
		f.end_line = outer->at->end_line;
		f.end_column = outer->at->end_column;
		f.flags |= FACT_NESTED | (outer->at->flags & FACT_INDIRECT);
	} else {
		place(r, r->nodes[at].start, &f.line, &f.column);
		place(r, r->nodes[at].end, &f.end_line, &f.end_column);
	}
	return f;
}

/* Without bytes that would end it early. */
static char *plain(struct buf *b)
{
	size_t kept = 0;

	if (b->len > FACT_MAX_TEXT + 4)
		b->len = FACT_MAX_TEXT + 4; /* cut at a character by whoever keeps it */
	for (size_t i = 0; i < b->len; i++)
		if (b->data[i])
			b->data[kept++] = b->data[i];
	b->len = kept;
	return buf_str(b);
}

static void add_argument(struct js_reader *r, struct strlist *list, const char *key, const struct js_value *v,
			 unsigned int depth);

/* Each part of a list or an object, under the name it has there. */
static void add_parts(struct js_reader *r, struct strlist *list, const char *key, const struct js_value *v,
		      unsigned int depth)
{
	char deeper[128];
	unsigned int n = 0;

	if (v->type == JS_V_LIST) {
		for (uint32_t i = 0; i < v->list->n && i < MAX_PARTS; i++)
			add_argument(r, list, key, v->list->items[i], depth);
		if (v->list->has_more)
			strlist_addf(list, "%s%s" FACT_NOT_KNOWN, key, *key ? "=" : "");
		return;
	}
	for (struct js_prop *p = v->object->first; p && n < MAX_PARTS; p = p->next, n++) {
		snprintf(deeper, sizeof(deeper), "%.60s%s%.60s", key, *key ? "." : "", p->key);
		add_argument(r, list, deeper, p->value, depth);
	}
}

static void add_argument(struct js_reader *r, struct strlist *list, const char *key, const struct js_value *v,
			 unsigned int depth)
{
	scoped(buf_finish) struct buf b = { 0 };

	if (list->n >= FACT_MAX_ARGS)
		return;
	if ((v->type == JS_V_LIST || v->type == JS_V_OBJECT) && depth < 4) {
		add_parts(r, list, key, v, depth + 1);
		return;
	}
	if (*key)
		buf_addf(&b, "%s=", key);
	if (v->type == JS_V_TEXT)
		buf_add(&b, v->data, v->len < FACT_MAX_TEXT + 4 ? v->len : FACT_MAX_TEXT + 4);
	else if (v->type == JS_V_LIST)
		buf_add(&b, FACT_NOT_KNOWN, 1);
	else
		js_add_text(r, &b, v);
	strlist_add(list, plain(&b) ? b.data : FACT_NOT_KNOWN);
}

/* Whether this very fact was told before: functions are read more than once. */
static bool is_told(struct js_reader *r, const struct fact *f, uint32_t at)
{
	bool is_any_place = f->kind == FACT_TEXT || f->kind == FACT_USE;
	uint64_t hash = js_hash((uint64_t)f->kind << 40 | (uint64_t)f->flags << 32 | (is_any_place ? 0 : at),
				f->name, strlen(f->name) + 1);

	for (size_t i = 0; i < f->args.n; i++)
		hash = js_hash(hash, f->args.items[i], strlen(f->args.items[i]) + 1);
	for (size_t i = 0; i < f->from.n; i++)
		hash = js_hash(hash, f->from.items[i], strlen(f->from.items[i]) + 1);
	if (js_table_get(&r->told, hash))
		return true;
	r->failed |= !js_table_put(&r->told, hash, r);
	return false;
}

void js_tell(struct js_reader *r, uint32_t at, enum fact_kind kind, const char *name, unsigned int flags,
	     const struct js_args *args, const struct js_from *from)
{
	struct fact f = fact_at(r, at, kind, name, (flags & (JS_DEVIOUS | JS_DECODED)) != 0);

	for (size_t i = 0; args && i < args->n; i++)
		add_argument(r, &f.args, "", args->list[i], 0);
	if (r->forever && kind == FACT_CALL)
		strlist_add(&f.args, "loop=forever");
	for (; from; from = from->next)
		strlist_add(&f.from, from->name);
	if (!is_told(r, &f, at))
		facts_add(r->tree->facts, &f);
	strlist_finish(&f.args);
	strlist_finish(&f.from);
}

void js_tell_text(struct js_reader *r, uint32_t at, const struct js_value *v)
{
	scoped(buf_finish) struct buf b = { 0 };

	if (v->type != JS_V_TEXT || v->len < MIN_TEXT || r->texts >= MAX_TEXTS || r->has_stopped)
		return;
	buf_add(&b, v->data, v->len < FACT_MAX_TEXT + 4 ? v->len : FACT_MAX_TEXT + 4);
	if (!plain(&b) || b.len < MIN_TEXT || !strpbrk(b.data, " ./:-_\\;=|$"))
		return;
	r->texts++;
	js_tell(r, at, FACT_TEXT, b.data, v->flags & JS_DECODED, NULL, NULL);
}

void js_tell_use(struct js_reader *r, uint32_t at, const struct js_value *v)
{
	if (v->type != JS_V_NAME || (v->flags & JS_LOCAL) || strstr(v->data, "()"))
		return;
	if (strchr(v->data, '.') || js_runs_code(v->data) || !strcmp(v->data, "require"))
		js_tell(r, at, FACT_USE, v->data, v->flags, NULL, NULL);
}

static bool has_unknown(const struct js_value *v)
{
	return memchr(v->data, FACT_NOT_KNOWN[0], v->len) != NULL;
}

typedef int reader(const char *text, size_t len, const struct scan_outer *outer, struct facts *facts);

/* A program in a text. */
static void read_inside(struct js_reader *r, const struct fact *f, reader *read, const char *text, size_t len)
{
	struct scan_outer outer = { .depth = (r->tree->outer ? r->tree->outer->depth : 0) + 1, .at = f };

	if (read(text, len, &outer, r->tree->facts) < 0)
		r->tree->facts->failed = 1;
}

struct js_value *js_load(struct js_reader *r, uint32_t at, const struct js_value *module, const char *by,
			 unsigned int flags)
{
	char name[JS_MAX_NAME + 1];
	const char *s = name;

	if (module->type != JS_V_TEXT || !module->len || module->data[0] == FACT_NOT_KNOWN[0]) {
		js_tell(r, at, FACT_HIDDEN, by, 0, NULL, js_from_all(r, module));
		return js_with_from(r, js_namef(r, JS_LOCAL, by, "()"), js_from_add(r, module->from, by));
	}
	snprintf(name, sizeof(name), "%.*s", (int)(module->len < JS_MAX_NAME ? module->len : JS_MAX_NAME),
		 module->data);
	if (!strncmp(s, "node:", 5))
		s += 5;
	flags = js_flags(module) ? JS_DEVIOUS : flags & JS_DEVIOUS;
	js_tell(r, at, FACT_IMPORT, s, flags, NULL, NULL);
	if (str_is_one_of(s, "fs/promises|fs-extra|graceful-fs"))
		s = "fs";
	/* These give, or are, what the language has anyway. */
	if (str_is_one_of(s, "process|buffer"))
		return *s == 'p' ? js_name(r, s, 0) : js_name(r, "globalThis", 0);
	return js_name(r, s, flags);
}

static void tell_code(struct js_reader *r, uint32_t at, const char *name, const struct js_value *v,
		      unsigned int flags)
{
	struct fact f = fact_at(r, at, FACT_CALL, name,
				(flags & (JS_DEVIOUS | JS_DECODED)) || (v->flags & JS_DECODED));

	if (v->type == JS_V_TEXT)
		read_inside(r, &f, scan_javascript, v->data, v->len);
	if (v->type != JS_V_TEXT || has_unknown(v))
		js_tell(r, at, FACT_HIDDEN, name, flags | v->flags, NULL, js_from_all(r, v));
}

static void tell_shell(struct js_reader *r, uint32_t at, const char *name, const struct js_value *v,
		       unsigned int flags)
{
	struct fact f = fact_at(r, at, FACT_CALL, name, (flags & JS_DEVIOUS) || (v->flags & JS_DECODED));
	bool is_known = v->type == JS_V_TEXT && v->len && !(v->len == 1 && v->data[0] == FACT_NOT_KNOWN[0]);

	if (is_known)
		read_inside(r, &f, scan_shell, v->data, v->len);
	else
		js_tell(r, at, FACT_HIDDEN, name, flags, NULL, js_from_all(r, v));
}

/* One more word of a line that a shell would read as this word. */
static void add_word(struct js_reader *r, struct buf *line, const struct js_value *v, bool is_quoted)
{
	static const char safe[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./=:@%+,-~" FACT_NOT_KNOWN;
	scoped(buf_finish) struct buf word = { 0 };

	js_add_text(r, &word, v);
	if (line->len)
		buf_add(line, " ", 1);
	if (!plain(&word))
		return;
	if (!is_quoted || (word.len && strspn(word.data, safe) == word.len)) {
		buf_add(line, word.data, word.len);
		return;
	}
	buf_add(line, "'", 1);
	for (size_t i = 0; i < word.len; i++)
		word.data[i] == '\'' ? buf_add(line, "'\\''", 4) : buf_add(line, &word.data[i], 1);
	buf_add(line, "'", 1);
}

static void add_words(struct js_reader *r, struct buf *line, const struct js_value *list, bool is_quoted)
{
	for (uint32_t i = 0; list->type == JS_V_LIST && i < list->list->n && line->len < JS_MAX_TEXT; i++)
		add_word(r, line, list->list->items[i], is_quoted);
	if (list->type != JS_V_LIST || list->list->has_more)
		buf_add(line, " " FACT_NOT_KNOWN, 2);
}

/* spawn("rm", ["-rf", x]), Bun.spawn(["rm"]), Deno.run({cmd: ["rm"]}), new Deno.Command("rm", {args: []}) */
static void tell_words(struct js_reader *r, uint32_t at, const char *name, const struct js_args *args,
		       unsigned int flags)
{
	scoped(buf_finish) struct buf line = { 0 };
	const struct js_value *program = args->list[0], *words = NULL, *shell, *inner;
	bool is_shell = false;

	if (program->type == JS_V_OBJECT && (inner = js_object_get(r, program, "cmd", 3)))
		program = inner;
	for (size_t i = 1; i < args->n; i++) {
		const struct js_value *v = args->list[i];

		if (v->type == JS_V_OBJECT && (shell = js_object_get(r, v, "shell", 5)))
			is_shell = js_truth(shell) != 0;
		if (v->type == JS_V_OBJECT && (inner = js_object_get(r, v, "args", 4)))
			words = inner;
		else if (i == 1 && v->type != JS_V_OBJECT && v->type != JS_V_FUNCTION &&
			 v->type != JS_V_UNDEFINED)
			words = v;
	}
	if (program->type == JS_V_LIST && program->list->n) {
		words = program;
		program = NULL;
	}
	if (program)
		add_word(r, &line, program, !is_shell);
	if (words)
		add_words(r, &line, words, !is_shell);
	if (line.failed || !line.len)
		return;
	tell_shell(r, at, name,
		   line.data[0] == FACT_NOT_KNOWN[0] ? args->list[0]
						     : js_text_copy(r, line.data, line.len, 0),
		   flags);
}

static void tell_write(struct js_reader *r, uint32_t at, const struct js_value *v, const struct js_args *args,
		       unsigned int flags)
{
	scoped(buf_finish) struct buf name = { 0 };
	struct js_args rest = { 0 };
	const struct js_from *from = NULL;

	for (size_t i = 0; i < args->n; i++) {
		from = js_from_join(r, from, js_from_all(r, args->list[i]));
		if (args->list[i] != v)
			rest.list[rest.n++] = args->list[i];
	}
	js_add_text(r, &name, v);
	if (plain(&name))
		js_tell(r, at, FACT_WRITE, name.data, flags | js_flags(v), &rest, from);
}

static bool is_opened_to_write(const struct js_args *args)
{
	const struct js_value *v = args->n > 1 ? args->list[1] : NULL;

	return v && v->type == JS_V_TEXT && v->len &&
	       (v->data[0] == 'w' || v->data[0] == 'a' || v->data[v->len - 1] == '+');
}

static bool is_asked(struct js_reader *r, const struct js_args *args)
{
	const struct js_value *v = args->n > 1 && args->list[1]->type == JS_V_OBJECT
					   ? js_object_get(r, args->list[1], "eval", 4)
					   : NULL;

	return v && js_truth(v) != 0;
}

/* V, an argument of K, is a program, or may be one. */
static bool holds_code(struct js_reader *r, const struct known *k, const struct js_args *args,
		       const struct js_value *v)
{
	if (k->action == CODE_ASKED)
		return is_asked(r, args);
	return k->action == CODE_MAYBE ? v->type == JS_V_TEXT : v->type != JS_V_FUNCTION;
}

static void tell_known(struct js_reader *r, uint32_t at, const struct known *k, const struct js_args *args,
		       unsigned int flags)
{
	size_t i = k->arg < 0 ? args->n - 1 : (size_t)k->arg;
	const struct js_value *v;

	if (i >= args->n)
		return;
	v = args->list[i];
	switch (k->action) {
	case CODE_MAYBE:
	case CODE_ASKED:
	case CODE:
		if (holds_code(r, k, args, v))
			tell_code(r, at, k->name, v, flags);
		return;
	case SHELL:
		tell_shell(r, at, k->name, v, flags);
		return;
	case WORDS:
		tell_words(r, at, k->name, args, flags);
		return;
	case MODULE:
		if (v->type == JS_V_UNKNOWN)
			js_tell(r, at, FACT_HIDDEN, k->name, flags, NULL, js_from_all(r, v));
		return;
	case WRITE_OPEN:
		if (!is_opened_to_write(args))
			return;
		/* fall through */
	case WRITE:
		tell_write(r, at, v, args, flags);
		return;
	}
}

void js_tell_assigned(struct js_reader *r, uint32_t at, const struct js_value *name, struct js_value *value)
{
	const struct known *k = find_known(name->data);
	struct js_args args = { .list = { value }, .n = 1 };

	js_tell(r, at, FACT_USE, name->data, name->flags, &args, js_from_all(r, value));
	if (k && k->action == CODE_MAYBE)
		tell_known(r, at, k, &args, name->flags);
}

static const struct js_value *nth(const struct js_value *v, unsigned int k)
{
	while (k-- && v->alt)
		v = v->alt;
	return v;
}

void js_tell_call(struct js_reader *r, uint32_t at, const struct js_value *callee, const struct js_args *args)
{
	const struct known *k = callee->flags & JS_LOCAL ? NULL : find_known(callee->data);
	size_t len = strlen(callee->data);
	const struct js_from *from = callee->from;
	unsigned int most = 0;

	for (size_t i = 0; i < args->n; i++) {
		from = js_from_join(r, from, js_from_all(r, args->list[i]));
		for (unsigned int n = 1;
		     n < JS_MAX_ALTS && nth(args->list[i], n) != nth(args->list[i], n - 1); n++)
			most = n > most ? n : most;
	}
	/* A member that cannot be told, of something that can. */
	if (len > 2 && !strcmp(callee->data + len - 2, ".?") && !(callee->flags & JS_LOCAL))
		js_tell(r, at, FACT_HIDDEN, callee->data, callee->flags, NULL, from);
	for (unsigned int n = 0; n <= most && !r->has_stopped; n++) {
		struct js_args chosen = { .n = args->n };

		for (size_t i = 0; i < args->n; i++)
			chosen.list[i] = (struct js_value *)nth(args->list[i], n);
		js_tell(r, at, FACT_CALL, callee->data, callee->flags, &chosen, from);
		if (k)
			tell_known(r, at, k, &chosen, callee->flags);
	}
}
