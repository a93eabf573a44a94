import type PDFDocument from 'pdfkit';
import { readAsset } from '#kernel/assets.ts';
import { FONT_FILES } from '#kernel/vendored-fonts.ts';
import type { DocumentModel, DocumentOptions } from './model.ts';

type Doc = InstanceType<typeof PDFDocument>;

export const MARGIN = 48;
/** Below it stands the number of the page. */
const FOOT = 36;
const LETTER_COUNTRIES = new Set(['US', 'CA', 'MX', 'PH', 'CL', 'CO', 'CR', 'GT', 'PA', 'DO', 'VE']);

/** How a text is set. */
export interface Style {
  readonly size?: number;
  readonly bold?: boolean;
  readonly color?: string;
  readonly align?: 'left' | 'right' | 'center';
}

/** A place on the page: its left edge, its top, its width. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

/** What the font at hand can say; pdfkit shows it under a name of its own. */
interface OpenedFont {
  readonly _font: { readonly font: { hasGlyphForCodePoint(code: number): boolean } };
}

/** Marks of direction that steer what is shown and are not shown themselves, and what no page shows. */
const UNSEEN = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;
/** Spaces of several widths, of which fonts have few. */
const SPACES = /[\u2000-\u200a\u202f\u205f\u3000]/g;

/** Text as it is set: lines stay. */
const clean = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.replaceAll(UNSEEN, '').replaceAll(SPACES, '\u00a0'))
    .join('\n');

/** Paper on which one document after the other is written, from top to bottom. */
export class Sheet {
  readonly #doc: Doc;
  readonly #hasOwnFont: boolean = false;
  readonly #missing = new Set<string>();
  #pages = 0;
  y = MARGIN;

  /** @param doc without margins, with its pages kept until the end */
  constructor(doc: Doc, font: Uint8Array | undefined) {
    this.#doc = doc;
    for (const [name, key] of Object.entries(FONT_FILES)) doc.registerFont(name, readAsset(key));
    if (!font) return;
    try {
      doc.registerFont('own', Buffer.from(font)).font('own');
      this.#hasOwnFont = true;
    } catch {
      // A file that is no font: the document says which letters it lacks.
    }
  }

  get width(): number {
    return this.#doc.page.width - 2 * MARGIN;
  }

  get #bottom(): number {
    return this.#doc.page.height - MARGIN - FOOT;
  }

  /** Letters that were to be printed and could not be, since the last document. */
  takeMissing(): string[] {
    const missing = [...this.#missing];
    this.#missing.clear();
    return missing;
  }

  newPage(): void {
    this.#doc.addPage();
    this.#pages += 1;
    this.y = MARGIN;
  }

  get pages(): number {
    return this.#pages;
  }

  /** Whether so much still fits on the page. */
  fits(height: number): boolean {
    return this.y + height <= this.#bottom;
  }

  /** Chooses the font that has the letters of a text, and notes those that none has. */
  #use(text: string, { size = 9, bold = false, color = '#111827' }: Style, isSet: boolean): void {
    const doc = this.#doc.fontSize(size).fillColor(color);
    const lacks = (name: string) => {
      doc.font(name);
      const { font } = (doc as unknown as OpenedFont)._font;
      return [...new Set(text)].filter(
        (letter) => letter !== '\n' && !font.hasGlyphForCodePoint(letter.codePointAt(0) ?? 0),
      );
    };
    const lacking = lacks(bold ? 'bold' : 'regular');
    if (lacking.length === 0) return;
    if (this.#hasOwnFont && lacks('own').length === 0) return;
    doc.font(bold ? 'bold' : 'regular');
    if (isSet) for (const letter of lacking) this.#missing.add(letter);
  }

  heightOf(text: string, width: number, style: Style = {}): number {
    const shown = clean(text);
    if (shown === '') return 0;
    this.#use(shown, style, false);
    return this.#doc.heightOfString(shown, { width, lineGap: 1 });
  }

  /** Writes a text in a box. @returns how high it is */
  put(text: string, { x, y, width }: Box, style: Style = {}): number {
    const shown = clean(text);
    if (shown === '') return 0;
    this.#use(shown, style, true);
    const { align = 'left' } = style;
    const height = this.#doc.heightOfString(shown, { width, lineGap: 1 });
    this.#doc.text(shown, x, y, { width, align, lineGap: 1 });
    return height;
  }

  rule(y: number, x = MARGIN, width = this.width, color = '#d1d5db'): void {
    this.#doc
      .moveTo(x, y)
      .lineTo(x + width, y)
      .lineWidth(0.5)
      .strokeColor(color)
      .stroke();
  }

  /** A picture that cannot be read is left out: a document is more than its logo. @returns whether it is there */
  picture(bytes: Uint8Array, { x, y }: { x: number; y: number }, fit: readonly [number, number]): boolean {
    try {
      this.#doc.image(Buffer.from(bytes), x, y, { fit: [...fit] });
      return true;
    } catch {
      return false;
    }
  }

  /** Numbers the pages of one document, from the one with this index on. */
  numberPages(from: number, word: string): void {
    const count = this.#pages - from;
    for (let at = 0; at < count; at += 1) {
      this.#doc.switchToPage(from + at);
      const y = this.#doc.page.height - MARGIN;
      const box = { x: MARGIN, y, width: this.width };
      this.put(`${word} ${at + 1} / ${count}`, box, { size: 8, align: 'right', color: '#6b7280' });
    }
    this.#doc.switchToPage(this.#pages - 1);
  }
}

/** Whether a document can be set in a font of these bytes. */
export async function isFont(bytes: Uint8Array): Promise<boolean> {
  const pdfkit = await import('pdfkit');
  try {
    new pdfkit.default({ autoFirstPage: false, font: '' })
      .registerFont('own', Buffer.from(bytes))
      .font('own');
    return true;
  } catch {
    return false;
  }
}

/**
 * Makes a file of documents.
 *
 * @param first whose country, title and date the file has
 * @param write writes everything on the sheet
 */
export async function pdfOf(
  first: Pick<DocumentModel, 'country' | 'date' | 'seller'>,
  title: string,
  { font }: DocumentOptions,
  write: (sheet: Sheet) => void,
): Promise<Buffer> {
  const pdfkit = await import('pdfkit');
  const doc = new pdfkit.default({
    size: LETTER_COUNTRIES.has(first.country) ? 'LETTER' : 'A4',
    margin: 0,
    autoFirstPage: false,
    bufferPages: true,
    // Otherwise a font of the format's own is loaded, which has the letters of Western Europe alone.
    font: '',
    info: {
      Title: title,
      Author: first.seller.name,
      // In place of the names and times that the library would write.
      Creator: first.seller.name,
      Producer: first.seller.name,
      CreationDate: new Date(first.date),
    },
  });
  const parts: Buffer[] = [];
  const done = new Promise<Buffer>((resolve, reject) => {
    doc.on('data', (part: Buffer) => parts.push(part));
    doc.on('end', () => resolve(Buffer.concat(parts)));
    doc.on('error', reject);
  });
  write(new Sheet(doc, font));
  doc.end();
  return done;
}
