#!/bin/bash
# The certificates and kubeconfigs of one run: an authority, the API server, its clients, one for each node.
. "$(dirname "$0")/common.sh"
mkdir -p "$RUN/certs"; cd "$RUN/certs"
openssl req -x509 -newkey rsa:2048 -nodes -days 30 -subj /CN=siteyard-test-cluster -keyout ca.key -out ca.crt 2> /dev/null
openssl genrsa -out sa.key 2048 2> /dev/null
openssl rsa -in sa.key -pubout -out sa.pub 2> /dev/null

# certificate NAME SUBJECT [ALT-NAMES]
certificate() {
  openssl req -newkey rsa:2048 -nodes -subj "$2" -keyout "$1.key" -out "$1.csr" 2> /dev/null
  openssl x509 -req -in "$1.csr" -CA ca.crt -CAkey ca.key -CAcreateserial -days 30 -out "$1.crt" \
    -extfile <(echo "extendedKeyUsage=serverAuth,clientAuth"; [ -z "${3:-}" ] || echo "subjectAltName=$3") 2> /dev/null
}
# kubeconfig NAME: for whom the certificate of that name is.
kubeconfig() {
  cat > "$RUN/$1.kubeconfig" <<CONFIG
apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "$API", certificate-authority: "$RUN/certs/ca.crt"}}]
users: [{name: u, user: {client-certificate: "$RUN/certs/$1.crt", client-key: "$RUN/certs/$1.key"}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
current-context: x
CONFIG
  chmod 600 "$RUN/$1.kubeconfig"
}
certificate api /CN=kube-apiserver "IP:10.99.0.1,IP:10.96.0.1,IP:127.0.0.1,DNS:kubernetes.default.svc,DNS:kubernetes.default"
certificate kubelet-client /O=system:masters/CN=kube-apiserver-kubelet-client
certificate admin /O=system:masters/CN=admin
certificate controller /CN=system:kube-controller-manager
certificate scheduler /CN=system:kube-scheduler
certificate proxy /CN=system:kube-proxy
for node in 1 2; do certificate "node$node" "/O=system:nodes/CN=system:node:node$node" "IP:10.99.0.1$node,DNS:node$node"; done
for client in admin controller scheduler proxy node1 node2; do kubeconfig $client; done
