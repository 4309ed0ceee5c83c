const count = new Intl.NumberFormat('en');
const compact = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });
const units = ['B', 'KB', 'MB', 'GB', 'TB'];

export function formatCount(value: number): string {
  return count.format(value);
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

export function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
