import { useRef, useState } from 'react';
import { type Attached, AttachFile } from '../../layout/attach-file.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, SubmitButton } from '../../ui/form.tsx';
import { Textarea } from '../../ui/input.tsx';
import { toast } from '../../ui/toast.tsx';

type AnswerBoxProps = {
  send: (body: { description: string; resolve?: boolean; s3_object?: string }) => Promise<void>;
};

export function AnswerBox({ send }: AnswerBoxProps) {
  const [round, setRound] = useState(0);
  const resolve = useRef(false);
  const [file, setFile] = useState<Attached>();
  async function submit({ description = '' }: Record<string, string>) {
    const more = { ...(resolve.current && { resolve: true }), ...(file && { s3_object: file.s3_object }) };
    await send({ description, ...more });
    setFile(undefined);
    toast.success(resolve.current ? 'Answered and resolved.' : 'Your answer is sent.');
    setRound(round + 1);
  }
  return (
    <div className="mt-6 border-line border-t pt-6 sm:pl-11">
      <Form submit={submit} className="gap-3">
        <Field
          key={round}
          name="description"
          label="Answer"
          hint="Shown to the team as an answer from support, and mailed to who opened it. Markdown works."
        >
          <Textarea rows={5} required />
        </Field>
        <div className="flex flex-wrap items-center justify-end gap-2">
          <div className="mr-auto min-w-0">
            <AttachFile file={file} onChange={setFile} />
          </div>
          <SubmitButton variant="secondary" onClick={() => (resolve.current = true)}>
            Answer and resolve
          </SubmitButton>
          <SubmitButton onClick={() => (resolve.current = false)}>Answer</SubmitButton>
        </div>
      </Form>
    </div>
  );
}
