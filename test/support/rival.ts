// A process beside the test's that works on the same installation: it reads a line of work and answers with a line.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { compileCache } from './cli-process.ts';

/** Does what it is told, one piece of work after the other. */
export interface Rival<Work, Answer> {
  work(what: Work): Promise<Answer>;
  stop(): Promise<unknown>;
}

/**
 * Starts one, and waits until it has said that it is ready.
 *
 * @param script its file in this folder
 * @param cwd of the installation
 * @param env of the installation, beside what is said already
 */
export async function startRival<Work, Answer>(
  script: string,
  cwd: string,
  databaseUrl: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Rival<Work, Answer>> {
  const child = spawn(process.execPath, [join(import.meta.dirname, script)], {
    cwd,
    env: {
      PATH: '/usr/bin:/bin',
      HOME: cwd,
      NODE_COMPILE_CACHE: compileCache,
      APPCTL_DATA_DIR: join(cwd, 'data'),
      APPCTL_DATABASE_URL: databaseUrl,
      ...env,
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const answer = async () => JSON.parse(String((await lines.next()).value)) as Answer;
  await answer();
  return {
    work: (what) => {
      child.stdin.write(`${JSON.stringify(what)}\n`);
      return answer();
    },
    stop: () => {
      child.stdin.end();
      return ended;
    },
  };
}
