import { NotAPicture, type Size } from './structure.ts';
import { attributeText, isKeptAttribute, isKeptElement, isKeptStyle } from './svg-rules.ts';
import { type Tag, tokensOf } from './svg-tokens.ts';
import { requireFlatUses, type Use } from './svg-uses.ts';

const MOST_BYTES = 1_048_576;
const MOST_ELEMENTS = 5000;
/** What a browser shows of an SVG that names no size. */
const UNSIZED: Size = { width: 300, height: 150 };

/** An SVG that neither runs nor loads anything. */
export interface Svg extends Size {
  readonly text: string;
}

/** Whether bytes begin as an SVG does; what it holds is judged by `sanitizeSvg`. */
export const isSvg = (bytes: Buffer): boolean =>
  /^\uFEFF?\s*<(?:\?xml|!--|!DOCTYPE|svg[\s>/])/i.test(bytes.toString('utf8', 0, 256)) &&
  /<svg[\s>/]/.test(bytes.toString('latin1', 0, 65_536));

/**
 * Writes an SVG anew from what is on the lists: no script, no handler, nothing from elsewhere. What is not on them is
 * left out; what could be read in two ways is refused (reliability M26).
 *
 * @throws NotAPicture
 */
export function sanitizeSvg(bytes: Buffer): Svg {
  if (bytes.length > MOST_BYTES) throw refused('is larger than 1 MB');
  const text = decoded(bytes);
  if (/<!(?:DOCTYPE|ENTITY)/i.test(text)) throw refused('has a DOCTYPE');
  const copy = new CleanCopy();
  for (const token of tokensOf(text)) {
    if ('text' in token) copy.text(token.text);
    else if (token.kind === 'close') copy.close(token.name);
    else copy.open(token);
  }
  return copy.end();
}

/** What was kept of a drawing so far. */
class CleanCopy {
  readonly #out: string[] = [];
  readonly #open: { readonly name: string; readonly id: string | null }[] = [];
  readonly #uses: Use[] = [];
  #elements = 0;
  /** Depth of what is left out with all that is in it; 0 outside. */
  #left = 0;
  #root: Tag | null = null;

  text(text: string): void {
    if (this.#left > 0 || this.#root === null) return;
    this.#out.push(textFor(this.#open.at(-1)?.name, text));
  }

  close(name: string): void {
    if (this.#left > 0) this.#left -= 1;
    else if (this.#open.pop()?.name === name) this.#out.push(`</${name}>`);
    else throw refused('is not well-formed');
  }

  open(tag: Tag): void {
    this.#elements += 1;
    if (this.#elements > MOST_ELEMENTS) throw refused(`has more than ${MOST_ELEMENTS} elements`);
    const isOutermost = this.#open.length === 0 && this.#left === 0;
    if (isOutermost && (this.#root !== null || tag.name !== 'svg')) throw refused('is not a single drawing');
    this.#root ??= tag;
    if (this.#left === 0 && isKeptElement(tag.name)) this.#keep(tag);
    else if (!tag.isEmpty) this.#left += 1;
  }

  #keep({ name, attributes, isEmpty }: Tag): void {
    const kept = attributes.filter(([attribute, value]) => isKeptAttribute(name, attribute, value));
    const id = kept.find(([attribute]) => attribute === 'id')?.[1] ?? null;
    const target = kept.find(([attribute]) => /^(?:xlink:)?href$/.test(attribute))?.[1].slice(1);
    if (name === 'use' && target !== undefined) {
      const around = this.#open.flatMap((one) => one.id ?? []);
      this.#uses.push({ inside: id === null ? around : [...around, id], target });
    }
    this.#out.push(`<${name}${kept.map(attributeText).join('')}${isEmpty ? '/>' : '>'}`);
    if (!isEmpty) this.#open.push({ name, id });
  }

  end(): Svg {
    if (this.#root === null || this.#open.length > 0 || this.#left > 0) throw refused('is not well-formed');
    requireFlatUses(this.#uses, refused);
    return { text: this.#out.join(''), ...sizeOf(this.#root) };
  }
}

const refused = (why: string): NotAPicture =>
  new NotAPicture('UNSAFE', `The SVG file ${why}. Export it as a plain SVG, or upload a PNG`);

function decoded(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw refused('is not encoded in UTF-8');
  }
}

/** Rules of style that load or run something go as a whole. */
function textFor(parent: string | undefined, text: string): string {
  if (parent === 'style' && !isKeptStyle(text)) return '';
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

const UNITS: Record<string, number> = {
  '': 1,
  px: 1,
  pt: 4 / 3,
  pc: 16,
  mm: 96 / 25.4,
  cm: 96 / 2.54,
  in: 96,
};

/** Its own size, else that of its window on the drawing, in pixels. */
function sizeOf({ attributes }: Tag): Size {
  const value = (name: string) => attributes.find(([one]) => one === name)?.[1].trim() ?? '';
  const length = (name: string): number | null => {
    const [, number = '', unit = ''] = /^(\d*\.?\d+)(px|pt|pc|mm|cm|in)?$/.exec(value(name)) ?? [];
    return number === '' ? null : Math.round(Number(number) * (UNITS[unit] ?? 1));
  };
  const [, , wide, high] = value('viewBox')
    .split(/[\s,]+/)
    .map(Number);
  const window = wide && high && wide > 0 && high > 0 ? { width: wide, height: high } : null;
  const [width, height] = [length('width'), length('height')];
  if (width !== null && height !== null) return { width, height };
  if (width !== null && window) return { width, height: Math.round((width * window.height) / window.width) };
  if (height !== null && window)
    return { width: Math.round((height * window.width) / window.height), height };
  return window ? { width: Math.ceil(window.width), height: Math.ceil(window.height) } : UNSIZED;
}
