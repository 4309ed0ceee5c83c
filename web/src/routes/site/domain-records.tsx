import type { VerifiedDomain } from '#sdk';
import { Alert } from '../../ui/alert.tsx';
import { Badge } from '../../ui/badge.tsx';
import { CopyLine } from '../../ui/copy-line.tsx';

export type DomainRecord = VerifiedDomain['records'][number];

/** What records must say and what they say, with a sentence above. */
export function DomainRecords({ records, note }: { records: DomainRecord[]; note?: string | undefined }) {
  const isRight = records.every(({ ok }) => ok);
  if (note) return <Alert tone="warn">{note}</Alert>;
  return (
    <div className="grid gap-4">
      <div role="status">
        <Alert tone={isRight ? 'success' : 'warn'}>{isRight ? 'All records are right.' : advice(records)}</Alert>
      </div>
      {records.length > 0 && (
        <ul className="divide-y divide-line rounded-lg border border-line">
          {records.map((record) => (
            <RecordRow key={`${record.type} ${record.name}`} record={record} />
          ))}
        </ul>
      )}
    </div>
  );
}

function advice(records: DomainRecord[]): string {
  const wrong = records.filter(({ ok }) => !ok).length;
  return `${wrong === 1 ? 'One record is' : `${wrong} records are`} not right yet. Changes can take a while to be seen everywhere.`;
}

function RecordRow({ record: { type, name, expected, found, ok } }: { record: DomainRecord }) {
  return (
    <li className="grid gap-3 p-4">
      <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-2">
        <Badge>{type}</Badge>
        <code className="min-w-0 break-all font-mono text-sm max-sm:order-last max-sm:w-full sm:flex-1">{name}</code>
        <Badge tone={ok ? 'accent' : 'warn'}>{ok ? 'Right' : 'Not right'}</Badge>
      </div>
      <dl className="grid gap-3">
        <div className="grid gap-1.5">
          <dt className="text-muted text-xs">Must be</dt>
          <dd>
            {expected === '' ? <Unsaid type={type} /> : <CopyLine text={expected} label={`Copy the ${type} record`} />}
          </dd>
        </div>
        {!ok && (
          <div className="grid gap-1.5">
            <dt className="text-muted text-xs">Is now</dt>
            <dd className="break-all font-mono text-xs">
              {found.length > 0 ? found.join(', ') : <span className="font-sans text-muted">Not there</span>}
            </dd>
          </div>
        )}
      </dl>
    </li>
  );
}

/** A key that only members see, or a record that must go. */
function Unsaid({ type }: { type: DomainRecord['type'] }) {
  const text = type === 'TXT' ? 'Only members, admins and the owner see it.' : 'No such record: remove it.';
  return <span className="text-muted text-sm">{text}</span>;
}
