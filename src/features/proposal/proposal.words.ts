import type { Caller } from '#core/auth/caller.ts';
import { type Input, invoke } from '#core/http/invoke.ts';
import type { Operation } from '#core/http/operation.ts';
import { MASK, maskSecrets } from '#core/mask-secrets.ts';
import type { Services } from '#core/services.ts';

/** What somebody reads before they confirm. */
interface Words {
  description: string;
  preview: Record<string, unknown> | null;
}

/** A comparison that takes longer is left out: the proposal says then what it would do without it. */
const LOOK_MS = 25_000;
const MAX_PREVIEW = 20_000;

/** Operations that can be looked at before: what tells what they would do, and how that is put into words. */
const LOOKS: Record<string, { ask: string; input(input: Input): Partial<Input>; words(seen: never): string }> = {
  createPitRestore: {
    ask: 'previewPitRestore',
    input: ({ params, body }) => ({ ...(params && { params }), body: { ...body }, query: { size: 20 } }),
    words: (seen: Record<string, string | number | null>) => {
      const count = (name: string, noun: string) => `${seen[name] ?? 0} ${noun}`;
      const files = [
        count('num_files_restored', 'brought back as they were'),
        count('num_files_added', 'added again'),
        count('num_files_deleted', 'deleted'),
      ];
      const tables = [count('num_tables_restored', 'restored'), count('num_tables_deleted', 'deleted')];
      return `The backup of ${time(seen.backup_point)} is used. Files: ${files.join(', ')}. Tables: ${tables.join(', ')}. The site as it is now is kept: restoring ${time(seen.undo_point)} undoes this.`;
    },
  },
  commitStage: {
    ask: 'compareStage',
    input: ({ params }) => ({ ...(params && { params }), query: { size: 20 } }),
    words: ({ summary }: { summary: { text: string }[] }) =>
      summary.length > 0 ? `${summary.map(({ text }) => oneLine(text)).join('; ')}.` : 'Nothing is different.',
  },
  updateSite: {
    ask: 'getSite',
    input: ({ params }) => ({ ...(params && { params }) }),
    words: () => '',
  },
};

/** What a call would do: the operation's own sentence with what it is given, and what a look at it found. */
export async function describeCall(
  services: Services,
  caller: Caller,
  operation: Operation,
  input: Input,
): Promise<Words> {
  const look = await lookAt(services, caller, operation, input);
  const before = operation.id === 'updateSite' ? look?.seen : undefined;
  const said = [`${operation.summary}.`, givenIn(input, before), look?.words ?? ''];
  return { description: said.filter(Boolean).join(' '), preview: before ? null : (look?.preview ?? null) };
}

async function lookAt(services: Services, caller: Caller, { id }: Operation, input: Input) {
  const look = LOOKS[id];
  const operation = look && services.operations.get(look.ask);
  if (!look || !operation) return undefined;
  const { ip, within } = input;
  const signal = AbortSignal.any([AbortSignal.timeout(LOOK_MS), ...(input.signal ? [input.signal] : [])]);
  const { status, body } = await invoke(services, operation, caller, {
    ...look.input(input),
    ip,
    signal,
    within: { ...within, scopes: ['plan'] },
  });
  if (status !== 200) return undefined;
  const seen = maskSecrets(body) as Record<string, unknown>;
  const fits = JSON.stringify(seen).length <= MAX_PREVIEW;
  const { changes: _changes, ...short } = seen;
  return { seen, words: look.words(seen as never), preview: fits ? seen : short };
}

/** "fqdn: blog.example.com, cache: true (now: false)": what the call is given, and what it takes the place of. */
function givenIn({ params, query, body }: Input, before: Record<string, unknown> | undefined): string {
  const given = maskSecrets({ ...params, ...query, ...body }) as Record<string, unknown>;
  const parts = Object.entries(given).map(([name, value]) => {
    const now = before && name in before && !(name in (params ?? {})) ? ` (now: ${shown(before[name])})` : '';
    return `${name}: ${shown(value)}${now}`;
  });
  return parts.length > 0 ? `With ${parts.join(', ')}.` : '';
}

const MAX_SHOWN = 300;

/** A value on one line; what is in it came from whoever asked, and may try to look like words of ours. */
function shown(value: unknown): string {
  if (value === MASK) return MASK;
  const text = oneLine(typeof value === 'string' ? `“${value}”` : JSON.stringify(value));
  return text.length > MAX_SHOWN
    ? `${text.slice(0, MAX_SHOWN)}… (${text.length - MAX_SHOWN} more characters, which the input shows)`
    : text;
}

/** Nothing that is not seen: it could turn the words around, or hide between them. */
const oneLine = (text: string) => text.replaceAll(/\p{C}+/gu, ' ');

function time(moment: unknown): string {
  return typeof moment === 'string' ? `${moment.slice(0, 19).replace('T', ' ')} UTC` : 'an unknown moment';
}
