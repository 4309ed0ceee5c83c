import { useMutation } from '@tanstack/react-query';
import type { Site } from '#sdk';
import { useMe } from '../../api/session.ts';
import { obstaclesOf } from '../../api/site-rights.ts';
import { propertiesOf } from '../../api/sites.ts';
import { BlockedNote } from '../../layout/blocked-note.tsx';
import { Section } from '../../ui/card.tsx';
import { Figures } from '../../ui/figures.tsx';
import { messageOf } from '../../ui/form.tsx';
import { formatBytes, formatCount, formatRatio } from '../../ui/format.ts';
import { Switch } from '../../ui/switch.tsx';
import { toast } from '../../ui/toast.tsx';
import { ClearCacheButton } from './site-care.tsx';
import { useSiteChange } from './site-changes.ts';

export function SiteCache({ site }: { site: Site }) {
  const { cdn } = propertiesOf(site);
  const change = useSiteChange(site);
  const obstacle = obstaclesOf(site, useMe()).change;
  const setDevMode = useMutation({
    mutationFn: (cdn_dev_mode_enabled: boolean) => change({ cdn_dev_mode_enabled }),
    onSuccess: (changed) =>
      toast.success(
        propertiesOf(changed).cdn.dev_mode_enabled ? 'The cache is bypassed.' : 'The cache is back in use.',
      ),
    onError: (error) => toast.error(messageOf(error)),
  });
  return (
    <div className="grid gap-6">
      <BlockedNote reason={obstacle} />
      <Figures
        figures={[
          { name: 'Hit ratio', value: formatRatio(cdn.cache_hit_ratio), hint: 'of the pages this cycle' },
          { name: 'Pages kept', value: formatCount(cdn.cache_objects), hint: formatBytes(cdn.cache_bytes) },
          { name: 'Bandwidth', value: formatBytes(site.current_cycle_bandwidth), hint: 'this cycle' },
          { name: 'Saved', value: formatBytes(cdn.bandwidth_saved), hint: 'came from the cache' },
        ]}
      />
      <Section
        title="Cache"
        description="Pages for visitors who are not signed in. WordPress renews them when you publish."
        action={<ClearCacheButton site={site} />}
      >
        <Switch
          label="Development mode"
          hint="Every request goes to WordPress, so that you see each change at once. The site is slower meanwhile."
          checked={cdn.dev_mode_enabled}
          onCheckedChange={(next) => setDevMode.mutate(next)}
          disabled={obstacle !== undefined || setDevMode.isPending}
        />
      </Section>
    </div>
  );
}
