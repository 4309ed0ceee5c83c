export type FormValue = string | { [name: string]: FormValue };
export type Form = Record<string, FormValue>;

/** Reads Stripe's way to send objects as a form: `items[0][price]=…`. Lists are objects with numbers for names. */
export function readForm(text: string): Form {
  const form: Form = Object.create(null);
  for (const [name, value] of new URLSearchParams(text)) {
    const path = name.split(/\[|\]\[?/).filter((part, at, parts) => part !== '' || at < parts.length - 1);
    let place: Form = form;
    path.forEach((part, at) => {
      const key = part === '' ? String(Object.keys(place).length) : part;
      if (at === path.length - 1) place[key] = value;
      else {
        if (typeof place[key] !== 'object') place[key] = Object.create(null) as Form;
        place = place[key];
      }
    });
  }
  return form;
}

export const textOf = (value: FormValue | undefined): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

export const partOf = (value: FormValue | undefined): Form => (typeof value === 'object' ? value : {});

export const listOf = (value: FormValue | undefined): FormValue[] => Object.values(partOf(value));

/** Metadata is a flat list of texts. */
export const textsOf = (value: FormValue | undefined): Record<string, string> =>
  Object.fromEntries(Object.entries(partOf(value)).map(([name, text]) => [name, String(text)]));
