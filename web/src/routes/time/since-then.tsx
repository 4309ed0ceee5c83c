import { useQuery } from '@tanstack/react-query';
import type { Place } from '../../api/sites.ts';
import { Loaded } from '../../layout/loaded.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { MomentIcon } from './moment-icon.tsx';
import { type Happened, happeningsQuery } from './moments.ts';

/** The parts of WordPress that people know, in the order of its own menu. */
const groups: { title: string; kinds: Happened['kind'][] }[] = [
  { title: 'Posts and pages', kinds: ['content'] },
  { title: 'Media', kinds: ['media'] },
  { title: 'Comments', kinds: ['comment'] },
  { title: 'Orders', kinds: ['order'] },
  { title: 'Plugins and themes', kinds: ['core', 'plugin', 'theme'] },
  { title: 'Users', kinds: ['user'] },
  { title: 'Settings', kinds: ['setting'] },
  { title: 'Other files', kinds: ['file'] },
];

/** What became of the site from a minute until now. */
export function SinceThen({ place, point }: { place: Place; point: string }) {
  const query = useQuery(happeningsQuery(place, point));
  return (
    <section aria-label="What has changed since">
      <h3 className="mb-3 font-semibold">What has changed since</h3>
      <Loaded query={query} loading={<Skeleton className="h-32 rounded-lg" />}>
        {({ happened }) =>
          happened.length === 0 ? (
            <p className="text-muted">Nothing that WordPress would show: no post, plugin, comment, setting or user.</p>
          ) : (
            <div className="grid gap-x-8 gap-y-5 sm:grid-cols-2">
              {groups.map(({ title, kinds }) => {
                const ofGroup = happened.filter(({ kind }) => kinds.includes(kind));
                return ofGroup.length > 0 && <Group key={title} title={title} happened={ofGroup} />;
              })}
            </div>
          )
        }
      </Loaded>
    </section>
  );
}

const shown = 8;

function Group({ title, happened }: { title: string; happened: Happened[] }) {
  return (
    <section className="min-w-0">
      <h4 className="mb-1.5 font-medium text-muted text-xs">{title}</h4>
      <ul className="grid gap-1.5">
        {happened.slice(0, shown).map((each) => (
          <li key={each.text} className="flex items-center gap-2.5">
            <MomentIcon kind={each.kind} className="size-6" />
            <span className="min-w-0">{each.text}</span>
          </li>
        ))}
        {happened.length > shown && <li className="pl-8.5 text-muted">and {happened.length - shown} more</li>}
      </ul>
    </section>
  );
}
