import { useState } from 'react';
import type { Site } from '#sdk';
import { atLeast, standing } from '../../../api/roles.ts';
import { useMe } from '../../../api/session.ts';
import { obstaclesOf } from '../../../api/site-rights.ts';
import type { Place } from '../../../api/sites.ts';
import { BlockedNote } from '../../../layout/blocked-note.tsx';
import { Card } from '../../../ui/card.tsx';
import { cx } from '../../../ui/cx.ts';
import { Empty } from '../../../ui/empty.tsx';
import { FileIcon } from '../../../ui/icons.ts';
import { SearchInput } from '../../../ui/search-input.tsx';
import { Segmented } from '../../../ui/segmented.tsx';
import { foldersAbove, type Selected, WHOLE } from './file-queries.ts';
import { FileSearch } from './file-search.tsx';
import { FileToolbar } from './file-toolbar.tsx';
import { FileTree } from './file-tree.tsx';
import { FileView } from './file-view.tsx';
import { useUnsaved } from './unsaved.tsx';
import { useUploads } from './uploads.tsx';

export function SiteFiles({ site, isStage = false }: { site: Site; isStage?: boolean }) {
  const obstacle = obstaclesOf(site, useMe()).change;
  const [isDirty, setDirty] = useState(false);
  const unsaved = useUnsaved(isDirty, () => setDirty(false));
  const { role, name } = site.team;
  if (!atLeast(role, 'member'))
    return <BlockedNote reason={`${standing(role, name)}: members, admins and the owner can read this.`} />;
  return (
    <div className="grid gap-4">
      <BlockedNote reason={obstacle} />
      <Files
        place={{ fqdn: site.fqdn, stage: isStage }}
        isFixed={obstacle !== undefined}
        onDirty={setDirty}
        before={unsaved.before}
      />
      {unsaved.question}
    </div>
  );
}

type FilesProps = {
  place: Place;
  isFixed: boolean;
  onDirty: (isDirty: boolean) => void;
  before: (act: () => void) => void;
};

function Files({ place, isFixed, onDirty, before }: FilesProps) {
  const [selected, setSelected] = useState<Selected>(WHOLE);
  const [opened, setOpened] = useState<{ path: string; line?: number | undefined; count: number }>();
  const [expanded, setExpanded] = useState<ReadonlySet<string>>(new Set());
  const [words, setWords] = useState('');
  const [by, setBy] = useState<'name' | 'text'>('name');
  const uploads = useUploads(place, isFixed);

  const open = (path: string, line?: number) =>
    before(() => {
      setSelected({ path, kind: 'file' });
      setExpanded((known) => new Set([...known, ...foldersAbove(path)]));
      setOpened((last) => ({ path, line, count: (last?.count ?? 0) + 1 }));
    });
  const close = () => before(() => setOpened(undefined));
  /** What was there is there no more, or is elsewhere. */
  const gone = (path: string, to?: Selected) => {
    setSelected(to ?? WHOLE);
    if (!opened || !`${opened.path}/`.startsWith(`${path}/`)) return;
    onDirty(false);
    setOpened(to ? { path: to.path + opened.path.slice(path.length), count: opened.count + 1 } : undefined);
  };
  const toggle = (path: string, isOpen?: boolean) =>
    setExpanded((known) => {
      const next = new Set(known);
      if (isOpen ?? !known.has(path)) next.add(path);
      else next.delete(path);
      return next;
    });

  return (
    <div className="grid items-start gap-4 lg:grid-cols-[19rem_minmax(0,1fr)]">
      <Card className={cx('min-w-0', opened && 'max-lg:hidden')}>
        <div className="grid gap-2 border-line border-b p-3">
          <SearchInput
            label={by === 'name' ? 'Find files by name' : 'Find text in files'}
            value={words}
            onChange={setWords}
          />
          <Segmented
            label="Search in"
            value={by}
            onChange={(next) => setBy(next as 'name' | 'text')}
            options={[
              { value: 'name', label: 'Names' },
              { value: 'text', label: 'Text' },
            ]}
          />
        </div>
        {words.trim() === '' ? (
          <div {...uploads.dropZone(selected)}>
            <FileToolbar
              place={place}
              selected={selected}
              isFixed={isFixed}
              before={before}
              onWhole={() => setSelected(WHOLE)}
              onMade={({ path, kind }) => {
                setExpanded((known) => new Set([...known, ...foldersAbove(path)]));
                if (kind === 'file') open(path);
                else setSelected({ path, kind });
              }}
              onGone={gone}
              onUpload={(files) => uploads.begin(selected, files)}
            />
            {uploads.progress}
            <FileTree
              place={place}
              selected={selected}
              expanded={expanded}
              onToggle={toggle}
              onSelect={(entry) => (entry.kind === 'file' ? open(entry.path) : setSelected(entry))}
            />
          </div>
        ) : (
          <FileSearch place={place} by={by} words={words} onOpen={open} />
        )}
      </Card>
      <Card className={cx('min-w-0', !opened && 'max-lg:hidden')}>
        {opened ? (
          <FileView
            key={`${opened.count} ${opened.path}`}
            place={place}
            path={opened.path}
            line={opened.line}
            isFixed={isFixed}
            onDirty={onDirty}
            onClose={close}
          />
        ) : (
          <Empty icon={<FileIcon />} title="No file is open">
            This is the site's wp-content. Choose a file to read or change it.
          </Empty>
        )}
      </Card>
      {uploads.question}
    </div>
  );
}
