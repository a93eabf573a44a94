import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  ftruncateSync,
  linkSync,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { syncFolder } from '#kernel/private-files.ts';
import { CliError } from './errors.ts';
import { fileFault, isFolder } from './file-faults.ts';

/** A file that a command is going to write. */
export interface OutputAsked {
  readonly path: string;
  /** An existing file may be replaced. */
  readonly force: boolean;
  /** Permission bits; 0600 when left out. */
  readonly mode?: number;
  /** What helps when it exists; --force when left out. */
  readonly cure?: string;
}

/** A file that is open before the command makes anything. It gets its name when the command is done with it. */
export interface OutputFile {
  readonly path: string;
  /** Writes at the end. @throws CliError as `fileFault` */
  write(text: string | Uint8Array): void;
  /**
   * Runs work that makes something and keeps it, a transaction for example. What it keeps is on the disk before the
   * work goes on, stays whatever fails after the work, and is taken out again when the work itself fails.
   */
  attempt<T>(work: (keep: Keep) => Promise<T>): Promise<T>;
}

/** Writes the text of one attempt. Called again, for a transaction that is repeated, it replaces what it wrote. */
export type Keep = (text: string) => void;

type Opened = OutputFile & {
  /** Gives the file its name; without anything written there is no file. */
  name(): void;
  discard(): void;
  /** Whether it holds what must not get lost. */
  readonly holdsKept: boolean;
};

/**
 * Opens the file of a command before it makes anything that could then be shown nowhere: a folder that is missing, a
 * file that exists and a disk that cannot be written end the command while nothing has changed. The file is whole when
 * it gets its name, after the work; a work that fails leaves none, but for what `attempt` kept.
 *
 * @throws CliError 5 when the file exists, without `force`; else as `fileFault`
 */
export async function withOutputFile<T>(
  asked: OutputAsked,
  work: (file: OutputFile) => Promise<T>,
): Promise<T> {
  const file = openOutput(asked);
  try {
    const result = await work(file);
    file.name();
    return result;
  } catch (error) {
    if (file.holdsKept) file.name();
    throw error;
  } finally {
    file.discard();
  }
}

/**
 * Tries every file that a command is going to write, and leaves none: for commands whose files are written by code that
 * knows no command line, and for a dry run.
 *
 * @throws as withOutputFile
 */
export function tryOutputs(asked: readonly OutputAsked[]): void {
  for (const one of asked) openOutput(one).discard();
}

function openOutput(asked: OutputAsked): Opened {
  const path = resolve(asked.path);
  const found = statOf(path);
  if (found?.isDirectory()) throw isFolder(path);
  // Nothing is replaced in a pipe or a device: --out >(command) and /dev/fd/3 are written as they are.
  const isStream = found !== null && (found.isFIFO() || found.isCharacterDevice());
  const cure = asked.cure ?? 'choose another file, or replace it with --force';
  if (!isStream && !asked.force && isTaken(path)) throw fileExists({ asked: asked.path, path, cure });
  const temporary = isStream ? path : join(dirname(path), `.${randomBytes(6).toString('hex')}.tmp`);
  const mode = asked.mode ?? 0o600;
  const handle = guarded(path, () => openSync(temporary, isStream ? 'w' : 'wx', mode));
  if (!isStream) guarded(path, () => fchmodSync(handle, mode));
  return outputOf({ asked: asked.path, path, temporary, handle, isStream, force: asked.force, cure });
}

/** A name for a file, and what helps who may not take it. */
interface Name {
  asked: string;
  path: string;
  cure: string;
}

interface Place extends Name {
  temporary: string;
  handle: number;
  isStream: boolean;
  force: boolean;
}

/** How far a file has come. */
interface State {
  /** Bytes of it; null until something was written: a text without a letter makes a file, too. */
  size: number | null;
  holdsKept: boolean;
  isOpen: boolean;
  isNamed: boolean;
}

function outputOf(place: Place): Opened {
  const { path, temporary, handle, isStream } = place;
  const state: State = { size: null, holdsKept: false, isOpen: true, isNamed: isStream };
  const close = () => {
    if (state.isOpen) closeSync(handle);
    state.isOpen = false;
  };
  return {
    path,
    get holdsKept() {
      return state.holdsKept;
    },
    write: (text) => append(place, state, text),
    attempt: (work) => attempt(place, state, work),
    name() {
      if (!state.isOpen || state.size === null) return close();
      if (!isStream) guarded(path, () => fsyncSync(handle));
      close();
      if (!isStream) nameFile(place, state.holdsKept);
      state.isNamed = true;
    },
    discard() {
      close();
      if (!state.isNamed && !state.holdsKept) rmSync(temporary, { force: true });
    },
  };
}

function append({ path, handle, isStream }: Place, state: State, text: string | Uint8Array): void {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  guarded(path, () => writeWhole(handle, bytes, isStream ? null : (state.size ?? 0)));
  state.size = (state.size ?? 0) + bytes.byteLength;
}

async function attempt<T>(place: Place, state: State, work: (keep: Keep) => Promise<T>): Promise<T> {
  const { path, handle, isStream } = place;
  const { size } = state;
  let hasKept = false;
  const undo = () => {
    if (!isStream) ftruncateSync(handle, size ?? 0);
    state.size = size;
  };
  const keep: Keep = (text) => {
    undo();
    append(place, state, text);
    if (!isStream) guarded(path, () => fsyncSync(handle));
    hasKept = true;
  };
  try {
    const result = await work(keep);
    state.holdsKept ||= hasKept;
    return result;
  } catch (error) {
    undo();
    throw error;
  }
}

/** `writeSync` may write a part only; it does on a disk that is nearly full. */
function writeWhole(handle: number, bytes: Uint8Array, at: number | null): void {
  for (let done = 0; done < bytes.byteLength; )
    done += writeSync(handle, bytes, done, bytes.byteLength - done, at === null ? null : at + done);
}

/** @throws CliError that says where the text is, when it must not get lost and could not get its name */
function nameFile(place: Place, holdsKept: boolean): void {
  const { path, temporary, force } = place;
  try {
    if (force) renameSync(temporary, path);
    else linkNew(place);
    syncFolder(dirname(path));
  } catch (error) {
    const fault = fileFault(error, path);
    if (!holdsKept) throw fault;
    const why = fault instanceof Error ? fault.message : String(fault);
    throw new CliError(5, 'CONFLICT', `${why}; the output is in ${temporary}`, {
      hint: `move ${temporary} to where it belongs`,
      details: { path, temporary },
    });
  }
}

/** What file systems say that know no hard links, such as that of a memory stick. */
const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];

function linkNew({ temporary, ...name }: Place): void {
  const { path } = name;
  try {
    linkSync(temporary, path);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' || !NO_LINKS.includes(code) || isTaken(path))
      throw code === 'EEXIST' ? fileExists(name) : error;
    renameSync(temporary, path);
  }
  rmSync(temporary, { force: true });
}

function guarded<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw fileFault(error, path);
  }
}

/** What a path leads to; null for nothing, and for a folder on the way that is none. */
const statOf = (path: string) => guarded(path, () => statSync(path, { throwIfNoEntry: false }) ?? null);

/** A link that leads nowhere takes the name, too. */
const isTaken = (path: string): boolean =>
  guarded(path, () => lstatSync(path, { throwIfNoEntry: false }) !== undefined);

/** Details name the path as it was asked for. */
const fileExists = ({ asked, path, cure }: Name): CliError =>
  new CliError(5, 'CONFLICT', `${path} already exists`, {
    hint: cure,
    details: { reason: 'FILE_EXISTS', path: asked },
  });
