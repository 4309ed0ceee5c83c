import type { ComponentProps } from 'react';
import { cx } from './cx.ts';

type IconProps = ComponentProps<'svg'>;

/** A decorative 24-unit stroke drawing. What it means is always said in text or in the label of its button. */
function Stroke({ className, ...props }: IconProps) {
  return (
    <svg
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.75"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
      className={cx('size-4 shrink-0', className)}
      {...props}
    />
  );
}

export const ActivityIcon = (props: IconProps) => (
  <Stroke {...props}>
    <path d="M3 12h4l3 8 4-16 3 8h4" />
  </Stroke>
);
export const TeamsIcon = (props: IconProps) => (
  <Stroke {...props}>
    <circle cx="9" cy="8" r="3.5" />
    <path d="M2.5 20c.5-3.6 3-5.5 6.5-5.5S15 16.4 15.5 20M16 4.8a3.5 3.5 0 0 1 0 6.4M18 15c2 .7 3.2 2.4 3.5 5" />
  </Stroke>
);
export const TicketsIcon = (props: IconProps) => (
  <Stroke {...props}>
    <path d="M20 4H4a1.5 1.5 0 0 0-1.5 1.5v10A1.5 1.5 0 0 0 4 17h3v3.5l4.5-3.5H20a1.5 1.5 0 0 0 1.5-1.5v-10A1.5 1.5 0 0 0 20 4ZM7.5 8.5h9M7.5 12.5h6" />
  </Stroke>
);
export const SitesIcon = (props: IconProps) => (
  <Stroke {...props}>
    <circle cx="12" cy="12" r="9" />
    <path d="M3 12h18M12 3c2.5 2.7 3.7 5.7 3.7 9s-1.2 6.3-3.7 9c-2.5-2.7-3.7-5.7-3.7-9S9.5 5.7 12 3Z" />
  </Stroke>
);
export const OperatorIcon = (props: IconProps) => (
  <Stroke {...props}>
    <path d="M12 3 4.5 6v5.5c0 4.6 3 7.9 7.5 9.5 4.5-1.6 7.5-4.9 7.5-9.5V6L12 3Zm-3 9 2.2 2.2L15.5 10" />
  </Stroke>
);
export const MetricsIcon = (props: IconProps) => (
  <Stroke {...props}>
    <path d="M3.5 3.5v17h17M8 16v-4M12.5 16V7M17 16v-6" />
  </Stroke>
);
export const ChevronLeftIcon = (props: IconProps) => (
  <Stroke {...props}>
    <path d="m15 6-6 6 6 6" />
  </Stroke>
);
export const ChevronRightIcon = (props: IconProps) => (
  <Stroke {...props}>
    <path d="m9 6 6 6-6 6" />
  </Stroke>
);
export const ChevronsIcon = (props: IconProps) => (
  <Stroke {...props}>
    <path d="m8 9.5 4-4 4 4M8 14.5l4 4 4-4" />
  </Stroke>
);
export const CheckIcon = (props: IconProps) => (
  <Stroke {...props}>
    <path d="m5 12.5 4.5 4.5L19 7" />
  </Stroke>
);
export const CloseIcon = (props: IconProps) => (
  <Stroke {...props}>
    <path d="M6 6l12 12M18 6 6 18" />
  </Stroke>
);
export const PlusIcon = (props: IconProps) => (
  <Stroke {...props}>
    <path d="M12 5v14M5 12h14" />
  </Stroke>
);
export const MoreIcon = (props: IconProps) => (
  <Stroke {...props}>
    <path strokeWidth="2.5" d="M5.5 12h.01M12 12h.01M18.5 12h.01" />
  </Stroke>
);
export const MenuIcon = (props: IconProps) => (
  <Stroke {...props}>
    <path d="M4 7h16M4 12h16M4 17h16" />
  </Stroke>
);
export const CopyIcon = (props: IconProps) => (
  <Stroke {...props}>
    <rect x="9" y="9" width="11.5" height="11.5" rx="2" />
    <path d="M15 5.5V5a1.5 1.5 0 0 0-1.5-1.5H5A1.5 1.5 0 0 0 3.5 5v8.5A1.5 1.5 0 0 0 5 15h.5" />
  </Stroke>
);
export const SunIcon = (props: IconProps) => (
  <Stroke {...props}>
    <circle cx="12" cy="12" r="4" />
    <path d="M12 2.5v2M12 19.5v2M4.5 4.5 6 6M18 18l1.5 1.5M2.5 12h2M19.5 12h2M4.5 19.5 6 18M18 6l1.5-1.5" />
  </Stroke>
);
export const MoonIcon = (props: IconProps) => (
  <Stroke {...props}>
    <path d="M20.5 14.2A8.5 8.5 0 1 1 9.8 3.5a7 7 0 0 0 10.7 10.7Z" />
  </Stroke>
);
export const SystemIcon = (props: IconProps) => (
  <Stroke {...props}>
    <path d="M4.5 4h15A1.5 1.5 0 0 1 21 5.5v9a1.5 1.5 0 0 1-1.5 1.5h-15A1.5 1.5 0 0 1 3 14.5v-9A1.5 1.5 0 0 1 4.5 4ZM12 16v4M8 20h8" />
  </Stroke>
);
export const MailIcon = (props: IconProps) => (
  <Stroke {...props}>
    <rect x="3" y="5" width="18" height="14" rx="2" />
    <path d="m3.5 7 8.5 6 8.5-6" />
  </Stroke>
);
export const KeyIcon = (props: IconProps) => (
  <Stroke {...props}>
    <circle cx="7.5" cy="15.5" r="4" />
    <path d="m10.5 12.5 9-9M16.5 6.5l3 3M13.5 9.5l2 2" />
  </Stroke>
);
export const TrashIcon = (props: IconProps) => (
  <Stroke {...props}>
    <path d="M4 6.5h16M9 6.5V4.5A1 1 0 0 1 10 3.5h4a1 1 0 0 1 1 1v2M6 6.5l.8 12.6a1.5 1.5 0 0 0 1.5 1.4h7.4a1.5 1.5 0 0 0 1.5-1.4L18 6.5M10 11v5M14 11v5" />
  </Stroke>
);
export const SignOutIcon = (props: IconProps) => (
  <Stroke {...props}>
    <path d="M10 4H5.5A1.5 1.5 0 0 0 4 5.5v13A1.5 1.5 0 0 0 5.5 20H10M15.5 16.5 20 12l-4.5-4.5M20 12H9.5" />
  </Stroke>
);
export const SettingsIcon = (props: IconProps) => (
  <Stroke {...props}>
    <path d="M4 7h9M17 7h3M4 17h3M11 17h9M13 5v4M17 5v4M7 15v4M11 15v4" />
  </Stroke>
);
export const WarningIcon = (props: IconProps) => (
  <Stroke {...props}>
    <path d="M12 4 2.8 19.5h18.4L12 4Zm0 6v4.5M12 17.2h.01" />
  </Stroke>
);
export const InfoIcon = (props: IconProps) => (
  <Stroke {...props}>
    <circle cx="12" cy="12" r="9" />
    <path d="M12 11v5M12 8h.01" />
  </Stroke>
);
export const CheckCircleIcon = (props: IconProps) => (
  <Stroke {...props}>
    <circle cx="12" cy="12" r="9" />
    <path d="m8 12.5 2.7 2.7L16 9.8" />
  </Stroke>
);
export const ReopenIcon = (props: IconProps) => (
  <Stroke {...props}>
    <path d="M4 5v5h5M4.5 10A8 8 0 1 1 4 13.5" />
  </Stroke>
);
export const RegionIcon = (props: IconProps) => (
  <Stroke {...props}>
    <path d="M12 21.5c4.7-4.8 7-8.3 7-11.5a7 7 0 0 0-14 0c0 3.2 2.3 6.7 7 11.5Z" />
    <circle cx="12" cy="10" r="2.5" />
  </Stroke>
);
export const JobsIcon = (props: IconProps) => (
  <Stroke {...props}>
    <path d="M12 3 3 7.5l9 4.5 9-4.5L12 3ZM3 12l9 4.5 9-4.5M3 16.5 12 21l9-4.5" />
  </Stroke>
);
export const EyeIcon = (props: IconProps) => (
  <Stroke {...props}>
    <path d="M2.5 12C4.5 8 7.8 6 12 6s7.5 2 9.5 6c-2 4-5.3 6-9.5 6s-7.5-2-9.5-6Z" />
    <circle cx="12" cy="12" r="2.75" />
  </Stroke>
);
export const EyeOffIcon = (props: IconProps) => (
  <Stroke {...props}>
    <path d="M4 4l16 16M9.5 6.3A10 10 0 0 1 12 6c4.2 0 7.5 2 9.5 6a13 13 0 0 1-2.7 3.6M6 8a12.5 12.5 0 0 0-3.5 4c2 4 5.3 6 9.5 6 1.6 0 3-.3 4.3-.8M10 10a2.75 2.75 0 0 0 4 4" />
  </Stroke>
);
export const OpenIcon = (props: IconProps) => (
  <Stroke {...props}>
    <path d="M13.5 4H20v6.5M20 4l-9 9M17.5 14v4.5a1.5 1.5 0 0 1-1.5 1.5H5.5a1.5 1.5 0 0 1-1.5-1.5V8a1.5 1.5 0 0 1 1.5-1.5H10" />
  </Stroke>
);
export const SearchIcon = (props: IconProps) => (
  <Stroke {...props}>
    <path d="m20 20-4.2-4.2M17.5 10.75a6.75 6.75 0 1 1-13.5 0 6.75 6.75 0 0 1 13.5 0Z" />
  </Stroke>
);
export const PencilIcon = (props: IconProps) => (
  <Stroke {...props}>
    <path d="m14.5 5.5 4 4M4 20l1-5L15.8 4.2a1.7 1.7 0 0 1 2.4 0l1.6 1.6a1.7 1.7 0 0 1 0 2.4L9 19l-5 1Z" />
  </Stroke>
);
export const LockIcon = (props: IconProps) => (
  <Stroke {...props}>
    <path d="M6.5 10.5h11A1.5 1.5 0 0 1 19 12v7a1.5 1.5 0 0 1-1.5 1.5h-11A1.5 1.5 0 0 1 5 19v-7a1.5 1.5 0 0 1 1.5-1.5ZM8 10.5V7.5a4 4 0 0 1 8 0v3" />
  </Stroke>
);
export const WandIcon = (props: IconProps) => (
  <Stroke {...props}>
    <path d="m4 20 10.5-10.5M13 8l3 3M18 3v4M16 5h4M20 12v3M18.5 13.5h3M8 3.5v3M6.5 5h3" />
  </Stroke>
);
export const PathIcon = (props: IconProps) => (
  <Stroke {...props}>
    <path d="M5 4v7.5a3 3 0 0 0 3 3h11M15 10l4.5 4.5L15 19" />
  </Stroke>
);
export const HistoryIcon = (props: IconProps) => (
  <Stroke {...props}>
    <path d="M3.5 4.5v5h5M4 9.5a8.5 8.5 0 1 1-.4 4M12 7.5V12l3 2" />
  </Stroke>
);
export const UndoIcon = (props: IconProps) => (
  <Stroke {...props}>
    <path d="M8.5 5 4 9.5 8.5 14M4 9.5h10.5a5.5 5.5 0 0 1 0 11H9" />
  </Stroke>
);
export const WebhookIcon = (props: IconProps) => (
  <Stroke {...props}>
    <path d="M9 15.5H5.5a3.5 3.5 0 1 1 1-6.8M14.5 12l3.3 5.2a3.3 3.3 0 1 1-4.6 1.6M12 9.5 8.9 15M9 7.4a3.3 3.3 0 1 1 5.7 2.3" />
  </Stroke>
);
export const SendIcon = (props: IconProps) => (
  <Stroke {...props}>
    <path d="M20.5 3.5 10 14M20.5 3.5 14 20.5 10 14 3.5 10l17-6.5Z" />
  </Stroke>
);
export const ChevronDownIcon = (props: IconProps) => (
  <Stroke {...props}>
    <path d="m6 9 6 6 6-6" />
  </Stroke>
);
