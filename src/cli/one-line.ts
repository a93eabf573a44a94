/** Values may come from clients and customers: a control character must not reach the terminal. */
export const oneLine = (text: string): string => text.replaceAll(/\p{Cc}+/gu, ' ');

/** As `oneLine`, for a text of the program's own that has lines and values inside. */
export const printable = (text: string): string => text.replaceAll(/(?![\t\n])\p{Cc}/gu, ' ');
