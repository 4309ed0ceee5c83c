#!/usr/bin/perl
# Carries what a site's PHP sends out of its sandbox, in whose network every address is the sandbox itself. Names have addresses that this
# program makes up; the platform, behind a socket, is told the name or the address and the port, and decides.
use strict;
use warnings;
use Errno;
use IO::Handle;
use Socket;

my $DOOR    = '/run/siteyard/net.sock';
my $BLOCK   = 65536;
my $MOST    = 128;
my @ports   = split /,/, $ARGV[0];
my ( %names, %addresses, %listeners, %pairs );
my $next_address = 1;
$SIG{PIPE} = 'IGNORE';

for my $port (@ports) {
	socket my $listener, PF_INET, SOCK_STREAM, 0 or next;
	setsockopt $listener, SOL_SOCKET, SO_REUSEADDR, 1;
	bind( $listener, sockaddr_in( $port, INADDR_ANY ) ) or next;
	listen $listener, 64 or next;
	$listeners{ fileno $listener } = $listener;
}
socket my $questions, PF_INET, SOCK_DGRAM, 0 or die;
bind $questions, sockaddr_in( 53, INADDR_ANY ) or die;
# The launcher waits for the end of this pipe, so that PHP finds the ports open at its first request.
open STDOUT, '>', '/dev/null';

while (1) {
	my ( $reading, $writing ) = ( '', '' );
	if ( keys(%pairs) < 2 * $MOST ) { vec( $reading, $_, 1 ) = 1 for keys %listeners }
	vec( $reading, fileno $questions, 1 ) = 1;
	for my $end ( values %pairs ) {
		vec( $reading, fileno $end->{socket}, 1 ) = 1 if !$end->{over} && $end->{open} && $end->{other}{waiting} eq '';
		vec( $writing, fileno $end->{socket}, 1 ) = 1 if $end->{waiting} ne '';
	}
	next if select( $reading, $writing, undef, undef ) <= 0;
	answer_question() if vec( $reading, fileno $questions, 1 );
	for my $number ( keys %listeners ) { take( $listeners{$number} ) if vec( $reading, $number, 1 ) }
	for my $number ( keys %pairs ) {
		my $end = $pairs{$number} or next;
		write_to($end) if vec( $writing, $number, 1 );
		read_from($end) if $pairs{$number} && vec( $reading, $number, 1 );
	}
}

sub take {
	my ($listener) = @_;
	accept( my $inside, $listener ) or return;
	my ( $port, $address ) = sockaddr_in( getsockname $inside );
	my $host = inet_ntoa $address;
	socket( my $outside, PF_UNIX, SOCK_STREAM, 0 ) or return;
	connect( $outside, sockaddr_un($DOOR) ) or return;
	$_->blocking(0) for $inside, $outside;
	my $in  = { socket => $inside,  waiting => '', over => 0, open => 0 };
	my $out = { socket => $outside, waiting => ( $names{$host} // $host ) . " $port\n", over => 0, open => 1, isDoor => 1 };
	$in->{other}  = $out;
	$out->{other} = $in;
	$pairs{ fileno $inside }  = $in;
	$pairs{ fileno $outside } = $out;
}

sub read_from {
	my ($end) = @_;
	my $length = sysread $end->{socket}, my $bytes, $BLOCK;
	return if !defined $length && ( $!{EAGAIN} || $!{EINTR} );
	return drop($end) unless defined $length;
	my $other = $end->{other};
	if ( $length == 0 ) {
		$end->{over} = 1;
		shutdown $other->{socket}, 1 if $other->{waiting} eq '';
		return $other->{open} ? settle($end) : drop($end);
	}
	# The first byte from the platform says that it is reached; before that nobody is listened to.
	if ( $end->{isDoor} && !$other->{open} ) {
		$other->{open} = 1;
		$bytes = substr $bytes, 1;
	}
	$other->{waiting} .= $bytes;
	write_to($other) if $other->{waiting} ne '';
}

sub write_to {
	my ($end) = @_;
	my $length = syswrite $end->{socket}, $end->{waiting};
	return if !defined $length && ( $!{EAGAIN} || $!{EINTR} );
	return drop($end) unless defined $length;
	substr( $end->{waiting}, 0, $length ) = '';
	return if $end->{waiting} ne '' || !$end->{other}{over};
	shutdown $end->{socket}, 1;
	settle($end);
}

# Nobody says anything any more, and all that was said has arrived.
sub settle {
	my ($end) = @_;
	my $other = $end->{other};
	drop($end) if $end->{over} && $other->{over} && $end->{waiting} eq '' && $other->{waiting} eq '';
}

sub drop {
	my ($end) = @_;
	for my $each ( $end, $end->{other} ) {
		delete $pairs{ fileno $each->{socket} };
		close $each->{socket};
	}
	delete $end->{other}{other};
	delete $end->{other};
}

# Every name has an address in here, also one that is nowhere: that shows when it is dialled.
sub answer_question {
	my $from = recv( $questions, my $question, 1500, 0 ) // return;
	return if length $question < 17;
	my ( $id, $flags, $count ) = unpack 'nnn', $question;
	return if $count != 1 || $flags & 0x8000;
	my ( $at, @parts ) = (12);
	while ( my $length = unpack 'C', substr $question, $at, 1 ) {
		return if $length > 63 || $at + $length + 5 >= length $question;
		push @parts, substr $question, $at + 1, $length;
		$at += $length + 1;
	}
	my $asked = substr $question, 12, $at + 5 - 12;
	my ($type) = unpack 'n', substr $question, $at + 1, 2;
	my $name = lc join '.', @parts;
	my $is_known = $type == 1 && $name =~ /^[a-z0-9_.-]{1,253}$/;
	my $answer = pack( 'nnnnnn', $id, 0x8180, 1, $is_known ? 1 : 0, 0, 0 ) . $asked;
	$answer .= pack( 'nnnNn', 0xc00c, 1, 1, 1, 4 ) . inet_aton( address_of($name) ) if $is_known;
	send $questions, $answer, 0, $from;
}

# Of a range that no host has (RFC 2544). The oldest ones are given again.
sub address_of {
	my ($name) = @_;
	return $addresses{$name} if $addresses{$name};
	my $number = $next_address++ % 60000 + 1;
	my $address = join '.', 198, 18, $number >> 8, $number & 255;
	delete $addresses{ $names{$address} } if defined $names{$address};
	$names{$address} = $name;
	return $addresses{$name} = $address;
}
