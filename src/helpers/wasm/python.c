/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Python: CPython for WASI, frozen after its start. It has read its arguments and variables long ago, so a
 * program's are put where main.py looks for them.
 */
#include <errno.h>
#include <string.h>

#include "helpers/wasm/freeze.h"
#include "helpers/wasm/language.h"

/* Two numbers, then arguments, directory and variables, each with its NUL. */
static int write_job(const struct start *s, uint8_t *job, size_t room)
{
	uint32_t counts[2] = { 0, 0 };
	size_t at = sizeof(counts);
	const char *const cwd[] = { s->cwd ? s->cwd : "/", NULL };
	const char *const *const lists[] = { cwd, s->argv, s->env };

	for (size_t i = 0; i < 3; i++)
		for (const char *const *word = lists[i]; word && *word; word++) {
			size_t len = strlen(*word) + 1;

			if (len > room - at)
				return -E2BIG;
			memcpy(job + at, *word, len);
			at += len;
			counts[0] += i == 1;
			counts[1] += i == 2;
		}
	memcpy(job, counts, sizeof(counts));
	return 0;
}

static void run(const struct start *s, struct started *p, wasmtime_error_t **ret_error,
		wasm_trap_t **ret_trap)
{
	wasmtime_extern_t found;
	wasmtime_val_t at = { 0 };
	uint8_t *memory;
	size_t len;

	*ret_error = NULL;
	if (!wasmtime_instance_export_get(p->context, &p->instance, FREEZE_JOB, strlen(FREEZE_JOB), &found) ||
	    found.kind != WASMTIME_EXTERN_GLOBAL || language_memory(p, &memory, &len) < 0) {
		*ret_error = wasmtime_error_new("this is no python that aisbx prepared");
		return;
	}
	wasmtime_global_get(p->context, &found.of.global, &at);
	if ((uint32_t)at.of.i32 > len || len - (uint32_t)at.of.i32 < LANGUAGE_JOB ||
	    write_job(s, memory + (uint32_t)at.of.i32, LANGUAGE_JOB) < 0)
		*ret_error =
			wasmtime_error_new("its arguments and variables are longer than 256 KiB together");
	else
		*ret_error = language_call(p, "_start", NULL, 0, NULL, ret_trap);
}

const struct start_language language_python = { .name = "python", .run = run };
