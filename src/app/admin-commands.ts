import { AppError } from '#kernel/errors.ts';
import type { AdminCommands } from '#kernel/http/admin-socket.ts';
import { type KeptLine, type LogRing, recentLog } from '#kernel/log-ring.ts';
import { isAlive } from '#kernel/process-identity.ts';
import { checkInput } from '#kernel/service/input.ts';
import { MoveClockBody, moveClock } from '#platform/test-clock/index.ts';
import type { Instance } from './instance.ts';
import type { Running } from './serve.ts';
import type { ServerStatus } from './server-report.ts';
import { collectStatus } from './status.ts';

/**
 * Makes the commands that a server performs for the command line of its own machine.
 *
 * @param end ends this server after a successor has taken over
 */
export function adminCommands(instance: Instance, running: Running, end: () => void): AdminCommands {
  // The audit log names the person at the terminal; a command that only reads names nobody.
  const ctxOf = ({ as }: Record<string, unknown>) =>
    typeof as === 'string'
      ? instance.ctx.with({ actor: { kind: 'cli', id: null, label: as } })
      : instance.ctx;
  const startJob = async (input: Record<string, unknown>) => {
    await running.scheduler.start(ctxOf(input), String(input.name));
    return { started: true };
  };
  // What waits in the memory of a process is written by that process alone.
  const runJob = async (input: Record<string, unknown>) => {
    const others = String(input.name).replace('_', '-') === 'stats-flush' ? running.flushOthers() : null;
    const run = await running.scheduler.run(ctxOf(input), String(input.name), true);
    await others;
    return run;
  };
  // A server in production knows no such command (decision 0028).
  const dev = {
    'dev-clock': async (input: object) => moveClock(instance.ctx, checkInput(MoveClockBody, input)),
  };
  return {
    status: async () => statusOf(running),
    // What waits in memory is counted too; where it cannot be written, the rest is told all the same.
    overview: async () => {
      await runJob({ name: 'stats-flush' }).catch(() => undefined);
      return collectStatus(instance, statusOf(running));
    },
    log: async ({ after }) => ({ lines: linesAfter(instance.ctx.memory.of(recentLog).ring, Number(after)) }),
    ...handing(instance, running, end),
    drain: async ({ isResting }) => {
      running.rest(isResting === true);
      instance.ctx.log.info(isResting === true ? 'draining: no new work is begun' : 'draining has ended');
      return { isResting: running.isResting };
    },
    'start-job': startJob,
    'run-job': runJob,
    ...(instance.config.mode === 'development' && dev),
  };
}

const statusOf = (running: Running): ServerStatus => ({
  ...running.status(),
  isResting: running.isResting,
});

/** Lines of the log since a number; all of them where a server before this one gave it. */
function linesAfter(ring: LogRing | null, after: number): KeptLine[] {
  const lines: KeptLine[] = [];
  let isOfAnother = false;
  for (const line of ring?.newest() ?? []) {
    if (lines.length === 0) isOfAnother = after > line.seq;
    if (!isOfAnother && line.seq <= after) break;
    lines.push(line);
  }
  return lines.reverse();
}

/** How a server leaves its place to another process, whoever starts that. */
function handing({ ctx }: Instance, running: Running, end: () => void): AdminCommands {
  let successor: number | null = null;
  let isStarting = false;
  return {
    // A process that listens on the same sockets asks before it serves.
    handover: async ({ pid }) => {
      if (successor !== null && successor !== pid && isAlive(successor)) throw underWay(successor);
      successor = Number(pid);
      ctx.log.info({ successor }, 'another process takes over');
      return { pid: process.pid, limits: running.limits() };
    },
    restart: async ({ exe }) => {
      if (isStarting) throw underWay(successor ?? process.pid);
      isStarting = true;
      try {
        const { startSuccessor } = await import('./successor.ts');
        const next = await startSuccessor(running, typeof exe === 'string' ? exe : undefined);
        for (const server of running.listening.servers) server.handOver();
        // After the answer is on its way.
        setTimeout(end, 50);
        return next;
      } catch (error) {
        isStarting = false;
        successor = null;
        throw error;
      }
    },
  };
}

const underWay = (pid: number): AppError =>
  new AppError('CONFLICT', 409, `a restart is already under way (process ${pid})`, {
    details: { hint: 'wait until it has ended' },
  });
