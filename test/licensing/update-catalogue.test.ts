// What a process remembers of the releases of products (licensing 8.4, decision 0025): bounded, whatever they hold.
import { beforeEach, expect, it } from 'vitest';
import type { Ctx } from '#kernel/context.ts';
import { ProcessMemory } from '#kernel/process-memory.ts';
import { MOST_CHARACTERS, rememberedReleases } from '#licensing/releases/updates/catalogue.ts';

const CHANGELOG = 'x'.repeat(50_000);

/** How often releases were read, and a ctx whose products have so many of them with the longest changelog. */
let read: string[];
let isDown: boolean;
let ctx: Ctx;
beforeEach(() => {
  read = [];
  isDown = false;
  const all = (_plan: unknown, values: unknown[]) => {
    const productId = String(values[0]);
    read.push(productId);
    if (isDown) throw new Error('the disk is on fire');
    const count = Number(productId.split(' ')[1]);
    return Array.from({ length: count }, (_, n) => rowOf(`${productId} ${n}`, `1.${n}.0`));
  };
  ctx = { memory: new ProcessMemory(), db: { dialect: 'sqlite', all } } as unknown as Ctx;
});

const rowOf = (id: string, version: string) => ({
  id,
  version,
  changelog: CHANGELOG,
  min_from_version: null,
  required_entitlements: '[]',
});

const ask = (productId: string, version = 1) => rememberedReleases(ctx, productId, version);

it('is read once for a version of it, and again for a later one', async () => {
  const [one, two] = await Promise.all([ask('a 1'), ask('a 1')]);
  expect(one).toBe(two);
  expect(await ask('a 1', 2)).not.toBe(one);
  await ask('a 1', 1);
  expect(read).toEqual(['a 1', 'a 1']);
});

it('is read again after it could not be read', async () => {
  isDown = true;
  await expect(Promise.all([ask('a 1'), ask('a 1')])).rejects.toThrow('the disk is on fire');
  isDown = false;
  expect((await ask('a 1')).candidates).toHaveLength(1);
  expect(read).toEqual(['a 1', 'a 1']);
});

it('has the highest version first', async () => {
  const { candidates } = await ask('a 12');
  expect(candidates[0]?.release.version).toBe('1.11.0');
});

it('is forgotten when newer ones need the room, the oldest first; what is too much alone stays', async () => {
  const most = Math.ceil(MOST_CHARACTERS / CHANGELOG.length);
  const half = Math.floor(most / 2.2);
  for (const product of [`a ${half}`, `b ${half}`, `a ${half}`]) await ask(product);
  expect(read).toHaveLength(2);
  for (const product of ['c 100', `b ${half}`, `a ${half}`]) await ask(product);
  expect(read.slice(2)).toEqual(['c 100', `a ${half}`]);
  for (const product of [`d ${most}`, `d ${most}`, `b ${half}`]) await ask(product);
  expect(read.slice(4)).toEqual([`d ${most}`, `b ${half}`]);
});

it('holds at most 500 products', async () => {
  for (let n = 0; n < 501; n++) await ask(`${n}- 1`);
  await ask('1- 1');
  expect(read).toHaveLength(501);
  await ask('0- 1');
  expect(read).toHaveLength(502);
});
