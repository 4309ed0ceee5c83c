import { useState } from 'react';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { Form, messageOf, SubmitButton } from '../ui/form.tsx';
import { CheckIcon, ReopenIcon } from '../ui/icons.ts';
import { Textarea } from '../ui/input.tsx';
import { Switch } from '../ui/switch.tsx';
import { toast } from '../ui/toast.tsx';
import { type Attached, AttachFile } from './attach-file.tsx';

type Sent = { description?: string; resolve?: boolean; is_assistant_chat_message?: boolean; s3_object?: string };
type ReplyBoxProps = {
  resolved: boolean;
  /** How many more messages the assistant answers in this ticket, and whether it is what it is for. */
  assistant: { messagesLeft: number; isThread: boolean };
  send: (body: Sent) => Promise<void>;
};

export function ReplyBox({ resolved, assistant: { messagesLeft, isThread }, send }: ReplyBoxProps) {
  const [wantsAssistant, setWantsAssistant] = useState(isThread);
  const isChat = wantsAssistant && messagesLeft > 0;
  // A new key empties the box once its text has arrived.
  const [round, setRound] = useState(0);
  const [pending, setPending] = useState(false);
  const [file, setFile] = useState<Attached>();

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
        submit={async ({ description = '' }) => {
          const s3 = file && { s3_object: file.s3_object };
          await send({ description, ...(isChat && { is_assistant_chat_message: true }), ...s3 });
          setFile(undefined);
          setRound(round + 1);
        }}
        className="gap-3"
      >
        <Field key={round} name="description" label="Reply" hint="Markdown works: **bold**, `code`, lists and links.">
          <Textarea
            rows={4}
            required
            placeholder={resolved ? 'This ticket is resolved. You can still add to it.' : undefined}
          />
        </Field>
        <Switch
          label="Ask the assistant"
          hint={
            messagesLeft > 0
              ? `It answers at once and changes nothing by itself. ${messagesLeft} messages left in this ticket.`
              : 'No messages to it are left in this ticket; people still answer.'
          }
          checked={isChat}
          disabled={messagesLeft <= 0}
          onCheckedChange={setWantsAssistant}
        />
        <div className="flex flex-wrap items-center justify-end gap-2">
          <div className="mr-auto min-w-0">
            <AttachFile file={file} onChange={setFile} />
          </div>
          <Button variant="secondary" pending={pending} onClick={() => void toggle()}>
            {resolved ? <ReopenIcon /> : <CheckIcon />}
            {resolved ? 'Reopen' : 'Resolve'}
          </Button>
          <SubmitButton>{isChat ? 'Ask the assistant' : 'Send reply'}</SubmitButton>
        </div>
      </Form>
    </div>
  );
}
