// What is taken for a picture, judged by its bytes alone, and what is made of it.
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { describe, expect, it, test } from 'vitest';
import { inspectPicture, NotAPicture, renderPicture } from '#platform/pictures/index.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

const plain = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#c33' } });
const jpeg = await plain(40, 30).jpeg().toBuffer();
const png = await plain(40, 30).png().toBuffer();
const webp = await plain(40, 30).webp().toBuffer();
const gif = await plain(40, 30).gif().toBuffer();
const svgOf = (inside: string, attributes = 'width="40" height="30"') =>
  Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ${attributes}>${inside}</svg>`,
  );
const svg = svgOf('<rect width="40" height="30" fill="#c33"/>');

const reasonOf = (bytes: Buffer): string => {
  try {
    inspectPicture(bytes);
  } catch (error) {
    if (error instanceof NotAPicture) return error.reason;
    throw error;
  }
  return 'taken';
};

test.each([
  ['image/jpeg', jpeg],
  ['image/png', png],
  ['image/webp', webp],
  ['image/gif', gif],
  ['image/svg+xml', svg],
])('%s is known by its bytes', (mime, bytes) => {
  expect(inspectPicture(bytes)).toMatchObject({ mime, width: 40, height: 30 });
});

const rasters = [
  ['JPEG', jpeg],
  ['PNG', png],
  ['WebP', webp],
  ['GIF', gif],
] as const;
test.each(rasters)('a %s that was cut anywhere is refused', (_kind, bytes) => {
  for (const share of [0.2, 0.5, 0.9]) {
    const cut = bytes.subarray(0, Math.floor(bytes.length * share));
    expect(reasonOf(cut)).toMatch(/^(INCOMPLETE|UNKNOWN_TYPE)$/);
  }
  expect(reasonOf(bytes.subarray(0, -1))).toBe('INCOMPLETE');
});

test.each(rasters)('a %s with something behind it is refused', (_kind, bytes) => {
  for (const more of ['<script>alert(1)</script>', 'PK\u0003\u0004', '%PDF-1.7'])
    expect(reasonOf(Buffer.concat([bytes, Buffer.from(more)]))).toBe('MORE_THAN_A_PICTURE');
});

it('takes what cameras append: another JPEG', () => {
  expect(reasonOf(Buffer.concat([jpeg, jpeg]))).toBe('taken');
  expect(reasonOf(Buffer.concat([jpeg, Buffer.alloc(16)]))).toBe('taken');
});

it('refuses a script in what a picture says of itself', async () => {
  const noted = await plain(8, 8)
    .withExif({ IFD0: { ImageDescription: '<script>alert(1)</script>' } })
    .jpeg()
    .toBuffer();
  expect(reasonOf(noted)).toBe('MORE_THAN_A_PICTURE');
});

it('refuses more than 50 megapixels by the header', () => {
  const vast = Buffer.from(gif);
  vast.writeUInt16LE(60_000, 6);
  vast.writeUInt16LE(60_000, 8);
  expect(reasonOf(vast)).toBe('TOO_LARGE');
  expect(reasonOf(svgOf('', 'width="100000" height="100000"'))).toBe('TOO_LARGE');
  const large = Buffer.from(jpeg);
  large.writeUInt16BE(60_000, large.indexOf(Buffer.from([0xff, 0xc0])) + 5);
  large.writeUInt16BE(60_000, large.indexOf(Buffer.from([0xff, 0xc0])) + 7);
  expect(reasonOf(large)).toBe('TOO_LARGE');
});

test.each([
  ['nothing', ''],
  ['text', 'hello'],
  ['HTML', '<!doctype html><html><svg></svg></html>'],
  ['PDF', '%PDF-1.7'],
  ['a program', '\u007fELF'],
  ['TIFF', 'II*\0'],
])('%s is no picture', (_what, text) => {
  expect(reasonOf(Buffer.from(text))).toMatch(/^(UNKNOWN_TYPE|UNSAFE)$/);
});

describe('an SVG', () => {
  const clean = (inside: string): string => inspectPicture(svgOf(inside)).clean ?? '';

  test.each([
    ['a script', '<script>alert(1)</script><rect/>'],
    ['a script in CDATA', '<script><![CDATA[alert(1)]]></script><rect/>'],
    ['a handler', '<rect onload="alert(1)"/>'],
    [
      'foreign content',
      '<foreignObject><body xmlns="http://www.w3.org/1999/xhtml" onload="alert(1)"/></foreignObject><rect/>',
    ],
    ['a link that runs', '<a href="javascript:alert(1)"><rect/></a>'],
    ['a link hidden by numbers', '<a xlink:href="&#106;avascript:alert(1)"><rect/></a>'],
    ['a picture from elsewhere', '<image href="https://evil.test/alert(1)"/><rect/>'],
    ['another document', '<use href="https://evil.test/x.svg#alert(1)"/><rect/>'],
    ['a style that imports', '<style>@import "https://evil.test/alert(1)";</style><rect/>'],
    ['a style that loads', '<rect style="fill:url(https://evil.test/alert(1))"/>'],
    ['a style that escapes', '<rect style="fill:\\75rl(https://evil.test/alert(1))"/>'],
    ['an animation of an address', '<a><set attributeName="href" to="javascript:alert(1)"/><rect/></a>'],
  ])('loses %s', (_what, inside) => {
    const text = clean(inside);
    expect(text).not.toMatch(/alert|evil|script/);
    expect(text).toContain('<rect');
  });

  test.each([
    ['a DOCTYPE', Buffer.concat([Buffer.from('<!DOCTYPE svg [<!ENTITY a "b">]>'), svg])],
    ['an unknown name', svgOf('<text>&evil;</text>')],
    ['elements that do not close', svgOf('<g>')],
    ['attributes without quotes', svgOf('<rect width=4/>')],
    ['two drawings', Buffer.concat([svg, svg])],
    ['UTF-16', Buffer.concat([svg, Buffer.from([0xff, 0xfe])])],
    ['six thousand elements', svgOf('<g/>'.repeat(6000))],
    ['300 repeated parts', svgOf(`<g id="a"/>${'<use href="#a"/>'.repeat(300)}`)],
    ['a part that repeats itself', svgOf('<g id="a"><use href="#a"/></g>')],
    [
      'repetitions of repetitions',
      svgOf(
        ['a', 'b', 'c', 'd', 'e']
          .map((id, i, all) => `<g id="${id}">${`<use href="#${all[i + 1] ?? 'z'}"/>`.repeat(9)}</g>`)
          .join(''),
      ),
    ],
    ['more than a megabyte', svgOf(`<desc>${'x'.repeat(1_100_000)}</desc>`)],
  ])('with %s is refused', (_what, bytes) => {
    expect(reasonOf(bytes)).toBe('UNSAFE');
  });

  it('keeps what draws, and reads the same when it is cleaned again', () => {
    const text = clean(
      '<defs><linearGradient id="g"><stop offset="0"/></linearGradient></defs><rect fill="url(#g)"/><text>a &amp; b</text>',
    );
    expect(text).toContain('fill="url(#g)"');
    expect(text).toContain('a &amp; b');
    expect(inspectPicture(Buffer.from(text)).clean).toBe(text);
  });
});

describe('rendering', () => {
  const folder = scratchFolder('appctl-pictures-');
  const render = async (bytes: Buffer, drawn: number | null = null, withinMs = 20_000) => {
    const place = mkdtempSync(join(folder, 'one-'));
    const path = join(place, 'original');
    writeFileSync(path, bytes);
    const rendered = await renderPicture({ path, folder: place, quality: 82, drawn }, withinMs);
    return { rendered, read: (name: string) => readFileSync(join(place, name)) };
  };

  it('makes three sizes without what the camera noted, turned as it was held', async () => {
    const bytes = await plain(2000, 1000)
      .withExif({ IFD0: { Copyright: 'SECRET-PLACE' } })
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer();
    expect(bytes.includes('SECRET-PLACE')).toBe(true);
    const { rendered, read } = await render(bytes);
    const { width, height, files } = rendered;
    expect([width, height]).toEqual([1000, 2000]);
    expect(files.large).toMatchObject({ width: 600, height: 1200 });
    expect(Math.max(files.thumbnail.width, files.thumbnail.height)).toBe(300);
    expect(Math.max(files.medium.width, files.medium.height)).toBe(800);
    expect(Math.max(files.large.width, files.large.height)).toBe(1200);
    for (const name of ['thumbnail', 'medium', 'large'] as const) {
      const found = await sharp(read(name)).metadata();
      expect([found.format, found.width, found.exif, found.icc]).toEqual([
        'webp',
        files[name].width,
        undefined,
        undefined,
      ]);
      expect(read(name).includes('SECRET-PLACE')).toBe(false);
      expect(read(name).length).toBe(files[name].bytes);
    }
    expect(rendered.blur).toMatch(/^data:image\/webp;base64,/);
    expect(rendered.blur.length).toBeLessThan(400);
  });

  it('never enlarges pixels, and draws a drawing as large as it is shown', async () => {
    expect((await render(png)).rendered.files.large).toMatchObject({ width: 40, height: 30 });
    const { files } = (await render(svg, 40)).rendered;
    expect(files.large).toMatchObject({ width: 1200, height: 900 });
  });

  it('says of a damaged one that it is, and goes on with the next', async () => {
    const broken = Buffer.from(png);
    broken.fill(0, png.indexOf('IDAT') + 4, png.indexOf('IDAT') + 12);
    await expect(render(broken)).rejects.toThrow(NotAPicture);
    expect((await render(gif)).rendered).toMatchObject({ width: 40, height: 30 });
  });

  it('stops what takes too long', async () => {
    // Large: a busy machine sees the end of a small one before the end of its time.
    const large = await plain(4000, 3000).jpeg().toBuffer();
    await expect(render(large, null, 1)).rejects.toThrow('takes too long');
    expect((await render(webp)).rendered).toMatchObject({ width: 40, height: 30 });
  });
});
