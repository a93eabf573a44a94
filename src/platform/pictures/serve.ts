// What the process that renders does. It loads the one library that decodes pictures, and nothing of the server.
import { writeFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { constants } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { yieldToOthers } from '#kernel/process-priority.ts';
import type { Asked, Rendered, RenderedFile, RenderOrder, VariantName } from './types.ts';
import { VARIANTS } from './types.ts';

const MOST_PIXELS = 50_000_000;
const BLUR_EDGE = 16;
const BLUR_QUALITY = 30;
/** What a drawing is rasterized with when it is not enlarged. */
const DENSITY = 72;
const MOST_DENSITY = 2400;

/** Renders what the parent orders, one after the other, until it is gone. */
export function serveOrders(): void {
  // Whoever answers requests goes first, and when memory runs out this process is the one to end.
  yieldToOthers(constants.priority.PRIORITY_BELOW_NORMAL);
  if (process.platform === 'linux') writeFileSync('/proc/self/oom_score_adj', '1000');
  sharp.cache(false);
  sharp.concurrency(1);
  process.on('disconnect', () => process.exit());
  process.on('message', (asked: Asked) => void answer(asked));
}

async function answer(asked: Asked): Promise<void> {
  const outcome = await render(asked).then(
    (rendered) => ({ rendered }),
    (error: Error) => ({ failure: error.message }),
  );
  process.send?.({ id: asked.id, rssBytes: process.memoryUsage.rss(), ...outcome });
}

/** Decodes once into pixels of the largest variant, from which all others are made. */
async function render({ path, folder, quality, drawn }: RenderOrder): Promise<Rendered> {
  const density = drawn === null ? DENSITY : Math.min((DENSITY * VARIANTS.large) / drawn, MOST_DENSITY);
  const source = sharp(path, {
    limitInputPixels: MOST_PIXELS,
    failOn: 'error',
    pages: 1,
    sequentialRead: true,
    density,
  });
  const { autoOrient } = await source.metadata();
  const { data, info } = await source
    .autoOrient()
    .resize(VARIANTS.large, VARIANTS.large, { fit: 'inside', withoutEnlargement: true })
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  const pixels = (edge: number) =>
    sharp(data, { raw: { width, height, channels } }).resize(edge, edge, {
      fit: 'inside',
      withoutEnlargement: true,
    });
  const blur = await pixels(BLUR_EDGE).webp({ quality: BLUR_QUALITY }).toBuffer();
  const one = async (name: VariantName): Promise<RenderedFile> => {
    const file = join(folder ?? '', name);
    const made = await pixels(VARIANTS[name]).webp({ quality }).toFile(file);
    return { width: made.width, height: made.height, bytes: (await stat(file)).size };
  };
  const none = { width, height, bytes: 0 };
  const files =
    folder === null
      ? { thumbnail: none, medium: none, large: none }
      : { thumbnail: await one('thumbnail'), medium: await one('medium'), large: await one('large') };
  return {
    width: autoOrient.width,
    height: autoOrient.height,
    blur: `data:image/webp;base64,${blur.toString('base64')}`,
    files,
  };
}
