// What a start or a burst of requests leaves behind: V8 grows its young generation to 32 or 64 MB while modules load,
// schemas are built or thousands of requests a second are answered, and a server without load gives it no reason to
// shrink it again.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void;

const CHECK_EVERY_MS = 5000;
/** Until the first release: what the start left behind is held no longer than it has to be. */
const FIRST_CHECK_MS = 1000;
/** Share of the time in which the event loop had work; a server that answers some requests a second stays below. */
const QUIET = 0.05;
/** Less than this is not worth the pause. */
const WORTH_BYTES = 24 * 1_048_576;
/**
 * How much V8 lets the old generation grow before it looks for what is no longer used, in percent of what was in use
 * the last time. By itself it waits until there is up to four times as much: a flood of requests, whose connections live
 * just long enough to be moved there, took 20 MB more of it (R11).
 */
const GROWN_PERCENT = 25;

function releaseMemory(): void {
  // Node names the collector only to programs that were started with a flag, which a source's first line cannot pass
  // on every system; a context made after the flag was set has it.
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as Collect;
  setFlagsFromString('--no-expose-gc');
  // Only this kind also drops what is compiled and will not run again, and shrinks what V8 holds in reserve.
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}

/**
 * Gives memory that nothing uses back to the system whenever the process is quiet, for a pause of 50 to 120 ms: what the
 * start left behind, 22 MB on Linux x64, a second after it, and not before it, when somebody waits for an answer; what a
 * burst left once the process holds much more than after the last release (R11). What is still in use then is the new
 * measure, so that a cache that grew is not searched again. The young generation grows again with its load. While the
 * process is busy, the old one is searched more often than V8 would by itself.
 */
export function releaseWhenQuiet(): void {
  // Given at the start, the flag would make V8 refuse the compiled code of Node's own modules (0134).
  setFlagsFromString(`--heap-growing-percent=${GROWN_PERCENT}`);
  let heldBytes = 0;
  let before = performance.eventLoopUtilization();
  const check = (): void => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    if (utilization <= QUIET && process.memoryUsage.rss() >= heldBytes + WORTH_BYTES) {
      releaseMemory();
      heldBytes = process.memoryUsage.rss();
    }
    again();
  };
  const again = () => void setTimeout(check, heldBytes === 0 ? FIRST_CHECK_MS : CHECK_EVERY_MS).unref();
  again();
}
