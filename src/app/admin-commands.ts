import type { AdminCommands } from '#kernel/http/admin-socket.ts';
import { checkInput } from '#kernel/service/input.ts';
import { MoveClockBody, moveClock } from '#platform/test-clock/index.ts';
import type { Instance } from './instance.ts';
import type { Running } from './serve.ts';

/** Makes the commands that a server performs for the command line of its own machine. */
export function adminCommands(instance: Instance, running: Running): AdminCommands {
  // The audit log names the person at the terminal; a command that only reads names nobody.
  const ctxOf = ({ as }: Record<string, unknown>) =>
    typeof as === 'string'
      ? instance.ctx.with({ actor: { kind: 'cli', id: null, label: as } })
      : instance.ctx;
  const startJob = async (input: Record<string, unknown>) => {
    await running.scheduler.start(ctxOf(input), String(input.name));
    return { started: true };
  };
  // What waits in this process's memory is written by this process alone.
  const runJob = async (input: Record<string, unknown>) =>
    running.scheduler.run(ctxOf(input), String(input.name), true);
  // A server in production knows no such command (decision 0028).
  const dev = {
    'dev-clock': async (input: object) => moveClock(instance.ctx, checkInput(MoveClockBody, input)),
  };
  return {
    status: async () => running.status(),
    'start-job': startJob,
    'run-job': runJob,
    ...(instance.config.mode === 'development' && dev),
  };
}
