import { useId } from 'react';
import { Input } from './input.tsx';

type ComboboxProps = { items: string[]; defaultValue?: string; required?: boolean };

/** A text among many that are known, such as time zones: the browser offers what fits, the server says what does not. */
export function Combobox({ items, ...props }: ComboboxProps) {
  const id = useId();
  return (
    <>
      <Input {...props} list={id} autoComplete="off" spellcheck={false} />
      <datalist id={id}>
        {items.map((item) => (
          <option key={item} value={item} />
        ))}
      </datalist>
    </>
  );
}
