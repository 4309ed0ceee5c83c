import { useQuery } from '@tanstack/react-query';
import { SearchInput } from '../../ui/search-input.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { Select } from '../../ui/select.tsx';
import { SiteViews } from './site-views.tsx';
import { type SiteList, siteLabelsQuery } from './sites-query.ts';

type ToolbarProps = {
  teamId: string;
  /** Views are kept for who sees the whole team. */
  withViews: boolean;
  text: string;
  onText: (text: string) => void;
  list: SiteList;
  layout: 'cards' | 'table';
  onChange: (list: SiteList) => void;
};

const any = 'any';
const states = [
  { value: any, label: 'Any state' },
  { value: 'awake', label: 'Running' },
  { value: 'asleep', label: 'Sleeping' },
  { value: 'busy', label: 'Busy' },
  { value: 'outdated', label: 'Updates waiting' },
  { value: 'insecure', label: 'Security update waiting' },
];
const sorts = [
  { value: 'newest', label: 'Newest first' },
  { value: 'name', label: 'By name' },
  { value: 'visits', label: 'Most visits' },
  { value: 'storage', label: 'Most storage' },
];

export function SitesToolbar({ teamId, withViews, text, onText, list, layout, onChange }: ToolbarProps) {
  const labels = useQuery(siteLabelsQuery(teamId)).data ?? [];
  const choose = (name: 'label' | 'state' | 'sort', none: string) => (value: string) => {
    const { [name]: _, ...rest } = list;
    onChange(value === none ? rest : { ...rest, [name]: value });
  };
  return (
    <div className="mb-5 flex flex-wrap items-center gap-2">
      <SearchInput
        label="Find a site by its name or title"
        value={text}
        onChange={onText}
        className="flex-1 basis-56"
      />
      {(labels.length > 0 || list.label) && (
        <Select
          aria-label="Label"
          className="w-36"
          value={list.label ?? any}
          onValueChange={choose('label', any)}
          options={[
            { value: any, label: 'Any label' },
            ...labels.map(({ label, sites }) => ({ value: label, label: `${label} (${sites})` })),
          ]}
        />
      )}
      <Select
        aria-label="State"
        className="w-40"
        value={list.state ?? any}
        onValueChange={choose('state', any)}
        options={states}
      />
      <Select
        aria-label="Order"
        className="w-36"
        value={list.sort ?? 'newest'}
        onValueChange={choose('sort', 'newest')}
        options={sorts}
      />
      {withViews && <SiteViews teamId={teamId} list={{ ...list, layout }} onChoose={onChange} />}
      <Segmented
        label="Show as"
        value={layout}
        onChange={(next) => onChange({ ...list, layout: next as 'cards' | 'table' })}
        options={[
          { value: 'cards', label: 'Cards' },
          { value: 'table', label: 'Table' },
        ]}
      />
    </div>
  );
}
