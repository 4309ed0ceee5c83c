import { useQueryClient } from '@tanstack/react-query';
import { type DragEvent, type ReactNode, useState } from 'react';
import { ApiError } from '#sdk';
import { api } from '../../../api/client.ts';
import type { Place } from '../../../api/sites.ts';
import { ConfirmAction } from '../../../ui/confirm-action.tsx';
import { messageOf } from '../../../ui/form.tsx';
import { formatAmount } from '../../../ui/format.ts';
import { toast } from '../../../ui/toast.tsx';
import { folderOf, inside, refreshFolder, type Selected } from './file-queries.ts';

type Upload = { folder: string; file: File };

/** One file after another. Those that are there already are asked about when the others are done. */
export function useUploads(place: Place, isFixed: boolean) {
  const client = useQueryClient();
  const [running, setRunning] = useState<{ done: number; all: number }>();
  const [existing, setExisting] = useState<Upload[]>([]);
  const [isOver, setOver] = useState(false);

  async function send(uploads: Upload[], replace: boolean): Promise<void> {
    const taken: Upload[] = [];
    let done = 0;
    for (const upload of uploads) {
      setRunning({ done, all: uploads.length });
      try {
        const path = inside(upload.folder, upload.file.name);
        const query = { path, stage: place.stage, ...(replace && { replace }) };
        // A file without a byte has no body, and is made like any other that is new.
        if (upload.file.size > 0) await api.uploadSiteFile({ params: { fqdn: place.fqdn }, query, body: upload.file });
        else
          await api.saveSiteFile({
            params: { fqdn: place.fqdn },
            query: { stage: place.stage },
            body: { path, content: '' },
          });
        done += 1;
      } catch (error) {
        if (error instanceof ApiError && error.code === 'file.exists') taken.push(upload);
        else toast.error(`${upload.file.name}: ${messageOf(error)}`);
      }
    }
    setRunning(undefined);
    for (const folder of new Set(uploads.map((upload) => upload.folder))) await refreshFolder(client, place, folder);
    if (done > 0) toast.success(`${formatAmount(done, 'file')} uploaded.`);
    setExisting(taken);
  }

  const begin = (selected: Selected, files: File[]) => {
    if (!isFixed && !running && files.length > 0)
      void send(
        files.map((file) => ({ folder: folderOf(selected), file })),
        false,
      );
  };
  const progress: ReactNode = (
    <p role="status" className={running || isOver ? 'bg-accent-soft px-3 py-1.5 text-accent-text text-sm' : 'sr-only'}>
      {running && `Uploading ${running.done + 1} of ${formatAmount(running.all, 'file')}…`}
      {!running && isOver && 'Drop the files to upload them here.'}
    </p>
  );
  const dropZone = (selected: Selected) => ({
    onDragOver: (event: DragEvent<HTMLElement>) => {
      if (isFixed || !event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: () => setOver(false),
    onDrop: (event: DragEvent<HTMLElement>) => {
      event.preventDefault();
      setOver(false);
      begin(selected, [...(event.dataTransfer?.files ?? [])]);
    },
  });
  const question = (
    <ConfirmAction
      open={existing.length > 0}
      onOpenChange={() => setExisting([])}
      title={`Replace ${formatAmount(existing.length, 'file')}?`}
      action="Replace"
      onConfirm={() => send(existing, true)}
    >
      There {existing.length === 1 ? 'is already a file' : 'are already files'} of that name:{' '}
      {existing.map(({ file }) => file.name).join(', ')}
    </ConfirmAction>
  );
  return { begin, progress, dropZone, question };
}
