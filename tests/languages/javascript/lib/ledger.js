// SPDX-License-Identifier: Apache-2.0
'use strict';

// Sums up sales by month and item.
function byMonth(rows) {
	const table = new Map();
	for (const { day, item, amount } of rows) {
		const key = `${day.slice(0, 7)} ${item}`;
		table.set(key, (table.get(key) || 0) + amount);
	}
	return [...table].sort(([a], [b]) => (a < b ? -1 : 1));
}

module.exports = { byMonth };
