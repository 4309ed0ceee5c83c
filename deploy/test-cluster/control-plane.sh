#!/bin/bash
# etcd, the API server, the controllers and the scheduler, in the namespace that stands for the network between nodes.
#   control-plane.sh start|stop|start-api|stop-api
. "$(dirname "$0")/common.sh"

case ${1:-} in start | start-api) beside $BASHPID ;; esac

api_answers() { [ "$(in_lan curl -s --cacert "$RUN/certs/ca.crt" --cert "$RUN/certs/admin.crt" --key "$RUN/certs/admin.key" "$API/readyz")" = ok ]; }

start_api() {
  local c=$RUN/certs
  start api "$LAN" "$D/bin/kube-apiserver" --etcd-servers=http://127.0.0.1:2379 --bind-address=0.0.0.0 --secure-port=6443 \
    --advertise-address=10.99.0.1 --tls-cert-file="$c/api.crt" --tls-private-key-file="$c/api.key" --client-ca-file="$c/ca.crt" \
    --service-account-issuer=https://kubernetes.default.svc --service-account-key-file="$c/sa.pub" \
    --service-account-signing-key-file="$c/sa.key" --service-cluster-ip-range=10.96.0.0/16 --authorization-mode=Node,RBAC \
    --kubelet-client-certificate="$c/kubelet-client.crt" --kubelet-client-key="$c/kubelet-client.key" \
    --kubelet-certificate-authority="$c/ca.crt" --kubelet-preferred-address-types=InternalIP \
    --enable-admission-plugins=NodeRestriction \
    --allow-privileged --cert-dir="$RUN/api"
  until_ok 120 api_answers
}

case ${1:-} in
  start)
    start etcd "$LAN" env ETCD_UNSUPPORTED_ARCH="$(dpkg --print-architecture)" "$D/root/usr/bin/etcd" --data-dir "$RUN/etcd" \
      --listen-client-urls http://127.0.0.1:2379 --advertise-client-urls http://127.0.0.1:2379 \
      --listen-peer-urls http://127.0.0.1:2380 --unsafe-no-fsync
    start_api
    # What a real cluster takes minutes for (a node that is gone) takes seconds here; docs/scale.md names both.
    start controllers "$LAN" "$D/bin/kube-controller-manager" --kubeconfig="$RUN/controller.kubeconfig" --leader-elect=false \
      --authentication-kubeconfig="$RUN/controller.kubeconfig" --authorization-kubeconfig="$RUN/controller.kubeconfig" \
      --service-account-private-key-file="$RUN/certs/sa.key" --root-ca-file="$RUN/certs/ca.crt" --use-service-account-credentials \
      --bind-address=127.0.0.1 --port=0 --cert-dir="$RUN/api" --node-monitor-grace-period="${NODE_GRACE:-16s}" \
      --node-monitor-period=2s
    start scheduler "$LAN" "$D/bin/kube-scheduler" --kubeconfig="$RUN/scheduler.kubeconfig" --leader-elect=false \
      --authentication-kubeconfig="$RUN/scheduler.kubeconfig" --authorization-kubeconfig="$RUN/scheduler.kubeconfig" \
      --bind-address=127.0.0.1 --port=0 --cert-dir="$RUN/api"
    ;;
  stop) for each in scheduler controllers api etcd; do stop $each; done ;;
  start-api) start_api ;;
  stop-api) stop api KILL ;;
  *) fail "control-plane.sh start|stop|start-api|stop-api" ;;
esac
