#!/bin/bash
# A Kubernetes of two nodes in network namespaces of this machine, with nothing of it outside of them.
#   cluster.sh up | down | kubectl … | exec COMMAND… | lose-node N | return-node N | stop-api | start-api | load IMAGE.tar
# It needs root on a Linux with Debian's apt, and the programs that build.sh makes. README.md has the rest.
. "$(dirname "$0")/common.sh"
[ "$(id -u)" = 0 ] || fail "The test cluster makes network namespaces and mounts, so it needs root."

network_up() {
  ip netns add "$LAN"
  in_lan ip link set lo up
  in_lan ip link add lan type bridge
  in_lan ip addr add 10.99.0.1/24 dev lan
  in_lan ip link set lan up
  in_lan sysctl -qw net.ipv4.ip_forward=1
  for n in 1 2; do
    local node=$NAME-node$n other=$((3 - n))
    ip netns add "$node"
    in_net "$node" ip link set lo up
    ip link add "eth$n" netns "$LAN" type veth peer name eth0 netns "$node"
    in_lan ip link set "eth$n" master lan up
    in_net "$node" ip addr add "10.99.0.1$n/24" dev eth0
    in_net "$node" ip link set eth0 up
    in_net "$node" ip route add "10.98.$other.0/24" via "10.99.0.1$other"
    in_net "$node" ip route add default via 10.99.0.1
    in_lan ip route add "10.98.$n.0/24" via "10.99.0.1$n"
  done
}

case ${1:-} in
  up)
    [ ! -e "$RUN" ] || fail "$RUN is there already: cluster.sh down first."
    for program in kube-apiserver kube-controller-manager kube-scheduler kubelet kube-proxy; do
      [ -x "$D/bin/$program" ] || fail "$D/bin has no $program: run build.sh first (17 minutes on two cores)."
    done
    mkdir -p "$RUN"/{log,pid,api,images,volumes}
    chmod 711 "$RUN"
    echo "nameserver 10.99.0.1" > "$RUN/resolv.conf"
    ln -f "$D"/images/*.tar "$RUN/images/" 2> /dev/null || cp "$D"/images/*.tar "$RUN/images/"
    "$HERE/certificates.sh"
    network_up
    "$HERE/control-plane.sh" start
    # A node's name is its user; kube-proxy has a role of its own that only kubeadm binds.
    kubectl create clusterrolebinding kube-proxy --clusterrole=system:node-proxier --user=system:kube-proxy > /dev/null
    kubectl apply -f "$HERE/storage.yaml" > /dev/null
    for n in 1 2; do "$HERE/node.sh" start $n; done
    # Each takes the images first, which is 3 GB to write and to hash.
    until_ok 900 kubectl wait --for=condition=Ready node/node1 node/node2 --timeout=1s
    echo "two nodes are ready: $RUN/admin.kubeconfig"
    ;;
  down)
    for n in 1 2; do "$HERE/node.sh" stop $n; done
    "$HERE/control-plane.sh" stop
    for pid in "$RUN"/pid/*; do [ ! -e "$pid" ] || stop "$(basename "$pid")"; done
    for namespace in "$NAME-node1" "$NAME-node2" "$LAN"; do
      [ ! -e "/run/netns/$namespace" ] || ip netns delete "$namespace"
    done
    for controller in /sys/fs/cgroup/*/; do
      for group in node1 node2 beside; do
        [ ! -d "$controller$NAME-$group" ] || find "$controller$NAME-$group" -depth -type d -exec rmdir {} + 2> /dev/null || true
      done
    done
    rm -rf "$RUN"
    ;;
  kubectl) shift; kubectl "$@" ;;
  exec) shift; in_lan "$@" ;;
  lose-node) "$HERE/node.sh" stop "$2" ;;
  return-node) "$HERE/node.sh" start "$2" ;;
  stop-api | start-api) "$HERE/control-plane.sh" "$1" ;;
  load)
    for n in 1 2; do
      nsenter --target "$(pgrep -P "$(cat "$RUN/pid/node$n")" | head -1)" --mount ctr -a "$RUN/node$n/containerd.sock" -n k8s.io images import "$2" > /dev/null
    done
    ;;
  *) fail "cluster.sh up | down | kubectl … | exec COMMAND… | lose-node N | return-node N | stop-api | start-api | load IMAGE.tar" ;;
esac
