import type { Clock } from '../clock.ts';
import type { RateLimit } from './rate-limit.ts';

/** Distinct unknown credentials per address (D19d): repeating one dead key counts once. */
export interface CredentialFailures {
  count(address: string, credential: string, rule: RateLimit): void;
  /** Seconds until the address may try again; 0 when it may. */
  blockedSeconds(address: string, rule: RateLimit): number;
}

interface Window {
  endsMs: number;
  seen: Set<string>;
}

const MAX_ADDRESSES = 20_000;

/**
 * @param clock monotonic time decides the windows, so that a clock step neither frees nor traps anybody
 * @param digest keyed digest of a credential: the tried credential itself is not kept
 */
export function createCredentialFailures(clock: Clock, digest: (credential: string) => string): CredentialFailures {
  const windows = new Map<string, Window>();
  const live = (address: string): Window | undefined => {
    const window = windows.get(address);
    if (window && window.endsMs <= clock.monotonicMs()) {
      windows.delete(address);
      return undefined;
    }
    return window;
  };
  return {
    count(address, credential, rule) {
      let window = live(address);
      if (!window) {
        forgetOldest(windows);
        window = { endsMs: clock.monotonicMs() + rule.windowSeconds * 1000, seen: new Set() };
        windows.set(address, window);
      }
      // One more than the limit tells that it was passed; more would only cost memory.
      if (window.seen.size <= rule.max) window.seen.add(digest(credential));
    },
    blockedSeconds(address, rule) {
      const window = windows.size > 0 ? live(address) : undefined;
      if (!window || window.seen.size <= rule.max) return 0;
      return Math.max(1, Math.ceil((window.endsMs - clock.monotonicMs()) / 1000));
    },
  };
}

function forgetOldest(windows: Map<string, Window>): void {
  if (windows.size < MAX_ADDRESSES) return;
  const oldest = windows.keys().next().value;
  if (oldest !== undefined) windows.delete(oldest);
}
