import { NotAPicture } from './structure.ts';

/** The begin of an element; its values are decoded. */
export interface Tag {
  readonly kind: 'open';
  readonly name: string;
  readonly attributes: readonly (readonly [name: string, value: string])[];
  readonly isEmpty: boolean;
}

export type Token = Tag | { readonly kind: 'close'; readonly name: string } | { readonly text: string };

const NAME = '[A-Za-z_][\\w.:-]*';
/** Only what every parser reads alike: quoted values, no `<` in them. */
const VALUE = `"[^"<]*"|'[^'<]*'`;
const ATTRIBUTE = new RegExp(`\\s+(${NAME})\\s*=\\s*(${VALUE})`, 'g');
const OPEN = new RegExp(`<(${NAME})((?:\\s+${NAME}\\s*=\\s*(?:${VALUE}))*)\\s*(/?)>`, 'y');
const CLOSE = new RegExp(`</(${NAME})\\s*>`, 'y');
const COMMENT = /<!--(?:(?!--)[\s\S])*-->/y;
const INSTRUCTION = /<\?(?:(?!\?>)[\s\S])*\?>/y;
const CDATA = /<!\[CDATA\[((?:(?!\]\]>)[\s\S])*)\]\]>/y;
const TEXT = /[^<]+/y;

/**
 * Cuts a document of XML into its parts; comments and instructions are left out.
 *
 * @throws NotAPicture where it is not well-formed
 */
export function* tokensOf(source: string): Generator<Token> {
  let at = source.startsWith('\uFEFF') ? 1 : 0;
  const next = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(source);
    if (found) at = pattern.lastIndex;
    return found;
  };
  while (at < source.length) {
    if (next(COMMENT) || next(INSTRUCTION)) continue;
    const text = next(TEXT);
    if (text) {
      yield { text: unescaped(text[0]) };
      continue;
    }
    const data = next(CDATA);
    if (data) {
      yield { text: data[1] ?? '' };
      continue;
    }
    const close = next(CLOSE);
    if (close) {
      yield { kind: 'close', name: close[1] ?? '' };
      continue;
    }
    const open = next(OPEN);
    if (!open) throw malformed();
    yield {
      kind: 'open',
      name: open[1] ?? '',
      attributes: attributesIn(open[2] ?? ''),
      isEmpty: open[3] === '/',
    };
  }
}

function attributesIn(text: string): Tag['attributes'] {
  const found = [...text.matchAll(ATTRIBUTE)].map(
    ([, name = '', quoted = '']) => [name, unescaped(quoted.slice(1, -1))] as const,
  );
  if (new Set(found.map(([name]) => name)).size !== found.length) throw malformed();
  return found;
}

const NAMED: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Only the five names of XML and numbers: others would need a DOCTYPE. */
function unescaped(text: string): string {
  return text.replace(/&([^;]{0,12};?)/g, (_all, inner: string) => {
    const [, hex, decimal, name = ''] = /^(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z]+));$/i.exec(inner) ?? [];
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    const character = name === '' ? characterOf(code) : NAMED[name];
    if (character === undefined) throw malformed();
    return character;
  });
}

const characterOf = (code: number): string | undefined =>
  code === 9 ||
  code === 10 ||
  code === 13 ||
  (code >= 32 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff))
    ? String.fromCodePoint(code)
    : undefined;

const malformed = (): NotAPicture =>
  new NotAPicture('UNSAFE', 'The SVG file is not well-formed. Export it as a plain SVG, or upload a PNG');
