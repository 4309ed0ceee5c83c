import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Site } from '#sdk';
import { api } from '../../api/client.ts';
import { propertiesOf, titleOfSite } from '../../api/sites.ts';
import { visibleTemplatesQuery } from '../../api/templates.ts';
import { ConfirmedOnly } from '../../layout/confirmed-only.tsx';
import { TemplateFields, type TemplateValues } from '../../layout/template-fields.tsx';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/card.tsx';
import { CancelButton, Dialog, DialogActions } from '../../ui/dialog.tsx';
import { Form, SubmitButton } from '../../ui/form.tsx';
import { TemplateIcon } from '../../ui/icons.ts';
import { Switch } from '../../ui/switch.tsx';
import { toast } from '../../ui/toast.tsx';

export function SaveTemplate({ site, disabled }: { site: Site; disabled: boolean }) {
  const [open, setOpen] = useState(false);
  const queryClient = useQueryClient();
  const navigate = useNavigate();

  async function submit({ with_demo, ...values }: TemplateValues & { with_demo: boolean }) {
    const { name } = await api.createTemplate({
      query: { create_static_site: with_demo },
      body: { ...values, fqdn: site.fqdn, url: propertiesOf(site).url.replace(/\/$/, '') },
    });
    await queryClient.invalidateQueries({ queryKey: visibleTemplatesQuery.queryKey });
    toast.success(`The template ${name} is being created.`);
    await navigate({ to: '/templates' });
  }

  return (
    <Section
      title="Template"
      description="Create new sites with the pages, theme, plugins and pictures of this one. Accounts, orders and messages are left out."
      action={
        <ConfirmedOnly>
          <Button variant="secondary" disabled={disabled} onClick={() => setOpen(true)}>
            <TemplateIcon /> Save as template
          </Button>
        </ConfirmedOnly>
      }
    >
      <Dialog
        open={open}
        onOpenChange={setOpen}
        title={`Save ${titleOfSite(site)} as a template`}
        description="The template is a copy of the site as it is now. Later changes of the site do not change it."
      >
        <Form submit={submit}>
          <TemplateFields />
          <Switch
            name="with_demo"
            label="Create a demo"
            hint="A static copy that can be browsed before a site is created from the template."
          />
          <DialogActions>
            <CancelButton />
            <SubmitButton>Save template</SubmitButton>
          </DialogActions>
        </Form>
      </Dialog>
    </Section>
  );
}
