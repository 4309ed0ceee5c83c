import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { type Functions, isTrue, Templates, type Value } from './go-template.ts';

export const CHART = join(import.meta.dirname, '../../deploy/helm');

export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string };
  [field: string]: unknown;
}
type Values = { [name: string]: unknown };

/** The words of Helm's own that the chart uses, besides those of Go. */
const FUNCTIONS: Functions = {
  trimPrefix: (prefix, value) => {
    const [start, text] = [String(prefix), String(value)];
    return text.startsWith(start) ? text.slice(start.length) : text;
  },
  quote: (value) => JSON.stringify(String(value ?? '')),
  toYaml: (value) => yamlOf(value).trimEnd(),
  nindent: (width, text) => `\n${indented(Number(width), String(text))}`,
  default: (otherwise, value) => (isTrue(value) ? value : otherwise),
  required: (message, value) => {
    if (value === undefined || value === null || value === '') throw new Error(String(message));
    return value;
  },
  eq: (first, ...others) => others.some((other) => other === first),
  and: (...all) => all.find((value) => !isTrue(value)) ?? all.at(-1),
  or: (...all) => all.find(isTrue) ?? all.at(-1),
  not: (value) => !isTrue(value),
  list: (...items) => items,
  dict: (...pairs) => {
    const entries: [string, Value][] = [];
    for (let at = 0; at < pairs.length; at += 2) entries.push([String(pairs[at]), pairs[at + 1]]);
    return Object.fromEntries(entries);
  },
  index: (of, key) => (of as Values)[String(key)],
  // Helm reads every number as one with a fraction and would write a million as 1e+06.
  int: (value) => Math.trunc(Number(value)),
};

/** Kubernetes reads YAML 1.1, in which `on` is no text. */
export function yamlOf(value: unknown): string {
  return stringify(value, { lineWidth: 0, version: '1.1' });
}

function indented(width: number, text: string): string {
  return text.replaceAll(/^/gm, ' '.repeat(width));
}

interface Release {
  name: string;
  namespace: string;
}

/** Every object of the chart, as `helm template` writes them, for a release with these values over those of the chart. */
export function renderChart(release: Release, values: Values = {}): Manifest[] {
  return Object.entries(renderTexts(release, values)).flatMap(([file, text]) => objectsOf(file, text));
}

/** What each template says, by the name of its file. */
export function renderTexts(release: Release, values: Values = {}): Record<string, string> {
  const { templates } = readChart();
  const dot = dotOf(release, values);
  const files = templates.names.filter((file) => file.endsWith('.yaml'));
  return Object.fromEntries(files.map((file) => [file, templates.render(file, dot)]));
}

/** What templates see. */
export function dotOf(release: Release, values: Values) {
  const { own, chart } = readChart();
  return {
    Values: merged(own, values),
    Release: { Name: release.name, Namespace: release.namespace, Service: 'Helm' },
    Chart: { Name: chart.name, Version: chart.version, AppVersion: chart.appVersion },
  };
}

let kept: { templates: Templates; own: Values; chart: Values } | undefined;

function readChart() {
  const read = (...path: string[]) => readFileSync(join(CHART, ...path), 'utf8');
  const names = () => readdirSync(join(CHART, 'templates')).sort();
  kept ??= {
    templates: new Templates(Object.fromEntries(names().map((name) => [name, read('templates', name)])), FUNCTIONS),
    own: parse(read('values.yaml')) as Values,
    chart: parse(read('Chart.yaml')) as Values,
  };
  return kept;
}

export function objectsOf(file: string, text: string): Manifest[] {
  return parseAllDocuments(text).flatMap((document) => {
    const [fault] = document.errors;
    if (fault) throw new Error(`${file}: ${fault.message}`);
    const object = document.toJS() as Manifest | null;
    return object ? [object] : [];
  });
}

/** As Helm lays one file of values over another: maps together, whatever else instead. */
function merged(under: Values, over: Values): Values {
  const result = { ...under };
  for (const [name, value] of Object.entries(over)) {
    const before = result[name];
    result[name] = isMap(before) && isMap(value) ? merged(before, value) : value;
  }
  return result;
}

function isMap(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const HEAD = `# Siteyard on Kubernetes without Helm: deploy/helm with its own values. Made by npm run gen; change the chart, not this file.
# Set image and the ConfigMap to yours (kubectl kustomize does), make both Secrets (deploy/helm/values.yaml says how), then
# kubectl apply -f siteyard.yaml
`;
/** What others stand on comes first, as with Helm. */
const FIRST = ['Namespace', 'PriorityClass', 'NetworkPolicy', 'ResourceQuota', 'ServiceAccount', 'Secret', 'ConfigMap'];

/** One file for `kubectl apply -f`, for those who do without Helm. */
export function plainManifests(): string {
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'siteyard' } };
  const manifests = [namespace, ...renderChart({ name: 'siteyard', namespace: 'siteyard' })];
  const sorted = manifests.toSorted((a, b) => rank(a) - rank(b));
  return HEAD + sorted.map((manifest) => `---\n${yamlOf(manifest)}`).join('');
}

function rank({ kind }: Manifest): number {
  const at = FIRST.indexOf(kind);
  return at === -1 ? FIRST.length : at;
}
