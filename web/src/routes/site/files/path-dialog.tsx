import { CancelButton, Dialog, DialogActions } from '../../../ui/dialog.tsx';
import { Field } from '../../../ui/field.tsx';
import { Form, SubmitButton } from '../../../ui/form.tsx';
import { Input } from '../../../ui/input.tsx';

type PathDialogProps = {
  open: boolean;
  onOpenChange: () => void;
  title: string;
  action: string;
  path: string;
  onSubmit: (path: string) => Promise<void>;
};

export function PathDialog({ open, onOpenChange, title, action, path, onSubmit }: PathDialogProps) {
  async function submit({ path: given = '' }: Record<string, string>) {
    await onSubmit(given.trim().replace(/^\/+|\/+$/g, ''));
    onOpenChange();
  }
  const refusals = ['file.exists', 'file.changed', 'file.not_found', 'file.not_a_file'];
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={title}>
      <Form submit={submit} fieldOfCode={Object.fromEntries(refusals.map((code) => [code, 'path']))}>
        <Field name="path" label="Path in wp-content">
          <Input defaultValue={path} required autoComplete="off" autoCapitalize="none" spellcheck={false} />
        </Field>
        <DialogActions>
          <CancelButton />
          <SubmitButton>{action}</SubmitButton>
        </DialogActions>
      </Form>
    </Dialog>
  );
}
