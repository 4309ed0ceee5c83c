const count = new Intl.NumberFormat('en');
const compact = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });
const units = ['B', 'KB', 'MB', 'GB', 'TB'];

export function formatCount(value: number): string {
  return count.format(value);
}

/** "1 file", "2 files". */
export function formatAmount(value: number, noun: string): string {
  return `${formatCount(value)} ${noun}${value === 1 ? '' : 's'}`;
}

/** Decimal units, as the plans are sold. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${compact.format(value)} ${units[unit]}`;
}

/** Whole amounts without the cents. */
export function formatMoney(cents: number, currency: string): string {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency, trailingZeroDisplay: 'stripIfInteger' });
  return format.format(cents / 100);
}

/** "$9 a month". */
export function formatPrice(cents: number, currency: string, interval: 'month' | 'year' | null): string {
  return cents === 0 ? 'Free' : `${formatMoney(cents, currency)} a ${interval ?? 'month'}`;
}

export function percentageOf(used: number, allowed: number): number {
  return allowed > 0 ? Math.round((used / allowed) * 100) : 0;
}

export function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** What of a title can be a host name: "Café am Hafen" becomes "cafe-am-hafen", "Rosa's Bakery" "rosas-bakery". */
export function slugOf(title: string): string {
  return title
    .normalize('NFKD')
    .replace(/[\p{M}'’]/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 50)
    .replace(/^-+|-+$/g, '');
}

const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });

/** Null stands for nothing counted yet. */
export function formatRatio(ratio: number | null): string {
  return ratio === null ? '–' : percent.format(ratio);
}

/** "80 ms", "1.2 s". */
export function formatDuration(ms: number): string {
  return ms < 1000 ? `${formatCount(Math.round(ms))} ms` : `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;
}
