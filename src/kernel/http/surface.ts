import type { z } from 'zod';
import type { Actor, Ctx } from '../context.ts';
import type { AppError } from '../errors.ts';
import type { Endpoint } from './endpoint.ts';
import type { RateLimit } from './rate-limit.ts';

/** What a surface may know of a request before its body is read. */
export interface IncomingRequest {
  /** Address of the client, normalised (D16). */
  readonly ip: string;
  header(name: string): string | undefined;
  /**
   * Tells that an unknown credential was presented: distinct ones count per address (D19d).
   *
   * @throws the surface's RATE_LIMITED when the address has now presented too many
   */
  countUnknownCredential(credential: string): Promise<void>;
}

/** Who called, as the surface found out. */
export interface Caller {
  readonly actor: Actor;
  readonly tenantId: string;
  /** Under which key-keyed buckets are counted. */
  readonly limitKey: string;
  /** The caller's own maxima by bucket. */
  readonly limits: Readonly<Record<string, number>> | null;
  /** Origins of pages that may read the answers (D19e). */
  readonly allowedOrigins: readonly string[];
}

/** What differs between the APIs of one process: who may call, and how success and failure look. */
export interface Surface {
  readonly name: string;
  readonly title: string;
  /** Paths below these prefixes answer an unknown route in this surface's envelope. */
  readonly prefixes: readonly string[];
  /** Largest JSON body in bytes, unless the endpoint says otherwise. */
  readonly bodyBytes: number;
  readonly endpoints: readonly Endpoint[];
  /** Throws the surface's 401 or 403. */
  authenticate(ctx: Ctx, request: IncomingRequest, scope: string): Promise<Caller>;
  /** Whether any live credential lists this origin: decides about preflights, which carry no credential (D19e). */
  opensTo(ctx: Ctx, origin: string): Promise<boolean>;
  /** The rule in force for a bucket: settings and the caller's own limits considered; null switches it off. */
  limit(ctx: Ctx, rule: RateLimit, caller: Caller | null): RateLimit | null;
  /** Distinct unknown credentials that one address may present per window; null switches the check off. */
  failureLimit(ctx: Ctx): RateLimit | null;
  success(body: unknown): unknown;
  failure(error: AppError, requestId: string): unknown;
  /** Input that a schema refused. */
  invalid(issues: readonly z.core.$ZodIssue[]): AppError;
  /** Input that is no readable JSON body: status 400 or 413. */
  unreadable(message: string, status: 400 | 413): AppError;
  rateLimited(bucket: string, limit: number, resetSeconds: number): AppError;
  notFound(): AppError;
  unexpected(): AppError;
}
