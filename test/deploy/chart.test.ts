import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse, parseAllDocuments } from 'yaml';
import { CHART, type Manifest, plainManifests, renderChart, renderTexts } from '../../scripts/chart/chart.ts';
import { ALL, HOST_PORTS, RELEASE } from './chart-values.ts';
import { faultsOf } from './manifest-types.ts';

test('every object of the chart is one that a current Kubernetes knows, whatever is turned on', () => {
  for (const values of [{}, ALL, HOST_PORTS]) assert.deepEqual(renderChart(RELEASE, values).flatMap(faultsOf), []);
  const [deployment] = renderChart(RELEASE).filter(({ kind }) => kind === 'Deployment') as [Manifest];
  const spec = deployment.spec as { template: { spec: { containers: object[] } } };
  spec.template.spec.containers = [{ image: 1, imagePullPolice: 'Never' }];
  assert.deepEqual(faultsOf(deployment), [
    'Deployment.spec.template.spec.containers[0].name is missing',
    'Deployment.spec.template.spec.containers[0].image must be a string',
    'Deployment.spec.template.spec.containers[0].imagePullPolice is not known',
  ]);
});

test('the plain manifests say the same as the chart, as Kubernetes reads them', () => {
  const names = (objects: Manifest[]) => objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort();
  const plain = parseAllDocuments(plainManifests(), { version: '1.1' }).map((document) => document.toJS() as Manifest);
  const own = renderChart(RELEASE);
  assert.deepEqual(
    names(plain),
    names([...own, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'siteyard' } }]),
  );
  for (const object of own)
    assert.deepEqual(
      plain.find(({ kind, metadata }) => kind === object.kind && metadata.name === object.metadata.name),
      object,
    );
});

test('every value of the chart changes something', () => {
  const values = parse(readFileSync(join(CHART, 'values.yaml'), 'utf8'));
  const bases = [ALL, HOST_PORTS].map((base) => ({ base, text: JSON.stringify(renderTexts(RELEASE, base)) }));
  const idle = leavesOf(values).filter((path) =>
    bases.every(({ base, text }) => {
      const changed = structuredClone(base) as Record<string, unknown>;
      change(changed, path, get(base, path) ?? get(values, path));
      return JSON.stringify(renderTexts(RELEASE, changed)) === text;
    }),
  );
  assert.deepEqual(idle, []);
});

test('no pod of the platform is root, writes to its image or keeps a capability', () => {
  for (const { kind, metadata, spec } of renderChart(RELEASE) as (Manifest & { spec: PodOwner })[]) {
    if (kind !== 'Deployment' && kind !== 'StatefulSet') continue;
    const pod = spec.template.spec;
    assert.equal(pod.securityContext.runAsNonRoot, true, metadata.name);
    assert.deepEqual(pod.securityContext.seccompProfile, { type: 'RuntimeDefault' });
    for (const { securityContext } of pod.containers)
      assert.deepEqual(securityContext, {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
  }
});

test('the keeper runs what sites run, so it has their profile of system calls', () => {
  const profiles = (seccomp: string) =>
    (renderChart(RELEASE, { sites: { seccomp } }) as (Manifest & { spec: PodOwner })[])
      .filter(({ kind }) => kind === 'Deployment')
      .map(({ metadata, spec }) => [metadata.name, spec.template.spec.securityContext.seccompProfile]);
  const plain = { type: 'RuntimeDefault' };
  assert.deepEqual(Object.fromEntries(profiles('localhost/siteyard.json')), {
    'siteyard-api': plain,
    'siteyard-worker': plain,
    'siteyard-edge': plain,
    'siteyard-keeper': { type: 'Localhost', localhostProfile: 'siteyard.json' },
  });
  for (const [name, profile] of profiles('RuntimeDefault')) assert.deepEqual(profile, plain, String(name));
});

interface PodOwner {
  template: { spec: { securityContext: Record<string, unknown>; containers: { securityContext: object }[] } };
}

/** What a value of values.yaml is reached by; what is free to hold anything counts as one. */
function leavesOf(values: Record<string, unknown>, path: string[] = []): string[][] {
  return Object.entries(values).flatMap(([name, value]) => {
    const here = [...path, name];
    const isGroup =
      typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0;
    return isGroup ? leavesOf(value as Record<string, unknown>, here) : [here];
  });
}

function get(values: unknown, path: string[]): unknown {
  return path.reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], values);
}

function change(values: Record<string, unknown>, path: string[], value: unknown): void {
  let holder = values;
  for (const name of path.slice(0, -1)) {
    holder[name] ??= {};
    holder = holder[name] as Record<string, unknown>;
  }
  holder[path.at(-1) as string] = another(value, path);
}

function another(value: unknown, path: string[]): unknown {
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'number') return value + 1;
  if (Array.isArray(value)) return path.at(-1) === 'siteEgress' ? [{ cidr: '10.1.0.0/16', port: 9000 }] : [];
  if (typeof value === 'object') return { CHANGED: 'yes' };
  return `${value}-changed`;
}
