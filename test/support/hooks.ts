// Files of an operator's hooks directory, and one whose hooks a test decides while it runs.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { storeHookPoints } from '#storefront/tools/hooks/index.ts';
import { scratchFolder } from './scratch-folder.ts';

type About = { event: string; actor: { kind: string; id: string | null; label: string | null } };
/** A hook as a test writes it. */
export type TestHook = (
  payload: Record<string, unknown>,
  about: About,
  HookError: ErrorConstructor,
) => unknown;

/** Writes a hooks directory that only this user may change. @returns its path */
export function hooksFolder(files: Readonly<Record<string, string>>): string {
  const folder = join(scratchFolder('appctl-hooks-'), 'hooks');
  mkdirSync(folder, { mode: 0o700 });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text, { mode: 0o600 });
  return folder;
}

/**
 * A hooks directory with one file that subscribes to everything, and does nothing until a test says so.
 * @returns `dir` for APPCTL_HOOKS_DIR, and `on`, by the names of subscriptions; empty it after each test
 */
export function switchboard() {
  const name = `hooks ${crypto.randomUUID()}`;
  const on: Record<string, TestHook> = {};
  Object.assign(globalThis, { [name]: on });
  const all = storeHookPoints.flatMap((point) => [`before:${point.name}`, `after:${point.name}`]);
  const dir = hooksFolder({
    'switchboard.js': `
      export function register(hooks) {
        for (const event of ${JSON.stringify(all)})
          hooks.on(event, (payload, about) => globalThis['${name}'][event]?.(payload, about, hooks.HookError));
      }`,
  });
  const clear = () => {
    for (const event of Object.keys(on)) delete on[event];
  };
  return { dir, on, clear };
}

/** A file that leaves running whatever it can: timers, a server, promises that nobody waits for. */
export const leakyFile = `
  import { createServer } from 'node:net';
  export function register(hooks) {
    setInterval(() => {}, 50);
    createServer(() => {}).listen(0, '127.0.0.1');
    for (const event of ['before:order.create', 'after:order.create', 'before:product.created'])
      hooks.on(event, () => {
        setInterval(() => {}, 1000);
        setTimeout(() => {}, 3_600_000);
        new Promise(() => {});
      });
  }`;
