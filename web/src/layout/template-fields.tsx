import type { Template } from '#sdk';
import { TEMPLATE_TAGS } from '../api/templates.ts';
import { Field } from '../ui/field.tsx';
import { Textarea } from '../ui/input.tsx';
import { Select } from '../ui/select.tsx';
import { Switch } from '../ui/switch.tsx';

/** Form fields that describe a template, for creating and editing one. */
export function TemplateFields({ template }: { template?: Template }) {
  return (
    <>
      <Field name="description" label="Description" hint="What sites created from it are for.">
        <Textarea defaultValue={template?.description} rows={3} maxLength={2000} required />
      </Field>
      <Field name="tag" label="Kind of site">
        <Select options={TEMPLATE_TAGS} defaultValue={template?.tag ?? 'business'} required />
      </Field>
      <Switch
        name="is_public"
        label="Public"
        hint="Everyone can use it once an operator of the platform has approved it. Otherwise only your teams can."
        defaultChecked={template?.is_public ?? false}
      />
    </>
  );
}

export type TemplateValues = { description: string; tag: Template['tag']; is_public: boolean };
