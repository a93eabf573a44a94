import { SECONDS_PER_DAY } from '../clock.ts';
import { newToken } from '../crypto.ts';
import type { Exchange } from './exchange.ts';
import { addHead } from './reply-head.ts';
import type { Device } from './visitor.ts';

const COOKIE = 'device';
const CARRIED = new RegExp(`(?:^|;\\s*)${COOKIE}=([\\w-]{43})(?:;|$)`);
/** Browsers keep none longer. */
const MAX_AGE_SECONDS = 400 * SECONDS_PER_DAY;

/**
 * The browser of a request as its cookie names it: 32 random bytes that outlast sessions and sign-outs, so that a sign-in
 * from another one is told apart. It opens nothing, and says nothing of anybody.
 */
export function deviceOf(exchange: Exchange, isHttps: boolean): Device {
  let name = CARRIED.exec(exchange.req.headers.cookie ?? '')?.[1] ?? null;
  return {
    get name() {
      return name;
    },
    rename() {
      const value = newToken('');
      addHead(exchange, { cookies: [{ name: COOKIE, value, maxAgeSeconds: MAX_AGE_SECONDS }] }, isHttps);
      name = value;
      return value;
    },
  };
}

/** Of a request whose cookies are not read. */
export const NO_DEVICE: Device = { name: null, rename: () => newToken('') };
