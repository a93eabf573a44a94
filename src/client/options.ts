import type { Channel } from './channels.ts';
import { CHANNELS, isChannel } from './channels.ts';
import { checkOptions } from './check-options.ts';
import { platformNow } from './clock.ts';
import { type RootKeys, readRootKeys, webCryptoVerify } from './ed25519.ts';
import { memoryStorage } from './memory-storage.ts';
import type { ClientOptions, ClientStorage, UpdateOptions, Verify } from './option-types.ts';

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
  /** Nothing outlives the process: there is no storage but the memory. */
  forgets: boolean;
  offline: { enabled: boolean; ttlSeconds: number | undefined; outageGraceMs: number };
  updates: UpdateSettings;
  signedResponses: 'off' | 'verify' | 'require';
  retry: { attempts: number; baseMs: number; maxMs: number };
  timeoutMs: number;
  fetch: typeof globalThis.fetch;
  now(): number;
  verify: Verify;
}

/** Whose updates this machine takes. `platform` and `arch`: empty = not told. */
export interface UpdateSettings {
  channel: Channel;
  platform: string;
  arch: string;
  requireStatement: boolean;
  frozenAfterMs: number;
}

const FROZEN_AFTER_SECONDS = 1_209_600;
/** Names that platforms and processors have elsewhere (6.7). */
const PLATFORM_ALIASES: Record<string, string> = { win32: 'windows', macos: 'darwin', osx: 'darwin' };
const ARCH_ALIASES: Record<string, string> = {
  x86_64: 'x64',
  amd64: 'x64',
  aarch64: 'arm64',
  i686: 'ia32',
  x86: 'ia32',
  // What Node and Electron call any 32-bit ARM; their own builds need version 7.
  arm: 'armv7',
};

/**
 * Fills in the defaults of 7.2.
 *
 * @throws TypeError for options that could never work, so that a mistake shows at the first start
 */
export function settle(options: ClientOptions): Settings {
  checkOptions(options);
  const { apiKey, offline = {}, retry = {}, signedResponses = 'verify', now = platformNow } = options;
  const roots = readRootKeys(options.rootKeys);
  return {
    baseUrl: new URL(options.baseUrl).href.replace(/\/+$/, ''),
    product: options.product,
    apiKey: async () => (typeof apiKey === 'function' ? apiKey() : apiKey),
    licenseKey: options.licenseKey ?? null,
    machine: options.machine,
    appVersion: options.appVersion,
    roots,
    storage: options.storage ?? memoryStorage(),
    forgets: options.storage === undefined,
    offline: {
      enabled: offline.enabled ?? false,
      ttlSeconds: offline.ttlSeconds,
      outageGraceMs: (offline.outageGraceSeconds ?? 0) * 1000,
    },
    updates: updatesOf(options.updates ?? {}),
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

function updatesOf({ channel = 'stable', platform = '', arch = '', ...rest }: UpdateOptions): UpdateSettings {
  if (!isChannel(channel)) throw new TypeError(`updates.channel must be one of ${CHANNELS.join(', ')}`);
  const frozenAfterSeconds = rest.frozenAfterSeconds ?? FROZEN_AFTER_SECONDS;
  return {
    channel,
    platform: named(PLATFORM_ALIASES, platform),
    arch: named(ARCH_ALIASES, arch),
    requireStatement: rest.requireStatement ?? true,
    frozenAfterMs: frozenAfterSeconds * 1000,
  };
}

function named(aliases: Record<string, string>, name: string): string {
  const lower = name.toLowerCase();
  return Object.hasOwn(aliases, lower) ? (aliases[lower] as string) : lower;
}
