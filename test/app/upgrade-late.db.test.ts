// Upgrades that fail after the newer version has taken over, and two at once, with real processes.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { isAlive } from '#kernel/process-identity.ts';
import { lockPlace, placeOf } from '../../src/app/upgrade/place.ts';
import { NEWER_MIGRATION, writeCurrent } from '../support/newer-program.ts';
import {
  addProduct,
  begin,
  CURRENT_VERSION,
  cwd,
  env,
  exe,
  journal,
  migrationsOf,
  offered,
  products,
  status,
  upgrade,
  useUpgradeWorld,
} from '../support/upgrade-world.ts';

useUpgradeWorld();

test('a newer version that serves but is not healthy is ended before the database goes back', async () => {
  const server = await begin();
  await addProduct();
  await offered('unhealthy');
  const { failed } = await upgrade('apply');
  expect(failed).toMatchObject({
    code: 'UPGRADE_FAILED',
    message: expect.stringMatching(/^appctl 9\.0\.0 does not start: .*no such luck.* were undone/),
    details: { hint: 'no server runs now; start it as before: appctl serve' },
  });
  await expect.poll(() => isAlive(server.child.pid as number), { timeout: 20_000 }).toBe(false);
  expect((await status()).pid).toBe(null);
  expect(journal().state).toBe('undone');
  expect(await migrationsOf()).not.toContain(NEWER_MIGRATION);
  await begin();
  expect([(await status()).version, await products()]).toEqual([CURRENT_VERSION, ['editor']]);
}, 240_000);

/** Starts and ends a server as systemd does, but leaves one that is not healthy, as a unit of somebody else may. */
const SYSTEMCTL = `#!/bin/sh
echo "$*" >> systemctl.log
[ "$1" != --user ] || shift
[ "$1" != reset-failed ] || exit 0
kill "$(cat unit.pid)"
while kill -0 "$(cat unit.pid)" 2>&-; do sleep 0.1; done
[ "$1" = restart ] || exit 0
sh -c 'echo $$ > unit.pid; SYSTEMD_EXEC_PID=$$ exec bin/appctl serve --listen 127.0.0.1:0' > /dev/null 2>&1 < /dev/null &
exec bin/appctl health --wait 60 > /dev/null
`;

test('a unit whose newer version is not healthy is stopped, and serves the older one again', async () => {
  mkdirSync(join(cwd, 'tools'));
  writeFileSync(join(cwd, 'tools/systemctl'), SYSTEMCTL, { mode: 0o755 });
  const server = await begin(['sh', '-c', 'SYSTEMD_EXEC_PID=$$ exec "$0" "$@"', exe]);
  writeFileSync(join(cwd, 'unit.pid'), String(server.child.pid));
  await addProduct();
  await offered('unhealthy');
  const { failed } = await upgrade('apply');
  expect(failed).toMatchObject({
    code: 'UPGRADE_FAILED',
    message: expect.stringMatching(/systemd could not restart \S+: no such luck.* were undone/),
    details: { hint: expect.stringContaining('journalctl') },
  });
  const calls = readFileSync(join(cwd, 'systemctl.log'), 'utf8').match(/restart|stop|reset-failed/g);
  expect(calls).toEqual(['restart', 'stop', 'reset-failed', 'restart']);
  const pid = Number(readFileSync(join(cwd, 'unit.pid'), 'utf8'));
  expect(await status()).toMatchObject({ version: CURRENT_VERSION, pid });
  expect(await migrationsOf()).not.toContain(NEWER_MIGRATION);
  expect(await products()).toEqual(['editor']);
}, 240_000);

test('of two upgrades one is refused, also when it judged its offer before the other', async () => {
  await (await begin()).stop();
  await offered('sound');
  const unlock = await lockPlace(placeOf(exe));
  const refused = (await upgrade('apply')).failed;
  unlock();
  expect(refused).toMatchObject({ code: 'CONFLICT', message: 'another process upgrades this executable' });
  const late = (await upgrade('apply', { program: '0'.repeat(64) })).failed;
  expect(late).toMatchObject({ code: 'CONFLICT', message: `${exe} was replaced meanwhile` });
  expect([existsSync(placeOf(exe).journal), existsSync(placeOf(exe).next)]).toEqual([false, false]);
  // Replaced while the upgrade was interrupted.
  expect((await upgrade('apply', { diesAt: 'replacing the executable' })).signal).toBe('SIGKILL');
  writeFileSync(exe, `${readFileSync(exe, 'utf8')}# another\n`);
  expect((await upgrade('continue')).failed).toMatchObject({ message: `${exe} was replaced meanwhile` });
  expect([journal().state, existsSync(placeOf(exe).next)]).toEqual(['undone', false]);
}, 240_000);

test('on a further server of a database, the schema stays as the first one left it', async () => {
  await begin().then((server) => server.stop());
  await addProduct();
  await offered('sound');
  const first = join(cwd, 'first');
  mkdirSync(first);
  const other = join(first, 'appctl');
  writeCurrent(other);
  await upgrade('apply', { exe: other });
  await promisify(execFile)(other, ['migrate', 'up', '--no-backup'], {
    cwd,
    env: { PATH: '/usr/bin:/bin', ...env() },
  });
  const { done } = await upgrade('apply');
  expect(done).toMatchObject({
    journal: {
      state: 'done',
      isAhead: true,
      backup: null,
      schema: expect.arrayContaining([NEWER_MIGRATION]),
    },
  });
  expect(await migrationsOf()).toContain(NEWER_MIGRATION);
  expect((await upgrade('rollback', { exe: other })).done).toMatchObject({ way: 'converted' });
  expect((await upgrade('rollback')).done).toMatchObject({ way: 'unchanged' });
  expect(await migrationsOf()).not.toContain(NEWER_MIGRATION);
  await begin();
  expect(await products()).toEqual(['editor']);
}, 240_000);
