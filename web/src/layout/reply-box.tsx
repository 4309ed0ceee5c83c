import { useState } from 'react';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { Form, messageOf, SubmitButton } from '../ui/form.tsx';
import { CheckIcon, ReopenIcon } from '../ui/icons.ts';
import { Textarea } from '../ui/input.tsx';
import { toast } from '../ui/toast.tsx';

type ReplyBoxProps = { resolved: boolean; send: (body: { description?: string; resolve?: boolean }) => Promise<void> };

export function ReplyBox({ resolved, send }: ReplyBoxProps) {
  // A new key empties the box once its text has arrived.
  const [round, setRound] = useState(0);
  const [pending, setPending] = useState(false);

  async function toggle() {
    setPending(true);
    try {
      await send({ resolve: !resolved });
    } catch (error) {
      toast.error(messageOf(error));
    } finally {
      setPending(false);
    }
  }

  return (
    <div className="mt-6 border-line border-t pt-6 sm:pl-11">
      <Form
        key={round}
        submit={async ({ description = '' }) => {
          await send({ description });
          setRound(round + 1);
        }}
        className="gap-3"
      >
        <Field name="description" label="Reply">
          <Textarea
            rows={4}
            required
            placeholder={resolved ? 'This ticket is resolved. You can still add to it.' : undefined}
          />
        </Field>
        <div className="flex flex-wrap justify-end gap-2">
          <Button variant="secondary" pending={pending} onClick={() => void toggle()}>
            {resolved ? <ReopenIcon /> : <CheckIcon />}
            {resolved ? 'Reopen' : 'Resolve'}
          </Button>
          <SubmitButton>Send reply</SubmitButton>
        </div>
      </Form>
    </div>
  );
}
