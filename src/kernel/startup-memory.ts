// What a start leaves behind: V8 grows its young generation to 32 MB while modules load and schemas are built, and a
// server without load gives it no reason to shrink it again.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void;

/**
 * Gives the memory of the start back to the system: 22 MB on Linux x64, for a pause of 50 to 120 ms. For a
 * server that is ready and has not said so yet; the young generation grows again with its load.
 */
export function releaseStartupMemory(): void {
  // Node names the collector only to programs that were started with a flag, which a source's first line cannot pass
  // on every system; a context made after the flag was set has it.
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as Collect;
  setFlagsFromString('--no-expose-gc');
  // Only this kind also drops what is compiled and will not run again, and shrinks what V8 holds in reserve.
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
