// Upgrades of a running server, with real processes: forward, back by itself, back on request, and killed between.
import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isAlive } from '#kernel/process-identity.ts';
import { placeOf } from '../../src/app/upgrade/place.ts';
import { runCli } from '../support/cli-process.ts';
import { NEWER_MIGRATION, NEWER_VERSION, newVendor, writeCurrent } from '../support/newer-program.ts';
import {
  addProduct,
  begin,
  CURRENT_VERSION,
  cwd,
  env,
  exe,
  file,
  journal,
  json,
  migrationsOf,
  offered,
  products,
  status,
  upgrade,
  useUpgradeWorld,
  vendor,
} from '../support/upgrade-world.ts';

useUpgradeWorld();

test('the running server goes on as the newer version, and back after it was stopped', async () => {
  const server = await begin();
  await offered('sound');
  await addProduct();
  const came = (await upgrade('apply')).done;
  if (typeof came !== 'object') throw new Error(String(came));
  expect(came.journal).toMatchObject({ state: 'done', from: { version: CURRENT_VERSION }, back: 'convert' });
  expect(came.journal.backup).toMatch(/^appctl-backup-.*-pre-upgrade\.tar\.zst$/);
  const now = await status();
  expect(now).toMatchObject({ version: NEWER_VERSION, pid: came.restarted?.pid });
  expect(now.pid).not.toBe(server.child.pid);
  const health = (await (await fetch(new URL('/api/health', server.url))).json()) as object;
  expect(health).toMatchObject({ success: true, status: 'ok' });
  expect(await migrationsOf()).toContain(NEWER_MIGRATION);
  process.kill(now.pid as number, 'SIGTERM');
  await expect.poll(() => isAlive(now.pid as number), { timeout: 20_000 }).toBe(false);
  expect((await upgrade('rollback')).done).toMatchObject({ way: 'converted', backup: expect.any(String) });
  expect(journal().state).toBe('undone');
  expect(existsSync(placeOf(exe).next)).toBe(false);
  expect(await migrationsOf()).not.toContain(NEWER_MIGRATION);
  expect(await status()).toMatchObject({ version: CURRENT_VERSION });
  expect(await products()).toEqual(['editor']);
}, 240_000);

test('before any server has run, the executable alone is replaced', async () => {
  await offered('sound');
  const came = await upgrade('apply');
  expect(came.done).toMatchObject({
    journal: { state: 'done', schema: null, backup: null, to: { version: NEWER_VERSION } },
    restarted: null,
  });
  expect(existsSync(join(cwd, 'data'))).toBe(false);
  await begin();
  expect(await status()).toMatchObject({ version: NEWER_VERSION });
}, 240_000);

test.each(['ends-after-migrating'] as const)(
  'a newer version whose server %s is gone again, and the server of before never stopped',
  async (health) => {
    const server = await begin();
    await addProduct();
    await offered(health);
    const { failed } = await upgrade('apply');
    expect(failed).toMatchObject({ code: 'UPGRADE_FAILED', details: { rolledBack: true } });
    expect(failed?.message).toMatch(
      /^appctl 9\.0\.0 does not start: it ended with 3 after \d+ s\. appctl 0\.1\.0 is back/,
    );
    expect(await status()).toMatchObject({ version: CURRENT_VERSION, pid: server.child.pid });
    expect(await migrationsOf()).not.toContain(NEWER_MIGRATION);
    expect(await products()).toEqual(['editor']);
    expect([existsSync(placeOf(exe).next), existsSync(placeOf(exe).previous)]).toEqual([false, false]);
    expect(journal().state).toBe('undone');
  },
  240_000,
);

test.each([
  ['replacing the executable', 'sound', CURRENT_VERSION],
  ['starting the new version', 'sound', NEWER_VERSION],
  ['returning to the version before', 'ends-after-migrating', CURRENT_VERSION],
] as const)(
  'killed at "%s" (%s) the next start works, or says what to run',
  async (diesAt, health, version) => {
    const server = await begin();
    await addProduct();
    await offered(health);
    expect((await upgrade('apply', { diesAt })).signal).toBe('SIGKILL');
    await server.stop('SIGKILL');
    if (health === 'sound') {
      const next = await begin();
      expect(await status()).toMatchObject({ version, pid: next.child.pid });
      expect(await products()).toEqual(['editor']);
    }
    const again = existsSync(placeOf(exe).journal) ? await upgrade('continue') : await upgrade('apply');
    if (health === 'sound') {
      expect(again.done).toMatchObject({ journal: { state: 'done' } });
      expect(await status()).toMatchObject({ version: NEWER_VERSION });
    } else {
      // No server runs any more that could show what is wrong with the newer version.
      expect(again.done).toMatchObject({ journal: { state: 'done' }, restarted: null });
      expect((await upgrade('rollback')).done).toMatchObject({ way: 'converted' });
      await begin();
      expect(await status()).toMatchObject({ version });
    }
    expect(await products()).toEqual(['editor']);
  },
  240_000,
);

test('a rollback to the backup has what was there before, and keeps the rest in another one', async () => {
  const server = await begin();
  await server.stop();
  await offered('sound');
  expect((await upgrade('apply')).done).toMatchObject({ journal: { state: 'done' }, restarted: null });
  const migrated = await begin();
  await addProduct();
  await migrated.stop();
  expect(await upgrade('rollback', { back: 'restore' })).toMatchObject({ done: { way: 'restored' } });
  const { items } = await json<{ items: { label: string }[] }>(['backup', 'list']);
  expect(items.map(({ label }) => label)).toContain('pre-restore');
  await begin();
  expect([(await status()).version, await products()]).toEqual([CURRENT_VERSION, []]);
}, 240_000);

test('an older program refuses the newer schema, and names the backup that leads back', async () => {
  const server = await begin();
  await addProduct();
  await offered('sound');
  const { done } = await upgrade('apply');
  if (typeof done !== 'object') throw new Error(String(done));
  process.kill(done.restarted?.pid as number, 'SIGKILL');
  await server.stop('SIGKILL');
  writeCurrent(exe);
  const { code, stderr } = await runCli(['serve'], { cwd, env: env() });
  expect([code, stderr]).toEqual([
    5,
    expect.stringContaining(`the database was migrated by a newer appctl (it has ${NEWER_MIGRATION})`),
  ]);
  const cure =
    /appctl restore (\S+)( --no-backup)? --confirm appctl/.exec(stderr)?.[0].split(' ').slice(1) ?? [];
  const restored = await runCli(cure, { cwd, env: env() });
  expect([restored.code, restored.code === 0 ? '' : restored.stderr]).toEqual([0, '']);
  await begin();
  expect(await products()).toEqual(['editor']);
}, 240_000);

test('what is not a newer release for this machine is refused before anything changes', async () => {
  await offered('sound');
  const refused = async () => (await upgrade('apply')).failed;
  await vendor.sign(file, { version: '0.0.9' });
  expect(await refused()).toMatchObject({ code: 'CONFLICT', message: expect.stringContaining('not newer') });
  await vendor.sign(file, { arch: process.arch === 'x64' ? 'arm64' : 'x64' });
  expect(await refused()).toMatchObject({
    code: 'VERIFICATION_FAILED',
    message: expect.stringMatching(/is for (arm64|x64)/),
  });
  await vendor.sign(file, { product: 'editor' });
  expect(await refused()).toMatchObject({ code: 'VERIFICATION_FAILED' });
  await vendor.sign(file, null);
  expect(await refused()).toMatchObject({ message: expect.stringContaining('has no statement') });
  await newVendor().sign(file);
  expect(await refused()).toMatchObject({ code: 'VERIFICATION_FAILED' });
  // Signed, but another version than its statement says.
  await vendor.sign(file, { version: '9.1.0' });
  expect(await refused()).toMatchObject({ message: expect.stringContaining('says that it is 9.0.0') });
  await vendor.sign(file);
  copyFileSync(exe, file);
  expect(await refused()).toMatchObject({ code: 'VERIFICATION_FAILED' });
  expect([existsSync(placeOf(exe).journal), existsSync(placeOf(exe).next)]).toEqual([false, false]);
}, 240_000);
