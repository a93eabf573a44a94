// Heartbeats (licensing.md 7.3).
import type { AccessKeeper } from './access.ts';
import { type Core, inBackground } from './core.ts';
import { ClientError, errorOf, LicenseApiError } from './errors.ts';
import { isInstant, maybe } from './shape.ts';
import { startTimer, type Timer, withJitter } from './timers.ts';

/** After a failure, and while the license is inactive before any interval is known. */
const RETRY_MS = 60_000;
/** A server whose times cannot be right must not be called without end. */
const SHORTEST_MS = 10_000;

export interface Heartbeat {
  /** @returns the server's time for the next one; null without a heartbeat policy */
  beat(background?: boolean): Promise<{ nextHeartbeatAt: string | null }>;
  start(): void;
  stop(): void;
}

/** A loop that runs; another object stands for another loop. */
interface Loop {
  timer: Timer | null;
  intervalMs: number;
}

export function createHeartbeat(core: Core, keeper: AccessKeeper): Heartbeat {
  let loop: Loop | null = null;
  const stop = (): void => {
    loop?.timer?.stop();
    loop = null;
  };
  const beat: Heartbeat['beat'] = async (background = false) => {
    await core.ready();
    try {
      const { body } = await core.calls.post('heartbeat', 'key', {}, { background });
      return { nextHeartbeatAt: maybe(body, 'nextHeartbeatAt', isInstant) ?? null };
    } catch (error) {
      if (isRefusal(error, 'NOT_ACTIVATED')) stop();
      react(core, keeper, error);
      throw error;
    }
  };
  const run = async (mine: Loop): Promise<void> => {
    const delayMs = await delayAfter(core, () => beat(true), mine.intervalMs);
    if (loop !== mine) return;
    if (delayMs === null) return stop();
    mine.intervalMs = delayMs;
    mine.timer = startTimer(withJitter(delayMs), true, () => void run(mine));
  };
  return {
    beat,
    stop,
    start() {
      if (loop !== null) return;
      loop = { timer: null, intervalMs: 0 };
      void run(loop);
    },
  };
}

const isRefusal = (error: unknown, code: string): boolean =>
  error instanceof LicenseApiError && error.code === code;

function react(core: Core, keeper: AccessKeeper, error: unknown): void {
  if (isRefusal(error, 'NOT_ACTIVATED')) {
    keeper.outdate();
    core.events.emit('deactivated', { reason: 'NOT_ACTIVATED' });
  } else if (isRefusal(error, 'LICENSE_INACTIVE')) {
    void inBackground(core, () => keeper.access({ force: true }));
  }
}

/** @returns milliseconds until the next beat; null ends the loop */
async function delayAfter(core: Core, beat: () => ReturnType<Heartbeat['beat']>, intervalMs: number) {
  try {
    const { nextHeartbeatAt } = await beat();
    if (nextHeartbeatAt === null) return null;
    return Math.max(SHORTEST_MS, 0.9 * (Date.parse(nextHeartbeatAt) - core.clock.serverNow()));
  } catch (error) {
    if (isRefusal(error, 'NOT_ACTIVATED')) return null;
    if (error instanceof ClientError && error.code === 'ABORTED') return null;
    // access() tells of it. The license may be renewed, and then the machine must not be stale.
    if (isRefusal(error, 'LICENSE_INACTIVE')) return Math.max(RETRY_MS, intervalMs);
    core.events.emit('background-error', errorOf(error));
    return RETRY_MS;
  }
}
