import { useState } from 'react';
import type { Software } from '#sdk';
import type { Place } from '../../../api/sites.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Section } from '../../../ui/card.tsx';
import { ConfirmAction } from '../../../ui/confirm-action.tsx';
import { cx } from '../../../ui/cx.ts';
import { MoreIcon, PlusIcon, TrashIcon } from '../../../ui/icons.ts';
import { Menu, MenuItem } from '../../../ui/menu.tsx';
import { Switch } from '../../../ui/switch.tsx';
import { InstallDialog } from './install-dialog.tsx';
import { callsOf, type Extension, useSoftwareCall } from './software-queries.ts';

type ListProps = { place: Place; software: Software; disabled: boolean; kind: Extension['kind'] };

/** The plugins or the themes, those with an update first. */
export function ExtensionList({ place, software, disabled, kind }: ListProps) {
  const [isInstalling, setInstalling] = useState(false);
  const items = software.extensions
    .filter((each) => each.kind === kind)
    .sort((a, b) => rank(a) - rank(b) || a.title.localeCompare(b.title));
  const title = kind === 'plugin' ? 'Plugins' : 'Themes';
  return (
    <Section
      title={title}
      flush
      action={
        <Button variant="secondary" size="sm" disabled={disabled} onClick={() => setInstalling(true)}>
          <PlusIcon /> Add {kind}
        </Button>
      }
    >
      {items.length === 0 ? (
        <p className="px-5 py-4 text-muted">The site has no {kind === 'plugin' ? 'plugins' : 'themes'}.</p>
      ) : (
        <ul aria-label={title} className="divide-y divide-line">
          {items.map((item) => (
            <Row key={item.name} {...{ item, place, disabled }} />
          ))}
        </ul>
      )}
      <InstallDialog {...{ place, kind }} open={isInstalling} onOpenChange={setInstalling} />
    </Section>
  );
}

const rank = ({ update, state }: Extension) => (update ? 0 : state === 'inactive' ? 2 : 1);

type RowProps = { item: Extension; place: Place; disabled: boolean };

function Row({ item, place, disabled }: RowProps) {
  const update = useSoftwareCall(place, callsOf(place).update);
  const { kind, name, title, version, state } = item;
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-5 py-3">
      <div className={cx('min-w-0 flex-1 basis-40', state === 'inactive' && 'text-muted')}>
        <p className="truncate font-medium">{title}</p>
        <p className="truncate text-muted text-xs">
          {name}
          {version && <span className="tabular-nums"> · {version}</span>}
        </p>
      </div>
      <div className="ml-auto flex items-center gap-3">
        {item.update && (
          <Button
            variant="secondary"
            size="sm"
            pending={update.isPending}
            disabled={disabled}
            onClick={() => update.mutate({ [`${kind}s`]: [name] })}
            aria-label={`Update ${title} to ${item.update}`}
          >
            Update to {item.update}
          </Button>
        )}
        <State {...{ item, place, disabled }} />
        <Remove {...{ item, place, disabled }} />
      </div>
    </li>
  );
}

/** A plugin is switched; of the themes one is on. */
function State({ item, place, disabled }: RowProps) {
  const flip = useSoftwareCall(place, callsOf(place).switch);
  const { kind, title, state } = item;
  if (state === 'must_use') return <Badge>Always on</Badge>;
  if (kind === 'plugin')
    return (
      <Switch
        label={<span className="sr-only">{title} is active</span>}
        checked={state === 'active'}
        onCheckedChange={(active) => flip.mutate({ item, active })}
        disabled={disabled || flip.isPending}
      />
    );
  if (state !== 'inactive')
    return <Badge tone="accent">{state === 'active' ? 'Active' : 'Parent of the active'}</Badge>;
  return (
    <Button
      variant="ghost"
      size="sm"
      pending={flip.isPending}
      disabled={disabled}
      onClick={() => flip.mutate({ item, active: true })}
      aria-label={`Activate ${title}`}
    >
      Activate
    </Button>
  );
}

function Remove({ item, place, disabled }: RowProps) {
  const [isAsking, setAsking] = useState(false);
  const remove = useSoftwareCall(place, callsOf(place).remove);
  const { kind, title, state } = item;
  const isFixed = state === 'must_use' || (kind === 'theme' && state !== 'inactive');
  return (
    <>
      <Menu
        trigger={
          <Button variant="ghost" size="icon" disabled={disabled || isFixed} aria-label={`More about ${title}`}>
            <MoreIcon />
          </Button>
        }
      >
        <MenuItem danger icon={<TrashIcon />} onClick={() => setAsking(true)}>
          Delete…
        </MenuItem>
      </Menu>
      <ConfirmAction
        open={isAsking}
        onOpenChange={setAsking}
        title={`Delete ${title}?`}
        action={`Delete ${kind}`}
        onConfirm={() => remove.mutateAsync(item)}
      >
        Its files go; what it keeps in the database stays unless it clears that itself. The minute before is kept in the
        time machine.
      </ConfirmAction>
    </>
  );
}
