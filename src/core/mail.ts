/** The port behind which mail leaves; src/integrations/mail has the drivers. */
export interface Message {
  /** Sending the same id again is the same message: a job that runs twice does not make two. */
  id: string;
  to: string;
  subject: string;
  text: string;
}

export interface Mailer {
  send(message: Message): Promise<void>;
}
