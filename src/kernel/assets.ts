// Read-only files that ship with the program: out of the executable, or out of the repository's folder.
import { readdirSync, readFileSync } from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';
import { getAsset, getAssetKeys, isSea } from 'node:sea';

/** True inside the built executable, false when Node runs the source. */
export const packaged: boolean = isSea();

/** The repository's root; empty inside the executable, which has none. */
export const sourceRoot: string = packaged ? '' : join(import.meta.dirname, '../..');

/**
 * One shipped file.
 * @param key path below the repository's root with forward slashes, such as `templates/layouts/page.ejs`
 * @returns a copy of its bytes
 * @throws Error naming the key when nothing of that name ships
 */
export function readAsset(key: string): Buffer {
  try {
    return packaged ? Buffer.from(getAsset(key)) : readFileSync(join(sourceRoot, requireInside(key)));
  } catch (cause) {
    throw new Error(`no file ${key} ships with this program`, { cause });
  }
}

/**
 * Keys of all shipped files below a folder.
 * @param prefix folder with forward slashes, with or without the closing one, such as `templates/mail`
 * @returns keys as `readAsset` takes them, sorted; empty when there is no such folder
 */
export function listAssets(prefix: string): string[] {
  const folder = `${prefix.replace(/\/+$/, '')}/`;
  const keys = packaged ? getAssetKeys() : filesBelow(folder);
  return keys.filter((key) => key.startsWith(folder)).sort();
}

/**
 * One template or static file below `templates/`, which the operator may replace by a file of the same path.
 * @param name path below `templates/`, such as `mail/license.ejs`
 * @param overrideDir the operator's folder (`templates_dir`); undefined when none is configured
 * @returns the bytes of the operator's file when there is one, else of the shipped one
 * @throws Error when the name leaves the folder, or when neither place holds such a file
 */
export function readTemplate(name: string, overrideDir?: string): Buffer {
  requireInside(name);
  if (overrideDir !== undefined) {
    const replaced = readIfPresent(join(overrideDir, name));
    if (replaced !== undefined) return replaced;
  }
  return readAsset(`templates/${name}`);
}

function filesBelow(folder: string): string[] {
  try {
    return readdirSync(join(sourceRoot, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(sourceRoot, join(entry.parentPath, entry.name)).split(sep).join('/'));
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

function readIfPresent(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/** A name may come from a view; it must never reach a file outside of the folder it belongs to. */
function requireInside(name: string): string {
  const leaves = name.split(/[/\\]/).includes('..') || isAbsolute(name) || name.includes('\0');
  if (leaves) throw new Error(`${JSON.stringify(name)} is not a path below the shipped files`);
  return name;
}
