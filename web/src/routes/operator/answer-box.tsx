import { useRef, useState } from 'react';
import { Field } from '../../ui/field.tsx';
import { Form, SubmitButton } from '../../ui/form.tsx';
import { Textarea } from '../../ui/input.tsx';
import { toast } from '../../ui/toast.tsx';

type AnswerBoxProps = { send: (body: { description: string; resolve?: boolean }) => Promise<void> };

export function AnswerBox({ send }: AnswerBoxProps) {
  const [round, setRound] = useState(0);
  const resolve = useRef(false);
  async function submit({ description = '' }: Record<string, string>) {
    await send({ description, ...(resolve.current && { resolve: true }) });
    toast.success(resolve.current ? 'Answered and resolved.' : 'Your answer is sent.');
    setRound(round + 1);
  }
  return (
    <div className="mt-6 border-line border-t pt-6 sm:pl-11">
      <Form key={round} submit={submit} className="gap-3">
        <Field name="description" label="Answer" hint="Shown to the team as an answer from support.">
          <Textarea rows={5} required />
        </Field>
        <div className="flex flex-wrap justify-end gap-2">
          <SubmitButton variant="secondary" onClick={() => (resolve.current = true)}>
            Answer and resolve
          </SubmitButton>
          <SubmitButton onClick={() => (resolve.current = false)}>Answer</SubmitButton>
        </div>
      </Form>
    </div>
  );
}
