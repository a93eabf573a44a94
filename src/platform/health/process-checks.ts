import { type Check, type Finding, fail, ok, skip, warn } from '#kernel/check.ts';
import { systemClock } from '#kernel/clock.ts';
import { recentlyEnded, type ServerProcesses } from '#kernel/other-processes.ts';

/** One that ends once is replaced, and the log says why. */
const MOST_ENDED = 2;
/** A process opens the database and loads the program, on a machine that may be busy. */
const LONGEST_BEGIN_MS = 240_000;

/** Whether all processes of a server serve, and go on to. @param nowMs milliseconds since 1970 */
export function judgeProcesses(
  processes: Pick<ServerProcesses, 'serving' | 'wanted'> & Partial<ServerProcesses>,
  nowMs: number,
): Finding {
  const { serving, wanted, fewerSince = null, ended = [] } = processes;
  const text = `${serving} of ${wanted} processes serve`;
  const recent = recentlyEnded({ ended });
  const last = recent.at(-1);
  if (last && recent.length > MOST_ENDED)
    return fail(
      `processes of the server ended ${recent.length} times within 30 minutes, the last one at ${last.at} (${last.how}); ${text}`,
      SHOW_CAUSE,
    );
  const isLong = fewerSince !== null && Date.parse(fewerSince) < nowMs - LONGEST_BEGIN_MS;
  return isLong ? warn(`${text} since ${fewerSince}`, SHOW_CAUSE) : ok(text);
}

const SHOW_CAUSE = 'appctl logs --level error';

export const processChecks: readonly Check[] = [
  {
    id: 'env.processes',
    title: 'processes of the server',
    alert: 'server',
    run({ processes, serverRuns }) {
      if (!serverRuns) return skip('no server is running on this data directory');
      if (!processes) return skip('the running server does not say which processes it has');
      if (processes.wanted === 1) return skip('the server has one process');
      return judgeProcesses(processes, systemClock.epochMs());
    },
  },
];
