/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The config.json for an OCI runtime, held against the rules of the runtime specification, and the runtimes:
 * which is taken, which is refused, what each is told.
 */
#include "support/test.h"

#include <fcntl.h>
#include <jansson.h>
#include <linux/capability.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/scope.h"
#include "driver/driver.h"
#include "driver/oci_bundle.h"
#include "driver/oci_runtime.h"
#include "jail/plan.h"

static json_t *written(const struct oci_bundle *c)
{
	scoped(buf_finish) struct buf text = { 0 };
	struct aisbx_error e = AISBX_ERROR_INIT;
	json_t *j;

	assert_int_equal(oci_bundle_write(c, &text, &e), 0);
	j = json_loadb(text.data, text.len, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(j);
	return j;
}

static const char *text_at(const json_t *j, const char *key)
{
	const char *text = json_string_value(json_object_get(j, key));

	assert_non_null(text);
	return text;
}

static bool has(const json_t *list, const char *word)
{
	const json_t *item;
	size_t i;

	assert_true(json_is_array(list));
	json_array_foreach(list, i, item) if (!strcmp(json_string_value(item), word)) return true;
	return false;
}

static bool has_namespace(const json_t *config, const char *type)
{
	const json_t *list = json_object_get(json_object_get(config, "linux"), "namespaces"), *item;
	bool found = false;
	size_t i;

	json_array_foreach(list, i, item)
	{
		assert_null(json_object_get(item, "path")); /* a new one, none that is there */
		if (!strcmp(text_at(item, "type"), type)) {
			assert_false(found); /* "MUST NOT be listed twice" */
			found = true;
		}
	}
	return found;
}

static void what_the_specification_requires_is_there(void **state)
{
	struct oci_bundle c = { .walls = WALL_ALL, .host = "box" };
	json_t *j = written(&c), *process = json_object_get(j, "process");
	const json_t *mount;
	size_t i;

	(void)state;
	assert_string_equal(text_at(j, "ociVersion"), "1.0.2");
	assert_int_equal(text_at(process, "cwd")[0], '/'); /* "MUST be an absolute path" */
	assert_true(json_array_size(json_object_get(process, "args")) >= 1);
	assert_string_equal(json_string_value(json_array_get(json_object_get(process, "args"), 0)),
			    JAIL_RUNTIME_INIT);
	assert_true(json_is_integer(json_object_get(json_object_get(process, "user"), "uid")));
	assert_true(json_is_integer(json_object_get(json_object_get(process, "user"), "gid")));
	assert_true(json_is_false(json_object_get(process, "terminal")));
	assert_string_equal(text_at(json_object_get(j, "root"), "path"), JAIL_RUNTIME_ROOT);
	assert_string_equal(text_at(j, "hostname"), "box");
	json_array_foreach(json_object_get(j, "mounts"), i, mount)
		assert_int_equal(text_at(mount, "destination")[0], '/');
	assert_int_equal(i, 2);
	json_decref(j);
}

static void a_wall_is_a_namespace(void **state)
{
	struct oci_bundle c = { .walls = WALL_ALL & ~(WALL_BIT(IPC) | WALL_BIT(NNP)), .host = "box" };
	json_t *j = written(&c);

	(void)state;
	assert_true(has_namespace(j, "pid") && has_namespace(j, "mount") && has_namespace(j, "uts"));
	assert_false(has_namespace(j, "ipc"));
	/* Made around the container. */
	assert_false(has_namespace(j, "user") || has_namespace(j, "network") || has_namespace(j, "cgroup"));
	assert_true(json_is_false(json_object_get(json_object_get(j, "process"), "noNewPrivileges")));
	json_decref(j);
}

/* "hostname: it is only valid with a UTS namespace of the container's own". */
static void without_uts_there_is_no_host_name(void **state)
{
	struct oci_bundle c = { .walls = WALL_ALL & ~WALL_BIT(UTS), .host = "box" };
	json_t *j = written(&c);

	(void)state;
	assert_null(json_object_get(j, "hostname"));
	assert_false(has_namespace(j, "uts"));
	json_decref(j);
}

static void capabilities_are_those_and_no_others(void **state)
{
	static const char *const sets[] = { "bounding", "effective", "permitted" };
	struct oci_bundle c = { .walls = WALL_ALL,
				.host = "box",
				.caps = 1ULL << CAP_CHOWN | 1ULL << CAP_NET_BIND_SERVICE };
	json_t *j = written(&c), *caps = json_object_get(json_object_get(j, "process"), "capabilities");

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(json_array_size(json_object_get(caps, sets[i])), 2);
		assert_true(has(json_object_get(caps, sets[i]), "CAP_CHOWN"));
		assert_true(has(json_object_get(caps, sets[i]), "CAP_NET_BIND_SERVICE"));
	}
	assert_int_equal(json_array_size(json_object_get(caps, "inheritable")), 0);
	assert_int_equal(json_array_size(json_object_get(caps, "ambient")), 0);
	json_decref(j);
}

static void paths_of_proc_are_hidden_by_the_runtime(void **state)
{
	scoped(oci_bundle_finish) struct oci_bundle c = { .walls = WALL_ALL, .host = "box" };
	json_t *j, *part;

	(void)state;
	strlist_add(&c.masked, "/proc/keys");
	strlist_add(&c.masked, "/proc/with \"quotes\"");
	strlist_add(&c.locked, "/proc/sys");
	j = written(&c);
	part = json_object_get(j, "linux");
	assert_true(has(json_object_get(part, "maskedPaths"), "/proc/keys"));
	assert_true(has(json_object_get(part, "maskedPaths"), "/proc/with \"quotes\""));
	assert_true(has(json_object_get(part, "readonlyPaths"), "/proc/sys"));
	assert_int_equal(json_array_size(json_object_get(part, "readonlyPaths")), 1);
	json_decref(j);
}

static void only_known_runtimes_are_taken(void **state)
{
	static const char *const none[] = { "docker", "runc ", "RUNC", "../runc" };
	struct aisbx_error e;
	struct oci_found f;

	(void)state;
	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++) {
		e = (struct aisbx_error)AISBX_ERROR_INIT;
		assert_failed(oci_find(none[i], &f, &e), EINVAL, e, "there is no OCI runtime");
	}
	e = (struct aisbx_error)AISBX_ERROR_INIT;
	assert_failed(oci_find("/bin/sh", &f, &e), EINVAL, e, "none of the runtimes");
	e = (struct aisbx_error)AISBX_ERROR_INIT;
	assert_failed(oci_find("/nonexistent/runc", &f, &e), ENOENT, e, "is not installed");
}

/* Makes DIR/runc with MODE; returns its path. */
static const char *make_program(char *path, size_t cap, const char *dir, mode_t mode)
{
	int fd;

	snprintf(path, cap, "%s/runc", dir);
	fd = open(path, O_CREAT | O_EXCL | O_WRONLY, 0700);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "#!/bin/sh\necho runc version 9.9\n", 32), 32);
	close(fd);
	assert_int_equal(chmod(path, mode), 0);
	return path;
}

static void a_program_that_others_can_change_is_refused(void **state)
{
	char dir[] = "/tmp/aisbx-oci-XXXXXX", path[64];
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct oci_found f;

	(void)state;
	assert_non_null(mkdtemp(dir));
	make_program(path, sizeof(path), dir, 0777);
	assert_failed(oci_find(path, &f, &e), EPERM, e, "others can write");
	chmod(path, 0644);
	e = (struct aisbx_error)AISBX_ERROR_INIT;
	assert_failed(oci_find(path, &f, &e), EACCES, e, "no program");
	chmod(path, 0755);
	e = (struct aisbx_error)AISBX_ERROR_INIT;
	assert_int_equal(oci_find(path, &f, &e), 0);
	assert_string_equal(f.runtime->name, "runc");
	assert_string_equal(f.path, path);
	oci_found_finish(&f);
	unlink(path);
	rmdir(dir);
}

static void every_runtime_is_told_root_bundle_and_descriptors(void **state)
{
	(void)state;
	for (const struct oci_runtime *r = oci_runtimes; r->name; r++) {
		scoped(buf_finish) struct buf words = { 0 };
		struct oci_found f = { .runtime = r, .path = "/opt/here", .fd = -1 };
		struct aisbx_error e = AISBX_ERROR_INIT;

		if (r->unfit)
			continue;
		assert_int_equal(oci_words(&f, &words, &e), 0);
		assert_string_equal(words.data, "/opt/here");
		assert_int_equal(words.data[words.len - 1], '\0');
		assert_non_null(
			memmem(words.data, words.len, JAIL_RUNTIME_STATE, sizeof(JAIL_RUNTIME_STATE)));
		assert_non_null(memmem(words.data, words.len, "--bundle\0" JAIL_RUNTIME_BUNDLE,
				       sizeof("--bundle\0" JAIL_RUNTIME_BUNDLE)));
	}
}

static void a_driver_is_named_with_its_runtime(void **state)
{
	(void)state;
	assert_ptr_equal(driver_by_name("oci"), &driver_oci);
	assert_ptr_equal(driver_by_name("oci:runc"), &driver_oci);
	assert_ptr_equal(driver_by_name("oci:/usr/bin/runc"), &driver_oci);
	assert_null(driver_by_name("native:runc"));
	assert_null(driver_by_name("oc"));
	assert_null(driver_by_name("ocir"));
	assert_null(driver_by_name(":runc"));
}

/* A runtime with a kernel of its own starts the command itself, and stops at the hook before. */
static void a_guest_is_the_command_itself(void **state)
{
	scoped(jail_plan_builder_finish) struct jail_plan_builder b = { 0 };
	struct oci_bundle c = { .walls = WALL_ALL, .host = "box", .guest = &b };
	scoped(buf_finish) struct buf text = { 0 };
	struct aisbx_error e = AISBX_ERROR_INIT;
	json_t *j, *process, *hook;

	(void)state;
	jail_plan_add_arg(&b, "sh");
	jail_plan_add_arg(&b, "-c");
	jail_plan_add_env(&b, "A=b");
	b.head.cwd = jail_plan_add_string(&b, "/work");
	j = written(&c);
	process = json_object_get(j, "process");
	assert_true(has(json_object_get(process, "args"), "sh"));
	assert_true(has(json_object_get(process, "env"), "A=b"));
	assert_string_equal(text_at(process, "cwd"), "/work");
	assert_true(json_is_true(json_object_get(process, "noNewPrivileges")));
	assert_true(has_namespace(j, "network"));
	hook = json_array_get(json_object_get(json_object_get(j, "hooks"), "createRuntime"), 0);
	assert_string_equal(text_at(hook, "path"), JAIL_RUNTIME_BUNDLE "/" JAIL_GUEST_HOOK);
	json_decref(j);
	jail_plan_add_arg(&b, "\xff"); /* which JSON cannot hold */
	assert_failed(oci_bundle_write(&c, &text, &e), EILSEQ, e, "not UTF-8");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_guest_is_the_command_itself),
		cmocka_unit_test(what_the_specification_requires_is_there),
		cmocka_unit_test(a_wall_is_a_namespace),
		cmocka_unit_test(without_uts_there_is_no_host_name),
		cmocka_unit_test(capabilities_are_those_and_no_others),
		cmocka_unit_test(paths_of_proc_are_hidden_by_the_runtime),
		cmocka_unit_test(only_known_runtimes_are_taken),
		cmocka_unit_test(a_program_that_others_can_change_is_refused),
		cmocka_unit_test(every_runtime_is_told_root_bundle_and_descriptors),
		cmocka_unit_test(a_driver_is_named_with_its_runtime),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
