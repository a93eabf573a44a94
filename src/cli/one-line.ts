/** Values may come from clients and customers: a control character must not reach the terminal. */
export const oneLine = (text: string): string => text.replaceAll(/\p{Cc}+/gu, ' ');

/** As `oneLine`, for a text of the program's own that has lines and values inside. */
export const printable = (text: string): string => text.replaceAll(/(?![\t\n])\p{Cc}/gu, ' ');

/** A document as one line of JSON: `JSON.stringify` leaves control characters alone that a terminal obeys (C1). */
export const jsonLine = (document: object): string =>
  `${JSON.stringify(document).replaceAll(/[\u007f-\u009f]/g, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`)}\n`;
