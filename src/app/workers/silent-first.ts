import { createLog } from '#kernel/log.ts';

/** The first process may read a large file for a while; beyond two minutes nobody expects an answer. */
export const [LOOK_EVERY_MS, LOOKS] = [10_000, 12];

const RESTART = 'restart the container';

/**
 * Ends the first process of a server, whose event loop stands still: it sends nothing, runs no job, and answers neither
 * requests nor signals. The others end with it, and whoever started the server starts it again, as after a crash.
 *
 * The log is written by the process that hangs, so that this is said on the standard error, which is the journal under
 * systemd. The first process of a container cannot be ended from inside: health says there that it does not respond.
 *
 * @param pid of the first process
 */
export function endSilent(pid: number): void {
  // Whoever is the parent now has adopted this process.
  if (process.ppid !== pid) return;
  // Said afterwards: whoever reads the standard error may hang as well.
  process.kill(pid, 'SIGKILL');
  const log = createLog({ level: 'error', destination: 2 });
  const seconds = (LOOK_EVERY_MS * LOOKS) / 1000;
  log.fatal(
    { pid, seconds },
    `the first process of the server does not respond: ${pid === 1 ? RESTART : 'it is ended'}`,
  );
}
