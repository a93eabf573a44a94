// What the contract tests know of an operation beside its declaration. The rows of a capability stand together in
// test/contract/<service>/<capability>.ts.
import type { Permission } from '#platform/permissions/index.ts';
import type { TestApp } from '../support/app.ts';
import type { Sent } from '../support/http-client.ts';

/** The parts that vary of a request: what fills `{name}` in the path, the query, and what is sent. */
export type Success = Sent & { path?: string; status: number };

/** The tables of the specification for one operation of the public API (Endpoints, Limits; D18, D19). */
export type ContractRow = {
  /** Scopes that open it; null for one that asks for no API key. */
  scopes: readonly string[] | null;
  /** Requests per window; null for no limit. */
  limit: number | null;
  /** 900 when absent. */
  windowSeconds?: number;
  /** A request that succeeds. It makes what it needs, so that rows run in any order. */
  success: (app: TestApp) => Promise<Success>;
};

/** By `METHOD path`. */
export type ContractRows = Record<string, ContractRow>;

/**
 * Which permission each operation of the admin API asks for (licensing 4.2), by `METHOD path` below its prefix; `staff`
 * for what is open to everybody who signed in, null for what is open to all.
 */
export type AdminRows = Record<string, Permission | 'staff' | null>;

export const clients = ['VALIDATE_ONLY', 'CREATE_LICENSE', 'FULL_ADMIN'];
export const issuers = ['CREATE_LICENSE', 'FULL_ADMIN'];
