// A server whose hooks leave things running, or never end, stops all the same (reliability A183).
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { leakyFile } from '../support/hooks.ts';
import { eventually } from '../support/server-process.ts';
import { useServiceLife } from './service-life.ts';

const it = useServiceLife();

const hanging = (mark: string) => `
  import { writeFileSync } from 'node:fs';
  export function register(hooks) {
    hooks.on('after:product.created', () => {
      writeFileSync(${JSON.stringify(mark)}, '');
      return new Promise(() => {});
    });
  }`;

test('stops with 0 beside timers, a server and a call that never ends', async () => {
  const { dir } = (await it.json(['hooks', 'init'])) as { dir: string };
  const mark = join(it.cwd(), 'began');
  const files = { 'leaky.js': leakyFile, 'hanging.js': hanging(mark) };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text, { mode: 0o600 });
  const server = await it.serve();
  const scope = ['--scope', 'products:write'];
  const { secret } = await it.json(['apikey', 'create', '--service', 'store', '--name', 'a', ...scope]);
  const made = await fetch(`${server.url}/api/store/products`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${secret}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ title: 'Mug', type: 'physical', variants: [{ sku: 'MUG', price_cents: 1 }] }),
  });
  expect(made.status).toBe(201);
  await eventually(() => existsSync(mark));
  const started = performance.now();
  const { code, signal } = await server.stop();
  expect([code, signal]).toEqual([0, null]);
  // What is under way has ten seconds.
  expect(performance.now() - started).toBeLessThan(20_000);
}, 120_000);
