import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { Site, Software } from '#sdk';
import { useMe } from '../../../api/session.ts';
import { obstaclesOf } from '../../../api/site-rights.ts';
import type { Place } from '../../../api/sites.ts';
import { BlockedNote } from '../../../layout/blocked-note.tsx';
import { Loaded } from '../../../layout/loaded.tsx';
import { Alert } from '../../../ui/alert.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { ReopenIcon } from '../../../ui/icons.ts';
import { SkeletonRows } from '../../../ui/skeleton.tsx';
import { Time } from '../../../ui/time.tsx';
import { LastChange } from './last-change.tsx';
import { SiteHealth } from './site-health.tsx';
import { ExtensionList } from './software-list.tsx';
import { callsOf, softwareQuery, useSoftwareCall } from './software-queries.ts';
import { Versions } from './software-versions.tsx';

/** What a site or its stage runs, and what can be made newer of it. */
export function SiteSoftware({ site, isStage = false }: { site: Site; isStage?: boolean }) {
  const place = { fqdn: site.fqdn, stage: isStage };
  const query = useQuery(softwareQuery(place));
  return (
    <Loaded
      query={query}
      loading={
        <Card>
          <SkeletonRows />
        </Card>
      }
    >
      {(software) => <SoftwareView site={site} place={place} software={software} />}
    </Loaded>
  );
}

function SoftwareView({ site, place, software }: { site: Site; place: Place; software: Software }) {
  const obstacle = obstaclesOf(site, useMe()).change;
  const disabled = obstacle !== undefined || software.change?.state === 'running';
  const check = useSoftwareCall(place, callsOf(place).check);
  const update = useSoftwareCall(place, callsOf(place).update);
  // Nobody has asked before: whoever opens the page wants to know.
  const isFirst = useRef(software.checked_at === null && !disabled);
  useEffect(() => {
    if (!isFirst.current) return;
    isFirst.current = false;
    check.mutate();
  }, [check.mutate]);
  const { updates_waiting: waiting, checked_at, problem } = software;
  return (
    <div className="grid gap-6">
      {software.change?.state !== 'running' && <BlockedNote reason={obstacle} />}
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="text-muted" aria-live="polite">
          {check.isPending ? (
            'Asking WordPress what it runs…'
          ) : checked_at ? (
            <>
              {waiting === 0
                ? 'Everything is up to date.'
                : `${waiting} ${waiting === 1 ? 'update' : 'updates'} waiting.`}{' '}
              Checked <Time iso={checked_at} />.
            </>
          ) : (
            'WordPress has not been asked yet.'
          )}
        </p>
        <div className="flex flex-wrap gap-2">
          <Button variant="secondary" pending={check.isPending} disabled={disabled} onClick={() => check.mutate()}>
            <ReopenIcon /> Check again
          </Button>
          {waiting > 0 && (
            <Button pending={update.isPending} disabled={disabled || check.isPending} onClick={() => update.mutate({})}>
              Update all
            </Button>
          )}
        </div>
      </div>
      {problem && <Alert tone="warn">{problem}</Alert>}
      {software.change && <LastChange change={software.change} />}
      <Versions key={`${software.core_version} ${software.php_version}`} {...{ place, software, disabled }} />
      {checked_at === null ? (
        check.isPending && (
          <Card>
            <SkeletonRows />
          </Card>
        )
      ) : (
        <>
          <ExtensionList kind="plugin" {...{ place, software, disabled }} />
          <ExtensionList kind="theme" {...{ place, software, disabled }} />
          <SiteHealth notes={software.health} />
        </>
      )}
    </div>
  );
}
