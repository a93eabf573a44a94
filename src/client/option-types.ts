import type { Channel } from './channels.ts';

/**
 * Where a client keeps what must survive a restart: `fileStorage`, `localStorageStorage`, or one of your own, whose calls
 * for different keys may overlap and must not undo each other.
 */
export interface ClientStorage {
  get(key: string): Promise<string | null>;
  set(key: string, value: string): Promise<void>;
  delete(key: string): Promise<void>;
  /**
   * Changes one value while nobody else does: no other object, process or tab on this storage. Without it only one
   * process may use the storage at a time.
   *
   * @param change gets the value, null where there is none; returns the new one, null to delete it
   * @returns the new value
   */
  update?(key: string, change: (value: string | null) => string | null): Promise<string | null>;
}

/** Whether an Ed25519 signature is good: 32 raw bytes, the message, 64 raw bytes. */
export type Verify = (publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array) => Promise<boolean>;

export interface ClientOptions {
  /** `https://licenses.example.com`; a path before /api/v1 is kept. */
  baseUrl: string;
  /** Product slug. */
  product: string;
  /**
   * A VALIDATE_ONLY key that is bound to this product: with one for all products, a license of another one would open
   * this application too. Absent when `baseUrl` is a backend of the vendor that adds it.
   */
  apiKey?: string | (() => string | Promise<string>) | undefined;
  licenseKey?: string | undefined;
  /** `id`: 8 to 255 characters, stable; see `createMachineId`. */
  machine: {
    id: string;
    name?: string | undefined;
    osName?: string | undefined;
    osVersion?: string | undefined;
  };
  appVersion?: string | undefined;
  /** PEM, base64 DER or base64 raw, embedded in the application. Any of them may verify. */
  rootKeys: string[];
  /** In memory when absent. */
  storage?: ClientStorage | undefined;
  /** Off, the server's default life, no use of the last answer during an outage (24 hours when the server is busy). */
  offline?:
    | {
        enabled?: boolean | undefined;
        ttlSeconds?: number | undefined;
        outageGraceSeconds?: number | undefined;
      }
    | undefined;
  /** Looking for updates needs `appVersion`, a semantic version, and a root key. */
  updates?: UpdateOptions | undefined;
  /**
   * `verify` (default) refuses an answer with a wrong signature; `require` also refuses one without a signature
   * and uses no stored answer or HONOR_SYSTEM mode without one, which a user may have written himself. A client
   * that knows none of today's root keys can check no signature: with `require` it refuses every answer. So ship the
   * update that brings the next root key before that key takes over.
   */
  signedResponses?: 'off' | 'verify' | 'require' | undefined;
  /** Attempts in all (3), and the bounds of the delay between them (500, 30,000). */
  retry?:
    | { attempts?: number | undefined; baseMs?: number | undefined; maxMs?: number | undefined }
    | undefined;
  /** Per attempt, of a download per piece: 10,000. */
  timeoutMs?: number | undefined;
  fetch?: typeof globalThis.fetch | undefined;
  /** Unix milliseconds; the platform's clock when absent. */
  now?: (() => number) | undefined;
  /** Needed where WebCrypto has no Ed25519. */
  verify?: Verify | undefined;
}

export interface UpdateOptions {
  /** `stable`. */
  channel?: Channel | undefined;
  /**
   * Of this machine: windows, darwin, linux, android, ios or web; x64, arm64, ia32 or armv7. Also as platforms name
   * themselves (`win32`, `macos`, `amd64`). Without them only releases for any are taken.
   */
  platform?: string | undefined;
  arch?: string | undefined;
  /**
   * On. Off takes releases without a signed statement too: their bytes are still signed, but that they are the version
   * they are offered as is then only the server's word.
   */
  requireStatement?: boolean | undefined;
  /**
   * After how long without proof of a recent answer `update-frozen` is told: 1,209,600, which is 14 days. Needs a
   * `storage` that outlives the process, and a product whose online key may sign timestamps.
   */
  frozenAfterSeconds?: number | undefined;
}
