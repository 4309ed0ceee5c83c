#!/bin/bash
# Builds the programs of a Kubernetes 1.20.2 from Debian's own source package, with Debian's Go, and lays
# Debian's etcd, containerd, runc, CNI plugins and kubectl beside them. Nothing is installed on the machine and
# nothing comes from another registry. Ends at once for what is already built. About 17 minutes on two cores.
#   CLUSTER_DIR  where everything lies (default ~/.cache/siteyard/cluster)
set -euo pipefail
HERE=$(cd "$(dirname "$0")" && pwd)
D=${CLUSTER_DIR:-$HOME/.cache/siteyard/cluster}
SOURCE_SHA256=b83c0780efb182d928dc63d46488a847f161f04e40a94b96bf5247dd671ecdfc
# The API server first: the control plane's own tests need no more than that and etcd.
PROGRAMS=(kube-apiserver kube-controller-manager kube-scheduler kubelet kube-proxy)
mkdir -p "$D"/{dl,apt/lists/partial,root,bin,home,gp/src/k8s.io/kubernetes}
cd "$D/dl"

missing=0
for program in "${PROGRAMS[@]}" pause; do [ -x "$D/bin/$program" ] || missing=1; done
[ "$D/bin/render-chart" -nt "$HERE/render-chart.go" ] || missing=1
# A kubelet of 1.20 keeps a pod that has ended until its sandbox is collected, which it does once a minute
# (kubernetes/kubernetes#97288); later ones do it at once.
collects_soon=$D/bin/kubelet.collects-soon
[ -e "$collects_soon" ] || missing=1

# A list of sources of our own: most machines have no deb-src, and the machine's own lists stay as they are.
# The sandbox user of apt can not read a home folder.
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
cat > ../apt/sources.list <<LIST
deb-src [signed-by=$keyring] http://deb.debian.org/debian bookworm main
deb [signed-by=$keyring] http://deb.debian.org/debian bookworm main
deb [signed-by=$keyring] http://deb.debian.org/debian-security bookworm-security main
LIST
apt=(apt-get -q -o "Dir::Etc::sourcelist=$D/apt/sources.list" -o Dir::Etc::sourceparts=/dev/null
  -o "Dir::State::Lists=$D/apt/lists" -o APT::Sandbox::User=root)
packages=(etcd-server containerd runc containernetworking-plugins kubernetes-client iptables libip4tc2 libip6tc2
  libxtables12 conntrack libnetfilter-conntrack3 libnfnetlink0 libmnl0)
[ "$missing" = 0 ] || packages+=(golang-1.19-go golang-1.19-src)
wanted=()
for package in "${packages[@]}"; do compgen -G "${package}_*.deb" > /dev/null || wanted+=("$package"); done
source_present=1
[ "$missing" = 0 ] || compgen -G 'kubernetes_*.orig.tar.gz' > /dev/null || source_present=0
if [ ${#wanted[@]} -gt 0 ] || [ $source_present = 0 ]; then
  "${apt[@]}" update > /dev/null
  [ ${#wanted[@]} = 0 ] || "${apt[@]}" download "${wanted[@]}"
  [ $source_present = 1 ] || "${apt[@]}" source --download-only kubernetes
fi
for package in "${wanted[@]}"; do dpkg -x "${package}"_*.deb ../root; done
# Debian chooses between two kinds of iptables when it installs the package.
for name in iptables iptables-save iptables-restore ip6tables ip6tables-save ip6tables-restore; do
  ln -sf xtables-legacy-multi "../root/usr/sbin/$name"
done
[ "$missing" = 1 ] || { echo "$D/bin is complete"; exit 0; }

[ -d ../root/usr/lib/go-1.19 ] || for package in golang-1.19-go golang-1.19-src; do dpkg -x "${package}"_*.deb ../root; done
source=$(compgen -G 'kubernetes_*.orig.tar.gz')
echo "$SOURCE_SHA256  $source" | sha256sum --check --quiet
kubernetes=$D/gp/src/k8s.io/kubernetes
[ -e "$kubernetes/go.mod" ] || tar xzf "$source" -C "$kubernetes" --strip-components=1

export GOROOT=$D/root/usr/lib/go-1.19 GOPATH=$D/gp GOCACHE=$D/gocache GOPROXY=off CGO_ENABLED=0 GO111MODULE=off HOME=$D/home
export PATH=$GOROOT/bin:$PATH
jobs=${BUILD_JOBS:-$(nproc)}
cd "$kubernetes"
# The source package leaves out the generated OpenAPI of the API's types. Without it there is no server-side apply.
if [ ! -e pkg/generated/openapi/zz_generated.openapi.go ]; then
  go build -p "$jobs" -o "$D/bin/openapi-gen" ./vendor/k8s.io/kube-openapi/cmd/openapi-gen
  inputs=$(grep -rl --include=*.go '^// +k8s:openapi-gen=' pkg staging/src/k8s.io | xargs -n1 dirname | sort -u |
    sed -e 's#^staging/src/##' -e 's#^pkg/#k8s.io/kubernetes/pkg/#' -e 's#^#k8s.io/kubernetes/vendor/#' \
      -e 's#k8s.io/kubernetes/vendor/k8s.io/kubernetes/#k8s.io/kubernetes/#' | grep -v testdata | paste -sd,)
  "$D/bin/openapi-gen" --logtostderr -i "$inputs" -p k8s.io/kubernetes/pkg/generated/openapi -O zz_generated.openapi \
    -h vendor/k8s.io/code-generator/hack/boilerplate.go.txt -r "$D/violations"
fi
version="-X k8s.io/kubernetes/vendor/k8s.io/component-base/version.gitVersion=v1.20.2"
# What holds a pod's namespaces: it waits.
if [ ! -x "$D/bin/pause" ]; then
  mkdir -p "$D/gp/src/pause"
  printf '%s\n' 'package main' 'import ("os"; "os/signal"; "syscall")' \
    'func main() { c := make(chan os.Signal, 1); signal.Notify(c, syscall.SIGTERM, syscall.SIGINT); <-c }' > "$D/gp/src/pause/main.go"
  go build -ldflags "-s -w" -o "$D/bin/pause" pause
fi
# The chart by Go's own templates. It needs the YAML that Kubernetes brings along.
if [ ! "$D/bin/render-chart" -nt "$HERE/render-chart.go" ]; then
  mkdir -p cmd/render-chart
  cp "$HERE/render-chart.go" cmd/render-chart/main.go
  go build -o "$D/bin/render-chart" ./cmd/render-chart
fi
if [ ! -e "$collects_soon" ]; then
  sed -i 's/ContainerGCPeriod = time.Minute$/ContainerGCPeriod = 2 * time.Second/' pkg/kubelet/kubelet.go
  grep -q 'ContainerGCPeriod = 2 \* time.Second' pkg/kubelet/kubelet.go
  rm -f "$D/bin/kubelet"
fi
for program in "${PROGRAMS[@]}"; do
  [ -x "$D/bin/$program" ] && continue
  # Without the SDKs of clouds and without Docker, which nobody asks here.
  go build -p "$jobs" -tags providerless,dockerless -ldflags "-s -w $version" -o "$D/bin/$program.part" "./cmd/$program"
  mv "$D/bin/$program.part" "$D/bin/$program"
  echo "built $program"
done
touch "$collects_soon"
echo "$D/bin is complete"
