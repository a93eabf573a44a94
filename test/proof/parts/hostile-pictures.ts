// Files that are no pictures, more than pictures, or pictures that cost too much; and sound ones that tell of somebody.
import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';

/** A file that is refused, and how long that may take. */
export interface Hostile {
  readonly name: string;
  readonly bytes: Buffer;
  readonly withinMs: number;
}

/** Stands in the notes of sound pictures, and nowhere else. */
export const PLANTED = 'planted-note-of-r23';
const RASTER_MS = 250;
const SVG_MS = 2500;

type Kind = 'jpeg' | 'png' | 'webp' | 'gif';
const kinds: readonly Kind[] = ['jpeg', 'png', 'webp', 'gif'];

const plain = (kind: Kind, width = 400, height = 300): Promise<Buffer> =>
  sharp({
    create: {
      width,
      height,
      channels: 3,
      background: '#369',
      noise: { type: 'gaussian', mean: 120, sigma: 30 },
    },
  })
    .toFormat(kind)
    .toBuffer();

function chunk(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt32BE(body.length);
  const named = Buffer.concat([Buffer.from(type, 'latin1'), body]);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([head, named, sum]);
}

/** A PNG whose chunks are all sound. */
function pngOf(width: number, height: number, pixels: Buffer, notes: readonly Buffer[] = []): Buffer {
  const head = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 2, 0, 0, 0]);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', head),
    ...notes,
    chunk('IDAT', pixels),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

const zeros = deflateSync(Buffer.alloc(64_000_000), { level: 9 });
const svgOf = (inside: string, size = 'width="100" height="100"', before = ''): Buffer =>
  Buffer.from(
    `${before}<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ${size}>${inside}</svg>`,
  );

/** Names each ten times the one before it. */
const laughs = `<!DOCTYPE svg [<!ENTITY a0 "ha">${Array.from({ length: 9 }, (_, at) => `<!ENTITY a${at + 1} "${`&a${at};`.repeat(10)}">`).join('')}]>`;
const nested = Array.from(
  { length: 9 },
  (_, at) => `<g id="g${at + 1}">${`<use href="#g${at}"/>`.repeat(10)}</g>`,
).join('');

const bombs = (): Hostile[] =>
  Object.entries({
    'png of 60 megapixels': pngOf(10_000, 6000, zeros),
    'png of 2,500 megapixels': pngOf(50_000, 50_000, zeros),
    'png of 2^31 pixels a side': pngOf(0x7fffffff, 0x7fffffff, zeros),
    'png without height': pngOf(100, 0, zeros),
    'png with fewer pixels than it names': pngOf(7000, 7000, deflateSync(Buffer.alloc(10))),
    'png whose note swells': pngOf(10, 10, zeros, [
      chunk('zTXt', Buffer.concat([Buffer.from('a\0\0'), deflateSync(Buffer.alloc(150_000_000))])),
      chunk('iTXt', Buffer.alloc(2_000_000, 97)),
    ]),
    'png with a script in a note': pngOf(1, 1, deflateSync(Buffer.alloc(4)), [
      chunk('tEXt', Buffer.from('Comment\0<script>alert(1)</script>')),
    ]),
  }).map(([name, bytes]) => ({ name, bytes, withinMs: RASTER_MS }));

const drawings = (): Hostile[] =>
  Object.entries({
    'svg with entities': svgOf('<text>&a9;</text>', undefined, laughs),
    'svg that reads a file': svgOf(
      '<text>&x;</text>',
      undefined,
      '<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
    ),
    'svg of 60 megapixels': svgOf('<rect/>', 'width="10000" height="6000"'),
    'svg that names itself': svgOf(`<g id="g0"><rect width="1" height="1"/></g>${nested}<use href="#g9"/>`),
    'svg without an end': Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><rect'),
    'svg without a size': svgOf('<rect/>', ''),
  }).map(([name, bytes]) => ({ name, bytes, withinMs: SVG_MS }));

const strangers = (): Hostile[] =>
  Object.entries({
    html: '<!doctype html><script>alert(1)</script>',
    pdf: '%PDF-1.7\n1 0 obj\n<<>>\nendobj',
    zip: 'PK\u0003\u0004aaaaaaaaaaaa',
    program: '\u007fELF\u0002\u0001\u0001',
    script: '#!/bin/sh\nid',
    bitmap: 'BM\u0036\u0000\u0000\u0000',
    tiff: 'II*\u0000\u0008\u0000\u0000\u0000',
    avif: '\u0000\u0000\u0000\u001cftypavif',
    icon: '\u0000\u0000\u0001\u0000\u0001\u0000',
    film: '\u0000\u0000\u0000\u0018ftypmp42',
    text: 'no picture',
    'a byte': 'x',
  }).map(([name, text]) => ({ name, bytes: Buffer.from(text, 'latin1'), withinMs: RASTER_MS }));

/** What stands behind a sound picture of each kind, and how much of one is left. */
async function altered(): Promise<Hostile[]> {
  const all: Hostile[] = [];
  for (const kind of kinds) {
    const bytes = await plain(kind);
    const more = {
      script: '<script>alert(1)</script>',
      zip: 'PK\u0003\u0004',
      pdf: '%PDF-1.7',
      php: '<?php system($_GET[0]);',
    };
    for (const [name, text] of Object.entries(more))
      all.push({
        name: `${kind} and ${name}`,
        bytes: Buffer.concat([bytes, Buffer.from(text)]),
        withinMs: RASTER_MS,
      });
    for (const share of [0.1, 0.4, 0.7, 0.95])
      all.push({
        name: `${share} of a ${kind}`,
        bytes: bytes.subarray(0, Math.floor(bytes.length * share)),
        withinMs: RASTER_MS,
      });
  }
  return all;
}

/** Everything that is refused. */
export const hostileFiles = async (): Promise<Hostile[]> => [
  ...bombs(),
  ...strangers(),
  ...(await altered()),
  ...drawings(),
  {
    name: 'jpeg of 60 megapixels',
    bytes: enlarged(await plain('jpeg'), 10_000, 6000),
    withinMs: RASTER_MS,
  },
  {
    name: 'jpeg of 4,000 megapixels',
    bytes: enlarged(await plain('jpeg'), 65_500, 65_500),
    withinMs: RASTER_MS,
  },
  { name: 'gif of 3,600 megapixels', bytes: wideGif(await plain('gif'), 60_000), withinMs: RASTER_MS },
];

/** A JPEG whose frame names another size. */
function enlarged(jpeg: Buffer, width: number, height: number): Buffer {
  const bytes = Buffer.from(jpeg);
  const at = bytes.indexOf(Buffer.from([0xff, 0xc0]));
  bytes.writeUInt16BE(height, at + 5);
  bytes.writeUInt16BE(width, at + 7);
  return bytes;
}

function wideGif(gif: Buffer, side: number): Buffer {
  const bytes = Buffer.from(gif);
  bytes.writeUInt16LE(side, 6);
  bytes.writeUInt16LE(side, 8);
  return bytes;
}

/** Pictures that are taken, with what must not come out again. */
export async function tellingFiles(): Promise<{ name: string; bytes: Buffer }[]> {
  const noted = async (kind: 'jpeg' | 'webp' | 'png') =>
    sharp(await plain(kind))
      .withExif({ IFD0: { Artist: PLANTED }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 0/1' } })
      .toFormat(kind)
      .toBuffer();
  return [
    { name: 'jpeg with a place', bytes: await noted('jpeg') },
    { name: 'webp with a place', bytes: await noted('webp') },
    { name: 'png with a place', bytes: await noted('png') },
    {
      name: 'svg with a script',
      bytes: svgOf(
        `<script>/* ${PLANTED} */</script><desc>${PLANTED}</desc><rect width="90" height="90" onload="alert(1)"/>`,
      ),
    },
  ];
}
