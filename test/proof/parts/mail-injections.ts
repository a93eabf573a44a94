// Sixty texts that are to lead a mail elsewhere, or to write into its head: addresses, names, titles and notes.

/** One attempt. */
export interface Injection {
  readonly field: 'email' | 'name' | 'recipient_email' | 'recipient_name' | 'title' | 'store_name';
  readonly text: string;
  /** Who is meant; nobody else may get anything of it. */
  readonly to: string;
}

/** Whoever gets a mail here got it by an injection. */
export const EVIL = 'evil@elsewhere.test';

const addresses: readonly ((to: string) => string)[] = [
  (to) => `${to}, ${EVIL}`,
  (to) => `${to};${EVIL}`,
  (to) => `${to}\r\nBcc: ${EVIL}`,
  (to) => `${to}\nCc: ${EVIL}`,
  (to) => `<${to}>, <${EVIL}>`,
  (to) => `friends: ${to}, ${EVIL};`,
  (to) => `${EVIL} (${to})`,
  (to) => `"${EVIL}" <${to}>`,
  (to) => `"${EVIL},"${to}`,
  (to) => `${to}> RCPT TO:<${EVIL}`,
  (to) => `${to}%0d%0aRCPT TO:<${EVIL}>`,
  (to) => `${to}\u0000${EVIL}`,
  (to) => `${to}\u2028Bcc: ${EVIL}`,
  (to) => ` ${to} `,
];

const texts: readonly string[] = [
  `Ann\r\nBcc: ${EVIL}`,
  `Ann\nBcc: ${EVIL}`,
  `Ann\rBcc: ${EVIL}`,
  `Ann\r\n\r\n<a href="https://elsewhere.test">`,
  `Ann\u2028Bcc: ${EVIL}`,
  `Ann\u0000\u0085Cc: ${EVIL}`,
  `=?utf-8?q?Ann=0D=0ABcc:_${EVIL.replace('@', '=40')}?=`,
  `"Ann" <${EVIL}>, `,
  `Ann, ${EVIL}; (friends: ${EVIL};)`,
  `\u202eAnn\u202c <${EVIL}>`,
  `Ann\\" <${EVIL}> \\`,
  `${'Ann '.repeat(40)}Ä\u{1F600} {store_email}{constructor}`,
];

/** Of a shop and its goods, which staff name. */
const few = [0, 3, 6, 7].map((at) => texts[at] as string);

/** The fields of a checkout come first: a fixture has no others. */
export const injections: readonly Injection[] = [
  ...addresses.map((text) => ({ field: 'email', text }) as const),
  ...texts.map((text) => ({ field: 'name', text: () => text }) as const),
  ...addresses.map((text) => ({ field: 'recipient_email', text }) as const),
  ...texts.map((text) => ({ field: 'recipient_name', text: () => text }) as const),
  ...few.map((text) => ({ field: 'title', text: () => text }) as const),
  ...few.map((text) => ({ field: 'store_name', text: () => text }) as const),
].map(({ field, text }, at) => {
  const to = `reader-${at}@mail.test`;
  return { field, to, text: text(to) };
});
