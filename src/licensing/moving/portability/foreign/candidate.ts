import { email } from '#kernel/http/fields.ts';
import { jsonObject } from '#kernel/http/json-object.ts';
import {
  LICENSE_TIERS,
  LICENSE_TYPES,
  type LicenseStatus,
  type LicenseTier,
  type LicenseType,
} from '#licensing/contract/enumerations.ts';
import { maxVersionField } from '#licensing/contract/fields.ts';
import { bounds } from '#licensing/contract/limits.ts';
import { RowFault } from '../report.ts';
import { readDate } from './dates.ts';
import { derive } from './derive.ts';
import type { Extracted } from './extract.ts';
import { type ForeignMachine, readMachines } from './machines.ts';
import { fitMetadata } from './metadata.ts';
import type { ForeignSource } from './sources.ts';
import { isUnlimited, type Raw, readChoice, readInteger, readObject, readText } from './values.ts';

/** A license of another product in the terms of this one. What the source does not tell is undefined. */
export interface Candidate {
  key: string;
  customerEmail: string;
  customerName: string | undefined;
  /** Id or slug. */
  product: string | undefined;
  /** Id or name. */
  policy: string | undefined;
  type: LicenseType | undefined;
  tier: LicenseTier;
  status: LicenseStatus;
  maxActivations: number | undefined;
  /** null: without end. */
  validUntil: string | null;
  maxUses: number | null;
  currentUses: number;
  features: Record<string, unknown> | null;
  maxVersion: string | null;
  orderId: string | null;
  notes: string | null;
  createdAt: string | undefined;
  metadata: Record<string, unknown>;
  machines: ForeignMachine[];
}

/** What the source lacks, as the command names it. */
export interface Lacking {
  type: LicenseType | undefined;
}

const NO_LIMIT = bounds.maxActivations.max;
const EmailField = email(bounds.customerEmail);
const FeaturesField = jsonObject(bounds.features);
const MaxVersionField = maxVersionField();

/**
 * Reads one record in the terms of this service (licensing 6.11).
 *
 * @param warn told what was changed on the way
 * @throws RowFault with the code of the first fault
 */
export function readCandidate(
  source: ForeignSource,
  extracted: Extracted,
  lacking: Lacking,
  warn: (message: string) => void,
): Candidate {
  const { fields } = extracted;
  const createdAt = readDate('createdAt', fields.createdAt, 'start') ?? undefined;
  const derived = derive(source, extracted, createdAt);
  const { validUntil } = derived;
  const guess = validUntil === null ? 'PERPETUAL' : 'SUBSCRIPTION';
  const stated = derived.type ?? readChoice('type', fields.type, LICENSE_TYPES);
  const type = stated ?? lacking.type ?? (source === 'csv' ? undefined : guess);
  return {
    key: readKey(fields.key),
    customerEmail: readEmail(fields.customerEmail),
    customerName: readText('customerName', fields.customerName, bounds.customerName),
    product: readText('product', fields.product, 63),
    policy: readText('policy', fields.policy, 100),
    type,
    tier: readChoice('tier', fields.tier, LICENSE_TIERS) ?? 'PERSONAL',
    status: derived.status,
    // An empty cell of a plain table says nothing; at the other products it says that there is no limit.
    maxActivations: readLimit(source === 'csv' ? (derived.limit ?? undefined) : derived.limit, warn),
    validUntil,
    maxUses: readInteger('maxUses', fields.maxUses, 0, Number.MAX_SAFE_INTEGER) ?? null,
    currentUses: readInteger('currentUses', fields.currentUses, 0, Number.MAX_SAFE_INTEGER) ?? 0,
    features: readFeatures(fields.features),
    maxVersion: readMaxVersion(fields.maxVersion),
    orderId: readText('orderId', fields.orderId, bounds.orderId) ?? null,
    notes: readText('notes', fields.notes, bounds.notes) ?? null,
    createdAt,
    metadata: fitMetadata(readObject('metadata', fields.metadata), extracted.metadata, warn),
    machines: keptMachines(type, derived.status, readMachines(fields.activations), warn),
  };
}

function readKey(value: Raw): string {
  const key = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
  if (key === '') throw new RowFault('KEY_FORMAT', 'the record has no license key');
  return key;
}

function readEmail(value: Raw): string {
  const read = EmailField.safeParse(value ?? '');
  if (read.success) return read.data;
  const isMissing = value === undefined || value === null;
  throw new RowFault(
    'EMAIL_INVALID',
    isMissing ? 'the customer has no email address' : 'the email address is not valid',
  );
}

/** @returns undefined when the source has no such column: the product's default holds */
function readLimit(value: Raw, warn: (message: string) => void): number | undefined {
  if (value === undefined) return undefined;
  if (isUnlimited(value)) {
    warn(`no activation limit at the source: ${NO_LIMIT} here`);
    return NO_LIMIT;
  }
  return readInteger('maxActivations', value, bounds.maxActivations.min, bounds.maxActivations.max);
}

function readFeatures(value: Raw): Record<string, unknown> | null {
  const object = readObject('features', value);
  if (object === undefined) return null;
  const read = FeaturesField.safeParse(object);
  if (read.success) return read.data;
  throw new RowFault('LIMIT_RANGE', `features ${read.error.issues[0]?.message}`);
}

function readMaxVersion(value: Raw): string | null {
  const text = readText('maxVersion', value, 50);
  if (text === undefined) return null;
  const read = MaxVersionField.safeParse(text);
  if (read.success) return read.data;
  throw new RowFault('VALUE_INVALID', `maxVersion ${read.error.issues[0]?.message}`);
}

/** Machines come along where they can live: a lease has to be taken anew, a revoked license has none (8.8). */
function keptMachines(
  type: LicenseType | undefined,
  status: LicenseStatus,
  machines: ForeignMachine[],
  warn: (message: string) => void,
): ForeignMachine[] {
  if (machines.length === 0) return machines;
  const why =
    type === 'FLOATING' ? 'seats of a floating license must be checked out again' : 'the license is revoked';
  if (type === 'FLOATING' || status === 'REVOKED') {
    warn(`${machines.length} ${machines.length === 1 ? 'machine was' : 'machines were'} left out: ${why}`);
    return [];
  }
  const renamed = machines.filter(({ machineId }) => machineId.startsWith('imported-'));
  if (renamed.length > 0) {
    warn(`machine IDs with fewer than ${bounds.machineId.min} characters now start with imported-`);
  }
  return machines;
}
