/* SPDX-License-Identifier: Apache-2.0 */
/* What aisbx and its helper aisbx-image say to each other. */
/*
 * The request is one JSON object on the helper's standard input: "do" names what, the rest is its own. The
 * answer is JSON lines on standard output: any number of {"progress":{...}}, then {"ok":{...}} or
 * {"error":{...}}, once. The helper ends with who asked it.
 *
 * do "kind": which kind of image a file is. path. ok: {"kind": as "from" of "fetch"}
 *
 * do "fetch": brings all blobs of an image into a directory; each is there whole and verified, or not at all.
 * from: "registry", "layout", "oci-archive", "docker-archive", "rootfs" or "pseudo"; source: reference or
 * path; blobs: directory, in it sha256/HEX; platform: "linux/amd64"; auth: path of a docker config.json, or
 * null; mirrors: {HOST: [URL...]}; plain_http: [HOST...]; keys: [PEM...] of which one must have signed;
 * max_bytes. ok: {"manifest": DIGEST, "config": DIGEST, "layers": [{"digest", "diff_id", "media_type",
 * "size"}], "size": N}
 *
 * do "unpack": one layer into a directory, as overlayfs wants it. blob: path; blobs: where it may be stored
 * as chunks, if it is not there; digest; media_type; diff_id; into: directory, empty; below: [directory...],
 * those of its parents, oldest first; id_shift: N, added to owners; one_id: owners become an attribute;
 * sub_ids: null, or "UID:GID", the first subordinate ids, which owners other than 0 become (sys/subids.h);
 * max_bytes; max_files. ok: {"files": N, "bytes": N, "left_out": {"devices", "xattrs", "owners", "setuid",
 * "ignored": N each}}; a blob without media type of a layer, or with another digest or content, is refused,
 * and what is in the directory then is for nothing
 *
 * do "pack": changes of layers into one blob, the same bytes for the same changes. layers: [directory...],
 * oldest first; below: [directory...], what the image below has, so that only what is there is marked as
 * deleted; [] for nothing, null for not known; blobs; compression: "gzip", "zstd" or "none"; id_shift;
 * one_id; sub_ids; mtime: later times become this one, in seconds; max_bytes; image: null, or what is made of
 * the layer: {"parent": DIGEST of the manifest below or null, "entrypoint": [...], "cmd": [...], "env":
 * ["NAME=VALUE"...], "user", "workdir", "labels": {}, "platform", "created": seconds}; what is missing is as
 * the parent has it, except "created". ok: {"digest", "diff_id", "media_type", "size", "files", "bytes",
 * "left_out": N of devices, sockets and attributes that an archive cannot hold, "image": as "fetch" answers,
 * if it was asked for}
 *
 * do "write": an image from its blobs to a file or directory that does not exist yet. to: "oci-archive",
 * "layout", "docker-archive", "pseudo" (a directory) or "pseudo-archive"; path; blobs; manifest: DIGEST; name
 *
 * do "push": blobs; manifest: DIGEST; to: reference; auth; plain_http. ok: {"digest", "sent": N, "there": N}
 *
 * do "verify": blobs; manifest: DIGEST; may_lack: blobs of layers need not be there; layers: [directory...],
 * oldest first, whose files are compared with the blobs that are there; id_shift, one_id: as for "unpack".
 * ok: {"blobs": N, "bytes": N, "files": N compared, "skipped": N}; an error names the first that is not what
 * it says, -EUCLEAN if it is a file
 *
 * do "chunk": blobs; digests: [DIGEST...], of which those become chunks (image/chunk_index.h) for which that
 * helps; not there: nothing happens. ok: {"blobs": N, "bytes": N of them, "stored": N new ones}
 *
 * progress: {"what": "download" | "copy" | "verify" | "chunk" | "unpack" | "pack" | "upload", "layer":
 * DIGEST, "done": BYTES, "total": BYTES}
 *
 * error: {"kind": enum aisbx_kind, "code": negative errno, "text": text}
 */
/*
 * What "fetch" from a registry and "push" understand besides.
 *
 * auth: path of docker's file of passwords, asked before podman's; null: where it usually is; false: no file
 *
 * token_hosts: [HOST...], token servers of other domains that may be told the password
 *
 * mount_from (push): a repository of the same registry that may have the blobs already
 *
 * patience_s: so long may nearly nothing come (30); pause_ms: before the second try (250)
 *
 * A host is "HOST" or "HOST:PORT". A mirror's path goes before the names of its repositories.
 */
#ifndef IMAGE_WIRE_H
#define IMAGE_WIRE_H

#define IMAGE_HELPER      "aisbx-image"
#define IMAGE_REQUEST_MAX (1u << 20) /* bytes */
#define IMAGE_LINE_MAX    (1u << 20) /* of an answer */

/* On files of images of somebody who has only one id: "UID:GID" of the image. */
#define IMAGE_OWNER_XATTR "user.aisbx.owner"

/* Caps against images that are made to hurt. */
#define IMAGE_MAX_LAYERS 400u
#define IMAGE_MAX_FILES  2000000u /* of one layer */
#define IMAGE_MAX_JSON   (4u << 20)
#define IMAGE_MAX_BYTES  (64ull << 30) /* of one layer, unpacked, unless a request says less */

#endif
