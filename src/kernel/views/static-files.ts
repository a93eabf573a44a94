import { createHash } from 'node:crypto';
import { brotliCompressSync, gzipSync, constants as zlib } from 'node:zlib';
import { listAssets, readAsset, readTemplate } from '../assets.ts';

/** How the bytes of a file may be sent. */
export type Encoding = 'br' | 'gzip' | 'identity';

/** A file that pages load: a stylesheet, a script, a picture. */
export interface StaticFile {
  /** Content-Type. */
  readonly type: string;
  /** Of its content: the address that holds it never changes what it means. */
  readonly hash: string;
  /** Its bytes in the first of these encodings that it has. */
  read(wanted: readonly Encoding[]): { readonly bytes: Buffer; readonly encoding: Encoding };
}

/** The files below `templates/assets`, and those that the operator put in their place or beside them. */
export interface StaticFiles {
  /**
   * Address under which a page names a file: `page.css` is at `/assets/page.<hash>.css`.
   *
   * @throws Error when there is no such file
   */
  addressOf(name: string): string;
  /**
   * The file of an address.
   *
   * @param path below `/assets/`, as it was asked for
   * @returns null when there is none; `isCurrent` when the address tells the content, so that it may be kept for ever
   */
  find(path: string): { readonly file: StaticFile; readonly isCurrent: boolean } | null;
}

/** Types that are served, and whether compressing them helps. */
const TYPES: Readonly<Record<string, readonly [type: string, isText: boolean]>> = {
  css: ['text/css; charset=utf-8', true],
  js: ['text/javascript; charset=utf-8', true],
  svg: ['image/svg+xml', true],
  txt: ['text/plain; charset=utf-8', true],
  webmanifest: ['application/manifest+json', true],
  ico: ['image/x-icon', false],
  png: ['image/png', false],
  jpg: ['image/jpeg', false],
  webp: ['image/webp', false],
  woff2: ['font/woff2', false],
};

export const ASSETS = 'templates/assets';
/** Files of other packages that pages load, by the names under which they do; the build puts them into the executable. */
export const VENDORED: Readonly<Record<string, string>> = {
  'htmx.js': 'node_modules/htmx.org/dist/htmx.min.js',
  'swagger-ui.js': 'node_modules/swagger-ui-dist/swagger-ui-bundle.js',
  'swagger-ui.css': 'node_modules/swagger-ui-dist/swagger-ui.css',
};
/** Where a shipped file is. */
const keyOf = (name: string): string =>
  (Object.hasOwn(VENDORED, name) ? VENDORED[name] : undefined) ?? `${ASSETS}/${name}`;
const HASH_DIGITS = 16;
const HASHED = /^(.+)\.([0-9a-f]{16})\.([a-z0-9]+)$/;
/** A part of a path that hides nothing and leaves no folder. */
const PART = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/;

/** @param overrideDir the operator's templates_dir: `assets/page.css` there replaces the shipped one, with its own hash */
export function createStaticFiles(overrideDir: string | undefined): StaticFiles {
  const loaded = new Map<string, StaticFile>();
  const load = (name: string): StaticFile | null => {
    const before = loaded.get(name);
    if (before) return before;
    const file = isServed(name) ? readFile(name, overrideDir) : null;
    if (file) loaded.set(name, file);
    return file;
  };
  return {
    addressOf(name) {
      const file = load(name);
      if (!file)
        throw new Error(`no file assets/${name} ships with this program, and none is in templates_dir`);
      return `/assets/${name.replace(/\.(\w+)$/, `.${file.hash}.$1`)}`;
    },
    find(path) {
      const [, stem, hash, extension] = HASHED.exec(path) ?? [];
      const named = stem === undefined ? null : load(`${stem}.${extension}`);
      // A page of the version before may still ask for its own: better today's file than none.
      if (named) return { file: named, isCurrent: named.hash === hash };
      const file = load(path);
      return file && { file, isCurrent: false };
    },
  };
}

const typeOf = (name: string): (typeof TYPES)[string] | undefined => {
  const extension = name.slice(name.lastIndexOf('.') + 1);
  return Object.hasOwn(TYPES, extension) ? TYPES[extension] : undefined;
};

const isServed = (name: string): boolean =>
  typeOf(name) !== undefined && name.length <= 200 && name.split('/').every((part) => PART.test(part));

function readFile(name: string, overrideDir: string | undefined): StaticFile | null {
  const key = keyOf(name);
  const own = readIfThere(() => readTemplate(`assets/${name}`, overrideDir));
  const bytes = own ?? readIfThere(() => readAsset(key));
  const [type, isText] = typeOf(name) ?? [];
  if (!bytes || type === undefined) return null;
  const made = new Map<Encoding, Buffer>([['identity', bytes]]);
  const isShipped = readIfThere(() => readAsset(key))?.equals(bytes) ?? false;
  return {
    type,
    hash: createHash('sha256').update(bytes).digest('hex').slice(0, HASH_DIGITS),
    read(wanted) {
      const encoding = isText ? (wanted[0] ?? 'identity') : 'identity';
      let content = made.get(encoding);
      if (!content) made.set(encoding, (content = compressed(name, bytes, encoding, isShipped)));
      // What compressing made larger is sent as it is.
      return content.length < bytes.length ? { bytes: content, encoding } : { bytes, encoding: 'identity' };
    },
  };
}

/** The build has compressed what ships; from the source, and of the operator's files, it is done when first asked for. */
function compressed(name: string, bytes: Buffer, encoding: Encoding, isShipped: boolean): Buffer {
  const built = isShipped ? readIfThere(() => readAsset(compressedKey(keyOf(name), encoding))) : null;
  return built ?? compress(bytes, encoding);
}

/** As small as it gets: it is done once. */
export function compress(bytes: Buffer, encoding: Encoding): Buffer {
  if (encoding === 'identity') return bytes;
  if (encoding === 'gzip') return gzipSync(bytes, { level: 9 });
  const { BROTLI_PARAM_QUALITY, BROTLI_MAX_QUALITY, BROTLI_PARAM_SIZE_HINT } = zlib;
  return brotliCompressSync(bytes, {
    params: { [BROTLI_PARAM_QUALITY]: BROTLI_MAX_QUALITY, [BROTLI_PARAM_SIZE_HINT]: bytes.length },
  });
}

/** Under which the executable holds the compressed form of a file. */
export const compressedKey = (key: string, encoding: Encoding): string => `${key}.${encoding}`;

/** Keys of the shipped files that the build compresses. */
export const compressibleAssets = (): string[] =>
  [...listAssets(ASSETS), ...Object.values(VENDORED)].filter((key) => typeOf(key)?.[1] === true);

/** A file that is there and cannot be read is a fault of its own. */
function readIfThere(read: () => Buffer): Buffer | null {
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== undefined) throw error;
    return null;
  }
}
