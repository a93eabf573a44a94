// The texts of a PDF file, page by page, read as a reader's copy and paste would give them.
import { inflateSync } from 'node:zlib';

/** Objects of a file by their numbers, each with its dictionary and its stream. */
function objectsOf(pdf: Buffer): Map<number, { head: string; stream: string }> {
  const text = pdf.toString('latin1');
  const objects = new Map<number, { head: string; stream: string }>();
  for (const match of text.matchAll(/(?:^|\n)(\d+) 0 obj\n/g)) {
    const from = (match.index ?? 0) + match[0].length;
    const end = text.indexOf('\nendobj', from);
    const at = text.indexOf('stream\n', from);
    if (at === -1 || at > end) {
      objects.set(Number(match[1]), { head: text.slice(from, end), stream: '' });
      continue;
    }
    const head = text.slice(from, at);
    const length = Number(/\/Length (\d+)/.exec(head)?.[1]);
    const bytes = pdf.subarray(at + 'stream\n'.length, at + 'stream\n'.length + length);
    const stream = head.includes('/FlateDecode') ? safely(bytes) : bytes.toString('latin1');
    objects.set(Number(match[1]), { head, stream });
  }
  return objects;
}

/** A picture is no text. */
function safely(bytes: Buffer): string {
  try {
    return inflateSync(bytes).toString('latin1');
  } catch {
    return '';
  }
}

/** Letters of a font by the numbers of their glyphs. */
function lettersOf(cmap: string): Map<string, string> {
  const letters = new Map<string, string>();
  // A ligature stands for several letters, with spaces between their numbers.
  const decode = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex').swap16().toString('utf16le');
  for (const [, first = '', , list = ''] of cmap.matchAll(/<([0-9a-f]{4})> <([0-9a-f]{4})> \[([^\]]*)\]/g))
    for (const [at, hex] of [...list.matchAll(/<([0-9a-f ]*)>/g)].entries()) {
      const code = (Number.parseInt(first, 16) + at).toString(16).padStart(4, '0');
      letters.set(code, decode(hex[1] ?? ''));
    }
  return letters;
}

/** @returns the texts of each page, a line each, in the order in which they were written */
export function pagesOf(pdf: Buffer): string[] {
  const objects = objectsOf(pdf);
  const fonts = new Map<string, Map<string, string>>();
  for (const { head } of objects.values())
    for (const [, name = '', id] of head.matchAll(/\/(F\d+) (\d+) 0 R/g)) {
      const unicode = /\/ToUnicode (\d+) 0 R/.exec(objects.get(Number(id))?.head ?? '')?.[1];
      if (unicode) fonts.set(name, lettersOf(objects.get(Number(unicode))?.stream ?? ''));
    }
  const pages = [...objects.values()].filter(({ head }) => /\/Type \/Page\b(?!s)/.test(head));
  return pages.map(({ head }) => {
    const content = objects.get(Number(/\/Contents (\d+) 0 R/.exec(head)?.[1]))?.stream ?? '';
    let font = new Map<string, string>();
    const lines: string[] = [];
    for (const [, name, shown] of content.matchAll(/\/(F\d+) [\d.]+ Tf|\[([^\]]*)\] TJ/g)) {
      if (name !== undefined) font = fonts.get(name) ?? new Map();
      else {
        const hex = [...(shown ?? '').matchAll(/<([0-9a-f]+)>/g)].map(([, part]) => part).join('');
        lines.push((hex.match(/.{4}/g) ?? []).map((code) => font.get(code) ?? '\ufffd').join(''));
      }
    }
    return lines.join('\n');
  });
}

/** Width and height of each page, in points. */
export const sizesOf = (pdf: Buffer): string[] =>
  [...pdf.toString('latin1').matchAll(/\/MediaBox \[0 0 ([\d.]+ [\d.]+)\]/g)].map(([, size = '']) => size);
