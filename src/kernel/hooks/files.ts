import { lstatSync, readdirSync, realpathSync, type Stats } from 'node:fs';
import { join, sep } from 'node:path';
import { ConfigError, type ConfigProblem } from '../config/errors.ts';

const HOOK = /\.(ts|js|mjs)$/;
const TYPES_ONLY = /\.d\.ts$/;

/** What is wrong with who owns or may change a file; null: nothing. */
interface Fault {
  readonly path: string;
  readonly says: string;
  readonly cure: string;
}

/** Names of the files that are loaded, in their order; null when the directory does not exist. */
export function hookFiles(dir: string): string[] | null {
  let names: string[];
  try {
    names = readdirSync(dir);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return null;
    throw hookProblem({
      message: code === 'ENOTDIR' ? `${dir} is not a directory` : `${dir} cannot be read: ${message}`,
      hint: 'set hooks_dir to a directory, or remove the setting',
    });
  }
  return names
    .filter((name) => HOOK.test(name) && !TYPES_ONLY.test(name) && !name.startsWith('.'))
    .sort((a, b) => (a < b ? -1 : 1));
}

/**
 * Demands that nobody but the user of this process, or root, can change what is loaded: it runs with all that the server
 * may do (reliability M30).
 *
 * @throws ConfigError (78) naming the path and the cure
 */
export function requireSafeFiles(dir: string): void {
  const [fault] = faultsIn(dir);
  if (fault) throw hookProblem({ message: `${fault.path} ${fault.says}`, hint: fault.cure });
}

/** The first faults of the directory and of all that is in it. */
export function faultsIn(dir: string): Fault[] {
  if (process.platform === 'win32') return [];
  const root = realpathSync(dir);
  const inside = readdirSync(dir, { recursive: true, encoding: 'utf8' });
  return [dir, ...inside.map((name) => join(dir, name))].flatMap((path) => faultOf(path, root) ?? []);
}

function faultOf(path: string, root: string): Fault | null {
  const info = lstatSync(path, { throwIfNoEntry: false });
  if (!info) return null;
  if (info.isSymbolicLink() && path !== root) {
    const target = targetOf(path);
    if (target !== root && !target?.startsWith(root + sep)) return linkFault(path);
    return null;
  }
  return ownerFault(path, info) ?? writableFault(path, info);
}

const linkFault = (path: string): Fault => ({
  path,
  says: 'is a link that points outside the hooks directory',
  cure: `copy the file in its place: cp --remove-destination "$(readlink -f ${path})" ${path}`,
});

/** What somebody else owns can be changed by them; root may own everything. */
export function ownerFault(path: string, { uid }: Stats): Fault | null {
  const own = process.geteuid?.() ?? uid;
  if (uid === own || uid === 0) return null;
  return { path, says: 'belongs to another user, who could change it', cure: `chown ${own} ${path}` };
}

export function writableFault(path: string, { mode }: Stats): Fault | null {
  if ((mode & 0o022) === 0) return null;
  const shown = (mode & 0o777).toString(8);
  return { path, says: `can be changed by others (mode ${shown})`, cure: `chmod go-w ${path}` };
}

function targetOf(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}

/** A start that hooks keep from happening. */
export const hookProblem = (problem: Omit<ConfigProblem, 'key'>): ConfigError =>
  new ConfigError([{ key: 'hooks_dir', ...problem }]);
