import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { setGlobalProxyFromEnv } from 'node:http';
import { hostname } from 'node:os';
import { buildInfo } from '#kernel/build-info.ts';
import type { Config } from '#kernel/config/config.ts';
import { ConfigError } from '#kernel/config/errors.ts';
import { isLoopback } from '#kernel/config/listen.ts';
import { maskUrlPassword } from '#kernel/config/mask.ts';
import { processEnvironment } from '#kernel/environment.ts';
import { AppError } from '#kernel/errors.ts';
import { digestBundle } from '#signing/releases/bundle-digest.ts';
import { findSignature } from '#signing/releases/signature-file.ts';
import { readStatement } from '#signing/releases/statement.ts';
import type { LicenseClient, UpdateOffer } from '../../client/node.ts';
import { ClientError, createLicenseClient, fileSink, LicenseApiError } from '../../client/node.ts';
import { type Asker, fileFetch, folderFetch, type LocalItem } from './feed-answers.ts';

/** Slug of this program at its vendor: the statement of each release names it. */
const PRODUCT = 'appctl';
/** A client does not ask without one; a feed of files and a bundle on this machine have nobody who reads it. */
const NO_LICENSE = 'APPCTL-WITHOUT-KEY';

/** A release that may be installed: signed by a key of the vendor, for this machine, newer than this program. */
export type Offer = UpdateOffer;

/** Where releases come from. */
export interface Feed {
  /** As it is named to a person. */
  readonly display: string;
  /** @returns null when nothing newer is offered. @throws AppError */
  offer(): Promise<Offer | null>;
  /** Fetches an offered executable into a file, which is there only when all of it is verified. @throws AppError */
  fetch(offer: Offer, path: string, onBytes: (done: number, total: number) => void): Promise<void>;
}

/** A bundle that was brought here by hand. */
export interface GivenBundle {
  readonly file: string;
  /** Its signature file; null: beside it. */
  readonly signature: string | null;
}

/**
 * Opens the source of releases.
 *
 * @throws ConfigError (78) for a configuration that does not lead to one; AppError VERIFICATION_FAILED for a given bundle without a signature
 */
export async function openFeed(config: Config, given: GivenBundle | null): Promise<Feed> {
  const { pubkeys, url } = config.update;
  if (pubkeys.length === 0 && url === undefined && given === null)
    throw problem(
      'update.url',
      'is not set, and neither is update.pubkey: both are needed to look for updates',
      'set both to what the vendor of appctl publishes, or bring the file: appctl upgrade check --file FILE --pubkey KEY',
    );
  if (pubkeys.length === 0)
    throw problem(
      'update.pubkey',
      'is not set, and without it no release can be verified',
      'set it to the public key that the vendor of appctl publishes, or name its file with --pubkey',
    );
  const asker = { version: buildInfo().version, platform: process.platform, arch: process.arch };
  if (given !== null) return feedOf(config, asker, await bundleSource(given));
  return feedOf(config, asker, remoteSource(config, asker));
}

interface Source {
  readonly display: string;
  readonly baseUrl: string;
  readonly licenseKey: string;
  readonly fetch?: typeof globalThis.fetch;
}

async function bundleSource({ file, signature }: GivenBundle): Promise<Source> {
  const found = await findSignature(file, signature);
  if (found === null || found === 'MALFORMED' || found.claims === null)
    throw new AppError('VERIFICATION_FAILED', 422, `${file} has no signature file of appctl`, {
      details: { hint: `put ${file}.sig.json beside it, or name it with --signature` },
    });
  const { claims, signature: bytes } = found;
  const told = claims.statement === undefined ? null : readStatement(claims.statement);
  if (told === null)
    throw failed(
      'VERIFICATION_FAILED',
      `the signature of ${file} has no statement that says which version it is`,
      'ask the vendor of appctl for the signature file of the release',
    );
  const digest = await digestBundle(file);
  const item: LocalItem = {
    id: 'file',
    version: told.version,
    platform: '',
    arch: '',
    path: file,
    size: digest.size,
    sha256: digest.sha256.toString('hex'),
    signature: bytes.toString('base64'),
    statement: claims.statement ?? null,
    statementSignature: claims.statementSignature ?? null,
    sequence: null,
    isCritical: false,
    requiresMigration: false,
    changelog: '',
    publishedAt: told.issuedAt,
  };
  return { display: file, baseUrl: 'http://127.0.0.1', licenseKey: NO_LICENSE, fetch: fileFetch(item) };
}

function remoteSource({ update }: Config, asker: Asker): Source {
  if (update.url === undefined)
    throw problem(
      'update.url',
      'is not set: this program asks nobody for updates',
      'set it to the address that the vendor of appctl publishes, or bring the file: appctl upgrade apply --file FILE',
    );
  const url = new URL(update.url);
  if (url.protocol !== 'https:' && !isLoopback(url.hostname))
    throw problem('update.url', `${url.origin} is not encrypted`, 'write an https: address');
  const environment = processEnvironment();
  if (environment.HTTPS_PROXY ?? environment.https_proxy) setGlobalProxyFromEnv();
  const { licenseKey } = update;
  const display = maskUrlPassword(url.href);
  if (licenseKey !== undefined) return { display, baseUrl: url.href, licenseKey };
  const fetch = folderFetch(url, update.channel, asker);
  return { display, baseUrl: url.origin, licenseKey: NO_LICENSE, fetch };
}

function feedOf({ update }: Config, asker: Asker, { display, ...source }: Source): Feed {
  const client = clientOf({
    ...source,
    product: PRODUCT,
    machine: { id: machineId() },
    appVersion: asker.version,
    rootKeys: [...update.pubkeys],
    updates: { channel: update.channel, platform: asker.platform, arch: asker.arch },
    retry: { attempts: 2 },
  });
  return {
    display,
    offer: () => translated(display, () => client.checkForUpdate()),
    fetch: (offer, path, onProgress) => translated(display, () => fetchInto(client, offer, path, onProgress)),
  };
}

/** @throws ConfigError for a key that is none */
function clientOf(options: Parameters<typeof createLicenseClient>[0]): LicenseClient {
  try {
    return createLicenseClient(options);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const key = /root/i.test(error.message) ? 'update.pubkey' : 'update.url';
    throw problem(key, `cannot be used: ${error.message}`, 'write what the vendor of appctl publishes');
  }
}

async function fetchInto(
  client: LicenseClient,
  offer: Offer,
  path: string,
  onProgress: (done: number, total: number) => void,
): Promise<void> {
  await client.downloadUpdate(offer, await fileSink(path), { onProgress });
}

/** The same for each question of this machine, and of no use elsewhere: a release that goes out in steps is offered by it. */
function machineId(): string {
  const file = '/etc/machine-id';
  const known = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  return createHash('sha256')
    .update(`appctl upgrade ${known || hostname()}`)
    .digest('hex')
    .slice(0, 32);
}

const problem = (key: string, message: string, hint: string): ConfigError =>
  new ConfigError([{ key, message, hint }]);

/** What the client refuses, as every command says it. */
async function translated<T>(display: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof LicenseApiError) {
      const refused = ['INVALID_LICENSE', 'INVALID_KEY'].includes(error.code);
      throw refused
        ? failed(
            'UNAUTHORIZED',
            `${display} refused update.license_key: ${error.message}`,
            'check the license key',
          )
        : failed('NOT_READY', `${display}: ${error.message}`, 'check update.url and update.channel');
    }
    if (error instanceof ClientError) throw refusalOf(display, error);
    throw error;
  }
}

function refusalOf(display: string, { code, message }: ClientError): AppError {
  if (code === 'ROLLBACK')
    return failed(
      'CONFLICT',
      `${display}: ${message}`,
      'to return to the version before: appctl upgrade rollback',
    );
  if (['NETWORK', 'TIMEOUT', 'ABORTED', 'BAD_RESPONSE'].includes(code))
    return failed(
      'NOT_READY',
      `${display} gave no usable answer${/ \([^)]*\)$/.exec(message)?.[0] ?? `: ${message}`}`,
      'check update.url, or bring the file: appctl upgrade apply --file FILE',
    );
  return failed(
    'VERIFICATION_FAILED',
    `${display}: ${message}`,
    'nothing was changed; ask the vendor of appctl',
  );
}

const failed = (code: string, message: string, hint: string): AppError =>
  new AppError(code, 500, message, { details: { hint } });
