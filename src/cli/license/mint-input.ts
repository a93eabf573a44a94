import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import { AppError } from '#kernel/errors.ts';
import { namingFlags } from '../flag-names.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import { timeAsked } from '../time-asked.ts';
import { featuresAsked, metadataAsked } from './fields.ts';

/** Which flag stands for which field. */
const flags = {
  productId: '--product',
  customerEmail: '--email',
  customerName: '--name',
  type: '--type',
  tier: '--tier',
  maxActivations: '--max-activations',
  validUntil: '--valid-until',
  orderId: '--order-id',
  metadata: '--meta',
  policyId: '--policy',
  features: '--features',
  maxVersion: '--max-version',
  maxUses: '--max-uses',
};

/** The forms in which an own key comes: never as a word, which other users of the machine can read. */
export const keyForms = ['key-file', 'key-stdin', 'key-env'] as const;

/** Runs a part of mint and lets its refusals name flags, and the flag that lifts them. */
export function namingMintFlags<T>(cli: Cli, work: () => Promise<T>): Promise<T> {
  const form = keyForms.find((name) => cli.given(name)) ?? 'key-file';
  return namingFlags({ ...flags, key: `the key of --${form}` }, () => withCure(work));
}

/** Who reads that a product is not sold any more wants to know that staff may mint for it all the same. */
async function withCure<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (lacksTerm(error)) throw naming(error);
    if (!(error instanceof AppError) || !isUnsold(error.details.issues)) throw error;
    const details = { ...error.details, hint: 'add --force to mint it anyway' };
    throw new AppError(error.code, error.status, error.message, { details });
  }
}

/** Whether a license was refused because nothing gives it an end. */
export const lacksTerm = (error: unknown): error is AppError =>
  error instanceof AppError &&
  Array.isArray(error.details.issues) &&
  error.details.issues.some(({ rule }) => rule === 'term');

/** Several flags give an end: one of them alone would look like the only way. */
function naming(error: AppError): AppError {
  const issues = (error.details.issues as { message: string }[]).map((issue) => ({
    ...issue,
    message: issue.message.replace(/^is required/, '--valid-until or --days is required'),
  }));
  return new AppError(error.code, error.status, error.message, { details: { ...error.details, issues } });
}

const isUnsold = (issues: unknown): boolean =>
  Array.isArray(issues) && issues.some(({ path, rule }) => path === 'productId' && rule === 'status');

/** @throws usage error (2) for an own key and several licenses: each needs a key of its own */
export function refuseOneKeyForMany(cli: Cli, count: number): void {
  if (count === 1 || !keyForms.some((name) => cli.given(name))) return;
  throw usageError(
    `one key cannot be used for ${count} licenses`,
    'use appctl license mint-bulk FILE with a column key',
  );
}

/**
 * The body that the options describe.
 *
 * @param now --days counts from it; ISO 8601 UTC
 * @throws usage error (2)
 */
export async function mintAsked(cli: Cli, now: string): Promise<Readonly<Record<string, unknown>>> {
  checkIdempotencyKey(cli);
  const features = await featuresAsked(cli);
  const key = await cli.secret('key', { label: 'license key', optional: true });
  return {
    productId: cli.required('product'),
    customerEmail: cli.required('email'),
    customerName: cli.option('name'),
    type: cli.option('type'),
    tier: cli.option('tier'),
    maxActivations: cli.integer('max-activations'),
    validUntil: validUntilAsked(cli, now),
    orderId: cli.option('order') ?? cli.option('order-id'),
    metadata: withOrder(cli, metadataAsked(cli)),
    policyId: cli.option('policy'),
    features,
    maxVersion: cli.option('max-version'),
    maxUses: cli.integer('max-uses'),
    key: key?.value.trim(),
    force: cli.flag('force') || undefined,
  };
}

/** The order of the shop is named apart from the order number, which can be that of another shop. */
function withOrder(
  cli: Cli,
  metadata: Record<string, string> | undefined,
): Record<string, string> | undefined {
  const order = cli.option('order');
  return order === undefined ? metadata : { ...metadata, store_order: order };
}

/** undefined asks for the default, null for a license without an end (licensing D47). */
function validUntilAsked(cli: Cli, now: string): string | null | undefined {
  if (cli.flag('perpetual')) return null;
  const days = cli.integer('days');
  if (days !== undefined) return addSeconds(now, days * SECONDS_PER_DAY);
  const validUntil = timeAsked(cli, 'valid-until', 'end');
  // The API takes it, for licenses that are brought from elsewhere; here it is a slip more often.
  if (validUntil !== undefined && validUntil <= now) {
    cli.warn(`--valid-until ${cli.option('valid-until')} has passed: the license is EXPIRED from the start`);
  }
  return validUntil;
}

/** The suffix of a batch needs room too. */
function checkIdempotencyKey(cli: Cli): void {
  const key = cli.option('idempotency-key');
  if (key === undefined) return;
  const length = [...key].length;
  if (length < 1 || length > 240) throw usageError('--idempotency-key must have 1 to 240 characters');
}
