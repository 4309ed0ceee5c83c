import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { api } from '../../../api/client.ts';
import type { Place } from '../../../api/sites.ts';
import { Button } from '../../../ui/button.tsx';
import { ConfirmAction } from '../../../ui/confirm-action.tsx';
import {
  DownloadIcon,
  MoreIcon,
  NewFileIcon,
  NewFolderIcon,
  PencilIcon,
  TrashIcon,
  UploadIcon,
} from '../../../ui/icons.ts';
import { Menu, MenuItem } from '../../../ui/menu.tsx';
import { toast } from '../../../ui/toast.tsx';
import { downloadAddress, folderOf, nameOf, parentOf, refreshFolder, type Selected } from './file-queries.ts';
import { PathDialog } from './path-dialog.tsx';

type FileToolbarProps = {
  place: Place;
  selected: Selected;
  isFixed: boolean;
  before: (act: () => void) => void;
  onWhole: () => void;
  onMade: (entry: Selected) => void;
  onGone: (path: string, to?: Selected) => void;
  onUpload: (files: File[]) => void;
};

type Task = 'file' | 'folder' | 'move' | 'delete';

/** What is new goes where the selected entry is; the menu is about the entry itself. */
export function FileToolbar({ place, selected, isFixed, before, onWhole, onMade, onGone, onUpload }: FileToolbarProps) {
  const client = useQueryClient();
  const [task, setTask] = useState<Task>();
  const chooser = useRef<HTMLInputElement>(null);
  const { path, kind } = selected;
  const folder = folderOf(selected);
  const call = { params: { fqdn: place.fqdn }, query: { stage: place.stage } };
  const end = () => setTask(undefined);

  async function make(newPath: string) {
    if (task === 'file') await api.saveSiteFile({ ...call, body: { path: newPath, content: '' } });
    else await api.createSiteFolder({ ...call, body: { path: newPath } });
    await refreshFolder(client, place, parentOf(newPath));
    onMade({ path: newPath, kind: task === 'file' ? 'file' : 'folder' });
  }
  async function move(newPath: string) {
    if (newPath === path) return;
    await api.moveSiteFile({ ...call, body: { path, new_path: newPath } });
    for (const each of new Set([parentOf(path), parentOf(newPath)])) await refreshFolder(client, place, each);
    onGone(path, { path: newPath, kind });
    toast.success(`${nameOf(path)} is now ${newPath}.`);
  }
  async function remove() {
    await api.deleteSiteFile({ params: call.params, query: { path, ...call.query } });
    await refreshFolder(client, place, parentOf(path));
    onGone(path);
    toast.success(`${nameOf(path)} is deleted. The time machine still has it.`);
  }

  return (
    <div className="flex items-center gap-1 border-line border-b px-2 py-1.5">
      <p className="flex min-w-0 flex-1 items-center text-muted text-xs" title={`wp-content/${folder}`}>
        <button type="button" onClick={onWhole} className="rounded-sm px-1 py-1.5 hover:text-fg hover:underline">
          wp-content
        </button>
        {folder && <span className="min-w-0 truncate">/{folder}</span>}
      </p>
      <Tool label="New file" disabled={isFixed} onClick={() => setTask('file')} icon={<NewFileIcon />} />
      <Tool label="New folder" disabled={isFixed} onClick={() => setTask('folder')} icon={<NewFolderIcon />} />
      <Tool label="Upload files" disabled={isFixed} onClick={() => chooser.current?.click()} icon={<UploadIcon />} />
      <input
        ref={chooser}
        type="file"
        multiple
        hidden
        aria-label="Files to upload"
        onChange={({ currentTarget }) => {
          onUpload([...(currentTarget.files ?? [])]);
          currentTarget.value = '';
        }}
      />
      <Menu
        trigger={
          <Button variant="ghost" size="icon" aria-label={`More for ${path || 'wp-content'}`}>
            <MoreIcon />
          </Button>
        }
      >
        <MenuItem icon={<DownloadIcon />} download={downloadAddress(place, path)}>
          Download {kind === 'folder' ? 'as a zip file' : ''}
        </MenuItem>
        <MenuItem icon={<PencilIcon />} disabled={isFixed || path === ''} onClick={() => before(() => setTask('move'))}>
          Rename or move
        </MenuItem>
        <MenuItem icon={<TrashIcon />} danger disabled={isFixed || path === ''} onClick={() => setTask('delete')}>
          Delete
        </MenuItem>
      </Menu>
      <PathDialog
        open={task === 'file'}
        onOpenChange={end}
        title="New file"
        action="Create file"
        path={folder && `${folder}/`}
        onSubmit={make}
      />
      <PathDialog
        open={task === 'folder'}
        onOpenChange={end}
        title="New folder"
        action="Create folder"
        path={folder && `${folder}/`}
        onSubmit={make}
      />
      <PathDialog
        open={task === 'move'}
        onOpenChange={end}
        title={`Rename or move ${nameOf(path)}`}
        action="Move"
        path={path}
        onSubmit={move}
      />
      <ConfirmAction
        open={task === 'delete'}
        onOpenChange={end}
        title={`Delete ${nameOf(path)}?`}
        action="Delete"
        onConfirm={remove}
      >
        {kind === 'folder' ? 'The folder and everything in it is deleted.' : 'The file is deleted.'} The site may need
        it. What the time machine has kept of it can be brought back.
      </ConfirmAction>
    </div>
  );
}

type ToolProps = { label: string; icon: React.ReactNode; disabled: boolean; onClick: () => void };

function Tool({ label, icon, ...props }: ToolProps) {
  return (
    <Button variant="ghost" size="icon" aria-label={label} title={label} {...props}>
      {icon}
    </Button>
  );
}
