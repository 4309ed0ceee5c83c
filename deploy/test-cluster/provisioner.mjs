/**
 * Makes the volumes of the test cluster: a folder and a PersistentVolume for each claim that a pod waits for, and neither for a claim that is
 * gone. What cloud providers have a driver for; Debian has none for folders. Takes a kubeconfig as cluster.sh writes it.
 */
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { join } from 'node:path';

const run = process.argv[2];
const read = (name) => readFileSync(join(run, 'certs', name));
const agent = new Agent({ keepAlive: true, ca: read('ca.crt'), cert: read('admin.crt'), key: read('admin.key') });
const CLAIMS = '/api/v1/persistentvolumeclaims';
const VOLUMES = '/api/v1/persistentvolumes';

function call(method, path, body, onLine) {
  return new Promise((resolve, reject) => {
    const headers = { 'user-agent': 'test-provisioner', 'content-type': 'application/json' };
    const asked = request(`https://10.99.0.1:6443${path}`, { method, agent, headers }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part) => {
        text += part;
        if (!onLine) return;
        const lines = text.split('\n');
        text = lines.pop();
        for (const line of lines) onLine(JSON.parse(line));
      });
      answer.on('error', reject).on('close', () => {
        if (onLine) return resolve();
        const value = JSON.parse(text || '{}');
        if (answer.statusCode < 300 || answer.statusCode === 409 || answer.statusCode === 404) resolve(value);
        else reject(new Error(`${method} ${path}: ${answer.statusCode} ${value.message}`));
      });
    });
    asked.on('error', reject).end(body && JSON.stringify(body));
  });
}

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

async function follow(path, each) {
  for (;;) {
    try {
      const { items, metadata } = await call('GET', path);
      for (const item of items) await each(item);
      await call(
        'GET',
        `${path}?watch=1&timeoutSeconds=120&resourceVersion=${metadata.resourceVersion}`,
        undefined,
        ({ type, object }) => {
          if (type === 'ADDED' || type === 'MODIFIED') each(object).catch((error) => console.error(error.message));
        },
      );
    } catch (error) {
      console.error(error.message);
      await new Promise((done) => setTimeout(done, 500));
    }
  }
}

await Promise.all([follow(CLAIMS, provide), follow(VOLUMES, takeBack)]);
