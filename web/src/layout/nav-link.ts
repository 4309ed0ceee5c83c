/** A line of a side bar. */
export const navLink =
  'flex h-8.5 any-pointer-coarse:h-11 items-center gap-2.5 rounded-lg px-2.5 font-medium text-muted text-sm hover:bg-raised hover:text-fg aria-[current=page]:bg-raised aria-[current=page]:text-fg [&_svg]:size-4 [&_svg]:shrink-0';

export const navHeading = 'px-2.5 pt-5 pb-1.5 font-medium text-muted text-xs';
