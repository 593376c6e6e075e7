//: map-filter-reduce
const orders = [{ item: 'pen', qty: 10, price: 1.2 }, { item: 'book', qty: 2, price: 15 }, { item: 'bag', qty: 1, price: 49.99 }];
console.log(orders.filter((o) => o.qty > 1).map((o) => o.item), orders.reduce((sum, o) => sum + o.qty * o.price, 0));
console.log(orders);
//: group-by
const people = [{ name: 'Ann', age: 31, city: 'Rome' }, { name: 'Bo', age: 25, city: 'Oslo' }, { name: 'Cy', age: 31, city: 'Oslo' }];
const groupBy = (list, key) => list.reduce((acc, x) => ({ ...acc, [x[key]]: [...(acc[x[key]] ?? []), x] }), {});
console.log(groupBy(people, 'city'));
console.log(groupBy(people, 'age'));
//: flatten
const nested = [1, [2, [3, [4, [5, [6]]]]]];
console.log(nested, nested.flat(), nested.flat(2), nested.flat(Infinity), [[1, 2], [3]].flatMap((x) => x));
//: sort-kinds
console.log([10, 9, 1, 100].sort(), [10, 9, 1, 100].sort((a, b) => a - b), ['b', undefined, 'a', , 'c'].sort());
const staff = [['x', 2], ['y', 1], ['z', 2], ['w', 1]];
console.log(staff.sort((a, b) => a[1] - b[1]).map(([n]) => n).join(''));
//: holes-and-long
const sparse = [1, , 3];
sparse[6] = 7;
console.log(sparse, sparse.length, 1 in sparse, Object.keys(sparse));
console.log(Array(3), new Array(5).fill(), Array.from({ length: 120 }, (_, i) => i));
//: number-grid
console.log(Array.from({ length: 30 }, (_, i) => i * i * 37 % 1009));
console.log(Array.from({ length: 12 }, (_, i) => 'item' + i), Array.from({ length: 8 }, (_, i) => i / 8));
//: chunk-zip
const chunk = (a, n) => (a.length ? [a.slice(0, n), ...chunk(a.slice(n), n)] : []);
const zip = (...lists) => lists[0].map((_, i) => lists.map((l) => l[i]));
console.log(chunk([1, 2, 3, 4, 5, 6, 7], 3), zip([1, 2, 3], ['a', 'b', 'c'], [true, false, null]));
//: copies-by-method
const a = [3, 1, 2];
console.log(a.toSorted(), a.toReversed(), a.with(1, 9), a.toSpliced(0, 1, 'x', 'y'), a);
console.log(a.splice(1, 1, 7, 8), a, a.copyWithin(0, 2), a.fill(0, 1, 2), a.reverse());
//: find-family
const nums = [5, 12, 8, 130, 44];
console.log(nums.find((x) => x > 10), nums.findIndex((x) => x > 10), nums.findLast((x) => x > 10), nums.findLastIndex((x) => x > 200), nums.at(-2));
console.log(nums.some((x) => x > 100), nums.every(Number.isInteger), nums.includes(8), nums.indexOf(9), [].every((x) => false));
//: unique-and-sets
const left = [1, 2, 2, 3, 4], right = [3, 4, 5, 5];
console.log([...new Set(left)], left.filter((x) => right.includes(x)), [...new Set([...left, ...right])], left.filter((x) => !right.includes(x)));
//: binary-search
function search(list, wanted) {
	let low = 0, high = list.length - 1, looks = 0;
	while (low <= high) {
		looks++;
		const mid = (low + high) >> 1;
		if (list[mid] === wanted) return { index: mid, looks };
		if (list[mid] < wanted) low = mid + 1;
		else high = mid - 1;
	}
	return { index: -1, looks };
}
const list = Array.from({ length: 1000 }, (_, i) => i * 3);
console.log(search(list, 999), search(list, 1000), search(list, 0));
//: rotate-and-transpose
const rotate = (a, k) => [...a.slice(-k), ...a.slice(0, -k)];
const transpose = (m) => m[0].map((_, i) => m.map((row) => row[i]));
console.log(rotate([1, 2, 3, 4, 5], 2), transpose([[1, 2, 3], [4, 5, 6]]));
//: permutations
const perms = (list) => (list.length < 2 ? [list] : list.flatMap((x, i) => perms(list.toSpliced(i, 1)).map((p) => [x, ...p])));
console.log(perms(['a', 'b', 'c']).map((p) => p.join('')), perms([1, 2, 3, 4]).length);
//: subsets-and-sums
const subsets = (a) => a.reduce((all, x) => [...all, ...all.map((s) => [...s, x])], [[]]);
console.log(subsets([1, 2, 3]), subsets([3, 9, 8, 4, 5, 7]).filter((s) => s.reduce((x, y) => x + y, 0) === 15));
//: stack-queue
const stack = [], queue = [];
for (const x of 'abc') { stack.push(x); queue.unshift(x); }
console.log(stack.pop(), stack, queue.pop(), queue, queue.shift(), [].pop(), [].shift(), stack.push('z', 'y'));
//: extra-properties
const tagged = [1, 2, 3];
tagged.label = 'mine';
tagged[-1] = 'neg';
console.log(tagged, tagged.length, Object.entries(tagged), JSON.stringify(tagged));
class Stack extends Array { peek() { return this.at(-1); } }
const s = Stack.of(1, 2);
console.log(s, s.peek(), s.map((x) => x * 2), s instanceof Array, [].concat(s, [[9]]));
//: matrix-of-objects
const board = Array.from({ length: 3 }, (_, r) => Array.from({ length: 3 }, (_, c) => ({ r, c, v: r * 3 + c })));
console.log(board);
console.log(board.map((row) => row.map((cell) => cell.v).join(' ')).join('\n'));
//: array-errors
const tries = [() => [].reduce((a, b) => a + b), () => undefined.length, () => null[0], () => [1, 2].map(3), () => { const [x] = null; }, () => new Array(1.5), () => [...undefined]];
for (const t of tries) try { console.log(t()); } catch (e) { console.log(e.constructor.name, '-', e.message); }
//: sliding-window
const w = [2, 1, 5, 1, 3, 2, 8, 1];
const sums = [];
for (let i = 0; i + 3 <= w.length; i++) sums.push(w.slice(i, i + 3).reduce((x, y) => x + y));
console.log(sums, Math.max(...sums), w.reduce(([min, best], x) => [Math.min(min, x), Math.max(best, x - min)], [Infinity, 0]));
//: to-string-forms
console.log(String([1, [2, 3]]), [] + [], [] + {}, `${[1, null, undefined, 2]}`, [1, 2].join(), [null, [undefined]].toString(), Array.isArray([]), typeof []);
console.log([1, 2, 3].entries().next(), [...['a', 'b'].entries()], [...['a', 'b'].keys()], Array.from('héé'), Array.from(new Map([[1, 2]])));
//: partition-and-count
const partition = (a, f) => a.reduce(([y, n], x) => (f(x) ? [[...y, x], n] : [y, [...n, x]]), [[], []]);
console.log(partition([1, 2, 3, 4, 5, 6], (x) => x % 2 === 0), partition([], Boolean));
console.log([3, 'a', 3, 'b', 'a', 3].reduce((m, x) => m.set(x, (m.get(x) ?? 0) + 1), new Map()));
