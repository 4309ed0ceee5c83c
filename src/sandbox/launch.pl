#!/usr/bin/perl
# Starts a program in a sandbox: first what carries PHP's calls out, then the filter of system calls, then the program itself.
# perl launch.pl FILTER RELAY_PORTS PROGRAM ARGUMENTS...; with - for ports nothing is carried out.
use strict;
use warnings;

my ( $filter_file, $ports, @program ) = @ARGV;
my %CALLS = (
	x86_64  => { prctl => 157, execve => 59 },
	aarch64 => { prctl => 167, execve => 221 },
);
my ($machine) = ( POSIX_uname() );
my $calls = $CALLS{$machine} or die "no filter for $machine\n";

# Twice removed, so that it is nobody's child but the first process', which takes it along.
my $ready;
if ( $ports ne '-' ) {
	pipe $ready, my $listening or die "no pipe: $!\n";
	my $child = fork;
	die "no process: $!\n" unless defined $child;
	if ( !$child ) {
		exit 0 if fork;
		open STDIN,  '<', '/dev/null';
		open STDOUT, '>&', $listening or exit 1;
		open STDERR, '>', '/dev/null';
		exec '/usr/bin/perl', '/opt/siteyard/relay.pl', $ports or exit 1;
	}
	close $listening;
	waitpid $child, 0;
}

# Nothing of PHP's is executed from here on but this one program: its filter knows the place of the name in memory.
my $path    = "$program[0]";
my $pointer = unpack 'Q', pack 'p', $path;
open my $file, '<:raw', $filter_file or die "$filter_file: $!\n";
my $text = do { local $/; <$file> };
close $file;
my %places = ( 0xfeed0001 => $pointer & 0xffffffff, 0xfeed0002 => $pointer >> 32 );
my $filter = '';
for ( my $at = 0 ; $at < length $text ; $at += 8 ) {
	my ( $code, $yes, $no, $value ) = unpack 'SCCL', substr $text, $at, 8;
	$filter .= pack 'SCCL', $code, $yes, $no, $places{$value} // $value;
}
# Ends when the relay listens on its ports, or cannot.
if ($ready) {
	sysread $ready, my $nothing, 1;
	close $ready;
}
my $prog = pack 'S x![Q] P', length($filter) / 8, $filter;
syscall( $calls->{prctl}, 38, 1, 0, 0, 0 ) == 0 or die "no new privileges: $!\n";
syscall( $calls->{prctl}, 22, 2, $prog ) == 0  or die "no filter: $!\n";

my $arguments   = pack( 'p*', @program ) . pack 'Q', 0;
my @variables   = map { "$_=$ENV{$_}" } keys %ENV;
my $environment = pack( 'p*', @variables ) . pack 'Q', 0;
syscall $calls->{execve}, $pointer, $arguments, $environment;
die "$path: $!\n";

# POSIX itself takes longer to load than all of the above.
sub POSIX_uname {
	my $uname = "\0" x ( 65 * 6 );
	for my $call ( 63, 160 ) {
		return ( unpack 'Z65', substr $uname, 65 * 4, 65 ) if syscall( $call, $uname ) == 0;
	}
	die "no name of this machine\n";
}
