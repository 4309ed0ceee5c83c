import { useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useRef, useState } from 'react';
import { ApiError, type ChangedSiteFile, type SiteFile } from '#sdk';
import { api } from '../../../api/client.ts';
import type { Place } from '../../../api/sites.ts';
import { Loaded } from '../../../layout/loaded.tsx';
import { Alert } from '../../../ui/alert.tsx';
import { Button, buttonStyle } from '../../../ui/button.tsx';
import { Empty } from '../../../ui/empty.tsx';
import { messageOf } from '../../../ui/form.tsx';
import { formatBytes } from '../../../ui/format.ts';
import { ChevronLeftIcon, CloseIcon, DownloadIcon, FileIcon, HistoryIcon } from '../../../ui/icons.ts';
import { SkeletonRows } from '../../../ui/skeleton.tsx';
import { Time } from '../../../ui/time.tsx';
import { toast } from '../../../ui/toast.tsx';
import type { EditorHandle } from './code-editor.tsx';
import { FileConflict } from './file-conflict.tsx';
import { FileHistory } from './file-history.tsx';
import { downloadAddress, fileQuery, historyQuery, nameOf, parentOf, refreshFolder } from './file-queries.ts';

const CodeEditor = lazy(() =>
  import('./code-editor.tsx').then(({ CodeEditor: component }) => ({ default: component })),
);

type FileViewProps = {
  place: Place;
  path: string;
  line: number | undefined;
  isFixed: boolean;
  onDirty: (isDirty: boolean) => void;
  onClose: () => void;
};

export function FileView(props: FileViewProps) {
  const query = useQuery(fileQuery(props.place, props.path));
  return (
    <Loaded query={query}>
      {(file) =>
        file.content === null || file.version === null ? (
          <Unread {...props} file={file} />
        ) : (
          <Editing {...props} content={file.content} version={file.version} file={file} />
        )
      }
    </Loaded>
  );
}

type HeaderProps = Pick<FileViewProps, 'place' | 'path' | 'onClose'> & {
  note: React.ReactNode;
  children?: React.ReactNode;
};

function Header({ place, path, onClose, note, children }: HeaderProps) {
  return (
    <header className="flex flex-wrap items-center gap-2 border-line border-b px-3 py-2">
      <Button variant="ghost" size="icon" aria-label="Back to the files" onClick={onClose} className="lg:hidden">
        <ChevronLeftIcon />
      </Button>
      <div className="min-w-0 flex-1 basis-40 px-1">
        <h2 className="truncate font-medium text-sm" title={path}>
          {nameOf(path)}
        </h2>
        <p className="truncate text-muted text-xs">{note}</p>
      </div>
      <div className="flex flex-wrap items-center gap-1.5">
        <a
          href={downloadAddress(place, path)}
          download
          aria-label={`Download ${nameOf(path)}`}
          title="Download"
          className={buttonStyle({ variant: 'ghost', size: 'icon' })}
        >
          <DownloadIcon />
        </a>
        {children}
        <Button variant="ghost" size="icon" aria-label="Close the file" onClick={onClose} className="max-lg:hidden">
          <CloseIcon />
        </Button>
      </div>
    </header>
  );
}

function Unread({ file, ...props }: FileViewProps & { file: SiteFile }) {
  const why =
    file.kind === 'link'
      ? 'This is a link, and links are not followed here.'
      : file.not_shown === 'too_large'
        ? 'It is too large to be edited here. Download it instead.'
        : 'It is not a text in UTF-8. Download it instead.';
  return (
    <>
      <Header {...props} note={formatBytes(file.size)} />
      <Empty icon={<FileIcon />} title="This file is not shown">
        {why}
      </Empty>
    </>
  );
}

type EditingProps = FileViewProps & { file: SiteFile; content: string; version: string };

/** A conflict is what is there now, or that nothing is any more. */
type Conflict = { current: SiteFile | null; mine: string };

function Editing({ place, path, line, isFixed, onDirty, onClose, file, ...first }: EditingProps) {
  const client = useQueryClient();
  const editor = useRef<EditorHandle>(null);
  const [saved, setSaved] = useState<{ content: string; version: string | undefined; at: string }>({
    ...first,
    at: file.modified_at,
  });
  const [isDirty, setDirty] = useState(false);
  const [isSaving, setSaving] = useState(false);
  const [fault, setFault] = useState<ChangedSiteFile['syntax_error']>(null);
  const [conflict, setConflict] = useState<Conflict>();
  const [showsHistory, setShowsHistory] = useState(false);

  function tellDirty(next: boolean) {
    setDirty(next);
    onDirty(next);
  }

  async function save(version = saved.version) {
    if (isSaving || !editor.current) return;
    const content = editor.current.text();
    setSaving(true);
    try {
      const body = { path, content, ...(version && { version }) };
      const done = await api.saveSiteFile({ params: { fqdn: place.fqdn }, query: { stage: place.stage }, body });
      setSaved({ content, version: done.version ?? undefined, at: done.modified_at });
      setFault(done.syntax_error);
      setConflict(undefined);
      // Whoever typed on meanwhile has more to save.
      if (editor.current.text() === content) editor.current.markSaved();
      toast.success(`${nameOf(path)} is saved.`);
      await refreshFolder(client, place, parentOf(path));
      await client.invalidateQueries({ queryKey: historyQuery(place, path).queryKey });
    } catch (error) {
      if (error instanceof ApiError && error.code === 'file.changed')
        setConflict({ current: error.data.current as SiteFile | null, mine: content });
      else toast.error(messageOf(error));
    } finally {
      setSaving(false);
    }
  }

  function take({ content, version, modified_at }: SiteFile) {
    editor.current?.replace(content ?? '');
    editor.current?.markSaved();
    setSaved({ content: content ?? '', version: version ?? undefined, at: modified_at });
    setConflict(undefined);
  }

  return (
    <>
      <Header
        place={place}
        path={path}
        onClose={onClose}
        note={
          isDirty ? (
            'Changes are not saved'
          ) : (
            <>
              Changed <Time iso={saved.at} />
            </>
          )
        }
      >
        <Button variant="ghost" size="sm" onClick={() => setShowsHistory(true)}>
          <HistoryIcon /> History
        </Button>
        {!isFixed && (
          <Button size="sm" pending={isSaving} disabled={!isDirty} onClick={() => void save()}>
            Save
          </Button>
        )}
      </Header>
      {fault && (
        <Alert tone="warn" className="m-3">
          <p role="alert">
            Saved, but PHP cannot read this file{fault.line !== null && ` (line ${fault.line})`}: {fault.message}
          </p>
        </Alert>
      )}
      <Suspense fallback={<SkeletonRows />}>
        <CodeEditor
          ref={editor}
          name={nameOf(path)}
          content={first.content}
          line={line}
          isFixed={isFixed}
          onDirty={tellDirty}
          onSave={() => void save()}
        />
      </Suspense>
      <FileConflict
        path={path}
        conflict={conflict}
        onClose={() => setConflict(undefined)}
        onMine={(current) => save(current ?? '')}
        onTheirs={take}
      />
      {showsHistory && (
        <FileHistory
          place={place}
          path={path}
          now={saved}
          isFixed={isFixed}
          onClose={() => setShowsHistory(false)}
          onBringBack={async (content) => {
            editor.current?.replace(content);
            setShowsHistory(false);
            await save();
          }}
        />
      )}
    </>
  );
}
