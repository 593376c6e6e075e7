// tricky-benign: minified code
!function(e,t){"object"==typeof exports&&"undefined"!=typeof module?module.exports=t():"function"==typeof define&&define.amd?define(t):(e=e||self).clamp=t()}(this,function(){"use strict";function e(e,t,n){return Math.min(Math.max(e,t),n)}return e.version="1.0.0",e});
var o=function(t){var n={};function r(o){if(n[o])return n[o].exports;var i=n[o]={i:o,l:!1,exports:{}};return t[o].call(i.exports,i,i.exports,r),i.l=!0,i.exports}return r.m=t,r.c=n,r(0)}([function(t,n,r){t.exports=r(1)},function(t,n){t.exports=function(t){return t*2}}]);
