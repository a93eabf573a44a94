import type { Socket } from 'node:net';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import type pg from 'pg';

/** What of a connection of the driver shows that an answer is due on it. */
interface Wire {
  readonly _connecting: boolean;
  readonly _activeQuery: object | null;
  readonly _sentQueryQueue: readonly object[];
  readonly processID: number | null;
  readonly connection: { readonly stream: Socket };
}

/** How long nothing has come, as seen by the last look. */
interface Seen {
  bytes: number;
  sinceMs: number;
}

const LOOK_MS = 500;
/** A statement may wait longer for a lock: then the server is asked over another connection. */
const SILENT_MS = 2000;
const PROBE_MS = 2000;

/** Asks the server over a new connection which of its own sessions wait for us. @returns process ids */
export type Ask = (processes: readonly number[]) => Promise<readonly number[]>;

/**
 * Notices that a database does not answer any more: a machine that stands still, or a network that swallows packets, ends
 * no connection, and whoever waits would do so for minutes (reliability M24). Connections on which answers are due and none
 * comes are given up when the server does not answer a new one either, or says that it waits for us on them (decision 0127).
 */
export class SilenceWatch {
  readonly #ask: Ask;
  readonly #seen = new Map<Wire, Seen>();
  #timer: NodeJS.Timeout | undefined;
  #lookedMs = 0;
  #askedMs = 0;
  #isAsking = false;
  #away: Error | null = null;

  /** @param ask over a new connection; rejects when the server is away */
  constructor(ask: Ask) {
    this.#ask = ask;
  }

  /** Why no connection is to be opened now; null while the database answers. */
  get away(): Error | null {
    return this.#away;
  }

  /** Watches a connection until it ends. */
  add(client: pg.ClientBase): void {
    const wire = client as unknown as Wire;
    this.#seen.set(wire, { bytes: 0, sinceMs: performance.now() });
    client.once('end', () => {
      this.#seen.delete(wire);
      if (this.#seen.size === 0) this.#rest();
    });
    if (this.#timer !== undefined) return;
    this.#lookedMs = performance.now();
    this.#timer = setInterval(() => this.#look(), LOOK_MS).unref();
  }

  #rest(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #look(): void {
    const nowMs = performance.now();
    // While this process stands still it reads nothing.
    const stoodStillMs = Math.max(0, nowMs - this.#lookedMs - LOOK_MS);
    this.#lookedMs = nowMs;
    let isAnswered = false;
    const silent: Wire[] = [];
    for (const [wire, seen] of this.#seen) {
      const bytes = wire.connection.stream.bytesRead;
      const isAlive = bytes !== seen.bytes;
      isAnswered ||= isAlive;
      if (isAlive || !isDue(wire)) {
        seen.bytes = bytes;
        seen.sinceMs = nowMs;
        continue;
      }
      seen.sinceMs += stoodStillMs;
      if (nowMs - seen.sinceMs >= SILENT_MS) silent.push(wire);
    }
    if (silent.length === 0 || this.#isAsking || nowMs - this.#askedMs < SILENT_MS) return;
    this.#askedMs = nowMs;
    void this.#judge(silent, isAnswered);
  }

  /** @param isAnswered whether something came over another connection: then the database is not away */
  async #judge(silent: readonly Wire[], isAnswered: boolean): Promise<void> {
    this.#isAsking = true;
    try {
      const processes = silent.flatMap(({ processID }) => processID ?? []);
      const waiting = await this.#askInTime(processes);
      if (waiting !== null) await this.#dropDead(silent, waiting);
      else if (!isAnswered) await this.#untilBack();
    } finally {
      this.#isAsking = false;
    }
  }

  /** Between two looks an answer that was on its way has come. */
  async #dropDead(silent: readonly Wire[], waiting: readonly number[]): Promise<void> {
    await sleep(LOOK_MS, undefined, { ref: false });
    const isDead = (wire: Wire): boolean =>
      wire.processID !== null && waiting.includes(wire.processID) && this.#isSilent(wire);
    const dead = silent.filter(isDead);
    // Those that nobody waits for are as old, and the next one to use them would wait as long.
    const unused = dead.length > 0 ? [...this.#seen.keys()].filter((wire) => !isDue(wire)) : [];
    for (const { connection } of [...dead, ...unused]) connection.stream.destroy(noAnswer());
  }

  #isSilent(wire: Wire): boolean {
    const seen = this.#seen.get(wire);
    const { bytesRead } = wire.connection.stream;
    return seen?.bytes === bytesRead && performance.now() - seen.sinceMs >= SILENT_MS;
  }

  /** Everybody is told now, and nobody waits for what cannot be opened. */
  async #untilBack(): Promise<void> {
    const away = noAnswer();
    this.#away = away;
    for (const wire of this.#seen.keys()) wire.connection.stream.destroy(away);
    do await sleep(LOOK_MS, undefined, { ref: false });
    while ((await this.#askInTime([])) === null);
    this.#away = null;
  }

  /** @returns null when the server does not answer; a refusal in its own words, as with too many connections, is an answer */
  #askInTime(processes: readonly number[]): Promise<readonly number[] | null> {
    const asked = this.#ask(processes).catch((error: object) => ('severity' in error ? [] : null));
    // An answer that has come is read before it counts as late.
    const late = sleep(PROBE_MS, null, { ref: false }).then(() => turn(null));
    return Promise.race([asked, late]);
  }
}

const isDue = ({ _connecting, _activeQuery, _sentQueryQueue }: Wire): boolean =>
  _connecting || _activeQuery !== null || _sentQueryQueue.length > 0;

/** With the code that the system gives a connection that has timed out. */
const noAnswer = (): Error => Object.assign(new Error('the database does not answer'), { code: 'ETIMEDOUT' });
