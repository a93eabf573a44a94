// Kills a sender of events again and again, always while it makes and sends them.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Made, type Maker, makeEvents } from './event-load.ts';
import type { RunningServer } from './processes.ts';
import type { Random } from './random.ts';
import type { Receiver } from './receiver.ts';

/** Who sends to whom. */
export interface Campaign {
  start(): Promise<RunningServer>;
  receiver: Receiver;
  maker: Maker;
  made: Made;
}

/** After the first event of a life. */
const LIFE_MS = { least: 50, most: 900 } as const;

/**
 * Starts the sender, lets it make its share of the events, and kills it, as often as asked.
 *
 * @returns how many of the kills met requests that were being answered
 */
export async function killWhileSending(
  { start, receiver, maker, made }: Campaign,
  random: Random,
  events: number,
  kills: number,
): Promise<number> {
  let disturbed = 0;
  for (let life = 1; life <= kills; life++) {
    const server = await start();
    const load = makeEvents(server.url, maker, made, Math.floor((events * life) / kills));
    await load.begun;
    await sleep(LIFE_MS.least + random.below(LIFE_MS.most - LIFE_MS.least));
    if ((await receiver.tally()).open > 0) disturbed += 1;
    await server.kill();
    await load.end();
  }
  return disturbed;
}
