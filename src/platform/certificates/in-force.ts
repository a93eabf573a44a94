import type { SecureContext } from 'node:tls';
import type { AcmeConfig } from '#kernel/config/config.ts';
import { memoryKey } from '#kernel/process-memory.ts';

/** How a serving process gets its certificate from an authority. */
export interface AcmeHere {
  readonly acme: AcmeConfig;
  /** Tells the server from others of its database; null where there can be no other. */
  readonly server: string | null;
  /** Holds the account key and the certificate, mode 0700. */
  readonly folder: string;
  /** The certificate with its key. */
  readonly file: string;
  /** Whether an authority reaches this server, or another on its database, over plain HTTP. */
  readonly hasPlainHttp: boolean;
  /** Whether other processes may answer an authority, too. */
  readonly hasOthers: boolean;
  /** Has the server show the file. */
  readonly show: () => void;
}

interface InForce {
  here: AcmeHere | null;
  /** Another authority that other servers use, of which the log was told; null for none. */
  told: string | null;
  /** Answers over plain HTTP, by token. */
  readonly answers: Map<string, string>;
  /** Proofs over TLS, by name; `answer` is what the proof was made of. */
  readonly proofs: Map<string, { readonly answer: string; readonly context: SecureContext }>;
}

export const acmeInForce = memoryKey<InForce>('acme', () => ({
  here: null,
  told: null,
  answers: new Map(),
  proofs: new Map(),
}));
