import { InvalidValue } from './errors.ts';

/** A bucket as `storage.url` names it. */
export interface BucketAddress {
  readonly bucket: string;
  /** Without slashes at its ends; empty for the whole bucket. */
  readonly prefix: string;
  readonly region: string;
  /** Of a service other than Amazon's; undefined for Amazon's. */
  readonly endpoint: string | undefined;
}

/** A service that speaks S3 needs a region for its signatures and seldom cares which. */
const DEFAULT_REGION = 'us-east-1';

/** The folder of `file:DIR`, as it was written; undefined for anything else. */
export const storageFolder = (text: string | undefined): string | undefined =>
  /^file:(?:\/\/(?=\/))?(.+)$/s.exec(text ?? '')?.[1];

/**
 * Reads `s3://bucket/prefix?region=&endpoint=` (cli.md section 5).
 *
 * @returns null for a `file:` URL
 * @throws InvalidValue; the text itself stays out of its message, for it may hold a password
 */
export function parseStorageUrl(text: string): BucketAddress | null {
  if (storageFolder(text) !== undefined) return null;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol !== 's3:') throw new InvalidValue('is not a file: or s3: URL', EXAMPLE);
  if (url.username !== '' || url.password !== '') {
    throw new InvalidValue(
      'contains credentials',
      'set storage.s3_access_key_id and storage.s3_secret_access_key',
    );
  }
  const bucket = url.hostname;
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket)) {
    throw new InvalidValue(
      `"${bucket}" is not a valid bucket name`,
      'lower-case letters, digits, dots and hyphens',
    );
  }
  const prefix = url.pathname.replace(/^\/+|\/+$/g, '');
  if (!/^[\w!.()*'/-]*$/.test(prefix) || prefix.split('/').includes('..')) {
    throw new InvalidValue(`"${prefix}" is not a valid prefix`, 'letters, digits, and - _ . / between them');
  }
  const { region, endpoint } = parametersOf(url);
  return { bucket, prefix, region: region ?? DEFAULT_REGION, endpoint };
}

const EXAMPLE = 'for example s3://bucket/prefix?region=eu-central-1';

function parametersOf(url: URL): { region: string | undefined; endpoint: string | undefined } {
  for (const name of url.searchParams.keys()) {
    if (name !== 'region' && name !== 'endpoint') {
      throw new InvalidValue(
        `has an unknown parameter "${name}"`,
        'only region and endpoint may follow the ?',
      );
    }
  }
  const region = url.searchParams.get('region') || undefined;
  const endpoint = url.searchParams.get('endpoint') || undefined;
  if (region !== undefined && !/^[a-z0-9-]{1,50}$/.test(region)) {
    throw new InvalidValue(`"${region}" is not a region`, 'for example eu-central-1');
  }
  const isAddress =
    endpoint === undefined ||
    (/^https?:\/\//.test(endpoint) && URL.canParse(endpoint) && new URL(endpoint).username === '');
  if (!isAddress)
    throw new InvalidValue(
      'has an endpoint that is not an http or https address',
      'endpoint=https://minio:9000',
    );
  return { region, endpoint };
}
