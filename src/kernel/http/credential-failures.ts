import type { Clock } from '../clock.ts';
import type { RateLimit } from './rate-limit.ts';

/** Distinct unknown credentials per address (D19d): repeating one dead key counts once. */
export interface CredentialFailures {
  /**
   * Counts one, unless the address presented it before.
   *
   * @returns seconds until the address may try again, when this one was too many; 0 when it was not
   */
  count(address: string, credential: string, rule: RateLimit): Promise<number>;
  /** Seconds until the address may try again; 0 when it may. */
  blockedSeconds(address: string, rule: RateLimit): number;
  /** What is counted now, for the next process. */
  openWindows(): GuessWindow[];
  /** Goes on with windows of an earlier process; those that ended meanwhile stay closed (M18). */
  reopen(windows: readonly GuessWindow[]): void;
  /** Adds what an earlier process saw while this one was already at work. */
  absorb(windows: readonly GuessWindow[]): void;
}

/** The unknown credentials of one address, as they survive a graceful restart. */
export interface GuessWindow {
  readonly address: string;
  /** Keyed digests, never the credentials. */
  readonly digests: readonly string[];
  readonly windowSeconds: number;
  /** Wall clock, milliseconds since 1970. */
  readonly endsMs: number;
}

interface Window {
  /** Monotonic. */
  endsMs: number;
  windowSeconds: number;
  /** A list, not a set: nearly all hold one, and none more than its limit and one. */
  seen: string[];
}

const MAX_ADDRESSES = 20_000;

/**
 * @param clock monotonic time decides the windows, so that a clock step neither frees nor traps anybody
 * @param digest keyed digest of a credential: the tried credential itself is not kept
 * @param onBlocked told of an address that may not try for so many seconds
 */
export function createCredentialFailures(
  clock: Clock,
  digest: (credential: string) => string,
  onBlocked: (address: string, seconds: number) => void = () => undefined,
): CredentialFailures {
  const windows = new Map<string, Window>();
  const live = (address: string): Window | undefined => {
    const window = windows.get(address);
    if (window && window.endsMs <= clock.monotonicMs()) {
      windows.delete(address);
      return undefined;
    }
    return window;
  };
  const waitSeconds = ({ seen, endsMs }: Window, rule: RateLimit): number =>
    seen.length <= rule.max ? 0 : Math.max(1, Math.ceil((endsMs - clock.monotonicMs()) / 1000));
  const reopen = (remembered: readonly GuessWindow[]): void => openAgain(windows, clock, remembered);
  return {
    async count(address, credential, rule) {
      let window = live(address);
      if (!window) {
        forgetOldest(windows);
        const { windowSeconds } = rule;
        window = { endsMs: clock.monotonicMs() + windowSeconds * 1000, windowSeconds, seen: [] };
        windows.set(address, window);
      }
      // One more than the limit tells that it was passed; more would only cost memory.
      if (window.seen.length <= rule.max) note(window.seen, digest(credential));
      const seconds = waitSeconds(window, rule);
      if (seconds > 0) onBlocked(address, seconds);
      return seconds;
    },
    blockedSeconds(address, rule) {
      const window = windows.size > 0 ? live(address) : undefined;
      return window ? waitSeconds(window, rule) : 0;
    },
    openWindows: () => [...windows.keys()].flatMap((address) => told(address, live(address), clock)),
    reopen,
    absorb(seen) {
      for (const guesses of seen) {
        const window = live(guesses.address);
        if (window) for (const digest of guesses.digests) note(window.seen, digest);
        else reopen([guesses]);
      }
    },
  };
}

/** A window as another process can take it over. */
function told(address: string, window: Window | undefined, clock: Clock): GuessWindow[] {
  if (!window) return [];
  const endsMs = clock.epochMs() + window.endsMs - clock.monotonicMs();
  return [{ address, digests: [...window.seen], windowSeconds: window.windowSeconds, endsMs }];
}

function openAgain(windows: Map<string, Window>, clock: Clock, remembered: readonly GuessWindow[]): void {
  for (const { address, digests, windowSeconds, endsMs } of remembered) {
    // The wall clock may have been set back meanwhile: no window gets longer by that.
    const leftMs = Math.min(endsMs - clock.epochMs(), windowSeconds * 1000);
    if (leftMs <= 0) continue;
    windows.set(address, { endsMs: clock.monotonicMs() + leftMs, windowSeconds, seen: [...digests] });
  }
}

function note(seen: string[], digest: string): void {
  if (!seen.includes(digest)) seen.push(digest);
}

function forgetOldest(windows: Map<string, Window>): void {
  if (windows.size < MAX_ADDRESSES) return;
  const oldest = windows.keys().next().value;
  if (oldest !== undefined) windows.delete(oldest);
}
