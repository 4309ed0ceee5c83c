import { type Clock, visit } from '../visit.ts';

type Format = Pick<Intl.DateTimeFormat, 'format'>;

/** A way to write moments, as whoever looks is used to and by their own time. To be made once for each use: it costs more than what it does. */
export function dateFormat(options: Intl.DateTimeFormatOptions): Format {
  const found = madeOnce(options);
  return { format: (moment) => found().format(moment) };
}

function madeOnce(options: Intl.DateTimeFormatOptions): () => Intl.DateTimeFormat {
  const made = new WeakMap<Clock, Intl.DateTimeFormat>();
  return () => {
    const { clock } = visit();
    const { locale, timeZone } = clock;
    const known = made.get(clock) ?? new Intl.DateTimeFormat(locale, { timeZone, ...options });
    made.set(clock, known);
    return known;
  };
}

const day = dateFormat({ year: 'numeric', month: '2-digit', day: '2-digit' });

/** The same for two moments of one day, by whoever looks. */
export const dayOf = (moment: Date): string => day.format(moment);

const hour = madeOnce({ hour: 'numeric' });

export const hasTwelveHours = (): boolean => hour().resolvedOptions().hour12 === true;
