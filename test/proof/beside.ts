// Proofs side by side: most of them wait for one process, and a machine has several cores.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { scratchFolder } from '../support/scratch-folder.ts';
import { type DatabaseKind, exits, type Line, MissingTool, type Proof } from './parts/proof.ts';
import { RunRecord, readRecord, type Terms } from './record.ts';

/** A proof on one database. */
export interface Pair {
  readonly proof: Proof;
  readonly kind: DatabaseKind;
}

/** One lane more than cores: proofs often wait for a disk or a clock. */
const LANES = availableParallelism() + 1;

/**
 * Runs each pair in a process of its own; those that take longest begin first.
 *
 * @param add called with the lines of a pair when its process has ended
 * @returns pairs whose process ended before they had, in words
 * @throws MissingTool once all others have ended, when one of them lacked a tool
 */
export async function proveBeside(
  pairs: readonly Pair[],
  { exe, terms }: { readonly exe: string; readonly terms: Terms },
  add: (lines: readonly Line[]) => void,
): Promise<string[]> {
  const folder = scratchFolder('appctl-proofs-');
  const clear = (): void => rmSync(folder, { recursive: true, force: true });
  process.once('exit', clear);
  const unfinished: string[] = [];
  const lacking: string[] = [];
  const longestFirst = pairs.toSorted((a, b) => (b.proof.minutes ?? 0) - (a.proof.minutes ?? 0));
  try {
    await inLanes(longestFirst, async (pair) => {
      const name = `${pair.proof.id} on ${pair.kind}`;
      const json = join(folder, `${pair.proof.id}-${pair.kind}.json`);
      const { code, lines } = await proveApart(pair, exe, json, terms);
      add(lines);
      if (code === exits.missing) lacking.push(name);
      else if (!lines.some(({ fault }) => fault === null)) unfinished.push(name);
    });
  } finally {
    process.off('exit', clear);
    clear();
  }
  if (lacking.length > 0) throw new MissingTool(`a tool is missing for ${lacking.join(', ')}`);
  return unfinished;
}

/** Never two of the same proof at once: what it uses of the machine may be there once. @param run never rejects */
async function inLanes(pairs: readonly Pair[], run: (pair: Pair) => Promise<void>): Promise<void> {
  const waiting = [...pairs];
  const running = new Map<Pair, Promise<unknown>>();
  while (waiting.length + running.size > 0) {
    const busy = new Set([...running.keys()].map(({ proof }) => proof));
    const at = running.size < LANES ? waiting.findIndex(({ proof }) => !busy.has(proof)) : -1;
    const [next] = at < 0 ? [] : waiting.splice(at, 1);
    if (next)
      running.set(
        next,
        run(next).finally(() => running.delete(next)),
      );
    else await Promise.race(running.values());
  }
}

/** The process goes on with an empty record: it takes the executable as it is, and only while it is the same one. */
async function proveApart(
  { proof, kind }: Pair,
  exe: string,
  json: string,
  terms: Terms,
): Promise<{ code: number | null; lines: readonly Line[] }> {
  new RunRecord(json, terms);
  const size = terms.megabytes === null ? [] : ['--megabytes', String(terms.megabytes)];
  const words = [proof.id, '--db', kind, '--exe', exe, '--json', json, '--continue', ...size];
  const child = spawn(
    process.execPath,
    [
      ...process.execArgv,
      join(import.meta.dirname, 'index.ts'),
      ...words,
      ...(terms.quick ? ['--quick'] : []),
    ],
    { stdio: 'inherit' },
  );
  const end = () => void child.kill('SIGTERM');
  process.once('exit', end);
  const [code] = (await once(child, 'exit')) as [number | null];
  process.off('exit', end);
  return { code, lines: readRecord(json, terms).lines };
}
