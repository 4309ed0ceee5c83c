import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Site } from '#sdk';
import { api } from '../../api/client.ts';
import { useMe } from '../../api/session.ts';
import { obstaclesOf } from '../../api/site-rights.ts';
import { Section } from '../../ui/card.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, SubmitButton } from '../../ui/form.tsx';
import { Input } from '../../ui/input.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import type { Minute } from './backups.ts';
import { BreakOutcome } from './break-outcome.tsx';

type FindBreakProps = { site: Site; onChoose: (minute: Minute) => void };

const LOOK_AGAIN_MS = 1_500;

/** For whoever sees that a page is broken and does not know since when. */
export function FindBreak({ site, onChoose }: FindBreakProps) {
  const { fqdn } = site;
  const [textIs, setTextIs] = useState<'present' | 'absent'>('present');
  const [searchId, setSearchId] = useState<string>();
  const obstacle = obstaclesOf(site, useMe()).change;
  const search = useQuery({
    queryKey: ['break-search', searchId],
    queryFn: ({ signal }) => api.getBreakSearch({ params: { fqdn, break_search_id: searchId as string }, signal }),
    enabled: searchId !== undefined,
    refetchInterval: ({ state }) => (state.data && state.data.state !== 'searching' ? false : LOOK_AGAIN_MS),
  });

  async function submit({ path = '/', text = '' }: Record<string, string>) {
    const body = { path: path.trim() || '/', ...(text.trim() && { text: text.trim(), text_is: textIs }) };
    setSearchId((await api.createBreakSearch({ params: { fqdn }, body })).id);
  }

  return (
    <Section
      title="Find when it broke"
      description="Say what is wrong with a page. We open copies of earlier minutes until we find the one in which it broke: about ten copies are enough for hundreds of minutes. Your site stays as it is."
    >
      <Form submit={submit}>
        <div className="grid gap-5 sm:grid-cols-2">
          <Field name="path" label="Page" hint="Its path. The front page is /." disabled={obstacle !== undefined}>
            <Input defaultValue="/" autoComplete="off" spellcheck={false} />
          </Field>
          <Field
            name="text"
            label="Text"
            optional
            hint="Leave it empty to look for pages that answer with an error."
            disabled={obstacle !== undefined}
          >
            <Input autoComplete="off" placeholder="Fresh rye" />
          </Field>
        </div>
        <div className="flex flex-wrap items-center justify-between gap-3">
          <Segmented
            label="Where the text belongs"
            value={textIs}
            onChange={(next) => setTextIs(next as typeof textIs)}
            options={[
              { value: 'present', label: 'Should be there' },
              { value: 'absent', label: 'Should not be there' },
            ]}
          />
          <SubmitButton variant="secondary" disabled={obstacle !== undefined || search.data?.state === 'searching'}>
            Find the minute
          </SubmitButton>
        </div>
      </Form>
      {search.data && <BreakOutcome site={site} search={search.data} onChoose={onChoose} />}
    </Section>
  );
}
