import { readFileSync } from 'node:fs';
import { createRequire, stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { editDistance } from '../edit-distance.ts';
import { hookFiles, hookProblem, requireSafeFiles } from './files.ts';
import { HookError } from './hook-error.ts';
import type { HookFile, LoadedHooks } from './loaded.ts';
import type { HookFunction, HooksOptions, Subscription } from './point.ts';
import { inFile, keepFromEnding } from './stray.ts';
import { inTime } from './time.ts';

/** What `register` may take, with what it awaits. */
const REGISTER_MS = 5000;
const PHASES = ['before', 'after'] as const;

/**
 * Loads the files of the hooks directory in the order of their names and lets each subscribe.
 *
 * @throws ConfigError (78) for a file that others can change, that does not load, or whose `register` fails or names a
 *   point that does not exist
 */
export async function loadHooks({ dir, points, log }: HooksOptions): Promise<LoadedHooks> {
  const names = hookFiles(dir);
  if (names === null) return { files: [], byEvent: new Map() };
  requireSafeFiles(dir);
  const known = points.flatMap(({ name }) => PHASES.map((phase) => `${phase}:${name}`));
  const files: HookFile[] = [];
  const byEvent = new Map<string, Subscription[]>();
  if (names.length > 0) keepFromEnding(log, files);
  for (const name of names) {
    const file = await inFile(name, () => loadFile(dir, name, known));
    files.push(file);
    for (const one of file.subscriptions) byEvent.set(one.event, [...(byEvent.get(one.event) ?? []), one]);
  }
  const count = files.reduce((sum, { subscriptions }) => sum + subscriptions.length, 0);
  if (names.length > 0) log.info({ dir, files: names, subscriptions: count }, 'hooks loaded');
  return { files, byEvent };
}

async function loadFile(dir: string, name: string, known: readonly string[]): Promise<HookFile> {
  const path = join(dir, name);
  const exported = exportsOf(dir, path);
  const register = registerIn(exported);
  const subscriptions: Subscription[] = [];
  const file = { name, subscriptions, hasRegister: register !== null, strayErrors: 0, lastStray: null };
  if (register === null) {
    requireNoTypo(path, exported);
    return file;
  }
  let isOver = false;
  const registry = {
    HookError,
    on(event: unknown, run: unknown): void {
      if (isOver) throw new Error('hooks.on works while register runs, and not later');
      subscriptions.push(subscriptionOf(name, event, run, known));
    },
  };
  try {
    await inTime(() => register(Object.freeze(registry)), REGISTER_MS, 'register');
  } catch (error) {
    throw broken(dir, path, error);
  }
  isOver = true;
  return file;
}

function exportsOf(dir: string, path: string): object {
  try {
    const exported: unknown = createRequire(join(dir, 'hooks.js'))(path);
    return Object(exported) as object;
  } catch (error) {
    throw broken(dir, path, error);
  }
}

function registerIn(exported: object): ((hooks: object) => unknown) | null {
  const { register } = exported as { register?: unknown };
  return typeof register === 'function' ? (register as (hooks: object) => unknown) : null;
}

/** A file without `register` helps others; one that almost has it would be silently without effect. */
function requireNoTypo(path: string, exported: object): void {
  const close = Object.keys(exported).find((name) => editDistance(name.toLowerCase(), 'register') <= 2);
  const isDefault = typeof (exported as { default?: unknown }).default === 'function';
  if (close === undefined && !isDefault) return;
  throw hookProblem({
    message: `${path} exports ${close ?? 'a default function'} and not a function register`,
    hint: 'export function register(hooks) { ... }',
  });
}

function subscriptionOf(file: string, event: unknown, run: unknown, known: readonly string[]): Subscription {
  if (typeof event !== 'string' || !known.includes(event)) {
    const close = typeof event === 'string' ? known.find((one) => editDistance(one, event) <= 3) : undefined;
    const help = close ? `did you mean ${close}?` : `the names are ${known.join(', ')}`;
    throw new Error(`hooks.on does not know ${JSON.stringify(event) ?? String(event)}; ${help}`);
  }
  if (typeof run !== 'function') throw new Error(`hooks.on('${event}', …) needs a function`);
  return {
    ...{ file, event, run: run as HookFunction },
    ...{ runs: 0, errors: 0, refused: 0, totalMs: 0, lastError: null, lastErrorAt: null },
    ...{ underWay: 0, lateInRow: 0, lastLate: 0 },
  };
}

/** What keeps a file from loading, with the place where it happened. */
function broken(dir: string, path: string, error: unknown) {
  const { code, message } = Object(error) as { code?: unknown; message?: unknown };
  if (code === 'ERR_REQUIRE_ASYNC_MODULE')
    return hookProblem({
      message: `${path} uses await outside of any function`,
      hint: 'move it into register, which may be async',
    });
  const [says = ''] = String(message ?? error).split('\n');
  const place = placeOf(dir, error) ?? syntaxPlace(path) ?? path;
  const isTypeScript = code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX';
  return hookProblem({
    message: `${place} could not be loaded: ${says}`,
    hint: isTypeScript
      ? 'only types are removed from TypeScript: write enums, namespaces and decorators as plain JavaScript'
      : 'fix the file, or rename it to end in .disabled; appctl hooks check tests the files',
  });
}

/** `file:line` of the first frame that is one of the operator's. */
function placeOf(dir: string, error: unknown): string | null {
  const { stack } = Object(error) as { stack?: unknown };
  if (typeof stack !== 'string') return null;
  const plain = stack.replaceAll(pathToFileURL(dir).href, dir).replaceAll('file://', '');
  const at = plain.indexOf(`${dir}/`);
  return at === -1 ? null : (/^[^\n():]+:\d+/.exec(plain.slice(at))?.[0] ?? null);
}

/** Node does not say where the syntax of a module is wrong; what strips types does, of JavaScript too. */
function syntaxPlace(path: string): string | null {
  try {
    quietly(() => stripTypeScriptTypes(readFileSync(path, 'utf8')));
    return null;
  } catch (error) {
    const line = /^\S*?:(\d+)$/m.exec(String((error as Error).stack))?.[1];
    return line === undefined ? null : `${path}:${line}`;
  }
}

/** Node calls what strips types an experiment, to whoever reads the answer of a command. Its other warnings stay. */
function quietly(work: () => void): void {
  const { emitWarning } = process;
  process.emitWarning = ((...said: Parameters<typeof emitWarning>) => {
    if ((said[1] as unknown) !== 'ExperimentalWarning') Reflect.apply(emitWarning, process, said);
  }) as typeof emitWarning;
  try {
    work();
  } finally {
    process.emitWarning = emitWarning;
  }
}
