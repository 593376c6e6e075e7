/* SPDX-License-Identifier: Apache-2.0 */
/* What languages share: calls into an instance, its memory. */
#include "helpers/wasm/language.h"

#include <string.h>

const struct start_language *language_by_name(const char *name)
{
	static const struct start_language *const all[] = { &language_python, &language_javascript };

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (!strcmp(all[i]->name, name))
			return all[i];
	return NULL;
}

int language_memory(struct started *p, uint8_t **ret, size_t *ret_len)
{
	wasmtime_extern_t found;

	if (!wasmtime_instance_export_get(p->context, &p->instance, "memory", 6, &found) ||
	    found.kind != WASMTIME_EXTERN_MEMORY)
		return -1;
	*ret = wasmtime_memory_data(p->context, &found.of.memory);
	*ret_len = wasmtime_memory_data_size(p->context, &found.of.memory);
	return 0;
}

wasmtime_error_t *language_call(struct started *p, const char *name, const uint32_t *args, size_t n,
				uint32_t *ret, wasm_trap_t **ret_trap)
{
	wasmtime_val_t values[8], result = { .kind = WASMTIME_I32 };
	wasmtime_extern_t found;
	wasmtime_error_t *error;

	*ret_trap = NULL;
	if (n > sizeof(values) / sizeof(*values) ||
	    !wasmtime_instance_export_get(p->context, &p->instance, name, strlen(name), &found) ||
	    found.kind != WASMTIME_EXTERN_FUNC)
		return wasmtime_error_new("the interpreter lacks a function");
	for (size_t i = 0; i < n; i++)
		values[i] = (wasmtime_val_t){ .kind = WASMTIME_I32, .of.i32 = (int32_t)args[i] };
	error = wasmtime_func_call(p->context, &found.of.func, values, n, &result, ret ? 1 : 0, ret_trap);
	if (!error && !*ret_trap && ret)
		*ret = (uint32_t)result.of.i32;
	return error;
}
