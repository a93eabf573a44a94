// The interface of the client SDK (licensing.md 7.2).
import type { ClientError, LicenseApiError } from './errors.ts';
import type { Json } from './json.ts';

export type LicenseStatus = 'ACTIVE' | 'EXPIRED' | 'SUSPENDED' | 'REVOKED';
export type LicenseType = 'PERPETUAL' | 'SUBSCRIPTION' | 'TRIAL' | 'BETA' | 'FLOATING';
export type LicenseTier = 'PERSONAL' | 'PROFESSIONAL' | 'BUSINESS' | 'ENTERPRISE';
export type LicensingMode = 'STANDARD' | 'HONOR_SYSTEM';
export type Channel = 'stable' | 'rc' | 'beta' | 'alpha' | 'nightly';
export interface LicensePublic {
  key: string;
  /** The product's name. */
  product: string;
  tier: LicenseTier;
  type: LicenseType;
  /** null = perpetual. */
  validUntil: string | null;
  activationsUsed: number;
  maxActivations: number;
  features?: Record<string, Json> | null;
}

export interface Activation {
  /** Only on a seat. */
  id?: string;
  machineId: string;
  machineName: string | null;
  activatedAt: string;
  /** Only on a seat. */
  leaseExpiresAt?: string;
  /** What its checkout attached; absent when that was nothing. */
  metadata?: Record<string, Json>;
}

export interface Usage {
  current: number;
  /** null = unlimited; then `remaining` and `percentUsed` are absent. */
  max: number | null;
  remaining?: number;
  percentUsed?: number;
}

export interface Seats {
  seatsUsed: number;
  seatsTotal: number;
  seatsAvailable: number;
}

/**
 * Where a client keeps what must survive a restart. One client per product works on a storage at a time; its calls for
 * different keys may overlap, and must not undo each other.
 */
export interface ClientStorage {
  get(key: string): Promise<string | null>;
  set(key: string, value: string): Promise<void>;
  delete(key: string): Promise<void>;
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
  /** Off, the server's default life, no use of the last answer during an outage. */
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
   * `verify` (default): a wrong signature is no answer; `require`: a missing one neither. To a client that knows none of
   * the root keys of today every signature is missing: with `require` whoever did not get the update that brings the
   * next root key, before that took over, gets no answer any more.
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

export interface Access {
  /** What the application obeys. */
  allowed: boolean;
  /** false in HONOR_SYSTEM. */
  enforced: boolean;
  /** What the license says. */
  valid: boolean;
  /** VALID, GRACE, a refusal of validate, a reason of an offline token, UNREACHABLE or NO_LICENSE_KEY. */
  code: string;
  status: LicenseStatus | null;
  message: string;
  source: 'server' | 'offline-token' | 'cache' | 'none';
  mode: LicensingMode;
  license: LicensePublic | null;
  activation: Activation | null;
  features: Record<string, Json>;
  grace: boolean;
  graceExpiresAt: string | null;
  versionAllowed: boolean | null;
  usage: Usage | null;
  seats: Seats | null;
  /** By the client's own clock. */
  checkedAt: string;
  /** How long the license is usable without the server; null when it is not. */
  offlineUntil: string | null;
}

export interface SeatHandle {
  readonly activation: Activation;
  readonly seats: Seats;
  /** Resolves once, when the seat cannot be kept. */
  readonly lost: Promise<LicenseApiError | ClientError>;
  /** @param leaseDuration seconds, also for the extensions that follow */
  extend(leaseDuration?: number): Promise<void>;
  release(): Promise<Seats>;
}

export interface ActivationResult {
  license: LicensePublic;
  activation: Activation;
  versionAllowed?: boolean;
}

export interface CheckResult {
  status: LicenseStatus;
  type: LicenseType;
  tier: LicenseTier;
  maxVersion: string | null;
  features: Record<string, Json> | null;
  licensingMode: LicensingMode;
}

export interface SeatOptions {
  /** Seconds, 60 to 2,592,000; the policy's default when absent. */
  leaseDuration?: number | undefined;
  metadata?: Record<string, Json> | undefined;
}

/** A newer release. Plain data: it may be sent to another process, and is checked again before it is downloaded. */
export interface UpdateOffer {
  releaseId: string;
  version: string;
  /** The server's words: nobody has signed them. */
  changelog: string;
  /** Bytes. */
  bundleSize: number;
  /** 64 lower-case hex characters. */
  sha256: string;
  /** Over the 32 bytes of the SHA-256; base64. */
  signature: string;
  /** Whether a release from the installed version up to this one is. */
  isCritical: boolean;
  requiresMigration: boolean;
  publishedAt: string;
  /** Of the statement; null without one. */
  sequence: number | null;
  statement: 'verified' | 'absent';
  /** Whether it is proven that the answer was made just now. */
  fresh: boolean;
  /** The channel that was asked for. */
  channel: Channel;
  /** What a root key has signed about the release; null when absent. */
  signedStatement: { text: string; signature: string } | null;
}

/** Where a bundle goes. After `commit` has resolved it is complete and verified; in every other case comes `abort`. */
export interface BundleSink {
  /** The chunk may be kept. The next one comes when the promise has resolved. */
  write(chunk: Uint8Array): Promise<void>;
  commit(): Promise<void>;
  abort(): Promise<void>;
}

export interface DownloadOptions {
  /** Bytes. */
  onProgress?: ((done: number, total: number) => void) | undefined;
  /** Also bounds the time: as long as pieces come within `timeoutMs` of each other, however small, they are waited for. */
  signal?: AbortSignal | undefined;
}

export interface LicenseClient {
  /** null until the first answer or the first look into the storage. */
  readonly mode: LicensingMode | null;
  /** A change clears stored tokens and caches. */
  setLicenseKey(key: string | null): Promise<void>;
  access(options?: { force?: boolean; signal?: AbortSignal }): Promise<Access>;
  activate(signal?: AbortSignal): Promise<ActivationResult>;
  /** Always asks the server. */
  validate(signal?: AbortSignal): Promise<Access>;
  deactivate(signal?: AbortSignal): Promise<void>;
  check(): Promise<CheckResult>;
  heartbeat(): Promise<{ nextHeartbeatAt: string | null }>;
  startHeartbeat(): void;
  stopHeartbeat(): void;
  checkout(options?: SeatOptions): Promise<{ activation: Activation } & Seats>;
  checkin(): Promise<{ seatsAvailable: number }>;
  holdSeat(options?: SeatOptions): Promise<SeatHandle>;
  recordUsage(
    feature: string,
    quantity?: number,
    metadata?: Record<string, Json>,
  ): Promise<{ recorded: boolean; usage: Usage }>;
  /** Keeps the entry in the storage until `flushUsage` or `close` has sent it. */
  queueUsage(feature: string, quantity?: number, metadata?: Record<string, Json>): Promise<void>;
  flushUsage(): Promise<{ sent: number; left: number }>;
  entitlement(name: string): Promise<{ valid: boolean; entitled: boolean; value: Json }>;
  /** From the last access, without the network. */
  feature(name: string): Json | undefined;
  refreshOfflineToken(ttlSeconds?: number): Promise<{ expiresAt: string }>;
  /** Takes a token that came by another channel, for machines without a network. */
  importOfflineToken(token: string): Promise<Access>;
  /** One line of JSON for support: product, machineId, appVersion. */
  exportRequest(): string;
  /** @returns null when there is nothing newer; throws LicenseApiError, ClientError */
  checkForUpdate(options?: {
    channel?: Channel | undefined;
    signal?: AbortSignal | undefined;
  }): Promise<UpdateOffer | null>;
  /** Resolves when the sink has committed; throws LicenseApiError, ClientError and what the sink throws. */
  downloadUpdate(offer: UpdateOffer, sink: BundleSink, options?: DownloadOptions): Promise<void>;
  /** @returns a function that ends the subscription */
  on<E extends keyof ClientEvents>(event: E, listener: (value: ClientEvents[E]) => void): () => void;
  /** Stops timers and flushes usage; seats are kept. */
  close(): Promise<void>;
}

export interface ClientEvents {
  /** Whenever `allowed` or `code` changes. */
  access: Access;
  deactivated: { reason: string };
  'seat-lost': { reason: string };
  'usage-warning': Usage;
  'usage-exhausted': Usage;
  'usage-uncertain': { feature: string; quantity: number };
  /** Once for each release that is offered. */
  update: UpdateOffer;
  /** Whoever answers may be keeping releases back: `since` then there is no proof of a recent answer. */
  'update-frozen': { since: string };
  'clock-suspect': { now: string; lastSeen: string };
  retry: { operation: string; attempt: number; delayMs: number };
  'background-error': Error;
}
