/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles, serializes and loads modules and components. */
#include "helpers/wasm/program.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "helpers/wasm/engine.h"

void program_finish(struct program *p)
{
	if (p->module)
		wasmtime_module_delete(p->module);
	if (p->component)
		wasmtime_component_delete(p->component);
}

bool program_is_component(const void *bytes, size_t len)
{
	return len >= 8 && !memcmp(bytes, "\0asm\x0d\0\1\0", 8);
}

int program_compile(wasm_engine_t *engine, const void *bytes, size_t len, struct program *ret,
		    struct aisbx_error *e)
{
	wasmtime_error_t *error;

	*ret = (struct program){ 0 };
	if (len < 4 || memcmp(bytes, "\0asm", 4) != 0)
		return aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EBADMSG,
			"it is no WebAssembly module: these begin with a NUL and 'asm'; a text (.wat) "
			"has to be translated first");
	if (program_is_component(bytes, len))
		error = wasmtime_component_new(engine, bytes, len, &ret->component);
	else
		error = wasmtime_module_new(engine, bytes, len, &ret->module);
	return error ? engine_fail(error, "compile it", e) : 0;
}

int program_serialize(const struct program *p, wasm_byte_vec_t *ret, struct aisbx_error *e)
{
	wasmtime_error_t *error = p->component ? wasmtime_component_serialize(p->component, ret)
					       : wasmtime_module_serialize(p->module, ret);

	return error ? engine_fail(error, "write what was compiled", e) : 0;
}

int program_load(wasm_engine_t *engine, const char *path, bool is_component, struct program *ret,
		 struct aisbx_error *e)
{
	wasmtime_error_t *error;

	*ret = (struct program){ 0 };
	error = is_component ? wasmtime_component_deserialize_file(engine, path, &ret->component)
			     : wasmtime_module_deserialize_file(engine, path, &ret->module);
	return error ? engine_fail(error, "load what was compiled", e) : 0;
}
