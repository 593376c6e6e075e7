/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the settings about images: of the system first, then of the person. A mistake in one is an error. */
#include "box/image_settings.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/env.h"
#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "base/str.h"
#include "box/settings_file.h"
#include "policy/image_policy.h"

static int parse(void *into, const char *text, size_t len, const char *file, struct aisbx_error *e)
{
	return image_policy_parse(text, len, file, into, e);
}

static int read_policy(const struct caller *by, struct image_policy *p, struct aisbx_error *e)
{
	int r = settings_read(by->env, "images.yaml", parse, p, e);

	if (r == 0 && p->require_signature && !p->keys.n)
		return aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL,
			"settings about images require a signature but name no 'keys', the files with "
			"the public keys of those who sign; write 'keys: [FILE]'");
	return r;
}

/* The texts of the files; a path that begins with "~/" is in the home. */
static int add_keys(const struct caller *by, const struct image_policy *p, json_t *request,
		    struct aisbx_error *e)
{
	const char *home = env_dir(by->env, "HOME");
	json_t *keys = json_array();
	int r = 0;

	for (size_t i = 0; r == 0 && i < p->keys.n; i++) {
		scoped(buf_finish) struct buf text = { 0 };
		const char *as = p->keys.items[i];
		scoped(drop_mem) char *path =
			!strncmp(as, "~/", 2) && home ? path_join(home, as + 2) : path_resolve("/", as);

		r = path ? settings_read_file(path, &text, e)
			 : aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "read key '%s'", as);
		if (r == -ENOENT && !e->code)
			r = aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, ENOENT,
					 "there is no key '%s', which settings about images name", as);
		if (r == 0)
			json_array_append_new(keys, json_stringn(text.data, text.len));
	}
	json_object_set_new(request, "keys", keys);
	return r;
}

static json_t *texts(const struct strlist *list)
{
	json_t *j = json_array();

	for (size_t i = 0; i < list->n; i++)
		json_array_append_new(j, json_string(list->items[i]));
	return j;
}

/* Without a wish the helper looks where docker and podman keep passwords. */
static void add_auth(const struct caller *by, json_t *request)
{
	const char *docker = env_dir(by->env, "DOCKER_CONFIG");
	scoped(drop_mem) char *path = docker ? path_join(docker, "config.json") : NULL;

	json_object_set_new(request, "auth",
			    path && access(path, R_OK) == 0 ? json_string(path) : json_null());
}

int image_settings_add(const struct caller *by, const char *from, json_t *request, struct aisbx_error *e)
{
	scoped(image_policy_finish) struct image_policy p = { 0 };
	json_t *mirrors = json_object();
	int r = read_policy(by, &p, e);

	for (size_t i = 0; r == 0 && i < p.n_mirrors; i++)
		json_object_set_new(mirrors, p.mirrors[i].host, texts(&p.mirrors[i].urls));
	json_object_set_new(request, "mirrors", mirrors);
	json_object_set_new(request, "plain_http", texts(&p.plain_http));
	json_object_set_new(request, "token_hosts", texts(&p.token_hosts));
	json_object_set_new(request, "keys", json_array());
	add_auth(by, request);
	if (r < 0 || !p.require_signature || !from)
		return r;
	if (!str_is_one_of(from, "registry|layout|oci-archive"))
		return aisbx_refuse(
			e, AISBX_KIND_DENIED, AISBX_AREA_POLICY, EACCES,
			"settings about images require a signature, and a file of this kind cannot "
			"have one");
	return add_keys(by, &p, request, e);
}
