// Second names of the executable: links, and copies where a link cannot be made.
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { nameAlso } from '../../src/app/upgrade/place.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

let folder: string;
let other: string;
let file: string;
beforeEach(() => {
  folder = scratchFolder('appctl-place-', { durable: true });
  other = scratchFolder('appctl-place-');
  file = join(folder, 'appctl');
  writeFileSync(file, 'now', { mode: 0o755 });
});
afterEach(() => {
  for (const path of [folder, other]) rmSync(path, { recursive: true, force: true });
});

test('a second name takes the place of a former file, and taking it twice changes nothing', () => {
  const name = join(folder, 'previous');
  writeFileSync(name, 'before');
  nameAlso(file, name);
  nameAlso(file, name);
  expect([readFileSync(name, 'utf8'), statSync(name).ino]).toEqual(['now', statSync(file).ino]);
  expect(statSync(file).nlink).toBe(2);
});

test('where no link can be made, it is a copy that runs', () => {
  // Memory and disk are two file systems, where the machine has both.
  const name = join(other, 'previous');
  nameAlso(file, name);
  expect([readFileSync(name, 'utf8'), statSync(name).mode & 0o777]).toEqual(['now', 0o755]);
  if (!other.startsWith(tmpdir())) expect(statSync(file).nlink).toBe(1);
});
