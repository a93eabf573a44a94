import { isJpeg, readJpeg } from './jpeg.ts';
import { isPng, readPng } from './png.ts';
import { isGif, isWebp, readGif, readWebp } from './riff-and-gif.ts';
import { NotAPicture, type Size } from './structure.ts';
import { isSvg, type Svg, sanitizeSvg } from './svg.ts';

/** Largest picture, in pixels: 50 megapixels. */
export const MOST_PIXELS = 50_000_000;

/** What a file is, found out by its bytes alone. */
export interface Found extends Size {
  readonly mime: 'image/jpeg' | 'image/png' | 'image/webp' | 'image/gif' | 'image/svg+xml';
  /** What is kept in place of the bytes that came: an SVG without anything that runs or loads. */
  readonly clean: string | null;
}

/** In the order in which they are tried; each is walked from its first byte to its last without decoding anything. */
const rasters = [
  { mime: 'image/jpeg', is: isJpeg, read: readJpeg },
  { mime: 'image/png', is: isPng, read: readPng },
  { mime: 'image/webp', is: isWebp, read: readWebp },
  { mime: 'image/gif', is: isGif, read: readGif },
] as const;

/**
 * Judges the bytes of a picture by its structure, before anything decodes it (reliability M26): its type, that it is
 * whole, that nothing else hangs on to it, and that it is not larger than may be decoded.
 *
 * @throws NotAPicture with words for whoever sent it
 */
export function inspectPicture(bytes: Buffer): Found {
  const raster = rasters.find(({ is }) => is(bytes));
  if (raster) {
    const size = raster.read(bytes);
    requireBearable(size);
    return { mime: raster.mime, ...size, clean: null };
  }
  if (isSvg(bytes)) {
    const svg: Svg = sanitizeSvg(bytes);
    requireBearable(svg);
    return { mime: 'image/svg+xml', width: svg.width, height: svg.height, clean: svg.text };
  }
  throw new NotAPicture(
    'UNKNOWN_TYPE',
    'The file is not a JPEG, PNG, WebP, GIF or SVG picture. Convert it and upload it again',
  );
}

function requireBearable({ width, height }: Size): void {
  if (width === 0 || height === 0)
    throw new NotAPicture('EMPTY', 'The picture has no width or height. Upload another file');
  if (width * height <= MOST_PIXELS) return;
  throw new NotAPicture(
    'TOO_LARGE',
    `The picture has ${width} x ${height} pixels, more than 50 megapixels. Upload a smaller version`,
  );
}
