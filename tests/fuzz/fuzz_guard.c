/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes the guard: the question of an agent's hook (first byte odd), and a command as text. Of a command
 * that is judged to only look it must not be hidden what stands behind or before it: a reader that is in
 * another state than a shell at its end would let the rest through.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "guard/act.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static const char *const env[] = { "HOME=/nonexistent", "PATH=/usr/bin:/bin", NULL };

static void must(bool truth)
{
	if (!truth)
		__builtin_trap();
}

static enum project_guard_act judge(const char *text, size_t len)
{
	struct guard_world w = { .cwd = "/usr", .env = env };
	struct guard_verdict v = { 0 };
	struct aisbx_error e = AISBX_ERROR_INIT;
	enum project_guard_act act;

	must(guard_judge_text(&w, text, len, &v, &e) == 0);
	act = v.act;
	must((act == GUARD_RUN) == (v.n_reasons == 0));
	for (size_t i = 0; i < v.n_reasons; i++)
		must(v.reasons[i].why && v.reasons[i].rule && v.reasons[i].offset <= len &&
		     v.reasons[i].len <= len);
	guard_verdict_finish(&v);
	return act;
}

static void judge_command(const char *text, size_t len)
{
	static const char bad[] = "\nrm -rf x\n";
	size_t n = sizeof(bad) - 1;
	char *more = malloc(len + n + 1);

	if (!more)
		return;
	if (judge(text, len) == GUARD_RUN) {
		memcpy(more, text, len);
		memcpy(more + len, bad, n + 1);
		must(judge(more, len + n) != GUARD_RUN);
		memcpy(more, bad, n);
		memcpy(more + n, text, len);
		more[len + n] = '\0';
		must(judge(more, len + n) != GUARD_RUN);
	}
	free(more);
}

/* What the client is told, in its own words; NULL: no opinion. */
static const char *decision_of(const json_t *answer)
{
	const char *told = json_string_value(json_object_get(answer, "permission"));

	if (!told)
		told = json_string_value(json_object_get(answer, "decision"));
	return told ? told
		    : json_string_value(json_object_get(json_object_get(answer, "hookSpecificOutput"),
							"permissionDecision"));
}

static void ask(const char *text, size_t len)
{
	static const char *const agents[] = { "claude-code", "codex", "cursor", "vscode", "gemini" };
	struct caller by = { .stdin_fd = -1, .out_fds = { -1, -1 }, .cwd = "/usr", .env = env };

	for (size_t i = 0; i < sizeof(agents) / sizeof(*agents); i++) {
		struct aisbx_error e = AISBX_ERROR_INIT;
		json_t *answer = NULL;
		bool is_answered = guard_hook_answer(&by, agents[i], text, len, false, &answer, &e);
		const char *decision = decision_of(answer);

		must(is_answered ? !e.code : e.code && !answer);
		must(!json_object_size(answer) ||
		     (decision &&
		      (!strcmp(decision, "allow") || !strcmp(decision, "deny") || !strcmp(decision, "ask"))));
		json_decref(answer);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	char *text = len ? malloc(len) : NULL;

	if (!text)
		return 0;
	memcpy(text, data + 1, len - 1);
	text[len - 1] = '\0';
	if (data[0] % 2)
		ask(text, len - 1);
	else
		judge_command(text, len - 1);
	free(text);
	return 0;
}
