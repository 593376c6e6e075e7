/* SPDX-License-Identifier: Apache-2.0 */
/* Ids of an image as ids of this machine: in owners, access lists and file capabilities. */
#include "helpers/image/owner.h"

#include <endian.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>

#define SPECIAL 06000u /* setuid, setgid */

static uint32_t shifted(uint32_t id, uint32_t shift, enum owner_ids ids, bool *other)
{
	if (!shift && ids != OWNER_SUB)
		return id;
	if (id >= OWNER_IDS) {
		*other = true;
		id = OWNER_OTHER;
	}
	return id + shift;
}

/* Bits with which a file would run as us, whoever starts it. */
static mode_t ours(uint32_t uid, uint32_t gid, mode_t mode, bool is_dir, enum owner_ids ids)
{
	if (is_dir || ids == OWNER_ALL)
		return 0;
	if (ids == OWNER_ONE)
		return mode & SPECIAL;
	return (uid ? 0 : mode & 04000u) | (gid ? 0 : mode & 02000u);
}

struct owner owner_of(uint32_t uid, uint32_t gid, mode_t mode, bool is_dir, uint32_t id_shift,
		      enum owner_ids ids)
{
	mode_t drop = ours(uid, gid, mode, is_dir, ids);
	struct owner o = { .mode = mode & 07777 };
	bool other = false;

	if (ids == OWNER_ONE) {
		other = uid || gid;
	} else {
		o.uid = shifted(uid, id_shift, ids, &other);
		o.gid = shifted(gid, id_shift, ids, &other);
	}
	o.mode &= ~drop;
	if (drop)
		snprintf(o.note, sizeof(o.note), "%u:%u:%04o", uid, gid, mode & 07777);
	else if (other)
		snprintf(o.note, sizeof(o.note), "%u:%u", uid, gid);
	return o;
}

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* The version, then entries of tag, permissions and id. */
static bool shift_acl(char *value, size_t len, uint32_t shift, enum owner_ids ids)
{
	const uint16_t user = 0x02, group = 0x08;

	if (len < 4 || (len - 4) % 8)
		return false;
	for (size_t at = 4; at < len; at += 8) {
		uint16_t tag;
		uint32_t id;
		bool other = false;

		memcpy(&tag, value + at, sizeof(tag));
		memcpy(&id, value + at + 4, sizeof(id));
		if (le16toh(tag) != user && le16toh(tag) != group)
			continue;
		id = htole32(shifted(le32toh(id), shift, ids, &other));
		if (other)
			return false;
		memcpy(value + at + 4, &id, sizeof(id));
	}
	return true;
}

/* With a shift it is for the box's root: version 3 names whose root that is. */
static bool shift_capability(char *value, size_t *len, uint32_t shift)
{
	uint32_t magic, root = 0;
	bool other = false;

	if (*len != XATTR_CAPS_SZ_2 && *len != XATTR_CAPS_SZ_3)
		return false;
	memcpy(&magic, value, sizeof(magic));
	magic = le32toh(magic);
	if ((magic & VFS_CAP_REVISION_MASK) !=
	    (*len == XATTR_CAPS_SZ_2 ? VFS_CAP_REVISION_2 : VFS_CAP_REVISION_3))
		return false;
	if (!shift)
		return true;
	if (*len == XATTR_CAPS_SZ_3)
		memcpy(&root, value + XATTR_CAPS_SZ_2, sizeof(root));
	root = htole32(shifted(le32toh(root), shift, OWNER_ALL, &other));
	magic = htole32((magic & ~VFS_CAP_REVISION_MASK) | VFS_CAP_REVISION_3);
	memcpy(value, &magic, sizeof(magic));
	memcpy(value + XATTR_CAPS_SZ_2, &root, sizeof(root));
	*len = XATTR_CAPS_SZ_3;
	return !other;
}

bool xattr_fits(const char *name, char *value, size_t *len, uint32_t id_shift, enum owner_ids ids,
		bool capabilities)
{
	if (begins(name, "user.overlay.") || begins(name, "user.aisbx."))
		return false;
	if (begins(name, "user."))
		return true;
	if (!strcmp(name, "security.capability"))
		return capabilities && shift_capability(value, len, id_shift);
	if (!strcmp(name, "system.posix_acl_access") || !strcmp(name, "system.posix_acl_default"))
		return ids != OWNER_ONE && shift_acl(value, *len, id_shift, ids);
	return false;
}
