import { useEffect, useId, useRef, useState } from 'react';
import { api } from '../api/client.ts';
import { Button } from '../ui/button.tsx';
import { messageOf, PlainError } from '../ui/form.tsx';
import { formatBytes } from '../ui/format.ts';
import { AttachIcon, CloseIcon } from '../ui/icons.ts';
import { toast } from '../ui/toast.tsx';

export type Attached = { s3_object: string; name: string; size_bytes: number };

type AttachFileProps = { file: Attached | undefined; onChange: (file: Attached | undefined) => void };

/** What the platform takes. A larger one would be uploaded for nothing. */
const MAX_BYTES = 10 * 1024 * 1024;

/** One file to go with what is being written. It is uploaded at once, and belongs to nothing until that is sent. */
export function AttachFile({ file, onChange }: AttachFileProps) {
  const input = useRef<HTMLInputElement>(null);
  const id = useId();
  const [pending, setPending] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const before = useRef(file);
  useEffect(() => {
    // The button that was pressed is gone, and the focus with it; it goes to the one in its place.
    if (before.current !== file && document.activeElement === document.body) button.current?.focus();
    before.current = file;
  }, [file]);

  async function upload(chosen: File | undefined) {
    if (!chosen) return;
    setPending(true);
    try {
      if (chosen.size === 0) throw new PlainError(`${chosen.name} is empty.`);
      if (chosen.size > MAX_BYTES)
        throw new PlainError(`${chosen.name} has ${formatBytes(chosen.size)}. A file can have 10 MB at most.`);
      const name = chosen.name.slice(-200);
      onChange(await api.uploadAttachment({ query: { name }, body: chosen }));
    } catch (error) {
      toast.error(messageOf(error));
    } finally {
      setPending(false);
      if (input.current) input.current.value = '';
    }
  }

  return (
    <>
      <input
        ref={input}
        id={id}
        type="file"
        tabIndex={-1}
        aria-label="File to attach"
        className="sr-only"
        onChange={(event) => void upload(event.currentTarget.files?.[0])}
      />
      {file ? (
        <span className="inline-flex h-9 min-w-0 items-center gap-2 rounded-lg bg-raised pr-1 pl-3 text-sm">
          <AttachIcon className="text-muted" />
          <span className="max-w-48 truncate">{file.name}</span>
          <span className="text-muted text-xs">{formatBytes(file.size_bytes)}</span>
          <Button
            ref={button}
            variant="ghost"
            size="icon"
            aria-label={`Remove ${file.name}`}
            onClick={() => onChange(undefined)}
          >
            <CloseIcon />
          </Button>
        </span>
      ) : (
        <Button ref={button} variant="ghost" pending={pending} onClick={() => input.current?.click()}>
          <AttachIcon /> Attach a file
        </Button>
      )}
    </>
  );
}
