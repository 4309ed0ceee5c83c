import type { Site } from '#sdk';
import { propertiesOf } from '../api/sites.ts';
import { Alert } from '../ui/alert.tsx';
import { Moment } from '../ui/time.tsx';

/** Says that minutes are missing from now on, and why. */
export function BackupWarning({ site, className }: { site: Site; className?: string }) {
  const { failing_since, failure } = propertiesOf(site).backup;
  if (failing_since === null) return null;
  return (
    <Alert tone="danger" className={className}>
      Backups have been failing since <Moment iso={failing_since} />
      {failure && `: ${failure}`}. They are tried again by themselves; older ones can still be restored.
    </Alert>
  );
}
