/** What is stated about a key beside its bytes. */
export interface KeyNotes {
  readonly comment: string | null;
  /** ISO 8601 UTC. */
  readonly createdAt: string;
  /** Id that minisign gave to an imported key, 16 upper-case hex characters: clients that know the key compare it. */
  readonly minisignId?: string | null;
}

/** An opened private key, and what its file says about it; null where the file says nothing. */
export interface PrivateKey {
  /** 32 raw bytes. */
  readonly seed: Buffer;
  /** Whether it was stored encrypted. */
  readonly encrypted: boolean;
  readonly comment: string | null;
  readonly createdAt: string | null;
  readonly minisignId: string | null;
}

/** The private part of a key that the server holds, opened. */
export interface HeldKey {
  /** 32 raw bytes. */
  readonly seed: Buffer;
  /** Id that minisign gave to an imported key, 16 upper-case hex characters; null for a key made here. */
  readonly minisignId: string | null;
}
