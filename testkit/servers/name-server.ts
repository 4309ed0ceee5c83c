import type { Answer, Question, SoaAnswer } from 'dns-packet';
import { type DnsResponse, type DnsServer, startDnsServer } from './dns-server.ts';

/**
 * A name server on loopback that answers for the zones it is given, and that nothing else exists. Like a resolver it follows
 * aliases across its zones; wildcards work as RFC 4592 has them.
 */
export interface NameServer extends DnsServer {
  /** Replaces the records of a zone. They are served when this resolves. */
  write(zone: string, records: string): Promise<void>;
}

/**
 * Records are lines of a zone file, `name type data`: A, AAAA, CNAME, NS and TXT. A name without a dot at its end is relative to the
 * zone, and `@` is the zone itself. No response is cached by anyone: its time to live is 0.
 */
export async function startNameServer(zones: Record<string, string> = {}): Promise<NameServer> {
  const served = new Map<string, ZoneRecord[]>([['', []]]);
  const writeZone = (zone: string, text: string) => void served.set(zone, parseZone(zone, text));
  for (const [zone, text] of Object.entries(zones)) writeZone(zone, text);
  const server = await startDnsServer((question) => resolveQuestion(served, question));
  return { ...server, write: async (zone, text) => writeZone(zone, text) };
}

const TYPES = ['A', 'AAAA', 'CNAME', 'NS', 'TXT'] as const;
const NAME_SERVER = 'ns.elsewhere.example';
const MAX_ALIASES = 8;

interface ZoneRecord {
  name: string;
  type: (typeof TYPES)[number];
  data: string | string[];
}

function parseZone(zone: string, text: string): ZoneRecord[] {
  const absolute = (name: string) => {
    if (name === '@') return zone;
    return name.endsWith('.') ? name.slice(0, -1) : `${name}.${zone}`;
  };
  const records = text.split('\n').filter((line) => line.trim() !== '');
  const parsed = records.map((line): ZoneRecord => {
    const [, name = '', word = '', data = ''] = /^(\S+)\s+([A-Z]+)\s+(.+?)\s*$/.exec(line) ?? [];
    const type = TYPES.find((each) => each === word);
    if (!type) throw new Error(`The test name server cannot read this record: ${line}`);
    const isName = type === 'CNAME' || type === 'NS';
    const texts = () => [...data.matchAll(/"([^"]*)"/g)].map(([, piece = '']) => piece);
    const value = type === 'TXT' ? texts() : isName ? absolute(data) : data;
    return { name: absolute(name).toLowerCase(), type, data: value };
  });
  // A zone has name servers of its own unless the test says whose they are.
  const hasServers = parsed.some(({ name, type }) => type === 'NS' && name === zone);
  return hasServers ? parsed : [...parsed, { name: zone, type: 'NS', data: NAME_SERVER }];
}

function resolveQuestion(zones: Map<string, ZoneRecord[]>, { name: asked, type }: Question): DnsResponse {
  const answers: Answer[] = [];
  let name = asked.toLowerCase().replace(/\.$/, '');
  for (let aliases = 0; ; aliases++) {
    const zone = zoneOf(zones, name);
    const records = zones.get(zone) ?? [];
    const owner = ownerOf(records, zone, name);
    const soa = startOfAuthority(zone);
    if (owner === undefined) return { rcode: 'NXDOMAIN', answers, authorities: [soa] };
    const ofName = records.filter((record) => record.name === owner);
    const found = ofName.filter((record) => record.type === type);
    const asAnswer = (record: ZoneRecord) =>
      ({ name: answers.length === 0 ? asked : name, ttl: 0, ...withoutName(record) }) as Answer;
    if (type === 'SOA' && name === zone) return { rcode: 'NOERROR', answers: [...answers, soa] };
    if (found.length > 0) return { rcode: 'NOERROR', answers: [...answers, ...found.map(asAnswer)] };
    const alias = ofName.find((record) => record.type === 'CNAME');
    if (!alias) return { rcode: 'NOERROR', answers, authorities: [soa] };
    answers.push(asAnswer(alias));
    // Aliases can lead in a circle.
    if (aliases === MAX_ALIASES) return { rcode: 'NOERROR', answers };
    name = String(alias.data).toLowerCase();
  }
}

const withoutName = ({ type, data }: ZoneRecord) => ({ type, data });

/** The name itself and all names above it, down to the root, which is the empty name. */
function selfAndAncestors(name: string): string[] {
  const labels = name.split('.');
  return labels.map((_, at) => labels.slice(at).join('.')).concat('');
}

const zoneOf = (zones: Map<string, unknown>, name: string) =>
  selfAndAncestors(name).find((each) => zones.has(each)) as string;

/** The name whose records are the ones of this name: itself, a wildcard, or none at all. */
function ownerOf(records: ZoneRecord[], zone: string, name: string): string | undefined {
  const exists = (each: string) =>
    each === zone || records.some((record) => record.name === each || record.name.endsWith(`.${each}`));
  if (exists(name)) return name;
  const closest = selfAndAncestors(name).find(exists);
  const wildcard = `*.${closest}`;
  return records.some((record) => record.name === wildcard) ? wildcard : undefined;
}

function startOfAuthority(zone: string): SoaAnswer {
  const times = { serial: 1, refresh: 60, retry: 60, expire: 60, minimum: 0 };
  return {
    name: zone || '.',
    type: 'SOA',
    ttl: 0,
    data: { mname: NAME_SERVER, rname: 'root.elsewhere.example', ...times },
  };
}
