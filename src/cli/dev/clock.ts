import type { z } from 'zod';
import { AppError } from '#kernel/errors.ts';
import { callServer } from '#kernel/http/admin-socket.ts';
import { localSecond } from '#kernel/local-time.ts';
import { lengthText } from '#kernel/time-words.ts';
import { ClockReply, type MoveClock } from '#platform/test-clock/index.ts';
import { socketPath } from '../../app/run-files.ts';
import type { Cli } from '../frame/context.ts';
import { CliError } from '../frame/errors.ts';
import { exits } from '../frame/exits.ts';
import { serverAsked } from '../remote/asked.ts';
import { adminClient } from '../remote/client.ts';
import { type Server, serverName } from '../remote/server.ts';
import { timeAsked } from '../time-asked.ts';

/** `appctl dev clock [--now TIME | --advance 30d | --reset]`: of the server on this data directory, or of --server. */
export async function moveServerClock(cli: Cli): Promise<void> {
  const asked = askedOf(cli);
  const server = await serverAsked(cli);
  const moving = server === null ? moveOwn(cli, asked) : moveRemote(cli, server, asked);
  const moved = await moving.catch((error: unknown) => {
    throw error instanceof AppError && error.code === 'NOT_FOUND' ? inProduction() : error;
  });
  await cli.out.value(moved, () => `${localSecond(new Date(moved.now))} (${aheadBy(moved.shiftSeconds)})`);
  const isMoved = asked.advanceSeconds !== 0;
  if (isMoved)
    cli.note(
      'Jobs store what they find under a moved clock: a license that expires meanwhile stays EXPIRED after --reset. Test in a data directory that you can throw away.',
    );
}

function askedOf(cli: Cli): MoveClock {
  const now = timeAsked(cli, 'now', 'start');
  if (now !== undefined) return { now };
  return cli.flag('reset') ? { reset: true } : { advanceSeconds: cli.seconds('advance') ?? 0 };
}

type Moved = z.output<typeof ClockReply>;

async function moveRemote(cli: Cli, server: Server, body: MoveClock): Promise<Moved> {
  const client = await adminClient(cli, server);
  cli.note(`server: ${serverName(server)}`);
  return (await client.call({ method: 'POST', path: 'admin/dev/clock', body }, ClockReply)).body;
}

async function moveOwn(cli: Cli, asked: MoveClock): Promise<Moved> {
  const { config } = await cli.config();
  const moved = await callServer<Moved>(socketPath(config), 'dev-clock', { ...asked });
  if (moved !== null) return moved;
  throw new CliError(exits.unreachable, 'NOT_RUNNING', `no server is running on ${config.dataDir}`, {
    hint: 'appctl serve --dev',
  });
}

/** A production server knows nothing of a clock that could be moved. */
const inProduction = (): CliError =>
  new CliError(
    exits.conflict,
    'NOT_IN_DEVELOPMENT',
    'the server runs in production mode: its clock cannot be moved',
    { hint: 'appctl serve --dev' },
  );

const aheadBy = (seconds: number): string =>
  seconds === 0 ? 'real time' : `${lengthText(seconds)} ${seconds > 0 ? 'ahead of' : 'behind'} real time`;
