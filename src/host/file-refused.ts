export type FileRefusal =
  | 'missing'
  | 'exists'
  | 'changed'
  | 'bad_path'
  | 'not_a_folder'
  | 'not_a_file'
  | 'into_itself'
  | 'denied'
  | 'too_much';

/** What somebody wants of a site's files can not be done, and nothing was. Only `too_much` may have been done in part. */
export class FileRefused extends Error {
  readonly refusal: FileRefusal;
  constructor(refusal: FileRefusal, message: string = refusal) {
    super(message);
    this.name = 'FileRefused';
    this.refusal = refusal;
  }
}
