// Two real processes change releases of one product at the same time: what one of them did, the other one sees.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as products from '#licensing/catalog/products/index.ts';
import * as releases from '#licensing/releases/releases/index.ts';
import type { Instance } from '../../src/app/instance.ts';
import { type Installation, prepareInstallation } from '../cli/prepared-installation.ts';
import { compileCache } from '../support/cli-process.ts';
import { readEvents } from '../support/context.ts';
import { type FreshDatabase, migratedDatabaseUrl } from '../support/database.ts';
import type { ReleaseTask } from '../support/release-process.ts';
import { bundleOf, drafted, published, signedProduct } from './release-fixture.ts';

type Rival = { run(tasks: ReleaseTask[]): Promise<string[]>; stop(): Promise<unknown> };

let database: FreshDatabase;
let installation: Installation;
let instance: Instance;
let rivals: Rival[];
beforeAll(async () => {
  database = await migratedDatabaseUrl();
  installation = await prepareInstallation(database.url);
  instance = await installation.open();
  rivals = await Promise.all([startRival(), startRival()]);
});
afterAll(async () => {
  await Promise.all(rivals.map((rival) => rival.stop()));
  await instance.close();
  installation.remove();
  await database.drop();
});

async function startRival(): Promise<Rival> {
  const { cwd } = installation;
  const child = spawn(process.execPath, [join(import.meta.dirname, '../support/release-process.ts')], {
    cwd,
    env: {
      PATH: '/usr/bin:/bin',
      HOME: cwd,
      NODE_COMPILE_CACHE: compileCache,
      APPCTL_DATA_DIR: join(cwd, 'data'),
      APPCTL_DATABASE_URL: database.url,
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const answer = async () => JSON.parse(String((await lines.next()).value)) as string[];
  await answer();
  return {
    run: (tasks) => {
      child.stdin.write(`${JSON.stringify(tasks)}\n`);
      return answer();
    },
    stop: () => {
      child.stdin.end();
      return ended;
    },
  };
}

/** Outcomes of the tasks of both sides, in their order. */
const race = (...sides: ReleaseTask[][]) =>
  Promise.all(sides.map((tasks, side) => (rivals[side] as Rival).run(tasks)));
const publish = (id: string): ReleaseTask => ({ task: 'publish', id });

async function drafts(slug: string, count: number, sequence?: (n: number) => number) {
  const product = await signedProduct(instance.ctx, slug);
  const made: releases.Release[] = [];
  for (let n = 0; n < count; n++) {
    const statement = sequence ? { sequence: sequence(n) } : {};
    made.push(await drafted(instance.ctx, product, `1.0.${n}`, { statement }));
  }
  return { product, made, ids: made.map(({ id }) => id) };
}
const typesOf = async (subject: string) =>
  (await readEvents(instance.database, subject)).map(({ type }) => type);

it('a draft that both publish is published once, with one event', async () => {
  // Sequences would refuse an earlier one; none of these has a statement that another line could pass.
  const { ids } = await drafts('once', 5, (n) => n + 1);
  for (const id of ids) {
    const [[one], [two]] = (await race([publish(id)], [publish(id)])) as [[string], [string]];
    expect([one, two].sort()[1]).toBe('done');
    expect(['NOT_DRAFT', 'CHANGED_MEANWHILE']).toContain([one, two].sort()[0]);
    expect((await typesOf(id)).filter((type) => type === 'RELEASE_PUBLISHED')).toHaveLength(1);
  }
});

it('of crossing sequences none is published after a higher one', async () => {
  const { product, made, ids } = await drafts('crossing', 12, (n) => ((n * 5) % 12) + 1);
  const halves = [ids.filter((_, n) => n % 2 === 0), ids.filter((_, n) => n % 2 === 1)];
  const outcomes = (await race(...halves.map((half) => half.map(publish)))).flat();
  expect(new Set(outcomes)).toEqual(new Set(['done', 'SEQUENCE_NOT_RISING']));
  const out = (await releases.servableReleases(instance.ctx, product.id)).map((one) => ({
    at: String(one.publishedAt),
    sequence: Number(one.sequence),
  }));
  expect(out).toHaveLength(outcomes.filter((outcome) => outcome === 'done').length);
  expect(Math.max(...out.map(({ sequence }) => sequence))).toBe(made.length);
  for (const a of out) for (const b of out) if (a.at < b.at) expect(a.sequence).toBeLessThan(b.sequence);
});

it('a draft that is published while it is deleted is either, and never half', async () => {
  const { product, ids } = await drafts('deleted', 8, (n) => n + 1);
  for (const id of ids) {
    const [[out], [gone]] = (await race([publish(id)], [{ task: 'remove', id }])) as [[string], [string]];
    const types = await typesOf(id);
    const here = (await releases.servableReleases(instance.ctx, product.id)).some((one) => one.id === id);
    expect([out, gone, here, types.at(-1)]).toEqual(
      here
        ? ['done', 'NOT_DRAFT', true, 'RELEASE_PUBLISHED']
        : [expect.stringMatching(/^NOT_FOUND$/), 'done', false, 'RELEASE_DELETED'],
    );
  }
});

it('a slug that changes while a release is published: the release, or the slug, but not both', async () => {
  for (let round = 0; round < 4; round++) {
    const { product, ids } = await drafts(`named-${round}`, 1);
    const rename: ReleaseTask = { task: 'rename', id: product.id, slug: `renamed-${round}` };
    const [[out], [renamed]] = (await race([publish(ids[0] as string)], [rename])) as [[string], [string]];
    expect([out === 'done', renamed === 'done'].sort()).toEqual([false, true]);
    expect(out === 'done' ? renamed : out).toMatch(/^(SLUG_FROZEN|CHANGED_MEANWHILE|STATEMENT_MISMATCH)$/);
  }
});

it('a product that is deleted while it gets a release: it is gone, or it has the release', async () => {
  for (let round = 0; round < 4; round++) {
    const { id } = await products.create(instance.ctx, { name: 'P', slug: `p-${round}` });
    const create: ReleaseTask = { task: 'create', id, version: '1.0.0' };
    const [[made], [gone]] = (await race([create], [{ task: 'removeProduct', id }])) as [[string], [string]];
    expect([`${made} ${gone}`]).toContainEqual(made === 'done' ? 'done IN_USE' : 'NOT_FOUND done');
  }
});

it('bytes that are withdrawn while another release with them is published stay with it', async () => {
  for (let round = 0; round < 4; round++) {
    const product = await signedProduct(instance.ctx, `shared-${round}`);
    const bytes = bundleOf(`shared ${round}`);
    const old = await published(instance.ctx, product, '1.0.0', { bytes });
    const next = await drafted(instance.ctx, product, '1.0.1', { bytes });
    const [[out], [yanked]] = (await race([publish(next.id)], [{ task: 'yank', id: old.id }])) as [
      [string],
      [string],
    ];
    const served = (await releases.servableReleases(instance.ctx, product.id)).map(({ id }) => id);
    if (out === 'done') {
      expect(served).toContain(next.id);
      const stored = await instance.ctx.storage.open(locationOf(next));
      expect(stored?.size).toBe(bytes.length);
      await stored?.close();
      expect(['done', 'FILE_SHARED']).toContain(yanked);
    } else expect([out, yanked]).toEqual(['FILE_MISSING', 'done']);
  }
});

const locationOf = ({ bundleSha256 }: releases.Release) => `${bundleSha256?.slice(0, 2)}/${bundleSha256}`;
