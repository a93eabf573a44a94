/** A file that is not what it should be, so that nothing after this place can be read. */
export class RecordFault extends Error {
  /** Line of the file, from 1; null when the fault is the file's as a whole. */
  readonly line: number | null;

  constructor(message: string, line: number | null = null) {
    super(message);
    this.name = 'RecordFault';
    this.line = line;
  }
}
