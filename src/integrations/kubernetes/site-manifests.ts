import { createHash } from 'node:crypto';
import type { V1PersistentVolumeClaim, V1PodSpec, V1Secret, V1StatefulSet } from '@kubernetes/client-node';
import { type PodCredentials, type SiteHome, siteHostName } from '#core/cluster.ts';

/** What all pods of sites on a cluster have in common. */
export interface PodOptions {
  cluster: string;
  namespace: string;
  image: string;
  pullPolicy: string;
  /** The Secret that all of them have in their environment. */
  secret: string;
  /** Where they reach the platform, as address:port. */
  platformDoor: string;
  storageClass: string | undefined;
  /** `RuntimeDefault`, or `localhost/` and the name of a profile. */
  seccomp: string;
  havePriorities: boolean;
  cacheDir: string;
  /** What runs sites in them. */
  driver: string;
}

export const SITE_LABEL = 'siteyard/site';
const HASH = 'siteyard/home';
const NAME = 'siteyard-site';
export const CONTAINER = 'site';
/** Nobody's number in any image. */
const USER = 10_001;
const WIRE_PORT = 7443;
const HTTP_PORT = 8080;
/** What the program itself needs besides PHP, with the processes of its time machine. */
const OWN_MB = 512;
/** So long the cluster waits for a machine that says nothing before its pods go elsewhere. */
const LOST_SECONDS = 30;

/** What a plan gets on a machine, besides the time of processors. What is promised is small, since most sites sleep; what is allowed is the plan's. */
const PLANS = {
  free: { promisedMb: 160, memoryMb: 1024, diskGb: 4 },
  micro: { promisedMb: 192, memoryMb: 1280, diskGb: 12 },
  starter: { promisedMb: 256, memoryMb: 1792, diskGb: 25 },
  business: { promisedMb: 384, memoryMb: 3072, diskGb: 50 },
} as const;

const planOf = ({ plan }: SiteHome) => PLANS[plan in PLANS ? (plan as keyof typeof PLANS) : 'free'];

export const homeName = (siteId: string): string => `site-${siteId}`;
export const podName = (siteId: string): string => `${homeName(siteId)}-0`;

/** All homes of a cluster that are ours. */
export const homesOf = ({ cluster }: Pick<PodOptions, 'cluster'>): string =>
  `app.kubernetes.io/name=${NAME},siteyard/cluster=${cluster}`;

const ownLabels = ({ cluster }: PodOptions, { siteId }: SiteHome) => ({
  'app.kubernetes.io/name': NAME,
  'app.kubernetes.io/managed-by': 'siteyard',
  'siteyard/cluster': cluster,
  [SITE_LABEL]: siteId,
});

/** The StatefulSet of a site. It says nothing of replicas: who lets it run owns them. */
export function homeOf(options: PodOptions, home: SiteHome): V1StatefulSet {
  const labels = { ...ownLabels(options, home), 'siteyard/plan': home.plan };
  const spec = podOf(options, home);
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: {
      name: homeName(home.siteId),
      namespace: options.namespace,
      labels,
      annotations: { [HASH]: hashOf(options, home) },
    },
    spec: {
      serviceName: 'siteyard-sites',
      selector: { matchLabels: { [SITE_LABEL]: home.siteId } },
      // What runs goes on as it is; the next wake is of the new kind.
      updateStrategy: { type: 'OnDelete' },
      template: { metadata: { labels }, spec },
    },
  };
}

/** Its volume, which goes with it. It is no template of the StatefulSet's, since those can never change. */
export function claimOf(options: PodOptions, home: SiteHome, ownerUid: string): V1PersistentVolumeClaim {
  const { namespace, storageClass } = options;
  const name = homeName(home.siteId);
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name,
      namespace,
      labels: ownLabels(options, home),
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'StatefulSet', name, uid: ownerUid }],
    },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: `${planOf(home).diskGb}Gi` } },
      ...(storageClass !== undefined && { storageClassName: storageClass }),
    },
  };
}

/** What its pod alone has in its environment. It goes with the StatefulSet, too. */
export function secretOf(
  options: PodOptions,
  home: SiteHome,
  ownerUid: string,
  { key, certificate, authority }: PodCredentials,
): V1Secret {
  const name = homeName(home.siteId);
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name,
      namespace: options.namespace,
      labels: ownLabels(options, home),
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'StatefulSet', name, uid: ownerUid }],
    },
    stringData: { POD_KEY: key, POD_CERTIFICATE: certificate, POD_AUTHORITY: authority },
  };
}

/** Whether a StatefulSet is the one that would be made today. */
export function isLike(options: PodOptions, found: V1StatefulSet, home: SiteHome): boolean {
  return found.metadata?.annotations?.[HASH] === hashOf(options, home);
}

function hashOf(options: PodOptions, home: SiteHome): string {
  const whole = JSON.stringify([podOf(options, home), planOf(home), options.storageClass, home.plan]);
  return createHash('sha256').update(whole).digest('hex').slice(0, 16);
}

function podOf(options: PodOptions, home: SiteHome): V1PodSpec {
  const { promisedMb, memoryMb } = planOf(home);
  const name = homeName(home.siteId);
  const probe = (path: string) => ({ httpGet: { path, port: HTTP_PORT }, timeoutSeconds: 5 });
  const gone = (key: string) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: LOST_SECONDS });
  return {
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    // Long enough for what visitors wait for and for a backup that is on its way.
    terminationGracePeriodSeconds: 60,
    tolerations: [gone('node.kubernetes.io/not-ready'), gone('node.kubernetes.io/unreachable')],
    ...(options.havePriorities && { priorityClassName: `siteyard-${home.plan}` }),
    securityContext: {
      runAsNonRoot: true,
      runAsUser: USER,
      runAsGroup: USER,
      fsGroup: USER,
      fsGroupChangePolicy: 'OnRootMismatch',
      seccompProfile: seccompOf(options),
    },
    containers: [
      {
        name: CONTAINER,
        image: options.image,
        imagePullPolicy: options.pullPolicy,
        env: environmentOf(options, home),
        envFrom: [{ secretRef: { name: options.secret } }, { secretRef: { name } }],
        ports: [
          { name: 'wire', containerPort: WIRE_PORT },
          { name: 'http', containerPort: HTTP_PORT },
        ],
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          privileged: false,
          capabilities: { drop: ['ALL'] },
        },
        resources: {
          requests: { cpu: '50m', memory: `${promisedMb}Mi` },
          limits: { cpu: String(home.processors), memory: `${memoryMb}Mi`, 'ephemeral-storage': '2Gi' },
        },
        startupProbe: { ...probe('/readyz'), periodSeconds: 1, failureThreshold: 120 },
        readinessProbe: { ...probe('/readyz'), periodSeconds: 5 },
        livenessProbe: { ...probe('/healthz'), periodSeconds: 10, failureThreshold: 6 },
        volumeMounts: [
          { name: 'data', mountPath: '/data' },
          { name: 'tmp', mountPath: '/tmp' },
        ],
      },
    ],
    volumes: [
      { name: 'data', persistentVolumeClaim: { claimName: name } },
      { name: 'tmp', emptyDir: { sizeLimit: '1Gi' } },
    ],
  };
}

/** Whatever the Secret of all pods has of these, no pod has: with some of them the whole fleet is somebody's. */
const WITHHELD = [
  'DATABASE_URL',
  'SECRET_KEY',
  'SECRET_KEY_PREVIOUS',
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'SMTP_URL',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
  'ADMIN_PASSWORD',
  'METRICS_TOKEN',
  'METRICS_CLIENT_SECRET',
  'ASSISTANT_KEY',
  'ANALYTICS_TOKEN',
  'DNS_UPDATE_KEY',
];

/** What stands here counts more than what the Secret says. */
function environmentOf(options: PodOptions, home: SiteHome) {
  const values = {
    ROLE: 'host',
    SITE_HOST: siteHostName(options.cluster, home.siteId),
    SITE_HOST_ADDRESS: `$(POD_IP):${WIRE_PORT}`,
    RUNTIME: options.driver,
    HOST: '0.0.0.0',
    PORT: String(HTTP_PORT),
    DATA_DIR: '/data',
    CACHE_DIR: options.cacheDir,
    TMPDIR: '/tmp',
    BACKUP_PER_HOST: 'on',
    BACKUP_PROCESSES: '1',
    // The volume is small, and the site's own files come first.
    BACKUP_CACHE_MB: '256',
    BACKUP_QUEUE_MB: '1024',
    PLATFORM_DOOR: options.platformDoor,
    ...Object.fromEntries(WITHHELD.map((name) => [name, ''])),
    STANDBY_WORKERS: '0',
    PHP_MEMORY_MB: String(planOf(home).memoryMb - OWN_MB),
  };
  return [
    { name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
    ...Object.entries(values).map(([name, value]) => ({ name, value })),
  ];
}

function seccompOf({ seccomp }: PodOptions) {
  const profile = seccomp.replace(/^localhost\//, '');
  return profile === seccomp ? { type: 'RuntimeDefault' } : { type: 'Localhost', localhostProfile: profile };
}
