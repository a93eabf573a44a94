/** The storage could not be asked: a bucket that is not there, credentials that are refused, a folder without rights. */
export class StorageFailure extends Error {
  /** What an operator does about it. */
  readonly hint: string;

  constructor(message: string, hint: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'StorageFailure';
    this.hint = hint;
  }
}
