import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { extractNative, type NativePackage, nativeBase } from '#kernel/native.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

const shipped: Record<string, Buffer> = {
  'driver/prebuilds/driver.node': Buffer.from('a library'),
  'driver/lib/other.so': Buffer.from('a library beside it'),
};
const native: NativePackage = {
  id: '0123456789abcdef',
  files: Object.entries(shipped).map(([key, data]) => ({
    key,
    sizeBytes: data.length,
    sha256: createHash('sha256').update(data).digest('hex'),
  })),
};
const [library] = Object.keys(shipped) as [string];

let folder: string;
let base: string;
let reads: number;

const read = (key: string): Buffer => {
  reads += 1;
  return shipped[key] as Buffer;
};
const extract = () => extractNative(base, native, read);
const modeOf = (path: string) => statSync(path).mode & 0o777;

beforeEach(() => {
  folder = scratchFolder('appctl-native-');
  base = join(folder, 'deep', 'cache');
  reads = 0;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('extraction', () => {
  test('writes every file once, for us alone', () => {
    const place = extract();
    expect(place).toBe(join(base, 'native-0123456789abcdef'));
    for (const [key, data] of Object.entries(shipped)) expect(readFileSync(join(place, key))).toEqual(data);
    expect([modeOf(base), modeOf(place), modeOf(join(place, library))]).toEqual([0o700, 0o700, 0o500]);
    expect(readdirSync(base)).toEqual(['native-0123456789abcdef']);
    expect(extract()).toBe(place);
    expect(reads).toBe(2);
  });

  test.each([
    ['a changed file', (path: string) => writeFileSync(path, 'a l1brary')],
    ['a longer file', (path: string) => writeFileSync(path, 'a library and more')],
    ['a missing file', (path: string) => rmSync(path)],
  ])('%s is written anew', (_name, tamper) => {
    const path = join(extract(), library);
    chmodSync(path, 0o700);
    tamper(path);
    extract();
    expect(readFileSync(path, 'utf8')).toBe('a library');
    expect(readdirSync(base)).toEqual(['native-0123456789abcdef']);
  });

  test('files in a folder that others can write are not trusted, although their hashes are right', () => {
    const place = extract();
    chmodSync(place, 0o777);
    extract();
    expect(modeOf(place)).toBe(0o700);
    expect(reads).toBe(4);
  });
});

describe('refusals', () => {
  test.each([0o777, 0o770, 0o702])('a cache folder with mode %o', (mode) => {
    mkdirSync(base, { recursive: true });
    chmodSync(base, mode);
    expect(extract).toThrow(/nobody else can write to; set APPCTL_CACHE_DIR/);
    expect(readdirSync(base)).toEqual([]);
  });

  test('a cache folder that is a link', () => {
    mkdirSync(join(folder, 'elsewhere'), { mode: 0o700 });
    mkdirSync(join(folder, 'deep'));
    symlinkSync(join(folder, 'elsewhere'), base);
    expect(extract).toThrow(/must be a folder that belongs to this user/);
  });

  test('a place where no folder can be made', () => {
    writeFileSync(join(folder, 'deep'), 'a file');
    expect(extract).toThrow(/cannot be written to .*deep.cache \((ENOTDIR|EEXIST)\); set APPCTL_CACHE_DIR/);
  });

  test('a failure while writing leaves nothing behind', () => {
    const broken = () => {
      throw new Error('the asset is gone');
    };
    expect(() => extractNative(base, native, broken)).toThrow('the asset is gone');
    expect(existsSync(base) ? readdirSync(base) : []).toEqual([]);
  });
});

test('the cache folder: variable, then service, then XDG, then home', () => {
  const env = { APPCTL_CACHE_DIR: 'given', XDG_CACHE_HOME: '/xdg' };
  expect(nativeBase(env, '/data/cache')).toBe(resolve('given'));
  expect(nativeBase({ XDG_CACHE_HOME: '/xdg' }, '/data/cache')).toBe('/data/cache');
  expect(nativeBase({ XDG_CACHE_HOME: '/xdg' }, undefined)).toBe('/xdg/appctl');
  expect(nativeBase({ XDG_CACHE_HOME: '' }, undefined)).toBe(join(homedir(), '.cache/appctl'));
});
