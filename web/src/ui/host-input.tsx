import { cx } from './cx.ts';
import { Input } from './input.tsx';

type HostInputProps = {
  text: string;
  onText: (text: string) => void;
  /** What follows the word that is asked for; without it, a whole name is. */
  domain: string | undefined;
  placeholder?: string;
};

/** A name of a site, or the first word of one. */
export function HostInput({ text, onText, domain, placeholder }: HostInputProps) {
  return (
    <div className="relative flex">
      <Input
        value={text}
        onValueChange={(next) => onText(String(next))}
        required
        autoComplete="off"
        autoCapitalize="none"
        spellcheck={false}
        {...(placeholder && { placeholder })}
        className={cx('min-w-0 flex-1', domain && 'rounded-r-none')}
      />
      {domain && (
        <span className="max-w-1/2 shrink-0 content-center truncate rounded-r-lg border border-line-strong border-l-0 bg-raised px-3 text-muted">
          .{domain}
        </span>
      )}
    </div>
  );
}
