import { CopyButton } from './copy-button.tsx';

/** A value to be taken elsewhere, whole: it may be longer than the screen is wide. */
export function CopyLine({ text, label }: { text: string; label: string }) {
  return (
    <div className="flex items-center gap-2 rounded-lg border border-line bg-raised py-1.5 pr-1.5 pl-3">
      <code className="min-w-0 flex-1 select-all break-all font-mono text-xs">{text}</code>
      <CopyButton text={text} label={label} />
    </div>
  );
}
