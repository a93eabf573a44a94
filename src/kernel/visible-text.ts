/**
 * Letters that a terminal obeys (C0, C1), that turn the direction of what follows, or that nobody sees: names of
 * customers and machines may hold them, and then show something else than is there.
 */
const HIDDEN = String.raw`[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]`;

/** Where they belong to the writing: inside an emoji, and between letters of scripts that join, such as Persian. */
const RIGHTFUL = [
  String.raw`(?<=\p{Emoji})[\ufe0e\ufe0f]`,
  String.raw`(?<=[\p{Extended_Pictographic}\ufe0f\u{1f3fb}-\u{1f3ff}])\u200d(?=\p{Extended_Pictographic})`,
  String.raw`(?<=(?![\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}])[\p{L}\p{M}])[\u200c\u200d](?=[\p{L}\p{M}])`,
].join('|');

/** A return without its line feed would write over the line. */
const LINES = String.raw`[\t\n]|\r(?=\n)`;

/** The first look is for what hides: a long text mostly holds nothing that needs the others. */
function hiddenBut(...kept: readonly string[]): () => RegExp {
  // Made when a text is first shown: V8 spreads out the sets of letters, which costs every start 4 ms.
  let made: RegExp | undefined;
  return () => (made ??= new RegExp(`(?=${HIDDEN})(?:(${kept.join('|')})|[^])`, 'gu'));
}
const ONE = hiddenBut(RIGHTFUL);
const IN_LINES = hiddenBut(RIGHTFUL, LINES);
const IN_COLOR = hiddenBut(RIGHTFUL, LINES, String.raw`\u001b\[\d{1,3}m`);
const BREAKS = /[\t\n\v\f\r\u0085\u2028\u2029]+/g;

/** Writes what nobody could see as `\u202e`, the form of JSON: a document in JSON stays what it says. */
export const visible = (text: string): string => text.replaceAll(ONE(), escapeUnlessKept);

/** As `visible`, on one line: tabs and line breaks become spaces. */
export const visibleLine = (text: string): string => visible(text.replaceAll(BREAKS, ' '));

/** As `visible`, for a text of lines: they stay, and tabs too. */
export const visibleLines = (text: string): string => text.replaceAll(IN_LINES(), escapeUnlessKept);

/** As `visibleLines`, for a text that the program has colored. */
export const visibleColored = (text: string): string => text.replaceAll(IN_COLOR(), escapeUnlessKept);

/** Only what commands a terminal, for text that another program reads as data: C0 and C1 but tab and line breaks. */
export const withoutCommands = (text: string): string =>
  text.replaceAll(/(?![\t\n\r])\p{Cc}/gu, (letter) => escapeUnlessKept(letter, undefined));

function escapeUnlessKept(letter: string, kept: string | undefined): string {
  if (kept !== undefined) return kept;
  return letter
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}
