// Pictures are rendered by a process that the program starts of itself, wherever it lies: as sources and as a bundle.
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { program, sourceProgram } from '../support/cli-process.ts';
import { type Installation, prepareInstallation } from './prepared-installation.ts';

let it: Installation;
beforeEach(async () => {
  it = await prepareInstallation();
});
afterEach(() => it.remove());

/** A picture of the library that nobody has rendered yet. */
async function stored(): Promise<void> {
  const background = { r: 40, g: 80, b: 120 };
  const bytes = await sharp({ create: { width: 60, height: 40, channels: 3, background } })
    .png()
    .toBuffer();
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  mkdirSync(join(it.cwd, 'pictures'));
  writeFileSync(join(it.cwd, 'pictures', `${sha256}.png`), bytes);
  const line = { kind: 'product', slug: 'mug', title: 'Mug', type: 'physical', pictures: [{ sha256 }] };
  writeFileSync(join(it.cwd, 'products.jsonl'), JSON.stringify(line));
  const report = await it.answer(['store', 'product', 'import', 'products.jsonl', '--media', 'pictures']);
  expect(report).toMatchObject({ created: 1, pictures: 1 });
}

test.each([
  ['its sources', sourceProgram],
  ['a bundle of them', program],
])('a picture is rendered by %s', async (_what, script) => {
  await stored();
  const run = await it.appctl(['jobs', 'run', 'media-variants', '--json'], { script });
  expect([run.code, run.stderr]).toEqual([0, '']);
  expect(JSON.parse(run.stdout)).toMatchObject({ status: 'ok', result: { ready: 1, failed: 0 } });
});
