// What `release sign` does not sign: a symbolic link, and a bundle that is still being written.
import { appendFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import * as ed25519 from '#kernel/ed25519.ts';
import { runInside } from '../support/cli-inside.ts';
import { errorOf } from '../support/cli-process.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

let folder: string;
const at = (name: string) => join(folder, name);
const run = (line: string) => runInside(line.split(' '), { cwd: folder });
const signatures = () => readdirSync(folder).filter((name) => name.includes('.sig'));

beforeEach(() => {
  folder = scratchFolder('appctl-refused-');
  writeFileSync(at('plain.key'), ed25519.privateKeyToPem(Buffer.alloc(32, 9)), { mode: 0o600 });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('a symbolic link: 2, and no file', async () => {
  writeFileSync(at('b.zip'), 'bundle');
  symlinkSync('b.zip', at('link.zip'));
  const { code, stderr } = await run('release sign link.zip --key plain.key');
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining('link.zip is a symbolic link, not a regular file'),
  ]);
  expect(signatures()).toEqual([]);
});

test('a bundle that grows while it is read: 6, and no file', async () => {
  writeFileSync(at('grows.zip'), Buffer.alloc(64 * 1024 * 1024));
  const signing = run('release sign grows.zip --key plain.key --json');
  let isOver = false;
  void signing.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    appendFileSync(at('grows.zip'), 'x');
    await new Promise((resolve) => setImmediate(resolve));
  }
  const grown = await signing;
  expect([grown.code, errorOf(grown)]).toMatchObject([
    6,
    { code: 'VERIFICATION_FAILED', message: 'grows.zip changed while it was read' },
  ]);
  expect(signatures()).toEqual([]);
});
