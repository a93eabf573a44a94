// fileStorage: one file for all processes of a user, whatever happens to them.
import { execFile, spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fileStorage } from '../../src/client/file-storage.ts';
import { createMachineId } from '../../src/client/machine-id.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

const script = join(import.meta.dirname, 'storage-process.ts');
let folder: string;
beforeAll(() => {
  folder = scratchFolder('appctl-storage-');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let made = 0;
/** A place of its own, whose folder is not there yet. */
const newPlace = (): string => join(folder, `place-${(made += 1)}`, 'license.json');
const leftBeside = (file: string) => readdirSync(join(file, '..')).filter((name) => name !== 'license.json');

test('keeps values in a file of the user alone, and makes its folder', async () => {
  const file = newPlace();
  const storage = fileStorage(file);
  expect(await storage.get('a')).toBeNull();
  await storage.set('a', 'one');
  await storage.set('__proto__', 'own');
  expect(await fileStorage(file).get('a')).toBe('one');
  expect(await storage.get('__proto__')).toBe('own');
  expect(await storage.get('toString')).toBeNull();
  await storage.delete('a');
  expect(await storage.get('a')).toBeNull();
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(join(file, '..')).mode & 0o777).toBe(0o700);
  expect(leftBeside(file)).toEqual([]);
});

test('a path that is not absolute is refused: it would be another file in each folder', () => {
  expect(() => fileStorage('license.json')).toThrow(/absolute path, such as join\(homedir\(\)/);
  expect(() => fileStorage(undefined as never)).toThrow(TypeError);
});

test('calls of two objects at once undo nothing', async () => {
  const file = newPlace();
  const [one, other] = [fileStorage(file), fileStorage(file)];
  const keys = Array.from({ length: 30 }, (_, place) => `key-${place}`);
  await Promise.all(keys.map((key, place) => (place % 2 ? one : other).set(key, key)));
  expect(await Promise.all(keys.map((key) => one.get(key)))).toEqual(keys);
  const ids = await Promise.all([one, other, one].map(createMachineId));
  expect(new Set(ids).size).toBe(1);
});

test('eight processes that start at once have one machine id, and lose no change', async () => {
  const file = newPlace();
  const startAt = Date.now() + 1_500;
  const outputs = await Promise.all(
    Array.from({ length: 8 }, () =>
      promisify(execFile)(process.execPath, [script, file, String(startAt), '20']),
    ),
  );
  const said = outputs.map(({ stdout }) => JSON.parse(stdout) as { id: string; own: string });
  expect(new Set(said.map(({ id }) => id)).size).toBe(1);
  const values = JSON.parse(readFileSync(file, 'utf8'));
  expect(values.count).toBe('160');
  for (const { own } of said) expect(values[own]).toBe('19');
  expect(leftBeside(file)).toEqual([]);
}, 60_000);

test('processes that are killed at any moment leave a whole file, and the next one goes on', async () => {
  const file = newPlace();
  const id = await createMachineId(fileStorage(file));
  for (let round = 0; round < 4; round += 1) {
    const child = spawn(process.execPath, [script, file, '0', '100000']);
    await new Promise((resolve) => setTimeout(resolve, 400 + round * 37));
    child.kill('SIGKILL');
    await new Promise((resolve) => child.once('close', resolve));
    expect(JSON.parse(readFileSync(file, 'utf8'))['appctl.machine-id']).toBe(id);
  }
  const storage = fileStorage(file);
  await storage.set('after', 'all');
  expect(await storage.get('after')).toBe('all');
  expect(await createMachineId(storage)).toBe(id);
}, 60_000);

test('a lock that a dead process left is broken by one of those who wait', async () => {
  const file = newPlace();
  mkdirSync(join(file, '..'));
  writeFileSync(`${file}.lock`, 'dead');
  writeFileSync(`${file}.dead.new`, '{ "half');
  const ids = await Promise.all(
    Array.from({ length: 4 }, () => promisify(execFile)(process.execPath, [script, file, '0', '3'])),
  );
  expect(new Set(ids.map(({ stdout }) => JSON.parse(stdout).id)).size).toBe(1);
  expect(JSON.parse(readFileSync(file, 'utf8')).count).toBe('12');
  expect(leftBeside(file)).toEqual([]);
}, 60_000);

describe('a link', () => {
  test.each([
    ['to a file', true],
    ['to one that is not there yet', false],
  ])('%s stays one, and the file behind it is changed', async (_what, exists) => {
    const [file, link] = [newPlace(), newPlace()];
    for (const place of [file, link]) mkdirSync(join(place, '..'));
    if (exists) writeFileSync(file, '{ "a": "one" }');
    symlinkSync(`../${file.split('/').slice(-2).join('/')}`, link);
    await fileStorage(link).set('b', 'two');
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ ...(exists && { a: 'one' }), b: 'two' });
    expect(await fileStorage(link).get('b')).toBe('two');
    expect([...leftBeside(file), ...leftBeside(link)]).toEqual([]);
  });

  test('and the file itself are one storage: changes of both at once undo nothing', async () => {
    const [file, link] = [newPlace(), newPlace()];
    mkdirSync(join(link, '..'));
    symlinkSync(file, link);
    const keys = Array.from({ length: 20 }, (_, place) => `key-${place}`);
    await Promise.all(keys.map((key, place) => fileStorage(place % 2 ? file : link).set(key, key)));
    expect(Object.keys(JSON.parse(readFileSync(file, 'utf8'))).sort()).toEqual(keys.sort());
  });

  test('to itself is named', async () => {
    const link = newPlace();
    mkdirSync(join(link, '..'));
    symlinkSync(link, link);
    await expect(createMachineId(fileStorage(link))).rejects.toMatchObject({ code: 'STORAGE' });
  });
});

describe('a file that is damaged', () => {
  test.each([
    ['cut off', (text: string) => text.slice(0, 70)],
    ['with something behind', (text: string) => `${text}\u0000\u0000`],
  ])('%s keeps the machine id, and is set aside at the next change', async (_how, damage) => {
    const file = newPlace();
    const id = await createMachineId(fileStorage(file));
    await fileStorage(file).set('appctl.editor.token', '{"token":"license/x"}');
    const damaged = damage(readFileSync(file, 'utf8'));
    writeFileSync(file, damaged);
    const storage = fileStorage(file);
    expect(await createMachineId(storage)).toBe(id);
    expect(await storage.get('appctl.editor.token')).toBeNull();
    await storage.set('b', 'two');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ 'appctl.machine-id': id, b: 'two' });
    expect(readFileSync(`${file}.corrupt`, 'utf8')).toBe(damaged);
  });

  test.each(['', 'nonsense', '[]', '{"appctl.machine-id": "short"}'])('%j begins anew', async (text) => {
    const file = newPlace();
    mkdirSync(join(file, '..'));
    writeFileSync(file, text);
    const id = await createMachineId(fileStorage(file));
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ 'appctl.machine-id': id });
  });
});

// Root may write everywhere.
test.skipIf(process.getuid?.() === 0)('a folder that may not be written is named', async () => {
  const file = newPlace();
  mkdirSync(join(file, '..'));
  chmodSync(join(file, '..'), 0o500);
  await expect(createMachineId(fileStorage(file))).rejects.toMatchObject({ code: 'STORAGE' });
});

test('a folder in place of the file is named', async () => {
  const file = newPlace();
  mkdirSync(file, { recursive: true });
  await expect(createMachineId(fileStorage(file))).rejects.toMatchObject({
    name: 'ClientError',
    code: 'STORAGE',
    message: expect.stringContaining(file),
  });
  expect(existsSync(`${file}.lock`)).toBe(false);
});
