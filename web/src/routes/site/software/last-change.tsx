import type { Software } from '#sdk';
import { Alert } from '../../../ui/alert.tsx';
import { Badge, type BadgeTone } from '../../../ui/badge.tsx';
import { Section } from '../../../ui/card.tsx';
import { CheckCircleIcon, WarningIcon } from '../../../ui/icons.ts';
import { ProgressBar } from '../../../ui/progress-bar.tsx';
import { Time } from '../../../ui/time.tsx';
import { failureOf, otherErrorsOf } from './change-errors.ts';

type Change = NonNullable<Software['change']>;

const outcomes: Record<Change['state'], { label: string; tone: BadgeTone }> = {
  running: { label: 'Running', tone: 'neutral' },
  kept: { label: 'Kept', tone: 'accent' },
  taken_back: { label: 'Rolled back', tone: 'warn' },
  failed: { label: 'Not done', tone: 'danger' },
};
/** As far as the work comes, by what the events call its steps. */
const steps = [
  'looking at its pages',
  'keeping it as it is',
  'changing it',
  'looking at its pages again',
  'taking it back',
];
const words = ['Looking at the pages', 'Taking a backup', 'Changing it', 'Checking the pages', 'Rolling back'];

/** How the newest change goes or went: what was done, what the pages answered, and what PHP said. */
export function LastChange({ change }: { change: Change }) {
  const { state, step, checks, php, created_at } = change;
  const failure = failureOf(change);
  const { label, tone } = outcomes[state];
  const at = Math.max(0, steps.indexOf(step ?? ''));
  return (
    <Section
      title={titleOf(change)}
      description={<Time iso={created_at} />}
      action={<Badge tone={tone}>{label}</Badge>}
    >
      <div className="grid gap-4" aria-live="polite">
        {state === 'running' && (
          <div className="grid gap-2">
            <p className="text-muted">{words[at]}…</p>
            <ProgressBar label="Change" percentage={Math.min(95, 10 + at * 25)} />
          </div>
        )}
        {failure && <Alert tone={state === 'taken_back' ? 'warn' : 'danger'}>{failure}</Alert>}
        {php.map((line) => (
          <pre
            key={line}
            className="overflow-x-auto whitespace-pre-wrap break-words rounded-lg bg-raised px-3.5 py-2.5 font-mono text-xs"
          >
            {line}
          </pre>
        ))}
        {otherErrorsOf(change).map(({ name, title, error }) => (
          <p key={name} className="text-danger-text">
            {title}: {error}
          </p>
        ))}
        {checks.length > 0 && state !== 'running' && state !== 'failed' && (
          <ul aria-label="Pages" className="flex flex-wrap gap-x-5 gap-y-1.5 text-muted text-xs">
            {checks.map((check) => (
              <Check key={check.page} check={check} />
            ))}
          </ul>
        )}
      </div>
    </Section>
  );
}

function Check({ check: { page, before, after } }: { check: Change['checks'][number] }) {
  const isFine = after !== null && (after < 400 || after === before);
  return (
    <li className="inline-flex items-center gap-1.5">
      {isFine ? <CheckCircleIcon className="text-accent-text" /> : <WarningIcon className="text-warn-text" />}
      <span className="first-letter:uppercase">{page}</span>
      <span className="tabular-nums">{isFine ? after : `${before ?? 'no answer'} → ${after ?? 'no answer'}`}</span>
    </li>
  );
}

const did: Record<Change['changes'][number]['action'], string> = {
  update: 'Update of',
  activate: 'Activation of',
  deactivate: 'Deactivation of',
  delete: 'Deletion of',
  install: 'Installation of',
};

function titleOf({ changes }: Change): string {
  const [first] = changes;
  if (!first) return 'Last change';
  const more = changes.length > 1 ? ` and ${changes.length - 1} more` : '';
  const to = first.action === 'update' && first.to ? ` to ${first.to}` : '';
  return `${did[first.action]} ${first.title}${to}${more}`;
}
