import { useState } from 'react';
import type { Software } from '#sdk';
import type { Place } from '../../../api/sites.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Section } from '../../../ui/card.tsx';
import { Select } from '../../../ui/select.tsx';
import { callsOf, useSoftwareCall } from './software-queries.ts';

type VersionsProps = { place: Place; software: Software; disabled: boolean };

/** WordPress and PHP, side by side. */
export function Versions({ place, software, disabled }: VersionsProps) {
  const { core_version, core_versions, core_update, php_version, php_versions } = software;
  return (
    <div className="grid gap-6 md:grid-cols-2">
      <Version
        title="WordPress"
        field="core_version"
        version={core_version}
        versions={core_versions}
        newer={core_update}
        {...{ place, disabled }}
      />
      <Version
        title="PHP"
        field="php_version"
        version={php_version}
        versions={php_versions}
        newer={null}
        {...{ place, disabled }}
      />
    </div>
  );
}

type VersionProps = Omit<VersionsProps, 'software'> & {
  title: string;
  field: 'core_version' | 'php_version';
  version: string | null;
  versions: string[];
  newer: string | null;
};

function Version({ place, disabled, title, field, version, versions, newer }: VersionProps) {
  const [chosen, setChosen] = useState(version ?? '');
  const update = useSoftwareCall(place, callsOf(place).update);
  // A version that is kept no longer is still the one that the site has.
  const all = version && !versions.includes(version) ? [...versions, version] : versions;
  return (
    <Section
      title={title}
      description={
        all.length > 1 ? 'Pages are checked after a move, and a move that breaks one is rolled back.' : undefined
      }
      action={newer && <Badge tone="warn">{newer} is out</Badge>}
    >
      {all.length > 1 ? (
        <div className="flex flex-wrap gap-2">
          <Select
            aria-label={`Version of ${title}`}
            options={all.map((each) => ({ value: each, label: each, ...(each === version && { hint: 'Now' }) }))}
            value={chosen}
            onValueChange={setChosen}
            className="w-36"
          />
          <Button
            variant={newer && chosen === newer ? 'primary' : 'secondary'}
            pending={update.isPending}
            disabled={disabled || chosen === version}
            onClick={() => update.mutate({ [field]: chosen })}
          >
            Move to {chosen === version ? 'another version' : chosen}
          </Button>
        </div>
      ) : (
        <p>
          <span className="font-medium text-base tabular-nums">{version ?? 'Unknown'}</span>
          <span className="ml-2 text-muted">The one version that this server has.</span>
        </p>
      )}
    </Section>
  );
}
