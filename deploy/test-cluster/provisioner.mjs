/**
 * Makes the volumes of the test cluster: a folder and a PersistentVolume for each claim that a pod waits for, and neither for a claim that is
 * gone. What cloud providers have a driver for; Debian has none for folders. Takes a kubeconfig as cluster.sh writes it.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openApi } from './api.mjs';

const run = process.argv[2];
const { call, follow } = openApi(run, 'test-provisioner');
const CLAIMS = '/api/v1/persistentvolumeclaims';
const VOLUMES = '/api/v1/persistentvolumes';

const folderOf = (name) => join(run, 'volumes', name);

/** A claim names its node once a pod that wants it has been given one. */
async function provide(claim) {
  const kind = claim.spec.storageClassName;
  const node = claim.metadata.annotations?.['volume.kubernetes.io/selected-node'];
  if (claim.spec.volumeName || !node || (kind !== 'local' && kind !== 'network')) return;
  const name = `pvc-${claim.metadata.uid}`;
  mkdirSync(folderOf(name), { recursive: true, mode: 0o777 });
  const { namespace, name: claimName, uid } = claim.metadata;
  const expression =
    kind === 'local'
      ? { key: 'kubernetes.io/hostname', operator: 'In', values: [node] }
      : { key: 'kubernetes.io/os', operator: 'In', values: ['linux'] };
  await call('POST', VOLUMES, {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name, annotations: { 'pv.kubernetes.io/provisioned-by': `siteyard.test/${kind}` } },
    spec: {
      capacity: { storage: claim.spec.resources.requests.storage },
      accessModes: claim.spec.accessModes,
      persistentVolumeReclaimPolicy: 'Delete',
      storageClassName: kind,
      local: { path: folderOf(name) },
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [expression] }] } },
      claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name: claimName, uid },
    },
  });
}

async function takeBack(volume) {
  if (volume.status?.phase !== 'Released' || !volume.spec.local) return;
  await call('DELETE', `${VOLUMES}/${volume.metadata.name}`);
  rmSync(folderOf(volume.metadata.name), { recursive: true, force: true });
}

function each(work) {
  return {
    listed: async (items) => {
      for (const item of items) await work(item);
    },
    changed: (type, object) => {
      if (type !== 'DELETED') work(object).catch((error) => console.error(error.message));
    },
  };
}

await Promise.all([follow(CLAIMS, each(provide)), follow(VOLUMES, each(takeBack))]);
