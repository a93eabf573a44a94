import type { z } from 'zod';
import type { Actor } from '../actor.ts';
import type { Ctx } from '../context.ts';
import type { AppError } from '../errors.ts';
import type { Endpoint } from './endpoint.ts';
import type { OwnLimit, RateLimit } from './rate-limit.ts';
import type { Visitor } from './visitor.ts';

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
  /** Who sent it by the cookie of a browser; a guest when nobody signed in. Only of a surface with `sessions`. */
  visit(): Promise<Visitor>;
}

/** Who called, as the surface found out. */
export interface Caller {
  readonly actor: Actor;
  readonly tenantId: string;
  /** Under which key-keyed buckets are counted. */
  readonly limitKey: string;
  /** The caller's own limits by bucket. */
  readonly limits: Readonly<Record<string, OwnLimit>> | null;
  /** Origins of pages that may read the answers (D19e). */
  readonly allowedOrigins: readonly string[];
  /** The browser whose session opened it; absent where a credential in a header did. */
  readonly visitor?: Visitor;
}

/** How a surface refuses what it takes from browsers, by the cookie of their session. */
export interface SessionManner {
  /** 401: an Authorization header where a session is meant, or a session of nobody. */
  signedOut(message: string, reason?: string): AppError;
  /** 403: a write without the token of its session, or from the page of another site. */
  foreign(message: string): AppError;
}

/** An answer, as the surface that gave it is told of it. */
export interface Answered {
  /** Of the request, with its origin and what the use case left in `origin.trail`. */
  readonly ctx: Ctx;
  /** Name of the surface that answered, and the service whose limits apply there. */
  readonly surface: string;
  readonly service: string;
  readonly method: string;
  readonly status: number;
  /** Error code; null when the request succeeded. */
  readonly code: string | null;
  readonly ms: number;
}

/** Name and Security Scheme Object. */
export interface SecurityScheme {
  readonly name: string;
  readonly scheme: Readonly<Record<string, unknown>>;
}

/** What the document of a surface says beyond its endpoints. */
export interface Contract {
  readonly description: string;
  /** Name and Security Scheme Object of the credential that its endpoints ask for. */
  readonly credential: SecurityScheme;
  /** The cookie that opens them as well, and the token that a write needs beside it. */
  readonly session?: { readonly cookie: SecurityScheme; readonly token: SecurityScheme };
  /** Headers that the surface itself reads, beside the credential; lower case. */
  readonly headers?: z.ZodType;
  /** What the first words of its paths, below its prefix, stand for. */
  readonly tags: Readonly<Record<string, string>>;
  /** JSON Schema of a reply, as the surface wraps it. */
  success(schema: Record<string, unknown>): Record<string, unknown>;
  /** JSON Schemas by name that `success` refers to. */
  readonly schemas?: Readonly<Record<string, unknown>>;
  /** JSON Schema of the body of every error. */
  readonly failure: Record<string, unknown>;
  /** Every code with its status and default message. */
  readonly errors: Readonly<Record<string, readonly [status: number, message: string]>>;
  /** The code that is answered in place of one of shared parts; itself where this is absent. */
  answered?(code: string): string;
  /** Codes that any endpoint with credentials may answer with, and any at all. */
  readonly credentialErrors: readonly string[];
  readonly commonErrors: readonly string[];
  /** The credentials' scopes that open what an endpoint asks for. */
  scopes(needed: string): readonly string[];
}

/** The input of a request as it arrived: read, but not judged. */
export interface Asked {
  readonly body: unknown;
  readonly query: unknown;
}

/** Makes headers that need the final text of an answer, such as a signature over it. */
export type Seal = (
  ctx: Ctx,
  answer: { readonly status: number; readonly text: string },
) => Promise<Record<string, string>>;

/** What pages of other origins may do, where the caller's own credential lists them (D19e). */
export interface CorsRule {
  /** Names that they may send beside Content-Type. */
  readonly requestHeaders: readonly string[];
  /** Names that they may read beside those of every answer. */
  readonly answerHeaders: readonly string[];
  /** Whether any live credential lists this origin: decides about preflights, which carry no credential. */
  opensTo(ctx: Ctx, origin: string): Promise<boolean>;
}

/** What differs between the APIs of one process: who may call, and how success and failure look. */
export interface Surface {
  readonly name: string;
  /** Whose limits apply: two surfaces of one service share them. */
  readonly service: string;
  readonly title: string;
  readonly contract: Contract;
  /** Paths below these prefixes answer an unknown route in this surface's envelope. */
  readonly prefixes: readonly string[];
  /** Largest JSON body in bytes, unless the endpoint says otherwise. */
  readonly bodyBytes: number;
  readonly endpoints: readonly Endpoint[];
  /** Sent as WWW-Authenticate with every 401, where the credential travels in the Authorization header. */
  readonly challenge?: string;
  /** Finds out who calls. Throws the surface's 401, and 403 where there is no `authorize`. */
  authenticate(ctx: Ctx, request: IncomingRequest, scope: string): Promise<Caller>;
  /** Whether a caller who is known may do it; asked after the limits and the token. Throws the surface's 403. */
  authorize?(ctx: Ctx, caller: Caller, endpoint: Endpoint): void | Promise<void>;
  /** Demands the password of a person anew, where it was given too long ago. Throws the surface's 403. */
  requireProof?(ctx: Ctx, caller: Caller): void;
  /** Reads the header `Dry-Run`, for endpoints that can be rehearsed. */
  readonly rehearses?: true;
  /** Sessions of browsers open it too; absent where only credentials in headers do. */
  readonly sessions?: SessionManner;
  /** Pages of other origins that may use it; absent where none may. */
  readonly cors?: CorsRule;
  /** The rule in force for a bucket: settings and the caller's own limits considered; null switches it off. */
  limit(ctx: Ctx, rule: RateLimit, caller: Caller | null): RateLimit | null;
  /** Distinct unknown credentials that one address may present per window; null switches the check off. */
  failureLimit(ctx: Ctx): RateLimit | null;
  /**
   * Whether an address may present no credential for a while, for another reason than its own failures; under which
   * rule it is told so, and how long it has to wait. null when it may.
   *
   * @param address under which the client is limited
   */
  shutOut?(ctx: Ctx, address: string): { rule: RateLimit; waitSeconds: number } | null;
  success(body: unknown): unknown;
  failure(error: AppError, requestId: string): unknown;
  /** Input that a schema refused. */
  invalid(issues: readonly z.core.$ZodIssue[]): AppError;
  /** Input that is no readable JSON body: status 400 or 413. */
  unreadable(message: string, status: 400 | 413): AppError;
  /** A header that cannot be followed: 412 and 416 of requests for content (its condition, its range), else 400. */
  unmet(header: string, message: string, status: 400 | 412 | 416): AppError;
  rateLimited(bucket: string, limit: number, resetSeconds: number): AppError;
  /** A refusal of a use case that other surfaces share, in the codes of this one; as it is when absent. */
  refused?(error: AppError): AppError;
  notFound(): AppError;
  /** Of an endpoint whose capability is switched off; as `notFound` when absent. */
  switchedOff?(): AppError;
  unexpected(): AppError;
  /**
   * What seals the answer to this request, its refusal included; null when the request asks for no seal. An answer
   * whose seal fails goes out without it.
   */
  sealFor?(endpoint: Endpoint, asked: Asked): Seal | null;
  /** Told of every answer when it has been sent. It must neither wait nor throw. */
  answered?(answer: Answered): void;
}
