import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, link, lstat, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { platform } from 'node:process';
import { syncFolder } from '#kernel/private-files.ts';
import { fail } from '../errors.ts';
import { looksPrivate } from './key-encoding.ts';

/** No key, signature or public-key text of any form comes near this. */
const MAX_TEXT_BYTES = 65_536;
const PRIVATE_MODE = 0o600;
const PUBLIC_MODE = 0o644;
/** What file systems say that know no hard links, such as that of a memory stick. */
const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];

/** Where the public half lies: `editor.key` -> `editor.pub`, any other name gets `.pub` appended (cli 3.4). */
export const publicKeyPath = (privatePath: string): string => `${privatePath.replace(/\.key$/, '')}.pub`;

/**
 * Reads a small text file of at most 64 KiB.
 *
 * @returns null when there is no such file
 * @throws AppError VALIDATION_ERROR when it is no regular file or too large
 */
export async function readSmallFile(path: string): Promise<string | null> {
  const bytes = await readRegular(path, () => undefined);
  return bytes === null ? null : bytes.toString('utf8');
}

/** Reads a small file as bytes, like readSmallFile: a detached signature may be raw. */
export const readSmallBytes = (path: string): Promise<Buffer | null> => readRegular(path, () => undefined);

/**
 * Reads the text of a private key file.
 *
 * @throws AppError UNAUTHORIZED when group or others may read it (reliability M12); VALIDATION_ERROR when it is missing
 *   or holds a public key
 */
export async function readPrivateFile(path: string): Promise<string> {
  await refusePublicFile(path);
  const bytes = await readRegular(path, (mode) => {
    if (platform === 'win32' || (mode & 0o077) === 0) return;
    const octal = (mode & 0o777).toString(8).padStart(4, '0');
    throw fail('UNAUTHORIZED', `${path} is open to other users (mode ${octal}); run: chmod 600 ${path}`, {
      details: { reason: 'KEY_FILE_EXPOSED', path },
    });
  });
  if (bytes === null) throw fail('VALIDATION_ERROR', `key file ${path} was not found`, { details: { path } });
  return bytes.toString('utf8');
}

/** A public key is open to everybody, and chmod would not make it a private one. */
async function refusePublicFile(path: string): Promise<void> {
  const text = await readSmallFile(path);
  if (text === null || looksPrivate(text)) return;
  // What no key can be is told before its mode: nobody has to close an archive to others.
  if (/[^\t\n\r -~]/.test(text))
    throw fail('VALIDATION_ERROR', `${path} is not a private key`, {
      details: { reason: 'NO_KEY', path, hint: 'pass the key file that appctl keys generate wrote' },
    });
  if (!/PUBLIC KEY-----|minisign public key/.test(text)) return;
  const named = path.endsWith('.pub') ? `${path.slice(0, -'.pub'.length)}.key` : 'the private key file';
  throw fail('VALIDATION_ERROR', `${path} is not a private key: it contains a public key`, {
    details: { reason: 'PUBLIC_KEY', path, hint: `pass ${named} instead` },
  });
}

/** What a path names that is there and no file. */
export const noFile = (path: string, isFolder: boolean) =>
  isFolder
    ? fail('VALIDATION_ERROR', `${path} is a directory, not a regular file`, {
        details: { path, hint: 'choose a file inside it' },
      })
    : fail('VALIDATION_ERROR', `${path} is not a regular file`, { details: { path } });

async function readRegular(path: string, check: (mode: number) => void): Promise<Buffer | null> {
  let file: FileHandle;
  try {
    // Without O_NONBLOCK the open of a named pipe would wait for its writer for ever.
    file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
  try {
    const stat = await file.stat();
    if (!stat.isFile()) throw noFile(path, stat.isDirectory());
    check(stat.mode);
    if (stat.size > MAX_TEXT_BYTES)
      throw fail('VALIDATION_ERROR', `${path} is too large`, { details: { path } });
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/**
 * Writes a private key (0600) and its public half beside it.
 *
 * @param privatePath where the private text goes; the public one goes to publicKeyPath
 * @param force replaces existing files
 * @returns both paths
 * @throws AppError CONFLICT when either file exists and force is not set; neither is written then
 */
export async function writeKeyPair(
  privatePath: string,
  texts: { privateText: string; publicText: string },
  force: boolean,
): Promise<{ privateKeyFile: string; publicKeyFile: string }> {
  const publicPath = publicKeyPath(privatePath);
  if (!force) await refuseExisting([privatePath, publicPath]);
  const parts: string[] = [];
  try {
    // Both are on the disk before either has its name: a full disk must not leave halves of two keys side by side.
    parts.push(await writePart(privatePath, texts.privateText, PRIVATE_MODE));
    parts.push(await writePart(publicPath, texts.publicText, PUBLIC_MODE));
    await namePart(parts[0] ?? '', privatePath, force);
    await namePart(parts[1] ?? '', publicPath, force).catch(async (error) => {
      if (!force) await rm(privatePath);
      throw error;
    });
  } finally {
    for (const part of parts) await rm(part, { force: true });
  }
  return { privateKeyFile: privatePath, publicKeyFile: publicPath };
}

/** Throws AppError CONFLICT naming the first of the paths at which something exists, be it a broken link. */
export async function refuseExisting(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const found = await lstat(path).catch((error) => {
      if (isMissing(error)) return null;
      throw error;
    });
    if (found) throw alreadyExists(path);
  }
}

/**
 * Writes a file whole or not at all, whatever ends the process meanwhile, and so that a power cut leaves it there: what
 * comes next may rely on a key that nobody could make again.
 *
 * @param mode permission bits, whatever the umask allows beyond them
 * @throws AppError CONFLICT when the file exists and force is not set, VALIDATION_ERROR when its folder does not
 */
export async function writeTextFile(
  path: string,
  text: string,
  how: { mode: number; force: boolean },
): Promise<void> {
  const part = await writePart(path, text, how.mode);
  try {
    await namePart(part, path, how.force);
  } finally {
    await rm(part, { force: true });
  }
}

/** Writes a text beside the path that it is for. @returns the file that holds it; none is left when this fails */
async function writePart(path: string, text: string, mode: number): Promise<string> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  const file = await openBeside(path, temporary, mode);
  try {
    await file.chmod(mode);
    await file.writeFile(text);
    await file.sync();
    return temporary;
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

async function namePart(part: string, path: string, force: boolean): Promise<void> {
  if (force) await rename(part, path);
  else await nameNew(part, path);
  syncNames(dirname(path));
}

async function openBeside(path: string, temporary: string, mode: number): Promise<FileHandle> {
  try {
    return await open(temporary, 'wx', mode);
  } catch (error) {
    if (isMissing(error))
      throw fail('VALIDATION_ERROR', `the folder of ${path} does not exist`, { details: { path } });
    throw error;
  }
}

/** Gives a file its name, unless something has it. */
async function nameNew(temporary: string, path: string): Promise<void> {
  try {
    await link(temporary, path);
  } catch (error) {
    if (isErrno(error, 'EEXIST')) throw alreadyExists(path);
    if (!NO_LINKS.some((code) => isErrno(error, code))) throw error;
    await refuseExisting([path]);
    await rename(temporary, path);
  }
}

/** A folder that its user may write and not read cannot be synced, nor can any on Windows. */
function syncNames(folder: string): void {
  try {
    syncFolder(folder);
  } catch (error) {
    if (!['EACCES', 'EPERM', 'EISDIR', 'EINVAL'].some((code) => isErrno(error, code))) throw error;
  }
}

const alreadyExists = (path: string) =>
  fail('CONFLICT', `${path} already exists; --force replaces it`, {
    details: { reason: 'FILE_EXISTS', path },
  });

/** Nothing is there, or one of the folders on the way is none. */
const isMissing = (error: unknown): boolean => isErrno(error, 'ENOENT') || isErrno(error, 'ENOTDIR');

const isErrno = (error: unknown, code: string): boolean => (error as NodeJS.ErrnoException).code === code;
