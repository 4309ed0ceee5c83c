/** Four plots of a yard; the two full ones read as an S. The same drawing is public/favicon.svg. */
function LogoMark({ className }: { className?: string }) {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true" className={className}>
      <rect width="32" height="32" rx="8" className="fill-accent" />
      <g className="fill-accent-fg">
        <rect x="7" y="7" width="11" height="8" rx="2" />
        <rect x="20" y="7" width="5" height="8" rx="2" opacity="0.55" />
        <rect x="7" y="17" width="5" height="8" rx="2" opacity="0.55" />
        <rect x="14" y="17" width="11" height="8" rx="2" />
      </g>
    </svg>
  );
}

export function Logo() {
  return (
    <span className="inline-flex items-center gap-2.5 font-semibold text-[0.95rem] tracking-tight">
      <LogoMark className="size-6.5" />
      Siteyard
    </span>
  );
}
