// Between the date and the job's turn licenses are renewed and revoked here while another process runs the job: each
// license is told as expired once, before what was done to it, whoever came first (D34; C1, C6).
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as products from '#licensing/catalog/products/index.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import type { Instance } from '../../src/app/instance.ts';
import { type Installation, prepareInstallation } from '../cli/prepared-installation.ts';
import { compileCache } from '../support/cli-process.ts';
import { type FreshDatabase, migratedDatabaseUrl } from '../support/database.ts';
import { newestEvents } from '../support/timeline.ts';

type Counts = { expired: number; announced: number };

const COUNT = 60;
const PAST = '2026-01-01T00:00:00.000Z';
let database: FreshDatabase;
let installation: Installation;
let instance: Instance;
let job: { run(): Promise<Counts>; stop(): Promise<unknown> };
beforeAll(async () => {
  database = await migratedDatabaseUrl();
  installation = await prepareInstallation(database.url);
  instance = await installation.open();
  job = await startJob();
  await products.create(instance.ctx, { name: 'Editor', slug: 'editor' });
});
afterAll(async () => {
  await job.stop();
  await instance.close();
  installation.remove();
  await database.drop();
});

async function startJob(): Promise<typeof job> {
  const { cwd } = installation;
  const child: ChildProcess = spawn(
    process.execPath,
    [join(import.meta.dirname, '../support/expiry-process.ts')],
    {
      cwd,
      env: {
        PATH: '/usr/bin:/bin',
        HOME: cwd,
        NODE_COMPILE_CACHE: compileCache,
        APPCTL_DATA_DIR: join(cwd, 'data'),
        APPCTL_DATABASE_URL: database.url,
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  const ended = once(child, 'close');
  const lines = createInterface({ input: child.stdout as NonNullable<typeof child.stdout> })[
    Symbol.asyncIterator
  ]();
  const answer = async () => JSON.parse(String((await lines.next()).value));
  await answer();
  return {
    run: () => {
      child.stdin?.write('run\n');
      return answer();
    },
    stop: () => {
      child.stdin?.end();
      return ended;
    },
  };
}

/** Licenses whose date passed while no job ran. */
async function dueLicenses(): Promise<string[]> {
  const input = { productId: 'editor', customerEmail: 'ann@x.test' };
  const made = await Promise.all(
    Array.from({ length: COUNT }, () =>
      licenses.create(instance.ctx, input, { source: 'CLI', idempotency: null }),
    ),
  );
  const ids = made.map(({ license }) => license.id);
  await instance.database.transaction(({ knex }) =>
    knex('licenses').whereIn('id', ids).update({ valid_until: PAST }),
  );
  return ids;
}

const toldOf = async (id: string) =>
  (await newestEvents(instance.ctx, id, 100)).map(({ type }) => type).slice(1);

/** The other end of the list first, so that the two meet in the middle. */
const backwards = async (ids: readonly string[], work: (id: string) => Promise<unknown>) => {
  for (const id of ids.toReversed()) await work(id);
};

it.each([
  [
    'LICENSE_RENEWED',
    (id: string) => licenses.renew(instance.ctx, { licenseId: id }, '2099-01-01T00:00:00.000Z'),
  ],
  ['LICENSE_REVOKED', (id: string) => licenses.revoke(instance.ctx, { licenseId: id }, null)],
])('%s never skips LICENSE_EXPIRED and never doubles it', async (told, work) => {
  const ids = await dueLicenses();
  const [counts] = await Promise.all([job.run(), backwards(ids, work)]);
  expect(await Promise.all(ids.map(toldOf))).toEqual(ids.map(() => ['LICENSE_EXPIRED', told]));
  expect(counts.expired).toBe(counts.announced);
  expect(await job.run()).toEqual({ expired: 0, announced: 0 });
});
