import type { z } from 'zod';
import type { Ctx } from '../context.ts';
import type { SettingName } from '../settings-reader.ts';
import { once } from '../sharing.ts';
import type { Content } from './content.ts';
import type { Live } from './live.ts';
import type { RateLimit } from './rate-limit.ts';
import type { RawBody } from './raw-body.ts';
import { type ReplyHead, redirectAddress } from './reply.ts';
import type { Upload } from './upload.ts';
import type { Visitor } from './visitor.ts';

type Schema = z.ZodType;
type Out<S> = S extends Schema ? z.output<S> : undefined;

export interface Reply<T = unknown> {
  readonly status: number;
  readonly body: T;
  /** Sent instead of the body; null for an answer without any. */
  readonly content?: Content | null;
  /** Headers, cookies and who may keep it; nobody when absent. */
  readonly head?: ReplyHead;
}

/** A file is the body of the request, as it is or in a form, and reaches the use case while it is still arriving. */
export interface UploadRule {
  maxBytes(ctx: Ctx): number;
  /** A body of JSON is taken in place of a file: `raw` is what it holds then, which `handle` has to judge. */
  readonly orJson?: true;
  /** Texts that a form may hold beside it; none when absent. */
  readonly fields?: number;
}

/** A request before any of it was judged. */
export interface Presented {
  header(name: string): string | undefined;
  readonly params: unknown;
  readonly query: unknown;
}

/**
 * What keeps a session from nearly everything: the account has to do something first, such as to set up its second
 * factor; or it looks on as somebody else, and only reads.
 */
export type SessionBar = 'owing' | 'viewing';

interface Shape {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** OpenAPI form, `{name}` for parameters. */
  readonly path: string;
  readonly summary: string;
  /** What the summary has no room for: what figures measure, for example. */
  readonly description?: string;
  /** The switch of its capability, without which it answers as an unknown address; `gather` sets it. */
  readonly enabledBy?: SettingName<boolean>;
  /** The least scope that may call; `null` is spelled out, so that a public endpoint is a decision. */
  readonly scope: string | null;
  /** Another scope that opens it as well. */
  readonly orScope?: string;
  readonly limit: RateLimit | null;
  /**
   * Works with the session of a browser, also where `scope` is null: `handle` gets the visitor. What it is judged by
   * before a write: `token`, as every write of a session; `origin`, only that no other site sent it, for a sign-in,
   * which has no token yet.
   */
  readonly session?: 'token' | 'origin';
  /**
   * Only for a customer who signed in: 401 for everybody else, before its limit by customer and the token of its session
   * (storefront-settled Z1). `handle` then acts for the customer.
   */
  readonly customer?: true;
  /** A person needs the password again, when it was given too long ago. */
  readonly sudo?: true;
  /** As `sudo`, for some bodies alone: tells by the body as it came, before it is judged. */
  readonly sudoFor?: (body: unknown) => boolean;
  /** What does not keep a session from it, though it does from everything else. */
  readonly despite?: readonly SessionBar[];
  /** With the header `Dry-Run: true` it does its work in a transaction that is rolled back. */
  readonly rehearsable?: true;
  /** A credential in the request itself opens it, where `scope` is null: who guesses is refused here too (D19d). */
  readonly guarded?: true;
  /** Tells of a request that its limit does not count: it goes on with one that was counted (D15). */
  readonly uncounted?: (ctx: Ctx, request: Presented) => boolean;
  /** Throws to refuse, before anything of the request is read, while there is no room for its work. */
  readonly requireRoom?: (ctx: Ctx) => void;
  /** Largest body in bytes after inflating; the surface's when absent. */
  readonly bodyBytes?: number;
  /** A request without a body counts as one with an empty object. */
  readonly bodyOptional?: true;
  /** The body is taken as the bytes that came, at most this many, instead of as JSON: somebody signed them. */
  readonly rawBody?: { readonly maxBytes: number };
  /** Answers 200 with bytes: their media type, and what its further headers say, for the document. */
  readonly content?: { readonly type: string; readonly headers: Readonly<Record<string, string>> };
  /** Answers 200 with a file of this type in place of its reply, when the query asks for one. */
  readonly file?: { readonly type: string };
  /** The answer goes on for as long as somebody listens: `handle` is told when it has to end. */
  readonly live?: true;
  readonly errors?: readonly string[];
}

/** Schemas by the status of the reply, each of its body without the envelope. */
type Replies = Readonly<Record<number, Schema>>;

/**
 * Something, or what makes it when it is first asked for. A schema is a kilobyte or more: most of those of a resource,
 * which follow from its declaration, are never asked for by the server that holds them (decision 0082).
 */
export type Deferred<T> = T | (() => T);

export interface EndpointSpec<
  P extends Schema | undefined,
  Q extends Schema | undefined,
  H extends Schema | undefined,
  B extends Schema | undefined,
  U extends UploadRule | undefined,
  A,
> extends Omit<Shape, 'errors' | 'bodyOptional'> {
  readonly bodyOptional?: Deferred<true | undefined>;
  /** What it may refuse with beside what its surface says. */
  readonly errors?: Deferred<readonly string[]>;
  /** Opens a guarded endpoint by the request's own credential, before the input is judged (D3); throws to refuse. */
  readonly admit?: (ctx: Ctx, request: Presented) => Promise<A>;
  /** Instead of `body`: `raw` is then the file, of which exactly one must come. */
  readonly upload?: U;
  readonly params?: P;
  readonly query?: Deferred<Q>;
  /** Headers that the use case reads, lower case; credentials belong to the surface. */
  readonly headers?: Deferred<H>;
  readonly body?: Deferred<B>;
  readonly replies: Deferred<Replies>;
  handle(
    ctx: Ctx,
    input: {
      params: Out<P>;
      query: Out<Q>;
      headers: Out<H>;
      body: Out<B>;
      raw: U extends UploadRule ? Upload : RawBody;
      /** What `admit` found. */
      admitted: A;
      /** Whose browser sent it; null for a credential of a program, and for a command. */
      visitor: Visitor | null;
      /** Only of an endpoint that declares `live`, and only where a server answers. */
      live?: Live | undefined;
    },
  ): Promise<Reply>;
}

/** What routing, documents and contract tests read: the types of the input are settled by `endpoint`. */
export interface Endpoint extends Shape {
  readonly params?: Schema | undefined;
  readonly query?: Schema | undefined;
  readonly headers?: Schema | undefined;
  readonly body?: Schema | undefined;
  readonly replies: Replies;
  readonly upload?: UploadRule | undefined;
  readonly admit?: ((ctx: Ctx, request: Presented) => Promise<unknown>) | undefined;
  handle(ctx: Ctx, input: Input): Promise<Reply>;
}

export interface Input {
  params: unknown;
  query: unknown;
  headers: unknown;
  body: unknown;
  /** Only of an endpoint that declares `rawBody` or `upload`. */
  raw?: unknown;
  /** Only of an endpoint that declares `admit`. */
  admitted?: unknown;
  /** Absent where no browser asked. */
  visitor?: Visitor | null;
  /** Only of an endpoint that declares `live`. */
  live?: Live | undefined;
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
  U extends UploadRule | undefined = undefined,
  A = undefined,
>(spec: EndpointSpec<P, Q, H, B, U, A>): Endpoint {
  for (const name of ['query', 'headers', 'body', 'bodyOptional', 'replies', 'errors'] as const) {
    const value: unknown = spec[name];
    if (typeof value === 'function') defer(spec, name, value as () => unknown);
  }
  return (spec.customer ? withMore(spec, { session: 'token' }) : spec) as unknown as Endpoint;
}

const defer = (spec: object, name: string, make: () => unknown): void =>
  void Object.defineProperty(spec, name, { configurable: true, enumerable: true, get: once(make) });

/** Whether an endpoint reads a body as JSON; its schema is not made for that. */
export function hasBody(endpoint: Endpoint): boolean {
  const declared = Object.getOwnPropertyDescriptor(endpoint, 'body');
  return declared !== undefined && (declared.get !== undefined || declared.value !== undefined);
}

/** The same with other properties; what is deferred stays so. */
export const withMore = <T extends object, M extends object>(part: T, more: M): T & M =>
  Object.defineProperties(
    {},
    {
      ...Object.getOwnPropertyDescriptors(part),
      ...Object.getOwnPropertyDescriptors(more),
    },
  ) as T & M;

export const ok = <T>(body: T): Reply<T> => ({ status: 200, body });
export const created = <T>(body: T): Reply<T> => ({ status: 201, body });

/**
 * Answers with bytes instead of JSON. The status follows from the request: 200, 206 for a range, 304, 412 or 416
 * (licensing D92). The content is closed whatever becomes of the answer.
 */
export const download = (content: Content): Reply<null> => ({ status: 200, body: null, content });

/** Answers 204, without a body. */
export const noContent = (): Reply<null> => ({ status: 204, body: null, content: null });

/** Answers 303: what was done is shown at another address, which the browser asks for with GET. */
export const redirect = (address: string): Reply<null> => ({
  status: 303,
  body: null,
  content: null,
  head: { headers: { Location: redirectAddress(address) } },
});
