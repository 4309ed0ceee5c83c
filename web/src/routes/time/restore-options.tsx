import { Segmented } from '../../ui/segmented.tsx';
import { Switch } from '../../ui/switch.tsx';

export type RestoreParts = 'both' | 'files' | 'database';

const choices = [
  { value: 'both', label: 'Files and database' },
  { value: 'files', label: 'Files' },
  { value: 'database', label: 'Database' },
];

type RestoreOptionsProps = {
  parts: RestoreParts;
  onParts: (parts: RestoreParts) => void;
  deletesExtra: boolean;
  onDeletesExtra: (deletes: boolean) => void;
};

export function RestoreOptions({ parts, onParts, deletesExtra, onDeletesExtra }: RestoreOptionsProps) {
  return (
    <div className="grid gap-4 rounded-lg border border-line p-4">
      <div>
        <Segmented
          label="What to restore"
          value={parts}
          onChange={(next) => onParts(next as RestoreParts)}
          options={choices}
        />
      </div>
      <Switch
        label="Delete newer files"
        hint="Plugins, themes and uploads that were added after this minute. Otherwise they stay."
        checked={deletesExtra && parts !== 'database'}
        onCheckedChange={onDeletesExtra}
        disabled={parts === 'database'}
      />
    </div>
  );
}
