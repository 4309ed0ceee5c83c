/**
 * NetworkPolicies on a node, as rules of iptables: for each pod here that a policy is about, what may come in and what may go out, and nothing else. Debian has no network
 * plugin that does this. A change is in force a moment after it is known. Takes the folder of the run and the node's name.
 */
import { execFileSync } from 'node:child_process';
import { openApi } from './api.mjs';

const [run, node] = process.argv.slice(2);
const { follow } = openApi(run, 'test-policies');
const CHAINS = { Egress: 'SY-OUT', Ingress: 'SY-IN' };
/** Allowed so far, while exceptions are looked at. kube-proxy has other bits. */
const MARK = '0x100000';
const known = { pods: new Map(), namespaces: new Map(), policies: new Map() };
let applied = '';
let timer;

const selects = ({ matchLabels = {}, matchExpressions = [] }, labels = {}) =>
  Object.entries(matchLabels).every(([name, value]) => labels[name] === value) &&
  matchExpressions.every(({ key, operator, values = [] }) => {
    if (operator === 'In') return values.includes(labels[key]);
    if (operator === 'NotIn') return !values.includes(labels[key]);
    return key in labels === (operator === 'Exists');
  });

/** The addresses of a peer, each as arguments of a rule and those that are not meant. */
function addressesOf({ ipBlock, namespaceSelector, podSelector = {} }, namespace) {
  if (ipBlock) return [{ address: ipBlock.cidr, except: ipBlock.except ?? [] }];
  const isThere = (pod) =>
    namespaceSelector
      ? selects(namespaceSelector, known.namespaces.get(pod.metadata.namespace)?.metadata.labels)
      : pod.metadata.namespace === namespace;
  return [...known.pods.values()]
    .filter((pod) => pod.status.podIP && isThere(pod) && selects(podSelector, pod.metadata.labels))
    .map((pod) => ({ address: pod.status.podIP, except: [] }));
}

function portsOf(ports, pod) {
  if (!ports) return [''];
  return ports.flatMap(({ protocol = 'TCP', port }) => {
    const declared = pod.spec.containers.flatMap((container) => container.ports ?? []);
    const number = typeof port === 'string' ? declared.find(({ name }) => name === port)?.containerPort : port;
    if (port !== undefined && number === undefined) return [];
    const kind = protocol.toLowerCase();
    return [number === undefined ? `-p ${kind}` : `-p ${kind} -m ${kind} --dport ${number}`];
  });
}

/** What one pod may, in one direction; undefined where no policy says anything. */
function rulesOf(pod, direction, chain) {
  const { namespace, labels } = pod.metadata;
  const about = [...known.policies.values()].filter(
    ({ metadata, spec }) =>
      metadata.namespace === namespace && selects(spec.podSelector, labels) && spec.policyTypes.includes(direction),
  );
  if (about.length === 0) return undefined;
  const [side, peers] = direction === 'Ingress' ? ['-s', 'from'] : ['-d', 'to'];
  const rules = [`-A ${chain} -m conntrack --ctstate ESTABLISHED,RELATED -j RETURN`];
  for (const { spec } of about)
    for (const way of spec[direction.toLowerCase()] ?? [])
      for (const port of portsOf(way.ports, pod)) {
        const places = way[peers]
          ? way[peers].flatMap((peer) => addressesOf(peer, namespace))
          : [{ address: '0.0.0.0/0', except: [] }];
        for (const { address, except } of places) {
          if (except.length === 0) rules.push(`-A ${chain} ${side} ${address} ${port} -j RETURN`);
          else
            rules.push(
              `-A ${chain} -j MARK --set-xmark 0/${MARK}`,
              `-A ${chain} ${side} ${address} ${port} -j MARK --set-xmark ${MARK}/${MARK}`,
              ...except.map((each) => `-A ${chain} ${side} ${each} -j MARK --set-xmark 0/${MARK}`),
              `-A ${chain} -m mark --mark ${MARK}/${MARK} -j RETURN`,
            );
        }
      }
  return [...rules, `-A ${chain} -j DROP`];
}

/** All of it at one instant: iptables-restore takes the whole table or nothing. */
function apply() {
  const chains = [];
  const rules = [];
  for (const pod of known.pods.values()) {
    if (pod.spec.nodeName !== node || !pod.status.podIP || pod.spec.hostNetwork) continue;
    for (const [direction, trunk] of Object.entries(CHAINS)) {
      const chain = `${trunk}-${pod.metadata.uid.slice(0, 13)}`;
      const own = rulesOf(pod, direction, chain);
      if (!own) continue;
      chains.push(chain);
      rules.push(`-A ${trunk} ${direction === 'Ingress' ? '-d' : '-s'} ${pod.status.podIP} -j ${chain}`, ...own);
    }
  }
  const text = [
    '*filter',
    ...[...Object.values(CHAINS), ...chains].map((chain) => `:${chain} - [0:0]`),
    ...rules,
    'COMMIT\n',
  ].join('\n');
  if (text === applied) return;
  execFileSync('iptables-restore', ['--noflush'], { input: text, stdio: ['pipe', 'inherit', 'inherit'] });
  applied = text;
}

function later() {
  if (timer) return;
  timer = setTimeout(() => {
    timer = undefined;
    try {
      apply();
    } catch (error) {
      console.error(error.message);
      later();
    }
  }, 100);
}

function keep(map) {
  // A namespace is in none itself.
  const keyOf = ({ metadata: { namespace, name } }) => (namespace === undefined ? name : `${namespace}/${name}`);
  return {
    listed: (items) => {
      map.clear();
      for (const item of items) map.set(keyOf(item), item);
      later();
    },
    changed: (type, object) => {
      if (type === 'DELETED') map.delete(keyOf(object));
      else map.set(keyOf(object), object);
      later();
    },
  };
}

/** A node that comes back has the rules of before. */
function ensure(test, make) {
  try {
    execFileSync('iptables', test, { stdio: 'ignore' });
  } catch {
    execFileSync('iptables', make);
  }
}

// Before anything that kube-proxy says. What a pod asks of its own node does not go through FORWARD.
for (const chain of Object.values(CHAINS)) ensure(['-S', chain], ['-N', chain]);
for (const rule of [
  ['FORWARD', '-j', CHAINS.Ingress],
  ['FORWARD', '-j', CHAINS.Egress],
  ['INPUT', '-i', 'pods', '-j', CHAINS.Egress],
])
  ensure(['-C', ...rule], ['-I', ...rule]);

await Promise.all([
  follow('/api/v1/pods', keep(known.pods)),
  follow('/api/v1/namespaces', keep(known.namespaces)),
  follow('/apis/networking.k8s.io/v1/networkpolicies', keep(known.policies)),
]);
