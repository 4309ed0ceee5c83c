/** What the team has written on a site. */
export function SiteLabels({ labels }: { labels: string[] }) {
  if (labels.length === 0) return null;
  return (
    <ul aria-label="Labels" className="flex min-w-0 flex-wrap gap-1">
      {labels.map((label) => (
        <li key={label} className="max-w-full truncate rounded-md bg-raised px-1.5 text-muted text-xs leading-5">
          {label}
        </li>
      ))}
    </ul>
  );
}
