#!/bin/bash
# One node: containerd, kubelet and kube-proxy in namespaces of their own for processes, mounts and the network.
#   node.sh start N | stop N   (stop is a power cut: every process of the node ends at the same instant)
. "$(dirname "$0")/common.sh"
n=${2:-1}
export NODE=${NODE:-$(command -v node)}
N=$RUN/node$n

inside() {
  # The node sees Debian's packages as if they were installed, and what it writes to /var and /run is its own.
  mount --make-rprivate /
  mount -t proc proc /proc
  mount -t overlay overlay -o "ro,lowerdir=$D/root/usr:/usr" /usr
  mount -t overlay overlay -o "lowerdir=/var,upperdir=$N/var,workdir=$N/var.work" /var
  mount -t tmpfs tmpfs /run
  mkdir -p /run/lock
  # kubelet sets these for the whole machine; here it sets files that nobody reads.
  for name in vm/overcommit_memory vm/panic_on_oom kernel/panic kernel/panic_on_oops kernel/keys/root_maxkeys kernel/keys/root_maxbytes; do
    cat "/proc/sys/$name" > "$N/sys/$(basename $name)"
    mount --bind "$N/sys/$(basename $name)" "/proc/sys/$name"
  done
  echo 1 > /proc/sys/net/ipv4/ip_forward
  mount --make-rshared /
  export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
  containerd -c "$N/containerd.toml" > "$RUN/log/containerd$n.log" 2>&1 &
  until_ok 60 ctr -a "$N/containerd.sock" version
  for image in "$RUN"/images/*.tar; do
    [ -e "$N/$(basename "$image").imported" ] && continue
    ctr -a "$N/containerd.sock" -n k8s.io images import "$image" > /dev/null
    touch "$N/$(basename "$image").imported"
  done
  "$D/bin/kube-proxy" --kubeconfig="$RUN/proxy.kubeconfig" --hostname-override="node$n" --proxy-mode=iptables \
    --cluster-cidr=10.98.0.0/16 --conntrack-max-per-core=0 --conntrack-tcp-timeout-established=0 \
    --conntrack-tcp-timeout-close-wait=0 --healthz-bind-address=127.0.0.1:10256 > "$RUN/log/proxy$n.log" 2>&1 &
  # Also between two pods of this node.
  echo 1 > /proc/sys/net/bridge/bridge-nf-call-iptables
  "$NODE" "$HERE/policies.mjs" "$RUN" "node$n" > "$RUN/log/policies$n.log" 2>&1 &
  "$D/bin/kubelet" --config="$N/kubelet.yaml" --kubeconfig="$RUN/node$n.kubeconfig" --root-dir="$N/kubelet" \
    --container-runtime=remote --container-runtime-endpoint="unix://$N/containerd.sock" --hostname-override="node$n" \
    --node-ip="10.99.0.1$n" --cert-dir="$N/pki" --node-labels="topology.kubernetes.io/zone=zone$n" > "$RUN/log/kubelet$n.log" 2>&1 &
  # This shell is the first process of the node, so it collects what others leave behind.
  while :; do wait -n || true; sleep .1; done
}

start_node() {
  mkdir -p "$N"/{var,var.work,sys,cni,kubelet/plugins,var/lib/kubelet/seccomp,pki,volumes,containerd}
  cp "$HERE/../kubernetes/seccomp.json" "$N/var/lib/kubelet/seccomp/siteyard.json"
  cat > "$N/cni/10-bridge.conflist" <<CNI
{"cniVersion":"0.4.0","name":"pods","plugins":[
 {"type":"bridge","bridge":"pods","isGateway":true,"ipMasq":false,"hairpinMode":true,"ipam":{"type":"host-local",
  "ranges":[[{"subnet":"10.98.$n.0/24"}]],"routes":[{"dst":"0.0.0.0/0"}],"dataDir":"$N/ipam"}},
 {"type":"portmap","capabilities":{"portMappings":true}}]}
CNI
  cat > "$N/containerd.toml" <<TOML
version = 2
root = "$N/containerd/root"
state = "/run/containerd-state"
[grpc]
  address = "$N/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "localhost/pause:1"
  restrict_oom_score_adj = true
  disable_apparmor = true
  stream_server_address = "127.0.0.1"
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "$N/cni"
TOML
  cat > "$N/kubelet.yaml" <<YAML
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
authentication: {anonymous: {enabled: false}, webhook: {enabled: true}, x509: {clientCAFile: "$RUN/certs/ca.crt"}}
authorization: {mode: Webhook}
tlsCertFile: "$RUN/certs/node$n.crt"
tlsPrivateKeyFile: "$RUN/certs/node$n.key"
cgroupDriver: cgroupfs
cgroupRoot: /$NAME-node$n
cgroupsPerQOS: true
enforceNodeAllocatable: []
makeIPTablesUtilChains: false
failSwapOn: false
oomScoreAdj: 0
nodeStatusUpdateFrequency: 4s
maxPods: 110
volumePluginDir: "$N/kubelet/plugins"
evictionHard: {memory.available: "100Mi", nodefs.available: "1%", imagefs.available: "1%"}
resolvConf: "$RUN/resolv.conf"
clusterDNS: [10.99.0.1]
clusterDomain: cluster.local
YAML
  # kubelet wants the group above its pods to be there.
  for controller in /sys/fs/cgroup/*/; do
    [ -e "${controller}cgroup.procs" ] || continue
    mkdir -p "$controller$NAME-node$n"
    # All pods of a node would weigh as much as one process of the machine's own.
    [ ! -e "${controller}cpu.shares" ] || echo 6144 > "$controller$NAME-node$n/cpu.shares"
    [ ! -e "${controller}cpuset.cpus" ] || for file in cpuset.cpus cpuset.mems; do
      cat "$controller$file" > "$controller$NAME-node$n/$file"
    done
  done
  start "node$n" "$NAME-node$n" unshare --pid --fork --kill-child --mount --ipc --uts "$0" inside "$n"
}

case ${1:-} in
  inside) inside ;;
  start) start_node ;;
  stop) stop "node$n" KILL ;;
  *) fail "node.sh start|stop N" ;;
esac
