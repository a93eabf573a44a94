// An export from a server that lies: its pictures stay in their folder, and are what they are called.
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { runInside } from '../support/cli-inside.ts';
import { errorOf } from '../support/cli-process.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

let folder: string;
let server: Server;
let named: unknown;
beforeAll(async () => {
  folder = scratchFolder('appctl-export-hostile-');
  writeFileSync(join(folder, 'shop.key'), `ask_${'A'.repeat(43)}`, { mode: 0o600 });
  server = createServer((req, res) => {
    if (req.url?.includes('/media/')) res.setHeader('content-type', 'image/png').end('not the picture');
    else {
      const line = {
        kind: 'product',
        slug: 'a',
        title: 'A',
        type: 'physical',
        pictures: [{ sha256: named }],
      };
      res.setHeader('content-type', 'application/x-ndjson').end(`${JSON.stringify(line)}\n`);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => mkdirSync(join(folder, 'pictures'), { recursive: true }));

const written = async () => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const line = `store product export --out a.jsonl --media pictures --server ${url} --api-key-file shop.key --json`;
  const done = await runInside(line.split(' '), {
    cwd: folder,
    env: { APPCTL_DATA_DIR: join(folder, 'none'), XDG_CONFIG_HOME: join(folder, 'config') },
  });
  return { exit: done.code, ...errorOf(done) };
};

test.each(['../escaped', '/tmp/escaped', 'A'.repeat(64), '', 7, null])(
  'a picture called %j is refused, and nothing is written',
  async (name) => {
    named = name;
    expect(await written()).toMatchObject({
      exit: 6,
      code: 'VERIFICATION_FAILED',
      message: `the server names a picture by ${JSON.stringify(name)}, which is not a SHA-256 digest`,
    });
    expect(readdirSync(folder).toSorted()).toEqual(['pictures', 'shop.key']);
    expect(readdirSync(join(folder, 'pictures'))).toEqual([]);
    expect(existsSync('/tmp/escaped.png')).toBe(false);
  },
);

test('bytes with another digest than their name are refused, and not kept', async () => {
  named = 'a'.repeat(64);
  expect(await written()).toMatchObject({
    exit: 6,
    code: 'VERIFICATION_FAILED',
    message: `the server sent different bytes for the picture ${named}`,
  });
  expect(readdirSync(join(folder, 'pictures'))).toEqual([]);
});
