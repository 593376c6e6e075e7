/* SPDX-License-Identifier: Apache-2.0 */
/* The programs by which an interpreter gets what E2B sets beside it. */
#include "server/e2b/code.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/scope.h"

const char *code_language(const char *name)
{
	static const struct {
		const char *theirs, *ours;
	} languages[] = { { "", "python" },        { "python", "python" },
			  { "python3", "python" }, { "javascript", "javascript" },
			  { "js", "javascript" },  { "bash", "shell" },
			  { "shell", "shell" } };

	for (size_t i = 0; i < sizeof(languages) / sizeof(*languages); i++)
		if (!strcmp(name ? name : "", languages[i].theirs))
			return languages[i].ours;
	return NULL;
}

/* VALUE as a text in the source of Python or JavaScript that is JSON; ASCII. Heap. */
static char *literal(const json_t *value)
{
	scoped(drop_mem) char *inner =
		json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_ENSURE_ASCII | JSON_SORT_KEYS);
	json_auto_t *text = inner ? json_string(inner) : NULL;

	return text ? json_dumps(text, JSON_ENCODE_ANY | JSON_ENSURE_ASCII) : NULL;
}

static void add_word(struct buf *b, const char *text)
{
	buf_add(b, "'", 1);
	for (; *text; text++)
		if (*text == '\'')
			buf_addf(b, "'\\''");
		else
			buf_add(b, text, 1);
	buf_add(b, "'", 1);
}

static bool is_name(const char *text)
{
	if (!isalpha((unsigned char)*text) && *text != '_')
		return false;
	while (isalnum((unsigned char)*text) || *text == '_')
		text++;
	return !*text;
}

static char *shell(const char *cwd, const json_t *env, bool set)
{
	struct buf b = { 0 };
	const char *key;
	json_t *value;

	if (cwd) {
		buf_addf(&b, "cd -- ");
		add_word(&b, cwd);
		buf_addf(&b, "\n");
	}
	json_object_foreach((json_t *)env, key, value) if (is_name(key) && json_is_string(value))
	{
		buf_addf(&b, set ? "export %s=" : "unset %s", key);
		if (set)
			add_word(&b, json_string_value(value));
		buf_addf(&b, "\n");
	}
	buf_addf(&b, ":\n");
	return buf_str(&b);
}

/* BEFORE, the literal, AFTER. */
static char *filled(const char *before, const json_t *value, const char *after)
{
	scoped(drop_mem) char *text = literal(value);
	char *out;

	return !text || asprintf(&out, "%s%s%s", before, text, after) < 0 ? NULL : out;
}

static char *prepare_shell(const char *home, const char *name, const char *cwd, const json_t *env)
{
	scoped(drop_mem) char *rest = shell(cwd, env, true);
	struct buf b = { 0 };

	buf_addf(&b, "[ -e %s ] || ln -sn -- ", name);
	add_word(&b, home);
	buf_addf(&b, " %s 2>/dev/null\n%s", name, rest ? rest : "");
	return buf_str(&b);
}

char *code_prepare(const char *lang, const char *home, const char *name, const char *cwd, const json_t *env)
{
	json_auto_t *all = json_pack("{s:s, s:s, s:s, s:O}", "home", home, "name", name, "cwd", cwd, "env",
				     (json_t *)env);

	if (!strcmp(lang, "shell"))
		return prepare_shell(home, name, cwd, env);
	if (!strcmp(lang, "python"))
		return filled(
			"(lambda o, j: (o.path.exists(j['name']) or __import__('subprocess').run(['ln', "
			"'-sn', '--', j['home'], j['name']], stderr=-3), o.chdir(j['cwd']), "
			"o.environ.update(j['env'])))(__import__('os'), __import__('json').loads(",
			all, ")) and None\n");
	return filled(
		"((f, j) => { try { f.existsSync(j.name) || f.symlinkSync(j.home, j.name); } catch (e) {} "
		"process.chdir(j.cwd); Object.assign(process.env, j.env); })(require('fs'), JSON.parse(",
		all, "))\n");
}

char *code_set(const char *lang, const json_t *env)
{
	if (!strcmp(lang, "shell"))
		return shell(NULL, env, true);
	if (!strcmp(lang, "python"))
		return filled("(lambda o, j: (setattr(o, '_aisbx_env', {k: o.environ.get(k) for k in j}), "
			      "o.environ.update(j)))(__import__('os'), __import__('json').loads(",
			      env, ")) and None\n");
	return filled("((j) => { globalThis.__aisbxEnv = Object.keys(j).map((k) => [k, process.env[k]]); "
		      "Object.assign(process.env, j); })(JSON.parse(",
		      env, "))\n");
}

char *code_restore(const char *lang, const json_t *env)
{
	if (!strcmp(lang, "shell"))
		return shell(NULL, env, false);
	return strdup(!strcmp(lang, "python")
			      ? "(lambda o: [o.environ.pop(k, None) if v is None else "
				"o.environ.__setitem__(k, v) for k, v in "
				"o.__dict__.pop('_aisbx_env', {}).items()] and None)(__import__('os'))\n"
			      : "((e) => { for (const [k, v] of e || []) if (v === undefined) delete "
				"process.env[k]; else process.env[k] = v; })(globalThis.__aisbxEnv)\n");
}
