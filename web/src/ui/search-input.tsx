import { cx } from './cx.ts';
import { SearchIcon } from './icons.ts';
import { controlStyle } from './input.tsx';

type SearchInputProps = { label: string; value: string; onChange: (value: string) => void; className?: string };

export function SearchInput({ label, value, onChange, className }: SearchInputProps) {
  return (
    <div className={cx('relative', className)}>
      <SearchIcon className="pointer-events-none absolute top-1/2 left-3 -translate-y-1/2 text-muted" />
      <input
        type="search"
        aria-label={label}
        placeholder={label}
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
        autoComplete="off"
        spellcheck={false}
        className={cx(controlStyle, 'h-9 any-pointer-coarse:h-10 pl-9')}
      />
    </div>
  );
}
