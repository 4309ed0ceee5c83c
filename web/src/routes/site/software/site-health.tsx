import type { Software } from '#sdk';
import { Badge } from '../../../ui/badge.tsx';
import { Section } from '../../../ui/card.tsx';

/** What WordPress itself would have mended. */
export function SiteHealth({ notes }: { notes: Software['health'] }) {
  return (
    <Section title="Site Health" description="What WordPress itself finds worth mending." flush={notes.length > 0}>
      {notes.length === 0 ? (
        <p className="text-muted">Nothing to mend.</p>
      ) : (
        <ul aria-label="Site Health" className="divide-y divide-line">
          {notes.map(({ level, title, text }) => (
            <li key={title} className="grid gap-1 px-5 py-3">
              <div className="flex flex-wrap items-center gap-2">
                <p className="font-medium">{title}</p>
                <Badge tone={level === 'critical' ? 'danger' : 'warn'}>
                  {level === 'critical' ? 'Critical' : 'Recommended'}
                </Badge>
              </div>
              <p className="max-w-3xl text-muted">{text}</p>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
