import { callServer } from '#kernel/http/admin-socket.ts';
import { restartServer, untilAsked } from '../../app/handover.ts';
import { socketPath } from '../../app/run-files.ts';
import type { Cli } from '../frame/context.ts';
import { CliError } from '../frame/errors.ts';
import { exits } from '../frame/exits.ts';

/** `appctl restart`. */
export async function restart(cli: Cli): Promise<void> {
  const { config } = await cli.config();
  const done = await restartServer(config);
  if (done === null) throw notRunning(config.dataDir);
  const { pid, predecessor, ms, unit } = done;
  if (unit === null) await untilAsked(config, pid);
  const by = unit === null ? '' : `, restarted by systemd as ${unit}`;
  await cli.out.value(
    { pid, predecessor, ms, unit },
    () => `Process ${pid} has taken over from ${predecessor} in ${ms} ms${by}`,
  );
}

/** `appctl drain [--off]`. */
export async function drain(cli: Cli): Promise<void> {
  const { config } = await cli.config();
  const isResting = !cli.flag('off');
  const done = await callServer<{ isResting: boolean }>(socketPath(config), 'drain', { isResting });
  if (done === null) throw notRunning(config.dataDir);
  const text = done.isResting
    ? 'The server is drained: GET /api/ready answers 503, requests are still answered'
    : 'The server takes new work again: GET /api/ready answers 200';
  await cli.out.value({ draining: done.isResting }, () => text);
  if (done.isResting) cli.note('appctl drain --off undoes it');
}

const notRunning = (dataDir: string): CliError =>
  new CliError(exits.unreachable, 'NOT_RUNNING', `no server is running on ${dataDir}`, {
    hint: 'appctl serve',
  });
