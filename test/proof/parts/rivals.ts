// Two processes that fight for the same seats: servers, or a server and a process that opened the same installation.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { startActivator } from '../../support/activator.ts';
import { type SeatWork, type Tally, useSeats } from '../../support/seat-workers.ts';
import { type Client, createClient } from './client.ts';
import { withKey } from './installation.ts';
import type { Launch, RunningServer } from './processes.ts';

/** One side of a fight. */
export interface Rival {
  /** Lets machines take seats and give them back, all of them at the same time. */
  fight(work: SeatWork): Promise<Tally>;
  /** Activates machines at the same time; `activated` or the code of its refusal for each. */
  activate(licenseKey: string, machineIds: string[]): Promise<string[]>;
  stop(): Promise<unknown>;
}

/** A server, asked over as many connections as there are workers. */
export function serverRival(server: RunningServer, apiKey: string, workers: number): Rival {
  const client = createClient(server.url, workers);
  const ask = (name: string, body: object): Promise<string> => post(client, apiKey, name, body);
  return {
    fight: (work) => useSeats((action, machineId) => ask(action, { key: work.licenseKey, machineId }), work),
    activate: (licenseKey, machineIds) =>
      Promise.all(
        machineIds.map(async (machineId) => {
          const outcome = await ask('activate', { licenseKey, machineId });
          return outcome === 'done' ? 'activated' : outcome;
        }),
      ),
    stop: () => {
      client.close();
      return server.stop();
    },
  };
}

/** @returns `done`, the code of a refusal, or the status of a failure */
async function post(client: Client, apiKey: string, name: string, body: object): Promise<string> {
  const path = `/api/v1/license/${name}`;
  const answer = await client.ask({ method: 'POST', path, headers: withKey(apiKey), body });
  if (answer.status === 200) return 'done';
  const { code } = JSON.parse(answer.body).error as { code: string };
  return answer.status >= 500 ? `${answer.status} ${code}` : code;
}

/** A process beside the server, as a command is one. It runs the sources that the executable was built from. */
export async function processRival({ cwd, env }: Launch): Promise<Rival> {
  const activator = await startActivator(cwd, env);
  const program = join(import.meta.dirname, '../../support/seat-process.ts');
  const child = spawn(process.execPath, [program], {
    cwd,
    env: { PATH: '/usr/bin:/bin', HOME: cwd, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const answer = async (): Promise<Tally> => JSON.parse(String((await lines.next()).value));
  await answer();
  return {
    fight: (work) => {
      child.stdin.write(`${JSON.stringify(work)}\n`);
      return answer();
    },
    activate: activator.activate,
    stop: () => {
      child.stdin.end();
      return Promise.all([ended, activator.stop()]);
    },
  };
}
