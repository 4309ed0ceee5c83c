import { useQuery } from '@tanstack/react-query';
import type { KeyboardEvent } from 'react';
import type { SiteFileEntry } from '#sdk';
import type { Place } from '../../../api/sites.ts';
import { Loaded } from '../../../layout/loaded.tsx';
import { cx } from '../../../ui/cx.ts';
import { formatCount } from '../../../ui/format.ts';
import { ChevronRightIcon, FileIcon, FolderIcon, LinkIcon } from '../../../ui/icons.ts';
import { folderQuery, inside, parentOf, type Selected } from './file-queries.ts';

type FileTreeProps = {
  place: Place;
  selected: Selected;
  expanded: ReadonlySet<string>;
  onToggle: (path: string, isOpen?: boolean) => void;
  onSelect: (entry: Selected) => void;
};

/** Lists in lists of buttons, which every screen reader knows; the arrow keys go through them as through a tree. */
export function FileTree(props: FileTreeProps) {
  return (
    <nav
      aria-label="Files"
      className="max-h-[70vh] overflow-auto p-1.5"
      onKeyDown={(event) => moveBy(event, props.onToggle)}
    >
      <Folder {...props} path="" level={0} />
    </nav>
  );
}

function Folder({ path, level, ...tree }: FileTreeProps & { path: string; level: number }) {
  const query = useQuery(folderQuery(tree.place, path));
  const note = { className: 'py-1 pr-3 text-muted text-sm', style: { paddingLeft: indent(level + 1) } };
  return (
    <Loaded query={query} loading={<p {...note}>Loading…</p>}>
      {({ entries, is_truncated }) => (
        <ul>
          {sorted(entries ?? []).map((entry) => (
            <Entry key={entry.name} {...tree} entry={entry} path={inside(path, entry.name)} level={level} />
          ))}
          {entries?.length === 0 && <li {...note}>Empty</li>}
          {is_truncated && (
            <li {...note}>Only {formatCount(entries?.length ?? 0)} are listed. The search finds the others.</li>
          )}
        </ul>
      )}
    </Loaded>
  );
}

const indent = (level: number) => `${0.5 + Math.min(level, 8) * 0.875}rem`;

type EntryProps = FileTreeProps & { entry: SiteFileEntry; path: string; level: number };

function Entry({ entry, path, level, ...tree }: EntryProps) {
  const { kind, name } = entry;
  const isFolder = kind === 'folder';
  const isOpen = isFolder && tree.expanded.has(path);
  const isSelected = tree.selected.path === path;
  const Icon = isFolder ? FolderIcon : kind === 'link' ? LinkIcon : FileIcon;
  return (
    <li>
      <button
        type="button"
        data-entry={path}
        aria-expanded={isFolder ? isOpen : undefined}
        aria-current={isSelected || undefined}
        onClick={() => {
          tree.onSelect({ path, kind });
          if (isFolder) tree.onToggle(path);
        }}
        style={{ paddingLeft: indent(level) }}
        className={cx(
          'flex min-h-7.5 any-pointer-coarse:min-h-10 w-full items-center gap-2 rounded-md py-1 pr-2 text-left text-sm focus-visible:-outline-offset-2',
          isSelected ? 'bg-accent-soft text-accent-text' : 'hover:bg-raised',
        )}
      >
        <ChevronRightIcon className={cx('size-3.5', isOpen && 'rotate-90', !isFolder && 'invisible')} />
        <Icon className={cx('size-4', !isSelected && 'text-muted')} />
        <span className="min-w-0 truncate" title={name}>
          {name}
        </span>
        {kind === 'link' && <span className="sr-only"> (a link, which is not followed)</span>}
      </button>
      {isOpen && <Folder {...tree} path={path} level={level + 1} />}
    </li>
  );
}

const sorted = (entries: SiteFileEntry[]) =>
  entries.toSorted((a, b) => Number(b.kind === 'folder') - Number(a.kind === 'folder') || a.name.localeCompare(b.name));

function moveBy(event: KeyboardEvent<HTMLElement>, onToggle: FileTreeProps['onToggle']): void {
  const buttons = [...event.currentTarget.querySelectorAll<HTMLButtonElement>('[data-entry]')];
  const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
  const button = buttons[at];
  if (!button) return;
  const path = button.dataset.entry ?? '';
  const isOpen = button.ariaExpanded === 'true';
  if (event.key === 'ArrowRight' && button.ariaExpanded === 'false') onToggle(path, true);
  else if (event.key === 'ArrowLeft' && isOpen) onToggle(path, false);
  else {
    const next = neighbour(event.key, buttons, at, path);
    if (!next) return;
    next.focus();
  }
  event.preventDefault();
}

function neighbour(key: string, buttons: HTMLButtonElement[], at: number, path: string) {
  switch (key) {
    case 'ArrowDown':
      return buttons[at + 1];
    case 'ArrowUp':
      return buttons[at - 1];
    case 'ArrowRight':
      return buttons[at]?.ariaExpanded === 'true' ? buttons[at + 1] : undefined;
    case 'ArrowLeft':
      return buttons.find(({ dataset }) => dataset.entry === parentOf(path));
    case 'Home':
      return buttons[0];
    case 'End':
      return buttons.at(-1);
    default:
      return undefined;
  }
}
