import type { ClaimRecord } from '../api/domain-claims.ts';
import { Alert } from '../ui/alert.tsx';
import { CopyLine } from '../ui/copy-line.tsx';

/** The TXT record that proves a domain to be one's own. */
export function ClaimLines({ claim }: { claim: ClaimRecord }) {
  return (
    <dl className="grid gap-3">
      <div className="grid gap-1.5">
        <dt className="text-muted text-xs">Name of the TXT record</dt>
        <dd>
          <CopyLine text={claim.name} label="Copy the name of the record" />
        </dd>
      </div>
      <div className="grid gap-1.5">
        <dt className="text-muted text-xs">Its value</dt>
        <dd>
          <CopyLine text={claim.value} label="Copy the value of the record" />
        </dd>
      </div>
    </dl>
  );
}

/** Shown where a name was refused because another team has or had it. */
export function ClaimNote({ claim }: { claim: ClaimRecord | undefined }) {
  if (!claim) return null;
  return (
    <div className="grid gap-3" role="status">
      <Alert tone="warn">
        Is the domain yours? Publish this record where its DNS is kept, wait a few minutes, and try again. A site of
        another team that uses the domain gets a name of the platform instead.
      </Alert>
      <ClaimLines claim={claim} />
    </div>
  );
}
