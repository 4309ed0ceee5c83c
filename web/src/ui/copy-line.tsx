import { CopyButton } from './copy-button.tsx';

type CopyLineProps = {
  text: string;
  label: string;
  /** The same, easier to read. */
  shown?: string;
  autoFocus?: boolean;
};

/** A value to be taken elsewhere, whole: it may be longer than the screen is wide. */
export function CopyLine({ text, label, shown = text, autoFocus = false }: CopyLineProps) {
  return (
    <div className="flex items-center gap-2 rounded-lg border border-line bg-raised py-1.5 pr-1.5 pl-3">
      <code className="min-w-0 flex-1 select-all break-all font-mono text-xs">{shown}</code>
      <CopyButton text={text} label={label} autoFocus={autoFocus} />
    </div>
  );
}
