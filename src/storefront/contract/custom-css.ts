/** Largest style sheet of a shop's own, in bytes. */
export const MOST_CSS_BYTES = 50 * 1024;

/** Functions whose texts are addresses of files. */
const LOADS: ReadonlySet<string> = new Set([
  'url',
  'src',
  'image',
  'image-set',
  '-webkit-image-set',
  'cross-fade',
]);
/** Functions in whose place a text from elsewhere stands, which nobody judges as an address; a stylesheet's own begin with `--`. */
const STANDS_FOR = /^(?:var|env|attr|if|inherit|--[\s\S]*)$/;
/** At-rules that load something, or that a stylesheet beside others must not have. */
const FORBIDDEN: ReadonlySet<string> = new Set(['import', 'charset', 'namespace']);

const CLOSES: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };
/** A comment, a text, a bare address, a name with what follows it, a bracket, or any other sign (CSS Syntax 3). */
const TOKEN =
  /\/\*[\s\S]*?(?:\*\/|$)|"(?:\\[\s\S]|[^"\\\n])*(?:"|$|(?=\n))|'(?:\\[\s\S]|[^'\\\n])*(?:'|$|(?=\n))|@?(?:\\(?:[0-9a-f]{1,6}[ \t\n]?|[\s\S])|[\w\u0080-\uffff-])+\(?|[\s\S]/giu;

/** As browsers read a name or a text: `\69mport` is `import`. */
const unescaped = (text: string): string =>
  text.replace(/\\(?:([0-9a-f]{1,6})[ \t\n]?|([\s\S]))/gi, (_all, hex?: string, sign?: string) => {
    if (hex === undefined) return sign === '\n' ? '' : (sign ?? '');
    const code = Number.parseInt(hex, 16);
    return code === 0 || code > 0x10ffff ? '\ufffd' : String.fromCodePoint(code);
  });

/** Files of this shop, and pictures that stand in the stylesheet itself. */
const isOwn = (address: string): boolean => {
  const path = address.trim().replaceAll(/[\t\n\r]/g, '');
  return path === '' || /^(?:data:image\/|#|\/(?![/\\]))/i.test(path);
};

/**
 * What is wrong with the style sheet of a shop: it must be complete, and load nothing from anywhere else.
 *
 * @returns the fault with its line, as `line 3: @import is not allowed`; null when there is none
 */
export function cssFault(css: string): string | null {
  if (Buffer.byteLength(css) > MOST_CSS_BYTES)
    return `must have at most ${MOST_CSS_BYTES / 1024} KB; it has ${Math.ceil(Buffer.byteLength(css) / 1024)} KB`;
  const text = css.replaceAll(/\r\n?|\f/g, '\n');
  const open: { closes: string; name: string; line: number }[] = [];
  let line = 1;
  TOKEN.lastIndex = 0;
  for (let found = TOKEN.exec(text); found; found = TOKEN.exec(text)) {
    const [token] = found;
    const fault = judge(token, open, line) ?? bareAddress(token, text, TOKEN, open);
    if (fault !== null) return `line ${line}: ${fault}`;
    line += text.slice(found.index, TOKEN.lastIndex).split('\n').length - 1;
  }
  const last = open.at(-1);
  return last === undefined ? null : `line ${last.line}: a bracket is not closed with ${last.closes}`;
}

type Open = { closes: string; name: string; line: number }[];

function judge(token: string, open: Open, line: number): string | null {
  if (token.startsWith('/*'))
    return token.length >= 4 && token.endsWith('*/') ? null : 'a comment is not closed';
  const [first = ''] = token;
  if (first === '"' || first === "'") return judgeText(token, first, open);
  if (first === '\0') return 'a NUL character is not allowed';
  if (token.length > 1 && first === '@') {
    const name = unescaped(token.slice(1)).toLowerCase();
    return FORBIDDEN.has(name.replace('(', '')) ? `@${name} is not allowed` : null;
  }
  const bracket = token.at(-1) ?? '';
  if (Object.hasOwn(CLOSES, bracket) && !token.endsWith(`\\${bracket}`))
    return opened({ bracket, name: unescaped(token.slice(0, -1)).toLowerCase(), line }, open);
  if (token === ')' || token === ']' || token === '}') {
    if (open.pop()?.closes !== token) return `${token} closes nothing`;
  }
  return null;
}

/** @returns what is wrong with a function where it stands */
function opened(
  { bracket, name, line }: { bracket: string; name: string; line: number },
  open: Open,
): string | null {
  const around = open.at(-1)?.name ?? '';
  if (LOADS.has(around) && STANDS_FOR.test(name))
    return `${name}() in ${around}() is not allowed; write the address itself`;
  open.push({ closes: CLOSES[bracket] as string, name, line });
  return null;
}

function judgeText(token: string, quote: string, open: Open): string | null {
  if (token.length < 2 || !token.endsWith(quote)) return 'a text in quotes is not closed';
  const isAddress = open.some(({ name }) => LOADS.has(name));
  const address = unescaped(token.slice(1, -1));
  return isAddress && !isOwn(address) ? foreign(address) : null;
}

/** `url(` without quotes: everything up to the bracket is the address. Moves the reader to before the bracket. */
function bareAddress(token: string, text: string, reader: RegExp, open: Open): string | null {
  if (!token.endsWith('(') || open.at(-1)?.name !== 'url') return null;
  const rest = text.slice(reader.lastIndex);
  if (/^\s*["']/.test(rest)) return null;
  const end = /^(?:\\[\s\S]|[^)\\])*/.exec(rest)?.[0] ?? '';
  const address = unescaped(end);
  reader.lastIndex += end.length;
  return isOwn(address) ? null : foreign(address);
}

const foreign = (address: string): string =>
  `${JSON.stringify(address.trim().slice(0, 60))} is not a file of this shop; use an address that starts with / or data:image/`;
