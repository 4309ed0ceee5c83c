import { useState } from 'react';
import type { RestorePoint, Site, SiteMoment } from '#sdk';
import { atLeast } from '../../api/roles.ts';
import { useMe } from '../../api/session.ts';
import { obstaclesOf } from '../../api/site-rights.ts';
import { BlockedNote } from '../../layout/blocked-note.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { FlagIcon, HistoryIcon } from '../../ui/icons.ts';
import { Moment, Time } from '../../ui/time.tsx';
import type { Minute } from './backups.ts';
import { MinuteMenu } from './minute-menu.tsx';
import { textOf } from './moments.ts';
import { OpenPreview } from './open-preview.tsx';
import { RawChanges } from './raw-changes.tsx';
import { SinceThen } from './since-then.tsx';
import { ThenAndNow } from './then-and-now.tsx';

type ChosenMinuteProps = {
  site: Site;
  stage: boolean;
  minute: Minute;
  newest: Minute | undefined;
  moments: SiteMoment[];
  name: RestorePoint | undefined;
  onRestore: () => void;
};

/** One minute: what it brought, the site then beside the site now, what has changed since, and the way back. */
export function ChosenMinute({ site, stage, minute, newest, moments, name, onRestore }: ChosenMinuteProps) {
  const obstacle = obstaclesOf(site, useMe()).change;
  const [opened, setOpened] = useState<string>();
  const { backup } = minute;
  const point = backup.created_at;
  const place = { fqdn: site.fqdn, stage };
  const isMember = atLeast(site.team.role, 'member');
  return (
    <Card>
      <header className="flex flex-wrap items-start justify-between gap-4 border-line border-b px-5 py-4">
        <div className="min-w-0 flex-1 basis-64">
          <h2 className="flex flex-wrap items-center gap-x-2.5 gap-y-1 font-semibold text-base">
            <Moment iso={point} />
            {name && (
              <Badge tone="accent">
                <FlagIcon className="size-3" /> {name.name}
              </Badge>
            )}
          </h2>
          <p className="mt-0.5 text-muted">
            <Time iso={point} />
            {moments.length > 0 && ` · ${moments.map(textOf).join(' · ')}`}
          </p>
        </div>
        {isMember && (
          <div className="flex flex-wrap gap-2">
            <Button disabled={site.busy !== null} onClick={onRestore}>
              <HistoryIcon /> Restore …
            </Button>
            <OpenPreview site={site} stage={stage} point={point} />
            <MinuteMenu site={site} stage={stage} point={point} name={name} />
          </div>
        )}
      </header>
      <div className="grid grid-cols-1 gap-6 p-5">
        {!isMember && <BlockedNote reason={obstacle} />}
        {!backup.is_consistent && (
          <p className="text-muted">
            Files were changing all the time, so files and database of this minute may be some moments apart.
          </p>
        )}
        {isMember && newest && (
          <ThenAndNow
            key={`frames ${backup.id}`}
            site={site}
            stage={stage}
            then={point}
            now={newest.backup.created_at}
            isOpen={opened === backup.id}
            onOpen={() => setOpened(backup.id)}
          />
        )}
        <SinceThen place={place} point={point} />
        {isMember && (
          <RawChanges
            key={`raw ${backup.id}`}
            site={site}
            wish={{
              restore_point: point,
              restore_db: true,
              restore_cms_content: true,
              delete_extra_files: false,
              for_stage_site: stage,
            }}
          />
        )}
      </div>
    </Card>
  );
}
