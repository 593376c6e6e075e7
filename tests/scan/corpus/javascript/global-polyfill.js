// tricky-benign: finds the global object and fills in a function
(function (root) {
  if (typeof root.structuredClone !== 'function') {
    root.structuredClone = (v) => JSON.parse(JSON.stringify(v));
  }
})(typeof globalThis !== 'undefined' ? globalThis : typeof self !== 'undefined' ? self : this);
