// benign: tests
const { add, slugify } = require('../src/util');
describe('util', () => {
  test('adds', () => expect(add(1, 2)).toBe(3));
  test('slug', () => expect(slugify('Hello World!')).toBe('hello-world'));
  test('throws', () => expect(() => add('x')).toThrow(/number/));
});
