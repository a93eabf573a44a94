import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import pg from 'pg';
import { expect, test, vi } from 'vitest';
import { scratchFolder } from './scratch-folder.ts';

const program = `
  const { startPostgres } = await import(${JSON.stringify(join(import.meta.dirname, 'postgres.ts'))});
  const server = await startPostgres({ durable: true });
  console.log(server.url);
  process.stdin.once('data', async () => { await server.stop(); process.exit(); });`;

async function ask(url: string, sql: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  // A server that is stopped breaks the connection; the query itself then fails.
  client.on('error', () => undefined);
  const { rows } = await client.query({ text: sql, rowMode: 'array' });
  await client.end();
  return rows[0]?.[0];
}

test.each(['stop', 'SIGKILL'] as const)('a server and its folder are gone after %s', async (end) => {
  const folder = scratchFolder('appctl-watch-', { durable: true });
  const { TEST_POSTGRES_URL: _given, ...env } = process.env;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    env: { ...env, TMPDIR: folder },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  try {
    const [url] = (await once(createInterface(child.stdout), 'line')) as [string];
    expect(await ask(url, 'show fsync')).toBe('on');
    expect(await ask(url, 'show synchronous_commit')).toBe('on');
    if (end === 'stop') child.stdin.end('stop\n');
    else child.kill(end);
    await once(child, 'exit');
    await vi.waitFor(() => expect(readdirSync(folder)).toEqual([]), { timeout: 15_000, interval: 50 });
    await expect(ask(url, 'select 1')).rejects.toThrow('ECONNREFUSED');
  } finally {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
});
