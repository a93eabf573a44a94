import type { z } from 'zod';
import type { Ctx } from '../context.ts';
import type { RateLimit } from './rate-limit.ts';
import type { RawBody } from './raw-body.ts';

type Schema = z.ZodType;
type Out<S> = S extends Schema ? z.output<S> : undefined;

export interface Reply<T = unknown> {
  readonly status: number;
  readonly body: T;
}

interface Shape {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** OpenAPI form, `{name}` for parameters. */
  readonly path: string;
  readonly summary: string;
  /** The least scope that may call; `null` is spelled out, so that a public endpoint is a decision. */
  readonly scope: string | null;
  readonly limit: RateLimit | null;
  /** A credential in the request itself opens it, where `scope` is null: who guesses is refused here too (D19d). */
  readonly guarded?: true;
  /** Largest body in bytes after inflating; the surface's when absent. */
  readonly bodyBytes?: number;
  /** A request without a body counts as one with an empty object. */
  readonly bodyOptional?: true;
  /** The body is taken as the bytes that came, at most this many, instead of as JSON: somebody signed them. */
  readonly rawBody?: { readonly maxBytes: number };
  /** Replies by status, each with the schema of its body without the envelope. */
  readonly replies: Readonly<Record<number, Schema>>;
  readonly errors?: readonly string[];
}

export interface EndpointSpec<
  P extends Schema | undefined,
  Q extends Schema | undefined,
  H extends Schema | undefined,
  B extends Schema | undefined,
> extends Shape {
  readonly params?: P;
  readonly query?: Q;
  /** Headers that the use case reads, lower case; credentials belong to the surface. */
  readonly headers?: H;
  readonly body?: B;
  handle(
    ctx: Ctx,
    input: { params: Out<P>; query: Out<Q>; headers: Out<H>; body: Out<B>; raw: RawBody },
  ): Promise<Reply>;
}

/** What routing, documents and contract tests read: the types of the input are settled by `endpoint`. */
export interface Endpoint extends Shape {
  readonly params?: Schema | undefined;
  readonly query?: Schema | undefined;
  readonly headers?: Schema | undefined;
  readonly body?: Schema | undefined;
  handle(ctx: Ctx, input: Input): Promise<Reply>;
}

export interface Input {
  params: unknown;
  query: unknown;
  headers: unknown;
  body: unknown;
  /** Only of an endpoint that declares `rawBody`. */
  raw?: unknown;
}

/**
 * Declares an endpoint once. Routing, authentication, limits, validation, the OpenAPI document, the docs page and
 * the contract tests all read this value (architecture section 6).
 */
export function endpoint<
  P extends Schema | undefined = undefined,
  Q extends Schema | undefined = undefined,
  H extends Schema | undefined = undefined,
  B extends Schema | undefined = undefined,
>(spec: EndpointSpec<P, Q, H, B>): Endpoint {
  return spec as unknown as Endpoint;
}

export const ok = <T>(body: T): Reply<T> => ({ status: 200, body });
export const created = <T>(body: T): Reply<T> => ({ status: 201, body });
