import { systemClock } from './clock.ts';
import type { Ctx } from './context.ts';
import { memoryKey } from './process-memory.ts';

/** The processes of one server, as the first of them told it last. */
export interface ServerProcesses {
  readonly serving: number;
  readonly wanted: number;
  /** Since when fewer serve than are wanted, ISO 8601 UTC; null while all do. */
  readonly fewerSince: string | null;
  /** Those that ended though nobody asked them to, newest last. */
  readonly ended: readonly EndedProcess[];
}

export interface EndedProcess {
  readonly at: string;
  /** Its signal or exit code. */
  readonly how: string;
}

/** Of how long ago it still matters that a process ended. */
const RECENT_MS = 30 * 60_000;

/** Those that ended within the last half hour. */
export const recentlyEnded = ({ ended }: Pick<ServerProcesses, 'ended'>): readonly EndedProcess[] =>
  ended.filter(({ at }) => Date.parse(at) > systemClock.epochMs() - RECENT_MS);

const ALONE: ServerProcesses = { serving: 1, wanted: 1, fewerSince: null, ended: [] };

/** The processes that serve together with this one, for what each of them must know at once. */
class OtherProcesses {
  readonly #listeners = new Map<string, (news: never) => void>();
  #send: (name: string, news: unknown) => void = () => undefined;
  /** All of them, with this one. */
  processes = ALONE;
  /** The first process has not responded for long: its jobs, webhooks and log stand still. */
  isFirstSilent = false;

  /** @param send tells all others; without it a process is alone */
  connect(send: (name: string, news: unknown) => void): void {
    this.#send = send;
  }

  /** @param news anything that can be cloned */
  tell(name: string, news: unknown): void {
    this.#send(name, news);
  }

  hear(name: string, news: unknown): void {
    this.#listeners.get(name)?.(news as never);
  }

  on<T>(name: string, listener: (news: T) => void): void {
    this.#listeners.set(name, listener);
  }
}

const others = memoryKey('other processes', () => new OtherProcesses());

/** Those of the process of a ctx. */
export const othersOf = ({ memory }: Pick<Ctx, 'memory'>): OtherProcesses => memory.of(others);
