// R13 in small: servers that are killed while they migrate leave no half step, and the next start completes.
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { migrations } from '../../src/app/migrations.ts';
import { runCli } from '../support/cli-process.ts';
import { killedAfter } from '../support/copying.ts';
import { migratedDatabaseUrl } from '../support/database.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { startServer } from '../support/server-process.ts';

let cwd: string;
let database: Awaited<ReturnType<typeof migratedDatabaseUrl>>;
const env = () => ({
  APPCTL_DATABASE_URL: database.url,
  APPCTL_AUTO_MIGRATE: 'yes',
  APPCTL_LOG_LEVEL: 'error',
});
const json = async (words: readonly string[]) => {
  const { stdout, stderr } = await runCli([...words, '--json'], { cwd, env: env() });
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout);
};
beforeAll(async () => {
  cwd = scratchFolder('appctl-killed-');
  database = await migratedDatabaseUrl();
  await (await startServer([], { cwd, env: env() })).stop();
  await json(['product', 'create', '--name', 'Editor', '--slug', 'editor']);
});
afterAll(async () => {
  await database.drop();
  rmSync(cwd, { recursive: true, force: true });
});

// The products are of the second step.
const EARLIER = ['0005-webhooks', '0049-shop-promotions', '0084-payment-disputes'];

test.each(EARLIER)(
  'from the schema before %s',
  async (target) => {
    await json(['migrate', 'down', '--to', target, '--yes']);
    const { pending } = await json(['migrate', 'status']);
    expect(pending[0].name).toBe(target);
    for (const ms of [400, 700, 1000])
      await killedAfter(['serve', '--listen', '127.0.0.1:0'], { cwd, env: env() }, ms);
    const server = await startServer([], { cwd, env: env() });
    const after = await json(['migrate', 'status']);
    expect([after.applied.length, after.pending, after.unknown]).toEqual([migrations.length, [], []]);
    const { items } = await json(['product', 'list']);
    expect(items).toMatchObject([{ slug: 'editor' }]);
    await server.stop();
    expect(await json(['migrate', 'verify'])).toEqual({ drift: [] });
  },
  120_000,
);
