/** A cookie that an answer sets; `value` null removes it. */
export interface Cookie {
  readonly name: string;
  readonly value: string | null;
  /** `/` when absent. */
  readonly path?: string;
  readonly domain?: string;
  /** Seconds until the browser forgets it; with the end of its session when absent. */
  readonly maxAgeSeconds?: number;
  /** No script reads it; true when absent. */
  readonly httpOnly?: boolean;
  /** `lax` when absent. */
  readonly sameSite?: 'strict' | 'lax' | 'none';
  /** Sent over https only; where the installation is reached over https when absent. */
  readonly secure?: boolean;
}

/** Who may keep an answer, and for how long. Nobody, where a rule is absent. */
export interface CacheRule {
  /** `public`: everybody in between too; `private`: the browser that asked. */
  readonly by: 'public' | 'private';
  /** 0: it is asked for again each time. */
  readonly maxAgeSeconds: number;
  /** It never changes under its address. */
  readonly isImmutable?: true;
  /** In quotes, `W/` before them where answers of one meaning differ in their bytes: a request that knows it is answered 304. */
  readonly etag?: string;
}

/** What an answer carries beside its status and body. */
export interface ReplyHead {
  /** Values are written as they are: what comes from data is encoded before (reliability M17). */
  readonly headers?: Readonly<Record<string, string>>;
  readonly cookies?: readonly Cookie[];
  readonly cache?: CacheRule;
}

/** `Cache-Control` of a rule. */
export const cacheText = ({ by, maxAgeSeconds, isImmutable }: CacheRule): string =>
  maxAgeSeconds === 0
    ? `${by}, no-cache`
    : `${by}, max-age=${maxAgeSeconds}${isImmutable ? ', immutable' : ''}`;

/**
 * The address of a redirect inside this installation, in a form that a header can carry.
 *
 * @param address path with an optional query, or an absolute http(s) address that the program itself chose
 * @throws Error for anything that a browser could read as another host (reliability M29)
 */
export function redirectAddress(address: string): string {
  if (/^https?:\/\//.test(address)) return new URL(address).href;
  if (!isOwnPath(address)) throw new Error(`${JSON.stringify(address)} is not a path of this installation`);
  const { pathname, search, hash } = new URL(address, OWN);
  return pathname + search + hash;
}

/** Whether a text is a path of this installation and nothing that a browser could read as another host (M29). */
export function isOwnPath(text: string): boolean {
  const [path = ''] = text.split(/[?#]/, 1);
  return !/[\p{Cc}\\]/u.test(text) && [path, decoded(path)].every(staysHere);
}

/** One slash, and neither a second one nor what browsers take for one; also when they have tidied up `/.//x`. */
const staysHere = (path: string): boolean =>
  /^\/(?!\/)[^\p{Cc}\\]*$/u.test(path) && !new URL(path, OWN).pathname.startsWith('//');

/** Any origin: a path is judged without one. */
const OWN = 'http://own';

/** A path that does not decode is none. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return '';
  }
}
