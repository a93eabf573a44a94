/** `signing keys`: `Signing keys`. */
export const titleOf = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

/** What a list is called in the navigation, as its own heading and in the link back to it: `Staff`, `Machines`. */
export const listTitleOf = ({ screen, labels }: Listed): string => screen.nav ?? titleOf(labels.many);

interface Listed {
  readonly screen: { readonly nav?: string | null };
  readonly labels: { readonly many: string };
}

/**
 * What a page does, as its heading: `Suspend license APP-1`, `Verify audit entries`. A label that names its object itself
 * is not followed by another one: `Change policy: APP-1`.
 *
 * @param subject the item; null for what is done to no single one
 */
export function headingOf(
  label: string,
  labels: { readonly one: string; readonly many: string },
  subject: string | null,
): string {
  const isWhole = label.includes(' ');
  if (subject === null) return isWhole ? label : `${label} ${labels.many}`;
  return isWhole ? `${label}: ${subject}` : `${label} ${labels.one} ${subject}`;
}

/** `a license`, `an activation`. */
export const oneOf = (words: string): string => `${/^[aeiou]/i.test(words) ? 'an' : 'a'} ${words}`;
