/** More than these would make one site as high as ten. */
const MOST = 4;

/** What the team has written on a site. */
export function SiteLabels({ labels }: { labels: string[] }) {
  if (labels.length === 0) return null;
  // Never one in the place of one.
  const shown = labels.length > MOST ? labels.slice(0, MOST - 1) : labels;
  const rest = labels.slice(shown.length);
  return (
    <ul aria-label="Labels" className="flex min-w-0 flex-wrap gap-1">
      {shown.map((label) => (
        <li key={label} className="max-w-full truncate rounded-md bg-raised px-1.5 text-muted text-xs leading-5">
          {label}
        </li>
      ))}
      {rest.length > 0 && (
        <li title={rest.join(', ')} className="rounded-md px-1 text-muted text-xs leading-5">
          +{rest.length}
          <span className="sr-only"> more: {rest.join(', ')}</span>
        </li>
      )}
    </ul>
  );
}
