/** `signing keys`: `Signing keys`. */
export const titleOf = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

/** `a license`, `an activation`. */
export const oneOf = (words: string): string => `${/^[aeiou]/i.test(words) ? 'an' : 'a'} ${words}`;
