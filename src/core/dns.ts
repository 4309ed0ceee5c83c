/** The port through which the service asks for names; src/integrations/dns has the driver. */
export type RecordType = 'A' | 'AAAA' | 'CNAME' | 'NS' | 'TXT';

export interface Dns {
  /**
   * The values of these records, in one spelling: names in lower case without the dot of the root, a text in one piece.
   * Empty where there is no such name or no such record; DnsFailed where nobody could tell.
   */
  find(type: RecordType, name: string): Promise<string[]>;
}

/** The resolver failed, which says nothing of the name. */
export class DnsFailed extends Error {
  readonly isTimeout: boolean;
  constructor(message: string, options: { isTimeout: boolean; cause: unknown }) {
    super(message, { cause: options.cause });
    this.name = 'DnsFailed';
    this.isTimeout = options.isTimeout;
  }
}
