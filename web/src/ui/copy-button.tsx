import { useState } from 'react';
import { Button } from './button.tsx';
import { CheckIcon, CopyIcon } from './icons.ts';
import { toast } from './toast.tsx';

type CopyButtonProps = { text: string; label: string; word?: string; autoFocus?: boolean };

export function CopyButton({ text, label, word = 'Copy', autoFocus = false }: CopyButtonProps) {
  const [copied, setCopied] = useState(false);
  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
      setTimeout(() => setCopied(false), 2000);
    } catch {
      // The clipboard exists on https and localhost alone.
      toast.error('Your browser does not allow copying here. Select the text and copy it by hand.');
    }
  }
  return (
    <Button
      variant="secondary"
      size="sm"
      autoFocus={autoFocus}
      onClick={() => void copy()}
      aria-label={copied ? 'Copied' : label}
    >
      {copied ? <CheckIcon /> : <CopyIcon />}
      <span className="max-sm:sr-only">{copied ? 'Copied' : word}</span>
    </Button>
  );
}
