import { platformNow } from './clock.ts';
import { type RootKeys, readRootKeys, webCryptoVerify } from './ed25519.ts';
import { memoryStorage } from './storage.ts';
import type { ClientOptions, ClientStorage, Verify } from './types.ts';

/** The options with every default in place. */
export interface Settings {
  /** Without a slash at its end. */
  baseUrl: string;
  product: string;
  apiKey(): Promise<string | undefined>;
  licenseKey: string | null;
  machine: ClientOptions['machine'];
  appVersion: string | undefined;
  roots: RootKeys;
  storage: ClientStorage;
  offline: { enabled: boolean; ttlSeconds: number | undefined; outageGraceMs: number };
  signedResponses: 'off' | 'verify' | 'require';
  retry: { attempts: number; baseMs: number; maxMs: number };
  timeoutMs: number;
  fetch: typeof globalThis.fetch;
  now(): number;
  verify: Verify;
}

/**
 * Fills in the defaults of 7.2.
 *
 * @throws TypeError for options that could never work, so that a mistake shows at the first start
 */
export function settle(options: ClientOptions): Settings {
  const { apiKey, offline = {}, retry = {}, signedResponses = 'verify', now = platformNow } = options;
  const roots = readRootKeys(options.rootKeys);
  const length = [...options.machine.id].length;
  if (length < 8 || length > 255) throw new TypeError('machine.id must have 8 to 255 characters');
  if (options.product === '') throw new TypeError('product must be the slug of the product');
  if (signedResponses === 'require' && roots.size === 0) {
    throw new TypeError('signedResponses: "require" needs at least one root key');
  }
  return {
    baseUrl: baseUrlOf(options.baseUrl),
    product: options.product,
    apiKey: async () => (typeof apiKey === 'function' ? apiKey() : apiKey),
    licenseKey: options.licenseKey ?? null,
    machine: options.machine,
    appVersion: options.appVersion,
    roots,
    storage: options.storage ?? memoryStorage(),
    offline: {
      enabled: offline.enabled ?? false,
      ttlSeconds: offline.ttlSeconds,
      outageGraceMs: (offline.outageGraceSeconds ?? 0) * 1000,
    },
    signedResponses,
    retry: {
      attempts: Math.max(1, retry.attempts ?? 3),
      baseMs: retry.baseMs ?? 500,
      maxMs: retry.maxMs ?? 30_000,
    },
    timeoutMs: options.timeoutMs ?? 10_000,
    // Called as a method of anything but the global object, a browser's fetch refuses.
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    // A clock of finer steps must not bring times into the storage that are not read back as such.
    now: () => Math.round(now()),
    verify: options.verify ?? webCryptoVerify,
  };
}

function baseUrlOf(text: string): string {
  const url = new URL(text);
  if (!/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '' || url.hash !== '') {
    throw new TypeError('baseUrl must be an http or https address without credentials, query or fragment');
  }
  return url.href.replace(/\/+$/, '');
}
