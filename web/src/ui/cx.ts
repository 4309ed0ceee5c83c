import { type ClassValue, clsx } from 'clsx';

/** Sizes, and what is around and in between: what a place may want otherwise than the part that it uses. */
const measure = /^(.*:)?(size|h|w|min-h|min-w|max-w|gap|px|py|rounded)-[^-]+$/;

/** Of two measures of the same thing the later one stays. Nothing else may be given twice: the order of the style sheet would decide. */
export function cx(...classes: ClassValue[]): string {
  const last = new Map<string, string>();
  for (const each of clsx(classes).split(' ')) {
    const [, variant = '', property = ''] = measure.exec(each) ?? [];
    const key = property ? variant + property : each;
    if (property === 'size') for (const side of ['h', 'w']) last.delete(variant + side);
    last.delete(key);
    last.set(key, each);
  }
  return [...last.values()].join(' ');
}
