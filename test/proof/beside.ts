// Proofs of both databases side by side: most of them wait for one process, and a machine has two cores.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { scratchFolder } from '../support/scratch-folder.ts';
import type { ProofOptions } from './options.ts';
import { type DatabaseKind, exits, type Line, MissingTool, type Proof } from './parts/proof.ts';

/**
 * Runs each of the proofs on each of its databases, those of one database in a process of their own.
 *
 * @param add called with the lines of a database when its process has ended
 * @throws Error when a process ended before all of its proofs had, MissingTool when one of them lacked a tool
 */
export async function proveBeside(
  proofs: readonly Proof[],
  options: ProofOptions,
  add: (lines: readonly Line[]) => void,
): Promise<void> {
  const folder = scratchFolder('appctl-proofs-');
  try {
    await Promise.all(
      options.databases.map(async (kind) => {
        const due = proofs.filter(({ databases }) => databases.includes(kind));
        // Beside the file of all, so that a run that is ended leaves what it found.
        const json = `${options.json ?? join(folder, 'lines')}.${kind}`;
        if (due.length > 0) await proveIn(due, kind, { ...options, json }, add);
      }),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function proveIn(
  proofs: readonly Proof[],
  kind: DatabaseKind,
  { exe, rng, quick, json }: ProofOptions & { readonly json: string },
  add: (lines: readonly Line[]) => void,
): Promise<void> {
  const names = proofs.map(({ id }) => id);
  const words = [...names, '--db', kind, '--exe', exe, '--rng', String(rng), '--json', json];
  const child = spawn(
    process.execPath,
    [...process.execArgv, join(import.meta.dirname, 'index.ts'), ...words, ...(quick ? ['--quick'] : [])],
    { stdio: 'inherit' },
  );
  const end = () => void child.kill('SIGTERM');
  process.once('exit', end);
  const [code] = (await once(child, 'exit')) as [number | null];
  process.off('exit', end);
  const { lines } = existsSync(json)
    ? (JSON.parse(readFileSync(json, 'utf8')) as { lines: readonly Line[] })
    : { lines: [] };
  add(lines);
  rmSync(json, { force: true });
  if (code === exits.missing) throw new MissingTool(`a tool is missing for ${kind}`);
  const missing = names.filter((name) => !lines.some(({ id, fault }) => id === name && fault === null));
  if (missing.length > 0) throw new Error(`on ${kind} these did not come to an end: ${missing.join(', ')}`);
}
