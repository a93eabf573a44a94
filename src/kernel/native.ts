// Native libraries inside the executable: the operating system loads them only from files, so they are written
// once to a private cache folder and checked against the hashes of the build each time one is first needed.
import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { readAsset } from './assets.ts';
import { ConfigError } from './config/errors.ts';
import { homeFolder } from './environment.ts';
import { isOwn } from './private-files.ts';
import { folderOfOwner } from './process-identity.ts';

/** One file of a native package: its path below node_modules, its size in bytes, its hash in hex. */
export type NativeFile = { key: string; sizeBytes: number; sha256: string };

/** What one package needs on disk; the id changes with its content, so two versions never share a folder. */
export type NativePackage = { id: string; files: NativeFile[] };

/** The build writes it as the asset `native.json`, keyed by package name. */
export type NativeManifest = Record<string, NativePackage>;

const hint = 'set APPCTL_CACHE_DIR to a folder that only this user can write to and where programs can run';
const folderOf = new Map<string, string>();
let serviceBase: string | undefined;

/**
 * Names the folder for native libraries of a service, which may have no home: `serve` gives one in its data
 * directory, before it opens the database. `$APPCTL_CACHE_DIR` still goes first.
 * @param dir absolute path; made with mode 0700 when it is missing
 */
export function setNativeBase(dir: string): void {
  serviceBase = dir;
}

/** The folder for native libraries of this process, for programs that it starts. */
export const nativeFolder = (): string => nativeBase(process.env, ownBase());

/** The home of root is closed to a process that has become another user. */
function ownBase(): string | undefined {
  const folder = folderOfOwner();
  return serviceBase ?? (folder === null ? undefined : join(folder, 'native'));
}

/**
 * Loads one native library of the executable. The bundle calls it in place of `require('…/x.node')`.
 * @param packageName key in the manifest, such as `better-sqlite3`
 * @param key the library's path below node_modules
 * @returns what the library exports
 * @throws ConfigError when the folder is not safe or not writable, or when its file system forbids execution
 */
export function loadNative(packageName: string, key: string): unknown {
  const file = join(packageFolder(packageName), key);
  try {
    return createRequire(file)(file);
  } catch (cause) {
    // The loader's words for a mount with the option noexec, on Linux with glibc and with musl.
    const noexec =
      cause instanceof Error && /failed to map segment|Operation not permitted/.test(cause.message);
    if (!noexec) throw cause;
    throw unusable(`${file} cannot be loaded: its file system is mounted noexec`);
  }
}

/**
 * Makes sure that a package's files lie intact below `base`.
 * @param base absolute path of the cache folder
 * @param native the package's part of the manifest
 * @param read gives the shipped bytes of one file's key
 * @returns the folder that holds the files under their keys
 * @throws ConfigError when `base` belongs to somebody else, can be written by others, or cannot be written at all
 */
export function extractNative(base: string, native: NativePackage, read: (key: string) => Buffer): string {
  const folder = join(base, `native-${native.id}`);
  try {
    makePrivate(base);
    if (isIntact(folder, native)) return folder;
    const fresh = mkdtempSync(join(base, '.new-'));
    try {
      for (const { key } of native.files) writeLibrary(join(fresh, key), read(key));
      replaceFolder(base, folder, fresh, native);
    } finally {
      rmSync(fresh, { recursive: true, force: true });
    }
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    if (code === undefined || cause instanceof ConfigError) throw cause;
    throw unusable(`native libraries cannot be written to ${base} (${code})`);
  }
  return folder;
}

/**
 * The cache folder for native libraries, by order of precedence (packaging.md section 3).
 * @param env variables to look at
 * @param service the folder a service named, if any
 * @returns absolute path
 */
export function nativeBase(env: NodeJS.ProcessEnv, service: string | undefined): string {
  if (env.APPCTL_CACHE_DIR) return resolve(env.APPCTL_CACHE_DIR);
  if (service !== undefined) return service;
  return resolve(env.XDG_CACHE_HOME || join(homeFolder(), '.cache'), 'appctl');
}

function packageFolder(packageName: string): string {
  const known = folderOf.get(packageName);
  if (known !== undefined) return known;
  const manifest = JSON.parse(readAsset('native.json').toString('utf8')) as NativeManifest;
  const native = manifest[packageName];
  if (native === undefined) throw new Error(`this executable contains no native files of ${packageName}`);
  const base = nativeBase(process.env, ownBase());
  const folder = extractNative(base, native, (key) => zstdDecompressSync(readAsset(`native/${key}`)));
  folderOf.set(packageName, folder);
  return folder;
}

const unusable = (message: string): ConfigError =>
  new ConfigError([{ key: 'cache_dir', message: `${message}; ${hint}`, hint }]);

/** Whoever can write here runs code as us, so nobody else may. */
function makePrivate(base: string): void {
  mkdirSync(base, { recursive: true, mode: 0o700 });
  if (!isPrivate(base))
    throw unusable(`${base} must be a folder that belongs to this user and that nobody else can write to`);
}

function isPrivate(folder: string): boolean {
  const found = lstatSync(folder);
  if (!found.isDirectory()) return false;
  // Windows has neither owner ids nor these bits; a profile's folders are private there.
  return process.getuid === undefined || (isOwn(found) && (found.mode & 0o022) === 0);
}

function isIntact(folder: string, native: NativePackage): boolean {
  try {
    return isPrivate(folder) && native.files.every((file) => isUnchanged(join(folder, file.key), file));
  } catch {
    return false;
  }
}

function isUnchanged(path: string, file: NativeFile): boolean {
  const data = readFileSync(path);
  return data.length === file.sizeBytes && createHash('sha256').update(data).digest('hex') === file.sha256;
}

function writeLibrary(path: string, data: Buffer): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, data, { mode: 0o500, flag: 'wx' });
}

/** A rename shows other processes all files or none, and a process that has the old ones mapped keeps them. */
function replaceFolder(base: string, folder: string, fresh: string, native: NativePackage): void {
  const aside = mkdtempSync(join(base, '.old-'));
  try {
    renameIfThere(folder, join(aside, 'replaced'));
    renameSync(fresh, folder);
  } catch (error) {
    // Another process may have put the same files there between the two renames.
    if (!isIntact(folder, native)) throw error;
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}

function renameIfThere(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
