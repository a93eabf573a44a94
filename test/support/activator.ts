// A second process that activates machines on request; see activate-process.ts.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { compileCache } from './cli-process.ts';

/** Activates machines at once in another process, and tells what came of each. */
export type Activator = {
  /** @returns per machine `activated`, or the code of its refusal */
  activate(licenseKey: string, machineIds: string[]): Promise<string[]>;
  stop(): Promise<unknown>;
};

/**
 * Starts the process and waits until it is ready.
 * @param env names the installation: APPCTL_DATA_DIR, APPCTL_DATABASE_URL
 */
export async function startActivator(cwd: string, env: Record<string, string>): Promise<Activator> {
  const child: ChildProcess = spawn(process.execPath, [join(import.meta.dirname, 'activate-process.ts')], {
    cwd,
    env: { PATH: '/usr/bin:/bin', HOME: cwd, NODE_COMPILE_CACHE: compileCache, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  const lines = createInterface({ input: child.stdout as NonNullable<typeof child.stdout> })[
    Symbol.asyncIterator
  ]();
  const answer = async () => JSON.parse(String((await lines.next()).value)) as string[];
  await answer();
  return {
    activate: (licenseKey, machineIds) => {
      child.stdin?.write(`${JSON.stringify({ licenseKey, machineIds })}\n`);
      return answer();
    },
    stop: () => {
      child.stdin?.end();
      return ended;
    },
  };
}
