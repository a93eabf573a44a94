// A server that listens before its program is loaded: health is answered at once, everything else as soon as it can be.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { loadConfig } from '#kernel/config/load.ts';
import { logTo } from '#kernel/log.ts';
import { othersOf } from '#kernel/other-processes.ts';
import { beginListening } from '../../src/app/first-answers.ts';
import { type Instance, openInstance } from '../../src/app/instance.ts';
import { serve } from '../../src/app/serve.ts';
import { serveSoon } from '../../src/app/serve-soon.ts';
import { migratedDatabaseUrl } from '../support/database.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

let folder: string;
let dropDatabase: () => Promise<void>;
let loaded: Awaited<ReturnType<typeof loadConfig>>;
let instance: Instance;
const lines: string[] = [];
beforeEach(async () => {
  folder = scratchFolder('appctl-first-answers-');
  const { url, drop } = await migratedDatabaseUrl();
  dropDatabase = drop;
  lines.length = 0;
  const env = {
    HOME: folder,
    APPCTL_DATA_DIR: join(folder, 'data'),
    APPCTL_DATABASE_URL: url,
    APPCTL_LISTEN: '127.0.0.1:0',
    APPCTL_JOBS: 'off',
  };
  loaded = await loadConfig({ cwd: folder, env });
  const log = logTo({ write: (line) => void lines.push(line) }, 'info');
  instance = await openInstance({ config: loaded.config, log, mode: 'prepare' });
});
afterEach(async () => {
  await dropDatabase();
  rmSync(folder, { recursive: true, force: true });
});

it('answers health, has everything else wait, and loses none of it', async () => {
  const begun = await beginListening(instance, {});
  const [url] = begun.listening.urls;
  const waiting = ['/api/ready', '/api/v1/nothing', '/', '/api/health?deep'].map((path) =>
    fetch(url + path, { redirect: 'manual' }),
  );
  const post = fetch(`${url}/api/health`, { method: 'POST', body: 'x' });
  const health = await fetch(`${url}/api/health`);
  expect([health.status, await health.json()]).toMatchObject([200, { success: true, status: 'ok' }]);
  expect(health.headers.get('x-request-id')).toMatch(/^req_/);
  expect(lines.map((line) => JSON.parse(line)).find(({ msg }) => msg === 'request')).toMatchObject({
    route: '/api/health',
    status: 200,
    ip: '127.0.0.1',
  });
  const others = othersOf(instance.ctx);
  others.isFirstSilent = true;
  const silent = await fetch(`${url}/api/health`);
  others.isFirstSilent = false;
  expect([silent.status, await silent.json()]).toMatchObject([
    503,
    { error: { message: 'The first process of the server does not respond' } },
  ]);
  const gone = new AbortController();
  const left = fetch(`${url}/left`, { signal: gone.signal });
  await sleep(50);
  gone.abort();
  await expect(left).rejects.toThrow('aborted');
  expect(await Promise.race([...waiting, post, sleep(100, 'none')])).toBe('none');
  const running = await serve(instance, loaded, { begun });
  expect(running.urls).toEqual(begun.listening.urls);
  const answers = await Promise.all([...waiting, post]);
  expect(answers.map(({ status }) => status)).toEqual([200, 404, 200, 200, 404]);
  const routes = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request');
  expect(routes.map(({ status }) => status)).toEqual([
    200,
    503,
    ...routes.slice(2).map(({ status }) => status),
  ]);
  expect(routes).toHaveLength(2 + answers.length);
  await running.stop();
  await expect(fetch(`${url}/api/health`)).rejects.toThrow('fetch failed');
});

it('leaves its address when the program cannot be started', async () => {
  const broken = {
    ...loaded,
    get files(): never {
      throw new Error('broken');
    },
  };
  const listening = await beginListening(instance, {});
  const address = new URL(listening.listening.urls[0] as string).host;
  for (const server of listening.listening.servers) await server.stop();
  const places = {
    places: [
      { address: { kind: 'tcp', host: '127.0.0.1', port: Number(address.split(':')[1]) } as const, fd: null },
    ],
    isComplete: false,
  };
  await expect(serveSoon(instance, broken, { places, isInherited: false })).rejects.toThrow('broken');
  const again = await beginListening(instance, { places });
  expect(again.listening.urls).toEqual([`http://${address}`]);
  for (const server of again.listening.servers) await server.stop();
  await instance.close();
});
