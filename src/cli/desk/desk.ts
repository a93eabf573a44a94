import { isoTime, systemClock } from '#kernel/clock.ts';
import type { Instance } from '../../app/instance.ts';

/** Query of a call; what is undefined is left out, a list is joined by commas. */
export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** A tenant of the installation. */
export interface TenantNamed {
  readonly id: string;
  readonly slug: string;
}

/** How a change is made. */
export interface ChangeOptions {
  readonly query?: Query;
  /** `updatedAt` of the state that was shown: a later one is refused (PRECONDITION_FAILED). */
  readonly ifMatch?: string | undefined;
  /** Everything happens, refusals too, and is taken back, also without --dry-run. */
  readonly rehearse?: true;
  /** Keeps the secret that the answer holds under this name. Here it is kept before the change is committed. */
  readonly secret?: { readonly name: string; keep(secret: string): void };
}

/** Calls an operation below `/api/v1/` with an API key. */
export type ByApiKey = <T>(
  method: 'GET' | 'POST',
  path: string,
  body?: object,
  headers?: Readonly<Record<string, string>>,
) => Promise<T>;

/** A file on its way to the desk. */
export interface FileSent {
  readonly filename: string;
  /** Bytes, exactly. */
  readonly size: number;
  open(): AsyncIterable<Uint8Array>;
}

/** Bytes that a desk hands out. */
export interface Download {
  /** Content-Type. */
  readonly type: string;
  /** Bytes; null when that is known at the end only. */
  readonly size: number | null;
  /** Each is good until the next one is asked for. */
  readonly chunks: AsyncIterable<Uint8Array>;
}

/**
 * Where a command works: the local installation, or a server by one of its APIs. A call names an operation of that API by
 * its method and its path below `/api/v1/admin/` or `/api/store/`, which `at` writes; body and answer are the operation's. Both refuse
 * alike: AppError as the operation answers it, and NOT_FOUND (3) for a text that can be the name of nothing.
 *
 * With --dry-run every change is rehearsed: a command that makes two changes, the second on what the first made, makes
 * the first alone then.
 */
export interface Desk {
  /** The opened installation, for what only it can tell; null on a server. */
  readonly local: Instance | null;
  /** Calls below `/api/v1/` with an API key, when that is what opens the server; else null. */
  readonly byApiKey: ByApiKey | null;
  /** @param of the tenant that is asked about, when it is not the one that the command acts for */
  get<T>(path: string, query?: Query, of?: TenantNamed): Promise<T>;
  post<T>(path: string, body?: object, options?: ChangeOptions): Promise<T>;
  put<T>(path: string, body: object, options?: ChangeOptions): Promise<T>;
  patch<T>(path: string, body: object, options?: ChangeOptions): Promise<T>;
  /** @param body why, where the operation takes a reason */
  delete<T>(path: string, options?: ChangeOptions, body?: object): Promise<T>;
  /** @param onBytes told how many bytes have gone */
  upload<T>(
    path: string,
    file: FileSent,
    onBytes?: (sent: number) => void,
    how?: { readonly method: 'post'; readonly query: Query },
  ): Promise<T>;
  /** @param take reads the bytes while they arrive; @param headers of the operation */
  download<T>(
    path: string,
    query: Query | undefined,
    take: (content: Download) => Promise<T>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<T>;
}

/** The time by which a command counts: that of the installation, or of this machine for a server. ISO 8601 UTC. */
export const timeAt = ({ local }: Desk): string => local?.ctx.now() ?? isoTime(systemClock.epochMs());

/** Writes the path of an operation; what is put in stays one part of it, whatever it holds: at`releases/${id}`. */
export const at = (texts: TemplateStringsArray, ...names: readonly string[]): string =>
  texts.reduce((path, text, index) => `${path}${encodeURIComponent(names[index - 1] ?? '')}${text}`);

/** Whether a text is an id, and not a beginning of one. */
export const isWholeId = (text: string): boolean => /^[a-z]{3}_[0-9A-Z]{26}$/.test(text);

/** Whether a text is the beginning of an id: of fewer letters nobody would know what they are. */
export const isBeginning = (text: string): boolean => /^[a-z]{3}_[0-9A-Za-z]{2,25}$/.test(text);

/** Passes bytes on and tells how many there were. */
export async function* counted(
  source: AsyncIterable<Uint8Array>,
  onBytes: (sent: number) => void,
): AsyncGenerator<Uint8Array> {
  let sent = 0;
  for await (const chunk of source) {
    yield chunk;
    sent += chunk.byteLength;
    onBytes(sent);
  }
}
