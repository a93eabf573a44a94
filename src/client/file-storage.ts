import { open, readFile, rm } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { ClientError } from './errors.ts';
import { behindLinks, codeOf, type Lock, locked, replaceFile } from './file-lock.ts';
import { isMachineId, MACHINE_ID_KEY } from './machine-id.ts';
import type { ClientStorage } from './option-types.ts';
import { parseObject } from './shape.ts';

type Values = Record<string, string>;
type Change = (value: string | null) => string | null;

/** Changes of one file by this process follow one another; the lock is for the other processes. */
const turns = new Map<string, Promise<unknown>>();
/** How often a change is made anew when the lock was lost meanwhile. */
const MOST_TRIES = 3;

/**
 * Keeps values in a file that only its user may read, for all processes of that user together. The folder is created.
 * A file that is damaged is moved to `<path>.corrupt`, and as much as can be read of it is kept.
 *
 * @param path absolute: a relative one would be another file in each folder that the program is started in
 * @throws TypeError for a path that is not absolute. The calls throw ClientError STORAGE
 */
export function fileStorage(path: string): ClientStorage {
  if (typeof path !== 'string' || !isAbsolute(path)) {
    throw new TypeError(
      `fileStorage needs an absolute path, such as join(homedir(), '.editor', 'license.json'); this is ${String(path)}`,
    );
  }
  const update = (key: string, change: Change): Promise<string | null> =>
    inTurn(path, () => told(path, async () => changeFile(await behindLinks(path), key, change)));
  return {
    get: (key) => told(path, async () => valueIn((await read(path)).values, key)),
    set: async (key, value) => void (await update(key, () => value)),
    delete: async (key) => void (await update(key, () => null)),
    update,
  };
}

function inTurn<T>(path: string, work: () => Promise<T>): Promise<T> {
  const mine = (turns.get(path) ?? Promise.resolve()).then(work);
  const settled = mine.then(
    () => undefined,
    () => undefined,
  );
  turns.set(path, settled);
  void settled.then(() => {
    if (turns.get(path) === settled) turns.delete(path);
  });
  return mine;
}

async function told<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof ClientError || codeOf(cause) === '') throw cause;
    const message = `${path} cannot be read or written (${codeOf(cause)}): choose a file in a folder of the user`;
    throw new ClientError('STORAGE', message, cause);
  }
}

async function changeFile(path: string, key: string, change: Change): Promise<string | null> {
  const gone = (token: string): Promise<void> => rm(draftOf(path, token), { force: true });
  for (let tries = 1; ; tries += 1) {
    const done = await locked(path, (lock) => changeOnce(path, lock, key, change), gone);
    if (done !== 'lost') return done.value;
    if (tries >= MOST_TRIES) throw new ClientError('STORAGE', `${path} is used by too many programs at once`);
  }
}

/** @returns `lost` when nothing was written, because the lock is another one's by now */
async function changeOnce(
  path: string,
  lock: Lock,
  key: string,
  change: Change,
): Promise<{ value: string | null } | 'lost'> {
  const { values, isDamaged } = await read(path);
  const before = valueIn(values, key);
  const value = change(before);
  if (value === before && !isDamaged) return { value };
  const { [key]: _, ...others } = values;
  const text = JSON.stringify(value === null ? others : { ...others, [key]: value }, null, 2);
  const draft = draftOf(path, lock.token);
  try {
    await writeWhole(draft, `${text}\n`);
    if (!(await lock.isHeld())) return 'lost';
    if (isDamaged) await replaceFile(path, `${path}.corrupt`);
    await replaceFile(draft, path);
    return { value };
  } finally {
    await rm(draft, { force: true });
  }
}

const draftOf = (path: string, token: string): string => `${path}.${token}.new`;

/** On the disk before it is named: after a power failure there is the old file or the new one. */
async function writeWhole(file: string, text: string): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function read(path: string): Promise<{ values: Values; isDamaged: boolean }> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  });
  if (text === null) return { values: {}, isDamaged: false };
  const whole = parseObject(text);
  if (whole === null) return { values: restOf(text), isDamaged: true };
  const texts = Object.entries(whole).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return { values: Object.fromEntries(texts), isDamaged: false };
}

/** Everything else can be asked for again; another machine id would take another activation. */
function restOf(text: string): Values {
  const [, id] = /"appctl\.machine-id":\s*"([\w-]+)"/.exec(text) ?? [];
  return isMachineId(id) ? { [MACHINE_ID_KEY]: id } : {};
}

const valueIn = (values: Values, key: string): string | null =>
  Object.hasOwn(values, key) ? (values[key] ?? null) : null;
