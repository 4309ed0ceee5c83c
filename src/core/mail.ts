/** The port behind which mail leaves; src/integrations/mail has the drivers. */
export interface Message {
  /** Sending the same id again is the same message: a job that runs twice does not make two. */
  id: string;
  to: string;
  subject: string;
  /** The same twice: as plain text, and as a page with our look (core/letter.ts). */
  text: string;
  html: string;
  /** Headers besides, such as how to be written to no more. */
  headers?: Record<string, string>;
}

/** A whole message that somebody else wrote, such as a hosted site. */
export interface RawMessage {
  from: string;
  to: readonly string[];
  /** In parts, since one may have 20 MB, and to join them takes a while. */
  message: readonly Buffer[];
  /** Signed with this key, so that the receiver can tell whose it is. */
  dkim?: { domain: string; selector: string; privateKey: string };
}

/** The mail server will not take this message, now or later. Every other failure is worth another try. */
export class MailRefused extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'MailRefused';
  }
}

export interface Mailer {
  send(message: Message): Promise<void>;
  sendRaw(message: RawMessage): Promise<void>;
}
