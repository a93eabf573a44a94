import type { BucketAddress } from '#kernel/config/storage-url.ts';
import { StorageFailure } from '#kernel/storage/failure.ts';

interface Refusal {
  name?: string;
  code?: string;
  message?: string;
  errors?: readonly unknown[];
  $metadata?: { httpStatusCode?: number };
}

type Cure = readonly [why: (place: Place) => string, hint: string];

interface Place {
  readonly bucket: string;
  readonly service: string;
  readonly region: string;
}

const CREDENTIALS =
  'set APPCTL_S3_ACCESS_KEY_ID and APPCTL_S3_SECRET_ACCESS_KEY (or _FILE) to those of the bucket';
const RIGHTS = 'allow GetObject, PutObject, DeleteObject and ListBucket under the prefix of storage.url';
const REACH = 'check the endpoint in storage.url, and that the service is running';
const REGION = 'add the region of the bucket to storage.url: ?region=';

const NO_BUCKET: Cure = [
  ({ bucket, service }) => `bucket ${bucket} was not found at ${service}`,
  'create the bucket, or correct storage.url',
];
const UNKNOWN_KEY: Cure = [({ service }) => `${service} does not know the access key`, CREDENTIALS];
const NO_RIGHTS: Cure = [({ bucket }) => `the credentials may not use the bucket ${bucket}`, RIGHTS];
const UNREACHABLE: Cure = [({ service }) => `${service} cannot be reached`, REACH];
const WRONG_REGION: Cure = [
  ({ bucket, region }) => `the bucket ${bucket} is not in region ${region}`,
  REGION,
];

/** Asked for is what was found there a moment ago. */
const CHANGED: Cure = [() => 'the object in the bucket changed while it was read', 'try again'];

/** By the name of an answer of the service, of an error of its client, or of the network. */
const BY_NAME: Record<string, Cure> = {
  NoSuchBucket: NO_BUCKET,
  InvalidAccessKeyId: UNKNOWN_KEY,
  InvalidToken: UNKNOWN_KEY,
  ExpiredToken: [() => 'the credentials of the bucket have expired', CREDENTIALS],
  SignatureDoesNotMatch: [
    ({ service }) => `the secret of the access key does not match that of ${service}`,
    CREDENTIALS,
  ],
  CredentialsProviderError: [() => 'the credentials of the bucket are missing', CREDENTIALS],
  AccessDenied: NO_RIGHTS,
  Forbidden: NO_RIGHTS,
  PermanentRedirect: WRONG_REGION,
  AuthorizationHeaderMalformed: WRONG_REGION,
  RequestTimeTooSkewed: [
    () => 'the clock of this machine is wrong: requests are not accepted',
    'set the clock',
  ],
  PreconditionFailed: CHANGED,
  NoSuchKey: CHANGED,
  InvalidRange: CHANGED,
  TimeoutError: [({ service }) => `${service} does not answer in time`, REACH],
  ETIMEDOUT: [({ service }) => `${service} does not answer in time`, REACH],
  ECONNREFUSED: UNREACHABLE,
  ECONNRESET: UNREACHABLE,
  EPIPE: UNREACHABLE,
  ENOTFOUND: UNREACHABLE,
  EAI_AGAIN: UNREACHABLE,
  EHOSTUNREACH: UNREACHABLE,
  ENETUNREACH: UNREACHABLE,
};

/** An answer to HEAD has no body, and so no name. */
const BY_STATUS: Record<number, Cure> = { 301: WRONG_REGION, 401: UNKNOWN_KEY, 403: NO_RIGHTS };

/**
 * Says what an operator can do about what a bucket answered, or why it did not. Secrets are in none of it.
 *
 * @param error of the client of S3, or of the network
 */
export function storageFailure(error: unknown, { bucket, endpoint, region }: BucketAddress): StorageFailure {
  if (error instanceof StorageFailure) return error;
  const place = { bucket, region, service: endpoint ?? `Amazon S3 (${region})` };
  const refusal = error as Refusal;
  const status = refusal.$metadata?.httpStatusCode;
  const cure =
    BY_NAME[refusal.name ?? ''] ??
    BY_NAME[codeOf(refusal)] ??
    (status === undefined ? undefined : BY_STATUS[status]);
  if (cure) return new StorageFailure(`${cure[0](place)}${said(refusal)}`, cure[1], error);
  return new StorageFailure(`${place.service} failed on the bucket ${bucket}${said(refusal)}`, REACH, error);
}

/** Of several addresses of one name each has its own error. */
const codeOf = ({ code, errors }: Refusal): string =>
  code ?? (errors?.[0] as { code?: string } | undefined)?.code ?? '';

/** `(NoSuchBucket)`: the word that one looks up. */
function said(refusal: Refusal): string {
  const status = refusal.$metadata?.httpStatusCode;
  const word = [refusal.name, codeOf(refusal)].find(
    (name) => name !== undefined && /^[A-Z]\w{3,}$/.test(name) && name !== 'Error',
  );
  const parts = [word, status === undefined ? undefined : `status ${status}`].filter(
    (part) => part !== undefined,
  );
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}
