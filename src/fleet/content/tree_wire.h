/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a tree is written. Numbers are little endian. Magic, number of entries (4 bytes); of each entry: type
 * (1), bytes of the path that are those of the entry before (2), further bytes of it (2), these; mode (2),
 * user (4), group (4), seconds (8), nanoseconds (4); number of attributes (1), of each: bytes of its name
 * (1), of its value (4), both. A file: size (8), number of chunks (4), of each: name (32), bytes (4). A link:
 * bytes of its target (2), these. Another name: the number of the file's entry (4).
 */
#ifndef FLEET_CONTENT_TREE_WIRE_H
#define FLEET_CONTENT_TREE_WIRE_H

#define TREE_MAGIC       "aisbxTR1"
#define TREE_MAGIC_BYTES 8u
#define TREE_ENTRY_LEAST 28u /* bytes of the shortest entry */

#endif
