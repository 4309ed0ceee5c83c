import { useState } from 'react';
import type { Region, Team } from '#sdk';
import { useCurrentTeam } from '../../api/current-team.ts';
import { placeOf } from '../../api/regions.ts';
import { useMe } from '../../api/session.ts';
import { Field } from '../../ui/field.tsx';
import { Select } from '../../ui/select.tsx';

/** Whose a new site is, and where. */
export function usePlace(teams: Team[], regions: Region[], initialTeam: string | undefined) {
  const me = useMe();
  const current = useCurrentTeam()?.id;
  const [team_id, setTeamId] = useState(() => firstTeam(teams, initialTeam ?? current)?.id ?? '');
  const [region_name, setRegionName] = useState(() => firstRegion(regions, me.default_region)?.name ?? '');
  const team = teams.find(({ id }) => id === team_id);
  const region = regions.find(({ name }) => name === region_name);
  return { chosen: { team_id, region_name }, team, region, setTeamId, setRegionName };
}

type PlaceFieldsProps = { place: ReturnType<typeof usePlace>; teams: Team[]; regions: Region[] };

/** Asked only where there is a choice. */
export function PlaceFields({ place: { chosen, setTeamId, setRegionName }, teams, regions }: PlaceFieldsProps) {
  return (
    <>
      {teams.length > 1 && (
        <Field name="team_id" label="Team">
          <Select
            options={teams.map(({ id, name: label }) => ({ value: id, label }))}
            value={chosen.team_id}
            onValueChange={setTeamId}
            required
          />
        </Field>
      )}
      {regions.length > 1 && (
        <Field name="region_name" label="Region">
          <Select
            options={regions.map((region) => ({ value: region.name, label: placeOf(region) }))}
            value={chosen.region_name}
            onValueChange={setRegionName}
            required
          />
        </Field>
      )}
    </>
  );
}

/** The account's own choice, else the platform's first. */
function firstRegion(regions: Region[], wanted: string | null): Region | undefined {
  return regions.find(({ name }) => name === wanted) ?? regions[0];
}

/** The one asked for, or the one that the dashboard is about, or the caller's own, or any. */
function firstTeam(teams: Team[], wanted: string | undefined): Team | undefined {
  return teams.find(({ id }) => id === wanted) ?? teams.find(({ role }) => role === 'owner') ?? teams[0];
}
