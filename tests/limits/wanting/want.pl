# SPDX-License-Identifier: Apache-2.0
use strict;
use warnings;
my $what = shift;
if ($what eq "files") {
	my @all;
	while (1) { open(my $f, "<", "/dev/null") or die "cannot open: $!\n"; push @all, $f; }
} elsif ($what eq "forks") {
	while (1) { my $child = fork() // die "fork: $!\n"; sleep 30 if !$child; }
} elsif ($what eq "file_size") {
	$SIG{XFSZ} = "IGNORE";
	open(my $f, ">", "large") or die;
	syswrite($f, "x" x (1 << 20)) // die "cannot write: $!\n" for 1 .. 3;
} elsif ($what eq "disk") {
	open(my $f, ">", "/tmp/large") or die;
	for (1 .. 20) { syswrite($f, "x" x (1 << 20)) // do { my $why = $!; unlink "/tmp/large"; die "cannot write: $why\n" }; }
} else {
	my $size = 2 << 30; # a constant would be made before it is wanted
	my $all = "x" x $size;
}
