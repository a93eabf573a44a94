/** Pixels of a picture; of an SVG its own units. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Bytes that are not a picture, or one that is not taken. The message is for whoever sent them. */
export class NotAPicture extends Error {
  readonly reason: 'UNKNOWN_TYPE' | 'EMPTY' | 'TOO_LARGE' | 'INCOMPLETE' | 'MORE_THAN_A_PICTURE' | 'UNSAFE';

  constructor(reason: NotAPicture['reason'], message: string) {
    super(message);
    this.name = 'NotAPicture';
    this.reason = reason;
  }
}

/** @param kind `JPEG` */
export const incomplete = (kind: string): NotAPicture =>
  new NotAPicture('INCOMPLETE', `The ${kind} file is damaged or incomplete. Upload it again`);

/** Something follows the picture, or hides in it: another program could read the file as something else. */
export const moreThanAPicture = (kind: string): NotAPicture =>
  new NotAPicture(
    'MORE_THAN_A_PICTURE',
    `The ${kind} file contains more than a picture. Save it again in an image editor and upload the result`,
  );

/** What no picture says of itself, and what a browser or a server would run. */
const RUNS = /<(?:script|html|iframe|\?php)\b|%PDF-\d/i;

/** Refuses texts inside a picture that another program could run. */
export function requirePlainNote(kind: string, note: Buffer): void {
  if (RUNS.test(note.toString('latin1'))) throw moreThanAPicture(kind);
}
