// The interface of the client SDK (licensing.md 7.2); its options are in option-types.ts.
import type { Channel } from './channels.ts';
import type { ClientError, LicenseApiError } from './errors.ts';
import type { Json } from './json.ts';

export type LicenseStatus = 'ACTIVE' | 'EXPIRED' | 'SUSPENDED' | 'REVOKED';
export type LicenseType = 'PERPETUAL' | 'SUBSCRIPTION' | 'TRIAL' | 'BETA' | 'FLOATING';
export type LicenseTier = 'PERSONAL' | 'PROFESSIONAL' | 'BUSINESS' | 'ENTERPRISE';
export type LicensingMode = 'STANDARD' | 'HONOR_SYSTEM';
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

export interface Access {
  /** What the application obeys. */
  allowed: boolean;
  /** false in HONOR_SYSTEM. */
  enforced: boolean;
  /** What the license says. */
  valid: boolean;
  /**
   * VALID, GRACE, a refusal of validate, a reason of an offline token, UNREACHABLE, RATE_LIMITED, NO_LICENSE_KEY or
   * INVALID_KEY.
   */
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
  /** Why there is no new offline token although `offline.enabled` asks for one; null while all is well. */
  offlineProblem: Problem | null;
  /** Set while the server refuses requests because there were too many: when it may be asked again. */
  retryAfterSeconds: number | null;
  /** The same as a time of the client's own clock. */
  retryAt: string | null;
}

/** What the application, or whoever runs the server, has to mend. */
export interface Problem {
  /** `NO_ONLINE_KEY`: the server cannot sign tokens for this product. `NO_STORAGE`. Else the code of an error. */
  code: string;
  message: string;
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

export type ActivationResult = Activated | ActivationRefused;

export interface Activated {
  activated: true;
  code: 'ACTIVATED';
  message: string;
  license: LicensePublic;
  activation: Activation;
  versionAllowed?: boolean;
}

/** The machine is not activated, for a reason that the user can do something about. */
export interface ActivationRefused {
  activated: false;
  /** A code of the API, such as ACTIVATION_FAILED, LICENSE_EXPIRED or RATE_LIMITED; NO_LICENSE_KEY, INVALID_KEY. */
  code: string;
  message: string;
  /** More of it where the code covers several: SEATS_EXHAUSTED, TRIAL_REUSE. */
  reason: string | null;
  details: Record<string, Json>;
  /** Of RATE_LIMITED. */
  retryAfterSeconds: number | null;
  /** The same as a time of the client's own clock. */
  retryAt: string | null;
  /** For support; null when the server was not asked. */
  requestId: string | null;
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
  /** A refusal is a result; throws ClientError without an answer, LicenseApiError when the application is to blame. */
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
  /** Once for each: something works less well than the options ask for. */
  warning: Problem;
  retry: { operation: string; attempt: number; delayMs: number };
  'background-error': Error;
}
