export const RELEASE = { name: 'siteyard', namespace: 'siteyard' };

/** Everything that can be turned on at once. */
export const ALL = {
  tls: { enabled: true },
  ingress: { enabled: true, className: 'nginx', annotations: { a: 'b' } },
  secret: { create: true, variables: { SECRET_KEY: 'k' } },
  sites: { storageClass: 'fast' },
  keeper: { storageClass: 'fast', env: { A: '1' } },
  imagePullSecrets: [{ name: 'registry' }],
  api: { env: { A: '1' }, service: { annotations: { a: 'b' } } },
  worker: { env: { A: '1' } },
  edge: { env: { A: '1' }, service: { annotations: { a: 'b' } }, autoscaling: { requestsPerSecond: 200 } },
};

export const HOST_PORTS = { ...ALL, edge: { hostPorts: true, autoscaling: { enabled: false } } };
