// The command blocks of a page for people, and the shell that runs them as they are written.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** The port that the pages name; a test serves on another one. */
export const DOCUMENTED_PORT = 8480;

/** The blocks ```bash of a page; with a word behind, only those that carry it. */
export const blocksOf = (page: string, kind = ''): string[] =>
  [...page.matchAll(/^```bash ?(\w*)\n([\s\S]*?)^```$/gm)]
    .filter(([, word]) => word === kind)
    .map(([, , text = '']) => text);

/** The blocks of a page that name their file in their first line, as `// check.js` or `<!-- index.html -->`. */
export const filesOf = (page: string): { name: string; text: string }[] =>
  [
    ...page.matchAll(/^```(?:js|html)\n(?:\/\/|<!--) ([\w-]+\.(?:js|cjs|html))(?: -->)?\n([\s\S]*?)^```$/gm),
  ].map(([, name = '', text = '']) => ({ name, text }));

/** Commands in a comment `<!-- before … -->`, which readers do not see: what the page takes for granted. */
export const preparationOf = (page: string): string => /<!-- before\n([\s\S]*?)-->/.exec(page)?.[1] ?? '';

/** A port that nobody listens on; `wanted` when it is free. */
export async function freePort(wanted = 0): Promise<number> {
  const probe = createServer();
  try {
    await once(probe.listen(wanted, '127.0.0.1'), 'listening');
  } catch (error) {
    if (wanted === 0) throw error;
    return freePort();
  }
  const { port } = probe.address() as { port: number };
  await once(probe.close(), 'close');
  return port;
}

/**
 * Runs a script in bash, which ends with the first command that fails.
 * @returns its exit code and all that it wrote, each command before what it printed
 */
export function runScript(
  script: string,
  { cwd, env }: { cwd: string; env: Record<string, string> },
): Promise<{ code: number | null; output: string }> {
  // What the script left in the background would hold its output open.
  const text = `trap 'kill $(jobs -p) 2> /dev/null || true' EXIT\n${script}`;
  const child = spawn('bash', ['-euxo', 'pipefail', '-c', text], {
    cwd,
    env,
    // With a socket there bash would take itself for a remote shell and read the startup file of its user.
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return new Promise((resolve) => {
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    child.once('close', (code) => resolve({ code, output }));
  });
}
