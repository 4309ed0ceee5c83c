import type { Notifications } from '#sdk';

/** What each kind of mail is about, in the order in which people care. */
export const mailKinds: { kind: keyof Notifications; label: string; hint: string }[] = [
  { kind: 'sites', label: 'Sites', hint: 'A site fails for its visitors, or a domain gets no certificate.' },
  { kind: 'backups', label: 'Backups', hint: 'Backups of a site fail for long, or restore points were found damaged.' },
  { kind: 'updates', label: 'Updates', hint: 'A deploy or an automatic update was rolled back.' },
  { kind: 'billing', label: 'Billing', hint: 'A payment failed, or a plan has ended.' },
  { kind: 'usage', label: 'Usage', hint: 'A team has used most or all of what its plan has.' },
  { kind: 'tickets', label: 'Support', hint: 'Somebody answered one of your tickets.' },
  { kind: 'webhooks', label: 'Webhooks', hint: 'A webhook was switched off because nothing took its calls.' },
];
