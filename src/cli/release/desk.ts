import type {
  ReleaseCreateInput,
  ReleaseState,
  ReleaseStats,
  ReleaseUpdateInput,
  ReleaseView,
  RolloutStep,
} from '#licensing/releases/releases/index.ts';
import type { MinisignSigner } from '#signing/releases/minisign-signature.ts';

/** A release as the desk answers it: AdminRelease (licensing 4.3). */
export type DeskRelease = ReleaseView;

/** A product as far as releases concern it. */
export interface DeskProduct {
  /** Slug or id, as it was named. */
  readonly reference: string;
  /** Its release keys. */
  readonly keys: readonly { readonly keyId: string; readonly status: 'ACTIVE' | 'NEXT' | 'RETIRED' }[];
}

/** A file on its way to the desk. */
export interface BundleSource {
  readonly filename: string;
  /** Bytes. */
  readonly size: number;
  /** Lower-case hex, what its bytes were when they were signed. */
  readonly sha256: string;
  open(): AsyncIterable<Uint8Array>;
}

/** What was signed about a bundle, as `release sign` writes it. */
export interface DeskSignature {
  readonly signature: string;
  readonly keyId?: string | undefined;
  readonly statement?: string | undefined;
  readonly statementSignature?: string | undefined;
  readonly extra?: { readonly tauri?: string | undefined; readonly sparkle?: string | undefined } | undefined;
}

/** A statement and its signature. */
export interface SignedStatement {
  readonly statement: string;
  readonly statementSignature: string;
}

/** What a list is narrowed by; `product` is a slug or an id. */
export interface ReleaseQuery {
  readonly product?: string | undefined;
  readonly channel?: DeskRelease['channel'] | undefined;
  readonly state?: ReleaseState | undefined;
  readonly platform?: string | undefined;
  readonly arch?: string | undefined;
  readonly page: number;
  readonly limit: number;
}

/** A page of releases. */
export interface ReleasePage {
  readonly items: readonly DeskRelease[];
  readonly pagination: { page: number; limit: number; total: number; totalPages: number };
}

/**
 * Where releases are made and changed: the local installation, or a server by its admin API. Every function refuses
 * as the use case behind it does, with AppError or its twin of a server.
 */
export interface ReleaseDesk {
  /** Throws NOT_FOUND for a product that is neither slug nor id of one. */
  product(reference: string): Promise<DeskProduct>;
  /** Makes the public half of a key the ACTIVE one of a product that has none, else its NEXT one. */
  registerKey(product: DeskProduct, key: MinisignSigner): Promise<void>;
  /** Throws when so many bytes would not be taken, as far as that can be known: too many, no room, no permission. */
  checkRoom(bytes: number): Promise<void>;
  list(query: ReleaseQuery): Promise<ReleasePage>;
  get(id: string): Promise<DeskRelease>;
  stats(id: string): Promise<ReleaseStats>;
  create(input: ReleaseCreateInput): Promise<DeskRelease>;
  update(id: string, changes: ReleaseUpdateInput): Promise<DeskRelease>;
  /** @param onBytes told how many bytes have gone */
  upload(id: string, bundle: BundleSource, onBytes: (sent: number) => void): Promise<DeskRelease>;
  sign(id: string, signature: DeskSignature): Promise<DeskRelease>;
  publish(id: string, how: { at?: string; rolloutPercent?: number }): Promise<DeskRelease>;
  yank(id: string, how: { reason: string; unpublishFile: boolean }): Promise<DeskRelease>;
  unyank(id: string, why: { note?: string | undefined }): Promise<DeskRelease>;
  archive(id: string): Promise<DeskRelease>;
  promote(
    id: string,
    to: { channel: DeskRelease['channel'] } & Partial<SignedStatement>,
  ): Promise<DeskRelease>;
  renew(id: string, statement: SignedStatement): Promise<DeskRelease>;
  rollOut(id: string, rollout: RolloutChange): Promise<DeskRelease>;
  /** Deletes a draft. */
  remove(id: string): Promise<void>;
}

/** What of a rollout changes. */
export interface RolloutChange {
  percent?: number;
  schedule?: RolloutStep[];
  paused?: boolean;
}
