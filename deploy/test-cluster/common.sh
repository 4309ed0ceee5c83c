# What the scripts of the test cluster share. Sourced, never run.
set -euo pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# The programs, kept between runs. build.sh makes them.
D=${CLUSTER_DIR:-$HOME/.cache/siteyard/cluster}
# What a run writes. Gone with `cluster.sh down`.
RUN=${CLUSTER_RUN:-/tmp/siteyard-cluster}
# Prefix of the network namespaces, so that two clusters of one machine do not meet.
NAME=${CLUSTER_NAME:-sy}
LAN=$NAME-lan
API=https://10.99.0.1:6443

fail() { echo "$*" >&2; exit 1; }
# Not `ip netns exec`: that hides the control groups under /sys.
in_net() { local namespace=$1; shift; nsenter "--net=/run/netns/$namespace" "$@"; }
in_lan() { in_net "$LAN" "$@"; }
kubectl() { in_lan "$D/root/usr/bin/kubectl" --kubeconfig "$RUN/admin.kubeconfig" "$@"; }

# What is beside the nodes has as much of the processors as a node where pods want all of them (node.sh), or it answers nobody.
beside() {
  local group=/sys/fs/cgroup/cpu/$NAME-beside
  [ -e /sys/fs/cgroup/cpu/cpu.shares ] || return 0
  mkdir -p "$group"
  echo 6144 > "$group/cpu.shares"
  echo "$1" > "$group/cgroup.procs"
}
# start NAME NAMESPACE COMMAND…: in the background, with its number and its log in RUN.
start() {
  local name=$1 namespace=$2; shift 2
  setsid nsenter "--net=/run/netns/$namespace" "$@" > "$RUN/log/$name.log" 2>&1 < /dev/null &
  echo $! > "$RUN/pid/$name"
}
# stop NAME [SIGNAL]: and wait until it is gone.
stop() {
  local file=$RUN/pid/$1 pid
  [ -e "$file" ] || return 0
  pid=$(cat "$file")
  kill "-${2:-TERM}" "$pid" 2> /dev/null || true
  for _ in $(seq 100); do kill -0 "$pid" 2> /dev/null || break; sleep .1; done
  kill -KILL "$pid" 2> /dev/null || true
  rm -f "$file"
}
# until_ok SECONDS COMMAND…
until_ok() {
  local end=$((SECONDS + $1)); shift
  until "$@" > /dev/null 2>&1; do
    [ $SECONDS -lt $end ] || fail "in time there was no answer of: $*"
    sleep .2
  done
}
