/**
 * The values of one parameter of an address: `Red,Blue`. A comma that is part of a value has a backslash before it, and so
 * has a backslash: `Smith\, Jones`.
 *
 * @returns without surrounding white space and without empty ones
 */
export const severalIn = (text: string): string[] =>
  [...text.matchAll(/(?:\\[\\,]|[^,])+/g)]
    .map(([one]) => one.trim().replaceAll(/\\([\\,])/g, '$1'))
    .filter((one) => one !== '');

/** A value as `severalIn` reads it back. */
export const oneOfSeveral = (value: string): string => value.replaceAll(/[\\,]/g, '\\$&');
