/** An archive, or what is in it, is none that we take; the message is for whoever sent it. */
export class ArchiveRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ArchiveRefused';
  }
}
